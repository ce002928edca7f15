/* Properties: text on the outside, irr_config_t inside.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_PLAN_PROPERTIES_H
#define IRR_PLAN_PROPERTIES_H

#include "base/status.h"
#include "plan/backend.h"

/* Whose property is set or read: a compiled model takes fewer than a device. */
typedef enum { IRR_OF_DEVICE = 1, IRR_OF_COMPILED = 2 } irr_property_owner_e;

/* Known to a compiled model alone, which prints them itself. */
#define IRR_KEY_MODEL_NAME "NETWORK_NAME"
#define IRR_KEY_EXPLAIN "IRREDUCE_EXPLAIN"

/* The defaults, and what the environment says of those keys that listen to it. */
irr_status_e irr_config_default(irr_config_t *config, irr_sentence_t sentence);
/* config is changed by the whole set of properties or not at all. */
irr_status_e irr_config_set(irr_config_t *config, const irr_property_t *properties, size_t count,
                            irr_property_owner_e owner, irr_sentence_t sentence);
irr_status_e irr_config_get(const irr_config_t *config, const char *key, irr_property_owner_e owner,
                            irr_writer_t *writer, irr_sentence_t sentence);

#endif
