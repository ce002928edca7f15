/* oneDNN: the only file that includes its headers, 2.6 and 3.x alike.
 * Lives here: its primitives, held to one OpenMP thread. May not: any judgement of what it is good
 * for; that is backend_onednn.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/onednn.h"

#include <stdio.h>

#ifndef IRREDUCE_HAVE_ONEDNN

void irr_onednn_version(char *text, size_t capacity_bytes) {
    snprintf(text, capacity_bytes, "none");
}
const char *irr_onednn_objection(const irr_problem_t *problem) {
    return (void)problem, "built without oneDNN";
}
irr_status_e irr_onednn_create(const irr_problem_t *problem, uint32_t seats, irr_onednn_t **made) {
    (void)problem, (void)seats;
    *made = NULL;
    return IRR_NOT_IMPLEMENTED;
}
void irr_onednn_destroy(irr_onednn_t *made) { (void)made; }
bool irr_onednn_run(const irr_onednn_t *made, const void *data, void *output, void *scratch) {
    return (void)made, (void)data, (void)output, (void)scratch, false;
}

#else

#include "base/element_type.h"
#include "base/memory.h"

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#if DNNL_VERSION_MAJOR >= 3
typedef const_dnnl_memory_desc_t memory_view_t;
#define create_layout dnnl_memory_desc_create_with_strides
#else
typedef const dnnl_memory_desc_t *memory_view_t;
#define create_layout dnnl_memory_desc_init_by_strides
#endif

/* An op or type without a row is one that oneDNN does not have. */
static const dnnl_alg_kind_t algorithms[IRR_OP_COUNT] = {
    [IRR_OP_MIN] = dnnl_reduction_min,
    [IRR_OP_SUM] = dnnl_reduction_sum,
    [IRR_OP_L2] = dnnl_reduction_norm_lp_sum,
    [IRR_OP_MAX] = dnnl_reduction_max,
};

static const dnnl_data_type_t types[IRR_ELEMENT_TYPE_COUNT] = {
    [IRR_F32] = dnnl_f32, [IRR_BF16] = dnnl_bf16, [IRR_I32] = dnnl_s32,
    [IRR_I8] = dnnl_s8,   [IRR_U8] = dnnl_u8,
};

/* The objects of one execution. Threads share a reduction, so each takes a seat of its own. */
typedef struct {
    atomic_flag taken;
    dnnl_stream_t stream;
    dnnl_memory_t source, output, scratch;
} seat_t;

/* What create gives out is its first member. */
typedef struct {
    irr_onednn_t told;
    dnnl_engine_t engine;
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
    uint32_t seat_count;
    seat_t *seats;
} reduction_t;

void irr_onednn_version(char *text, size_t capacity_bytes) {
    const dnnl_version_t *version = dnnl_version();
    snprintf(text, capacity_bytes, "%d.%d.%d", version->major, version->minor, version->patch);
}

const char *irr_onednn_objection(const irr_problem_t *problem) {
    const unsigned tame = DNNL_RUNTIME_SEQ | DNNL_RUNTIME_OMP;
    if (types[problem->type] == dnnl_data_type_undef) return "oneDNN cannot reduce this type";
    if (algorithms[problem->op] == dnnl_alg_kind_undef) return "oneDNN has no such operation";
    if (problem->geometry.set_size == 1) return "oneDNN refuses sets of one element";
    if (problem->geometry.run_count > DNNL_MAX_NDIMS)
        return "oneDNN takes at most 12 dimensions, and this has more after merging";
    if (!(dnnl_version()->cpu_runtime & tame))
        return "this oneDNN has threads that cannot be held to one";
    return NULL;
}

/* ---- one OpenMP thread ---- */

/* libgomp comes with oneDNN, if at all. A team of one never enters its pool, which would not
 * survive a fork. */
static struct {
    void (*set)(int);
    int (*get)(void);
} openmp;

static void find_openmp(void) {
    void *set = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
    void *get = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    if (!set || !get) return;
    memcpy(&openmp.set, &set, sizeof set);
    memcpy(&openmp.get, &get, sizeof get);
}

