/* A compiled graph at one set of shapes and axes -> steps; and the cache of such plans.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/compiled.h"

/* ---- one step ---- */

void irr_plan_problem(const irr_plugin_compiled_t *compiled, const irr_plan_t *plan, uint32_t k,
                      irr_problem_t *problem, irr_config_t *config) {
    const irr_layer_t *layer = &compiled->layers[k];
    const irr_plan_shape_t *data = &plan->shapes[layer->source];
    irr_problem_of(layer->op, compiled->values[layer->is.output].is.element_type, data->dims,
                   data->rank, plan->notes[k].mask, problem);
    *config = compiled->config;
    config->threads = (uint32_t)plan->key[0];
}

static irr_status_e make_step(const irr_plugin_compiled_t *compiled, irr_plan_t *plan, uint32_t k,
                              size_t *scratch_bytes, irr_sentence_t sentence) {
    irr_step_t *step = &plan->steps[k];
    irr_problem_t problem;
    irr_config_t config;
    irr_choice_t choice;
    irr_plan_problem(compiled, plan, k, &problem, &config);
    const irr_backend_t *backend = &irr_backend_fill;
    if (problem.geometry.output_count == 0) return IRR_OK;
    if (problem.mask == 0 && compiled->layers[k].is.empty_axes == IRR_EMPTY_AXES_IDENTITY) {
        backend = &irr_backend_copy;
    } else if (problem.geometry.set_size != 0) {
        IRR_TRY(irr_planner_choose(&problem, &config, false, &choice, sentence));
        backend = irr_backend_row(choice.backend);
    }
    IRR_TRY(backend->prepare(&problem, &config, &step->state, scratch_bytes, sentence));
    step->backend = backend; /* from here on there is a state to release */
    return IRR_OK;
}

/* ---- the whole plan ---- */

typedef struct {
    irr_plugin_compiled_t *compiled;
    irr_plan_t *plan;
    size_t scratch_bytes;
    irr_sentence_t sentence;
} planning_t;

/* Is the shape what the graph says? */
static irr_status_e check(const irr_value_t *value, const irr_plan_shape_t *shape, const char *what,
                          uint32_t index, irr_sentence_t sentence) {
    const irr_tensor_view_t view = {
        .element_type = value->is.element_type, .rank = shape->rank, .dims = shape->dims};
    irr_status_e status = irr_check_tensor(&value->is, NULL, &view, sentence);
    return status == IRR_OK ? status
                            : irr_fail_at(sentence, status, "%s %u: ", what, (unsigned)index);
}

/* Room for a value in the request's memory. */
static bool place(irr_plan_t *plan, size_t bytes, size_t *offset) {
    *offset = plan->memory_bytes;
    return irr_add_size(plan->memory_bytes, bytes, &plan->memory_bytes) &&
           irr_add_size(plan->memory_bytes, IRR_ALIGNMENT - 1, &plan->memory_bytes) &&
           (plan->memory_bytes -= plan->memory_bytes % IRR_ALIGNMENT, true);
}

static irr_status_e shape_ends(planning_t *planning) {
    const irr_plugin_compiled_t *compiled = planning->compiled;
    const int64_t *key = planning->plan->key + 1;
    for (uint32_t v = 0; v < compiled->value_count; v++) {
        const irr_value_t *value = &compiled->values[v];
        planning->plan->offsets[v] = SIZE_MAX;
        planning->plan->shapes[v] = (irr_plan_shape_t){value->is.dims, value->is.rank, IRR_NO_STEP};
    }
    for (uint32_t i = 0; i < compiled->input_count; i++) {
        uint32_t v = compiled->inputs[i];
        irr_plan_shape_t shape = {key, compiled->values[v].is.rank, IRR_NO_STEP};
        IRR_TRY(check(&compiled->values[v], &shape, "input", i, planning->sentence));
        planning->plan->shapes[v] = shape;
        key += shape.rank;
    }
    return IRR_OK;
}

/* ---- siblings ---- */

/* Passes that begin with readers of one value which are looked through, at most: a value with many
 * readers over different axes must not make planning quadratic. */
#define PASSES_SEEN 16u

/* The last pass that could be joined, by its first step; else IRR_NO_STEP. */
static uint32_t find_pass(const planning_t *planning, uint32_t k) {
    const irr_step_t *steps = planning->plan->steps, *step = &steps[k];
    const irr_step_note_t *notes = planning->plan->notes;
    uint32_t first = planning->plan->shapes[step->data].newest_pass;
    for (unsigned seen = 0; first != IRR_NO_STEP && seen < PASSES_SEEN; seen++) {
        const irr_step_t *pass = &steps[first];
        if (notes[first].mask == notes[k].mask && pass->length < IRR_MOST_SIBLINGS &&
            pass->backend == step->backend && step->backend->joins(pass->state, step->state))
            return first;
        first = pass->older;
    }
    return IRR_NO_STEP;
}

