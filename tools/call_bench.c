/* irreduce bench: the answer is checked against the reference first, then timed, in turns with
 * a plain read of the same bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <math.h>

#define LEAST_TURNS 7
#define MOST_TURNS 100000
#define BLOCK_US 5e4
#define SHARE_BYTES 65536 /* a thread that reads less costs more than it brings */
#define ENOUGH_US 1e6

/* The programs of the session: all of one model. */
enum { TIMED, REFERENCE, BOUND, PROFILED };

typedef struct {
    session_t *session;
    const char *problem;
    const char *kernels;
    double roundings; /* allowed, in units of the accumulator's roundoff; 0: the bits must agree */
    double median_us, min_us, read_us, bytes;
    int64_t threads;
} bench_t;

/* ---- is the answer right? ----
 * Sum within 128 u sum|x|, L2 within 128 u of itself; sum|x| is what the same model makes of |x|.
 * Errors of layers in a row add up to at most their number times that. */

static bool agrees(const bench_t *bench, const view_t *got, const view_t *expected,
                   const view_t *bound) {
    const type_t *type = type_of(got->type);
    if (got->bytes != expected->bytes) return false;
    if (type->kind != KIND_FLOAT || !bench->roundings)
        return !got->bytes || !memcmp(got->data, expected->data, got->bytes);
    /* The reference of f64 is f64 too, and has an error of its own. */
    double u = type->bytes == 8 ? ldexp(2, -53) : ldexp(1, -24);
    double largest = (2 - ldexp(1, -type->mantissa_bits)) * ldexp(1, type->bias);
    for (size_t i = 0; i < got->count; i++) {
        double a = load_float(type, got->data, i), b = load_float(type, expected->data, i);
        if (a == b || (isnan(a) && isnan(b))) continue;
        double magnitude = fmin(load_float(type, bound->data, i), largest);
        double larger = fmin(fmax(fabs(a), fabs(b)), largest);
        int unit = unit_exponent(type, larger); /* half for each final rounding */
        double allowed = bench->roundings * u * magnitude + ldexp(1, unit);
        if (!(fabs(a - b) <= allowed)) return false;
    }
    return true;
}

/* A float's sign is the top bit of its last byte. */
static void make_magnitudes(const bench_t *bench) {
    for (size_t i = 0; i < bench->session->input_count; i++) {
        const view_t *view = &bench->session->tensors[i];
        const type_t *type = type_of(view->type);
        if (type->kind != KIND_FLOAT) continue;
        for (size_t k = type->bytes; k <= view->bytes; k += type->bytes)
            ((unsigned char *)view->data)[k - 1] &= 0x7f;
    }
}

static int verify(bench_t *bench) {
    session_t *session = bench->session;
    program_t *programs = session->programs;
    progress("asking the reference");
    make_magnitudes(bench);
    TRY(program_infer(&programs[BOUND]));
    for (size_t i = 0; i < session->input_count; i++)
        fill_from_seed(&bench->session->tensors[i], session->options->seed, i);
    TRY(program_infer(&programs[REFERENCE]));
    TRY(program_infer(&programs[TIMED]));
    for (int i = TIMED; i <= BOUND; i++) TRY(program_outputs(&programs[i]));
    for (size_t i = 0; i < programs[TIMED].output_count; i++)
        if (!agrees(bench, &programs[TIMED].outputs[i].view, &programs[REFERENCE].outputs[i].view,
                    &programs[BOUND].outputs[i].view))
            return fail(IRR_GENERAL_ERROR, "output \"%s\" of %s differs from the reference",
                        programs[TIMED].outputs[i].port.name, bench->problem);
    return IRR_OK;
}

/* ---- how fast is it? ---- */

/* In blocks, turn by turn: the reader's threads wait busily, and would be in the pool's way. */
static int time_blocks(bench_t *bench) {
    static double infer_us[MOST_TURNS], read_us[MOST_TURNS];
    program_t *timed = &bench->session->programs[TIMED];
    size_t infers = 0, reads = 0;
    size_t threads = (size_t)fmin((double)bench->threads, 1 + bench->bytes / SHARE_BYTES);
    double start = now_us(), since = 0, before = 0;
    progress("timing");
    do {
        reader_t *reader = reader_start(bench->session, threads);
        reader_time_us(reader);
        since = now_us();
        do read_us[reads++] = reader_time_us(reader);
        while (reads < MOST_TURNS && now_us() - since < BLOCK_US);
        reader_end(reader);
        TRY(program_infer(timed));
        since = now_us();
        do {
            before = now_us();
            TRY(program_infer(timed));
            infer_us[infers++] = now_us() - before;
        } while (infers < MOST_TURNS && now_us() - since < BLOCK_US);
    } while (infers < MOST_TURNS && reads < MOST_TURNS &&
             (infers < LEAST_TURNS || now_us() - start < ENOUGH_US));
    bench->median_us = sort_to_median(infer_us, infers);
    bench->min_us = infer_us[0];
    bench->read_us = sort_to_median(read_us, reads);
    return IRR_OK;
}

