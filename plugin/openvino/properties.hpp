// Properties that are read: the engine's, which are text, in OpenVINO's types, and those that only
// OpenVINO asks for. May not: meaning of a property, which is the engine's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate.hpp"

#include <sstream>

namespace irreduce {

// lines: "KEY RW: what it does", one a property. host: what OpenVINO asks for, and the engine does
// not know.
inline ov::Any supported_properties(const std::string &lines, const ov::AnyMap &host) {
    std::vector<ov::PropertyName> names;
    std::istringstream stream(lines);
    for (std::string key, access, rest; stream >> key >> access && std::getline(stream, rest);)
        names.emplace_back(key, access == "RW:" ? ov::PropertyMutability::RW
                                                : ov::PropertyMutability::RO);
    for (const auto &[key, value] : host) names.emplace_back(key, ov::PropertyMutability::RO);
    return names;
}

template <class T> ov::Any as(const std::string &text) { return ov::Any(text).as<T>(); }

// In OpenVINO's type for that key; text for keys of our own. get: the engine's function for owner,
// an engine or a compiled model.
template <class Get, class Owner> ov::Any property(Get get, Owner *owner, const std::string &key) {
    using Texts = std::vector<std::string>;
    using Names = std::vector<ov::PropertyName>;
    static const ov::AnyMap of_device = {
        {ov::available_devices.name(), Texts{""}},
        {ov::device::capabilities.name(), Texts{"FP32", "FP16", "BF16", "INT8"}},
    };
    static const ov::AnyMap of_compiled = {{ov::execution_devices.name(), Texts{"IRREDUCE"}}};
    static const ov::AnyMap unlisted = {
        {"INTERNAL_SUPPORTED_PROPERTIES", Names{}},
        {"CACHING_PROPERTIES", Names{ov::device::full_name.name()}},
    };
    const ov::AnyMap &host = std::is_same_v<Owner, irr_plugin_compiled_t> ? of_compiled : of_device;
    for (const ov::AnyMap *known : {&host, &unlisted})
        if (known->count(key)) return known->at(key);
    size_t needed = 0;
    call(get, owner, key.c_str(), nullptr, 0, &needed);
    std::string text(needed, '\0');
    call(get, owner, key.c_str(), text.data(), needed, &needed);
    text.resize(text.find('\0'));
    if (key == ov::supported_properties.name()) return supported_properties(text, host);
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