/* Puts step k behind its siblings, or opens a pass that later ones may join. */
static void join_siblings(planning_t *planning, uint32_t k) {
    irr_step_t *steps = planning->plan->steps, *step = &steps[k];
    if (!step->backend || !step->backend->joins) return;
    uint32_t first = find_pass(planning, k);
    if (first == IRR_NO_STEP) {
        step->last = k;
        step->length = 1;
        step->older = planning->plan->shapes[step->data].newest_pass;
        planning->plan->shapes[step->data].newest_pass = k;
        return;
    }
    step->first = first;
    steps[steps[first].last].next = k;
    steps[first].last = k;
    steps[first].length++;
}

static bool bytes_of(const irr_plan_shape_t *shape, irr_element_type_e type, size_t *bytes) {
    size_t elements;
    return irr_shape_elements(shape->dims, shape->rank, &elements) &&
           irr_elements_bytes(type, elements, bytes);
}

/* What was read once is counted once: by parts, as the time. */
static void share_bytes(planning_t *planning, uint32_t k, uint32_t count) {
    const irr_layer_t *layer = &planning->compiled->layers[k];
    size_t bytes = 0;
    bytes_of(&planning->plan->shapes[layer->source],
             planning->compiled->values[layer->is.output].is.element_type, &bytes);
    planning->plan->notes[k].bytes -= bytes - bytes / count;
}

/* Those of several steps are prepared to be one. */
static void join_passes(planning_t *planning) {
    irr_plan_t *plan = planning->plan;
    for (uint32_t k = 0; k < plan->step_count; k++) {
        void *states[IRR_MOST_SIBLINGS];
        uint32_t count = 0;
        size_t scratch_bytes;
        if (plan->steps[k].first != k || plan->steps[k].next == IRR_NO_STEP) continue;
        for (uint32_t s = k; s != IRR_NO_STEP; s = plan->steps[s].next)
            states[count++] = plan->steps[s].state;
        plan->steps[k].backend->join(states, count, &scratch_bytes);
        for (uint32_t s = k; s != IRR_NO_STEP; s = plan->steps[s].next)
            share_bytes(planning, s, count);
        if (scratch_bytes > planning->scratch_bytes) planning->scratch_bytes = scratch_bytes;
    }
}

/* The shape of a layer's result, whose rank is at most its data's. */
static irr_status_e shape_layer(planning_t *planning, const irr_layer_t *layer, uint64_t mask) {
    const irr_plan_shape_t *data = &planning->plan->shapes[layer->is.data];
    int64_t *dims = irr_take(&planning->plan->memory, data->rank, sizeof *dims);
    irr_plan_shape_t made = {dims, 0, IRR_NO_STEP};
    if (!dims) return irr_out_of_memory(planning->sentence, data->rank * sizeof *dims);
    irr_reduced_shape(data->dims, data->rank, mask, layer->is.keep_dims, dims, &made.rank);
    planning->plan->shapes[layer->is.output] = made;
    return check(&planning->compiled->values[layer->is.output], &made, "value", layer->is.output,
                 planning->sentence);
}

static irr_status_e plan_layer(planning_t *planning, uint32_t k) {
    irr_plugin_compiled_t *compiled = planning->compiled;
    irr_plan_t *plan = planning->plan;
    const irr_layer_t *layer = &compiled->layers[k];
    const irr_value_t *output = &compiled->values[layer->is.output];
    size_t bytes, read_bytes, scratch_bytes = 0;
    if (!bytes_of(&plan->shapes[layer->source], output->is.element_type, &read_bytes) ||
        !bytes_of(&plan->shapes[layer->is.output], output->is.element_type, &bytes) ||
        !irr_add_size(read_bytes, bytes, &plan->notes[k].bytes))
        return irr_fail(planning->sentence, IRR_NOT_ALLOCATED,
                        "its tensors are larger than any memory");
    IRR_TRY(make_step(compiled, plan, k, &scratch_bytes, planning->sentence));
    if (scratch_bytes > planning->scratch_bytes) planning->scratch_bytes = scratch_bytes;
    join_siblings(planning, k);
    if (!output->is_output && !place(plan, bytes, &plan->offsets[layer->is.output]))
        return irr_fail(planning->sentence, IRR_NOT_ALLOCATED,
                        "its results are larger than any memory");
    return IRR_OK;
}

/* Asking how much memory there is takes longer than most plans. */
#define CERTAIN_MEMORY_BYTES ((size_t)1 << 20)

static bool has_memory(size_t bytes) {
    return bytes <= CERTAIN_MEMORY_BYTES || bytes <= irr_memory_limit_bytes();
}

