// Prints the build number of the OpenVINO that a door is built for; run when it is configured.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <openvino/core/version.hpp>

int main() { std::printf("%s", ov::get_openvino_version().buildNumber); }
