/* Calls that are wrong: NULL in every place, numbers that are none, indexes that are too large.
 * Outputs are NULL afterwards, the message names what was wrong.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api.h"

#include <string.h>

typedef struct {
    irr_core_t *core;
    irr_model_t *model;
    irr_compiled_model_t *compiled;
    irr_infer_request_t *request;
    irr_tensor_t *tensor;
} things_t;

static int make_things(void **state) {
    static things_t t;
    t.core = api_core();
    t.model = api_read(t.core, MODEL_2X3);
    t.compiled = api_compile(MODEL_2X3);
    OK(irr_compiled_model_create_infer_request(t.compiled, &t.request));
    OK(irr_infer_request_get_input_tensor(t.request, &t.tensor));
    *state = &t;
    return 0;
}

static int free_things(void **state) {
    things_t *t = *state;
    irr_core_free(t->core);
    irr_model_free(t->model);
    irr_compiled_model_free(t->compiled);
    irr_infer_request_free(t->request);
    irr_tensor_free(t->tensor);
    return 0;
}

#define NONE(call) EXPECT(IRR_INVALID_C_PARAM, call)
/* An object pointer as an uninitialised program has it; NULL after a failed call. */
#define SOMEWHERE(type, name) type *name = (type *)(uintptr_t)0x10
#define NONE_OUT(name, call)                                                                       \
    do {                                                                                           \
        name = (void *)(uintptr_t)0x10;                                                            \
        NONE(call);                                                                                \
        assert_null(name);                                                                         \
        assert_non_null(strstr(irr_get_last_err_msg(), "NULL"));                                   \
    } while (0)

static void nulls_of_the_core(void **state) {
    const things_t *t = *state;
    SOMEWHERE(irr_core_t, core);
    SOMEWHERE(irr_model_t, model);
    SOMEWHERE(irr_compiled_model_t, compiled);
    SOMEWHERE(char, text);
    irr_core_version_list_t versions;
    irr_supported_ops_t ops;
    irr_check_report_t report;
    NONE(irr_get_version(NULL));
    NONE(irr_core_create(NULL));
    NONE(irr_core_create_with_config("x", NULL));
    NONE_OUT(core, irr_core_create_with_config(NULL, &core));
    NONE(irr_core_register_plugin(NULL, "x", "y"));
    NONE(irr_core_register_plugin(t->core, NULL, "y"));
    NONE(irr_core_register_plugin(t->core, "x", NULL));
    NONE(irr_core_unregister_plugin(NULL, "y"));
    NONE(irr_core_unregister_plugin(t->core, NULL));
    NONE(irr_core_get_available_devices(t->core, NULL));
    NONE(irr_core_get_available_devices(NULL, &(irr_available_devices_t){NULL, 0}));
    NONE(irr_core_get_versions_by_device_name(t->core, "CPU", NULL));
    NONE(irr_core_get_versions_by_device_name(t->core, NULL, &versions));
    NONE(irr_core_get_versions_by_device_name(NULL, "CPU", &versions));
    NONE(irr_core_set_properties(NULL, NULL, 0, NULL));
    NONE(irr_core_get_property(t->core, "STRANGER", "K", NULL));
    NONE_OUT(text, irr_core_get_property(t->core, "STRANGER", NULL, &text));
    NONE_OUT(text, irr_core_get_property(t->core, NULL, "K", &text));
    NONE_OUT(text, irr_core_get_property(NULL, "STRANGER", "K", &text));
    NONE(irr_core_read_model(t->core, "x", NULL, NULL));
    NONE_OUT(model, irr_core_read_model(t->core, NULL, NULL, &model));
    NONE_OUT(model, irr_core_read_model(NULL, "x", NULL, &model));
    NONE_OUT(model, irr_core_read_model_from_memory_buffer(t->core, NULL, 1, NULL, &model));
    NONE_OUT(model, irr_core_read_model_from_memory_buffer(NULL, "x", 1, NULL, &model));
    NONE(irr_core_read_model_from_memory_buffer(t->core, "x", 1, NULL, NULL));
    NONE(irr_core_compile_model(t->core, t->model, "STRANGER", 0, NULL, NULL));
    NONE_OUT(compiled, irr_core_compile_model(t->core, t->model, NULL, 0, NULL, &compiled));
    NONE_OUT(compiled, irr_core_compile_model(t->core, NULL, "STRANGER", 0, NULL, &compiled));
    NONE_OUT(compiled, irr_core_compile_model(NULL, t->model, "STRANGER", 0, NULL, &compiled));
    NONE_OUT(compiled, irr_core_compile_model(t->core, t->model, "STRANGER", 1, NULL, &compiled));
    NONE_OUT(compiled, irr_core_compile_model_from_file(t->core, NULL, "S", 0, NULL, &compiled));
    NONE(irr_core_compile_model_from_file(t->core, "x", "S", 0, NULL, NULL));
    NONE(irr_core_query_model(t->core, t->model, "STRANGER", 0, NULL, NULL));
    NONE(irr_core_query_model(t->core, NULL, "STRANGER", 0, NULL, &ops));
    NONE(irr_core_query_model(NULL, t->model, "STRANGER", 0, NULL, &ops));
    NONE(irr_core_query_model(t->core, t->model, NULL, 0, NULL, &ops));
    NONE(irr_check(NULL, NULL, NULL, 0, &report));
    NONE(irr_check("x", NULL, NULL, 1, &report));
    NONE(irr_check("x", NULL, NULL, 0, NULL));
}

