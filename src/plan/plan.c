/* A compiled graph at one set of shapes and axes -> steps; and the cache of such plans.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/compiled.h"
#include "plan/cut.h"

/* ---- one step ---- */

void irr_plan_problem(const irr_plan_t *plan, uint32_t k, irr_problem_t *problem,
                      irr_config_t *config) {
    const irr_layer_t *layer = &plan->compiled->layers[k];
    const irr_tensor_view_t *data = &plan->shapes[layer->source];
    irr_problem_of(layer->op, data->element_type, data->dims, data->rank, plan->steps[k].mask,
                   problem);
    *config = plan->compiled->config;
    config->threads = (uint32_t)plan->key[0];
}

static irr_status_e make_step(irr_plan_t *plan, uint32_t k, irr_sentence_t sentence) {
    irr_step_t *step = &plan->steps[k];
    irr_problem_t problem;
    irr_config_t config;
    const irr_backend_t *backend;
    size_t scratch_bytes = 0;
    irr_plan_problem(plan, k, &problem, &config);
    IRR_TRY(irr_planner_pick(&problem, plan->compiled->layers[k].is.empty_axes, &config, &backend,
                             sentence));
    if (!backend) return IRR_OK;
    IRR_TRY(backend->prepare(&problem, &config, &step->state, &scratch_bytes, sentence));
    step->backend = backend; /* from here on there is a state to release */
    plan->scratch_bytes = irr_most(plan->scratch_bytes, scratch_bytes);
    return IRR_OK;
}

/* ---- siblings ---- */

/* Layers before it which are looked through, at most: planning must not become quadratic. */
#define LAYERS_SEEN 128u

/* The last pass that step k could join, by its first step; else k. */
static uint32_t find_pass(const irr_plan_t *plan, uint32_t k) {
    const irr_layer_t *layers = plan->compiled->layers;
    const irr_step_t *step = &plan->steps[k];
    uint32_t end = k > LAYERS_SEEN ? k - LAYERS_SEEN : 0;
    if (!step->backend || !step->backend->joins) return k;
    for (uint32_t first = k; first-- > end;) {
        const irr_step_t *pass = &plan->steps[first];
        if (pass->first == first && pass->length < IRR_MOST_SIBLINGS &&
            layers[first].source == layers[k].source && pass->mask == step->mask &&
            pass->backend == step->backend && step->backend->joins(pass->state, step->state))
            return first;
    }
    return k;
}

/* Puts step k behind its siblings. */
static void join_siblings(irr_plan_t *plan, uint32_t k) {
    irr_step_t *steps = plan->steps;
    uint32_t first = find_pass(plan, k), last = first;
    if (first == k) return;
    while (steps[last].next != IRR_NO_LAYER) last = steps[last].next;
    steps[k].first = first;
    steps[last].next = k;
    steps[first].length++;
}

/* Those of several steps are prepared to be one. */
static void join_passes(irr_plan_t *plan) {
    for (uint32_t k = 0; k < plan->compiled->layer_count; k++) {
        void *states[IRR_MOST_SIBLINGS];
        uint32_t count = 0;
        size_t scratch_bytes;
        if (plan->steps[k].first != k || plan->steps[k].length == 1) continue;
        for (uint32_t s = k; s != IRR_NO_LAYER; s = plan->steps[s].next)
            states[count++] = plan->steps[s].state;
        plan->steps[k].backend->join(states, count, &scratch_bytes);
        plan->scratch_bytes = irr_most(plan->scratch_bytes, scratch_bytes);
    }
}

/* ---- the whole plan ---- */

/* Is the shape what the graph says? */
static irr_status_e check(const irr_plan_t *plan, uint32_t v, const char *what, uint32_t index,
                          irr_sentence_t sentence) {
    const irr_graph_value_t *value = &plan->compiled->values[v].is;
    return irr_fail_at(sentence, irr_check_tensor(value, NULL, &plan->shapes[v], sentence),
                       "%s %u: ", what, (unsigned)index);
}

static irr_status_e shape_ends(irr_plan_t *plan, irr_sentence_t sentence) {
    const irr_plugin_compiled_t *compiled = plan->compiled;
    const int64_t *key = plan->key + 1;
    for (uint32_t v = 0; v < compiled->value_count; v++) {
        const irr_graph_value_t *value = &compiled->values[v].is;
        plan->offsets[v] = SIZE_MAX;
        plan->shapes[v] = (irr_tensor_view_t){
            .element_type = value->element_type, .rank = value->rank, .dims = value->dims};
    }
    for (uint32_t i = 0; i < compiled->input_count; i++) {
        irr_tensor_view_t *shape = &plan->shapes[compiled->inputs[i]];
        shape->dims = key;
        IRR_TRY(check(plan, compiled->inputs[i], "input", i, sentence));
        key += shape->rank;
    }
    return IRR_OK;
}

/* The shape of a layer's result, whose rank is at most its data's. */
static irr_status_e shape_layer(irr_plan_t *plan, const irr_layer_t *layer, uint64_t mask,
                                irr_sentence_t sentence) {
    const irr_tensor_view_t *data = &plan->shapes[layer->is.data];
    irr_tensor_view_t *made = &plan->shapes[layer->is.output];
    int64_t *dims = irr_take(&plan->memory, data->rank, sizeof *dims);
    if (!dims) return irr_out_of_memory(sentence, data->rank * sizeof *dims);
    irr_reduced_shape(data->dims, data->rank, mask, layer->is.keep_dims, dims, &made->rank);
    made->dims = dims;
    return check(plan, layer->is.output, "value", layer->is.output, sentence);
}

