/* The public API on small models: life cycle, shapes at infer, misuse.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void words_and_versions(void **state) {
    (void)state;
    irr_version_t version;
    irr_element_type_e type;
    OK(irr_get_version(&version));
    assert_non_null(strstr(version.description, version.buildNumber));
    assert_non_null(strstr(version.description, "libxml2"));
    irr_version_free(&version);
    irr_version_free(NULL);
    assert_string_equal(irr_get_status_word(IRR_REQUEST_BUSY), "REQUEST_BUSY");
    assert_null(irr_get_status_word((irr_status_e)1));
    assert_non_null(irr_get_error_info((irr_status_e)-99));
    assert_string_equal(irr_get_element_type_name(IRR_BF16), "bf16");
    assert_null(irr_get_element_type_name((irr_element_type_e)99));
    OK(irr_get_element_type_by_name("u64", &type));
    assert_int_equal(type, IRR_U64);
    EXPECT(IRR_NOT_FOUND, irr_get_element_type_by_name("F32", &type));
}

static void messages_live_until_the_next_failure(void **state) {
    (void)state;
    irr_core_t *core = api_core();
    irr_model_t *model = NULL;
    EXPECT(IRR_NOT_FOUND, irr_core_read_model(core, "/nowhere.xml", NULL, &model));
    char *text = strdup(irr_get_last_err_msg());
    irr_free(irr_get_last_err_msg()); /* does nothing */
    irr_available_devices_t devices;
    OK(irr_core_get_available_devices(core, &devices));
    irr_available_devices_free(&devices);
    irr_model_free(api_read(core, MODEL_2X3));
    assert_string_equal(irr_get_last_err_msg(), text);
    free(text);
    irr_core_free(core);
}

static void names_and_ports(void **state) {
    (void)state;
    irr_core_t *core = api_core();
    irr_model_t *model = api_read(core, MODEL_DYNAMIC);
    irr_output_port_t *port = NULL;
    irr_partial_shape_t partial;
    irr_shape_t shape;
    irr_element_type_e type;
    size_t count;
    char *name = NULL;
    OK(irr_model_get_friendly_name(model, &name));
    assert_string_equal(name, "small");
    irr_free(name);
    OK(irr_model_inputs_size(model, &count));
    assert_int_equal(count, 1);
    OK(irr_model_outputs_size(model, &count));
    assert_int_equal(count, 1);
    assert_true(irr_model_is_dynamic(model));
    const char *names[] = {"x", "x_too", "x_layer"};
    for (int k = 0; k < 3; k++) {
        OK(irr_model_input_by_name(model, names[k], &port));
        OK(irr_port_get_any_name(port, &name));
        assert_string_equal(name, "x");
        irr_free(name);
        irr_output_port_free(port);
    }
    OK(irr_model_input(model, &port));
    OK(irr_port_get_partial_shape(port, &partial));
    const char *text = irr_partial_shape_to_string(partial);
    assert_string_equal(text, "[?,1..4]");
    irr_free(text);
    irr_partial_shape_free(&partial);
    OK(irr_port_get_element_type(port, &type));
    assert_int_equal(type, IRR_F32);
    EXPECT(IRR_PARAMETER_MISMATCH, irr_port_get_shape(port, &shape));
    irr_model_free(model);
    OK(irr_port_get_any_name(port, &name)); /* a snapshot */
    irr_free(name);
    irr_output_const_port_free(port);
    irr_core_free(core);
}

static void compiled_ports(void **state) {
    (void)state;
    irr_compiled_model_t *compiled = api_compile(MODEL_2X3);
    irr_output_port_t *port = NULL;
    irr_shape_t shape;
    size_t count;
    OK(irr_compiled_model_outputs_size(compiled, &count));
    assert_int_equal(count, 1);
    OK(irr_compiled_model_output_by_name(compiled, "y", &port));
    OK(irr_port_get_shape(port, &shape));
    assert_int_equal(shape.rank, 1);
    assert_int_equal(shape.dims[0], 2);
    OK(irr_shape_free(&shape));
    irr_output_port_free(port);
    OK(irr_compiled_model_output(compiled, &port));
    irr_output_port_free(port);
    EXPECT(IRR_OUT_OF_BOUNDS, irr_compiled_model_input_by_index(compiled, 1, &port));
    EXPECT(IRR_NOT_FOUND, irr_compiled_model_input_by_name(compiled, "none", &port));
    assert_null(port);
    irr_compiled_model_free(compiled);
}

