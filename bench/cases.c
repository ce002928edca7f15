/* The cases: the shapes that performance.md speaks of, and shapes drawn from a seed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <string.h>

const char *const default_shapes[] = {
    "[1,3,8] axes [2]",
    "[6,12,10,24] axes [2,3]",
    "[6,12,10,24] axes [1]",
    "[6,12,10,24] axes [-2]",
    "[1,64,56,56] axes [2,3]",
    "[1,2048,7,7] axes [2,3]",
    "[7,13,17,19] axes [0,2]",
    "[2,8,16,32,64] axes [2]",
    "[128,49] axes [1]",
    "[1,128,4096] axes [-1]",
    "[512,512] axes [0,1]",
    "[4096,4096] axes [0]",
    "[4096,4096] axes [1]",
    "[4096,4096] axes [0,1]",
    "[64,1024,1024] axes [0,2]",
    "[64,1024,1024] axes [0,1]",
    NULL,
};

static uint64_t draw(uint64_t *state, uint64_t below) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/* Rank 1 to 5, 1 to about 4 million elements, at least one axis. */
char *random_problem(uint64_t *state, const char *fold, const char *type) {
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
    return take_text("%s %s %s axes [%s]", fold, type, shape_text(rank, dims), axes);
}

static bool parse_fold(const char *problem, fold_e *fold) {
    static const char *const words[FOLD_COUNT] = {"min", "sum", "l2"};
    for (unsigned i = 0; i < FOLD_COUNT; i++)
        if (!strncmp(problem, words[i], strlen(words[i])) && problem[strlen(words[i])] == ' ')
            return *fold = (fold_e)i, true;
    return false;
}

static uint64_t axes_mask(const char *problem, size_t rank) {
    const char *text = strstr(problem, "axes");
    int64_t axes[MAX_RANK];
    size_t count = 0;
    uint64_t mask = 0;
    text = text ? strchr(text, '[') : NULL;
    if (!text) return 0;
    char *inside = take_text("%s", text + 1);
    inside[strcspn(inside, "]")] = 0;
    if (!parse_numbers(inside, axes, &count)) return 0;
    for (size_t i = 0; i < count; i++)
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

int case_open(const char *problem, uint64_t seed, session_t *session, irr_tensor_t **weights,
              view_t *data, case_t *made) {
    static options_t options;
    char *xml = NULL;
    *made = (case_t){.problem = problem, .session = session, .data = data};
    if (!parse_fold(problem, &made->fold))
        return wrong_call("\"%s\" is not min, sum or l2", problem);
    options.seed = seed;
    TRY(problem_model(problem, &xml, weights));
    TRY(session_open(session, &options, xml, *weights));
    TRY(make_inputs(session));
    TRY(view_tensor(session->tensors[0], data));
    merge(made, data, axes_mask(problem, data->rank));
    if (!made->outputs || !made->set_size || !axes_mask(problem, data->rank))
        return wrong_call("\"%s\" reduces nothing", problem);
    return IRR_OK;
}
