// OpenVINO's types as those of plugin.h, for both doors: element types, shapes, tensors, errors,
// and the name of a reduction. May not: rules of a reduction, arithmetic. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <irreduce/plugin.h>

#include <openvino/core/node.hpp>
#include <openvino/runtime/tensor.hpp>
#include <string>
#include <vector>

namespace irreduce {

// Operations of the extension: this version, and the standard operation's name behind this prefix.
// Attribute keep_dims, inputs data and axes, as the standard one has them.
inline constexpr const char *extension_version = "irreduce";
inline constexpr const char *extension_prefix = "Irreduce";

// IRR_DYNAMIC for a type that plugin.h has no number for.
irr_element_type_e element_type(const ov::element::Type &type);

// The IR's word of a reduction, the extension's types included ("IrreduceReduceSum" is
// "ReduceSum"); any other node's own type name.
const char *layer_type(const ov::Node &node);
// false where the node has no attribute of that name.
bool keep_dims(const ov::Node &node);

// A sentence of the device; thrown as ov::Exception (not implemented: ov::NotImplemented).
struct Sentence {
    char text[1024];
    Sentence() { *text = '\0'; }
    operator irr_sentence_t() { return {text, sizeof text}; }
};
void check(irr_status_e status, const Sentence &sentence);

// The memory of a tensor that is only read.
const void *data_of(const ov::Tensor &tensor);

// A tensor as the wall takes it: as it is now, with the numbers that the view points to.
struct TensorView {
    std::vector<int64_t> dims, strides;
    irr_tensor_view_t view = {};
    TensorView() = default;
    explicit TensorView(const ov::Tensor &tensor);
    TensorView(TensorView &&) = default; // vectors keep their numbers where they are
    TensorView &operator=(TensorView &&) = default;
};

// Throws a sentence that names both versions, unless the running OpenVINO is the one of the build.
void check_openvino();

} // namespace irreduce
