/* Asynchronous runs, callbacks, threads. Also run under the thread sanitizer.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api.h"
#include "sanitized.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A request whose runs take so long, or fail. */
static irr_infer_request_t *slow_request(const char *sleep_ms, const char *fail) {
    irr_property_t set[] = {{"STRANGER_SLEEP_MS", sleep_ms}, {"STRANGER_FAIL", fail}};
    irr_compiled_model_t *compiled = api_compile(MODEL_2X3);
    irr_infer_request_t *request = NULL;
    OK(irr_compiled_model_set_properties(compiled, 2, set));
    OK(irr_compiled_model_create_infer_request(compiled, &request));
    irr_compiled_model_free(compiled);
    return request;
}

static void before_any_start(void **state) {
    (void)state;
    irr_infer_request_t *request = slow_request("0", "0");
    OK(irr_infer_request_wait(request));
    EXPECT(IRR_RESULT_NOT_READY, irr_infer_request_wait_for(request, 0));
    OK(irr_infer_request_cancel(request));
    OK(irr_infer_request_wait(request));
    irr_infer_request_free(request);
}

static void start_and_wait(void **state) {
    (void)state;
    irr_infer_request_t *request = slow_request("0", "0");
    for (int k = 0; k < 50; k++) {
        OK(irr_infer_request_start_async(request));
        OK(irr_infer_request_wait(request));
        OK(irr_infer_request_wait(request)); /* again and again */
        OK(irr_infer_request_wait_for(request, 0));
        expect_output(request, (float[]){0, 0}, 2);
        OK(irr_infer_request_infer(request));
    }
    irr_infer_request_free(request);
}

static void busy(void **state) {
    (void)state;
    irr_infer_request_t *request = slow_request("100", "0");
    irr_tensor_t *tensor = NULL;
    irr_profiling_info_list_t infos;
    OK(irr_infer_request_start_async(request));
    EXPECT(IRR_REQUEST_BUSY, irr_infer_request_start_async(request));
    EXPECT(IRR_REQUEST_BUSY, irr_infer_request_infer(request));
    EXPECT(IRR_REQUEST_BUSY, irr_infer_request_get_input_tensor(request, &tensor));
    EXPECT(IRR_REQUEST_BUSY, irr_infer_request_get_profiling_info(request, &infos));
    EXPECT(IRR_REQUEST_BUSY, irr_infer_request_set_callback(request, NULL));
    EXPECT(IRR_RESULT_NOT_READY, irr_infer_request_wait_for(request, 1));
    OK(irr_infer_request_wait_for(request, INT64_MAX));
    EXPECT(IRR_PARAMETER_MISMATCH, irr_infer_request_wait_for(request, -1));
    irr_infer_request_free(request);
}

static void cancelling(void **state) {
    (void)state;
    irr_infer_request_t *request = slow_request("50", "0");
    OK(irr_infer_request_start_async(request));
    OK(irr_infer_request_cancel(request));
    EXPECT(IRR_INFER_CANCELLED, irr_infer_request_wait(request));
    expect_message("cancelled");
    OK(irr_infer_request_start_async(request));
    OK(irr_infer_request_wait(request));
    OK(irr_infer_request_cancel(request)); /* done already */
    OK(irr_infer_request_wait(request));
    irr_infer_request_free(request);
}

static void *wait_elsewhere(void *request) {
    EXPECT(IRR_GENERAL_ERROR, irr_infer_request_wait(request));
    expect_message("the stranger was told to fail");
    return NULL;
}

static void failure_becomes_the_waiters_message(void **state) {
    (void)state;
    pthread_t thread;
    irr_infer_request_t *request = slow_request("0", "1");
    EXPECT(IRR_NOT_FOUND, irr_get_element_type_by_name("mine", &(irr_element_type_e){0}));
    OK(irr_infer_request_start_async(request));
    assert_int_equal(pthread_create(&thread, NULL, wait_elsewhere, request), 0);
    pthread_join(thread, NULL);
    expect_message("mine"); /* another thread's failure is not ours */
    EXPECT(IRR_GENERAL_ERROR, irr_infer_request_wait(request));
    expect_message("told to fail");
    EXPECT(IRR_GENERAL_ERROR, irr_infer_request_infer(request));
    irr_infer_request_free(request);
}

typedef struct {
    irr_infer_request_t *request;
    atomic_int calls, wrong;
    int starts; /* again, from inside */
} heard_t;

