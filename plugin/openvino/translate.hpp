// What both doors say to the engine, in its words: calls over the wall and their errors, types,
// tensors, properties, and the name of a reduction. May not: rules of a reduction, arithmetic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../door.h"

#include <cstring>
#include <irreduce/plugin.h>
#include <list>
#include <openvino/openvino.hpp>

extern "C" {
#include "base/element_type.h"
#include "base/op.h"
#include "base/shape.h"
}

namespace irreduce {

// Throws a sentence that names both versions, unless the running OpenVINO is the one of the build.
inline void check_openvino() {
    const char *found = ov::get_openvino_version().buildNumber;
    if (std::strcmp(found, IRREDUCE_OPENVINO_BUILD) != 0)
        OPENVINO_THROW("irreduce was built for OpenVINO ", IRREDUCE_OPENVINO_BUILD,
                       ", this is OpenVINO ", found, ": build it against this one");
}

// ---- calls over the wall ----

// A call that fails is thrown with its sentence, as ov::Exception (not implemented:
// ov::NotImplemented). Gives IRR_OK, or one of the failures that the caller takes for an answer.
template <irr_status_e... answers, class Function, class... Arguments>
irr_status_e call(Function function, Arguments... arguments) {
    char text[1024];
    *text = '\0';
    irr_status_e status = function(arguments..., irr_sentence_t{text, sizeof text});
    if (status == IRR_OK || (... || (status == answers))) return status;
    if (status == IRR_NOT_IMPLEMENTED) OPENVINO_THROW_NOT_IMPLEMENTED(text);
    OPENVINO_THROW(text);
}

// What an engine makes, released with its last owner.
template <class Made, class Function, class... Arguments>
std::shared_ptr<Made> make(void (*release)(Made *), Function create, Arguments... arguments) {
    Made *made = nullptr;
    call(create, arguments..., &made);
    return {made, release};
}

using Engine = std::shared_ptr<irr_plugin_engine_t>;

inline Engine make_engine() {
    irr_plugin_engine_t *engine = nullptr;
    call(irr_create_plugin_engine, IRR_PLUGIN_ABI, &engine);
    return {engine, engine->release};
}

// Keys and values as the wall takes them; the keys are the map's.
class PropertyTexts : public std::vector<irr_property_t> {
  public:
    explicit PropertyTexts(const ov::AnyMap &properties) {
        for (const auto &[key, value] : properties)
            push_back({key.c_str(), m_values.emplace_back(value.as<std::string>()).c_str()});
    }

  private:
    std::list<std::string> m_values; // they stay where they are
};

// ---- types and tensors ----

using ov::element::Type_t;
static_assert(int(Type_t::dynamic) == IRR_DYNAMIC && int(Type_t::boolean) == IRR_BOOLEAN &&
              int(Type_t::bf16) == IRR_BF16 && int(Type_t::f64) == IRR_F64 &&
              int(Type_t::i64) == IRR_I64 && int(Type_t::u8) == IRR_U8 &&
              int(Type_t::u64) == IRR_U64 && int(Type_t::f8e8m0) == IRR_F8E8M0);

// IRR_DYNAMIC for a type that plugin.h has no number for.
inline irr_element_type_e element_type(const ov::element::Type &type) {
    int number = int(Type_t(type));
    return number <= IRR_F8E8M0 ? irr_element_type_e(number) : IRR_DYNAMIC;
}

// The memory of a tensor that is only read. The wall has one view for both directions.
inline void *data_of(const ov::Tensor &tensor) {
    OPENVINO_SUPPRESS_DEPRECATED_START // before 2026 it gives a void *
        return const_cast<void *>(static_cast<const void *>(tensor.data()));
    OPENVINO_SUPPRESS_DEPRECATED_END
}

// A tensor as the wall takes it, with the numbers of shape and strides: signed and unsigned ones of
// one width may stand in for each other. Without strides: it is known to be dense.
inline irr_tensor_view_t view_of(const ov::Tensor &tensor, const ov::Shape &shape,
                                 ov::Strides *strides) {
    irr_tensor_view_t view = {data_of(tensor), element_type(tensor.get_element_type()),
                              uint32_t(shape.size()),
                              reinterpret_cast<const int64_t *>(shape.data()), nullptr};
    if (!strides || tensor.is_continuous()) return view;
    *strides = tensor.get_strides();
    view.byte_strides = reinterpret_cast<const int64_t *>(strides->data());
    return view;
}

// ---- the name of a reduction ----

// Operations of the extension: this version, and the standard operation's name behind this prefix.
// Attribute keep_dims, inputs data and axes, as the standard one has them.
inline constexpr const char *extension_version = "irreduce";
inline constexpr const char *extension_prefix = "Irreduce";

// The IR's word of a reduction, the extension's types included ("IrreduceReduceSum" is
// "ReduceSum"); any other node's own type name.
inline const char *layer_type(const ov::Node &node) {
    const char *name = node.get_type_info().name;
    const size_t length = std::strlen(extension_prefix);
    return std::strncmp(name, extension_prefix, length) == 0 ? name + length : name;
}

} // namespace irreduce
