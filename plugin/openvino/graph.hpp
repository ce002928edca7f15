// An ov::Model as the plain graph of plugin.h. Parameters and Constants are values, Results say
// which values are wanted, every other node is a layer, whatever its type: the engine says which it
// takes. May not: rules of a reduction. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "openvino_abi.hpp"
#include "translate.hpp"

#include <map>
#include <openvino/op/constant.hpp>
#include <openvino/pass/constant_folding.hpp>

namespace irreduce {

inline bool is_source(const ov::Node &node) {
    return ov::is_type<ov::op::v0::Parameter>(&node) || ov::is_type<ov::op::v0::Constant>(&node);
}

inline bool is_result(const ov::Node &node) { return ov::is_type<ov::op::v0::Result>(&node); }

inline bool is_reduction(const ov::Node &node) {
    return std::strncmp(layer_type(node), "Reduce", 6) == 0;
}

// Does a reduction compute the axes of another one? No plan can wait for these.
inline bool computes_axes(const ov::Node &node) {
    for (const auto &input : node.output(0).get_target_inputs())
        if (input.get_index() == 1 && is_reduction(*input.get_node())) return true;
    return false;
}

// A copy in which whatever follows from constants and static shapes is a constant: axes that a
// frontend computes. Reductions are left as they are: their arithmetic is ours.
inline ov::ModelPtr folded(const ov::ModelPtr &model) {
    std::shared_ptr<ov::Model> own = model->clone();
    for (const auto &node : own->get_ops())
        if (is_reduction(*node)) ov::pass::disable_constant_folding(node);
    ov::pass::ConstantFolding().run_on_model(own);
    return own;
}

// Of a reduction; false where the node has no attribute of that name. Through a visitor, since the
// extension's classes are in another library.
class KeepDims : public ov::AttributeVisitor {
  public:
    static bool of(const ov::Node &node) {
        KeepDims visitor;
        const_cast<ov::Node &>(node).visit_attributes(visitor); // it reads
        return visitor.m_value;
    }
    using ov::AttributeVisitor::on_adapter;
    void on_adapter(const std::string &, ov::ValueAccessor<void> &) override {}
    void on_adapter(const std::string &name, ov::ValueAccessor<bool> &adapter) override {
        if (name == "keep_dims") m_value = adapter.get();
    }

  private:
    bool m_value = false;
};

// What other operations compute, and axes that a reduction does: are they layers, which nobody can
// run then, or inputs, which another device gives?
enum class Foreign { layers, inputs };

class Graph {
  public:
    explicit Graph(ov::ModelPtr of, Foreign foreign = Foreign::layers) : model(std::move(of)) {
        for (const auto &parameter : model->get_parameters())
            m_inputs.push_back(value_of(parameter->output(0)));
        for (const auto &node : model->get_ordered_ops()) {
            if (is_source(*node) || is_result(*node)) continue;
            if (foreign == Foreign::layers || (is_reduction(*node) && !computes_axes(*node)))
                add_layer(*node);
            else
                for (const auto &output : node->outputs()) m_inputs.push_back(value_of(output));
        }
        for (const auto &result : model->get_results())
            m_outputs.push_back(value_of(result->input_value(0)));
        view = {sizeof view,      model->get_friendly_name().c_str(),
                m_values.data(),  uint32_t(m_values.size()),
                m_layers.data(),  uint32_t(m_layers.size()),
                m_inputs.data(),  uint32_t(m_inputs.size()),
                m_outputs.data(), uint32_t(m_outputs.size())};
    }
    Graph(const Graph &) = delete;

    const ov::ModelPtr model; // the view's names and constants are its own
    irr_graph_t view;

  private:
    // Nodes come in an order of execution, so a source is known before it is asked for.
    uint32_t value_of(const ov::Output<const ov::Node> &output) {
        auto [at, is_new] = m_values_by_output.try_emplace(output, m_values.size());
        if (!is_new) return at->second;
        const ov::PartialShape &shape = output.get_partial_shape();
        auto constant = ov::as_type<const ov::op::v0::Constant>(output.get_node());
        std::vector<int64_t> &dims = m_dims.emplace_back();
        if (shape.rank().is_static())
            for (const ov::Dimension &dim : shape)
                dims.push_back(dim.is_static() ? dim.get_length() : IRR_DYNAMIC_DIM);
        m_values.push_back({element_type(output.get_element_type()),
                            shape.rank().is_static() ? uint32_t(dims.size()) : IRR_DYNAMIC_RANK,
                            dims.data(), constant ? constant->get_data_ptr() : nullptr,
                            constant != nullptr});
        return at->second;
    }

    // A reduction is data, axes and one output; what has these is described so, the rest has none.
    void add_layer(const ov::Node &node) {
        bool shaped = node.get_input_size() == 2 && node.get_output_size() == 1;
        m_layers.push_back({node.get_name().c_str(), node.get_friendly_name().c_str(),
                            layer_type(node), shaped ? value_of(node.input_value(0)) : IRR_NO_VALUE,
                            shaped ? value_of(node.input_value(1)) : IRR_NO_VALUE,
                            shaped ? value_of(node.output(0)) : IRR_NO_VALUE,
                            shaped && KeepDims::of(node), IRR_EMPTY_AXES_IDENTITY,
                            IRR_DUPLICATE_AXES_ERROR});
    }

    std::map<ov::Output<const ov::Node>, uint32_t> m_values_by_output;
    std::vector<irr_graph_value_t> m_values;
    std::vector<std::vector<int64_t>> m_dims; // by value; the numbers stay where they are
    std::vector<irr_graph_layer_t> m_layers;
    std::vector<uint32_t> m_inputs, m_outputs;
};

} // namespace irreduce
