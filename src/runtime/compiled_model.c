/* Query and compile: a checked graph goes through the wall, a compiled model comes back.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

/* Asks the device about each layer. */
static irr_status_e ask(irr_plugin_engine_t *engine, const irr_model_t *model, size_t count,
                        const irr_property_t *properties, irr_supported_op_t *list) {
    irr_supported_op_t *rows = list;
    irr_graph_layer_t layer;
    irr_graph_t graph = model->graph; /* of one layer at a time */
    graph.layers = &layer;
    graph.layer_count = 1;
    for (uint32_t at = 0; rows && irr_ir_next_layer(model, &at, &layer);) {
        char reason[IRR_SENTENCE_BYTES] = "";
        irr_status_e status = engine->query(engine, &graph, 0, properties, count,
                                            (irr_sentence_t){reason, sizeof reason});
        if (status && status != IRR_NOT_IMPLEMENTED) return irr_fail_with(status, reason);
        *rows++ = (irr_supported_op_t){.layer_id = irr_list_text(list, layer.id),
                                       .layer_name = irr_list_text(list, layer.name),
                                       .layer_type = irr_list_text(list, layer.type),
                                       .supported = status == IRR_OK,
                                       .reason = irr_list_text(list, status ? reason : "")};
    }
    return irr_list_check(list);
}

irr_status_e irr_core_query_model(const irr_core_t *core, const irr_model_t *model,
                                  const char *device_name, const size_t num_properties,
                                  const irr_property_t *properties,
                                  irr_supported_ops_t *supported_ops) {
    IRR_REQUIRE_OUT(supported_ops, core, model, device_name);
    irr_device_t *device = NULL;
    irr_graph_layer_t layer;
    size_t count = 0;
    IRR_TRY(irr_check_properties(num_properties, properties));
    IRR_TRY(irr_core_device(core, device_name, &device));
    for (uint32_t at = 0; irr_ir_next_layer(model, &at, &layer);) count++;
    irr_supported_op_t *rows = irr_list_make(count, sizeof *rows);
    irr_guard_read(&device->settings);
    irr_status_e status = ask(device->engine, model, num_properties, properties, rows);
    irr_guard_leave(&device->settings);
    irr_device_release(device);
    *supported_ops = (irr_supported_ops_t){rows, count};
    if (status) irr_supported_ops_free(supported_ops);
    return status;
}

IRR_LIST_FREE(irr_supported_ops_free, irr_supported_ops_t, ops)

irr_status_e irr_core_compile_model(const irr_core_t *core, const irr_model_t *model,
                                    const char *device_name, const size_t num_properties,
                                    const irr_property_t *properties,
                                    irr_compiled_model_t **compiled_model) {
    IRR_REQUIRE_OUT(compiled_model, core, model, device_name);
    IRR_TRY(irr_check_properties(num_properties, properties));
    irr_compiled_model_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(irr_message(), sizeof *made);
    atomic_init(&made->holders, 1);
    irr_status_e status = irr_core_device(core, device_name, &made->device);
    if (!status && model->unsupported)
        status = irr_fail_with(IRR_NOT_IMPLEMENTED, model->unsupported);
    if (!status) status = irr_ir_clone(model, &made->ir, irr_message());
    if (!status) {
        irr_plugin_engine_t *engine = made->device->engine;
        irr_guard_read(&made->device->settings);
        status = engine->compile(engine, &made->ir->graph, properties, num_properties,
                                 &made->compiled, irr_message());
        irr_guard_leave(&made->device->settings);
    }
    return IRR_GIVE(status, compiled_model, made, irr_compiled_model_free);
}

irr_status_e irr_core_compile_model_from_file(const irr_core_t *core, const char *model_path,
                                              const char *device_name, const size_t num_properties,
                                              const irr_property_t *properties,
                                              irr_compiled_model_t **compiled_model) {
    IRR_REQUIRE_OUT(compiled_model);
    irr_model_t *model = NULL;
    IRR_TRY(irr_core_read_model(core, model_path, NULL, &model));
    irr_status_e status = irr_core_compile_model(core, model, device_name, num_properties,
                                                 properties, compiled_model);
    irr_model_free(model);
    return status;
}

void irr_compiled_model_free(irr_compiled_model_t *compiled_model) {
    if (!compiled_model || !IRR_WAS_LAST(compiled_model)) return;
    if (compiled_model->compiled) {
        const irr_plugin_engine_t *engine = compiled_model->device->engine;
        engine->release_compiled(compiled_model->compiled);
    }
    irr_ir_free(compiled_model->ir);
    irr_device_release(compiled_model->device);
    irr_release(compiled_model);
}

irr_status_e irr_compiled_model_set_properties(const irr_compiled_model_t *compiled_model,
                                               const size_t num_properties,
                                               const irr_property_t *properties) {
    IRR_REQUIRE(compiled_model);
    IRR_TRY(irr_check_properties(num_properties, properties));
    return irr_set_properties(compiled_model->device->engine, compiled_model->compiled,
                              num_properties, properties);
}

irr_status_e irr_compiled_model_get_property(const irr_compiled_model_t *compiled_model,
                                             const char *property_key, char **property_value) {
    IRR_REQUIRE_OUT(property_value, compiled_model, property_key);
    return irr_get_property(compiled_model->device->engine, compiled_model->compiled, property_key,
                            property_value);
}
