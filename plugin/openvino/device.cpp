// The device IRREDUCE: OpenVINO's plugin over the engine of plugin.h.
// SPDX-License-Identifier: Apache-2.0
#include "translate.hpp"

extern "C" IRR_API void create_plugin_engine(std::shared_ptr<void> &) {
    irreduce::check_openvino();
}
