// The device IRREDUCE from OpenVINO's C++ API: what Python cannot reach, such as strides of the
// caller's own, read-only memory, exception types, requests that end themselves.
// usage: openvino_client_cpp LIBRARY. SPDX-License-Identifier: Apache-2.0
#include <future>
#include <iostream>
#include <numeric>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <thread>

using namespace ov;

static void require(bool holds, const char *what) {
    if (holds) return;
    std::cerr << "not so: " << what << "\n";
    std::exit(1);
}
#define REQUIRE(...) require((__VA_ARGS__), #__VA_ARGS__)

template <class Error, class Call> static void throws(const std::string &words, Call call) {
    try {
        call();
    } catch (const Error &error) {
        if (std::string(error.what()).find(words) == std::string::npos) {
            std::cerr << "\"" << words << "\" is not in: " << error.what() << "\n";
            std::exit(1);
        }
        return;
    }
    require(false, words.c_str());
}

static std::shared_ptr<Model> run_time_axes() {
    auto x = std::make_shared<opset8::Parameter>(element::i64, PartialShape{-1, 3});
    auto axes = std::make_shared<opset8::Parameter>(element::i32, PartialShape{-1});
    x->output(0).set_names({"x"});
    axes->output(0).set_names({"axes"});
    auto sum = std::make_shared<opset8::ReduceSum>(x, axes, false);
    sum->output(0).set_names({"y"});
    return std::make_shared<Model>(OutputVector{sum}, ParameterVector{x, axes}, "late");
}

static std::vector<int64_t> values(const Tensor &tensor) {
    Tensor dense(tensor.get_element_type(), tensor.get_shape());
    tensor.copy_to(dense);
    return {dense.data<int64_t>(), dense.data<int64_t>() + dense.get_size()};
}

// Columns 0, 2, 4 of a wider matrix; axes that are every other number; both of the caller's memory.
static void strides(Core &core) {
    auto model = run_time_axes();
    InferRequest request = core.compile_model(model, "IRREDUCE").create_infer_request();
    std::vector<int64_t> matrix(12), right{0 + 2 + 4, 6 + 8 + 10};
    std::iota(matrix.begin(), matrix.end(), 0);
    std::vector<int32_t> axes{1, 99, 0, 99};
    // OpenVINO wants the last stride dense; so a dimension of 1 is the last.
    Tensor wide(element::i64, Shape{2, 3}, matrix.data(), Strides{48, 8});
    Tensor one_axis(element::i32, Shape{1}, axes.data());
    request.set_tensor(model->input("x"), wide); // a port of the model as it was
    request.set_tensor("axes", one_axis);
    request.infer();
    REQUIRE(values(request.get_tensor("y")) == std::vector<int64_t>{0 + 1 + 2, 6 + 7 + 8});
    axes[0] = 0; // the same tensors, other values
    request.infer();
    REQUIRE(values(request.get_tensor("y")) == std::vector<int64_t>{6, 8, 10});
    axes[0] = 5;
    throws<Exception>("axis 5 is outside [-2, 1]", [&] { request.infer(); });
    axes[0] = -1;
    request.infer();
    REQUIRE(values(request.get_tensor("y")) == std::vector<int64_t>{3, 21});
}

static std::shared_ptr<Model> static_sum() {
    auto x = std::make_shared<opset8::Parameter>(element::i64, Shape{2, 3});
    auto axes = opset8::Constant::create(element::i64, {1}, {1});
    auto sum = std::make_shared<opset8::ReduceSum>(x, axes, false);
    return std::make_shared<Model>(OutputVector{sum}, ParameterVector{x}, "sum");
}