static void runs_on_either_memory(void **state) {
    (void)state;
    float in[] = {1, 2, 3, 4, 5, 6}, out[2] = {0};
    irr_infer_request_t *request = api_request(MODEL_2X3);
    irr_tensor_t *tensor = NULL, *other = NULL;
    void *data;
    OK(irr_infer_request_get_input_tensor(request, &tensor));
    OK(irr_tensor_data(tensor, &data));
    memcpy(data, in, sizeof in);
    OK(irr_infer_request_infer(request));
    expect_output(request, (float[]){6, 15}, 2);
    irr_tensor_free(tensor);
    in[0] = 11;
    tensor = api_tensor(in, 2, (int64_t[]){2, 3});
    other = api_tensor(out, 1, (int64_t[]){2});
    OK(irr_infer_request_set_tensor(request, "x_layer", tensor));
    OK(irr_infer_request_set_tensor(request, "y", other));
    irr_tensor_free(tensor);
    irr_tensor_free(other);
    for (int k = 0; k < 3; k++) OK(irr_infer_request_infer(request));
    assert_true(out[0] == 16 && out[1] == 15);
    OK(irr_infer_request_get_tensor(request, "result", &other));
    OK(irr_tensor_data(other, &data));
    assert_ptr_equal(data, out);
    irr_tensor_free(other);
    irr_infer_request_free(request);
}

static void shapes_bind_at_infer(void **state) {
    (void)state;
    float in[] = {1, 2, 3, 4, 5, 6};
    irr_infer_request_t *request = api_request(MODEL_DYNAMIC);
    irr_tensor_t *input = api_tensor(in, 2, (int64_t[]){2, 3}), *output = NULL;
    irr_shape_t shape;
    OK(irr_infer_request_get_output_tensor(request, &output));
    OK(irr_tensor_get_shape(output, &shape));
    assert_int_equal(shape.dims[0], 0); /* not known yet */
    irr_shape_free(&shape);
    EXPECT(IRR_PARAMETER_MISMATCH, irr_infer_request_infer(request)); /* unset: [0,0], not 1..4 */
    OK(irr_infer_request_set_input_tensor(request, input));
    OK(irr_infer_request_infer(request));
    OK(irr_tensor_get_shape(output, &shape)); /* the old handle */
    assert_int_equal(shape.dims[0], 2);
    irr_shape_free(&shape);
    expect_output(request, (float[]){6, 15}, 2);
    OK(irr_tensor_set_shape(input, (irr_shape_t){2, (int64_t[]){6, 1}}));
    OK(irr_infer_request_infer(request));
    expect_output(request, in, 6);
    OK(irr_tensor_set_shape(input, (irr_shape_t){2, (int64_t[]){1, 5}}));
    EXPECT(IRR_PARAMETER_MISMATCH, irr_infer_request_infer(request)); /* 5 is outside 1..4 */
    OK(irr_tensor_set_shape(input, (irr_shape_t){2, (int64_t[]){0, 2}}));
    OK(irr_infer_request_infer(request));
    expect_output(request, NULL, 0);
    irr_tensor_free(input);
    irr_tensor_free(output);
    irr_infer_request_free(request);
}

