/* Graphs of several layers, and the data that they get.
 * SPDX-License-Identifier: Apache-2.0 */
#include "layers.h"

#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { ROOM_BYTES = 2 << 20 };

uint64_t layers_seed = 1;
double layers_seconds = 3;
guarded_t layers_room;

const irr_element_type_e layer_types[LAYER_TYPES] = {
    IRR_F32, IRR_F64, IRR_F16, IRR_BF16, IRR_I8,  IRR_U8,     IRR_I32,
    IRR_I64, IRR_U64, IRR_I16, IRR_U16,  IRR_U32, IRR_BOOLEAN};

double layers_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void layers_begin(layers_t *m, const random_case_t *data) {
    memset(m, 0, sizeof *m);
    m->data = *data;
    m->values[0] = (irr_graph_value_t){data->type, data->rank, m->data.dims, NULL, false};
    m->graph = (irr_graph_t){.size_bytes = sizeof m->graph,
                             .name = "beside",
                             .values = m->values,
                             .value_count = 1,
                             .layers = m->layers,
                             .inputs = &m->input,
                             .input_count = 1,
                             .outputs = m->outputs};
}

uint32_t layers_add(layers_t *m, const random_case_t *c, uint32_t data, bool between) {
    uint32_t k = m->graph.layer_count++, axes = m->graph.value_count++,
             result = m->graph.value_count++;
    random_case_t *own = &m->cases[k];
    *own = *c;
    m->axis_counts[k] = own->axis_count;
    snprintf(m->ids[k], sizeof m->ids[k], "%u", (unsigned)k);
    snprintf(m->names[k], sizeof m->names[k], "r%u", (unsigned)k);
    m->values[axes] = (irr_graph_value_t){IRR_I64, 1, &m->axis_counts[k], own->axes, true};
    m->values[result] = (irr_graph_value_t){own->type, own->out_rank, own->out_dims, NULL, false};
    m->layers[k] = (irr_graph_layer_t){.id = m->ids[k],
                                       .name = k % 2 ? "" : m->names[k],
                                       .type = own->op,
                                       .data = data,
                                       .axes = axes,
                                       .output = result,
                                       .keep_dims = own->keep_dims};
    if (between) return result;
    size_t bytes = own->outputs * oracle_element_bytes(own->type);
    m->out[m->graph.output_count] =
        (irr_tensor_view_t){malloc(bytes + 64), own->type, own->out_rank, own->out_dims, NULL};
    m->outputs[m->graph.output_count++] = result;
    return result;
}

void layers_end(layers_t *m) {
    for (uint32_t o = 0; o < MOST_LAYERS; o++) free(m->out[o].data);
}

void layers_run(layers_t *m, const irr_property_t *properties, size_t count, void *data,
                char *explained, size_t capacity, char kernels[MOST_LAYERS][256]) {
    char text[DEVICE_TEXT_BYTES];
    irr_sentence_t sentence = {text, sizeof text};
    irr_plugin_compiled_t *compiled;
    irr_plugin_request_t *request;
    size_t needed, rows = 0;
    irr_profile_row_t profile[MOST_LAYERS] = {{.size_bytes = sizeof *profile}};
    m->in = (irr_tensor_view_t){data, m->values[0].element_type, m->values[0].rank,
                                m->values[0].dims, NULL};
    for (size_t k = 0; k < MOST_LAYERS; k++) profile[k].size_bytes = sizeof *profile;
    if (engine->compile(engine, &m->graph, properties, count, &compiled, sentence) ||
        engine->get_compiled_property(compiled, "IRREDUCE_EXPLAIN", explained, capacity, &needed,
                                      sentence) ||
        engine->create_request(compiled, &request, sentence) ||
        engine->infer(request, &m->in, m->out, NULL, sentence) ||
        engine->profile(request, profile, MOST_LAYERS, &rows, sentence))
        fail_msg("%s", text);
    assert_int_equal(rows, m->graph.layer_count);
    for (size_t k = 0; k < rows; k++)
        snprintf(kernels[k], sizeof kernels[k], "%s%s",
                 profile[k].executed ? "" : "idle: ", profile[k].kernel);
    engine->release_request(request);
    engine->release_compiled(compiled);
}

void *layers_data(random_case_t *c, uint64_t seed, irr_element_type_e type) {
    uint64_t stream = seed * 77 + 5;
    do {
        random_case_make(c, random_next(&stream), "ReduceMin", type, MOST_ELEMENTS);
        if (seed % 3 == 0 && c->elements) { /* wide leaves, which are cut */
            c->rank = 3, c->axis_count = 1, c->axes[0] = seed % 2 ? 1 : 0;
            c->dims[0] = (int64_t)(1 + random_below(&stream, 3));
            c->dims[1] = (int64_t)(1 + random_below(&stream, 70));
            c->dims[2] = (int64_t)(500 + random_below(&stream, 9000));
            while (c->dims[0] * c->dims[1] * c->dims[2] > MOST_ELEMENTS)
                c->dims[1] = c->dims[1] / 2 + (c->dims[1] == 1 && (c->dims[0] = 1));
            random_case_complete(c);
        }
        if (seed % 3 == 1 &&
            c->elements) { /* steps of several narrow rows, the last one of a few */
            c->rank = 3, c->axis_count = 1, c->axes[0] = 1;
            c->dims[0] = (int64_t)(1 + random_below(&stream, 3));
            c->dims[1] = (int64_t)(33 + random_below(&stream, 300));
            c->dims[2] = (int64_t)(2 + random_below(&stream, 40));
            random_case_complete(c);
        }
    } while (c->elements == 0 || c->axis_count == 0);
    void *data = guarded_at_end(&layers_room, c->elements * oracle_element_bytes(type), 0);
    random_case_fill(c, data);
    return data;
}

int layers_open(void) {
    if (getenv("IRR_TEST_SEED")) layers_seed = strtoull(getenv("IRR_TEST_SEED"), NULL, 0);
    if (getenv("IRR_TEST_SECONDS")) layers_seconds = atof(getenv("IRR_TEST_SECONDS"));
    if (!device_open(NULL) && guarded_make(&layers_room, ROOM_BYTES)) return 0;
    return fprintf(stderr, "no device or no memory\n"), 1;
}

int layers_close(int failed) {
    guarded_release(&layers_room);
    device_close(NULL);
    return failed;
}
