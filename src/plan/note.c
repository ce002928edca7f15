/* What a plan is to people. Nothing of it is needed to run, so it is worked out when somebody asks:
 * the backends are asked once more, now for their words.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
#include "plan/compiled.h"

#include <stdio.h>
#include <string.h>

/* People know a layer by its name; an id is the host's, which may have made it up. */
static const char *name_of(const irr_layer_t *layer) {
    return *layer->name ? layer->name : layer->id;
}

/* Of a pass, the first names the second, all others name the first. */
static const char *companion(const irr_plugin_compiled_t *compiled, const irr_plan_t *plan,
                             uint32_t k) {
    const irr_step_t *step = &plan->steps[k];
    uint32_t with = step->first == k ? step->next : step->first;
    return with == IRR_NO_STEP ? NULL : name_of(&compiled->layers[with]);
}

/* What a step without arithmetic is. */
static const char *idle(const irr_step_t *step) {
    return step->backend == &irr_backend_copy   ? "identity"
           : step->backend == &irr_backend_fill ? "empty"
           : !step->backend                     ? "nothing"
                                                : NULL;
}

void irr_plan_words(const irr_plugin_compiled_t *compiled, const irr_plan_t *plan, uint32_t k,
                    irr_words_t *words) {
    const irr_layer_t *layer = &compiled->layers[k];
    irr_problem_t problem;
    irr_config_t config;
    const char *why = idle(&plan->steps[k]);
    words->chosen = !why;
    words->with = companion(compiled, plan, k);
    if (layer->folded_into != IRR_NO_LAYER)
        snprintf(words->geometry, sizeof words->geometry, "folded into layer %.100s",
                 name_of(&compiled->layers[layer->folded_into]));
    else if (why)
        snprintf(words->geometry, sizeof words->geometry, "%s", why);
    snprintf(words->kernel, sizeof words->kernel, "%s", words->geometry);
    if (why) return;
    irr_plan_problem(compiled, plan, k, &problem, &config);
    irr_planner_choose(&problem, &config, true, &words->choice, (irr_sentence_t){NULL, 0});
    irr_geometry_text(&problem.geometry, words->geometry, sizeof words->geometry);
    snprintf(words->kernel, sizeof words->kernel, "%s%s%.100s",
             words->choice.offers[words->choice.backend].kernel,
             words->with ? ", one pass with layer " : "", words->with ? words->with : "");
}

static char *shape_text(const irr_plan_shape_t *data, uint64_t mask) {
    char text[IRR_SHAPE_TEXT_BYTES + 256];
    irr_shape_text(data->dims, data->rank, text, IRR_SHAPE_TEXT_BYTES);
    irr_writer_t writer = {text, sizeof text, strlen(text)};
    irr_write(&writer, " axes [");
    const char *comma = "";
    for (unsigned d = 0; d < data->rank; d++)
        if (mask >> d & 1) irr_write(&writer, "%s%u", comma, d), comma = ",";
    irr_write(&writer, "]");
    return irr_strdup(text);
}

bool irr_plan_note(irr_plugin_compiled_t *compiled, irr_plan_t *plan, uint32_t k) {
    irr_step_note_t *note = &plan->notes[k];
    irr_words_t words;
    irr_lock(compiled);
    if (!note->kernel) {
        irr_plan_words(compiled, plan, k, &words);
        note->kernel = irr_strdup(words.kernel);
        note->tier =
            words.chosen ? words.choice.offers[words.choice.backend].tier : IRR_TIER_SCALAR;
    }
    if (!note->shape)
        note->shape = shape_text(&plan->shapes[compiled->layers[k].source], note->mask);
    irr_unlock(compiled);
    return note->kernel && note->shape;
}
