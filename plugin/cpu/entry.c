/* The one symbol of libirreduce_cpu_plugin.so.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/device.h"

irr_status_e irr_create_plugin_engine(uint32_t host_abi_number, irr_plugin_engine_t **engine,
                                      irr_sentence_t sentence) {
    return irr_device_create(host_abi_number, engine, sentence);
}
