/* Every allocation of a life cycle fails once; every order of freeing is tried; a settled infer
 * allocates nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api.h"
#include "failing_memory.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    irr_core_t *core;
    irr_model_t *model;
    irr_compiled_model_t *compiled;
    irr_infer_request_t *request;
    irr_tensor_t *input, *output;
} objects_t;

static void free_object(objects_t *o, int which) {
    switch (which) {
    case 0:
        irr_core_free(o->core);
        break;
    case 1:
        irr_model_free(o->model);
        break;
    case 2:
        irr_compiled_model_free(o->compiled);
        break;
    case 3:
        irr_infer_request_free(o->request);
        break;
    case 4:
        irr_tensor_free(o->input);
        break;
    default:
        irr_tensor_free(o->output);
    }
}

/* Stops at the first failure, as a program would. The weights are the caller's. */
static irr_status_e cycle(objects_t *o, const char *xml, const irr_tensor_t *weights) {
    irr_status_e status = irr_core_create(&o->core);
    if (!status) status = irr_core_register_plugin(o->core, STRANGER_PATH, "STRANGER");
    if (!status)
        status =
            irr_core_read_model_from_memory_buffer(o->core, xml, strlen(xml), weights, &o->model);
    if (!status)
        status = irr_core_compile_model(o->core, o->model, "STRANGER", 0, NULL, &o->compiled);
    if (!status) status = irr_compiled_model_create_infer_request(o->compiled, &o->request);
    if (!status) status = irr_infer_request_get_input_tensor(o->request, &o->input);
    if (!status) status = irr_infer_request_infer(o->request);
    if (!status) status = irr_infer_request_get_output_tensor(o->request, &o->output);
    return status;
}

static irr_tensor_t *weights_of(int64_t *axis) {
    irr_tensor_t *weights = NULL;
    int64_t bytes = sizeof *axis;
    OK(irr_tensor_create_from_host_ptr(IRR_U8, (irr_shape_t){1, &bytes}, axis, &weights));
    return weights;
}

static void every_order_of_freeing(void **state) {
    (void)state;
    int64_t axis = 1;
    irr_tensor_t *weights = weights_of(&axis);
    for (int order = 0; order < 720; order++) {
        objects_t objects = {0};
        int left[] = {0, 1, 2, 3, 4, 5}, rest = order;
        OK(cycle(&objects, MODEL_2X3, weights));
        for (int count = 6; count > 0; count--) {
            int k = rest % count;
            rest /= count;
            free_object(&objects, left[k]);
            left[k] = left[count - 1];
        }
    }
    irr_tensor_free(weights);
}

static void each_allocation_fails(void **state) {
    (void)state;
    int64_t axis = 1;
    irr_tensor_t *weights = weights_of(&axis);
    irr_status_e status = IRR_NOT_ALLOCATED;
    uint64_t n = 1;
    for (; status; n++) {
        objects_t objects = {0};
        irr_fail_allocation_after(n);
        status = cycle(&objects, MODEL_2X3, weights);
        irr_fail_allocation_after(0);
        if (status) {
            assert_int_equal(status, IRR_NOT_ALLOCATED);
            expect_message("memory");
            assert_null(objects.output);
        }
        for (int k = 0; k < 6; k++) free_object(&objects, k);
        assert_true(n < 10000);
    }
    printf("%u allocations in a life cycle\n", (unsigned)n - 2);
    irr_tensor_free(weights);
}

/* Calls beside the main road. */
static irr_status_e side_calls(const irr_core_t *core, const irr_model_t *model,
                               const irr_infer_request_t *request) {
    irr_version_t version = {0};
    irr_available_devices_t devices = {0};
    irr_core_version_list_t versions = {0};
    irr_supported_ops_t ops = {0};
    irr_profiling_info_list_t infos = {0};
    irr_check_report_t report = {0};
    irr_output_port_t *port = NULL;
    irr_model_t *one = NULL;
    char *text = NULL;
    irr_property_t property = {"STRANGER_SLEEP_MS", "0"};
    irr_status_e status = irr_get_version(&version);
    if (!status) status = irr_core_get_available_devices(core, &devices);
    if (!status) status = irr_core_get_versions_by_device_name(core, "STRANGER", &versions);
    if (!status) status = irr_core_query_model(core, model, "STRANGER", 0, NULL, &ops);
    if (!status) status = irr_infer_request_get_profiling_info(request, &infos);
    if (!status) status = irr_check("/nowhere.xml", NULL, NULL, 0, &report);
    if (!status) status = irr_model_input(model, &port);
    if (!status) status = irr_port_get_any_name(port, &text);
    if (!status) status = irr_model_extract_layer(model, "sum", &one);
    if (!status) status = irr_core_set_properties(core, "STRANGER", 1, &property);
    irr_version_free(&version);
    irr_available_devices_free(&devices);
    irr_core_versions_free(&versions);
    irr_supported_ops_free(&ops);
    irr_profiling_info_list_free(&infos);
    irr_check_report_free(&report);
    irr_output_port_free(port);
    irr_model_free(one);
    irr_free(text);
    return status;
}

static void each_allocation_of_side_calls_fails(void **state) {
    (void)state;
    int64_t axis = 1;
    irr_tensor_t *weights = weights_of(&axis);
    objects_t o = {0};
    OK(cycle(&o, MODEL_2X3, weights));
    irr_status_e status = IRR_NOT_ALLOCATED;
    for (uint64_t n = 1; status; n++) {
        irr_fail_allocation_after(n);
        status = side_calls(o.core, o.model, o.request);
        irr_fail_allocation_after(0);
        if (status) assert_int_equal(status, IRR_NOT_ALLOCATED);
        assert_true(n < 10000);
    }
    for (int k = 0; k < 6; k++) free_object(&o, k);
    irr_tensor_free(weights);
}

/* Also with axes that are read at every infer. */
static void settled_infers_allocate_nothing(void **state) {
    (void)state;
    for (int run_time = 0; run_time < 2; run_time++) {
        irr_infer_request_t *request = api_request(run_time ? MODEL_AXES : MODEL_2X3);
        OK(irr_infer_request_infer(request));
        uint64_t before = irr_allocation_count();
        for (int k = 0; k < 10; k++) OK(irr_infer_request_infer(request));
        assert_int_equal(irr_allocation_count(), before);
        irr_infer_request_free(request);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_of_freeing),
        cmocka_unit_test(each_allocation_fails),
        cmocka_unit_test(each_allocation_of_side_calls_fails),
        cmocka_unit_test(settled_infers_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