static void memory(Core &core) {
    InferRequest request = core.compile_model(static_sum(), "IRREDUCE").create_infer_request();
    const std::vector<int64_t> fixed{1, 2, 3, 4, 5, int64_t(1) << 53};
#if OPENVINO_VERSION_MAJOR >= 2026
    request.set_input_tensor(Tensor(element::i64, Shape{2, 3}, fixed.data()));
    Tensor read_only(element::i64, Shape{2}, static_cast<const void *>(fixed.data()));
    request.infer();
    REQUIRE(values(request.get_output_tensor()) == std::vector<int64_t>{6, 9 + fixed[5]});
    request.set_output_tensor(read_only);
    throws<Exception>("", [&] { request.infer(); });
#endif
    Tensor wrong_type(element::f64, Shape{2, 3}), wrong_shape(element::i64, Shape{3, 3});
    throws<Exception>("f64", [&] { request.set_input_tensor(wrong_type); });
    throws<Exception>("", [&] { request.set_input_tensor(wrong_shape); });
    throws<Exception>("", [&] { request.set_input_tensor(7, wrong_shape); });
    throws<Exception>("", [&] { request.get_tensor("no such name"); });
}

static void errors(Core &core) {
    CompiledModel compiled = core.compile_model(static_sum(), "IRREDUCE");
    std::stringstream stream;
    throws<Exception>("does not export", [&] { compiled.export_model(stream); });
    throws<Exception>("no exported models", [&] { core.import_model(stream, "IRREDUCE"); });
    auto x = std::make_shared<opset8::Parameter>(element::f32, Shape{2});
    auto model = std::make_shared<Model>(OutputVector{std::make_shared<opset8::Relu>(x)},
                                         ParameterVector{x}, "relu");
    throws<Exception>("(Relu)", [&] { core.compile_model(model, "IRREDUCE"); });
    REQUIRE(core.query_model(model, "IRREDUCE").empty());
}

static void properties(Core &core) {
    core.set_property("IRREDUCE", {inference_num_threads(1), enable_profiling(true)});
    REQUIRE(core.get_property("IRREDUCE", inference_num_threads) == 1);
    CompiledModel compiled = core.compile_model(
        static_sum(), "IRREDUCE", hint::execution_mode(hint::ExecutionMode::ACCURACY));
    REQUIRE(compiled.get_property(hint::execution_mode) == hint::ExecutionMode::ACCURACY);
    REQUIRE(compiled.get_property(optimal_number_of_infer_requests) >= 1);
    REQUIRE(compiled.get_property(model_name) == "sum");
    REQUIRE(compiled.get_property(enable_profiling));
}

// A callback that owns its request, and lets go of it in the end.
static void ends_itself(Core &core) {
    for (int turn = 0; turn < 200; turn++) {
        auto done = std::make_shared<std::promise<int64_t>>();
        std::future<int64_t> answer = done->get_future();
        auto request = std::make_shared<InferRequest>(
            core.compile_model(static_sum(), "IRREDUCE").create_infer_request());
        std::fill_n(request->get_input_tensor().data<int64_t>(), 6, turn);
        request->set_callback([request, done](std::exception_ptr) mutable {
            auto value = request->get_output_tensor().data<int64_t>()[1];
            request->set_callback([](std::exception_ptr) {});
            done->set_value(value);
        });
        request->start_async();
        REQUIRE(answer.get() == 3 * turn);
        request->wait();
    }
}

static void requests_side_by_side(Core &core) {
    CompiledModel compiled = core.compile_model(static_sum(), "IRREDUCE");
    std::vector<InferRequest> requests;
    for (int k = 0; k < 16; k++) requests.push_back(compiled.create_infer_request());
    for (int turn = 0; turn < 100; turn++) {
        for (int k = 0; k < 16; k++) {
            std::fill_n(requests[k].get_input_tensor().data<int64_t>(), 6, turn * k);
            requests[k].start_async();
        }
        for (int k = 0; k < 16; k++) {
            requests[k].wait();
            REQUIRE(requests[k].get_output_tensor().data<int64_t>()[0] == 3 * turn * k);
        }
    }
}

int main(int, char **argv) {
    Core core;
    core.register_plugin(argv[1], "IRREDUCE");
    std::cout << core.get_versions("IRREDUCE").at("IRREDUCE").description << "\n";
    for (auto part : {strides, memory, errors, ends_itself, requests_side_by_side, properties})
        part(core);
}