static void on_done(void *argument) {
    heard_t *heard = argument;
    irr_tensor_t *tensor = NULL;
    if (irr_infer_request_wait(heard->request) != IRR_OK) heard->wrong++;
    if (irr_infer_request_wait_for(heard->request, 0) != IRR_OK) heard->wrong++;
    if (irr_infer_request_get_output_tensor(heard->request, &tensor) != IRR_OK) heard->wrong++;
    irr_tensor_free(tensor);
    heard->calls++;
    if (heard->starts-- <= 0) return;
    if (irr_infer_request_start_async(heard->request) != IRR_OK) heard->wrong++;
    if (irr_infer_request_wait(heard->request) != IRR_RESULT_NOT_READY) heard->wrong++;
}

static void callbacks(void **state) {
    (void)state;
    heard_t heard = {.request = slow_request("0", "0")};
    irr_callback_t callback = {on_done, &heard};
    OK(irr_infer_request_set_callback(heard.request, &callback));
    callback.callback_func = NULL; /* it was copied */
    OK(irr_infer_request_infer(heard.request));
    assert_int_equal(heard.calls, 0);
    OK(irr_infer_request_start_async(heard.request));
    OK(irr_infer_request_wait(heard.request));
    assert_int_equal(heard.calls, 1);
    heard.starts = 3;
    OK(irr_infer_request_start_async(heard.request));
    while (heard.calls < 5) OK(irr_infer_request_wait(heard.request));
    OK(irr_infer_request_wait(heard.request));
    OK(irr_infer_request_set_callback(heard.request, NULL));
    OK(irr_infer_request_start_async(heard.request));
    OK(irr_infer_request_wait(heard.request));
    assert_int_equal(heard.calls, 5);
    assert_int_equal(heard.wrong, 0);
    irr_infer_request_free(heard.request);
}

static void free_waits(void **state) {
    (void)state;
    heard_t heard = {.request = slow_request("20", "0")};
    irr_callback_t callback = {on_done, &heard};
    OK(irr_infer_request_set_callback(heard.request, &callback));
    OK(irr_infer_request_start_async(heard.request));
    irr_infer_request_free(heard.request);
    assert_int_equal(heard.calls, 1);
    assert_int_equal(heard.wrong, 0);
}

static void start_again(void *argument) {
    heard_t *heard = argument;
    heard->calls++;
    irr_infer_request_start_async(heard->request); /* is refused in the end */
}

static void free_ends_what_starts_again(void **state) {
    (void)state;
    heard_t heard = {.request = slow_request("0", "0")};
    irr_callback_t callback = {start_again, &heard};
    OK(irr_infer_request_set_callback(heard.request, &callback));
    OK(irr_infer_request_start_async(heard.request));
    irr_infer_request_free(heard.request);
    assert_true(heard.calls >= 1);
}

/* ---- many threads, one compiled model ---- */

static void *infer_often(void *argument) {
    const irr_compiled_model_t *compiled = argument;
    irr_infer_request_t *request = NULL;
    OK(irr_compiled_model_create_infer_request(compiled, &request));
    float in[6], sum[2] = {0};
    irr_tensor_t *tensor = api_tensor(in, 2, (int64_t[]){2, 3});
    OK(irr_infer_request_set_input_tensor(request, tensor));
    for (int round = 0; round < 200; round++) {
        for (int k = 0; k < 6; k++) in[k] = (float)(round + k);
        for (int k = 0; k < 2; k++) sum[k] = (float)(3 * round + (k ? 12 : 3));
        if (round % 8 == 0) {
            OK(irr_infer_request_start_async(request));
            OK(irr_infer_request_wait(request));
        } else {
            OK(irr_infer_request_infer(request));
        }
        expect_output(request, sum, 2);
    }
    irr_tensor_free(tensor);
    irr_infer_request_free(request);
    return NULL;
}

static void threads_with_their_own_requests(void **state) {
    (void)state;
    pthread_t threads[3];
    const char *const devices[] = {"STRANGER", "CPU"};
    for (int d = 0; d < 2; d++) {
        irr_compiled_model_t *compiled = api_compile_on(devices[d], MODEL_2X3);
        for (int k = 0; k < 3; k++)
            assert_int_equal(pthread_create(&threads[k], NULL, infer_often, compiled), 0);
        for (int k = 0; k < 3; k++) pthread_join(threads[k], NULL);
        irr_compiled_model_free(compiled);
    }
}

