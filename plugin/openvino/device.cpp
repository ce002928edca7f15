// The device IRREDUCE: the plugin and its compiled models, each a base of OpenVINO's around an
// object of the engine, and the one symbol of libirreduce_openvino_plugin.so. May not: running,
// which is the infer request's.
// SPDX-License-Identifier: Apache-2.0
#include "executor.hpp"
#include "graph.hpp"
#include "infer_request.hpp"
#include "openvino_abi.hpp"
#include "properties.hpp"

#include <shared_mutex>

IRR_DOOR("openvino-device", "openvino", IRREDUCE_OPENVINO_VERSION);

namespace irreduce {

using ov::AnyMap;
using ov::CompiledPtr;
using ov::ContextPtr;

// Calls through the engine, also after the plugin has gone.
class CompiledModel : public ov::ICompiledModel {
  public:
    // Of a copy of the model: the caller may change its own.
    CompiledModel(const ov::ModelPtr &model, const std::shared_ptr<const ov::IPlugin> &plugin,
                  const Engine &engine, const PropertyTexts &texts)
        : ov::ICompiledModel(model, plugin, std::make_shared<Executor>(), nullptr),
          m_engine(engine), m_graph(folded(model)),
          m_compiled(make(engine->release_compiled, engine->compile, engine.get(), &m_graph.view,
                          texts.data(), texts.size())) {}

    void export_model(std::ostream &) const override {
        OPENVINO_THROW_NOT_IMPLEMENTED("device IRREDUCE does not export compiled models; "
                                       "compiling one takes less time than reading it");
    }
    ov::ModelPtr get_runtime_model() const override { return m_graph.model; }

    void set_property(const AnyMap &properties) override {
        for (const auto &[key, value] : PropertyTexts(properties))
            call(m_engine->set_compiled_property, m_compiled.get(), key, value);
    }
    ov::Any get_property(const std::string &name) const override {
        return property(m_engine->get_compiled_property, m_compiled.get(), name);
    }

  protected:
    std::shared_ptr<ov::ISyncInferRequest> create_sync_infer_request() const override {
        return std::make_shared<InferRequest>(shared_from_this(), m_graph.view, *m_engine,
                                              m_compiled.get());
    }

  private:
    Engine m_engine;
    Graph m_graph;
    std::shared_ptr<irr_plugin_compiled_t> m_compiled;
};

class Plugin : public ov::IPlugin {
  public:
    Plugin() { set_version({m_engine->build_number, m_engine->description}); }

    CompiledPtr compile_model(const ov::ModelPtr &model, const AnyMap &properties) const override {
        std::shared_lock<std::shared_mutex> lock(m_settings);
        return std::make_shared<CompiledModel>(model, shared_from_this(), m_engine,
                                               PropertyTexts(properties));
    }
    using ov::IPlugin::compile_model; // from a file: reads it, then as above

    void set_property(const AnyMap &properties) override {
        std::unique_lock<std::shared_mutex> lock(m_settings);
        for (const auto &[key, value] : PropertyTexts(properties))
            call(m_engine->set_property, m_engine.get(), key, value);
    }
    ov::Any get_property(const std::string &name, const AnyMap &) const override {
        std::shared_lock<std::shared_mutex> lock(m_settings);
        return property(m_engine->get_property, m_engine.get(), name);
    }

    // Reductions that the engine takes, and what they read and are read by: an input or constant
    // that another device has would come to us as that device keeps it, which may be narrower.
    ov::SupportedOpsMap query_model(const ov::ModelPtr &model,
                                    const AnyMap &properties) const override {
        std::shared_lock<std::shared_mutex> lock(m_settings);
        const Graph graph(folded(model), Foreign::inputs);
        const PropertyTexts texts(properties);
        std::set<std::string> taken; // the names of reductions, which folding leaves alone
        const irr_graph_t &view = graph.view;
        for (uint32_t k = 0; k < view.layer_count; k++)
            if (call<IRR_NOT_IMPLEMENTED, IRR_NETWORK_NOT_READ>(m_engine->query, m_engine.get(),
                                                                &view, k, texts.data(),
                                                                texts.size()) == IRR_OK)
                taken.insert(view.layers[k].name);
        auto takes = [&](const ov::Node *node) { return taken.count(node->get_friendly_name()); };
        ov::SupportedOpsMap supported;
        for (const auto &node : model->get_ordered_ops()) {
            bool ours = takes(is_result(*node) ? node->get_input_node_ptr(0) : node.get());
            if (is_source(*node))
                for (const auto &input : node->output(0).get_target_inputs())
                    ours |= takes(input.get_node()) || is_result(*input.get_node());
            if (ours) supported[node->get_friendly_name()] = get_device_name();
        }
        return supported;
    }

    // ---- what it does not do ----

    CompiledPtr compile_model(const ov::ModelPtr &, const AnyMap &,
                              const ContextPtr &) const override {
        refuse("remote contexts");
    }
    ContextPtr create_context(const AnyMap &) const override { refuse("remote contexts"); }
    ContextPtr get_default_context(const AnyMap &) const override { refuse("remote contexts"); }
    CompiledPtr import_model(std::istream &, const AnyMap &) const override { refuse(imports); }
    CompiledPtr import_model(std::istream &, const ContextPtr &, const AnyMap &) const override {
        refuse(imports);
    }
#if IRR_OPENVINO >= 202503
    CompiledPtr import_model(const ov::Tensor &, const AnyMap &) const override { refuse(imports); }
    CompiledPtr import_model(const ov::Tensor &, const ContextPtr &,
                             const AnyMap &) const override {
        refuse(imports);
    }
#endif

  private:
    static constexpr const char *imports = "exported models";
    [[noreturn]] static void refuse(const char *what) {
        OPENVINO_THROW_NOT_IMPLEMENTED("device IRREDUCE has no ", what);
    }

    Engine m_engine = make_engine();
    mutable std::shared_mutex m_settings; // the engine's properties are set by one alone
};

} // namespace irreduce

extern "C" IRR_API void create_plugin_engine(std::shared_ptr<ov::IPlugin> &plugin) {
    irreduce::check_openvino();
    plugin = std::make_shared<irreduce::Plugin>();
}
