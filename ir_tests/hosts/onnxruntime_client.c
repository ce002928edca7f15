/* A C program with stock ONNX Runtime: a model of one f32 input and one output, through the CPU
 * provider and through ours. It compares the answers, from one thread and from four at once on one
 * session; with a time, it prints the best round's time of a call, in turns, in one process.
 * usage: onnxruntime_client LIBONNXRUNTIME LIBRARY MODEL 6,12,10,24 THREADS [SECONDS]
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    API_VERSION = 24,
    FLOAT32 = 1,
    MAX_RANK = 8,
    CALLERS = 4,
    CALLS = 200,
    CALLS_ON_MUCH = 5,
    MUCH = 1000000,
    ROUNDS = 41
};

typedef void *status_t;
typedef void (*any_f)(void);

#define FUNCTIONS                                                                                  \
    FUNCTION(2, const char *, message, (status_t))                                                 \
    FUNCTION(3, status_t, create_env, (int level, const char *name, void **env))                   \
    FUNCTION(7, status_t, create_session,                                                          \
             (const void *env, const char *path, const void *options, void **session))             \
    FUNCTION(9, status_t, run,                                                                     \
             (void *session, const void *options, const char *const *input_names,                  \
              const void *const *inputs, size_t input_count, const char *const *output_names,      \
              size_t output_count, void **outputs))                                                \
    FUNCTION(10, status_t, create_options, (void **options))                                       \
    FUNCTION(24, status_t, set_threads, (void *options, int threads))                              \
    FUNCTION(49, status_t, create_tensor,                                                          \
             (const void *memory, void *data, size_t bytes, const int64_t *dims, size_t rank,      \
              int type, void **value))                                                             \
    FUNCTION(51, status_t, tensor_data, (void *value, void **data))                                \
    FUNCTION(69, status_t, create_memory_info, (int allocator, int type, void **memory))           \
    FUNCTION(92, void, release_env, (void *))                                                      \
    FUNCTION(94, void, release_memory_info, (void *))                                              \
    FUNCTION(95, void, release_session, (void *))                                                  \
    FUNCTION(96, void, release_value, (void *))                                                    \
    FUNCTION(100, void, release_options, (void *))                                                 \
    FUNCTION(301, status_t, register_library, (void *env, const char *name, const char *path))     \
    FUNCTION(302, status_t, unregister_library, (void *env, const char *name))                     \
    FUNCTION(303, status_t, devices,                                                               \
             (const void *env, const void *const **devices, size_t *count))                        \
    FUNCTION(304, status_t, append_provider,                                                       \
             (void *options, void *env, const void *const *devices, size_t count,                  \
              const char *const *keys, const char *const *values, size_t option_count))            \
    FUNCTION(312, const char *, device_provider, (const void *device))                             \
    FUNCTION(414, status_t, tensor_shape,                                                          \
             (const void *value, int *type, const int64_t **dims, size_t *rank))

#define FUNCTION(place, result, name, arguments) result(*name) arguments;
static struct { FUNCTIONS } api;
#undef FUNCTION

static void check(status_t status, const char *what) {
    if (!status) return;
    fprintf(stderr, "%s: %s\n", what, api.message(status));
    exit(1);
}

static void need(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void load(const char *library) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    need(handle, dlerror());
    const struct { const any_f *(*table)(uint32_t version); } * (*base)(void);
    *(void **)&base = dlsym(handle, "OrtGetApiBase");
    need(base, "no OrtGetApiBase");
    const any_f *table = base()->table(API_VERSION);
    need(table, "this ONNX Runtime is too old");
#define FUNCTION(place, result, name, arguments) api.name = (result(*) arguments)table[place];
    FUNCTIONS
#undef FUNCTION
}

/* ---- one side: a session and its tensors ---- */

typedef struct {
    void *session, *input, *output;
    float *result;
    size_t count;
    int calls; /* by each of the callers at once */
} side_t;

static const char *const input_name = "x", *const output_name = "y";
static void *env, *memory;

static void run(const side_t *side, void **output) {
    const void *inputs[] = {side->input};
    check(api.run(side->session, NULL, &input_name, inputs, 1, &output_name, 1, output), "run");
}

