// SPDX-License-Identifier: Apache-2.0
#include "translate.hpp"

#include <cstring>
#include <openvino/core/attribute_visitor.hpp>
#include <openvino/core/except.hpp>
#include <openvino/core/version.hpp>

namespace irreduce {

using ov::element::Type_t;
#define SAME(theirs, ours) static_assert(static_cast<int>(Type_t::theirs) == ours)
SAME(dynamic, IRR_DYNAMIC);
SAME(boolean, IRR_BOOLEAN);
SAME(bf16, IRR_BF16);
SAME(f64, IRR_F64);
SAME(i64, IRR_I64);
SAME(u8, IRR_U8);
SAME(u64, IRR_U64);
SAME(f8e8m0, IRR_F8E8M0);
#undef SAME

irr_element_type_e element_type(const ov::element::Type &type) {
    auto number = static_cast<int>(static_cast<Type_t>(type));
    return number <= IRR_F8E8M0 ? static_cast<irr_element_type_e>(number) : IRR_DYNAMIC;
}

const char *layer_type(const ov::Node &node) {
    const auto &info = node.get_type_info();
    bool ours = info.version_id && std::strcmp(info.version_id, extension_version) == 0 &&
                std::strncmp(info.name, extension_prefix, std::strlen(extension_prefix)) == 0;
    return ours ? info.name + std::strlen(extension_prefix) : info.name;
}

namespace {
class KeepDims : public ov::AttributeVisitor {
  public:
    using ov::AttributeVisitor::on_adapter;
    void on_adapter(const std::string &, ov::ValueAccessor<void> &) override {}
    void on_adapter(const std::string &name, ov::ValueAccessor<bool> &adapter) override {
        if (name == "keep_dims") value = adapter.get();
    }
    bool value = false;
};
} // namespace

bool keep_dims(const ov::Node &node) {
    KeepDims visitor;
    const_cast<ov::Node &>(node).visit_attributes(visitor); // it reads
    return visitor.value;
}

void check(irr_status_e status, const Sentence &sentence) {
    if (status == IRR_NOT_IMPLEMENTED) OPENVINO_THROW_NOT_IMPLEMENTED(sentence.text);
    if (status != IRR_OK) OPENVINO_THROW(sentence.text);
}

const void *data_of(const ov::Tensor &tensor) {
    OPENVINO_SUPPRESS_DEPRECATED_START // before 2026 it gives a void *
        return tensor.data();
    OPENVINO_SUPPRESS_DEPRECATED_END
}

TensorView::TensorView(const ov::Tensor &tensor) {
    const ov::Shape &shape = tensor.get_shape();
    dims.assign(shape.begin(), shape.end());
    // The wall has one view for both directions; nothing writes through an input's.
    view = {const_cast<void *>(data_of(tensor)), element_type(tensor.get_element_type()),
            static_cast<uint32_t>(dims.size()), dims.data(), nullptr};
    if (tensor.is_continuous()) return;
    const ov::Strides steps = tensor.get_strides();
    strides.assign(steps.begin(), steps.end());
    view.byte_strides = strides.data();
}

void check_openvino() {
    const char *found = ov::get_openvino_version().buildNumber;
    if (std::strcmp(found, IRREDUCE_OPENVINO_BUILD) != 0)
        OPENVINO_THROW("irreduce was built for OpenVINO " IRREDUCE_OPENVINO_BUILD
                       ", this is OpenVINO ",
                       found, ": build it against this one");
}

} // namespace irreduce
