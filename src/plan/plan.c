/* A compiled graph at one set of shapes and axes -> steps; and the cache of such plans.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/memory.h"
#include "base/status.h"
#include "plan/compiled.h"

#include <stdio.h>
#include <string.h>

irr_status_e irr_plan_choose(irr_op_e op, irr_element_type_e type, const int64_t *dims,
                             uint32_t rank, uint64_t mask, const irr_config_t *config,
                             irr_problem_t *problem, irr_choice_t *choice,
                             irr_sentence_t sentence) {
    problem->op = op;
    problem->type = type;
    problem->rank = rank;
    if (rank) memcpy(problem->dims, dims, rank * sizeof *dims);
    problem->mask = mask;
    irr_geometry_of(dims, rank, mask, &problem->geometry);
    return irr_planner_choose(problem, config, choice, sentence);
}

/* ---- one step ---- */

/* A value's shape while a plan is made. */
typedef struct {
    const int64_t *dims;
    uint32_t rank;
    uint32_t newest; /* chain that begins with a reader of this value, or IRR_NO_STEP */
} shape_t;

/* What a step is made from. */
typedef struct {
    const irr_layer_t *layer;
    irr_element_type_e type;
    shape_t data;
    uint64_t mask;
    size_t data_count, output_count;
} task_t;

static char *shape_text(const shape_t *data, uint64_t mask) {
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

static irr_status_e prepare_reduction(const task_t *task, const irr_config_t *config,
                                      irr_step_t *step, irr_step_note_t *note,
                                      size_t *scratch_bytes, irr_sentence_t sentence) {
    irr_problem_t problem;
    char text[IRR_GEOMETRY_TEXT_BYTES];
    irr_status_e status =
        irr_plan_choose(task->layer->op, task->type, task->data.dims, task->data.rank, task->mask,
                        config, &problem, &note->choice, sentence);
    if (status != IRR_OK) return status;
    note->chosen = true;
    note->geometry = irr_strdup(irr_geometry_text(&problem.geometry, text, sizeof text));
    const irr_backend_t *backend = irr_backend_row(note->choice.backend);
    status = backend->prepare(&problem, config, &step->state, scratch_bytes, sentence);
    if (status == IRR_OK) step->backend = backend; /* from here on there is a state to release */
    return status;
}

static irr_status_e make_step(const task_t *task, const irr_config_t *config, irr_step_t *step,
                              irr_step_note_t *note, size_t *scratch_bytes,
                              irr_sentence_t sentence) {
    size_t element_bytes = irr_element_bytes(task->type);
    irr_status_e status = IRR_OK;
    bool identity = task->mask == 0 && task->layer->empty_axes == IRR_EMPTY_AXES_IDENTITY;
    *scratch_bytes = 0;
    note->bytes = (task->data_count + task->output_count) * element_bytes;
    if (task->output_count == 0) {
        note->geometry = irr_strdup("nothing");
    } else if (identity) {
        note->geometry = irr_strdup("identity");
        status = irr_prepare_copy(note->bytes / 2, &step->state, sentence);
        if (status == IRR_OK) step->backend = &irr_backend_copy;
    } else if (task->data_count == 0) {
        note->geometry = irr_strdup("empty");
        status = irr_prepare_fill(task->layer->op, task->type, task->output_count, &step->state,
                                  sentence);
        if (status == IRR_OK) step->backend = &irr_backend_fill;
    } else {
        status = prepare_reduction(task, config, step, note, scratch_bytes, sentence);
    }
    note->shape = shape_text(&task->data, task->mask);
    if (status == IRR_OK && (!note->geometry || !note->shape))
        return irr_out_of_memory(sentence, IRR_SHAPE_TEXT_BYTES);
    return status;
}

/* ---- the whole plan ---- */

/* Steps that may be executed as one. */
typedef struct {
    uint32_t older; /* another chain on the same data, or IRR_NO_STEP */
    uint32_t last, length;
    uint64_t mask;
} chain_t;

typedef struct {
    irr_plugin_compiled_t *compiled;
    irr_plan_t *plan;
    shape_t *shapes;    /* by value */
    chain_t *chains;    /* by layer: of those that are the first of one */
    int64_t *next_dims; /* room for the dims of the results to come */
    size_t scratch_bytes;
    irr_sentence_t sentence;
} planning_t;

static bool fits(const irr_value_t *declared, const shape_t *shape) {
    if (declared->rank == IRR_DYNAMIC_RANK) return true;
    if (declared->rank != shape->rank) return false;
    for (uint32_t d = 0; d < shape->rank; d++)
        if (shape->dims[d] < 0 || (declared->dims[d] >= 0 && declared->dims[d] != shape->dims[d]))
            return false;
    return true;
}

static irr_status_e misfit(irr_sentence_t sentence, const char *what, uint32_t index,
                           const irr_value_t *declared, const shape_t *shape) {
    char is[256], should[256];
    return irr_fail(sentence, IRR_PARAMETER_MISMATCH, "%s %u has shape %s, expected %s", what,
                    (unsigned)index, irr_shape_text(shape->dims, shape->rank, is, sizeof is),
                    declared->rank == IRR_DYNAMIC_RANK
                        ? "?"
                        : irr_shape_text(declared->dims, declared->rank, should, sizeof should));
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
        planning->shapes[v] = (shape_t){value->dims, value->rank, IRR_NO_STEP};
    }
    for (uint32_t i = 0; i < compiled->input_count; i++) {
        uint32_t v = compiled->inputs[i];
        shape_t shape = {key, compiled->values[v].rank, IRR_NO_STEP};
        if (!fits(&compiled->values[v], &shape))
            return misfit(planning->sentence, "input", i, &compiled->values[v], &shape);
        planning->shapes[v] = shape;
        key += shape.rank;
    }
    return IRR_OK;
}

