// The infer request of the device IRREDUCE. Shapes are bound when a tensor is another one, or of
// another shape, than at the last run; else a run is one call of the engine.
// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <openvino/core/except.hpp>

namespace irreduce {

// 0 where a dimension is unknown until infer.
static ov::Shape first_shape(const ov::PartialShape &partial) {
    if (partial.rank().is_dynamic()) return {0};
    ov::Shape shape;
    for (const ov::Dimension &dim : partial)
        shape.push_back(dim.is_static() ? static_cast<size_t>(dim.get_length()) : 0);
    return shape;
}

InferRequest::InferRequest(std::shared_ptr<const CompiledModel> compiled)
    : ov::ISyncInferRequest(compiled), m_compiled(std::move(compiled)),
      m_input_count(get_inputs().size()), m_shapes(m_compiled->graph().value_count) {
    for (const auto &port : get_inputs()) {
        size_t k = m_slots.size();
        m_slots.push_back({port, "input " + std::to_string(k), m_compiled->is_axes(k)});
    }
    for (const auto &port : get_outputs())
        m_slots.push_back({port, "output " + std::to_string(m_slots.size() - m_input_count)});
    for (Slot &slot : m_slots)
        slot.tensor =
            ov::Tensor(slot.port.get_element_type(), first_shape(slot.port.get_partial_shape()));
    m_views.resize(m_slots.size());
    m_request = m_compiled->create_request();
}

InferRequest::~InferRequest() { m_compiled->engine().release_request(m_request); }

size_t InferRequest::slot_of(const ov::Port &port) const {
    FoundPort found = find_port(port);
    if (found.kind == FoundPort::NONE) OPENVINO_THROW("the model has no such port: ", port);
    return found.kind == FoundPort::INPUT ? found.index : m_input_count + found.index;
}

ov::TensorPtr InferRequest::get_tensor(const ov::Port &port) const {
    return ov::get_tensor_impl(m_slots[slot_of(port)].tensor);
}

void InferRequest::set_tensor(const ov::Port &port, const ov::TensorPtr &tensor) {
    size_t k = slot_of(port);
    check_tensor(port, tensor);
    m_bound = false;
    m_slots[k].tensor = ov::make_tensor(tensor);
}

// ---- binding ----

// A dense tensor of the same shape at the same place is as it was.
bool InferRequest::is_bound() const {
    if (!m_bound) return false;
    for (size_t k = 0; k < m_slots.size(); k++)
        if (m_slots[k].tensor.get_shape() != m_slots[k].shape ||
            data_of(m_slots[k].tensor) != m_views[k].data)
            return false;
    return true;
}

// Strided and copied tensors are read before any output is written, and written after all.
void InferRequest::check_overlap(size_t k) const {
    auto begin = [&](size_t i) { return static_cast<char *>(m_views[i].data); };
    auto end = [&](size_t i) { return begin(i) + m_slots[i].tensor.get_byte_size(); };
    for (size_t i = 0; i < k; i++)
        if (!m_views[i].byte_strides && !m_views[k].byte_strides && begin(i) < end(k) &&
            begin(k) < end(i))
            OPENVINO_THROW("the memory of ", m_slots[k].name, " overlaps that of ",
                           m_slots[i].name);
}

// The engine reads axes densely, and no element at an address that its type does not allow.
static bool needs_copy(const irr_tensor_view_t &view, bool is_axes, size_t element_bytes) {
    return (is_axes && view.byte_strides) ||
           reinterpret_cast<uintptr_t>(view.data) % element_bytes != 0;
}

// shape: of an output, whose tensor takes it on.
void InferRequest::bind_slot(size_t k, const irr_bound_shape_t *shape) {
    Slot &slot = m_slots[k];
    if (shape) {
        ov::Shape bound(shape->dims, shape->dims + shape->rank);
        if (slot.tensor.get_shape() != bound) slot.tensor.set_shape(bound);
    }
    slot.shape = slot.tensor.get_shape();
    if (!slot.port.get_partial_shape().compatible(slot.shape)) // OpenVINO looks at no range
        OPENVINO_THROW("the shape of ", slot.name, " is ", slot.shape, ", expected ",
                       slot.port.get_partial_shape());
    slot.view = TensorView(slot.tensor);
    if (shape) slot.view.view.data = slot.tensor.data(); // fails where it cannot be written
    slot.copy = {};
    if (needs_copy(slot.view.view, slot.is_axes, slot.tensor.get_element_type().size())) {
        slot.copy = ov::Tensor(slot.tensor.get_element_type(), slot.shape);
        if (!shape) slot.tensor.copy_to(slot.copy);
        slot.view = TensorView(slot.copy);
    }
    m_views[k] = slot.view.view;
    if (shape) check_overlap(k);
}

void InferRequest::bind() {
    Sentence sentence;
    const irr_graph_t &graph = m_compiled->graph();
    m_bound = false;
    for (size_t k = 0; k < m_input_count; k++) bind_slot(k, nullptr);
    check(irr_graph_bind_shapes(&graph, m_views.data(), m_shapes.data(), sentence), sentence);
    for (size_t k = m_input_count; k < m_slots.size(); k++)
        bind_slot(k, &m_shapes[graph.outputs[k - m_input_count]]);
    // Strides may change without the shape, and shapes with the values of axes.
    m_bound = true;
    for (const Slot &slot : m_slots)
        if (slot.is_axes || slot.copy || slot.view.view.byte_strides) m_bound = false;
}

// ---- running ----

void InferRequest::infer() {
    if (!is_bound()) bind();
    Sentence sentence;
    check(m_compiled->engine().infer(m_request, m_views.data(), m_views.data() + m_input_count,
                                     nullptr, sentence),
          sentence);
    if (m_bound) return;
    for (size_t k = m_input_count; k < m_slots.size(); k++)
        if (m_slots[k].copy) m_slots[k].copy.copy_to(m_slots[k].tensor);
}

std::vector<ov::ProfilingInfo> InferRequest::get_profiling_info() const {
    Sentence sentence;
    size_t count = m_compiled->graph().layer_count;
    std::vector<irr_profile_row_t> rows(count + 1); // the engine reads the first's size
    for (irr_profile_row_t &row : rows) row.size_bytes = sizeof row;
    check(m_compiled->engine().profile(m_request, rows.data(), rows.size(), &count, sentence),
          sentence);
    std::vector<ov::ProfilingInfo> infos(count);
    for (size_t k = 0; k < count; k++) {
        const irr_profile_row_t &row = rows[k];
        ov::ProfilingInfo &info = infos[k];
        info.status = row.executed ? ov::ProfilingInfo::Status::EXECUTED
                                   : ov::ProfilingInfo::Status::OPTIMIZED_OUT;
        info.real_time =
            std::chrono::round<std::chrono::microseconds>(std::chrono::nanoseconds(row.time_ns));
        info.cpu_time = info.real_time;
        info.node_name = row.layer;
        info.exec_type = row.kernel;
        info.node_type = row.op;
    }
    return infos;
}

} // namespace irreduce
