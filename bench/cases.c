/* The cases: the shapes that performance.md speaks of, and shapes drawn from a seed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <math.h>
#include <string.h>

/* The first of each group stands for it under --few. */
const shape_t named_shapes[] = {
    {"tiny", "[1,3,8] axes [2]"},
    {"tiny", "[4,16] axes [1]"},
    {"seed", "[6,12,10,24] axes [2,3]"},
    {"seed", "[6,12,10,24] axes [1]"},
    {"seed", "[6,12,10,24] axes [-2]"},
    {"pooling 7x7", "[1,2048,7,7] axes [2,3]"},
    {"pooling 7x7", "[8,512,7,7] axes [2,3]"},
    {"pooling 7x7", "[1,7,7,2048] axes [1,2]"},
    {"pooling 56x56", "[1,64,56,56] axes [2,3]"},
    {"pooling 56x56", "[1,56,56,64] axes [1,2]"},
    {"layer norm", "[128,768] axes [1]"},
    {"layer norm", "[1,64,1024] axes [-1]"},
    {"layer norm", "[1,128,4096] axes [-1]"},
    {"layer norm", "[32,11008] axes [1]"},
    {"channel sums", "[1024,512] axes [0]"},
    {"channel sums", "[4096,64] axes [0]"},
    {"channel sums", "[1,64,112,112] axes [1]"},
    {"attention", "[1,12,128,128] axes [3]"},
    {"attention", "[1,12,197,64] axes [2]"},
    {"attention", "[1,32,512,512] axes [-1]"},
    {"batch statistics", "[8,256,14,14] axes [0,2,3]"},
    {"batch statistics", "[32,64,56,56] axes [0,2,3]"},
    {"whole tensor", "[512,512] axes [0,1]"},
    {"whole tensor", "[768,3072] axes [0,1]"},
    {"whole tensor", "[25557032] axes [0]"},
    {"odd", "[7,13,17,19] axes [0,2]"},
    {"odd", "[128,49] axes [1]"},
    {"odd", "[5,323] axes [1]"},
    {"odd", "[4096,3] axes [1]"},
    {"odd", "[200,3,49] axes [0,2]"},
    {"odd", "[33,77,129] axes [1]"},
    {"odd", "[3,5,7,11,13] axes [1,3]"},
    {"odd", "[2,8,16,32,64] axes [2]"},
    {"odd", "[1000003] axes [0]"},
    {"large", "[4096,4096] axes [0]"},
    {"large", "[4096,4096] axes [1]"},
    {"large", "[64,512,1024] axes [0,2]"},
    {"large", "[64,512,1024] axes [0,1]"},
    {NULL, NULL},
};

static uint64_t draw(uint64_t *state, uint64_t below) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/* Rank 1 to 5, 1 to about 4 million elements, at least one axis. */
char *random_shape(uint64_t *state) {
    size_t rank = 1 + draw(state, 5), budget = (size_t)1 << (4 + draw(state, 19));
    int64_t dims[5];
    uint64_t mask = 1 + draw(state, (1u << rank) - 1);
    for (size_t d = 0; d < rank; d++) {
        size_t most = d + 1 == rank ? budget : 1 + 2 * budget / (1 + draw(state, budget));
        dims[d] = (int64_t)(1 + draw(state, most < budget ? most : budget));
        budget = budget / (size_t)dims[d] + 1;
    }
    char axes[64] = "", *at = axes;
    for (size_t d = 0; d < rank; d++)
        if (mask >> d & 1) at += sprintf(at, "%s%zu", at == axes ? "" : ",", d);
    return take_text("%s axes [%s]", shape_text(rank, dims), axes);
}

static bool parse_op(const char *problem, op_e *op) {
    static const char *const words[OP_COUNT] = {"min", "max", "sum", "mean", "prod",
                                                "l1",  "l2",  "and", "or"};
    for (unsigned i = 0; i < OP_COUNT; i++)
        if (!strncmp(problem, words[i], strlen(words[i])) &&
            strchr(" +", problem[strlen(words[i])]))
            return *op = (op_e)i, true;
    return false;
}

/* The axes are the model's only weights. */
static uint64_t axes_mask(const view_t *weights, size_t rank) {
    const int64_t *axes = weights->data;
    uint64_t mask = 0;
    for (size_t i = 0; i < weights->bytes / sizeof *axes; i++)
        mask |= UINT64_C(1) << (axes[i] < 0 ? axes[i] + (int64_t)rank : axes[i]);
    return mask;
}

static void merge(case_t *made, const view_t *data, uint64_t mask) {
    made->outputs = made->set_size = 1;
    for (size_t d = 0; d < data->rank; d++) {
        size_t size = (size_t)data->dims[d];
        bool reduced = mask >> d & 1;
        *(reduced ? &made->set_size : &made->outputs) *= size;
        run_t *last = made->run_count ? &made->runs[made->run_count - 1] : NULL;
        if (size == 1) continue;
        if (last && last->reduced == reduced)
            last->size *= size;
        else
            made->runs[made->run_count++] = (run_t){size, reduced};
    }
}

/* A product of ordinary length is an ordinary number only if its factors lie near 1: within 1/64.
 */
static void fill_factors(const view_t *data) {
    const type_t *type = type_of(data->type);
    for (size_t i = 0; i < data->count && type->kind == KIND_FLOAT; i++) {
        double x = load_float(type, data->data, i);
        store_float(type, data->data, i, copysign(exp2((2 * fabs(x) - 1) / 64), x));
    }
}

static options_t options;

static int open_case(session_t *session, case_t *made) {
    if (!parse_op(made->problem, &made->op))
        return wrong_call("\"%s\" begins with no operation (min, max, sum, ...)", made->problem);
    options.seed = settings.seed;
    TRY(problem_open(made->problem, session));
    TRY(make_inputs(session));
    const view_t *data = made->data = &session->tensors[0];
    if (made->op == OP_PROD) fill_factors(data);
    made->siblings = made->problem[strcspn(made->problem, "+ ")] == '+';
    made->axes = axes_mask(&session->weights, data->rank);
    merge(made, data, made->axes);
    if (!made->outputs || !made->set_size || !made->axes)
        return wrong_call("\"%s\" reduces nothing", made->problem);
    return IRR_OK;
}

int with_case(const char *problem, const char *group, unsigned threads, row_f *row) {
    session_t session = {.options = &options};
    case_t made = {.problem = problem, .group = group, .threads = threads, .session = &session};
    int status = open_case(&session, &made);
    if (!status) status = row(&made);
    session_close(&session);
    return status;
}