/* Room for so many bytes in the request's memory. */
static bool place(irr_plan_t *plan, size_t bytes, size_t *offset) {
    size_t room;
    *offset = plan->memory_bytes;
    return irr_add_size(bytes, IRR_ALIGNMENT - 1, &room) &&
           irr_add_size(*offset, room - room % IRR_ALIGNMENT, &plan->memory_bytes);
}

static bool bytes_of(const irr_tensor_view_t *shape, size_t *bytes) {
    size_t elements;
    return irr_shape_elements(shape->dims, shape->rank, &elements) &&
           irr_elements_bytes(shape->element_type, elements, bytes);
}

static irr_status_e plan_layer(irr_plan_t *plan, uint32_t k, irr_sentence_t sentence) {
    const irr_layer_t *layer = &plan->compiled->layers[k];
    bool given_out = plan->compiled->values[layer->is.output].output != IRR_NO_VALUE;
    size_t bytes, read_bytes;
    if (!bytes_of(&plan->shapes[layer->source], &read_bytes) ||
        !bytes_of(&plan->shapes[layer->is.output], &bytes) ||
        !irr_add_size(read_bytes, bytes, &read_bytes))
        return irr_fail(sentence, IRR_NOT_ALLOCATED, "its tensors are larger than any memory");
    IRR_TRY(make_step(plan, k, sentence));
    join_siblings(plan, k);
    if (!given_out && !place(plan, bytes, &plan->offsets[layer->is.output]))
        return irr_fail(sentence, IRR_NOT_ALLOCATED, "its results are larger than any memory");
    return IRR_OK;
}

/* Asking how much memory there is takes longer than most plans. */
#define CERTAIN_MEMORY_BYTES ((size_t)1 << 20)

static bool has_memory(size_t bytes) {
    return bytes <= CERTAIN_MEMORY_BYTES || bytes <= irr_memory_limit_bytes();
}

static irr_status_e plan_layers(irr_plan_t *plan, irr_sentence_t sentence) {
    const int64_t *mask = plan->key + plan->compiled->key_masks;
    for (uint32_t k = 0; k < plan->compiled->layer_count; k++) {
        const irr_layer_t *layer = &plan->compiled->layers[k];
        bool late = layer->axes_input != IRR_NO_VALUE;
        uint64_t axes = late ? (uint64_t)*mask++ : layer->mask;
        plan->steps[k] = (irr_step_t){.mask = late ? axes : layer->source_mask,
                                      .first = k,
                                      .next = IRR_NO_LAYER,
                                      .length = 1};
        irr_status_e status = shape_layer(plan, layer, axes, sentence);
        if (status == IRR_OK && layer->folded_into == IRR_NO_LAYER)
            status = plan_layer(plan, k, sentence);
        IRR_TRY(irr_fail_layer(sentence, status, &layer->is));
    }
    join_passes(plan);
    if (!place(plan, plan->scratch_bytes, &plan->scratch_offset) || !has_memory(plan->memory_bytes))
        return irr_out_of_memory(sentence, plan->memory_bytes);
    return IRR_OK;
}

static irr_status_e fill(irr_plan_t *plan, const int64_t *key, irr_sentence_t sentence) {
    const irr_plugin_compiled_t *compiled = plan->compiled;
    irr_arena_t *memory = &plan->memory;
    plan->key = irr_take_copy(memory, key, compiled->key_count, sizeof *key);
    plan->steps = irr_take(memory, compiled->layer_count, sizeof *plan->steps);
    plan->shapes = irr_take(memory, compiled->value_count, sizeof *plan->shapes);
    plan->offsets = irr_take(memory, compiled->value_count, sizeof *plan->offsets);
    if (memory->failed) return irr_out_of_memory(sentence, sizeof *plan);
    IRR_TRY(shape_ends(plan, sentence));
    return plan_layers(plan, sentence);
}

static irr_status_e make_plan(const irr_plugin_compiled_t *compiled, const int64_t *key,
                              irr_plan_t **plan, irr_sentence_t sentence) {
    irr_plan_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(sentence, sizeof *made);
    atomic_init(&made->users, 1);
    made->compiled = compiled;
    irr_status_e status = fill(made, key, sentence);
    return IRR_GIVE(status, plan, made, irr_plan_release);
}

void irr_plan_release(irr_plan_t *plan) {
    if (!plan || atomic_fetch_sub(&plan->users, 1) != 1) return;
    for (uint32_t k = 0; plan->steps && k < plan->compiled->layer_count; k++)
        if (plan->steps[k].backend) plan->steps[k].backend->release(plan->steps[k].state);
    irr_arena_release(&plan->memory);
    irr_release(plan);
}

/* ---- the cache: few plans, seldom searched ---- */

irr_status_e irr_plan_acquire(irr_plugin_compiled_t *compiled, const int64_t *key,
                              irr_plan_t **plan, irr_sentence_t sentence) {
    const size_t key_bytes = compiled->key_count * sizeof *key;
    irr_plan_t **cache = compiled->cache, *taken = NULL;
    irr_status_e status = IRR_OK;
    unsigned place = 0;
    irr_lock(compiled);
    while (place < IRR_PLAN_CACHE_CAPACITY && cache[place] &&
           memcmp(cache[place]->key, key, key_bytes) != 0)
        place++;
    if (place < IRR_PLAN_CACHE_CAPACITY) taken = cache[place];
    if (!taken) status = make_plan(compiled, key, &taken, sentence);
    if (status == IRR_OK) {
        if (place == IRR_PLAN_CACHE_CAPACITY) irr_plan_release(cache[--place]);
        memmove(cache + 1, cache, place * sizeof *cache);
        *cache = *plan = taken;
        atomic_fetch_add(&taken->users, 1);
    }
    irr_unlock(compiled);
    return status;
}
