/* The functions of the wall, one after another in its order. Lives here: the engine, who owns the
 * defaults of every compilation. May not: planning or running.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/device.h"

#include "plan/compiled.h"

typedef struct {
    irr_plugin_engine_t face; /* first: the host holds a pointer to it */
    irr_config_t config;
} device_t;

/* A host sets properties while no other thread is in the engine, so nothing here is locked. */
static irr_config_t *config_of(irr_plugin_engine_t *engine) {
    return &((device_t *)engine)->config;
}

static void release(irr_plugin_engine_t *engine) { irr_release(engine); }

/* ---- properties ---- */

static irr_status_e set_property(irr_plugin_engine_t *engine, const char *key, const char *value,
                                 irr_sentence_t sentence) {
    return irr_config_set(config_of(engine), &(irr_property_t){key, value}, 1, IRR_OF_DEVICE,
                          sentence);
}

static irr_status_e get_property(irr_plugin_engine_t *engine, const char *key, char *text,
                                 size_t capacity_bytes, size_t *needed_bytes,
                                 irr_sentence_t sentence) {
    irr_writer_t writer = {text, capacity_bytes, 0};
    IRR_TRY(irr_config_get(config_of(engine), key, IRR_OF_DEVICE, &writer, sentence));
    *needed_bytes = writer.used_bytes + 1;
    return IRR_OK;
}

/* ---- query ---- */

/* Layers that are no reductions but cost nothing: the host feeds, holds and fetches them. */
static bool is_end(const char *type) {
    static const char *const ends[] = {"Parameter", "Const", "Result"};
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strcmp(ends[i], type) == 0) return true;
    return false;
}

static irr_status_e query(irr_plugin_engine_t *engine, const irr_graph_t *graph, uint32_t index,
                          const irr_property_t *properties, size_t property_count,
                          irr_sentence_t sentence) {
    if (index >= graph->layer_count)
        return irr_fail(sentence, IRR_OUT_OF_BOUNDS, "layer %u of %u", (unsigned)index,
                        (unsigned)graph->layer_count);
    irr_config_t config = *config_of(engine);
    IRR_TRY(irr_config_set(&config, properties, property_count, IRR_OF_DEVICE, sentence));
    const irr_graph_layer_t *layer = &graph->layers[index];
    if (is_end(layer->type)) return IRR_OK;
    irr_op_e op;
    uint64_t mask;
    size_t count;
    IRR_TRY(irr_layer_admit(graph, layer, &op, &mask, sentence));
    const irr_graph_value_t *data = &graph->values[layer->data];
    bool axes_known = layer->axes == IRR_NO_VALUE || graph->values[layer->axes].is_constant;
    if (!axes_known || !irr_shape_elements(data->dims, data->rank, &count)) return IRR_OK;
    irr_problem_t problem;
    const irr_backend_t *backend;
    irr_problem_of(op, data->element_type, data->dims, data->rank, mask, &problem);
    irr_lock(engine); /* as planning: a backend may take locks of its own */
    irr_status_e status =
        irr_planner_pick(&problem, layer->empty_axes, &config, &backend, sentence);
    irr_unlock(engine);
    return status;
}

/* ---- compiled models ---- */

static irr_status_e compile(irr_plugin_engine_t *engine, const irr_graph_t *graph,
                            const irr_property_t *properties, size_t property_count,
                            irr_plugin_compiled_t **compiled, irr_sentence_t sentence) {
    irr_config_t config = *config_of(engine);
    *compiled = NULL;
    if (graph->size_bytes < sizeof *graph)
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH, "a graph of %zu bytes; it takes %zu",
                        graph->size_bytes, sizeof *graph);
    IRR_TRY(irr_config_set(&config, properties, property_count, IRR_OF_DEVICE, sentence));
    return irr_compiled_create(graph, &config, compiled, sentence);
}

static irr_config_t compiled_config(irr_plugin_compiled_t *compiled) {
    irr_config_t config = compiled->config;
    config.profile = atomic_load(&compiled->profile);
    config.threads = atomic_load(&compiled->threads);
    return config;
}

static irr_status_e set_compiled_property(irr_plugin_compiled_t *compiled, const char *key,
                                          const char *value, irr_sentence_t sentence) {
    const irr_config_t before = compiled_config(compiled);
    irr_config_t config = before;
    IRR_TRY(irr_config_set(&config, &(irr_property_t){key, value}, 1, IRR_OF_COMPILED, sentence));
    /* What it does not name, another thread may have set meanwhile. */
    if (config.profile != before.profile) atomic_store(&compiled->profile, config.profile);
    if (config.threads != before.threads) atomic_store(&compiled->threads, config.threads);
    return IRR_OK;
}

static irr_status_e get_compiled_property(irr_plugin_compiled_t *compiled, const char *key,
                                          char *text, size_t capacity_bytes, size_t *needed_bytes,
                                          irr_sentence_t sentence) {
    irr_config_t config = compiled_config(compiled);
    irr_writer_t writer = {text, capacity_bytes, 0};
    if (strcmp(key, IRR_KEY_EXPLAIN) == 0)
        irr_compiled_explain(compiled, &writer);
    else if (strcmp(key, IRR_KEY_MODEL_NAME) == 0)
        irr_write(&writer, "%s", compiled->name);
    else
        IRR_TRY(irr_config_get(&config, key, IRR_OF_COMPILED, &writer, sentence));
    *needed_bytes = writer.used_bytes + 1;
    return IRR_OK;
}

/* ---- the entry ---- */

static const irr_plugin_engine_t face = {
    .abi_number = IRR_PLUGIN_ABI,
    .size_bytes = sizeof(irr_plugin_engine_t),
    .description = "irreduce CPU device",
    .build_number = IRREDUCE_VERSION,
    .release = release,
    .set_property = set_property,
    .get_property = get_property,
    .query = query,
    .compile = compile,
    .release_compiled = irr_compiled_release,
    .set_compiled_property = set_compiled_property,
    .get_compiled_property = get_compiled_property,
    .create_request = irr_request_create,
    .release_request = irr_request_release,
    .infer = irr_request_infer,
    .profile = irr_request_profile,
};

irr_status_e irr_device_create(uint32_t host_abi_number, irr_plugin_engine_t **engine,
                               irr_sentence_t sentence) {
    *engine = NULL;
    if (host_abi_number != IRR_PLUGIN_ABI)
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                        "the host's plugin ABI is %u, this device's is %u",
                        (unsigned)host_abi_number, IRR_PLUGIN_ABI);
    irr_config_t config;
    IRR_TRY(irr_config_default(&config, sentence));
    device_t *made = irr_malloc(sizeof *made);
    if (!made) return irr_out_of_memory(sentence, sizeof *made);
    made->face = face;
    made->config = config;
    *engine = &made->face;
    return IRR_OK;
}