static int enter_one_thread(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_openmp);
    int found = openmp.get ? openmp.get() : 1;
    if (found != 1) openmp.set(1);
    return found;
}

static void leave_one_thread(int found) {
    if (found != 1) openmp.set(found);
}

/* ---- primitives ---- */

/* Dense and row-major; of the output every reduced run is 1. */
static dnnl_status_t lay_out(const irr_problem_t *problem, bool output, dnnl_memory_desc_t *made) {
    dnnl_dims_t size, stride;
    dnnl_dim_t apart = 1;
    int count = (int)problem->geometry.run_count;
    for (int d = count - 1; d >= 0; d--) {
        const irr_run_t *run = &problem->geometry.runs[d];
        size[d] = output && run->reduced ? 1 : (dnnl_dim_t)run->size;
        stride[d] = apart;
        apart *= size[d];
    }
    return create_layout(made, count, size, types[problem->type], stride);
}

static dnnl_status_t describe(const irr_problem_t *problem, dnnl_engine_t engine,
                              dnnl_primitive_attr_t attributes, dnnl_primitive_desc_t *made) {
    dnnl_alg_kind_t algorithm = algorithms[problem->op];
    const float power = 2, epsilon = 0; /* of the norm alone */
    dnnl_memory_desc_t source = {0}, output = {0};
    dnnl_status_t status = lay_out(problem, false, &source);
    if (status == dnnl_success) status = lay_out(problem, true, &output);
#if DNNL_VERSION_MAJOR >= 3
    if (status == dnnl_success)
        status = dnnl_reduction_primitive_desc_create(made, engine, algorithm, source, output,
                                                      power, epsilon, attributes);
    if (source) dnnl_memory_desc_destroy(source);
    if (output) dnnl_memory_desc_destroy(output);
#else
    dnnl_reduction_desc_t reduction;
    if (status == dnnl_success)
        status = dnnl_reduction_desc_init(&reduction, algorithm, &source, &output, power, epsilon);
    if (status == dnnl_success)
        status = dnnl_primitive_desc_create(made, &reduction, attributes, engine, NULL);
#endif
    return status;
}

static void close_seat(seat_t *seat) {
    if (seat->source) dnnl_memory_destroy(seat->source);
    if (seat->output) dnnl_memory_destroy(seat->output);
    if (seat->scratch) dnnl_memory_destroy(seat->scratch);
    if (seat->stream) dnnl_stream_destroy(seat->stream);
}

static bool open_memory(const reduction_t *reduction, dnnl_query_t what, dnnl_memory_t *made) {
    memory_view_t view = dnnl_primitive_desc_query_md(reduction->description, what, 0);
    return view &&
           dnnl_memory_create(made, view, reduction->engine, DNNL_MEMORY_NONE) == dnnl_success;
}

static bool open_seat(const reduction_t *reduction, seat_t *seat) {
    *seat = (seat_t){.taken = ATOMIC_FLAG_INIT};
    bool open = dnnl_stream_create(&seat->stream, reduction->engine, dnnl_stream_default_flags) ==
                    dnnl_success &&
                open_memory(reduction, dnnl_query_src_md, &seat->source) &&
                open_memory(reduction, dnnl_query_dst_md, &seat->output) &&
                (!reduction->told.scratch_bytes ||
                 open_memory(reduction, dnnl_query_scratchpad_md, &seat->scratch));
    if (!open) close_seat(seat);
    return open;
}

void irr_onednn_destroy(irr_onednn_t *made) {
    reduction_t *reduction = (reduction_t *)made;
    if (!reduction) return;
    for (uint32_t i = 0; i < reduction->seat_count; i++) close_seat(&reduction->seats[i]);
    irr_release(reduction->seats);
    if (reduction->primitive) dnnl_primitive_destroy(reduction->primitive);
    if (reduction->description) dnnl_primitive_desc_destroy(reduction->description);
    if (reduction->engine) dnnl_engine_destroy(reduction->engine);
    irr_release(reduction);
}

