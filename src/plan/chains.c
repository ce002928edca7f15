/* A reduction of a reduction by the same op is one reduction over both's axes. Only ops whose bits
 * do not depend on the order take that, and only where nobody else sees what lies between.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/compiled.h"

/* Integers wrap around alike in any order; floats round. */
static bool is_order_free(irr_op_e op, irr_element_type_e type) {
    bool exact = op == IRR_OP_MIN || op == IRR_OP_MAX || op == IRR_OP_AND || op == IRR_OP_OR;
    return exact || ((op == IRR_OP_SUM || op == IRR_OP_PROD) && irr_is_integer(type));
}

/* The first bits of `bits`, one for each set bit of `places`, at those places. */
static uint64_t deposit(uint64_t bits, uint64_t places) {
    uint64_t result = 0;
    for (; places; places &= places - 1, bits >>= 1)
        if (bits & 1) result |= places & -places;
    return result;
}

static bool folds(const irr_plugin_compiled_t *compiled, const irr_layer_t *layer,
                  const irr_layer_t *into) {
    const irr_value_t *between = &compiled->values[layer->is.output];
    return between->readers == 1 && between->output == IRR_NO_VALUE && layer->op == into->op &&
           is_order_free(layer->op, between->is.element_type) &&
           layer->axes_input == IRR_NO_VALUE && into->axes_input == IRR_NO_VALUE && layer->mask &&
           into->mask;
}

/* oneDNN, where it is forced, has bits of its own. */
void irr_fold_chains(irr_plugin_compiled_t *compiled) {
    if (compiled->config.backend == IRR_BACKEND_ONEDNN) return;
    for (uint32_t k = 0; k < compiled->layer_count; k++) {
        irr_layer_t *layer = &compiled->layers[k];
        uint32_t maker = compiled->values[layer->is.data].maker;
        if (maker == IRR_NO_LAYER || !folds(compiled, &compiled->layers[maker], layer)) continue;
        irr_layer_t *first = &compiled->layers[maker];
        uint64_t mask = deposit(layer->mask, first->places);
        first->folded_into = k;
        layer->source = first->source;
        layer->source_mask = first->source_mask | mask;
        layer->places = layer->is.keep_dims ? first->places : first->places & ~mask;
    }
}
