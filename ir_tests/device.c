/* Runs random cases through plugin.h, as a host would.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

irr_plugin_engine_t *engine;

int device_open(void **state) {
    (void)state;
    return irr_create_plugin_engine(IRR_PLUGIN_ABI, &engine, (irr_sentence_t){NULL, 0}) != IRR_OK;
}

int device_close(void **state) {
    (void)state;
    engine->release(engine);
    return 0;
}

enum { MAX_SIBLINGS = 3, PATTERN = 0xa5, MARGIN = 256 };

/* The graph of one case: value 0 the data, 1 the axes, 2 the result; then pairs of axes and result
 * for the siblings. */
typedef struct case_graph {
    irr_graph_t graph;
    irr_graph_value_t values[3 + 2 * MAX_SIBLINGS];
    irr_graph_layer_t layers[1 + MAX_SIBLINGS];
    uint32_t inputs[2], outputs[1 + MAX_SIBLINGS];
    irr_tensor_view_t in[2], out[1 + MAX_SIBLINGS];
    int64_t dynamic_dims[RANDOM_MAX_RANK], axis_dim, sibling_axis, sibling_axis_dim;
    int64_t sibling_dims[RANDOM_MAX_RANK];
    uint32_t sibling_rank;
} case_graph_t;

static void add_siblings(case_graph_t *g, const random_case_t *c, unsigned count) {
    static const char *const words[] = {"ReduceSum", "ReduceMin", "ReduceL2"};
    static const char *const ids[] = {"s0", "s1", "s2"};
    size_t outputs = c->elements;
    if (c->rank) { /* over the last dimension */
        g->sibling_rank = c->rank - 1, g->sibling_axis_dim = 1, g->sibling_axis = -1;
        memcpy(g->sibling_dims, c->dims, sizeof g->sibling_dims);
        outputs = 1;
        for (uint32_t d = 0; d + 1 < c->rank; d++) outputs *= (size_t)c->dims[d];
    }
    for (unsigned i = 0; i < count; i++) {
        bool twin = i < 2; /* over the case's own axes */
        uint32_t axes = 3 + 2 * i, result = axes + 1, rank = twin ? c->out_rank : g->sibling_rank;
        const int64_t *dims = twin ? c->out_dims : g->sibling_dims;
        g->values[axes] =
            (irr_graph_value_t){IRR_I64, 1, &g->sibling_axis_dim, &g->sibling_axis, true};
        g->values[result] =
            (irr_graph_value_t){c->type, rank, twin ? g->values[2].dims : dims, NULL, false};
        /* Odd ones stand before the case's own layer. */
        uint32_t at = i & 1 ? 0 : g->graph.layer_count;
        memmove(g->layers + at + 1, g->layers + at,
                (g->graph.layer_count - at) * sizeof *g->layers);
        g->layers[at] = (irr_graph_layer_t){.id = ids[i],
                                            .name = "",
                                            .type = words[i],
                                            .axes = twin ? 1 : axes,
                                            .output = result,
                                            .keep_dims = twin && c->keep_dims};
        g->graph.layer_count++;
        g->outputs[g->graph.output_count] = result;
        void *room = malloc((twin ? c->outputs : outputs) * oracle_element_bytes(c->type) + 64);
        g->out[g->graph.output_count++] = (irr_tensor_view_t){room, c->type, rank, dims, NULL};
        g->graph.value_count += 2;
    }
}

