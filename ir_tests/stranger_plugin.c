/* A device as a stranger would write it: against plugin.h alone, in plain loops.
 * It takes ReduceMin, ReduceSum and ReduceL2 of f32 on a graph input, has two properties for the
 * tests (STRANGER_SLEEP_MS, STRANGER_FAIL), and is also built with a wrong ABI number and without
 * its symbol. May not: include anything of src/.
 * SPDX-License-Identifier: Apache-2.0 */
#include <irreduce/plugin.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef STRANGER_ABI
#define STRANGER_ABI IRR_PLUGIN_ABI
#endif

typedef struct {
    long sleep_ms, fail;
} settings_t;

typedef struct {
    irr_plugin_engine_t functions; /* first: the host's pointer is ours */
    settings_t settings;
} stranger_t;

typedef struct {
    char type[16], name[64];
    uint32_t input;      /* position among the inputs */
    uint32_t axes_input; /* the same, or IRR_NO_VALUE */
    uint64_t axes_mask;  /* constant axes, normalised */
    int output;          /* position among the outputs, -1: nobody reads it */
} step_t;

struct irr_plugin_compiled {
    long holders; /* touched atomically */
    settings_t settings;
    step_t *steps;
    uint32_t step_count;
};

struct irr_plugin_request {
    struct irr_plugin_compiled *compiled;
};

static irr_status_e fail(irr_sentence_t to, irr_status_e status, const char *text) {
    if (to.text) snprintf(to.text, to.capacity_bytes, "%s", text);
    return status;
}

/* ---- properties ---- */

static long *setting(settings_t *settings, const char *key) {
    if (!strcmp(key, "STRANGER_SLEEP_MS")) return &settings->sleep_ms;
    if (!strcmp(key, "STRANGER_FAIL")) return &settings->fail;
    return NULL;
}

static irr_status_e set(settings_t *settings, const char *key, const char *value,
                        irr_sentence_t sentence) {
    char *end;
    long *place = setting(settings, key), number = strtol(value, &end, 10);
    if (!place)
        return fail(sentence, IRR_NOT_FOUND,
                    "unknown property; there are STRANGER_SLEEP_MS and STRANGER_FAIL");
    if (*end || end == value) return fail(sentence, IRR_PARAMETER_MISMATCH, "no number");
    __atomic_store_n(place, number, __ATOMIC_RELAXED);
    return IRR_OK;
}

static irr_status_e get(settings_t *settings, const char *key, char *text, size_t capacity,
                        size_t *needed, irr_sentence_t sentence) {
    char number[32] = "";
    long *place = setting(settings, key);
    if (!strcmp(key, "LONG_TEXT")) { /* longer than any first guess */
        *needed = 2001;
        for (size_t k = 0; k < capacity; k++) text[k] = k + 1 < capacity && k < 2000 ? 'x' : '\0';
        return IRR_OK;
    }
    if (!place) return fail(sentence, IRR_NOT_FOUND, "unknown property");
    snprintf(number, sizeof number, "%ld", __atomic_load_n(place, __ATOMIC_RELAXED));
    *needed = strlen(number) + 1;
    if (capacity) snprintf(text, capacity, "%s", number);
    return IRR_OK;
}

static irr_status_e set_property(irr_plugin_engine_t *engine, const char *key, const char *value,
                                 irr_sentence_t sentence) {
    return set(&((stranger_t *)engine)->settings, key, value, sentence);
}

static irr_status_e get_property(irr_plugin_engine_t *engine, const char *key, char *text,
                                 size_t capacity, size_t *needed, irr_sentence_t sentence) {
    return get(&((stranger_t *)engine)->settings, key, text, capacity, needed, sentence);
}

static irr_status_e set_compiled(irr_plugin_compiled_t *compiled, const char *key,
                                 const char *value, irr_sentence_t sentence) {
    return set(&compiled->settings, key, value, sentence);
}

static irr_status_e get_compiled(irr_plugin_compiled_t *compiled, const char *key, char *text,
                                 size_t capacity, size_t *needed, irr_sentence_t sentence) {
    return get(&compiled->settings, key, text, capacity, needed, sentence);
}

/* ---- graph ---- */

static uint32_t position(const uint32_t *list, uint32_t count, uint32_t value) {
    for (uint32_t k = 0; k < count; k++)
        if (list[k] == value) return k;
    return IRR_NO_VALUE;
}

