// SPDX-License-Identifier: Apache-2.0
#include "reduction.hpp"

#include "translate.hpp"

#include <array>
#include <openvino/op/constant.hpp>

namespace irreduce {

const ov::DiscreteTypeInfo &reduction_type(irr_op_e op) {
    struct Row {
        std::string name;
        ov::DiscreteTypeInfo info;
    };
    static const auto rows = [] {
        std::array<Row, IRR_OP_COUNT> made;
        for (unsigned k = 0; k < IRR_OP_COUNT; k++) {
            made[k].name = std::string(extension_prefix) + irr_op_info(irr_op_e(k))->type;
            made[k].info = ov::DiscreteTypeInfo(made[k].name.c_str(), extension_version,
                                                &ov::op::Op::get_type_info_static());
            made[k].info.hash();
        }
        return made;
    }();
    return rows[op].info;
}

Reduction::Reduction(irr_op_e op, const ov::Output<ov::Node> &data,
                     const ov::Output<ov::Node> &axes, bool keep_dims)
    : Op({data, axes}), op(op), keep(keep_dims) {
    constructor_validate_and_infer_types();
}

bool Reduction::visit_attributes(ov::AttributeVisitor &visitor) {
    visitor.on_attribute("keep_dims", keep);
    return true;
}

std::shared_ptr<ov::Node> Reduction::clone_with_new_inputs(const ov::OutputVector &inputs) const {
    check_new_args_count(this, inputs);
    return std::make_shared<Reduction>(op, inputs[0], inputs[1], keep);
}

namespace {
// The CPU device hands boolean data over as u8.
irr_element_type_e data_type(irr_op_e op, const ov::element::Type &type) {
    irr_element_type_e found = element_type(type);
    bool logical = !irr_op_info(op)->takes_numeric;
    return logical && found == IRR_U8 ? IRR_BOOLEAN : found;
}

uint64_t mask_of(const void *values, irr_element_type_e type, size_t count, const int64_t *dims,
                 uint32_t rank) {
    Sentence sentence;
    uint64_t mask = 0;
    check(irr_axes_mask(values, type, count, dims, rank, IRR_DUPLICATE_AXES_ERROR,
                        IRR_EMPTY_AXES_IDENTITY, &mask, sentence),
          sentence);
    return mask;
}
} // namespace

void Reduction::validate_and_infer_types() {
    NODE_VALIDATION_CHECK(this, get_input_size() == 2, "inputs are data and axes, found ",
                          get_input_size());
    const auto &data = get_input_element_type(0), &axes = get_input_element_type(1);
    NODE_VALIDATION_CHECK(this, data.is_dynamic() || irr_op_takes(op, data_type(op, data)),
                          irr_op_info(op)->type, " does not take ", data);
    NODE_VALIDATION_CHECK(this, axes.is_dynamic() || irr_is_integer(element_type(axes)),
                          "axes are integers, found ", axes);
    NODE_VALIDATION_CHECK(this,
                          get_input_partial_shape(1).rank().compatible(0) ||
                              get_input_partial_shape(1).rank().compatible(1),
                          "axes are a scalar or a list, found ", get_input_partial_shape(1));
    set_output_type(0, data, output_shape());
}

ov::PartialShape Reduction::output_shape() const {
    const ov::PartialShape &data = get_input_partial_shape(0), &axes = get_input_partial_shape(1);
    if (data.rank().is_dynamic()) return ov::PartialShape::dynamic();
    auto rank = static_cast<uint32_t>(data.size());
    NODE_VALIDATION_CHECK(this, rank <= IRR_MAX_RANK, "rank ", rank, "; at most ", IRR_MAX_RANK);
    auto known = ov::as_type_ptr<ov::op::v0::Constant>(get_input_node_shared_ptr(1));
    if (!known) {
        if (keep) return ov::PartialShape::dynamic(rank);
        if (axes.is_dynamic()) return ov::PartialShape::dynamic();
        auto count = static_cast<int64_t>(ov::shape_size(axes.get_shape()));
        NODE_VALIDATION_CHECK(this, count <= rank, count, " axes of data ", data);
        return ov::PartialShape::dynamic(rank - count);
    }
    // Bounds of dynamic dimensions pass through the one rule as their places, from 2 on.
    std::array<int64_t, IRR_MAX_RANK> dims, places, kept;
    for (uint32_t d = 0; d < rank; d++) {
        dims[d] = data[d].is_static() ? data[d].get_length() : IRR_DYNAMIC_DIM;
        places[d] = d + 2;
    }
    auto mask = mask_of(known->get_data_ptr(), element_type(known->get_element_type()),
                        ov::shape_size(known->get_shape()), dims.data(), rank);
    uint32_t out_rank;
    irr_reduced_shape(places.data(), rank, mask, keep, kept.data(), &out_rank);
    auto out = ov::PartialShape::dynamic(out_rank);
    for (uint32_t d = 0; d < out_rank; d++)
        out[d] = kept[d] == 1 ? ov::Dimension(1) : data[kept[d] - 2];
    return out;
}

namespace {
// A tensor as the wall takes it. Its numbers stay where they are: signed and unsigned ones of one
// width may stand in for each other. Inputs are never written to.
struct View : irr_tensor_view_t {
    View(const ov::Tensor &tensor, irr_element_type_e type, bool may_be_strided)
        : irr_tensor_view_t{const_cast<void *>(data_of(tensor)), type,
                            static_cast<uint32_t>(tensor.get_shape().size()),
                            reinterpret_cast<const int64_t *>(tensor.get_shape().data()), nullptr} {
        if (!may_be_strided || tensor.is_continuous()) return;
        strides = tensor.get_strides();
        byte_strides = reinterpret_cast<const int64_t *>(strides.data());
    }
    ov::Strides strides;
};
} // namespace

// Devices call this one, with dense tensors; asking each of them for its strides would cost a third
// of a tiny call.
bool Reduction::evaluate(ov::TensorVector &outputs, const ov::TensorVector &inputs) const {
    return run(outputs, inputs, false);
}

// ov::Model::evaluate calls this one, with whatever tensors it was given.
bool Reduction::evaluate(ov::TensorVector &outputs, const ov::TensorVector &inputs,
                         const ov::EvaluationContext &) const {
    return run(outputs, inputs, true);
}

bool Reduction::run(ov::TensorVector &outputs, const ov::TensorVector &inputs,
                    bool may_be_strided) const {
    const auto type = data_type(op, inputs[0].get_element_type());
    const View data(inputs[0], type, may_be_strided);
    const View axes(inputs[1], element_type(inputs[1].get_element_type()), may_be_strided);
    if (axes.byte_strides) OPENVINO_THROW("axes with strides; they are dense");
    uint32_t out_rank;
    std::array<int64_t, IRR_MAX_RANK> out;
    size_t count = axes.rank ? axes.dims[0] : 1;
    uint64_t mask = mask_of(axes.data, axes.element_type, count, data.dims, data.rank);
    irr_reduced_shape(data.dims, data.rank, mask, keep, out.data(), &out_rank);
    const ov::Shape &found = outputs[0].get_shape();
    if (found.size() != out_rank || !std::equal(found.begin(), found.end(), out.begin()))
        outputs[0].set_shape(ov::Shape(out.begin(), out.begin() + out_rank));
    const View output(outputs[0], type, may_be_strided);
    const irr_tensor_view_t views[] = {data, axes};
    runners
        .of({irr_op_info(op)->type, keep, type, axes.element_type, data.rank, axes.rank, out_rank})
        .infer(views, &output);
    return true;
}

} // namespace irreduce