static void build(case_graph_t *g, const random_case_t *c, const device_setup_t *setup,
                  const void *data, void *output) {
    *g = (case_graph_t){.graph = {.size_bytes = sizeof(irr_graph_t),
                                  .name = "case",
                                  .values = g->values,
                                  .value_count = 3,
                                  .layers = g->layers,
                                  .layer_count = 1,
                                  .inputs = g->inputs,
                                  .input_count = 1,
                                  .outputs = g->outputs,
                                  .output_count = 1},
                        .axis_dim = c->axis_count};
    for (uint32_t d = 0; d < c->rank; d++) g->dynamic_dims[d] = IRR_DYNAMIC_DIM;
    const int64_t *known = setup->dynamic ? g->dynamic_dims : NULL;
    g->values[0] = (irr_graph_value_t){c->type, c->rank, known ? known : c->dims, NULL, false};
    g->values[1] = (irr_graph_value_t){IRR_I64, 1, &g->axis_dim, c->axes, true};
    g->values[2] =
        (irr_graph_value_t){c->type, c->out_rank, known ? known : c->out_dims, NULL, false};
    g->layers[0] = (irr_graph_layer_t){.id = "1",
                                       .name = "case",
                                       .type = c->op,
                                       .data = 0,
                                       .axes = 1,
                                       .output = 2,
                                       .keep_dims = c->keep_dims};
    g->outputs[0] = 2;
    g->in[0] = (irr_tensor_view_t){(void *)(uintptr_t)data, c->type, c->rank, c->dims, NULL};
    g->out[0] = (irr_tensor_view_t){output, c->type, c->out_rank, c->out_dims, NULL};
    if (setup->run_time_axes) {
        g->values[1].constant = NULL, g->values[1].is_constant = false;
        g->inputs[g->graph.input_count] = 1;
        g->in[g->graph.input_count++] =
            (irr_tensor_view_t){(void *)(uintptr_t)c->axes, IRR_I64, 1, &g->axis_dim, NULL};
    }
    add_siblings(g, c, setup->siblings);
}

/* A tensor with its first dimension innermost and every second element unused. */
typedef struct strided {
    char *room;
    int64_t strides[RANDOM_MAX_RANK], index[RANDOM_MAX_RANK];
} strided_t;

static void make_strided(strided_t *s, irr_tensor_view_t *view) {
    int64_t stride = 2 * (int64_t)oracle_element_bytes(view->element_type);
    *s = (strided_t){0};
    for (uint32_t d = 0; d < view->rank; d++) {
        s->strides[d] = stride;
        stride *= view->dims[d];
    }
    s->room = calloc(1, (size_t)stride + 64);
    if (!s->room) abort();
    view->data = s->room, view->byte_strides = s->strides;
}

/* Copies between the view's strided room and dense memory, element by element. */
static void copy_strided(strided_t *s, const irr_tensor_view_t *view, size_t count, char *dense,
                         bool to_dense) {
    size_t bytes = oracle_element_bytes(view->element_type);
    char *at = s->room;
    for (; count--; dense += bytes) {
        memcpy(to_dense ? dense : at, to_dense ? at : dense, bytes);
        for (uint32_t d = view->rank; d-- > 0;) {
            at += s->strides[d];
            if (++s->index[d] < view->dims[d]) break;
            at -= s->strides[d] * s->index[d];
            s->index[d] = 0;
        }
    }
}

/* What infer is called in, and has to leave. */
enum { DEFAULT_WORD = 0x1f80 };
#if defined(__x86_64__)
static unsigned change_word(unsigned word) {
    unsigned found = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(word);
    return found;
}
#else
static unsigned change_word(unsigned word) { return word; }
#endif

static irr_status_e infer_in(unsigned word, irr_plugin_request_t *request, const case_graph_t *g,
                             const irr_host_services_t *services, irr_sentence_t sentence) {
    unsigned found = change_word(word);
    irr_status_e status = engine->infer(request, g->in, g->out, services, sentence);
    unsigned after = change_word(found);
    if (status != IRR_OK || after == word) return status;
    snprintf(sentence.text, sentence.capacity_bytes, "MXCSR %#x became %#x", word, after);
    return IRR_GENERAL_ERROR;
}