static irr_status_e query(irr_plugin_engine_t *engine, const irr_graph_t *graph, uint32_t layer,
                          const irr_property_t *properties, size_t count, irr_sentence_t sentence) {
    (void)engine, (void)properties, (void)count;
    const irr_graph_layer_t *l = &graph->layers[layer];
    if (l->data == IRR_NO_VALUE)
        return strcmp(l->type, "Parameter") && strcmp(l->type, "Const") && strcmp(l->type, "Result")
                   ? fail(sentence, IRR_NOT_IMPLEMENTED, "the stranger knows reductions only")
                   : IRR_OK;
    if (strcmp(l->type, "ReduceMin") && strcmp(l->type, "ReduceSum") && strcmp(l->type, "ReduceL2"))
        return fail(sentence, IRR_NOT_IMPLEMENTED, "the stranger does not know this reduction");
    if (graph->values[l->data].element_type != IRR_F32)
        return fail(sentence, IRR_NOT_IMPLEMENTED, "the stranger takes f32 only");
    if (position(graph->inputs, graph->input_count, l->data) == IRR_NO_VALUE)
        return fail(sentence, IRR_NOT_IMPLEMENTED, "the stranger reduces inputs only");
    return IRR_OK;
}

static uint64_t mask_of(const void *values, irr_element_type_e type, int64_t count, uint32_t rank) {
    uint64_t mask = 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t axis =
            type == IRR_I32 ? ((const int32_t *)values)[k] : ((const int64_t *)values)[k];
        mask |= UINT64_C(1) << (axis < 0 ? axis + rank : axis);
    }
    return mask;
}

static void plan(const irr_graph_t *graph, uint32_t k, step_t *step) {
    const irr_graph_layer_t *l = &graph->layers[k];
    snprintf(step->type, sizeof step->type, "%s", l->type);
    snprintf(step->name, sizeof step->name, "%s", l->name);
    step->input = position(graph->inputs, graph->input_count, l->data);
    step->axes_input = IRR_NO_VALUE;
    step->output = (int)position(graph->outputs, graph->output_count, l->output);
    if (l->axes == IRR_NO_VALUE) return;
    const irr_graph_value_t *axes = &graph->values[l->axes];
    if (!axes->is_constant) {
        step->axes_input = position(graph->inputs, graph->input_count, l->axes);
    } else {
        char aligned[64 * 8];
        int64_t count = axes->rank ? axes->dims[0] : 1;
        if (count)
            memcpy(aligned, axes->constant,
                   (size_t)count * (axes->element_type == IRR_I32 ? 4 : 8));
        step->axes_mask = mask_of(aligned, axes->element_type, count, graph->values[l->data].rank);
    }
}

static irr_status_e compile(irr_plugin_engine_t *engine, const irr_graph_t *graph,
                            const irr_property_t *properties, size_t count,
                            irr_plugin_compiled_t **compiled, irr_sentence_t sentence) {
    for (uint32_t k = 0; k < graph->layer_count; k++) {
        irr_status_e status = query(engine, graph, k, properties, count, sentence);
        if (status) return status;
    }
    struct irr_plugin_compiled *made = calloc(1, sizeof *made);
    step_t *steps = calloc(graph->layer_count + 1, sizeof *steps);
    irr_status_e status = IRR_OK;
    if (!made || !steps) status = fail(sentence, IRR_NOT_ALLOCATED, "no memory");
    if (!status) made->settings = ((stranger_t *)engine)->settings;
    for (size_t k = 0; !status && k < count; k++)
        status = set(&made->settings, properties[k].key, properties[k].value, sentence);
    if (status) {
        free(steps);
        free(made);
        return status;
    }
    for (uint32_t k = 0; k < graph->layer_count; k++) plan(graph, k, &steps[k]);
    made->holders = 1;
    made->steps = steps;
    made->step_count = graph->layer_count;
    *compiled = made;
    return IRR_OK;
}

static void release_compiled(irr_plugin_compiled_t *compiled) {
    if (__atomic_sub_fetch(&compiled->holders, 1, __ATOMIC_ACQ_REL)) return;
    free(compiled->steps);
    free(compiled);
}

static irr_status_e create_request(irr_plugin_compiled_t *compiled, irr_plugin_request_t **request,
                                   irr_sentence_t sentence) {
    *request = calloc(1, sizeof **request);
    if (!*request) return fail(sentence, IRR_NOT_ALLOCATED, "no memory");
    __atomic_add_fetch(&compiled->holders, 1, __ATOMIC_ACQ_REL);
    (*request)->compiled = compiled;
    return IRR_OK;
}

static void release_request(irr_plugin_request_t *request) {
    release_compiled(request->compiled);
    free(request);
}

/* ---- the loops ---- */