static void axes_at_run_time(void **state) {
    (void)state;
    float in[] = {1, 2, 3, 4, 5, 6};
    int64_t axes[] = {0, 1}, count = 1;
    irr_infer_request_t *request = api_request(MODEL_AXES);
    irr_tensor_t *input = api_tensor(in, 2, (int64_t[]){2, 3}), *list = NULL;
    OK(irr_tensor_create_from_host_ptr(IRR_I64, (irr_shape_t){1, &count}, axes, &list));
    OK(irr_infer_request_set_tensor(request, "x", input));
    OK(irr_infer_request_set_tensor(request, "axes", list));
    OK(irr_infer_request_infer(request));
    expect_output(request, (float[]){5, 7, 9}, 3);
    axes[0] = -1; /* the same tensors, other values */
    OK(irr_infer_request_infer(request));
    expect_output(request, (float[]){6, 15}, 2);
    axes[0] = 2;
    EXPECT(IRR_PARAMETER_MISMATCH, irr_infer_request_infer(request));
    expect_message("axis 2 is outside [-2, 1]");
    irr_tensor_free(list);
    count = 2;
    axes[0] = 0;
    OK(irr_tensor_create_from_host_ptr(IRR_I64, (irr_shape_t){1, &count}, axes, &list));
    OK(irr_infer_request_set_tensor(request, "axes", list));
    OK(irr_infer_request_infer(request));
    expect_output(request, (float[]){21}, 1);
    irr_tensor_free(list);
    irr_tensor_free(input);
    irr_infer_request_free(request);
}

static void wrong_tensors(void **state) {
    (void)state;
    float room[16] = {0};
    irr_infer_request_t *request = api_request(MODEL_2X3);
    irr_tensor_t *wrong = api_tensor(room, 2, (int64_t[]){3, 2}), *half = NULL;
    EXPECT(IRR_PARAMETER_MISMATCH, irr_infer_request_set_input_tensor(request, wrong));
    expect_message("input \"x\": dimension 0 is 3, expected 2");
    OK(irr_tensor_create(IRR_F16, (irr_shape_t){2, (int64_t[]){2, 3}}, &half));
    EXPECT(IRR_PARAMETER_MISMATCH, irr_infer_request_set_input_tensor(request, half));
    expect_message("the tensor's type is f16, expected f32");
    EXPECT(IRR_PARAMETER_MISMATCH, irr_infer_request_set_output_tensor(request, half));
    irr_tensor_free(half);
    irr_tensor_free(wrong);
    irr_tensor_t *small = api_tensor(room, 1, (int64_t[]){1}), *input = NULL;
    OK(irr_infer_request_set_output_tensor_by_index(request, 0, small));
    EXPECT(IRR_PARAMETER_MISMATCH, irr_infer_request_infer(request));
    expect_message("output \"y\"");
    irr_tensor_free(small);
    input = api_tensor(room, 2, (int64_t[]){2, 3});
    irr_tensor_t *inside = api_tensor(room + 5, 1, (int64_t[]){2});
    OK(irr_infer_request_set_input_tensor_by_index(request, 0, input));
    OK(irr_tensor_set_shape(input, (irr_shape_t){2, (int64_t[]){1, 3}})); /* after it was checked */
    EXPECT(IRR_PARAMETER_MISMATCH, irr_infer_request_infer(request));
    expect_message("input \"x\": dimension 0 is 1, expected 2");
    OK(irr_tensor_set_shape(input, (irr_shape_t){2, (int64_t[]){2, 3}}));
    OK(irr_infer_request_set_output_tensor(request, inside));
    EXPECT(IRR_PARAMETER_MISMATCH, irr_infer_request_infer(request));
    expect_message("the memory of output \"y\" overlaps that of input \"x\"");
    irr_tensor_free(inside);
    inside = api_tensor(room + 6, 1, (int64_t[]){2});
    OK(irr_infer_request_set_output_tensor(request, inside));
    OK(irr_infer_request_infer(request)); /* side by side is fine */
    OK(irr_tensor_set_shape(input, (irr_shape_t){1, (int64_t[]){6}}));
    EXPECT(IRR_PARAMETER_MISMATCH, irr_infer_request_infer(request));
    irr_tensor_free(inside);
    irr_tensor_free(input);
    irr_infer_request_free(request);
}

