/* What a door library tells of itself without being loaded (a door needs its host, a reader of
 * files does not): `irreduce doctor` finds this in the file's bytes. Each door says it once, at
 * file scope, as IRR_DOOR("openvino-device", "openvino", "2026.4.1"): what it is, the Python
 * package that holds its host, and the version of that: "2026.4.1" alone, or "1.24+" and later.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_PLUGIN_DOOR_H
#define IRR_PLUGIN_DOOR_H

#define IRR_DOOR(name, host, version)                                                              \
    __attribute__((used)) static const char irreduce_door[] =                                      \
        "irreduce-door name=" name " host=" host " for=" version

#endif
