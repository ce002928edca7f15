// The infer request of the device IRREDUCE. Shapes are bound when a tensor is another one, or of
// another shape, than at the last run; else a run is one call of the engine. May not: shape rules,
// copies of what the engine can take where it lies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "openvino_abi.hpp"
#include "translate.hpp"

#include <set>

namespace irreduce {

// Keeps its tensors itself: the base has one for an input that is also an output, which would then
// have to change its shape and its owner together.
class InferRequest : public ov::ISyncInferRequest {
  public:
    // Graph and engine live as long as the compiled model, which the base keeps.
    InferRequest(const std::shared_ptr<const ov::ICompiledModel> &compiled_model,
                 const irr_graph_t &graph, const irr_plugin_engine_t &engine,
                 irr_plugin_compiled_t *compiled)
        : ov::ISyncInferRequest(compiled_model), m_graph(graph), m_engine(engine),
          m_request(make(engine.release_request, engine.create_request, compiled)),
          m_views(graph.input_count + graph.output_count), m_shapes(graph.value_count) {
        std::set<uint32_t> axes;
        for (uint32_t k = 0; k < graph.layer_count; k++) axes.insert(graph.layers[k].axes);
        for (const ov::Port &port : get_inputs())
            m_slots.push_back({port, axes.count(graph.inputs[m_slots.size()]) != 0});
        for (const ov::Port &port : get_outputs()) m_slots.push_back({port});
        for (Slot &slot : m_slots) { // which HETERO hands to other devices as they are now
            const ov::PartialShape &port = slot.port.get_partial_shape();
            ov::Shape shape = port.get_min_shape();
            for (size_t k = 0; port.rank().is_static() && k < shape.size(); k++)
                if (port[k].is_dynamic()) shape[k] = 0; // until infer
            slot.tensor = ov::Tensor(slot.port.get_element_type(), shape);
        }
    }

    void infer() override {
        if (!is_bound()) bind();
        call(m_engine.infer, m_request.get(), m_views.data(), m_views.data() + m_graph.input_count,
             nullptr);
        for (size_t k = m_graph.input_count; !m_bound && k < m_slots.size(); k++)
            if (m_slots[k].copy) m_slots[k].copy.copy_to(m_slots[k].tensor);
    }

    std::vector<ov::ProfilingInfo> get_profiling_info() const override {
        size_t count = m_graph.layer_count;
        std::vector<irr_profile_row_t> rows(count + 1); // the engine reads the first's size
        for (irr_profile_row_t &row : rows) row.size_bytes = sizeof row;
        call(m_engine.profile, m_request.get(), rows.data(), rows.size(), &count);
        std::vector<ov::ProfilingInfo> infos(count);
        for (size_t k = 0; k < count; k++) {
            const irr_profile_row_t &row = rows[k];
            ov::ProfilingInfo &info = infos[k];
            info.status = row.executed ? ov::ProfilingInfo::Status::EXECUTED
                                       : ov::ProfilingInfo::Status::OPTIMIZED_OUT;
            info.real_time = info.cpu_time = std::chrono::round<std::chrono::microseconds>(
                std::chrono::nanoseconds(row.time_ns));
            info.node_name = row.layer;
            info.exec_type = row.kernel;
            info.node_type = row.op;
        }
        return infos;
    }

    std::vector<ov::SoPtr<ov::IVariableState>> query_state() const override { return {}; }

    ov::TensorPtr get_tensor(const ov::Port &port) const override {
        return ov::get_tensor_impl(m_slots[slot_of(port)].tensor);
    }

    void set_tensor(const ov::Port &port, const ov::TensorPtr &tensor) override {
        size_t k = slot_of(port);
        check_tensor(port, tensor);
        m_bound = false;
        m_slots[k].tensor = ov::make_tensor(tensor);
    }

  protected:
    void check_tensors() const override {} // asked before each run, which does it itself

  private:
    struct Slot {
        ov::Port port;
        bool is_axes = false; // an input that some layer takes its axes from
        ov::Tensor tensor = {};
        ov::Tensor copy = {}; // of what the engine cannot take where it lies
        ov::Shape shape = {}; // of the tensor when it was bound
        ov::Strides strides = {};
    };

