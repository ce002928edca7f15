/* What the files of the runtime know of each other: the objects behind the opaque types.
 * Every object counts its holders, so that any order of freeing is legal. May not: kernels, plans,
 * XML beyond the registry's one file.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_RUNTIME_RUNTIME_H
#define IRR_RUNTIME_RUNTIME_H

#include "base/memory.h"
#include "ir/ir.h"
#include "runtime/guard.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/types.h>

/* ---- messages ---- */

/* The calling thread's message. Only what makes the public call fail may write it. */
irr_sentence_t irr_message(void);
/* Makes text this thread's message and returns status. */
irr_status_e irr_fail_with(irr_status_e status, const char *text);

irr_status_e irr_fail_null(const char *function, const char *names, size_t index);
/* Leaves the calling function when one of these arguments is NULL. */
#define IRR_REQUIRE(...)                                                                           \
    do {                                                                                           \
        const void *const given_[] = {__VA_ARGS__};                                                \
        for (size_t k_ = 0; k_ < sizeof given_ / sizeof *given_; k_++)                             \
            if (!given_[k_]) return irr_fail_null(__func__, #__VA_ARGS__, k_);                     \
    } while (0)
/* The same; the first is an out-parameter of any type: all zero (NULL, 0, an empty list) until the
 * call has succeeded. */
#define IRR_REQUIRE_OUT(...)                                                                       \
    do {                                                                                           \
        if (IRR_FIRST(__VA_ARGS__, 0))                                                             \
            memset(IRR_FIRST(__VA_ARGS__, 0), 0, sizeof *IRR_FIRST(__VA_ARGS__, 0));               \
        IRR_REQUIRE(__VA_ARGS__);                                                                  \
    } while (0)
#define IRR_FIRST(first, ...) (first)

/* A copy that a public getter gives out. */
irr_status_e irr_give_text(const char *text, char **copy);

/* ---- lists that a caller holds: rows with the texts in them, freed at once ---- */

void *irr_list_make(size_t count, size_t row_bytes); /* zeroed rows, or NULL */
/* A copy (of NULL: of "") that lives as long as the rows; NULL when memory is out, or was for them.
 */
char *irr_list_text(void *rows, const char *text);
/* IRR_NOT_ALLOCATED when the rows, or a text of theirs, could not be had. */
irr_status_e irr_list_check(const void *rows);
void irr_list_free(void *rows); /* NULL does nothing */
/* The public function that frees such a list. */
#define IRR_LIST_FREE(function, list_t, rows)                                                      \
    void function(list_t *list) {                                                                  \
        if (!list) return;                                                                         \
        irr_list_free(list->rows);                                                                 \
        memset(list, 0, sizeof *list);                                                             \
    }

/* ---- objects that count their holders ---- */

/* The object, held once more; and whether the one who lets go was the last. */
#define IRR_RETAIN(object)                                                                         \
    (atomic_fetch_add_explicit(&(object)->holders, 1, memory_order_relaxed), (object))
#define IRR_WAS_LAST(object) (atomic_fetch_sub(&(object)->holders, 1) == 1)

/* ---- tensors ---- */

struct irr_tensor {
    atomic_uint holders;
    bool host;           /* the caller's memory: never grown, never freed */
    uint64_t generation; /* changes with data or shape: what a request has checked stays checked */
    irr_element_type_e type;
    uint32_t rank;
    int64_t dims[IRR_MAX_RANK];
    size_t element_count, bytes, capacity_bytes;
    void *data, *block;
};

/* From its type and, of a host's, its memory; any other gets zeroed memory of the library. */
irr_status_e irr_tensor_make(irr_tensor_t start, uint32_t rank, const int64_t *dims,
                             irr_tensor_t **tensor);
irr_status_e irr_tensor_resize(irr_tensor_t *tensor, uint32_t rank, const int64_t *dims);
/* What a caller gives: no dimension may be below 0, or (partial) none that is no range. */
irr_status_e irr_check_shape(irr_shape_t shape);
irr_status_e irr_check_partial_shape(irr_partial_shape_t shape);

/* ---- devices ---- */

/* A registered device library, loaded when it is first needed. */
typedef struct irr_device {
    struct irr_device *next;    /* in its core's list */
    atomic_uint holders;        /* the core, and what was compiled with it */
    irr_property_t *properties; /* from plugins.xml, set when it is loaded; a list */
    size_t property_count;
    const char *name, *path; /* texts of that list */
    irr_guard_t settings;    /* written by the loader and by setters, read by all else */
    _Atomic(irr_plugin_engine_t *) engine;
} irr_device_t;

/* With room for its properties. */
irr_status_e irr_device_make(const char *name, const char *path, size_t property_count,
                             irr_device_t **device);
void irr_device_release(irr_device_t *device); /* NULL does nothing */
irr_status_e irr_device_load(irr_device_t *device);

/* Properties of an engine, or (compiled not NULL) of what it compiled. The value belongs to the
 * caller. */
irr_status_e irr_get_property(irr_plugin_engine_t *engine, irr_plugin_compiled_t *compiled,
                              const char *key, char **value);
/* All, or none. */
irr_status_e irr_set_properties(irr_plugin_engine_t *engine, irr_plugin_compiled_t *compiled,
                                size_t count, const irr_property_t *properties);
/* NULLs in a list of properties. */
irr_status_e irr_check_properties(size_t count, const irr_property_t *properties);

/* ---- the core ---- */

struct irr_core {
    irr_guard_t lock; /* of the list */
    irr_device_t *devices;
    bool no_plugins_file;
};

/* Adds a device, which the core then holds, or only tries whether that could be; a taken name fails
 * with both paths. */
irr_status_e irr_core_add_device(const irr_core_t *core, irr_device_t *device, bool only_try);
/* A loaded device, held for the caller. */
irr_status_e irr_core_device(const irr_core_t *core, const char *name, irr_device_t **device);

/* A device's path: relative ones lie beside this library and nowhere else. */
irr_status_e irr_plugin_path(const char *location, char path[PATH_MAX]);
/* Registers what a plugins.xml lists. IRR_NOT_FOUND: no such file. */
irr_status_e irr_registry_read(irr_core_t *core, const char *path);
extern const char irr_version_text[]; /* with libxml2's */

/* ---- models (irr_model_t is the reader's) and their ports ---- */

/* Ports are numbered as a request's slots: inputs, then outputs. */
const irr_ir_port_t *irr_port_of_slot(const irr_model_t *model, uint32_t slot);
/* Which one is meant: by name on either side, by index, or (both NULL) the only one of its side. */
typedef enum { IRR_INPUT = 1, IRR_OUTPUT = 2 } irr_side_e;
typedef struct irr_place {
    unsigned sides;
    const char *name;
    const size_t *index;
} irr_place_t;
irr_status_e irr_find_slot(const irr_model_t *model, irr_place_t place, uint32_t *slot);

/* ---- compiled models and requests ---- */

struct irr_compiled_model {
    atomic_uint holders; /* the caller and each request */
    irr_device_t *device;
    irr_model_t *ir; /* a copy of its own */
    irr_plugin_compiled_t *compiled;
};

/* The request's own thread and what wait needs. */
typedef struct irr_async {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    pid_t owner;                   /* the process that has the thread; 0: none */
    uint64_t started, settled;     /* runs: settled ones have also returned from the callback */
    bool pending, cancelled, quit; /* pending: started, and its status not yet known */
    irr_status_e status;           /* of the last run that is done */
    char text[IRR_SENTENCE_BYTES];
    irr_callback_t callback;
} irr_async_t;

/* A tensor of a request, and the generation of it that was checked: while all are those, views and
 * shapes hold. */
typedef struct irr_slot {
    irr_tensor_t *tensor; /* NULL: never set nor asked for */
    uint64_t checked;     /* 0, which no tensor has: none was */
} irr_slot_t;

struct irr_infer_request {
    atomic_bool busy; /* every call holds it: one thread at a time */
    uint32_t input_count, slot_count;
    irr_arena_t parts;         /* slots, views, shapes */
    irr_slot_t *slots;         /* inputs, then outputs */
    irr_tensor_view_t *views;  /* in the same order */
    irr_bound_shape_t *shapes; /* of each value */
    irr_compiled_model_t *compiled;
    const irr_plugin_engine_t *engine;
    irr_plugin_request_t *request;
    char text[IRR_SENTENCE_BYTES]; /* the device's; a run need not ask for its thread's message */
    irr_async_t async;
};

/* IRR_REQUEST_BUSY, with its sentence, while another call is in the request. */
irr_status_e irr_request_enter(const irr_infer_request_t *request);
void irr_request_leave(const irr_infer_request_t *request);
/* Binds shapes if need be and runs. By who has entered. */
irr_status_e irr_request_run(irr_infer_request_t *request);
void irr_async_init(irr_async_t *async);
void irr_async_stop(irr_async_t *async); /* waits for the run under way */
/* In a forked child: a run that was under way in the parent is cancelled here. True: it was so. */
bool irr_async_adopt(irr_infer_request_t *request);
bool irr_async_is_own_thread(const irr_async_t *async);

#endif
