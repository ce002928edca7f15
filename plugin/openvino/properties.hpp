// Properties of the engine, which are text, as OpenVINO's, which are typed; and those that only
// OpenVINO asks for. May not: meaning of a property, which is the engine's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate.hpp"

#include <functional>
#include <openvino/core/any.hpp>

namespace irreduce {

// Keys and values as the wall takes them. Lives as long as the array is in use.
class PropertyTexts {
  public:
    explicit PropertyTexts(const ov::AnyMap &properties);
    const irr_property_t *data() const { return m_pairs.data(); }
    size_t size() const { return m_pairs.size(); }

  private:
    std::vector<std::string> m_values;
    std::vector<irr_property_t> m_pairs;
};

// Reads one property's text: get_property or get_compiled_property of the engine, bound to its
// object.
using PropertyReader = std::function<irr_status_e(const char *key, char *text, size_t capacity,
                                                  size_t *needed, irr_sentence_t sentence)>;
std::string property_text(const PropertyReader &read, const char *key);
// In OpenVINO's type for that key; text for keys of our own.
ov::Any property(const PropertyReader &read, const std::string &key, bool compiled);

} // namespace irreduce