static void *use_core(void *argument) {
    const irr_core_t *core = argument;
    for (int round = 0; round < 20; round++) {
        char *value = NULL, name[32];
        irr_property_t sleep = {"STRANGER_SLEEP_MS", "0"};
        irr_compiled_model_t *compiled = NULL;
        snprintf(name, sizeof name, "OWN%p", (void *)&name);
        OK(irr_core_register_plugin(core, STRANGER_PATH, name));
        irr_model_t *model = api_read(core, MODEL_2X3);
        OK(irr_core_set_properties(core, "STRANGER", 1, &sleep));
        OK(irr_core_get_property(core, "STRANGER", "STRANGER_SLEEP_MS", &value));
        OK(irr_core_compile_model(core, model, "STRANGER", 0, NULL, &compiled));
        OK(irr_core_unregister_plugin(core, name));
        irr_free(value);
        irr_model_free(model);
        irr_compiled_model_free(compiled);
    }
    return NULL;
}

static void threads_on_one_core(void **state) {
    (void)state;
    pthread_t threads[3];
    irr_core_t *core = api_core();
    for (int k = 0; k < 3; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, use_core, core), 0);
    for (int k = 0; k < 3; k++) pthread_join(threads[k], NULL);
    irr_core_free(core);
}

/* There under the thread sanitizer, which cannot follow threads of a forked child. */
extern void __tsan_init(void) __attribute__((weak));

/* A child has none of its parent's threads: the request makes a new one. */
static void a_forked_child_goes_on(void **state) {
    (void)state;
    int status;
    if (__tsan_init) skip();
    irr_infer_request_t *request = slow_request("0", "0");
    OK(irr_infer_request_start_async(request));
    OK(irr_infer_request_wait(request));
    pid_t child = fork();
    if (child == 0) {
        bool ok = !irr_infer_request_start_async(request) && !irr_infer_request_wait(request);
        irr_infer_request_free(request);
        _exit(ok ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    irr_infer_request_free(request);
}

static void a_forked_child_leaves_the_run_to_its_parent(void **state) {
    (void)state;
    int status;
    if (__tsan_init) skip();
    irr_infer_request_t *request = slow_request("200", "0");
    OK(irr_infer_request_start_async(request));
    pid_t child = fork();
    if (child == 0) {
        bool ok = irr_infer_request_wait(request) == IRR_INFER_CANCELLED &&
                  !irr_infer_request_infer(request) && !irr_infer_request_start_async(request) &&
                  !irr_infer_request_wait(request);
        irr_infer_request_free(request);
        _exit(ok ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    OK(irr_infer_request_wait(request));
    irr_infer_request_free(request);
}

static atomic_bool enough;

static void *use_core_on_and_on(void *core) {
    while (!atomic_load(&enough)) use_core(core);
    return NULL;
}

static void forked_children_use_the_core(void **state) {
    (void)state;
    if (__tsan_init || ADDRESS_SANITIZED) skip();
    pthread_t thread;
    irr_core_t *core = api_core();
    assert_int_equal(pthread_create(&thread, NULL, use_core_on_and_on, core), 0);
    for (int k = 0; k < 200; k++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            irr_available_devices_t devices;
            irr_property_t sleep = {"STRANGER_SLEEP_MS", "0"};
            alarm(20); /* rather than for ever */
            bool ok = !irr_core_get_available_devices(core, &devices) &&
                      !irr_core_set_properties(core, "STRANGER", 1, &sleep);
            _exit(ok ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    atomic_store(&enough, true);
    pthread_join(thread, NULL);
    irr_core_free(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_any_start),
        cmocka_unit_test(start_and_wait),
        cmocka_unit_test(busy),
        cmocka_unit_test(cancelling),
        cmocka_unit_test(failure_becomes_the_waiters_message),
        cmocka_unit_test(callbacks),
        cmocka_unit_test(free_waits),
        cmocka_unit_test(free_ends_what_starts_again),
        cmocka_unit_test(threads_with_their_own_requests),
        cmocka_unit_test(threads_on_one_core),
        cmocka_unit_test(a_forked_child_goes_on),
        cmocka_unit_test(a_forked_child_leaves_the_run_to_its_parent),
        cmocka_unit_test(forked_children_use_the_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