static side_t make_side(const char *model, int threads, bool ours, void *input) {
    side_t side = {.input = input};
    void *options, *first = NULL;
    check(api.create_options(&options), "options");
    check(api.set_threads(options, threads), "threads");
    const void *const *devices, *found = NULL;
    size_t device_count, rank;
    check(api.devices(env, &devices, &device_count), "devices");
    for (size_t i = 0; i < device_count; i++)
        if (strcmp(api.device_provider(devices[i]), "IrreduceExecutionProvider") == 0)
            found = devices[i];
    need(found, "the provider has no device");
    if (ours) check(api.append_provider(options, env, &found, 1, NULL, NULL, 0), "provider");
    check(api.create_session(env, model, options, &side.session), "session");
    api.release_options(options);
    run(&side, &first);
    int type;
    const int64_t *dims;
    check(api.tensor_shape(first, &type, &dims, &rank), "shape");
    side.count = 1;
    for (size_t d = 0; d < rank; d++) side.count *= (size_t)dims[d];
    side.result = calloc(side.count + 1, sizeof(float));
    need(type == FLOAT32 && side.result, "the output is no f32");
    check(api.create_tensor(memory, side.result, side.count * sizeof(float), dims, rank, FLOAT32,
                            &side.output),
          "output");
    api.release_value(first);
    return side;
}

static void drop_side(side_t *side) {
    api.release_value(side->output);
    api.release_session(side->session);
    free(side->result);
}

static void compare(const float *a, const float *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(a[i] - b[i]) <= 1e-5f * fabsf(b[i]))) {
            fprintf(stderr, "output %zu: %.9g, the CPU provider has %.9g\n", i, a[i], b[i]);
            exit(1);
        }
}

/* ---- four callers on one session ---- */

static void *caller(void *argument) {
    const side_t *side = argument;
    for (int i = 0; i < side->calls; i++) {
        void *output = NULL, *data;
        run(side, &output);
        check(api.tensor_data(output, &data), "data");
        need(memcmp(data, side->result, side->count * sizeof(float)) == 0,
             "another answer beside other threads");
        api.release_value(output);
    }
    return NULL;
}

static void call_at_once(side_t *side) {
    pthread_t threads[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        need(pthread_create(&threads[i], NULL, caller, side) == 0, "no thread");
    for (int i = 0; i < CALLERS; i++) pthread_join(threads[i], NULL);
}

/* ---- time ---- */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double spend(side_t *side, size_t calls) {
    double start = now();
    for (size_t i = 0; i < calls; i++) run(side, &side->output);
    return (now() - start) / (double)calls;
}

static void time_sides(side_t *stock, side_t *ours, double seconds) {
    double once = spend(stock, 3), times[2][ROUNDS], ratios[ROUNDS];
    size_t calls = (size_t)(seconds / 2 / ROUNDS / once) + 1;
    for (int r = 0; r < ROUNDS; r++) {
        bool first = r & 1;
        times[first][r] = spend(first ? ours : stock, calls);
        times[!first][r] = spend(first ? stock : ours, calls);
        ratios[r] = times[1][r] / times[0][r];
    }
    qsort(times[0], ROUNDS, sizeof(double), by_value);
    qsort(times[1], ROUNDS, sizeof(double), by_value);
    qsort(ratios, ROUNDS, sizeof(double), by_value);
    printf("stock_us %.3f ours_us %.3f ratio %.3f\n", 1e6 * times[0][0], 1e6 * times[1][0],
           ratios[ROUNDS / 2]);
}

int main(int count, char **arguments) {
    need(count == 6 || count == 7,
         "usage: onnxruntime_client LIBONNXRUNTIME LIBRARY MODEL DIMS THREADS [SECONDS]");
    int64_t dims[MAX_RANK];
    size_t rank = 0, elements = 1;
    for (char *at = arguments[4]; rank < MAX_RANK && *at; at += *at == ',') {
        dims[rank] = strtol(at, &at, 10);
        elements *= (size_t)dims[rank++];
    }
    float *data = malloc(elements * sizeof *data);
    need(data, "no memory");
    for (size_t i = 0; i < elements; i++) data[i] = (float)((i * 2654435761u >> 7) % 13) - 4;

    load(arguments[1]);
    check(api.create_env(3, "client", &env), "env");
    check(api.create_memory_info(1, 0, &memory), "memory info");
    check(api.register_library(env, "irreduce", arguments[2]), "register");
    void *input;
    check(api.create_tensor(memory, data, elements * sizeof *data, dims, rank, FLOAT32, &input),
          "input");
    int threads = atoi(arguments[5]);
    side_t stock = make_side(arguments[3], threads, false, input);
    side_t ours = make_side(arguments[3], threads, true, input);
    need(stock.count == ours.count, "an output of another shape");
    run(&stock, &stock.output);
    run(&ours, &ours.output);
    compare(ours.result, stock.result, ours.count);
    ours.calls = elements > MUCH ? CALLS_ON_MUCH : CALLS;
    call_at_once(&ours);
    if (count == 7) time_sides(&stock, &ours, atof(arguments[6]));
    drop_side(&stock);
    check(api.unregister_library(env, "irreduce"), "unregister");
    run(&ours, &ours.output); /* a session outlives the registration */
    drop_side(&ours);
    api.release_value(input);
    api.release_memory_info(memory);
    api.release_env(env);
    free(data);
    return 0;
}
