// The extension's operation: one class for the nine reductions, run by irreduce's kernels wherever
// OpenVINO calls evaluate. Lives here: shape, evaluate and the requests that it uses. May not:
// files, frontends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate.hpp"

#include <array>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <openvino/op/constant.hpp>
#include <tuple>

namespace irreduce {

// "IrreduceReduceSum" of version "irreduce". Not the standard operation's name: OpenVINO's CPU
// device would take such a node for its own.
inline const ov::DiscreteTypeInfo &reduction_type(irr_op_e op) {
    static std::array<std::string, IRR_OP_COUNT> names;
    static const auto types = [] {
        std::array<ov::DiscreteTypeInfo, IRR_OP_COUNT> made;
        for (unsigned k = 0; k < IRR_OP_COUNT; k++) {
            names[k] = std::string(extension_prefix) + irr_op_info(irr_op_e(k))->type;
            made[k] = ov::DiscreteTypeInfo(names[k].c_str(), extension_version,
                                           &ov::op::Op::get_type_info_static());
            made[k].hash();
        }
        return made;
    }();
    return types[op];
}

// How many threads work for the caller's stream, as INFERENCE_NUM_THREADS and NUM_STREAMS have set
// it: tbb::this_task_arena::max_concurrency() of the TBB in OpenVINO's wheel, which has no headers
// of it. 0, which is all, in an OpenVINO without that TBB.
inline int stream_threads() {
    const char *name = "_ZN3tbb6detail2r115max_concurrencyEPKNS0_2d115task_arena_baseE";
    auto ask = reinterpret_cast<int (*)(const void *)>(dlsym(RTLD_DEFAULT, name));
    return ask ? ask(nullptr) : 0;
}

// What a request is made for: types of data and axes, ranks of data, axes and output. Shapes and
// the axes themselves come with each call.
using Signature = std::tuple<irr_element_type_e, irr_element_type_e, uint32_t, uint32_t, uint32_t>;

using Request = std::shared_ptr<irr_plugin_request_t>;

// Never released: nodes may live as long as the process.
inline irr_plugin_engine_t *engine() {
    static const Engine *made = new Engine(make_engine());
    return made->get();
}

inline Request make_request(const char *type, bool keep_dims, const Signature &signature) {
    const auto &[data_type, axes_type, rank, axes_rank, output_rank] = signature;
    std::array<int64_t, IRR_MAX_RANK> unknown;
    unknown.fill(IRR_DYNAMIC_DIM);
    const irr_graph_value_t values[] = {
        {data_type, rank, unknown.data(), nullptr, false},
        {axes_type, axes_rank, unknown.data(), nullptr, false},
        {data_type, output_rank, unknown.data(), nullptr, false},
    };
    const irr_graph_layer_t layer = {
        "0", "", type, 0, 1, 2, keep_dims, IRR_EMPTY_AXES_IDENTITY, IRR_DUPLICATE_AXES_ERROR};
    const uint32_t inputs[] = {0, 1}, output = 2;
    const irr_graph_t graph = {sizeof graph, "", values, 3, &layer, 1, inputs, 2, &output, 1};
    const std::string threads = std::to_string(stream_threads());
    const irr_property_t property = {"INFERENCE_NUM_THREADS", threads.c_str()};
    auto compiled =
        make(engine()->release_compiled, engine()->compile, engine(), &graph, &property, 1);
    return make(engine()->release_request, engine()->create_request, compiled.get());
}

class Reduction : public ov::op::Op {
  public:
    Reduction(irr_op_e op, const ov::OutputVector &inputs, bool keep_dims)
        : Op(inputs), op(op), keep(keep_dims) {
        constructor_validate_and_infer_types();
    }

    const ov::DiscreteTypeInfo &get_type_info() const override { return reduction_type(op); }

    bool visit_attributes(ov::AttributeVisitor &visitor) override {
        visitor.on_attribute("keep_dims", keep);
        return true;
    }

    std::shared_ptr<ov::Node> clone_with_new_inputs(const ov::OutputVector &inputs) const override {
        check_new_args_count(this, inputs);
        return std::make_shared<Reduction>(op, inputs, keep);
    }

    void validate_and_infer_types() override {
        NODE_VALIDATION_CHECK(this, get_input_size() == 2, "inputs are data and axes, found ",
                              get_input_size());
        const auto &data = get_input_element_type(0), &axes = get_input_element_type(1);
        const ov::PartialShape &axes_shape = get_input_partial_shape(1);
        NODE_VALIDATION_CHECK(this, data.is_dynamic() || irr_op_takes(op, data_type(data)),
                              irr_op_info(op)->type, " does not take ", data);
        NODE_VALIDATION_CHECK(this, axes.is_dynamic() || irr_is_integer(element_type(axes)),
                              "axes are integers, found ", axes);
        NODE_VALIDATION_CHECK(this, axes_shape.rank().get_min_length() <= 1,
                              "axes are a scalar or a list, found ", axes_shape);
        set_output_type(0, data, output_shape());
    }

    bool has_evaluate() const override { return true; }