static dnnl_status_t open_description(const irr_problem_t *problem, reduction_t *reduction) {
    dnnl_primitive_attr_t attributes = NULL;
    dnnl_status_t status = dnnl_engine_create(&reduction->engine, dnnl_cpu, 0);
    if (status == dnnl_success) status = dnnl_primitive_attr_create(&attributes);
    if (status == dnnl_success)
        status = dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user);
    if (status == dnnl_success)
        status = describe(problem, reduction->engine, attributes, &reduction->description);
    if (attributes) dnnl_primitive_attr_destroy(attributes);
    if (status != dnnl_success) return status;
    memory_view_t scratch =
        dnnl_primitive_desc_query_md(reduction->description, dnnl_query_scratchpad_md, 0);
    reduction->told.scratch_bytes = scratch ? dnnl_memory_desc_get_size(scratch) : 0;
    reduction->told.implementation = "ref";
    dnnl_primitive_desc_query(reduction->description, dnnl_query_impl_info_str, 0,
                              &reduction->told.implementation);
    return dnnl_success;
}

static dnnl_status_t open_primitive(reduction_t *reduction, uint32_t seats) {
    dnnl_status_t status = dnnl_primitive_create(&reduction->primitive, reduction->description);
    if (status != dnnl_success) return status;
    reduction->seats = irr_calloc(seats, sizeof *reduction->seats);
    for (; reduction->seats && reduction->seat_count < seats; reduction->seat_count++)
        if (!open_seat(reduction, &reduction->seats[reduction->seat_count])) break;
    return reduction->seat_count == seats ? dnnl_success : dnnl_out_of_memory;
}

irr_status_e irr_onednn_create(const irr_problem_t *problem, uint32_t seats, irr_onednn_t **made) {
    *made = NULL;
    reduction_t *reduction = irr_calloc(1, sizeof *reduction);
    if (!reduction) return IRR_NOT_ALLOCATED;
    int found = enter_one_thread();
    dnnl_status_t status = open_description(problem, reduction);
    if (status == dnnl_success && seats) status = open_primitive(reduction, seats);
    leave_one_thread(found);
    if (status == dnnl_success) return *made = &reduction->told, IRR_OK;
    irr_onednn_destroy(&reduction->told);
    return status == dnnl_out_of_memory ? IRR_NOT_ALLOCATED : IRR_NOT_IMPLEMENTED;
}

/* ---- execution ---- */

static bool run_seated(const reduction_t *reduction, const seat_t *seat, const void *data,
                       void *output, void *scratch) {
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, seat->source},
                                   {DNNL_ARG_DST, seat->output},
                                   {DNNL_ARG_SCRATCHPAD, seat->scratch}};
    void *source = (void *)(uintptr_t)data; /* its handles know no const */
    return dnnl_memory_set_data_handle(seat->source, source) == dnnl_success &&
           dnnl_memory_set_data_handle(seat->output, output) == dnnl_success &&
           (!seat->scratch ||
            dnnl_memory_set_data_handle(seat->scratch, scratch) == dnnl_success) &&
           dnnl_primitive_execute(reduction->primitive, seat->stream, seat->scratch ? 3 : 2,
                                  arguments) == dnnl_success &&
           dnnl_stream_wait(seat->stream) == dnnl_success;
}

bool irr_onednn_run(const irr_onednn_t *made, const void *data, void *output, void *scratch) {
    const reduction_t *reduction = (const reduction_t *)made;
    seat_t guest, *seat = NULL; /* a guest: more threads at once than seats */
    for (uint32_t i = 0; i < reduction->seat_count && !seat; i++)
        if (!atomic_flag_test_and_set_explicit(&reduction->seats[i].taken, memory_order_acquire))
            seat = &reduction->seats[i];
    if (!seat && !open_seat(reduction, &guest)) return false;
    int found = enter_one_thread();
    bool done = run_seated(reduction, seat ? seat : &guest, data, output, scratch);
    leave_one_thread(found);
    if (seat)
        atomic_flag_clear_explicit(&seat->taken, memory_order_release);
    else
        close_seat(&guest);
    return done;
}

#endif
