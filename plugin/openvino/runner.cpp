// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include "translate.hpp"

#include <array>
#include <dlfcn.h>
#include <string>
#include <utility>

namespace irreduce {

namespace {
// How many threads work for the caller's stream, as INFERENCE_NUM_THREADS and NUM_STREAMS have set
// it: tbb::this_task_arena::max_concurrency() of the TBB in OpenVINO's wheel, which has no headers
// of it. 0 in an OpenVINO without that TBB.
int stream_threads() {
    const char *name = "_ZN3tbb6detail2r115max_concurrencyEPKNS0_2d115task_arena_baseE";
    auto ask = reinterpret_cast<int (*)(const void *)>(dlsym(RTLD_DEFAULT, name));
    return ask ? ask(nullptr) : 0;
}
} // namespace

bool Signature::operator==(const Signature &other) const {
    return data_type == other.data_type && rank == other.rank && axes_type == other.axes_type &&
           axes_rank == other.axes_rank && output_rank == other.output_rank &&
           keep_dims == other.keep_dims && type == other.type;
}

Runner::Runner(const Signature &of) : signature(of) {
    std::array<int64_t, IRR_MAX_RANK> unknown;
    unknown.fill(IRR_DYNAMIC_DIM);
    const irr_graph_value_t values[] = {
        {of.data_type, of.rank, unknown.data(), nullptr, false},
        {of.axes_type, of.axes_rank, unknown.data(), nullptr, false},
        {of.data_type, of.output_rank, unknown.data(), nullptr, false},
    };
    const irr_graph_layer_t layer = {
        "0", "", of.type, 0, 1, 2, of.keep_dims, IRR_EMPTY_AXES_IDENTITY, IRR_DUPLICATE_AXES_ERROR};
    const uint32_t inputs[] = {0, 1}, output = 2;
    const irr_graph_t graph = {sizeof graph, "", values, 3, &layer, 1, inputs, 2, &output, 1};
    Sentence sentence;
    check(irr_create_plugin_engine(IRR_PLUGIN_ABI, &engine, sentence), sentence);
    const int threads = stream_threads();
    const std::string number = std::to_string(threads);
    const irr_property_t property = {"INFERENCE_NUM_THREADS", number.c_str()};
    const size_t count = threads > 0 ? 1 : 0;
    irr_status_e status = engine->compile(engine, &graph, &property, count, &compiled, sentence);
    if (status != IRR_OK) engine->release(engine);
    check(status, sentence);
}

Runner::~Runner() {
    engine->release_request(spare.load());
    for (auto *request : others) engine->release_request(request);
    engine->release_compiled(compiled);
    engine->release(engine);
}

irr_plugin_request_t *Runner::borrow() {
    auto *request = spare.exchange(nullptr);
    if (request) return request;
    {
        std::lock_guard<std::mutex> lock(mutex);
        if (!others.empty()) {
            request = others.back();
            others.pop_back();
            return request;
        }
    }
    Sentence sentence;
    check(engine->create_request(compiled, &request, sentence), sentence);
    return request;
}

void Runner::give_back(irr_plugin_request_t *request) {
    request = spare.exchange(request);
    if (!request) return;
    std::lock_guard<std::mutex> lock(mutex);
    others.push_back(request);
}

void Runner::infer(const irr_tensor_view_t *inputs, const irr_tensor_view_t *output) {
    auto *request = borrow();
    Sentence sentence;
    irr_status_e status = engine->infer(request, inputs, output, nullptr, sentence);
    give_back(request);
    check(status, sentence);
}

Runners::~Runners() {
    for (Runner *runner = first.load(); runner;) delete std::exchange(runner, runner->next);
}

Runner &Runners::of(const Signature &signature) const {
    for (Runner *runner = first.load(std::memory_order_acquire); runner; runner = runner->next)
        if (runner->signature == signature) return *runner;
    std::lock_guard<std::mutex> lock(mutex);
    for (Runner *runner = first.load(); runner; runner = runner->next)
        if (runner->signature == signature) return *runner;
    auto *made = new Runner(signature);
    made->next = first.load();
    first.store(made, std::memory_order_release);
    return *made;
}

} // namespace irreduce