static void nulls_of_models(void **state) {
    const things_t *t = *state;
    SOMEWHERE(irr_output_port_t, port);
    SOMEWHERE(irr_infer_request_t, request);
    SOMEWHERE(irr_model_t, one);
    SOMEWHERE(char, text);
    size_t size = 9;
    NONE(irr_model_inputs_size(NULL, &size));
    assert_int_equal(size, 0);
    NONE(irr_model_outputs_size(t->model, NULL));
    NONE(irr_model_input(t->model, NULL));
    NONE_OUT(port, irr_model_input(NULL, &port));
    NONE_OUT(port, irr_model_output(NULL, &port));
    NONE_OUT(port, irr_model_input_by_index(NULL, 0, &port));
    NONE_OUT(port, irr_model_output_by_name(NULL, "y", &port));
    NONE_OUT(port, irr_model_output_by_name(t->model, NULL, &port));
    assert_false(irr_model_is_dynamic(NULL));
    NONE(irr_model_reshape(NULL, NULL, NULL, 0));
    NONE(irr_model_reshape(t->model, NULL, NULL, 1));
    NONE(irr_model_reshape(t->model, (const char *[]){"x"}, NULL, 1));
    NONE(irr_model_reshape_input_by_name(t->model, NULL, (irr_partial_shape_t){{0, 0}, NULL}));
    NONE(irr_model_reshape_input_by_name(t->model, "x", (irr_partial_shape_t){{1, 1}, NULL}));
    NONE_OUT(text, irr_model_get_friendly_name(NULL, &text));
    NONE_OUT(one, irr_model_extract_layer(NULL, "sum", &one));
    NONE_OUT(one, irr_model_extract_layer(t->model, NULL, &one));
    NONE(irr_port_get_shape(NULL, &(irr_shape_t){0, NULL}));
    NONE(irr_port_get_partial_shape(NULL, &(irr_partial_shape_t){{0, 0}, NULL}));
    NONE(irr_port_get_element_type(NULL, &(irr_element_type_e){0}));
    NONE_OUT(text, irr_port_get_any_name(NULL, &text));
    NONE_OUT(port, irr_compiled_model_input(NULL, &port));
    NONE_OUT(port, irr_compiled_model_output_by_index(NULL, 0, &port));
    NONE(irr_compiled_model_set_properties(NULL, 0, NULL));
    NONE(irr_compiled_model_set_properties(t->compiled, 1, NULL));
    NONE_OUT(text, irr_compiled_model_get_property(t->compiled, NULL, &text));
    NONE_OUT(text, irr_compiled_model_get_property(NULL, "K", &text));
    NONE(irr_compiled_model_create_infer_request(t->compiled, NULL));
    NONE_OUT(request, irr_compiled_model_create_infer_request(NULL, &request));
}

