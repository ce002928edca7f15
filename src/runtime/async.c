/* The request's own thread: start, wait, cancel, callback.
 * A run is settled when its callback has returned, too: that is what other threads wait for. On the
 * request's thread, inside the callback, the run counts as settled already.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/signals.h"
#include "runtime/runtime.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

void irr_async_init(irr_async_t *async) {
    pthread_cond_init(&async->changed, NULL);
    pthread_mutex_init(&async->lock, NULL);
    async->owner = 0;
}

/* A forked child has no thread of its parent. */
static bool has_thread(const irr_async_t *async) { return async->owner == getpid(); }

/* What this reads is written once, before that thread runs. */
bool irr_async_is_own_thread(const irr_async_t *async) {
    return has_thread(async) && pthread_equal(async->thread, pthread_self());
}

bool irr_async_adopt(irr_infer_request_t *request) {
    irr_async_t *async = &request->async;
    if (!async->owner || has_thread(async)) return false;
    irr_async_init(async); /* the parent's thread still waits in the old ones, or holds them */
    if (async->settled < async->started) {
        async->settled = async->started;
        async->pending = false;
        async->status = IRR_INFER_CANCELLED;
        strcpy(async->text, "the inference went on in the process that forked");
        irr_request_leave(request);
    }
    return true;
}

/* Under the lock, which it leaves while it works. */
static void run_pending(irr_infer_request_t *request) {
    irr_async_t *async = &request->async;
    irr_status_e status = IRR_OK;
    if (!async->cancelled) {
        pthread_mutex_unlock(&async->lock);
        status = irr_request_run(request);
        pthread_mutex_lock(&async->lock);
    }
    if (async->cancelled) {
        status = IRR_INFER_CANCELLED;
        strcpy(async->text, "the inference was cancelled");
    } else if (status) {
        strcpy(async->text, irr_message().text); /* this thread's own */
    }
    async->status = status;
    async->pending = false;
    uint64_t run = async->started; /* the callback may start the next */
    irr_callback_t callback = async->callback;
    irr_request_leave(request);
    if (callback.callback_func) {
        pthread_mutex_unlock(&async->lock);
        callback.callback_func(callback.args);
        pthread_mutex_lock(&async->lock);
    }
    async->settled = run;
    pthread_cond_broadcast(&async->changed);
}

static void *serve(void *argument) {
    irr_infer_request_t *request = argument;
    irr_async_t *async = &request->async;
    pthread_mutex_lock(&async->lock);
    for (;;) {
        while (!async->pending && !async->quit) pthread_cond_wait(&async->changed, &async->lock);
        if (!async->pending) break;
        run_pending(request);
    }
    pthread_mutex_unlock(&async->lock);
    return NULL;
}

/* Under the lock. */
static irr_status_e make_thread(irr_infer_request_t *request) {
    sigset_t before;
    if (has_thread(&request->async)) return IRR_OK;
    irr_signals_of_host(&before);
    int failed = pthread_create(&request->async.thread, NULL, serve, request);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        return irr_fail(irr_message(), IRR_NOT_ALLOCATED, "the request's thread cannot be made: %s",
                        strerror(failed));
    request->async.owner = getpid();
    return IRR_OK;
}

void irr_async_stop(irr_async_t *async) {
    if (has_thread(async)) {
        pthread_mutex_lock(&async->lock);
        async->quit = true;
        pthread_cond_broadcast(&async->changed);
        pthread_mutex_unlock(&async->lock);
        pthread_join(async->thread, NULL);
    }
    pthread_cond_destroy(&async->changed);
    pthread_mutex_destroy(&async->lock);
}

irr_status_e irr_infer_request_start_async(irr_infer_request_t *infer_request) {
    IRR_REQUIRE(infer_request);
    irr_async_adopt(infer_request);
    IRR_TRY(irr_request_enter(infer_request));
    irr_async_t *async = &infer_request->async;
    pthread_mutex_lock(&async->lock);
    irr_status_e status = async->quit
                              ? irr_fail(irr_message(), IRR_INFER_CANCELLED,
                                         "the request is being freed: no run can be started")
                              : make_thread(infer_request);
    if (status) {
        irr_request_leave(infer_request);
    } else {
        async->cancelled = false;
        async->pending = true;
        async->started++;
        pthread_cond_broadcast(&async->changed);
    }
    pthread_mutex_unlock(&async->lock);
    return status;
}

/* Under the lock: true when the run is settled, or has got as far as its own callback. */
static bool is_settled(const irr_async_t *async, uint64_t run) {
    return async->settled >= run || (irr_async_is_own_thread(async) && !async->pending);
}

/* deadline NULL: for ever. */
static irr_status_e wait_until(irr_infer_request_t *request, const struct timespec *deadline) {
    irr_async_t *async = &request->async;
    irr_status_e status = IRR_OK;
    irr_async_adopt(request);
    pthread_mutex_lock(&async->lock);
    uint64_t run = async->started;
    int late = irr_async_is_own_thread(async) ? ETIMEDOUT : 0; /* it cannot wait for itself */
    while (!late && !is_settled(async, run))
        late = deadline ? pthread_cond_clockwait(&async->changed, &async->lock, CLOCK_MONOTONIC,
                                                 deadline)
                        : pthread_cond_wait(&async->changed, &async->lock);
    if (run == 0 && deadline)
        status = irr_fail(irr_message(), IRR_RESULT_NOT_READY, "no run was started");
    else if (!is_settled(async, run))
        status = irr_fail(irr_message(), IRR_RESULT_NOT_READY, "the run is not done yet");
    else if (async->status)
        status = irr_fail_with(async->status, async->text);
    pthread_mutex_unlock(&async->lock);
    return status;
}

irr_status_e irr_infer_request_wait(irr_infer_request_t *infer_request) {
    IRR_REQUIRE(infer_request);
    return wait_until(infer_request, NULL);
}

irr_status_e irr_infer_request_wait_for(irr_infer_request_t *infer_request, const int64_t timeout) {
    IRR_REQUIRE(infer_request);
    if (timeout < 0) return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH, "a time-out below 0");
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    int64_t seconds = timeout / 1000, ns = deadline.tv_nsec + timeout % 1000 * 1000000;
    deadline.tv_sec += (seconds < INT32_MAX ? seconds : INT32_MAX) + ns / 1000000000;
    deadline.tv_nsec = ns % 1000000000;
    return wait_until(infer_request, &deadline);
}

irr_status_e irr_infer_request_cancel(irr_infer_request_t *infer_request) {
    IRR_REQUIRE(infer_request);
    irr_async_t *async = &infer_request->async;
    irr_async_adopt(infer_request);
    pthread_mutex_lock(&async->lock);
    if (async->pending) async->cancelled = true;
    pthread_mutex_unlock(&async->lock);
    return IRR_OK;
}

irr_status_e irr_infer_request_set_callback(irr_infer_request_t *infer_request,
                                            const irr_callback_t *callback) {
    IRR_REQUIRE(infer_request);
    IRR_TRY(irr_request_enter(infer_request)); /* as has a run, which reads it */
    infer_request->async.callback = callback ? *callback : (irr_callback_t){NULL, NULL};
    irr_request_leave(infer_request);
    return IRR_OK;
}
