/* Small models and objects for the tests of the public API.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api.h"

#include <stdio.h>
#include <string.h>

void expect_message(const char *words) {
    if (!strstr(irr_get_last_err_msg(), words))
        fail_msg("the message \"%s\" does not hold \"%s\"", irr_get_last_err_msg(), words);
}

const char *api_model(const char *shape, const char *dims, bool axes_at_run_time) {
    static _Thread_local char xml[4096];
    const char *axes =
        axes_at_run_time
            ? "type=\"Parameter\" version=\"opset1\"><data shape=\"?\" element_type=\"i64\"/>"
            : "type=\"Const\" version=\"opset1\"><data element_type=\"i64\" shape=\"1\" "
              "offset=\"0\" size=\"8\"/>";
    const char *count = axes_at_run_time ? "<dim>-1</dim>" : "<dim>1</dim>";
    const char *result = axes_at_run_time ? "" : "<dim>-1</dim>";
    snprintf(
        xml, sizeof xml,
        "<?xml version=\"1.0\"?><net name=\"small\" version=\"11\"><layers>"
        "<layer id=\"0\" name=\"x_layer\" type=\"Parameter\" version=\"opset1\">"
        "<data shape=\"%s\" element_type=\"f32\"/>"
        "<output><port id=\"0\" precision=\"FP32\" names=\"x,x_too\">%s</port></output></layer>"
        "<layer id=\"1\" name=\"axes\" %s"
        "<output><port id=\"0\" precision=\"I64\">%s</port></output></layer>"
        "<layer id=\"2\" name=\"sum\" type=\"ReduceSum\" version=\"opset1\">"
        "<data keep_dims=\"false\"/><input><port id=\"0\" precision=\"FP32\">%s</port>"
        "<port id=\"1\" precision=\"I64\">%s</port></input>"
        "<output><port id=\"2\" precision=\"FP32\" names=\"y\">%s</port></output></layer>"
        "<layer id=\"3\" name=\"result\" type=\"Result\" version=\"opset1\">"
        "<input><port id=\"0\" precision=\"FP32\">%s</port></input></layer></layers><edges>"
        "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"2\" to-port=\"0\"/>"
        "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"2\" to-port=\"1\"/>"
        "<edge from-layer=\"2\" from-port=\"2\" to-layer=\"3\" to-port=\"0\"/>"
        "</edges></net>",
        shape, dims, axes, count, dims, count, result, result);
    return xml;
}

irr_core_t *api_core(void) {
    irr_core_t *core = NULL;
    OK(irr_core_create(&core));
    OK(irr_core_register_plugin(core, STRANGER_PATH, "STRANGER"));
    return core;
}

irr_model_t *api_read(const irr_core_t *core, const char *xml) {
    int64_t axes[] = {1}, bytes = sizeof axes;
    irr_tensor_t *weights = NULL;
    irr_model_t *model = NULL;
    OK(irr_tensor_create_from_host_ptr(IRR_U8, (irr_shape_t){1, &bytes}, axes, &weights));
    OK(irr_core_read_model_from_memory_buffer(core, xml, strlen(xml), weights, &model));
    irr_tensor_free(weights);
    return model;
}

irr_compiled_model_t *api_compile(const char *xml) { return api_compile_on("STRANGER", xml); }

irr_compiled_model_t *api_compile_on(const char *device, const char *xml) {
    irr_core_t *core = api_core();
    irr_model_t *model = api_read(core, xml);
    irr_compiled_model_t *compiled = NULL;
    OK(irr_core_compile_model(core, model, device, 0, NULL, &compiled));
    irr_model_free(model);
    irr_core_free(core);
    return compiled;
}

irr_infer_request_t *api_request(const char *xml) {
    irr_compiled_model_t *compiled = api_compile(xml);
    irr_infer_request_t *request = NULL;
    OK(irr_compiled_model_create_infer_request(compiled, &request));
    irr_compiled_model_free(compiled);
    return request;
}

irr_tensor_t *api_tensor(float *values, int64_t rank, const int64_t *dims) {
    irr_tensor_t *tensor = NULL;
    OK(irr_tensor_create_from_host_ptr(IRR_F32, (irr_shape_t){rank, (int64_t *)dims}, values,
                                       &tensor));
    return tensor;
}

void expect_output(const irr_infer_request_t *request, const float *values, size_t count) {
    irr_tensor_t *tensor = NULL;
    size_t size;
    void *data;
    OK(irr_infer_request_get_output_tensor_by_index(request, 0, &tensor));
    OK(irr_tensor_get_size(tensor, &size));
    OK(irr_tensor_data(tensor, &data));
    assert_int_equal(size, count);
    for (size_t k = 0; k < count; k++) assert_true(((const float *)data)[k] == values[k]);
    irr_tensor_free(tensor);
}