    // Devices call this one, with dense tensors; asking each of them for its strides would cost a
    // third of a tiny call.
    bool evaluate(ov::TensorVector &outputs, const ov::TensorVector &inputs) const override {
        return run(outputs, inputs, false);
    }

    // ov::Model::evaluate calls this one, with whatever tensors it was given.
    bool evaluate(ov::TensorVector &outputs, const ov::TensorVector &inputs,
                  const ov::EvaluationContext &) const override {
        return run(outputs, inputs, true);
    }

  private:
    // The CPU device hands boolean data over as u8.
    irr_element_type_e data_type(const ov::element::Type &type) const {
        bool is_truth = type == ov::element::u8 && !irr_op_info(op)->takes_numeric;
        return is_truth ? IRR_BOOLEAN : element_type(type);
    }

    using Dims = std::array<int64_t, IRR_MAX_RANK>;
    // out: which of `from`, one for each of the data's dims, the result has. Gives its rank.
    uint32_t reduce(const void *axes, irr_element_type_e type, size_t count, const int64_t *dims,
                    uint32_t rank, const int64_t *from, Dims &out) const {
        uint64_t mask = 0;
        call(irr_axes_mask, axes, type, count, dims, rank, IRR_DUPLICATE_AXES_ERROR,
             IRR_EMPTY_AXES_IDENTITY, &mask);
        irr_reduced_shape(from, rank, mask, keep, out.data(), &rank);
        return rank;
    }

    ov::PartialShape output_shape() const {
        const ov::PartialShape &data = get_input_partial_shape(0),
                               &axes = get_input_partial_shape(1);
        if (data.rank().is_dynamic()) return ov::PartialShape::dynamic();
        auto rank = static_cast<uint32_t>(data.size());
        NODE_VALIDATION_CHECK(this, rank <= IRR_MAX_RANK, "rank ", rank, "; at most ",
                              IRR_MAX_RANK);
        auto known = ov::as_type_ptr<ov::op::v0::Constant>(get_input_node_shared_ptr(1));
        if (!known) {
            if (keep) return ov::PartialShape::dynamic(rank);
            if (axes.is_dynamic()) return ov::PartialShape::dynamic();
            auto count = static_cast<int64_t>(ov::shape_size(axes.get_shape()));
            NODE_VALIDATION_CHECK(this, count <= rank, count, " axes of data ", data);
            return ov::PartialShape::dynamic(rank - count);
        }
        // Bounds of dynamic dimensions pass through the one rule as their places, from 2 on.
        Dims dims, places, kept;
        for (uint32_t d = 0; d < rank; d++) {
            dims[d] = data[d].is_static() ? data[d].get_length() : IRR_DYNAMIC_DIM;
            places[d] = d + 2;
        }
        rank = reduce(known->get_data_ptr(), element_type(known->get_element_type()),
                      ov::shape_size(known->get_shape()), dims.data(), rank, places.data(), kept);
        auto out = ov::PartialShape::dynamic(rank);
        for (uint32_t d = 0; d < rank; d++)
            out[d] = kept[d] == 1 ? ov::Dimension(1) : data[kept[d] - 2];
        return out;
    }

    bool run(ov::TensorVector &outputs, const ov::TensorVector &inputs, bool may_be_strided) const {
        ov::Strides strides[2];
        auto view = [&](const ov::Tensor &tensor, ov::Strides &strides) {
            return view_of(tensor, tensor.get_shape(), may_be_strided ? &strides : nullptr);
        };
        irr_tensor_view_t views[] = {view(inputs[0], strides[0]), view(inputs[1], strides[1])};
        auto &[data, axes] = views;
        if (axes.byte_strides) OPENVINO_THROW("axes with strides; they are dense");
        Dims dims;
        uint32_t rank = reduce(axes.data, axes.element_type, axes.rank ? axes.dims[0] : 1,
                               data.dims, data.rank, data.dims, dims);
        const ov::Shape &found = outputs[0].get_shape();
        if (!std::equal(found.begin(), found.end(), dims.begin(), dims.begin() + rank))
            outputs[0].set_shape(ov::Shape(dims.begin(), dims.begin() + rank));
        irr_tensor_view_t output = view(outputs[0], strides[1]);
        data.element_type = output.element_type = data_type(inputs[0].get_element_type());
        auto request = take({data.element_type, axes.element_type, data.rank, axes.rank, rank});
        call(engine()->infer, request.mapped().get(), views, &output, nullptr);
        std::lock_guard<std::mutex> lock(mutex);
        idle.insert(std::move(request));
        return true;
    }

    // OpenVINO's streams share a node: a thread takes a request that no other one has.
    using Requests = std::multimap<Signature, Request>;
    Requests::node_type take(const Signature &signature) const {
        std::lock_guard<std::mutex> lock(mutex);
        auto found = idle.find(signature);
        if (found == idle.end())
            found = idle.emplace(signature, make_request(irr_op_info(op)->type, keep, signature));
        return idle.extract(found);
    }

    irr_op_e op;
    bool keep = false;
    mutable std::mutex mutex;
    mutable Requests idle;
};

} // namespace irreduce
