/* Why each layer runs where it runs, as JSON.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "plan/compiled.h"

/* The plan last used, held so that no other thread's infer frees it; NULL if there is none. */
static irr_plan_t *newest(irr_plugin_compiled_t *compiled) {
    irr_plan_t *plan = NULL;
    irr_lock(compiled);
    for (unsigned i = 0; i < IRR_PLAN_CACHE_CAPACITY && compiled->cache[i]; i++)
        if (!plan || compiled->cache[i]->last_used > plan->last_used) plan = compiled->cache[i];
    if (plan) atomic_fetch_add(&plan->users, 1);
    irr_unlock(compiled);
    return plan;
}

static void explain_offers(const irr_choice_t *choice, irr_writer_t *writer) {
    for (unsigned i = 0; i < IRR_BACKEND_COUNT; i++) {
        const irr_offer_t *offer = &choice->offers[i];
        irr_write(writer, "%s{\"backend\":", i ? "," : "");
        irr_write_json(writer, irr_backend_row((irr_backend_e)i)->name);
        if (offer->serves)
            irr_write(writer, ",\"estimate_us\":%.3f,\"kernel\":", offer->estimate_us);
        else
            irr_write(writer, ",\"estimate_us\":null,\"kernel\":");
        irr_write_json(writer, offer->serves ? offer->kernel : NULL);
        irr_write(writer, ",\"reason\":");
        irr_write_json(writer, offer->reason);
        irr_write(writer, "}");
    }
}

static void explain_layer(const irr_plugin_compiled_t *compiled, const irr_plan_t *plan, uint32_t k,
                          irr_writer_t *writer) {
    const irr_layer_t *layer = &compiled->layers[k];
    irr_words_t words;
    if (plan) {
        irr_lock(compiled);
        irr_plan_words(compiled, plan, k, &words);
        irr_unlock(compiled);
    }
    irr_write(writer, "{\"id\":");
    irr_write_json(writer, layer->id);
    irr_write(writer, ",\"name\":");
    irr_write_json(writer, layer->name);
    irr_write(writer, ",\"op\":\"%s\",\"type\":\"%s\",\"geometry\":", irr_op_info(layer->op)->type,
              irr_element_type_info(compiled->values[layer->data].type)->name);
    irr_write_json(writer, plan ? words.geometry : NULL);
    irr_write(writer, ",\"offers\":[");
    if (plan && words.chosen) explain_offers(&words.choice, writer);
    irr_write(writer, "],");
    if (plan && words.with) {
        irr_write(writer, "\"one_pass_with\":");
        irr_write_json(writer, words.with);
        irr_write(writer, ",");
    }
    irr_write(writer, "\"choice\":");
    const char *none = plan ? "none" : NULL; /* null: not planned before its shapes are known */
    irr_write_json(writer, plan && words.chosen ? plan->steps[k].backend->name : none);
    irr_write(writer, "}");
}

void irr_compiled_explain(irr_plugin_compiled_t *compiled, irr_writer_t *writer) {
    irr_plan_t *plan = newest(compiled);
    irr_write(writer, "{\"layers\":[");
    for (uint32_t k = 0; k < compiled->layer_count; k++) {
        if (k) irr_write(writer, ",");
        explain_layer(compiled, plan, k, writer);
    }
    irr_write(writer, "]}");
    irr_plan_release(plan);
}
