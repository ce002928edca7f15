/* A process that forks while another of its threads plans: the child can plan and run, and so can
 * the parent. SPDX-License-Identifier: Apache-2.0 */
#include "device_graph.h"
#include "sanitized.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static irr_plugin_engine_t *engine;

/* A model whose every shape is new: rows of bytes, oneDNN's where it is there. */
static irr_plugin_compiled_t *compile_rows(void) {
    device_graph_t graph;
    irr_plugin_compiled_t *compiled = NULL;
    graph_begin(&graph);
    uint32_t in = graph_input(&graph, IRR_U8, 2, SHAPE(-1, -1));
    uint32_t axes = graph_constant(&graph, IRR_I32, 1, SHAPE(1), (const int32_t[]){1});
    graph_output(&graph, graph_layer(&graph, "ReduceMax", in, axes, 1, SHAPE(-1)));
    assert_int_equal(
        engine->compile(engine, &graph.view, NULL, 0, &compiled, (irr_sentence_t){NULL, 0}), 0);
    return compiled;
}

static irr_plugin_request_t *request_of(irr_plugin_compiled_t *compiled) {
    irr_plugin_request_t *request = NULL;
    assert_int_equal(engine->create_request(compiled, &request, (irr_sentence_t){NULL, 0}), 0);
    return request;
}

static bool infer_rows(irr_plugin_request_t *request, int64_t rows, int64_t length) {
    static const uint8_t data[64 * 4096] = {[0] = 7};
    uint8_t result[64] = {0};
    irr_tensor_view_t from = tensor(IRR_U8, 2, SHAPE(rows, length), data);
    irr_tensor_view_t to = tensor(IRR_U8, 1, SHAPE(rows), result);
    return !engine->infer(request, &from, &to, NULL, (irr_sentence_t){NULL, 0}) && result[0] == 7;
}

static atomic_bool stop_planning;

static void *plan_on_and_on(void *request) {
    for (int64_t k = 0; !atomic_load(&stop_planning); k++)
        if (!infer_rows(request, 1 + k % 64, 1000 + k / 64 % 3000)) return request;
    return NULL;
}

static void test_fork_while_planning(void **state) {
    (void)state;
    engine = engine_or_fail();
    irr_plugin_compiled_t *shared = compile_rows();
    irr_plugin_request_t *theirs = request_of(shared), *ours = request_of(shared);
    pthread_t planner;
    atomic_store(&stop_planning, ADDRESS_SANITIZED);
    assert_int_equal(pthread_create(&planner, NULL, plan_on_and_on, theirs), 0);
    void *wrong;
    for (int k = 0; k < 100; k++) {
        if (ADDRESS_SANITIZED && k == 0) pthread_join(planner, &wrong);
        pid_t child = fork();
        if (child == 0) {
            alarm(20); /* rather than for ever */
            irr_plugin_request_t *own = request_of(compile_rows());
            _exit(!infer_rows(ours, 3, 500 + k) || !infer_rows(own, 4, 500 + k));
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    atomic_store(&stop_planning, true);
    if (!ADDRESS_SANITIZED) pthread_join(planner, &wrong);
    assert_null(wrong);
    engine->release_request(theirs);
    engine->release_request(ours);
    engine->release_compiled(shared);
    engine->release(engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fork_while_planning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
