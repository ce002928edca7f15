/* oneDNN forced, shared by threads, forked, held to one OpenMP thread, short of memory. A build
 * without oneDNN runs this too: there it must decline everything.
 * SPDX-License-Identifier: Apache-2.0 */
#include "failing_memory.h"
#include "test_onednn.h"

#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* The thread sanitizer ends a child that starts threads, unless told otherwise; it finds only a
 * visible function. */
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "die_after_fork=0"; }

/* ---- IRREDUCE_BACKEND=onednn ---- */

static double add(double sum, double x) { return sum + x; }
static double add_square(double sum, double x) { return sum + x * x; }
static const struct {
    irr_op_e op;
    double empty;
    double (*fold)(double, double);
} ops[] = {{IRR_OP_MIN, INFINITY, fmin},
           {IRR_OP_MAX, -INFINITY, fmax},
           {IRR_OP_SUM, 0, add},
           {IRR_OP_L2, 0, add_square}};

static void forced_it_runs_what_it_can(void **unused) {
    (void)unused;
    irr_config_t config = config_of(IRR_BACKEND_ONEDNN, true);
    irr_problem_t problem = rows_of(IRR_OP_SUM, IRR_F64, 9, 100);
    declines(&problem, &config, "cannot reduce this type");
    problem = rows_of(IRR_OP_SUM, IRR_F32, 9, 1);
    declines(&problem, &config, "one element");
    problem = rows_of(IRR_OP_L2, IRR_I8, 9, 100);
    declines(&problem, &config, "no implementation");
    int64_t twos[26];
    for (int i = 0; i < 26; i++) twos[i] = 2;
    problem = problem_of(IRR_OP_SUM, IRR_F32, 13, twos, 0x1555);
    declines(&problem, &config, "12");
    if (!present) {
        char text[64] = "";
        void *state;
        size_t bytes;
        assert_int_equal(irr_backend_onednn.prepare(&problem, &config, &state, &bytes,
                                                    (irr_sentence_t){text, sizeof text}),
                         IRR_NOT_IMPLEMENTED);
        assert_string_equal(text, "built without oneDNN");
    }
    const int64_t dims[] = {1, 70, 9, 1, 30, 60};
    static const uint64_t masks[] = {0x02, 0x04, 0x10, 0x20, 0x30, 0x06, 0x24, 0x3f};
    size_t count = 70 * 9 * 30 * 60;
    float *data = malloc(count * sizeof *data), *output = malloc(count * sizeof *output);
    double *expected = malloc(count * sizeof *expected);
    for (size_t i = 0; i < count; i++) data[i] = (float)(next_random() % 1000) - 300.0f;
    for (size_t m = 0; m < sizeof masks / sizeof *masks; m++)
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
            irr_op_e op = ops[o].op;
            problem = problem_of(op, IRR_F32, 6, dims, masks[m]);
            if (!serves(&problem, &config)) continue;
            size_t outputs = problem.geometry.output_count;
            for (size_t k = 0; k < outputs; k++) expected[k] = ops[o].empty;
            for (size_t i = 0; i < count; i++) {
                size_t k = 0, rest = i, size = 1;
                for (int d = 5; d >= 0; d--) {
                    size_t at = rest % (size_t)dims[d];
                    rest /= (size_t)dims[d];
                    if (masks[m] >> d & 1) continue;
                    k += at * size, size *= (size_t)dims[d];
                }
                double x = (double)data[i];
                expected[k] = ops[o].fold(expected[k], x);
            }
            run(&problem, &config, data, output);
            for (size_t k = 0; k < outputs; k++) {
                double want = op == IRR_OP_L2 ? sqrt(expected[k]) : expected[k];
                assert_true(fabs((double)output[k] - want) <=
                            1e-3 * fabs(want) + (op == IRR_OP_SUM ? 1e-1 : 0));
            }
        }
    free(data), free(output), free(expected);
}

/* ---- threads ---- */

typedef struct {
    const void *state, *data;
    uint8_t expected[64];
    bool wrong;
} shared_t;

