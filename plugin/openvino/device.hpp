// The objects of the device IRREDUCE, each a base of OpenVINO's around an object of the engine:
// plugin, compiled model, infer request.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph.hpp"
#include "openvino_abi.hpp"
#include "properties.hpp"

#include <shared_mutex>

extern "C" {
#include "base/shape.h"
}

namespace irreduce {

// Compiled models and requests call through it after the plugin has gone.
struct Engine {
    irr_plugin_engine_t *face = nullptr;
    Engine();
    ~Engine() { face->release(face); }
    Engine(const Engine &) = delete;
};

class CompiledModel : public ov::ICompiledModel {
  public:
    CompiledModel(const ov::ModelPtr &model, const std::shared_ptr<const ov::IPlugin> &plugin,
                  std::shared_ptr<const Engine> engine, const ov::AnyMap &properties);
    ~CompiledModel() override;
    void export_model(std::ostream &) const override;
    ov::ModelPtr get_runtime_model() const override { return m_graph.model(); }
    void set_property(const ov::AnyMap &properties) override;
    ov::Any get_property(const std::string &name) const override;

    const irr_graph_t &graph() const { return m_graph.view(); }
    // Whether some layer takes its axes from this input.
    bool is_axes(size_t input) const;
    irr_plugin_request_t *create_request() const;
    const irr_plugin_engine_t &engine() const { return *m_engine->face; }

  protected:
    std::shared_ptr<ov::ISyncInferRequest> create_sync_infer_request() const override;

  private:
    PropertyReader reader() const;

    std::shared_ptr<const Engine> m_engine;
    Graph m_graph;
    irr_plugin_compiled_t *m_compiled = nullptr;
};

// Keeps its tensors itself: the base has one for an input that is also an output, which would then
// have to change its shape and its owner together.
class InferRequest : public ov::ISyncInferRequest {
  public:
    explicit InferRequest(std::shared_ptr<const CompiledModel> compiled);
    ~InferRequest() override;
    void infer() override;
    std::vector<ov::ProfilingInfo> get_profiling_info() const override;
    std::vector<ov::SoPtr<ov::IVariableState>> query_state() const override { return {}; }
    ov::TensorPtr get_tensor(const ov::Port &port) const override;
    void set_tensor(const ov::Port &port, const ov::TensorPtr &tensor) override;

  protected:
    void check_tensors() const override {} // asked before each run, which does it itself

  private:
    struct Slot {
        ov::Port port;
        std::string name; // for messages: "input 0"
        bool is_axes = false;
        ov::Tensor tensor = {};
        ov::Shape shape = {}; // of the tensor when it was bound
        ov::Tensor copy = {}; // of what the engine cannot take where it lies
        TensorView view = {};
    };
    size_t slot_of(const ov::Port &port) const;
    bool is_bound() const;
    void bind();
    void bind_slot(size_t k, const irr_bound_shape_t *shape);
    void check_overlap(size_t k) const;

    std::shared_ptr<const CompiledModel> m_compiled;
    irr_plugin_request_t *m_request = nullptr;
    size_t m_input_count;
    std::vector<Slot> m_slots;               // inputs, then outputs
    std::vector<irr_tensor_view_t> m_views;  // of the slots, as the engine takes them
    std::vector<irr_bound_shape_t> m_shapes; // of the graph's values
    bool m_bound = false;
};

} // namespace irreduce
