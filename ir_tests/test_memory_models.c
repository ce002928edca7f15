/* Over several models, on the CPU device: every allocation of a life cycle fails, once alone, then
 * with all that follow; in the library (libxml2's too), then in the device. A call that fails says
 * so cleanly; a cycle that gets through all the same gives the right bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api.h"
#include "base/memory.h"
#include "cpu_plugin_hook.h"
#include "failing_memory.h"

#include <dlfcn.h>
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *file, *layer; /* layer: taken out after reading */
    const char *reshaped;     /* this input gets a shape of DIM in every dynamic dimension */
    int64_t axes[2];          /* for run-time axes */
    const char *backend;
} row_t;

#define DIM 2 /* what dynamic dimensions become */

/* clang-format off */
static const row_t rows[] = {
    {"l2_keep", NULL, NULL, {0}, "auto"},
    {"sum_drop", NULL, NULL, {0}, "onednn"},
    {"min_axis_1", NULL, NULL, {0}, "reference"},
    {"sequence", NULL, NULL, {0}, "auto"},
    {"siblings", NULL, NULL, {0}, "auto"},
    {"types", NULL, NULL, {0}, "simd"},
    {"constant_data", NULL, NULL, {0}, "auto"},
    {"dynamic", NULL, NULL, {0}, "auto"},
    {"dynamic", NULL, "data", {0}, "auto"},
    {"runtime_axes", NULL, NULL, {1, -1}, "auto"},
    {"if_bodies", "2/then_body/2", NULL, {0}, "auto"},
    {"unknown_layers", "total", NULL, {0}, "auto"},
    {"zero_sized", NULL, NULL, {0}, "auto"},
};
/* clang-format on */

static const cpu_plugin_hook_t *device; /* the device's own allocations */

/* All that a cycle holds; freed in one place, whatever was made. */
typedef struct {
    irr_core_t *core;
    irr_model_t *model, *whole;
    irr_compiled_model_t *compiled;
    irr_infer_request_t *request;
    irr_check_report_t report;
    irr_supported_ops_t ops;
    irr_profiling_info_list_t infos;
    irr_partial_shape_t shape;
    irr_output_port_t *port;
    irr_tensor_t *tensor;
    char *text;
    unsigned char answer[8192];
    size_t answer_bytes;
} cycle_t;

static void release(cycle_t *c) {
    irr_tensor_free(c->tensor);
    irr_free(c->text);
    irr_output_port_free(c->port);
    irr_partial_shape_free(&c->shape);
    irr_profiling_info_list_free(&c->infos);
    irr_supported_ops_free(&c->ops);
    irr_check_report_free(&c->report);
    irr_infer_request_free(c->request);
    irr_compiled_model_free(c->compiled);
    irr_model_free(c->whole);
    irr_model_free(c->model);
    irr_core_free(c->core);
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        irr_status_e status_ = (call);                                                             \
        if (status_) return status_;                                                               \
    } while (0)

static irr_status_e read_and_ask(cycle_t *c, const row_t *row) {
    char path[512];
    irr_property_t one_thread = {"INFERENCE_NUM_THREADS", "1"};
    snprintf(path, sizeof path, "%s/good/%s.xml", IR_TEST_MODELS, row->file);
    TRY(irr_core_create(&c->core));
    TRY(irr_core_register_plugin(c->core, CPU_PLUGIN_PATH, "TEST"));
    TRY(irr_core_set_properties(c->core, "TEST", 1, &one_thread));
    TRY(irr_check(path, NULL, NULL, 0, &c->report));
    assert_int_equal(c->report.size, 0);
    TRY(irr_core_read_model(c->core, path, NULL, &c->model));
    if (row->layer) {
        c->whole = c->model;
        c->model = NULL;
        TRY(irr_model_extract_layer(c->whole, row->layer, &c->model));
    }
    if (row->reshaped) {
        const int64_t dims[] = {5, 3, DIM};
        TRY(irr_partial_shape_create_static(3, dims, &c->shape));
        TRY(irr_model_reshape_input_by_name(c->model, row->reshaped, c->shape));
        irr_partial_shape_free(&c->shape);
    }
    return irr_core_query_model(c->core, c->model, "TEST", 0, NULL, &c->ops);
}

