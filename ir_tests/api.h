/* What the tests of the public API share: small models as text, a core with the stranger's device.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_API_H
#define IRR_TESTS_API_H

#include <irreduce/irreduce.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants those first */
#include <cmocka.h>

#define STRANGER_PATH "libirr_stranger_plugin.so" /* beside the library, as are the bad ones */

/* The call must give this status; if not, the message is printed. */
#define EXPECT(status, call)                                                                       \
    do {                                                                                           \
        irr_status_e got_ = (call);                                                                \
        if (got_ != (status))                                                                      \
            fail_msg("%s: status %d, expected %d: %s", #call, got_, (int)(status),                 \
                     irr_get_last_err_msg());                                                      \
    } while (0)
#define OK(call) EXPECT(IRR_OK, call)
/* This thread's message holds the words. */
void expect_message(const char *words);

/* `y` = ReduceSum of f32 `x`. */
#define MODEL_2X3 api_model("2,3", "<dim>2</dim><dim>3</dim>", false)
#define MODEL_DYNAMIC api_model("?,1..4", "<dim>-1</dim><dim>-1</dim>", false)
/* The same with axes from a Parameter `axes` (i64, any count). */
#define MODEL_AXES api_model("2,3", "<dim>2</dim><dim>3</dim>", true)
/* A static buffer of this thread, good until the next call. Constant axes: [1]. */
const char *api_model(const char *shape, const char *dims, bool axes_at_run_time);

/* A core with the device "STRANGER"; a model; both at once and compiled. */
irr_core_t *api_core(void);
irr_model_t *api_read(const irr_core_t *core, const char *xml);
irr_compiled_model_t *api_compile(const char *xml);
irr_compiled_model_t *api_compile_on(const char *device, const char *xml);
irr_infer_request_t *api_request(const char *xml);

/* A tensor of f32 over the caller's values. */
irr_tensor_t *api_tensor(float *values, int64_t rank, const int64_t *dims);
/* Values of a request's first output. */
void expect_output(const irr_infer_request_t *request, const float *values, size_t count);

#endif