static irr_status_e plan_layers(planning_t *planning) {
    irr_plugin_compiled_t *compiled = planning->compiled;
    irr_plan_t *plan = planning->plan;
    const int64_t *mask = plan->key + 1;
    for (uint32_t i = 0; i < compiled->input_count; i++)
        mask += compiled->values[compiled->inputs[i]].is.rank;
    for (uint32_t k = 0; k < compiled->layer_count; k++) {
        const irr_layer_t *layer = &compiled->layers[k];
        bool late = layer->axes_input != IRR_NO_VALUE;
        uint64_t axes = late ? (uint64_t)*mask++ : layer->mask;
        plan->steps[k] = (irr_step_t){
            .data = layer->source, .output = layer->is.output, .first = k, .next = IRR_NO_STEP};
        plan->notes[k].mask = late ? axes : layer->source_mask;
        plan->step_count = k + 1;
        irr_status_e status = shape_layer(planning, layer, axes);
        if (status == IRR_OK && layer->folded_into == IRR_NO_LAYER)
            status = plan_layer(planning, k);
        if (status != IRR_OK) return irr_fail_layer(planning->sentence, status, &layer->is);
    }
    join_passes(planning);
    if (!place(plan, planning->scratch_bytes, &plan->scratch_offset) ||
        !has_memory(plan->memory_bytes))
        return irr_out_of_memory(planning->sentence, plan->memory_bytes);
    return IRR_OK;
}

static irr_status_e claim(planning_t *planning, const int64_t *key) {
    const irr_plugin_compiled_t *compiled = planning->compiled;
    irr_plan_t *plan = planning->plan = irr_calloc(1, sizeof *plan);
    if (!plan) return irr_out_of_memory(planning->sentence, sizeof *plan);
    irr_arena_t *memory = &plan->memory;
    atomic_init(&plan->users, 1);
    plan->key = irr_take_copy(memory, key, compiled->key_count, sizeof *key);
    plan->steps = irr_take(memory, compiled->layer_count, sizeof *plan->steps);
    plan->notes = irr_take(memory, compiled->layer_count, sizeof *plan->notes);
    plan->shapes = irr_take(memory, compiled->value_count, sizeof *plan->shapes);
    plan->offsets = irr_take(memory, compiled->value_count, sizeof *plan->offsets);
    return memory->failed ? irr_out_of_memory(planning->sentence, sizeof *plan) : IRR_OK;
}

static irr_status_e make_plan(irr_plugin_compiled_t *compiled, const int64_t *key,
                              irr_plan_t **plan, irr_sentence_t sentence) {
    planning_t planning = {.compiled = compiled, .sentence = sentence};
    irr_status_e status = claim(&planning, key);
    if (status == IRR_OK) status = shape_ends(&planning);
    if (status == IRR_OK) status = plan_layers(&planning);
    return IRR_GIVE(status, plan, planning.plan, irr_plan_release);
}

void irr_plan_release(irr_plan_t *plan) {
    if (!plan || atomic_fetch_sub(&plan->users, 1) != 1) return;
    for (uint32_t k = 0; k < plan->step_count; k++)
        if (plan->steps[k].backend) plan->steps[k].backend->release(plan->steps[k].state);
    irr_arena_release(&plan->memory);
    irr_release(plan);
}

/* ---- the cache: few plans, seldom searched ---- */

/* The place of this key, or else the one to fill: an empty one, or that of the oldest plan. */
static irr_plan_t **find(irr_plugin_compiled_t *compiled, const int64_t *key, bool *found) {
    irr_plan_t **oldest = compiled->cache;
    *found = false;
    for (unsigned i = 0; i < IRR_PLAN_CACHE_CAPACITY; i++) {
        irr_plan_t **place = &compiled->cache[i];
        if (!*place) return place;
        *found = memcmp((*place)->key, key, compiled->key_count * sizeof *key) == 0;
        if (*found) return place;
        if ((*place)->last_used < (*oldest)->last_used) oldest = place;
    }
    return oldest;
}

irr_status_e irr_plan_acquire(irr_plugin_compiled_t *compiled, const int64_t *key,
                              irr_plan_t **plan, irr_sentence_t sentence) {
    bool found;
    irr_status_e status = IRR_OK;
    irr_lock(compiled);
    irr_plan_t **place = find(compiled, key, &found), *made = found ? *place : NULL;
    if (!found) {
        status = make_plan(compiled, key, &made, sentence);
        if (status == IRR_OK) {
            irr_plan_release(*place);
            *place = made;
        }
    }
    if (status == IRR_OK) {
        made->last_used = ++compiled->cache_clock;
        atomic_fetch_add(&made->users, 1);
        *plan = made;
    }
    irr_unlock(compiled);
    return status;
}
