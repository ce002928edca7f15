// The plugin of the device IRREDUCE, and the one symbol of libirreduce_openvino_plugin.so.
// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include "../door.h"

#include <openvino/core/except.hpp>
#include <set>

IRR_DOOR("openvino-device", "openvino", IRREDUCE_OPENVINO_VERSION);

namespace irreduce {

Engine::Engine() {
    Sentence sentence;
    check(irr_create_plugin_engine(IRR_PLUGIN_ABI, &face, sentence), sentence);
}

class Plugin : public ov::IPlugin {
  public:
    Plugin() { set_version({m_engine->face->build_number, m_engine->face->description}); }

    ov::CompiledPtr compile_model(const ov::ModelPtr &model,
                                  const ov::AnyMap &properties) const override {
        std::shared_lock<std::shared_mutex> lock(m_settings);
        return std::make_shared<CompiledModel>(model, shared_from_this(), m_engine, properties);
    }
    ov::CompiledPtr compile_model(const ov::ModelPtr &, const ov::AnyMap &,
                                  const ov::ContextPtr &) const override {
        refuse("remote contexts");
    }
    using ov::IPlugin::compile_model; // from a file: reads it, then as above

    void set_property(const ov::AnyMap &properties) override {
        std::unique_lock<std::shared_mutex> lock(m_settings);
        PropertyTexts texts(properties);
        for (size_t k = 0; k < texts.size(); k++) {
            Sentence sentence;
            const auto &[key, value] = texts.data()[k];
            check(m_engine->face->set_property(m_engine->face, key, value, sentence), sentence);
        }
    }
    ov::Any get_property(const std::string &name, const ov::AnyMap &) const override {
        std::shared_lock<std::shared_mutex> lock(m_settings);
        auto read = [this](const char *key, char *text, size_t capacity, size_t *needed,
                           irr_sentence_t sentence) {
            return m_engine->face->get_property(m_engine->face, key, text, capacity, needed,
                                                sentence);
        };
        return property(read, name, false);
    }

    ov::SupportedOpsMap query_model(const ov::ModelPtr &model,
                                    const ov::AnyMap &properties) const override;

    ov::ContextPtr create_context(const ov::AnyMap &) const override { refuse("remote contexts"); }
    ov::ContextPtr get_default_context(const ov::AnyMap &) const override {
        refuse("remote contexts");
    }
    ov::CompiledPtr import_model(std::istream &, const ov::AnyMap &) const override {
        refuse(imports);
    }
    ov::CompiledPtr import_model(std::istream &, const ov::ContextPtr &,
                                 const ov::AnyMap &) const override {
        refuse(imports);
    }
#if IRR_OPENVINO >= 202503
    ov::CompiledPtr import_model(const ov::Tensor &, const ov::AnyMap &) const override {
        refuse(imports);
    }
    ov::CompiledPtr import_model(const ov::Tensor &, const ov::ContextPtr &,
                                 const ov::AnyMap &) const override {
        refuse(imports);
    }
#endif

  private:
    static constexpr const char *imports = "exported models";
    [[noreturn]] static void refuse(const char *what) {
        OPENVINO_THROW_NOT_IMPLEMENTED("device IRREDUCE has no ", what);
    }

    std::shared_ptr<Engine> m_engine = std::make_shared<Engine>();
    mutable std::shared_mutex m_settings; // the engine's properties are set by one alone
};

// Reductions that the engine takes, and what they read and are read by: an input or constant that
// another device has would come to us as that device keeps it, which may be narrower.
ov::SupportedOpsMap Plugin::query_model(const ov::ModelPtr &model,
                                        const ov::AnyMap &properties) const {
    std::shared_lock<std::shared_mutex> lock(m_settings);
    Graph graph(folded(model), Foreign::given);
    PropertyTexts texts(properties);
    ov::SupportedOpsMap supported;
    std::set<std::string> taken; // the names of reductions, which folding leaves alone
    auto take = [&](const ov::Node *node) {
        supported[node->get_friendly_name()] = get_device_name();
    };
    for (uint32_t k = 0; k < graph.nodes().size(); k++) {
        Sentence sentence;
        irr_status_e status = m_engine->face->query(m_engine->face, &graph.view(), k, texts.data(),
                                                    texts.size(), sentence);
        if (computes_axes(*graph.nodes()[k])) continue;
        if (status == IRR_OK) {
            take(graph.nodes()[k]);
            taken.insert(graph.nodes()[k]->get_friendly_name());
        } else if (status != IRR_NOT_IMPLEMENTED && status != IRR_NETWORK_NOT_READ)
            check(status, sentence);
    }
    for (const auto &node : model->get_ordered_ops()) {
        if (!is_source(*node)) continue;
        for (const auto &input : node->output(0).get_target_inputs())
            if (taken.count(input.get_node()->get_friendly_name()) || is_result(*input.get_node()))
                take(node.get());
    }
    for (const auto &result : model->get_results())
        if (taken.count(result->get_input_node_ptr(0)->get_friendly_name())) take(result.get());
    return supported;
}

} // namespace irreduce

extern "C" IRR_API void create_plugin_engine(std::shared_ptr<ov::IPlugin> &plugin) {
    irreduce::check_openvino();
    plugin = std::make_shared<irreduce::Plugin>();
}
