// The extension's entry: what makes OpenVINO's readers of IR and ONNX build our operations instead
// of the standard ones. Lives here: registration and the conversion from ONNX.
// SPDX-License-Identifier: Apache-2.0
#include "reduction.hpp"

#include <openvino/core/op_extension.hpp>
#include <openvino/frontend/onnx/extension/conversion.hpp>
#include <openvino/opsets/opset4.hpp>

IRR_DOOR("openvino-extension", "openvino", IRREDUCE_OPENVINO_VERSION);

namespace irreduce {

// A reader that finds `type` in a file makes our operation. The type may be a standard one: the
// object tells that, what it creates does not.
class Reader : public ov::BaseOpExtension {
  public:
    Reader(irr_op_e op, const char *name, std::string version)
        : op(op), version(std::move(version)), type(name, this->version.c_str()) {}
    const ov::DiscreteTypeInfo &get_type_info() const override { return type; }
    ov::OutputVector create(const ov::OutputVector &inputs,
                            ov::AttributeVisitor &visitor) const override {
        bool keep = false;
        visitor.on_attribute("keep_dims", keep);
        return std::make_shared<Reduction>(op, inputs, keep)->outputs();
    }
    std::vector<ov::Extension::Ptr> get_attached_extensions() const override { return {}; }

  private:
    irr_op_e op;
    std::string version;
    ov::DiscreteTypeInfo type;
};

// ---- ONNX ----

using namespace ov::opset4;
using Value = ov::Output<ov::Node>;

static Value integers(const std::vector<int64_t> &values) {
    return Constant::create(ov::element::i64, {values.size()}, values);
}

static Value all_axes(const Value &data) {
    auto number = [](int64_t n) { return Constant::create(ov::element::i64, {}, {n}); };
    auto shape = std::make_shared<ShapeOf>(data);
    auto rank = std::make_shared<Squeeze>(std::make_shared<ShapeOf>(shape));
    return std::make_shared<Range>(number(0), rank, number(1), ov::element::i64);
}

// Axes as the second input (the later operator versions) or as an attribute; a list without
// elements where there are none.
static Value axes_of(const ov::frontend::NodeContext &node) {
    // An input that is left out has a node of the frontend's own.
    bool given = node.get_input_size() > 1 &&
                 std::strcmp(node.get_input(1).get_node()->get_type_name(), "NullNode") != 0;
    return given ? node.get_input(1)
                 : integers(node.get_attribute<std::vector<int64_t>>("axes", {}));
}

static ov::OutputVector convert(irr_op_e op, const ov::frontend::NodeContext &node) {
    Value data = node.get_input(0), axes = axes_of(node);
    bool keep = node.get_attribute<int64_t>("keepdims", 1) != 0;
    FRONT_END_OP_CONVERSION_CHECK(axes.get_partial_shape().is_static(), irr_op_info(op)->type,
                                  ": the number of its axes is not known");
    if (data.get_element_type() == ov::element::boolean) // from operator version 20 on
        op = op == IRR_OP_MIN ? IRR_OP_AND : op == IRR_OP_MAX ? IRR_OP_OR : op;
    if (ov::shape_size(axes.get_shape()) == 0) {
        // No axes are all of them, or, with the attribute, each element is a set of its own: that
        // is reduced over a dimension of 1 behind the others.
        if (node.get_attribute<int64_t>("noop_with_empty_axes", 0) != 0 ||
            data.get_partial_shape().rank() == 0) {
            axes = integers({-1});
            data = std::make_shared<Unsqueeze>(data, axes);
            keep = false;
        } else {
            axes = all_axes(data);
        }
    }
    return {std::make_shared<Reduction>(op, ov::OutputVector{data, axes}, keep)};
}

} // namespace irreduce

extern "C" IRR_API void create_extensions(std::vector<ov::Extension::Ptr> &extensions) {
    using namespace irreduce;
    check_openvino();
    for (unsigned k = 0; k < IRR_OP_COUNT; k++) {
        auto op = irr_op_e(k);
        const irr_op_info_t *info = irr_op_info(op);
        for (int opset = info->first_opset; opset <= IRR_NEWEST_OPSET; opset++)
            extensions.push_back(
                std::make_shared<Reader>(op, info->type, "opset" + std::to_string(opset)));
        extensions.push_back(
            std::make_shared<Reader>(op, reduction_type(op).name, extension_version));
        if (info->takes_numeric)
            extensions.push_back(std::make_shared<ov::frontend::onnx::ConversionExtension>(
                info->type,
                [op](const ov::frontend::NodeContext &node) { return convert(op, node); }));
    }
}
