// An ov::Model as the plain graph of plugin.h. Every node but Parameter, Constant and Result
// becomes a layer, whatever its type: the engine says which it takes. May not: rules of a
// reduction. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate.hpp"

#include <map>
#include <openvino/core/model.hpp>

namespace irreduce {

// Parameter or Constant; Result. What is neither is a layer.
bool is_source(const ov::Node &node);
bool is_result(const ov::Node &node);

// A copy in which whatever follows from constants and static shapes is a constant: axes that a
// frontend computes. Reductions are left as they are: their arithmetic is ours.
std::shared_ptr<ov::Model> folded(const std::shared_ptr<const ov::Model> &model);

// Does a reduction compute the axes of another one? No plan can wait for these.
bool computes_axes(const ov::Node &node);

// What other operations compute, and axes: is it the graph's, which nobody can run then, or given
// to it by another device?
enum class Foreign { inside, given };

class Graph {
  public:
    // Keeps the model: the view's names and constants are its own.
    explicit Graph(std::shared_ptr<const ov::Model> model, Foreign foreign = Foreign::inside);
    Graph(const Graph &) = delete;

    const irr_graph_t &view() const { return m_view; }
    const std::shared_ptr<const ov::Model> &model() const { return m_model; }
    // Of each layer, the node it was made of.
    const std::vector<const ov::Node *> &nodes() const { return m_nodes; }

  private:
    uint32_t value_of(const ov::Output<const ov::Node> &output);
    void add_layer(const ov::Node &node);

    std::shared_ptr<const ov::Model> m_model;
    std::map<ov::Output<const ov::Node>, uint32_t> m_values_by_output;
    std::vector<irr_graph_value_t> m_values;
    std::vector<std::vector<int64_t>> m_dims; // by value; the numbers stay where they are
    std::vector<irr_graph_layer_t> m_layers;
    std::vector<const ov::Node *> m_nodes;
    std::vector<uint32_t> m_inputs, m_outputs;
    irr_graph_t m_view;
};

} // namespace irreduce
