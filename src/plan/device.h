/* The device behind the wall. Each library that carries it exports its own entry on top.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_PLAN_DEVICE_H
#define IRR_PLAN_DEVICE_H

#include <irreduce/plugin.h>

irr_status_e irr_device_create(uint32_t host_abi_number, irr_plugin_engine_t **engine,
                               irr_sentence_t sentence);

#endif
