/* A problem string, "sum f32 [6,12,10,24] axes [2,3]", as a model: the text of its IR and the bytes
 * of its axes. "sum+l2 ..." has two layers that reduce the same data. The reader checks it like any
 * other file, so nothing is checked twice here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <ctype.h>

enum { MOST_OPS = 8 };

/* All of opset4. */
static const struct {
    const char *word, *type;
} ops[] = {
    {"min", "ReduceMin"},   {"max", "ReduceMax"},        {"sum", "ReduceSum"},
    {"mean", "ReduceMean"}, {"prod", "ReduceProd"},      {"l1", "ReduceL1"},
    {"l2", "ReduceL2"},     {"and", "ReduceLogicalAnd"}, {"or", "ReduceLogicalOr"},
};
enum { OP_COUNT = sizeof ops / sizeof *ops };

/* "[2,3]", and blanks. */
static bool parse_list(const char *text, int64_t *numbers, size_t *count) {
    size_t length = strcspn(text, "]");
    const char *rest = text + length + 1;
    return *text == '[' && text[length] && !rest[strspn(rest, " ")] &&
           parse_numbers(take_text("%.*s", (int)length - 1, text + 1), numbers, count);
}

/* What a port declares of the data and the results: a rank, for sizes are the reader's to infer. */
static const char *port_text(const char *precision, size_t rank) {
    char *text = take_text(" precision='%s'>", precision);
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
static void add_op(const char *type, size_t index, const char *data, const char *axes,
                   char **layers, char **edges) {
    size_t id = 2 + 2 * index;
    const char *number = index ? take_text("%zu", index + 1) : "";
    *layers = take_text("%s<layer id='%zu' name='reduce%s' type='%s' version='opset4'>"
                        "<data keep_dims='true'/>"
                        "<input><port id='0'%s</port><port id='1'%s</port></input>"
                        "<output><port id='2'%s</port></output></layer>\n"
                        "<layer id='%zu' name='output%s' type='Result' version='opset1'>"
                        "<input><port id='0'%s</port></input></layer>\n",
                        *layers, id, number, type, data, axes, data, id + 1, number, data);
    *edges = take_text("%s<edge from-layer='0' from-port='0' to-layer='%zu' to-port='0'/>"
                       "<edge from-layer='1' from-port='0' to-layer='%zu' to-port='1'/>"
                       "<edge from-layer='%zu' from-port='2' to-layer='%zu' to-port='0'/>",
                       *edges, id, id, id, id + 1);
}

/* words: "sum", or several: "sum+l2". */
static int make_model(const char *words, const char *type, size_t rank, const int64_t *dims,
                      size_t axis_count, const char **xml) {
    const char *data = port_text(precision_text(type), rank);
    const char *axes = take_text(" precision='I64'><dim>%zu</dim>", axis_count);
    char *edges = take_text("%s", "");
    char *layers = take_text("<layer id='0' name='data' type='Parameter' version='opset1'>"
                             "<data element_type='%s' shape='%s'/>"
                             "<output><port id='0'%s</port></output></layer>\n"
                             "<layer id='1' name='axes' type='Const' version='opset1'>"
                             "<data element_type='i64' shape='%zu' offset='0' size='%zu'/>"
                             "<output><port id='0'%s</port></output></layer>\n",
                             type, dims_text(rank, dims, ","), data, axis_count,
                             axis_count * sizeof(int64_t), axes);
    for (size_t count = 0; *words; count++, words += *words == '+') {
        const char *word = take_text("%.*s", (int)strcspn(words, "+"), words);
        size_t k = 0;
        while (k < OP_COUNT && strcasecmp(ops[k].word, word) && strcmp(ops[k].type, word)) k++;
        if (k == OP_COUNT) return wrong_call("--problem: \"%s\" is no operation", word);
        if (count == MOST_OPS) return wrong_call("--problem: more than %d operations", MOST_OPS);
        add_op(ops[k].type, count, data, axes, &layers, &edges);
        words += strlen(word);
    }
    *xml = take_text("<net name='problem' version='11'><layers>\n"
                     "%s</layers><edges>%s</edges></net>\n",
                     layers, edges);
    return IRR_OK;
}

int problem_open(const char *problem, session_t *session) {
    char words[128], type_word[16], dims_list[2048], axes_list[2048];
    int64_t dims[MAX_RANK], axes[MAX_RANK], weight_bytes = 0;
    size_t rank = 0, axis_count = 0;
    int length = 0; /* once all is read */
    irr_element_type_e type;
    view_t *weights = &session->weights;
    sscanf(problem, " %127[A-Za-z0-9+] %15[a-z0-9] %2047[][0-9, -] axes %2047[][0-9, -]%n", words,
           type_word, dims_list, axes_list, &length);
    if (!length || problem[length] || !parse_list(dims_list, dims, &rank) ||
        !parse_list(axes_list, axes, &axis_count))
        return wrong_call("--problem \"%s\": expected OP TYPE [DIMS] axes [AXES]", problem);
    for (size_t i = 0; i < rank; i++)
        if (dims[i] < 0) return wrong_call("--problem: negative size in \"%s\"", problem);
    TRY(make_model(words, type_word, rank, dims, axis_count, &session->xml));
    if (irr_get_element_type_by_name(type_word, &type) || !type_of(type))
        return wrong_call("--problem: \"%s\" is no element type", type_word);
    weight_bytes = (int64_t)(axis_count * sizeof *axes);
    TRY(make_tensor(IRR_U8, 1, &weight_bytes, weights));
    if (weights->bytes) memcpy(weights->data, axes, weights->bytes);
    return session_open(session);
}