/* ---- siblings ---- */

/* Chains that begin with readers of one value which are looked through, at most: a value with many
 * readers over different axes must not make planning quadratic. */
#define CHAINS_SEEN 16u

/* The last chain that could be joined, by its first step; else IRR_NO_STEP. */
static uint32_t find_chain(const planning_t *planning, uint32_t k, uint64_t mask) {
    const irr_step_t *steps = planning->plan->steps, *step = &steps[k];
    uint32_t first = planning->shapes[step->data].newest;
    for (unsigned seen = 0; first != IRR_NO_STEP && seen < CHAINS_SEEN; seen++) {
        const chain_t *chain = &planning->chains[first];
        if (chain->mask == mask && chain->length < IRR_MOST_SIBLINGS &&
            steps[first].backend == step->backend &&
            step->backend->joins(steps[first].state, step->state))
            return first;
        first = chain->older;
    }
    return IRR_NO_STEP;
}

/* Puts step k behind its siblings, or opens a chain that later ones may join. */
static void join_siblings(planning_t *planning, uint32_t k, uint64_t mask) {
    irr_step_t *steps = planning->plan->steps, *step = &steps[k];
    if (!step->backend || !step->backend->joins) return;
    uint32_t first = find_chain(planning, k, mask);
    if (first == IRR_NO_STEP) {
        planning->chains[k] = (chain_t){planning->shapes[step->data].newest, k, 1, mask};
        planning->shapes[step->data].newest = k;
        return;
    }
    chain_t *chain = &planning->chains[first];
    step->first = first;
    steps[chain->last].next = k;
    chain->last = k;
    chain->length++;
}

/* Chains that have become long enough are executed as one. */
static void join_chains(planning_t *planning) {
    irr_plan_t *plan = planning->plan;
    for (uint32_t k = 0; k < plan->step_count; k++) {
        void *states[IRR_MOST_SIBLINGS];
        uint32_t count = 0;
        size_t scratch_bytes;
        if (plan->steps[k].first != k || plan->steps[k].next == IRR_NO_STEP) continue;
        for (uint32_t s = k; s != IRR_NO_STEP; s = plan->steps[s].next)
            states[count++] = plan->steps[s].state;
        plan->steps[k].backend->join(states, count, &scratch_bytes);
        if (scratch_bytes > planning->scratch_bytes) planning->scratch_bytes = scratch_bytes;
    }
}

static irr_status_e plan_layer(planning_t *planning, uint32_t k, uint64_t mask,
                               irr_sentence_t sentence) {
    irr_plugin_compiled_t *compiled = planning->compiled;
    irr_plan_t *plan = planning->plan;
    const irr_layer_t *layer = &compiled->layers[k];
    const irr_value_t *output = &compiled->values[layer->output];
    task_t task = {layer, output->type, planning->shapes[layer->data], mask, 0, 0};
    int64_t *dims = planning->next_dims;
    shape_t made = {dims, 0, IRR_NO_STEP};
    irr_reduced_shape(task.data.dims, task.data.rank, mask, layer->keep_dims, dims, &made.rank);
    planning->shapes[layer->output] = made;
    planning->next_dims += made.rank;
    if (!fits(output, &made)) return misfit(sentence, "value", layer->output, output, &made);
    size_t bytes, twice, scratch_bytes;
    if (!irr_shape_elements(task.data.dims, task.data.rank, &task.data_count) ||
        !irr_shape_elements(made.dims, made.rank, &task.output_count) ||
        !irr_elements_bytes(task.type, task.data_count, &twice) ||
        !irr_elements_bytes(task.type, task.output_count, &bytes) ||
        !irr_add_size(twice, bytes, &twice))
        return irr_fail(sentence, IRR_NOT_ALLOCATED, "its tensors are larger than any memory");
    plan->steps[k] =
        (irr_step_t){.data = layer->data, .output = layer->output, .first = k, .next = IRR_NO_STEP};
    irr_config_t config = compiled->config;
    config.threads = (uint32_t)plan->key[0];
    irr_status_e status =
        make_step(&task, &config, &plan->steps[k], &plan->notes[k], &scratch_bytes, sentence);
    if (status != IRR_OK) return status;
    if (scratch_bytes > planning->scratch_bytes) planning->scratch_bytes = scratch_bytes;
    join_siblings(planning, k, mask);
    if (!output->is_output && !place(plan, bytes, &plan->offsets[layer->output]))
        return irr_fail(sentence, IRR_NOT_ALLOCATED, "its results are larger than any memory");
    return IRR_OK;
}

