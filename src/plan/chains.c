/* A reduction of a reduction by the same op is one reduction over both's axes. Only ops whose bits
 * do not depend on the order take that, and only where nobody else sees what lies between.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
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
                  const irr_layer_t *into, uint32_t readers) {
    const irr_value_t *between = &compiled->values[layer->output];
    return readers == 1 && !between->is_output && layer->op == into->op &&
           is_order_free(layer->op, between->type) && layer->axes_input == IRR_NO_VALUE &&
           into->axes_input == IRR_NO_VALUE && layer->mask && into->mask;
}

/* oneDNN, where it is forced, has bits of its own. */
bool irr_fold_chains(irr_plugin_compiled_t *compiled) {
    uint32_t *readers = irr_calloc(compiled->value_count, sizeof *readers);
    uint32_t *makers = irr_calloc(compiled->value_count, sizeof *makers); /* 0: none, else k + 1 */
    bool room = readers && makers, allowed = compiled->config.backend != IRR_BACKEND_ONEDNN;
    for (uint32_t k = 0; room && k < compiled->layer_count; k++)
        readers[compiled->layers[k].data]++;
    for (uint32_t k = 0; room && allowed && k < compiled->layer_count; k++) {
        irr_layer_t *layer = &compiled->layers[k];
        uint32_t maker = makers[layer->data];
        makers[layer->output] = k + 1;
        if (!maker || !folds(compiled, &compiled->layers[maker - 1], layer, readers[layer->data]))
            continue;
        irr_layer_t *first = &compiled->layers[maker - 1];
        uint64_t mask = deposit(layer->mask, first->places);
        first->folded_into = k;
        layer->source = first->source;
        layer->source_mask = first->source_mask | mask;
        layer->places = layer->keep_dims ? first->places : first->places & ~mask;
    }
    irr_release(readers);
    irr_release(makers);
    return room;
}
