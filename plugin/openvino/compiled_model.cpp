// The compiled model of the device IRREDUCE.
// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"
#include "executor.hpp"

#include <openvino/core/except.hpp>

namespace irreduce {

// One request may keep all CPUs busy; so many may run beside each other.
static std::shared_ptr<Executor> make_executor() {
    return std::make_shared<Executor>(std::max(1u, std::thread::hardware_concurrency()));
}

CompiledModel::CompiledModel(const ov::ModelPtr &model,
                             const std::shared_ptr<const ov::IPlugin> &plugin,
                             std::shared_ptr<const Engine> engine, const ov::AnyMap &properties)
    : ov::ICompiledModel(model, plugin, make_executor(), nullptr), m_engine(std::move(engine)),
      m_graph(folded(model)) { // the caller may change its own
    Sentence sentence;
    PropertyTexts texts(properties);
    check(m_engine->face->compile(m_engine->face, &graph(), texts.data(), texts.size(), &m_compiled,
                                  sentence),
          sentence);
}

CompiledModel::~CompiledModel() { m_engine->face->release_compiled(m_compiled); }

void CompiledModel::export_model(std::ostream &) const {
    OPENVINO_THROW_NOT_IMPLEMENTED("device IRREDUCE does not export compiled models; "
                                   "compiling one takes less time than reading it");
}

PropertyReader CompiledModel::reader() const {
    return [this](const char *key, char *text, size_t capacity, size_t *needed,
                  irr_sentence_t sentence) {
        return engine().get_compiled_property(m_compiled, key, text, capacity, needed, sentence);
    };
}

void CompiledModel::set_property(const ov::AnyMap &properties) {
    PropertyTexts texts(properties);
    for (size_t k = 0; k < texts.size(); k++) {
        Sentence sentence;
        const auto &[key, value] = texts.data()[k];
        check(engine().set_compiled_property(m_compiled, key, value, sentence), sentence);
    }
}

ov::Any CompiledModel::get_property(const std::string &name) const {
    return property(reader(), name, true);
}

bool CompiledModel::is_axes(size_t input) const {
    for (uint32_t k = 0; k < graph().layer_count; k++)
        if (graph().layers[k].axes == graph().inputs[input]) return true;
    return false;
}

irr_plugin_request_t *CompiledModel::create_request() const {
    Sentence sentence;
    irr_plugin_request_t *request = nullptr;
    check(engine().create_request(m_compiled, &request, sentence), sentence);
    return request;
}

std::shared_ptr<ov::ISyncInferRequest> CompiledModel::create_sync_infer_request() const {
    return std::make_shared<InferRequest>(
        std::static_pointer_cast<const CompiledModel>(shared_from_this()));
}

} // namespace irreduce
