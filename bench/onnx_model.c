/* A reduction as an ONNX file, written byte by byte: a model of one node is a few nested records of
 * tag, length, content, and needs no library. Operator set 20, the first whose Min and Max take
 * booleans, which are And and Or. SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <string.h>

enum { OPSET = 20, IR_VERSION = 9, INT64 = 7 };

/* Fields of onnx.proto. */
enum { MODEL_IR_VERSION = 1, MODEL_GRAPH = 7, MODEL_OPSET = 8, OPSET_VERSION = 2 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_OP = 4 };
enum { TENSOR_DIMS = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW = 9 };
enum { VALUE_NAME = 1, VALUE_TYPE = 2, TYPE_TENSOR = 1, TYPE_ELEMENT = 1, TYPE_SHAPE = 2 };
enum { SHAPE_DIM = 1, DIM_VALUE = 1 };

static const char *const words[OP_COUNT] = {
    [OP_MIN] = "ReduceMin",   [OP_MAX] = "ReduceMax",   [OP_SUM] = "ReduceSum",
    [OP_MEAN] = "ReduceMean", [OP_PROD] = "ReduceProd", [OP_L1] = "ReduceL1",
    [OP_L2] = "ReduceL2",     [OP_AND] = "ReduceMin",   [OP_OR] = "ReduceMax",
};
static const unsigned char element_types[] = {
    [IRR_F32] = 1,  [IRR_U8] = 2,      [IRR_I8] = 3,      [IRR_U16] = 4,  [IRR_I16] = 5,
    [IRR_I32] = 6,  [IRR_I64] = INT64, [IRR_BOOLEAN] = 9, [IRR_F16] = 10, [IRR_F64] = 11,
    [IRR_U32] = 12, [IRR_U64] = 13,    [IRR_BF16] = 16,
};

int onnx_element_type(irr_element_type_e type) { return element_types[type]; }

typedef struct {
    unsigned char bytes[MOST_ONNX_BYTES];
    size_t count;
} record_t;

static void put_number(record_t *to, uint64_t number) {
    for (; number > 127; number >>= 7) to->bytes[to->count++] = (unsigned char)(number | 128);
    to->bytes[to->count++] = (unsigned char)number;
}

static void put_integer(record_t *to, unsigned field, uint64_t number) {
    put_number(to, field << 3);
    put_number(to, number);
}

static void put_bytes(record_t *to, unsigned field, const void *bytes, size_t count) {
    put_number(to, field << 3 | 2);
    put_number(to, count);
    memcpy(to->bytes + to->count, bytes, count);
    to->count += count;
}

static void put_text(record_t *to, unsigned field, const char *text) {
    put_bytes(to, field, text, strlen(text));
}

static void put_record(record_t *to, unsigned field, const record_t *record) {
    put_bytes(to, field, record->bytes, record->count);
}

/* With keep_dims, which is ONNX's default, the output has the input's rank. */
static void put_value(record_t *graph, unsigned field, const char *name, const case_t *c,
                      uint64_t ones) {
    record_t shape = {.count = 0}, tensor = {.count = 0}, type = {.count = 0}, value = {.count = 0};
    for (size_t d = 0; d < c->data->rank; d++) {
        record_t dim = {.count = 0};
        put_integer(&dim, DIM_VALUE, ones >> d & 1 ? 1 : (uint64_t)c->data->dims[d]);
        put_record(&shape, SHAPE_DIM, &dim);
    }
    put_integer(&tensor, TYPE_ELEMENT, element_types[c->data->type]);
    put_record(&tensor, TYPE_SHAPE, &shape);
    put_record(&type, TYPE_TENSOR, &tensor);
    put_text(&value, VALUE_NAME, name);
    put_record(&value, VALUE_TYPE, &type);
    put_record(graph, field, &value);
}

static void put_axes(record_t *graph, const case_t *c) {
    record_t axes = {.count = 0};
    int64_t values[MAX_RANK];
    size_t count = 0;
    for (size_t d = 0; d < c->data->rank; d++)
        if (c->axes >> d & 1) values[count++] = (int64_t)d;
    put_integer(&axes, TENSOR_DIMS, count);
    put_integer(&axes, TENSOR_TYPE, INT64);
    put_text(&axes, TENSOR_NAME, "axes");
    put_bytes(&axes, TENSOR_RAW, values, count * sizeof *values);
    put_record(graph, GRAPH_INITIALIZER, &axes);
}

size_t onnx_model(const case_t *c, unsigned char bytes[MOST_ONNX_BYTES]) {
    record_t node = {.count = 0}, graph = {.count = 0}, opset = {.count = 0}, model = {.count = 0};
    if (c->siblings || c->data->rank > 8) return 0; /* the records have room for no more */
    put_text(&node, NODE_INPUT, "data");
    put_text(&node, NODE_INPUT, "axes");
    put_text(&node, NODE_OUTPUT, "result");
    put_text(&node, NODE_OP, words[c->op]);
    put_record(&graph, GRAPH_NODE, &node);
    put_text(&graph, GRAPH_NAME, "reduction");
    put_axes(&graph, c);
    put_value(&graph, GRAPH_INPUT, "data", c, 0);
    put_value(&graph, GRAPH_OUTPUT, "result", c, c->axes);
    put_integer(&opset, OPSET_VERSION, OPSET);
    put_integer(&model, MODEL_IR_VERSION, IR_VERSION);
    put_record(&model, MODEL_OPSET, &opset);
    put_record(&model, MODEL_GRAPH, &graph);
    memcpy(bytes, model.bytes, model.count);
    return model.count;
}
