/* What a plan is to people: why each layer runs where it runs, as JSON, and the texts of a profile.
 * Nothing of it is needed to run, so the backends are asked once more, now for their words.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/compiled.h"

/* ---- a layer of the plan in words ---- */

typedef struct {
    bool chosen; /* choice holds offers; else the step has no arithmetic */
    irr_choice_t choice;
    char geometry[IRR_GEOMETRY_TEXT_BYTES]; /* "reduce 72, keep 240", "identity", "empty" */
    const char *with;                       /* the layer that it runs in one pass with, or NULL */
} words_t;

/* People know a layer by its name; an id is the host's, which may have made it up. */
static const char *name_of(const irr_layer_t *layer) {
    return *layer->is.name ? layer->is.name : layer->is.id;
}

static void words_of(const irr_plan_t *plan, uint32_t k, words_t *words) {
    const irr_layer_t *layers = plan->compiled->layers;
    const irr_step_t *step = &plan->steps[k];
    /* Of a pass, the first names the second, all others name the first. */
    uint32_t into = layers[k].folded_into, with = step->first == k ? step->next : step->first;
    irr_problem_t problem;
    irr_config_t config;
    irr_plan_problem(plan, k, &problem, &config);
    words->chosen = step->backend && step->backend != &irr_backend_idle;
    words->with = with == IRR_NO_LAYER ? NULL : name_of(&layers[with]);
    if (words->chosen) {
        config.beside = words->with != NULL;
        irr_planner_choose(&problem, &config, true, &words->choice, (irr_sentence_t){NULL, 0});
        irr_geometry_text(&problem.geometry, words->geometry, sizeof words->geometry);
    } else if (into != IRR_NO_LAYER) {
        snprintf(words->geometry, sizeof words->geometry, "folded into layer %.100s",
                 name_of(&layers[into]));
    } else {
        snprintf(words->geometry, sizeof words->geometry, "%s",
                 !step->backend              ? "nothing"
                 : problem.geometry.set_size ? "identity"
                                             : "empty");
    }
}

/* ---- the profile ---- */

static char *shape_text(irr_arena_t *memory, const irr_tensor_view_t *data, uint64_t mask) {
    char text[IRR_SHAPE_TEXT_BYTES + 256];
    irr_shape_text(data->dims, data->rank, text, IRR_SHAPE_TEXT_BYTES);
    irr_writer_t writer = {text, sizeof text, strlen(text)};
    irr_write(&writer, " axes [");
    const char *comma = "";
    for (unsigned d = 0; d < data->rank; d++)
        if (mask >> d & 1) irr_write(&writer, "%s%u", comma, d), comma = ",";
    irr_write(&writer, "]");
    return irr_take_text(memory, text);
}

static char *kernel_text(irr_arena_t *memory, const words_t *words) {
    char text[IRR_GEOMETRY_TEXT_BYTES];
    if (!words->chosen) return irr_take_text(memory, words->geometry);
    snprintf(text, sizeof text, "%s%s%.100s", words->choice.offers[words->choice.backend].kernel,
             words->with ? ", one pass with layer " : "", words->with ? words->with : "");
    return irr_take_text(memory, text);
}

/* What a pass reads once is counted once: by parts, as the time. */
const irr_profile_row_t *irr_plan_row(irr_plan_t *plan, uint32_t k) {
    const irr_layer_t *layer = &plan->compiled->layers[k];
    const irr_tensor_view_t *data = &plan->shapes[layer->source];
    irr_step_t *step = &plan->steps[k];
    irr_profile_row_t *row = &step->row;
    words_t words;
    irr_lock(plan->compiled);
    if (!row->kernel || !row->shape) {
        words_of(plan, k, &words);
        *row = (irr_profile_row_t){
            .layer = name_of(layer),
            .op = layer->is.type,
            .shape = shape_text(&plan->memory, data, step->mask),
            .backend = step->backend ? step->backend->name : "none",
            .kernel = kernel_text(&plan->memory, &words),
            .tier = irr_tier_name(words.chosen ? words.choice.offers[words.choice.backend].tier
                                               : IRR_TIER_SCALAR),
            .executed = step->backend != NULL,
        };
        if (step->backend)
            row->bytes = irr_view_bytes(data) / plan->steps[step->first].length +
                         irr_view_bytes(&plan->shapes[layer->is.output]);
    }
    irr_unlock(plan->compiled);
    return row->kernel && row->shape ? row : NULL;
}

/* ---- IRREDUCE_EXPLAIN ---- */

/* The plan last used, held so that no other thread's infer frees it; NULL if there is none. */
static irr_plan_t *newest(irr_plugin_compiled_t *compiled) {
    irr_lock(compiled);
    irr_plan_t *plan = *compiled->cache;
    if (plan) atomic_fetch_add(&plan->users, 1);
    irr_unlock(compiled);
    return plan;
}

/* What stands before it, then the text in quotes, with JSON's escapes; NULL as null. */
static void put(irr_writer_t *writer, const char *before, const char *text) {
    irr_write(writer, text ? "%s\"" : "%snull", before);
    for (const unsigned char *c = (const unsigned char *)text; c && *c; c++)
        irr_write(writer, *c == '"' || *c == '\\' ? "\\%c" : *c < 0x20 ? "\\u%04x" : "%c", *c);
    if (text) irr_write(writer, "\"");
}

/* Of which locale the host may be: JSON has a point. */
static void put_thousandths(irr_writer_t *writer, double us) {
    uint64_t thousandths = (uint64_t)(us * 1000 + 0.5);
    irr_write(writer, ",\"estimate_us\":%llu.%03u", (unsigned long long)(thousandths / 1000),
              (unsigned)(thousandths % 1000));
}

static void explain_offers(const irr_choice_t *choice, irr_writer_t *writer) {
    for (unsigned i = 0; i < IRR_BACKEND_COUNT; i++) {
        const irr_offer_t *offer = &choice->offers[i];
        put(writer,
            i ? ",{\"backend\":" : "{\"backend\":", irr_backend_row((irr_backend_e)i)->name);
        if (offer->serves)
            put_thousandths(writer, offer->estimate_us);
        else
            put(writer, ",\"estimate_us\":", NULL);
        put(writer, ",\"kernel\":", offer->serves ? offer->kernel : NULL);
        put(writer, ",\"reason\":", offer->reason);
        irr_write(writer, "}");
    }
}

/* plan NULL: it is not planned before its shapes are known. */
static void explain_layer(const irr_plugin_compiled_t *compiled, const irr_plan_t *plan, uint32_t k,
                          irr_writer_t *writer) {
    const irr_layer_t *layer = &compiled->layers[k];
    const irr_backend_t *backend = plan ? plan->steps[k].backend : NULL;
    words_t words = {.with = NULL};
    if (plan) {
        irr_lock(compiled);
        words_of(plan, k, &words);
        irr_unlock(compiled);
    }
    put(writer, "{\"id\":", layer->is.id);
    put(writer, ",\"name\":", layer->is.name);
    put(writer, ",\"op\":", layer->is.type);
    put(writer,
        ",\"type\":", irr_element_type_name(compiled->values[layer->is.data].is.element_type));
    put(writer, ",\"geometry\":", plan ? words.geometry : NULL);
    irr_write(writer, ",\"offers\":[");
    if (words.chosen) explain_offers(&words.choice, writer);
    irr_write(writer, "]");
    if (words.with) put(writer, ",\"one_pass_with\":", words.with);
    put(writer, ",\"choice\":", backend ? backend->name : plan ? "none" : NULL);
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