static void reshape(void **state) {
    (void)state;
    irr_core_t *core = api_core();
    irr_model_t *model = api_read(core, MODEL_DYNAMIC);
    irr_compiled_model_t *compiled = NULL;
    irr_infer_request_t *request = NULL;
    irr_partial_shape_t shape;
    OK(irr_partial_shape_create_static(2, (int64_t[]){1, 2}, &shape));
    EXPECT(IRR_NOT_FOUND, irr_model_reshape_input_by_name(model, "none", shape));
    assert_true(irr_model_is_dynamic(model));
    OK(irr_core_compile_model(core, model, "STRANGER", 0, NULL, &compiled));
    OK(irr_model_reshape_input_by_name(model, "x", shape));
    assert_false(irr_model_is_dynamic(model));
    irr_partial_shape_free(&shape);
    OK(irr_partial_shape_create_static(1, (int64_t[]){4}, &shape));
    EXPECT(IRR_PARAMETER_MISMATCH, irr_model_reshape_input_by_name(model, "x", shape)); /* axis 1 */
    irr_partial_shape_free(&shape);
    EXPECT(IRR_OUT_OF_BOUNDS, irr_model_reshape(model, (const char *[]){"x", "x"},
                                                (irr_partial_shape_t[2]){{{0, 0}, NULL}}, 2));
    OK(irr_compiled_model_create_infer_request(compiled, &request)); /* still dynamic */
    irr_tensor_t *input = api_tensor((float[]){1, 2, 3}, 2, (int64_t[]){1, 3});
    OK(irr_infer_request_set_input_tensor(request, input));
    OK(irr_infer_request_infer(request));
    expect_output(request, (float[]){6}, 1);
    irr_tensor_free(input);
    irr_infer_request_free(request);
    irr_compiled_model_free(compiled);
    irr_model_free(model);
    irr_core_free(core);
}

static void query_and_profile(void **state) {
    (void)state;
    irr_core_t *core = api_core();
    irr_model_t *model = api_read(core, MODEL_2X3);
    irr_supported_ops_t ops;
    OK(irr_core_query_model(core, model, "STRANGER", 0, NULL, &ops));
    assert_int_equal(ops.size, 4);
    assert_string_equal(ops.ops[2].layer_id, "2");
    assert_string_equal(ops.ops[2].layer_name, "sum");
    assert_string_equal(ops.ops[2].layer_type, "ReduceSum");
    for (size_t k = 0; k < ops.size; k++) assert_true(ops.ops[k].supported);
    irr_supported_ops_free(&ops);
    EXPECT(IRR_NOT_FOUND, irr_core_query_model(core, model, "GPU", 0, NULL, &ops));
    irr_infer_request_t *request = api_request(MODEL_2X3);
    irr_profiling_info_list_t infos;
    OK(irr_infer_request_infer(request));
    OK(irr_infer_request_get_profiling_info(request, &infos));
    assert_int_equal(infos.size, 1);
    assert_int_equal(infos.profiling_infos[0].status, IRR_EXECUTED);
    assert_string_equal(infos.profiling_infos[0].node_name, "sum");
    assert_string_equal(infos.profiling_infos[0].backend, "stranger");
    assert_int_equal(infos.profiling_infos[0].real_time_ns, 1500);
    assert_int_equal(infos.profiling_infos[0].real_time, 2);
    irr_profiling_info_list_free(&infos);
    irr_infer_request_free(request);
    irr_model_free(model);
    irr_core_free(core);
}

static void one_layer_of_a_model(void **state) {
    (void)state;
    irr_core_t *core = api_core();
    irr_model_t *model = api_read(core, MODEL_2X3), *one = NULL;
    irr_output_port_t *port = NULL;
    OK(irr_model_extract_layer(model, "sum", &one));
    irr_model_free(model);
    OK(irr_model_input_by_name(one, "data", &port));
    irr_output_port_free(port);
    EXPECT(IRR_NOT_FOUND, irr_model_extract_layer(one, "none", &model));
    assert_null(model);
    irr_model_free(one);
    irr_core_free(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_versions),
        cmocka_unit_test(messages_live_until_the_next_failure),
        cmocka_unit_test(names_and_ports),
        cmocka_unit_test(compiled_ports),
        cmocka_unit_test(runs_on_either_memory),
        cmocka_unit_test(shapes_bind_at_infer),
        cmocka_unit_test(axes_at_run_time),
        cmocka_unit_test(wrong_tensors),
        cmocka_unit_test(reshape),
        cmocka_unit_test(query_and_profile),
        cmocka_unit_test(one_layer_of_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