irr_status_e device_run(irr_plugin_engine_t *engine, const random_case_t *c,
                        const device_setup_t *setup, const void *data, void *output, char *text) {
    case_graph_t *g = calloc(1, sizeof *g);
    if (!g) abort();
    build(g, c, setup, data, output);
    strided_t in = {0}, out = {0};
    if (setup->strided) {
        make_strided(&in, &g->in[0]);
        make_strided(&out, &g->out[0]);
        copy_strided(&in, &g->in[0], c->elements, (char *)(uintptr_t)data, false);
    }
    char threads[16];
    snprintf(threads, sizeof threads, "%u", setup->threads);
    const irr_property_t all[] = {{"IRREDUCE_BACKEND", setup->backend},
                                  {"IRREDUCE_ISA", setup->isa},
                                  {"IRREDUCE_REPRODUCIBLE", setup->reproducible},
                                  {"IRREDUCE_PREFETCH", setup->prefetch},
                                  {"EXECUTION_MODE_HINT", setup->mode},
                                  {"PERF_COUNT", setup->exact_fallbacks ? "YES" : NULL},
                                  {"INFERENCE_NUM_THREADS", setup->threads ? threads : NULL}};
    irr_property_t properties[sizeof all / sizeof *all];
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].value) properties[count++] = all[i];
    irr_sentence_t sentence = {text, DEVICE_TEXT_BYTES};
    irr_plugin_compiled_t *compiled = NULL;
    irr_plugin_request_t *request = NULL;
    text[0] = 0;
    irr_status_e status =
        engine->compile(engine, &g->graph, properties, count, &compiled, sentence);
    if (status == IRR_OK) status = engine->create_request(compiled, &request, sentence);
    for (unsigned call = 0; status == IRR_OK && call <= setup->repeats; call++)
        status = infer_in(setup->word ? setup->word : DEFAULT_WORD, request, g, setup->services,
                          sentence);
    if (setup->strided && status == IRR_OK)
        copy_strided(&out, &g->out[0], c->outputs, output, true);
    free(in.room), free(out.room);
    irr_profile_row_t row = {.size_bytes = sizeof row};
    size_t rows = 0;
    if (status == IRR_OK && setup->exact_fallbacks) {
        status = engine->profile(request, &row, 1, &rows, sentence);
        *setup->exact_fallbacks = rows ? row.exact_fallbacks : 0;
    }
    if (request) engine->release_request(request);
    if (compiled) engine->release_compiled(compiled);
    for (uint32_t i = 1; i < g->graph.output_count; i++) free(g->out[i].data);
    free(g);
    return status;
}

char *device_setup_text(const device_setup_t *s, char *text) {
    snprintf(text, DEVICE_TEXT_BYTES, "backend %s, isa %s, %u threads%s%s%s%s%s",
             s->backend ? s->backend : "default", s->isa ? s->isa : "default", s->threads,
             s->mode ? ", ACCURACY" : "", s->strided ? ", strided" : "",
             s->dynamic ? ", dynamic" : "", s->siblings ? ", siblings" : "",
             s->reproducible ? ", not reproducible" : "");
    return text;
}

/* ---- guarded memory ---- */

bool guarded_make(guarded_t *g, size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t usable = (bytes + 2 * MARGIN + page - 1) / page * page;
    g->mapped_bytes = usable + 2 * page;
    void *map = mmap(NULL, g->mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) return false;
    g->pages = map, g->first = g->pages + page, g->end = g->first + usable;
    return mprotect(g->first, usable, PROT_READ | PROT_WRITE) == 0;
}

void guarded_release(guarded_t *g) { munmap(g->pages, g->mapped_bytes); }

/* The MARGIN bytes on each side, cut at the guards. */
static void sides(const guarded_t *g, const void *room, size_t bytes, char **low, char **high) {
    *low = (char *)(uintptr_t)room - MARGIN;
    *high = (char *)(uintptr_t)room + bytes + MARGIN;
    if (*low < g->first) *low = g->first;
    if (*high > g->end) *high = g->end;
}

static void *watched(guarded_t *g, char *room, size_t bytes) {
    char *low, *high;
    sides(g, room, bytes, &low, &high);
    memset(low, PATTERN, (size_t)(high - low));
    return room;
}

void *guarded_at_end(guarded_t *g, size_t bytes, size_t slack) {
    return watched(g, g->end - bytes - slack, bytes);
}

void *guarded_at_start(guarded_t *g, size_t bytes, size_t slack) {
    return watched(g, g->first + slack, bytes);
}

bool guarded_is_whole(const guarded_t *g, const void *room, size_t bytes) {
    char *low, *high;
    sides(g, room, bytes, &low, &high);
    for (const char *p = low; p < high; p++) {
        if (p == (const char *)room) p += bytes;
        if (p < high && *(const unsigned char *)p != PATTERN) return false;
    }
    return true;
}