/* An input whose bytes count up; axes are the row's. */
static irr_status_e feed(cycle_t *c, const row_t *row, size_t index) {
    int64_t dims[64];
    bool axes;
    irr_element_type_e type;
    void *data;
    size_t bytes;
    TRY(irr_compiled_model_input_by_index(c->compiled, index, &c->port));
    TRY(irr_port_get_element_type(c->port, &type));
    TRY(irr_port_get_partial_shape(c->port, &c->shape));
    TRY(irr_model_input_is_axes(c->model, index, &axes));
    irr_shape_t shape = {c->shape.rank.max, dims};
    for (int64_t d = 0; d < shape.rank; d++)
        dims[d] = irr_dimension_is_dynamic(c->shape.dims[d]) ? DIM : c->shape.dims[d].max;
    irr_partial_shape_free(&c->shape);
    irr_output_port_free(c->port);
    c->port = NULL;
    TRY(irr_tensor_create(type, shape, &c->tensor));
    TRY(irr_tensor_data(c->tensor, &data));
    TRY(irr_tensor_get_byte_size(c->tensor, &bytes));
    for (size_t k = 0; k < bytes; k++) ((unsigned char *)data)[k] = (unsigned char)(k % 61);
    if (axes) memcpy(data, row->axes, bytes);
    TRY(irr_infer_request_set_input_tensor_by_index(c->request, index, c->tensor));
    irr_tensor_free(c->tensor);
    c->tensor = NULL;
    return IRR_OK;
}

static irr_status_e compile_and_infer(cycle_t *c, const row_t *row) {
    irr_property_t properties[] = {{"IRREDUCE_BACKEND", row->backend}, {"PERF_COUNT", "YES"}};
    size_t inputs, outputs, bytes;
    void *data;
    TRY(irr_core_compile_model(c->core, c->model, "TEST", 2, properties, &c->compiled));
    TRY(irr_compiled_model_get_property(c->compiled, "IRREDUCE_EXPLAIN", &c->text));
    TRY(irr_compiled_model_create_infer_request(c->compiled, &c->request));
    TRY(irr_compiled_model_inputs_size(c->compiled, &inputs));
    for (size_t i = 0; i < inputs; i++) TRY(feed(c, row, i));
    TRY(irr_infer_request_infer(c->request));
    TRY(irr_infer_request_get_profiling_info(c->request, &c->infos));
    TRY(irr_infer_request_start_async(c->request));
    TRY(irr_infer_request_wait(c->request));
    TRY(irr_compiled_model_outputs_size(c->compiled, &outputs));
    for (size_t i = 0; i < outputs; i++) {
        TRY(irr_infer_request_get_output_tensor_by_index(c->request, i, &c->tensor));
        TRY(irr_tensor_data(c->tensor, &data));
        TRY(irr_tensor_get_byte_size(c->tensor, &bytes));
        if (bytes > sizeof c->answer - c->answer_bytes) bytes = sizeof c->answer - c->answer_bytes;
        if (bytes) memcpy(c->answer + c->answer_bytes, data, bytes);
        c->answer_bytes += bytes;
        irr_tensor_free(c->tensor);
        c->tensor = NULL;
    }
    return IRR_OK;
}

static irr_status_e cycle(cycle_t *c, const row_t *row) {
    memset(c, 0, sizeof *c);
    TRY(read_and_ask(c, row));
    return compile_and_infer(c, row);
}

typedef struct {
    const char *what;
    void (*fail_at)(uint64_t n);
    uint64_t (*count)(void);
} side_t;

