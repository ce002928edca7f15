/* The device IRREDUCE from OpenVINO's C API, registered by a plugins.xml that this program writes.
 * usage: openvino_client LIBRARY [RUNS THREADS]; with RUNS it times a tiny call on the stock CPU
 * device and on ours instead, in turns.
 * SPDX-License-Identifier: Apache-2.0 */
#include <openvino/c/openvino.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 31

static char folder[] = "/tmp/irreduce-openvino-XXXXXX";

static void check(ov_status_e status, const char *what) {
    if (status == OK) return;
    fprintf(stderr, "%s: %s: %s\n", what, ov_get_error_info(status), ov_get_last_err_msg());
    exit(1);
}
#define CHECK(call) check(call, #call)

static void require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "not so: %s\n", what);
    exit(1);
}
#define REQUIRE(condition) require(condition, #condition)

static void write_file(const char *name, const void *bytes, size_t size, char path[64]) {
    snprintf(path, 64, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    require(file && fwrite(bytes, 1, size, file) == size && !fclose(file), path);
}

/* Sum over the last dimension of [1,3,8]. */
static void write_model(const char *type, const char *precision, char path[64]) {
    char text[2048];
    int64_t axis = 2;
    int size = snprintf(
        text, sizeof text,
        "<net name=\"sum\" version=\"11\"><layers>"
        "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\">"
        "<data shape=\"1,3,8\" element_type=\"%s\"/><output><port id=\"0\" precision=\"%s\" "
        "names=\"x\"><dim>1</dim><dim>3</dim><dim>8</dim></port></output></layer>"
        "<layer id=\"1\" name=\"axes\" type=\"Const\" version=\"opset1\"><data "
        "element_type=\"i64\" "
        "shape=\"1\" offset=\"0\" size=\"8\"/><output><port id=\"0\" precision=\"I64\"><dim>1</dim>"
        "</port></output></layer>"
        "<layer id=\"2\" name=\"sum\" type=\"ReduceSum\" version=\"opset1\"><data "
        "keep_dims=\"false\"/><input><port id=\"0\" precision=\"%s\"><dim>1</dim><dim>3</dim>"
        "<dim>8</dim></port><port id=\"1\" precision=\"I64\"><dim>1</dim></port></input><output>"
        "<port id=\"2\" precision=\"%s\" names=\"y\"><dim>1</dim><dim>3</dim></port></output>"
        "</layer><layer id=\"3\" name=\"out\" type=\"Result\" version=\"opset1\"><input><port "
        "id=\"0\" precision=\"%s\"><dim>1</dim><dim>3</dim></port></input></layer></layers><edges>"
        "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"2\" to-port=\"0\"/>"
        "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"2\" to-port=\"1\"/>"
        "<edge from-layer=\"2\" from-port=\"2\" to-layer=\"3\" to-port=\"0\"/></edges></net>",
        type, precision, precision, precision, precision);
    REQUIRE(size > 0 && (size_t)size < sizeof text);
    write_file("model.bin", &axis, sizeof axis, path);
    write_file("model.xml", text, (size_t)size, path);
}

static ov_infer_request_t *request_on(ov_core_t *core, const char *device, const char *model) {
    ov_compiled_model_t *compiled;
    ov_infer_request_t *request;
    CHECK(ov_core_compile_model_from_file(core, model, device, 0, &compiled));
    CHECK(ov_compiled_model_create_infer_request(compiled, &request));
    ov_compiled_model_free(compiled);
    return request;
}

static void *data_of(ov_infer_request_t *request, const char *name) {
    ov_tensor_t *tensor;
    void *data;
    CHECK(ov_infer_request_get_tensor(request, name, &tensor));
    CHECK(ov_tensor_data(tensor, &data));
    ov_tensor_free(tensor); /* the request keeps it */
    return data;
}

static void check_answers(ov_core_t *core, const char *model) {
    ov_infer_request_t *request = request_on(core, "IRREDUCE", model);
    int64_t *x = data_of(request, "x");
    for (int k = 0; k < 24; k++) x[k] = k % 8 ? k : INT64_C(1) << 53;
    CHECK(ov_infer_request_infer(request));
    const int64_t *y = data_of(request, "y");
    for (int row = 0; row < 3; row++) REQUIRE(y[row] == (INT64_C(1) << 53) + 7 * 8 * row + 28);
    x[0] = 0;
    CHECK(ov_infer_request_start_async(request));
    CHECK(ov_infer_request_wait(request));
    REQUIRE(y[0] == 28);

    ov_profiling_info_list_t profile; /* plugins.xml asks for it */
    CHECK(ov_infer_request_get_profiling_info(request, &profile));
    REQUIRE(profile.size == 1 && strstr(profile.profiling_infos[0].exec_type, "sum_i64"));
    printf("%s: %s\n", profile.profiling_infos[0].node_name, profile.profiling_infos[0].exec_type);
    ov_profiling_info_list_free(&profile);

    char *value;
    CHECK(ov_core_get_property(core, "IRREDUCE", "PERF_COUNT", &value));
    REQUIRE(strcmp(value, "YES") == 0);
    ov_free(value);
    REQUIRE(ov_core_set_property(core, "IRREDUCE", "NO_SUCH_KEY", "1") != OK);
    REQUIRE(strstr(ov_get_last_err_msg(), "NO_SUCH_KEY is unknown"));
    ov_infer_request_free(request);
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Medians of rounds in turns, and of their ratios. */
static void time_devices(ov_core_t *core, const char *type, const char *model, long runs) {
    static const char *const devices[] = {"CPU", "IRREDUCE"};
    ov_infer_request_t *requests[2];
    double ns[3][ROUNDS];
    for (int d = 0; d < 2; d++) {
        requests[d] = request_on(core, devices[d], model);
        memset(data_of(requests[d], "x"), 0, 24 * 4);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int d = 0; d < 2; d++) {
            uint64_t start_ns = now_ns();
            for (long run = 0; run < runs; run++) CHECK(ov_infer_request_infer(requests[d]));
            ns[d][round] = (double)(now_ns() - start_ns) / (double)runs;
        }
        ns[2][round] = ns[1][round] / ns[0][round];
    }
    for (int k = 0; k < 3; k++) qsort(ns[k], ROUNDS, sizeof **ns, by_value);
    printf("[1,3,8] %s: CPU %.0f ns, IRREDUCE %.0f ns, ratio %.3f\n", type, ns[0][ROUNDS / 2],
           ns[1][ROUNDS / 2], ns[2][ROUNDS / 2]);
    for (int d = 0; d < 2; d++) ov_infer_request_free(requests[d]);
}

int main(int argc, char **argv) {
    REQUIRE(argc > 1);
    REQUIRE(mkdtemp(folder));
    char config[64], model[64], weights[64], text[1024];
    const char *key = argc > 3 ? "INFERENCE_NUM_THREADS" : "PERF_COUNT";
    const char *value = argc > 3 ? argv[3] : "YES";
    int size = snprintf(text, sizeof text,
                        "<ie><plugins><plugin name=\"CPU\" "
                        "location=\"libopenvino_intel_cpu_plugin.so\"><properties><property "
                        "key=\"%s\" value=\"%s\"/></properties></plugin><plugin name=\"IRREDUCE\" "
                        "location=\"%s\"><properties><property key=\"%s\" value=\"%s\"/>"
                        "</properties></plugin></plugins></ie>",
                        key, value, argv[1], key, value);
    REQUIRE(size > 0 && (size_t)size < sizeof text);
    write_file("plugins.xml", text, (size_t)size, config);
    ov_core_t *core;
    CHECK(ov_core_create_with_config(config, &core));
    write_model("i64", "I64", model);
    if (argc > 3) {
        time_devices(core, "i64", model, atol(argv[2]));
        write_model("f32", "FP32", model);
        time_devices(core, "f32", model, atol(argv[2]));
    } else {
        check_answers(core, model);
    }
    ov_core_free(core);
    snprintf(weights, sizeof weights, "%s/model.bin", folder);
    unlink(config);
    unlink(model);
    unlink(weights);
    rmdir(folder);
    return 0;
}
