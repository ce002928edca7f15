// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include <openvino/op/constant.hpp>
#include <openvino/op/parameter.hpp>
#include <openvino/op/result.hpp>
#include <openvino/pass/constant_folding.hpp>

namespace irreduce {

bool is_source(const ov::Node &node) {
    return ov::is_type<ov::op::v0::Parameter>(&node) || ov::is_type<ov::op::v0::Constant>(&node);
}

bool is_result(const ov::Node &node) { return ov::is_type<ov::op::v0::Result>(&node); }

static bool is_reduction(const ov::Node &node) {
    return std::string(layer_type(node)).rfind("Reduce", 0) == 0;
}

bool computes_axes(const ov::Node &node) {
    if (!is_reduction(node)) return false;
    for (const auto &input : node.output(0).get_target_inputs())
        if (input.get_index() == 1 && is_reduction(*input.get_node())) return true;
    return false;
}

std::shared_ptr<ov::Model> folded(const std::shared_ptr<const ov::Model> &model) {
    std::shared_ptr<ov::Model> own = model->clone();
    for (const auto &node : own->get_ops())
        if (is_reduction(*node)) ov::pass::disable_constant_folding(node);
    ov::pass::ConstantFolding().run_on_model(own);
    return own;
}

static std::vector<int64_t> dims_of(const ov::PartialShape &shape) {
    std::vector<int64_t> dims;
    if (shape.rank().is_dynamic()) return dims;
    for (const ov::Dimension &dim : shape)
        dims.push_back(dim.is_static() ? dim.get_length() : IRR_DYNAMIC_DIM);
    return dims;
}

// Nodes come in an order of execution, so a source is known before it is asked for.
uint32_t Graph::value_of(const ov::Output<const ov::Node> &output) {
    auto [at, is_new] = m_values_by_output.try_emplace(output, m_values.size());
    if (!is_new) return at->second;
    const ov::PartialShape &shape = output.get_partial_shape();
    auto constant = dynamic_cast<const ov::op::v0::Constant *>(output.get_node());
    m_dims.push_back(dims_of(shape));
    irr_graph_value_t value = {};
    value.element_type = element_type(output.get_element_type());
    value.rank =
        shape.rank().is_dynamic() ? IRR_DYNAMIC_RANK : static_cast<uint32_t>(m_dims.back().size());
    value.dims = m_dims.back().data();
    value.constant = constant ? constant->get_data_ptr() : nullptr;
    value.is_constant = constant;
    m_values.push_back(value);
    return at->second;
}

// A reduction is data, axes and one output; what has these is described so, the rest has none.
void Graph::add_layer(const ov::Node &node) {
    bool shaped = node.get_input_size() == 2 && node.get_output_size() == 1;
    irr_graph_layer_t layer = {};
    layer.id = node.get_name().c_str();
    layer.name = node.get_friendly_name().c_str();
    layer.type = layer_type(node);
    layer.data = shaped ? value_of(node.input_value(0)) : IRR_NO_VALUE;
    layer.axes = shaped ? value_of(node.input_value(1)) : IRR_NO_VALUE;
    layer.output = shaped ? value_of(node.output(0)) : IRR_NO_VALUE;
    layer.keep_dims = shaped && keep_dims(node);
    m_layers.push_back(layer);
    m_nodes.push_back(&node);
}

Graph::Graph(std::shared_ptr<const ov::Model> model, Foreign foreign) : m_model(std::move(model)) {
    for (const auto &parameter : m_model->get_parameters())
        m_inputs.push_back(value_of(parameter->output(0)));
    for (const auto &node : m_model->get_ordered_ops()) {
        if (is_source(*node) || is_result(*node)) continue;
        add_layer(*node);
        if (foreign == Foreign::inside || (is_reduction(*node) && !computes_axes(*node))) continue;
        for (const auto &output : node->outputs()) m_inputs.push_back(value_of(output));
    }
    for (const auto &result : m_model->get_results())
        m_outputs.push_back(value_of(result->input_value(0)));
    m_view = {};
    m_view.size_bytes = sizeof m_view;
    m_view.name = m_model->get_friendly_name().c_str();
    m_view.values = m_values.data();
    m_view.value_count = static_cast<uint32_t>(m_values.size());
    m_view.layers = m_layers.data();
    m_view.layer_count = static_cast<uint32_t>(m_layers.size());
    m_view.inputs = m_inputs.data();
    m_view.input_count = static_cast<uint32_t>(m_inputs.size());
    m_view.outputs = m_outputs.data();
    m_view.output_count = static_cast<uint32_t>(m_outputs.size());
}

} // namespace irreduce