    size_t slot_of(const ov::Port &port) const {
        FoundPort found = find_port(port);
        if (found.kind == FoundPort::NONE) OPENVINO_THROW("the model has no such port: ", port);
        return found.kind == FoundPort::INPUT ? found.index : m_graph.input_count + found.index;
    }

    // For messages: "input 0".
    std::string name(size_t k) const {
        bool input = k < m_graph.input_count;
        return (input ? "input " : "output ") + std::to_string(input ? k : k - m_graph.input_count);
    }

    // A dense tensor of the same shape at the same place is as it was.
    bool is_bound() const {
        bool same = m_bound;
        for (size_t k = 0; same && k < m_slots.size(); k++)
            same = m_slots[k].tensor.get_shape() == m_slots[k].shape &&
                   data_of(m_slots[k].tensor) == m_views[k].data;
        return same;
    }

    void bind() {
        bool stays = true;
        m_bound = false;
        for (size_t k = 0; k < m_graph.input_count; k++) stays &= bind_slot(k, nullptr);
        call(irr_graph_bind_shapes, &m_graph, m_views.data(), m_shapes.data());
        for (size_t k = m_graph.input_count; k < m_slots.size(); k++)
            stays &= bind_slot(k, &m_shapes[m_graph.outputs[k - m_graph.input_count]]);
        m_bound = stays;
    }

    // shape: of an output, whose tensor takes it on. Says whether the view is good for the next
    // run: strides may change without the shape, and shapes with the values of axes.
    bool bind_slot(size_t k, const irr_bound_shape_t *shape) {
        Slot &slot = m_slots[k];
        if (shape) {
            ov::Shape bound(shape->dims, shape->dims + shape->rank);
            if (slot.tensor.get_shape() != bound) slot.tensor.set_shape(bound);
        }
        slot.shape = slot.tensor.get_shape();
        if (!slot.port.get_partial_shape().compatible(slot.shape)) // OpenVINO looks at no range
            OPENVINO_THROW("the shape of ", name(k), " is ", slot.shape, ", expected ",
                           slot.port.get_partial_shape());
        irr_tensor_view_t &view = m_views[k];
        view = view_of(slot.tensor, slot.shape, &slot.strides);
        if (shape) view.data = slot.tensor.data(); // fails where it cannot be written
        slot.copy = {};
        // The engine reads axes densely, and no element at an address that its type does not allow.
        const ov::element::Type &type = slot.tensor.get_element_type();
        if ((slot.is_axes && view.byte_strides) ||
            reinterpret_cast<uintptr_t>(view.data) % type.size() != 0) {
            slot.copy = ov::Tensor(type, slot.shape);
            if (!shape) slot.tensor.copy_to(slot.copy);
            view = view_of(slot.copy, slot.shape, nullptr);
        }
        if (shape) check_overlap(k);
        return !slot.is_axes && !slot.copy && !view.byte_strides;
    }

    // Strided and copied tensors are read before any output is written, and written after all.
    void check_overlap(size_t k) const {
        auto begin = [&](size_t i) { return static_cast<char *>(m_views[i].data); };
        auto end = [&](size_t i) { return begin(i) + m_slots[i].tensor.get_byte_size(); };
        for (size_t i = 0; i < k; i++)
            if (!m_views[i].byte_strides && !m_views[k].byte_strides && begin(i) < end(k) &&
                begin(k) < end(i))
                OPENVINO_THROW("the memory of ", name(k), " overlaps that of ", name(i));
    }

    const irr_graph_t &m_graph;
    const irr_plugin_engine_t &m_engine;
    std::shared_ptr<irr_plugin_request_t> m_request;
    std::vector<Slot> m_slots;               // inputs, then outputs
    std::vector<irr_tensor_view_t> m_views;  // of the slots, as the engine takes them
    std::vector<irr_bound_shape_t> m_shapes; // of the graph's values
    bool m_bound = false;
};

} // namespace irreduce