static void sweep(const row_t *row, const side_t *side, const cycle_t *right) {
    cycle_t c;
    uint64_t failures = 0, survived = 0, before = side->count();
    assert_int_equal(cycle(&c, row), IRR_OK);
    release(&c);
    uint64_t allocations = side->count() - before;
    for (uint64_t n = 1; n <= allocations; n++) {
        side->fail_at(n);
        irr_status_e status = cycle(&c, row);
        side->fail_at(0);
        if (status) {
            if (status != IRR_NOT_ALLOCATED || !*irr_get_last_err_msg())
                fail_msg("%s, %s: allocation %u of %u: status %d: %s", row->file, side->what,
                         (unsigned)n, (unsigned)allocations, status, irr_get_last_err_msg());
            failures++;
        } else {
            assert_int_equal(c.answer_bytes, right->answer_bytes);
            assert_memory_equal(c.answer, right->answer, c.answer_bytes);
            survived++;
        }
        release(&c);
    }
    print_message("%-15s %-22s %4u allocations: %4u failures told, %3u survived\n", row->file,
                  side->what, (unsigned)allocations, (unsigned)failures, (unsigned)survived);
}

static void every_allocation_fails(void **state) {
    (void)state;
    const side_t sides[] = {
        {"one, library", irr_fail_one_allocation, irr_allocation_count},
        {"and all after, library", irr_fail_allocation_after, irr_allocation_count},
        {"one, device", device->fail_one, device->count},
        {"and all after, device", device->fail_after, device->count},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cycle_t right;
        irr_status_e status = cycle(&right, &rows[i]);
        if (status == IRR_NOT_IMPLEMENTED &&
            strstr(irr_get_last_err_msg(), "built without oneDNN")) {
            release(&right);
            print_message("%-15s built without oneDNN\n", rows[i].file);
            continue;
        }
        EXPECT(IRR_OK, status);
        release(&right);
        assert_true(right.answer_bytes > 0 || !strcmp(rows[i].file, "zero_sized"));
        for (size_t k = 0; k < sizeof sides / sizeof *sides; k++)
            sweep(&rows[i], &sides[k], &right);
    }
}

/* Also without memory, a file that cannot be read is the same clean error. */
static void every_allocation_of_a_bad_read_fails(void **state) {
    (void)state;
    irr_core_t *core = NULL;
    OK(irr_core_create(&core));
    static const char bad[] = "<net name=\"n\" version=\"11\"><layers><layer id=\"1\"/></layers>";
    irr_status_e status = IRR_NOT_ALLOCATED;
    for (uint64_t n = 1; status == IRR_NOT_ALLOCATED; n++) {
        irr_model_t *model = NULL;
        irr_fail_one_allocation(n);
        status = irr_core_read_model_from_memory_buffer(core, bad, strlen(bad), NULL, &model);
        irr_fail_allocation_after(0);
        assert_null(model);
    }
    assert_int_equal(status, IRR_NETWORK_NOT_READ);
    irr_core_free(core);
}

/* libxml2 allocates through the same counter. */
static int prepare(void **state) {
    (void)state;
    if (xmlMemSetup(irr_release, irr_malloc, irr_realloc, irr_strdup)) return -1;
    xmlInitParser();
    irr_core_t *core = NULL;
    irr_core_version_list_t versions = {0};
    Dl_info about;
    if (irr_core_create(&core) || irr_core_register_plugin(core, CPU_PLUGIN_PATH, "TEST") ||
        irr_core_get_versions_by_device_name(core, "TEST", &versions))
        return -1;
    char path[4096];
    if (!dladdr((const void *)&rows, &about)) return -1;
    snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(about.dli_fname, '/') - about.dli_fname),
             about.dli_fname, CPU_PLUGIN_PATH);
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    device = library ? dlsym(library, "irr_cpu_plugin_hook") : NULL;
    irr_core_versions_free(&versions);
    irr_core_free(core);
    return device ? 0 : -1;
}

static int finish(void **state) {
    (void)state;
    xmlCleanupParser();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(every_allocation_of_a_bad_read_fails),
    };
    return cmocka_run_group_tests(tests, prepare, finish);
}