static void nulls_of_requests(void **state) {
    const things_t *t = *state;
    SOMEWHERE(irr_tensor_t, tensor);
    irr_profiling_info_list_t infos;
    SOMEWHERE(void, data);
    NONE(irr_infer_request_set_tensor(NULL, "x", t->tensor));
    NONE(irr_infer_request_set_tensor(t->request, NULL, t->tensor));
    NONE(irr_infer_request_set_tensor(t->request, "x", NULL));
    NONE(irr_infer_request_set_input_tensor(t->request, NULL));
    NONE(irr_infer_request_set_output_tensor_by_index(NULL, 0, t->tensor));
    NONE_OUT(tensor, irr_infer_request_get_tensor(t->request, NULL, &tensor));
    NONE_OUT(tensor, irr_infer_request_get_tensor(NULL, "x", &tensor));
    NONE(irr_infer_request_get_tensor(t->request, "x", NULL));
    NONE_OUT(tensor, irr_infer_request_get_output_tensor_by_index(NULL, 0, &tensor));
    NONE(irr_infer_request_infer(NULL));
    NONE(irr_infer_request_start_async(NULL));
    NONE(irr_infer_request_wait(NULL));
    NONE(irr_infer_request_wait_for(NULL, 1));
    NONE(irr_infer_request_cancel(NULL));
    NONE(irr_infer_request_set_callback(NULL, NULL));
    NONE(irr_infer_request_get_profiling_info(NULL, &infos));
    NONE(irr_infer_request_get_profiling_info(t->request, NULL));
    NONE(irr_tensor_get_shape(NULL, &(irr_shape_t){0, NULL}));
    NONE(irr_tensor_get_size(t->tensor, NULL));
    NONE(irr_tensor_get_byte_size(NULL, &(size_t){0}));
    NONE(irr_tensor_get_element_type(NULL, &(irr_element_type_e){0}));
    NONE(irr_tensor_set_shape(NULL, (irr_shape_t){0, NULL}));
    NONE_OUT(data, irr_tensor_data(NULL, &data));
}

static void freeing_nothing(void **state) {
    (void)state;
    irr_free(NULL);
    irr_core_free(NULL);
    irr_model_free(NULL);
    irr_compiled_model_free(NULL);
    irr_infer_request_free(NULL);
    irr_output_port_free(NULL);
    irr_available_devices_free(NULL);
    irr_core_versions_free(NULL);
    irr_supported_ops_free(NULL);
    irr_check_report_free(NULL);
    irr_profiling_info_list_free(NULL);
}

static void indexes_and_names(void **state) {
    const things_t *t = *state;
    SOMEWHERE(irr_output_port_t, port);
    SOMEWHERE(irr_tensor_t, tensor);
    EXPECT(IRR_OUT_OF_BOUNDS, irr_model_input_by_index(t->model, 1, &port));
    expect_message("index 1: the model has 1 input");
    assert_null(port);
    EXPECT(IRR_OUT_OF_BOUNDS, irr_model_output_by_index(t->model, SIZE_MAX, &port));
    EXPECT(IRR_NOT_FOUND, irr_model_input_by_name(t->model, "y", &port));
    EXPECT(IRR_OUT_OF_BOUNDS,
           irr_infer_request_set_input_tensor_by_index(t->request, 1, t->tensor));
    EXPECT(IRR_OUT_OF_BOUNDS,
           irr_infer_request_get_output_tensor_by_index(t->request, SIZE_MAX, &tensor));
    assert_null(tensor);
    EXPECT(IRR_NOT_FOUND, irr_infer_request_get_tensor(t->request, "none", &tensor));
    expect_message("no input or output is called \"none\"");
    EXPECT(IRR_NOT_FOUND, irr_infer_request_set_tensor(t->request, "none", t->tensor));
    SOMEWHERE(irr_compiled_model_t, compiled);
    EXPECT(IRR_NOT_FOUND, irr_core_compile_model(t->core, t->model, "GPU", 0, NULL, &compiled));
    assert_null(compiled);
    irr_property_t unknown = {"NO_SUCH_KEY", "1"};
    EXPECT(IRR_NOT_FOUND,
           irr_core_compile_model(t->core, t->model, "STRANGER", 1, &unknown, &compiled));
    assert_null(compiled);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nulls_of_the_core), cmocka_unit_test(nulls_of_models),
        cmocka_unit_test(nulls_of_requests), cmocka_unit_test(freeing_nothing),
        cmocka_unit_test(indexes_and_names),
    };
    return cmocka_run_group_tests(tests, make_things, free_things);
}
