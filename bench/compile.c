/* --compile: reading and compiling a model, a long one too, a new shape of a dynamic one, and what
 * threads cost whatever they do.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <string.h>

enum { TURNS = 99, LONG_TURNS = 3, SHORT = 3, LONG = 1000, LONGEST = 10000 };

/* Min of Min of Min ... over an axis of 1, so that each layer is one of its own. */
static char *chain(size_t layers, const char *shape, const char *dims) {
    size_t room = 1000 + layers * 700, used = 0;
    char *text = take(room);
#define ADD(...) used += (size_t)snprintf(text + used, room - used, __VA_ARGS__)
    ADD("<net name=\"chain\" version=\"11\"><layers>"
        "<layer id=\"0\" name=\"data\" type=\"Parameter\" version=\"opset1\">"
        "<data element_type=\"f32\" shape=\"%s\"/>"
        "<output><port id=\"0\" precision=\"FP32\">%s</port></output></layer>"
        "<layer id=\"1\" name=\"axes\" type=\"Const\" version=\"opset1\">"
        "<data element_type=\"i64\" shape=\"1\" offset=\"0\" size=\"8\"/>"
        "<output><port id=\"0\" precision=\"I64\"><dim>1</dim></port></output></layer>",
        shape, dims);
    for (size_t i = 0; i < layers; i++)
        ADD("<layer id=\"%zu\" name=\"r%zu\" type=\"%s\" version=\"opset1\">"
            "<data keep_dims=\"true\"/><input><port id=\"0\" precision=\"FP32\">%s</port>"
            "<port id=\"1\" precision=\"I64\"><dim>1</dim></port></input>"
            "<output><port id=\"2\" precision=\"FP32\">%s</port></output></layer>",
            i + 2, i, i % 2 ? "ReduceSum" : "ReduceMin", i ? "<dim>-1</dim><dim>-1</dim>" : dims,
            "<dim>-1</dim><dim>-1</dim>");
    ADD("<layer id=\"%zu\" name=\"result\" type=\"Result\" version=\"opset1\">"
        "<input><port id=\"0\" precision=\"FP32\"><dim>-1</dim><dim>-1</dim></port></input></layer>"
        "</layers><edges>",
        layers + 2);
    for (size_t i = 0; i < layers; i++)
        ADD("<edge from-layer=\"%zu\" from-port=\"%d\" to-layer=\"%zu\" to-port=\"0\"/>"
            "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"%zu\" to-port=\"1\"/>",
            i ? i + 1 : 0, i ? 2 : 0, i + 2, i + 2);
    ADD("<edge from-layer=\"%zu\" from-port=\"2\" to-layer=\"%zu\" to-port=\"0\"/></edges></net>",
        layers + 1, layers + 2);
#undef ADD
    return text;
}

typedef struct {
    irr_core_t *core;
    view_t weights;
} setting_t;

static int build(const setting_t *on, const char *xml, irr_model_t **model,
                 irr_compiled_model_t **compiled) {
    LIB(irr_core_read_model_from_memory_buffer(on->core, xml, strlen(xml), on->weights.tensor,
                                               model));
    return library(irr_core_compile_model(on->core, *model, "CPU", 0, NULL, compiled));
}

static int time_build(const setting_t *on, size_t layers, size_t turns, double *median_us) {
    double times[TURNS];
    const char *xml = chain(layers, "4,8", "<dim>4</dim><dim>8</dim>");
    for (size_t i = 0; i < turns; i++) {
        irr_model_t *model = NULL;
        irr_compiled_model_t *compiled = NULL;
        double start = now_us();
        int status = build(on, xml, &model, &compiled);
        times[i] = now_us() - start;
        irr_compiled_model_free(compiled);
        irr_model_free(model);
        TRY(status);
    }
    *median_us = median_of(times, turns);
    return IRR_OK;
}

/* An infer of a shape that was never seen, and one more of it. */
static int time_shapes(const setting_t *on, irr_infer_request_t *request, double *new_us,
                       double *known_us) {
    double first[TURNS], second[TURNS];
    (void)on;
    for (size_t i = 0; i < TURNS; i++) {
        int64_t dims[2] = {(int64_t)i + 2, 8};
        irr_tensor_t *tensor = NULL;
        LIB(irr_tensor_create(IRR_F32, (irr_shape_t){2, dims}, &tensor));
        irr_status_e status = irr_infer_request_set_input_tensor_by_index(request, 0, tensor);
        irr_tensor_free(tensor);
        LIB(status);
        double start = now_us();
        LIB(irr_infer_request_infer(request));
        double between = now_us();
        LIB(irr_infer_request_infer(request));
        first[i] = between - start;
        second[i] = now_us() - between;
    }
    *new_us = median_of(first, TURNS);
    *known_us = median_of(second, TURNS);
    return IRR_OK;
}

static int time_dynamic(const setting_t *on, double *new_us, double *known_us) {
    irr_model_t *model = NULL;
    irr_compiled_model_t *compiled = NULL;
    irr_infer_request_t *request = NULL;
    int status = build(on, chain(1, "?,8", "<dim>-1</dim><dim>8</dim>"), &model, &compiled);
    if (!status) status = library(irr_compiled_model_create_infer_request(compiled, &request));
    if (!status) status = time_shapes(on, request, new_us, known_us);
    irr_infer_request_free(request);
    irr_compiled_model_free(compiled);
    irr_model_free(model);
    return status;
}

static void print_time(const char *what, double us, double most_us) {
    if (settings.json) {
        json("{ what:s us:f most_us:f }", what, us, most_us);
        return;
    }
    printf("%-52s %11.2f %11.2f %s\n", what, us, most_us, us > most_us ? "above" : "");
}

static int all(void) {
    setting_t on = {0};
    double brief = 0, half = 0, full = 0, fresh = 0, known = 0;
    int64_t bytes = 8;
    int status = library(irr_core_create(&on.core));
    if (!status) status = make_tensor(IRR_U8, 1, &bytes, &on.weights); /* zeros: axis 0 */
    if (!status) status = time_build(&on, SHORT, TURNS, &brief);
    if (!status) status = time_build(&on, LONG, LONG_TURNS, &half);
    if (!status) status = time_build(&on, LONGEST, LONG_TURNS, &full);
    if (!status) status = time_dynamic(&on, &fresh, &known);
    if (!status) {
        print_time("read and compile 3 layers", brief, 300);
        print_time("read and compile 1,000 layers, a layer", half / LONG, 300);
        print_time("read and compile 10,000 layers, a layer", full / LONGEST, 1.3 * half / LONG);
        print_time("infer with a new shape, less one with a known shape", fresh - known, 5);
        print_time("fork and join of an empty region of 2 threads", empty_region_us(2), 0.5);
    }
    irr_tensor_free(on.weights.tensor);
    irr_core_free(on.core);
    return status;
}

static void head(void) {
    if (!settings.json) printf("%-52s %11s %11s\n", "what", "us", "most");
}

const bench_mode_t compile_mode = {.head = head, .all = all};