/* Folds every element of `data` into the output element that its kept coordinates name. */
static void reduce(const step_t *step, uint64_t mask, const irr_tensor_view_t *data,
                   const irr_tensor_view_t *output) {
    const float *x = data->data;
    float *y = output->data;
    bool is_min = !strcmp(step->type, "ReduceMin"), is_l2 = !strcmp(step->type, "ReduceL2");
    size_t total = 1, results = 1;
    for (uint32_t d = 0; d < data->rank; d++) total *= (size_t)data->dims[d];
    for (uint32_t d = 0; d < output->rank; d++) results *= (size_t)output->dims[d];
    if (mask == 0) {
        if (total) memcpy(y, x, total * sizeof *x);
        return;
    }
    for (size_t k = 0; k < results; k++) y[k] = is_min ? INFINITY : 0;
    for (size_t k = 0; k < total; k++) {
        size_t rest = k, place = 0, scale = 1;
        for (uint32_t d = data->rank; d-- > 0;) {
            size_t at = rest % (size_t)data->dims[d];
            rest /= (size_t)data->dims[d];
            if (mask >> d & 1) continue;
            place += at * scale;
            scale *= (size_t)data->dims[d];
        }
        if (is_min)
            y[place] = fminf(y[place], x[k]);
        else
            y[place] += is_l2 ? x[k] * x[k] : x[k];
    }
    for (size_t k = 0; is_l2 && k < results; k++) y[k] = sqrtf(y[k]);
}

static irr_status_e infer(irr_plugin_request_t *request, const irr_tensor_view_t *inputs,
                          const irr_tensor_view_t *outputs, const irr_host_services_t *services,
                          irr_sentence_t sentence) {
    (void)services;
    const struct irr_plugin_compiled *compiled = request->compiled;
    long sleep_ms = __atomic_load_n(&compiled->settings.sleep_ms, __ATOMIC_RELAXED);
    struct timespec pause = {sleep_ms / 1000, sleep_ms % 1000 * 1000000};
    if (sleep_ms) nanosleep(&pause, NULL);
    if (__atomic_load_n(&compiled->settings.fail, __ATOMIC_RELAXED))
        return fail(sentence, IRR_GENERAL_ERROR, "the stranger was told to fail");
    for (uint32_t k = 0; k < compiled->step_count; k++) {
        const step_t *step = &compiled->steps[k];
        const irr_tensor_view_t *data = &inputs[step->input];
        uint64_t mask = step->axes_mask;
        if (step->axes_input != IRR_NO_VALUE) {
            const irr_tensor_view_t *axes = &inputs[step->axes_input];
            mask =
                mask_of(axes->data, axes->element_type, axes->rank ? axes->dims[0] : 1, data->rank);
        }
        if (step->output >= 0) reduce(step, mask, data, &outputs[step->output]);
    }
    return IRR_OK;
}

static irr_status_e profile(irr_plugin_request_t *request, irr_profile_row_t *rows, size_t capacity,
                            size_t *count, irr_sentence_t sentence) {
    (void)sentence;
    *count = request->compiled->step_count;
    for (size_t k = 0; k < *count && k < capacity; k++) {
        const step_t *step = &request->compiled->steps[k];
        rows[k] = (irr_profile_row_t){.size_bytes = rows[k].size_bytes,
                                      .layer = step->name,
                                      .op = step->type,
                                      .shape = "",
                                      .backend = "stranger",
                                      .kernel = "loop",
                                      .tier = "scalar",
                                      .threads = 1,
                                      .executed = true,
                                      .time_ns = 1500};
    }
    return IRR_OK;
}

static void release(irr_plugin_engine_t *engine) { free(engine); }

#ifdef STRANGER_WITHOUT_SYMBOL
#define irr_create_plugin_engine another_name
IRR_API irr_status_e another_name(uint32_t, irr_plugin_engine_t **, irr_sentence_t);
#endif
irr_status_e irr_create_plugin_engine(uint32_t host_abi_number, irr_plugin_engine_t **engine,
                                      irr_sentence_t sentence) {
    (void)host_abi_number;     /* the host checks ours */
    static stranger_t refused; /* by a host of another number, which releases nothing */
    stranger_t *made = STRANGER_ABI == IRR_PLUGIN_ABI ? calloc(1, sizeof *made) : &refused;
    if (!made) return fail(sentence, IRR_NOT_ALLOCATED, "no memory");
    made->functions = (irr_plugin_engine_t){STRANGER_ABI,
                                            sizeof(irr_plugin_engine_t),
                                            "a stranger's device",
                                            "1",
                                            release,
                                            set_property,
                                            get_property,
                                            query,
                                            compile,
                                            release_compiled,
                                            set_compiled,
                                            get_compiled,
                                            create_request,
                                            release_request,
                                            infer,
                                            profile};
    *engine = &made->functions;
    return IRR_OK;
}