static irr_status_e plan_layers(planning_t *planning) {
    char text[IRR_SENTENCE_BYTES];
    irr_plugin_compiled_t *compiled = planning->compiled;
    irr_plan_t *plan = planning->plan;
    const int64_t *mask = plan->key + 1;
    for (uint32_t i = 0; i < compiled->input_count; i++)
        mask += compiled->values[compiled->inputs[i]].rank;
    for (uint32_t k = 0; k < compiled->layer_count; k++) {
        const irr_layer_t *layer = &compiled->layers[k];
        uint64_t axes = layer->axes_input == IRR_NO_VALUE ? layer->mask : (uint64_t)*mask++;
        plan->step_count = k + 1;
        irr_status_e status = plan_layer(planning, k, axes, (irr_sentence_t){text, sizeof text});
        if (status != IRR_OK) return irr_fail_layer(planning->sentence, status, layer, text);
    }
    join_chains(planning);
    if (!place(plan, planning->scratch_bytes, &plan->scratch_offset) ||
        plan->memory_bytes > irr_memory_limit_bytes())
        return irr_out_of_memory(planning->sentence, plan->memory_bytes);
    return IRR_OK;
}

static irr_status_e make_plan(irr_plugin_compiled_t *compiled, const int64_t *key,
                              irr_plan_t **plan, irr_sentence_t sentence) {
    irr_plan_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(sentence, sizeof *made);
    planning_t planning = {.compiled = compiled, .plan = made, .sentence = sentence};
    size_t numbers = 0; /* a result's rank is at most its data's */
    for (uint32_t k = 0; k < compiled->layer_count; k++)
        numbers += compiled->values[compiled->layers[k].data].rank;
    atomic_init(&made->users, 1);
    made->key = irr_malloc(compiled->key_count * sizeof *made->key);
    made->steps = irr_calloc(compiled->layer_count, sizeof *made->steps);
    made->notes = irr_calloc(compiled->layer_count, sizeof *made->notes);
    made->offsets = irr_calloc(compiled->value_count, sizeof *made->offsets);
    shape_t *shapes = irr_calloc(compiled->value_count, sizeof *shapes);
    chain_t *chains = irr_calloc(compiled->layer_count, sizeof *chains);
    int64_t *dims = irr_calloc(numbers, sizeof *dims);
    irr_status_e status = IRR_OK;
    if (!made->key || !made->steps || !made->notes || !made->offsets || !shapes || !chains ||
        !dims) {
        status = irr_out_of_memory(sentence, numbers * sizeof *dims);
    } else {
        planning.shapes = shapes;
        planning.chains = chains;
        planning.next_dims = dims;
        memcpy(made->key, key, compiled->key_count * sizeof *key);
        status = shape_ends(&planning);
        if (status == IRR_OK) status = plan_layers(&planning);
    }
    irr_release(shapes);
    irr_release(chains);
    irr_release(dims);
    if (status == IRR_OK)
        *plan = made;
    else
        irr_plan_release(made);
    return status;
}

void irr_plan_release(irr_plan_t *plan) {
    if (!plan || atomic_fetch_sub(&plan->users, 1) != 1) return;
    for (uint32_t k = 0; k < plan->step_count; k++) {
        if (plan->steps[k].backend) plan->steps[k].backend->release(plan->steps[k].state);
        irr_release(plan->notes[k].geometry);
        irr_release(plan->notes[k].shape);
    }
    irr_release(plan->key);
    irr_release(plan->steps);
    irr_release(plan->notes);
    irr_release(plan->offsets);
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
    pthread_mutex_lock(&compiled->cache_mutex);
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
    pthread_mutex_unlock(&compiled->cache_mutex);
    return status;
}
