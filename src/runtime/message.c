/* The message of each thread, texts and lists that are given out, the status table, versions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "runtime/runtime.h"

static _Thread_local char message[IRR_SENTENCE_BYTES];

irr_sentence_t irr_message(void) { return (irr_sentence_t){message, sizeof message}; }

irr_status_e irr_fail_with(irr_status_e status, const char *text) {
    return irr_fail(irr_message(), status, "%s", text);
}

irr_status_e irr_fail_null(const char *function, const char *names, size_t index) {
    while (index-- > 0) names = strchr(names, ',') + 2;
    return irr_fail(irr_message(), IRR_INVALID_C_PARAM, "%s: %.*s is NULL", function,
                    (int)strcspn(names, ","), names);
}

irr_status_e irr_give_text(const char *text, char **copy) {
    *copy = irr_strdup(text);
    return *copy ? IRR_OK : irr_out_of_memory(irr_message(), strlen(text) + 1);
}

/* ---- lists ---- */

/* Stands before the rows. */
typedef struct {
    _Alignas(max_align_t) irr_arena_t texts;
} list_t;

void *irr_list_make(size_t count, size_t row_bytes) {
    /* One row at least: a pointer past the end of its block looks like a leak. */
    list_t *list = irr_calloc(1, sizeof *list + (count ? count : 1) * row_bytes);
    return list ? list + 1 : NULL;
}

char *irr_list_text(void *rows, const char *text) {
    return rows ? irr_take_text(&((list_t *)rows - 1)->texts, text) : NULL;
}

irr_status_e irr_list_check(const void *rows) {
    if (rows && !((const list_t *)rows - 1)->texts.failed) return IRR_OK;
    return irr_fail(irr_message(), IRR_NOT_ALLOCATED, "out of memory: a list cannot be made");
}

void irr_list_free(void *rows) {
    if (!rows) return;
    irr_arena_release(&((list_t *)rows - 1)->texts);
    irr_release((list_t *)rows - 1);
}

/* ---- statuses ---- */

typedef struct {
    const char *word, *text;
} status_row_t;

/* Row -status of each status. */
static const status_row_t rows[] = {
    [0] = {"OK", "done"},
    [1] = {"GENERAL_ERROR", "general error"},
    [2] = {"NOT_IMPLEMENTED", "the device does not take this layer or element type"},
    [3] = {"NETWORK_NOT_LOADED", "the model is not loaded"},
    [4] = {"PARAMETER_MISMATCH", "a tensor, property or number does not fit"},
    [5] = {"NOT_FOUND", "not found"},
    [6] = {"OUT_OF_BOUNDS", "index out of bounds"},
    [7] = {"UNEXPECTED", "unexpected error"},
    [8] = {"REQUEST_BUSY", "the infer request is busy"},
    [9] = {"RESULT_NOT_READY", "the result is not ready"},
    [10] = {"NOT_ALLOCATED", "out of memory"},
    [11] = {"INFER_NOT_STARTED", "the inference was not started"},
    [12] = {"NETWORK_NOT_READ", "the model cannot be read"},
    [13] = {"INFER_CANCELLED", "the inference was cancelled"},
    [14] = {"INVALID_C_PARAM", "an argument is NULL or no enumerator"},
    [15] = {"UNKNOWN_C_ERROR", "unknown error"},
    [16] = {"NOT_IMPLEMENT_C_METHOD", "this function is not implemented"},
    [17] = {"UNKNOW_EXCEPTION", "unknown exception"},
};
_Static_assert(sizeof rows / sizeof *rows == 1 - IRR_UNKNOW_EXCEPTION, "a row for each status");

static const status_row_t *row_of(irr_status_e status) {
    static const status_row_t none = {NULL, "no status of irreduce"};
    return status <= 0 && status >= IRR_UNKNOW_EXCEPTION ? &rows[-(int)status] : &none;
}

const char *irr_get_error_info(irr_status_e status) { return row_of(status)->text; }
const char *irr_get_status_word(irr_status_e status) { return row_of(status)->word; }

/* ---- public ---- */

const char *irr_get_last_err_msg(void) { return message; }

void irr_free(const char *content) {
    if (content != message) irr_release((char *)content);
}

irr_status_e irr_get_version(irr_version_t *version) {
    IRR_REQUIRE(version);
    *version = (irr_version_t){IRREDUCE_VERSION, irr_version_text};
    return IRR_OK;
}

void irr_version_free(irr_version_t *version) {
    if (version) *version = (irr_version_t){NULL, NULL};
}

const char *irr_get_element_type_name(irr_element_type_e type) {
    const irr_element_type_info_t *info = irr_element_type_info(type);
    return info ? info->name : NULL;
}

irr_status_e irr_get_element_type_by_name(const char *name, irr_element_type_e *type) {
    IRR_REQUIRE_OUT(type, name);
    if (irr_element_type_by_name(name, type)) return IRR_OK;
    return irr_fail(irr_message(), IRR_NOT_FOUND, "\"%s\" is no element type", name);
}