static void *share(void *argument) {
    shared_t *shared = argument;
    uint8_t output[64];
    irr_yield_t yield = {.state = shared->state, .output = output};
    irr_executor_t executor = {.threads = 2};
    for (int repeat = 0; repeat < 200; repeat++) {
        irr_backend_onednn.execute(&yield, 1, shared->data, NULL, &executor,
                                   (irr_sentence_t){NULL, 0});
        shared->wrong |= memcmp(output, shared->expected, sizeof output) != 0;
    }
    return NULL;
}

static void requests_share_a_state(void **unused) {
    (void)unused;
    irr_config_t config = config_of(IRR_BACKEND_AUTO, true);
    irr_problem_t problem = rows_of(IRR_OP_MIN, IRR_U8, 64, 5000);
    if (!serves(&problem, &config)) return;
    uint8_t *data = malloc(64 * 5000);
    shared_t shared[8] = {0};
    memset(data, 0xff, 64 * 5000);
    for (size_t r = 0; r < 64; r++) data[r * 5000 + next_random() % 5000] = (uint8_t)r;
    void *state = NULL;
    size_t scratch_bytes = 1;
    assert_int_equal(irr_backend_onednn.prepare(&problem, &config, &state, &scratch_bytes,
                                                (irr_sentence_t){NULL, 0}),
                     IRR_OK);
    assert_int_equal(scratch_bytes, 0);
    pthread_t threads[8]; /* more than it has seats for */
    for (int i = 0; i < 8; i++) {
        shared[i] = (shared_t){.state = state, .data = data};
        for (int r = 0; r < 64; r++) shared[i].expected[r] = (uint8_t)r;
        assert_int_equal(pthread_create(&threads[i], NULL, share, &shared[i]), 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        assert_false(shared[i].wrong);
    }
    pid_t child = fork();
    if (child == 0) {
        share(&shared[0]);
        _exit(shared[0].wrong);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    irr_backend_onednn.release(state);
    free(data);
}

static int thread_count(void) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (struct dirent *entry; (entry = readdir(tasks));) count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

static void openmp_is_left_alone(void **unused) {
    (void)unused;
    irr_config_t config = config_of(IRR_BACKEND_ONEDNN, true);
    irr_problem_t problem = rows_of(IRR_OP_SUM, IRR_F32, 1000, 1000);
    if (!serves(&problem, &config)) return;
    void *get = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    void *set = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
    int (*get_threads)(void) = NULL;
    void (*set_threads)(int) = NULL;
    if (get) memcpy(&get_threads, &get, sizeof get);
    if (set) memcpy(&set_threads, &set, sizeof set);
    if (set_threads) set_threads(3);
    float *data = calloc(1000 * 1000, sizeof *data), output[1000];
    config.threads = 1;
    int before = thread_count();
    run(&problem, &config, data, output);
    assert_int_equal(thread_count(), before);
    if (get_threads) assert_int_equal(get_threads(), 3);
    free(data);
}

static void failing_allocations_are_survived(void **unused) {
    (void)unused;
    irr_config_t config = config_of(IRR_BACKEND_AUTO, false);
    irr_problem_t problem = rows_of(IRR_OP_SUM, IRR_F32, 1000, 501);
    if (!serves(&problem, &config)) return;
    for (uint64_t n = 1;; n++) {
        void *state = NULL;
        size_t bytes;
        assert_true(n < 100);
        irr_fail_allocation_after(n);
        irr_status_e status = irr_backend_onednn.prepare(&problem, &config, &state, &bytes,
                                                         (irr_sentence_t){NULL, 0});
        irr_fail_allocation_after(0);
        irr_backend_onednn.release(state);
        if (status == IRR_OK) break;
        assert_int_equal(status, IRR_NOT_ALLOCATED);
        assert_null(state);
    }
}

int main(void) {
    begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forced_it_runs_what_it_can),
        cmocka_unit_test(requests_share_a_state),
        cmocka_unit_test(openmp_is_left_alone),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
