// SPDX-License-Identifier: Apache-2.0
#include "properties.hpp"

#include <openvino/runtime/properties.hpp>
#include <sstream>

namespace irreduce {

PropertyTexts::PropertyTexts(const ov::AnyMap &properties) {
    for (const auto &[key, value] : properties) m_values.push_back(value.as<std::string>());
    size_t k = 0;
    for (const auto &[key, value] : properties)
        m_pairs.push_back({key.c_str(), m_values[k++].c_str()});
}

std::string property_text(const PropertyReader &read, const char *key) {
    Sentence sentence;
    size_t needed = 0;
    check(read(key, nullptr, 0, &needed, sentence), sentence);
    std::string text(needed, '\0');
    check(read(key, &text[0], needed, &needed, sentence), sentence);
    text.resize(text.find('\0'));
    return text;
}

// What OpenVINO asks every device, and no engine knows.
struct HostProperty {
    const char *key;
    bool of_device, of_compiled, listed;
    ov::Any value;
};
static const std::vector<HostProperty> &host_properties() {
    using Texts = std::vector<std::string>;
    static const std::vector<HostProperty> rows = {
        {ov::available_devices.name(), true, false, true, Texts{""}},
        {ov::device::capabilities.name(), true, false, true, Texts{"FP32", "FP16", "BF16", "INT8"}},
        {ov::execution_devices.name(), false, true, true, Texts{"IRREDUCE"}},
        {"INTERNAL_SUPPORTED_PROPERTIES", true, false, false, std::vector<ov::PropertyName>{}},
        {"CACHING_PROPERTIES", true, false, false,
         std::vector<ov::PropertyName>{ov::device::full_name.name()}},
    };
    return rows;
}

// One line a property: "KEY RW: what it does".
static ov::Any supported(const std::string &lines, bool compiled) {
    std::vector<ov::PropertyName> names;
    std::istringstream stream(lines);
    for (std::string key, access, rest; stream >> key >> access && std::getline(stream, rest);)
        names.emplace_back(key, access == "RW:" ? ov::PropertyMutability::RW
                                                : ov::PropertyMutability::RO);
    for (const HostProperty &row : host_properties())
        if (row.listed && (compiled ? row.of_compiled : row.of_device))
            names.emplace_back(row.key, ov::PropertyMutability::RO);
    return names;
}

template <class T> static ov::Any as(const std::string &text) { return ov::Any(text).as<T>(); }

ov::Any property(const PropertyReader &read, const std::string &key, bool compiled) {
    for (const HostProperty &row : host_properties())
        if (key == row.key && (compiled ? row.of_compiled : row.of_device)) return row.value;
    std::string text = property_text(read, key.c_str());
    if (key == ov::supported_properties.name()) return supported(text, compiled);
    static const std::pair<const char *, ov::Any (*)(const std::string &)> types[] = {
        {ov::inference_num_threads.name(), as<int32_t>},
        {ov::optimal_number_of_infer_requests.name(), as<uint32_t>},
        {ov::enable_profiling.name(), as<bool>},
        {ov::hint::execution_mode.name(), as<ov::hint::ExecutionMode>},
        {ov::hint::performance_mode.name(), as<ov::hint::PerformanceMode>},
        {ov::num_streams.name(), as<ov::streams::Num>},
    };
    for (const auto &[name, convert] : types)
        if (key == name) return convert(text);
    return text;
}

} // namespace irreduce