/* One run with profiling on: the kernels' names, how many threads they may use, what the layers may
 * lose by rounding. */
static int ask_layers(bench_t *bench) {
    program_t *program = &bench->session->programs[PROFILED];
    irr_profiling_info_list_t rows = {0};
    char *text = NULL;
    double elements = 0;
    TRY(program_infer(program));
    LIB(irr_compiled_model_get_property(program->compiled, irr_property_key_inference_num_threads,
                                        &text));
    bench->threads = atoll(text) < 1 ? 1 : atoll(text);
    irr_free(text);
    LIB(irr_infer_request_get_profiling_info(program->request, &rows));
    bench->kernels = "";
    for (size_t i = 0; i < bench->session->input_count; i++)
        elements += (double)bench->session->tensors[i].count;
    for (size_t i = 0; i < rows.size; i++) {
        const irr_profiling_info_t *row = &rows.profiling_infos[i];
        const char *op = row->op;
        if (!i || strcmp(row->kernel, row[-1].kernel)) /* a run of layers may share one */
            bench->kernels = take_text("%s%s%s", bench->kernels, i ? "," : "", row->kernel);
        if (strcmp(op, "ReduceMin") && strcmp(op, "ReduceMax"))
            bench->roundings += strcmp(op, "ReduceProd") ? 128 : 2 * elements;
    }
    irr_profiling_info_list_free(&rows);
    return IRR_OK;
}

static int open_programs(session_t *session, uint64_t threads) {
    const irr_property_t limit = {irr_property_key_inference_num_threads,
                                  take_text("%llu", (unsigned long long)threads)};
    const irr_property_t properties[] = {
        [TIMED] = {NULL, NULL},
        [REFERENCE] = {irr_property_key_backend, "reference"},
        [BOUND] = {irr_property_key_backend, "reference"},
        [PROFILED] = {irr_property_key_enable_profiling, "YES"},
    };
    if (threads) LIB(irr_core_set_properties(session->core, session->device, 1, &limit));
    for (int i = TIMED; i <= PROFILED; i++) {
        program_t *program = &session->programs[i];
        TRY(session_compile(session, properties[i].key != NULL, &properties[i], program));
        TRY(session_feed(session, program));
    }
    return IRR_OK;
}

static void print_bench(const bench_t *bench, bool as_json) {
    double ratio = bench->read_us > 0 ? bench->median_us / bench->read_us : 0;
    double gb_per_s = bench->median_us > 0 ? bench->bytes / bench->median_us * 1e-3 : 0;
    if (!as_json) {
        printf("%s: %s, %lld threads, the answer is verified\n"
               "median %.3f us, min %.3f us, plain read %.3f us, ratio %.2f, %.2f GB/s\n",
               bench->problem, bench->kernels, (long long)bench->threads, bench->median_us,
               bench->min_us, bench->read_us, ratio, gb_per_s);
        return;
    }
    json("{ problem:s threads:d median_us:f min_us:f read_us:f ratio:f gb_per_s:f kernel:s "
         "verified:b }\n",
         bench->problem, bench->threads, bench->median_us, bench->min_us, bench->read_us, ratio,
         gb_per_s, bench->kernels, true);
}

int call_bench(session_t *session) {
    const options_t *options = session->options;
    bench_t bench = {.session = session};
    if (options->models.count + (options->problem != NULL) != 1)
        return wrong_call("bench needs either MODEL.xml or --problem");
    bench.problem = options->problem ? options->problem : options->models.items[0];
    TRY(options->problem ? problem_open(bench.problem, session) : session_open(session));
    TRY(open_programs(session, options->threads));
    for (size_t i = 0; i < session->input_count; i++)
        bench.bytes += (double)session->tensors[i].bytes;
    TRY(ask_layers(&bench));
    TRY(verify(&bench));
    TRY(time_blocks(&bench));
    progress_end();
    print_bench(&bench, options->json);
    return IRR_OK;
}
