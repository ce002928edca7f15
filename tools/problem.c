/* A problem string, "sum f32 [6,12,10,24] axes [2,3]", as a model: the text of its IR and the bytes
 * of its axes. "sum+l2 ..." has two layers that reduce the same data. The reader checks it like any
 * other file, so nothing is checked twice here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <ctype.h>

enum { MOST_OPS = 8 };

typedef struct {
    const char *word, *type, *opset;
} op_t;

static const op_t ops[] = {
    {"min", "ReduceMin", "opset1"},      {"max", "ReduceMax", "opset1"},
    {"sum", "ReduceSum", "opset1"},      {"mean", "ReduceMean", "opset1"},
    {"prod", "ReduceProd", "opset1"},    {"l1", "ReduceL1", "opset4"},
    {"l2", "ReduceL2", "opset4"},        {"and", "ReduceLogicalAnd", "opset1"},
    {"or", "ReduceLogicalOr", "opset1"},
};

static const op_t *find_op(const char *word) {
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (!strcasecmp(ops[i].word, word) || !strcmp(ops[i].type, word)) return &ops[i];
    return NULL;
}

/* "[2,3]", with what follows left at *at. */
static bool parse_list(const char **at, int64_t *numbers, size_t *count) {
    *at += strspn(*at, " ");
    const char *end = **at == '[' ? strchr(*at, ']') : NULL;
    if (!end) return false;
    const char *text = take_text("%.*s", (int)(end - *at - 1), *at + 1);
    *at = end + 1;
    return parse_numbers(text, numbers, count);
}

/* What a port declares of the data and the results: a rank, for sizes are the reader's to infer. */
static char *port_text(const char *precision, size_t rank) {
    char *text = take_text(" precision=\"%s\">", precision);
    for (size_t i = 0; i < rank; i++) text = take_text("%s<dim>-1</dim>", text);
    return text;
}

/* As ports spell it: "FP32", "BF16", "I8", "BOOL". OpenVINO, unlike irreduce, wants it there. */
static char *precision_text(const char *type) {
    char *text = take_text("%s%.4s", *type == 'f' ? "F" : "", type);
    if (*type == 'f') text[1] = 'P';
    for (char *at = text; *at; at++) *at = (char)toupper((unsigned char)*at);
    return text;
}

/* One reduction with its Result: layers, and the edges to and from them. */
static void add_op(const op_t *op, size_t index, const char *data, const char *axes, char **layers,
                   char **edges) {
    size_t id = 2 + 2 * index;
    const char *number = index ? take_text("%zu", index + 1) : "";
    *layers = take_text(
        "%s<layer id=\"%zu\" name=\"reduce%s\" type=\"%s\" version=\"%s\">"
        "<data keep_dims=\"true\"/><input><port id=\"0\"%s</port><port id=\"1\"%s</port></input>"
        "<output><port id=\"2\"%s</port></output></layer>\n"
        "<layer id=\"%zu\" name=\"output%s\" type=\"Result\" version=\"opset1\">"
        "<input><port id=\"0\"%s</port></input></layer>\n",
        *layers, id, number, op->type, op->opset, data, axes, data, id + 1, number, data);
    *edges = take_text("%s<edge from-layer=\"0\" from-port=\"0\" to-layer=\"%zu\" to-port=\"0\"/>"
                       "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"%zu\" to-port=\"1\"/>"
                       "<edge from-layer=\"%zu\" from-port=\"2\" to-layer=\"%zu\" to-port=\"0\"/>",
                       *edges, id, id, id, id + 1);
}

static char *model_text(const op_t *const *model_ops, size_t op_count, const char *type,
                        size_t rank, const int64_t *dims, size_t axis_count) {
    char *shape = shape_text(rank, dims), *layers = take_text("%s", ""), *edges = layers;
    char *data = port_text(precision_text(type), rank);
    char *axes = take_text(" precision=\"I64\"><dim>%zu</dim>", axis_count);
    shape[strlen(shape) - 1] = 0; /* without its brackets */
    for (size_t i = 0; i < op_count; i++) add_op(model_ops[i], i, data, axes, &layers, &edges);
    return take_text("<net name=\"problem\" version=\"11\"><layers>\n"
                     "<layer id=\"0\" name=\"data\" type=\"Parameter\" version=\"opset1\">"
                     "<data element_type=\"%s\" shape=\"%s\"/>"
                     "<output><port id=\"0\"%s</port></output></layer>\n"
                     "<layer id=\"1\" name=\"axes\" type=\"Const\" version=\"opset1\">"
                     "<data element_type=\"i64\" shape=\"%zu\" offset=\"0\" size=\"%zu\"/>"
                     "<output><port id=\"0\"%s</port></output></layer>\n"
                     "%s</layers><edges>%s</edges></net>\n",
                     type, shape + 1, data, axis_count, axis_count * sizeof(int64_t), axes, layers,
                     edges);
}

/* "sum", or several: "sum+l2". */
static int find_ops(const char *words, const op_t *found[MOST_OPS], size_t *count) {
    for (*count = 0; *words; words += *words == '+') {
        size_t length = strcspn(words, "+");
        const char *word = take_text("%.*s", (int)length, words);
        const op_t *op = find_op(word);
        if (!op) return wrong_call("--problem: \"%s\" is no operation", word);
        if (*count == MOST_OPS) return wrong_call("--problem: more than %d operations", MOST_OPS);
        found[(*count)++] = op;
        words += length;
    }
    return IRR_OK;
}

int problem_model(const char *problem, char **xml, irr_tensor_t **weights) {
    char words[128], type_word[16];
    int64_t dims[MAX_RANK], axes[MAX_RANK], weight_bytes = 0;
    size_t rank = 0, axis_count = 0, op_count = 0;
    const op_t *found[MOST_OPS];
    int length = 0;
    irr_element_type_e type;
    view_t view;
    if (sscanf(problem, " %127[A-Za-z0-9+] %15[a-z0-9] %n", words, type_word, &length) < 2 ||
        !length)
        return wrong_call("--problem \"%s\": expected OP TYPE [DIMS] axes [AXES]", problem);
    TRY(find_ops(words, found, &op_count));
    if (irr_get_element_type_by_name(type_word, &type) || !type_of(type))
        return wrong_call("--problem: \"%s\" is no element type", type_word);
    const char *at = problem + length;
    if (!parse_list(&at, dims, &rank)) return wrong_call("--problem: bad shape in \"%s\"", problem);
    for (size_t i = 0; i < rank; i++)
        if (dims[i] < 0) return wrong_call("--problem: negative size in \"%s\"", problem);
    at += strspn(at, " ");
    if (strncmp(at, "axes", 4)) return wrong_call("--problem: no axes in \"%s\"", problem);
    at += 4;
    if (!parse_list(&at, axes, &axis_count) || at[strspn(at, " ")])
        return wrong_call("--problem: bad axes in \"%s\"", problem);
    *xml = model_text(found, op_count, type_word, rank, dims, axis_count);
    weight_bytes = (int64_t)(axis_count * sizeof *axes);
    TRY(make_tensor(IRR_U8, 1, &weight_bytes, weights, &view));
    if (view.bytes) memcpy(view.data, axes, view.bytes);
    return IRR_OK;
}
