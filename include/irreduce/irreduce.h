/* irreduce: the whole public C API, in the order of a program's life.
 *
 * Nouns, verbs, argument order and numbers are those of OpenVINO's C API with `ov_` spelled `irr_`:
 * status first, outputs last, opaque `_t` types, one `_free` a type, any order of freeing is legal.
 * A failing call leaves nothing behind, sets its output pointer to NULL and its one sentence is in
 * irr_get_last_err_msg(). The library never prints, aborts or exits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRREDUCE_IRREDUCE_H
#define IRREDUCE_IRREDUCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IRR_API __attribute__((visibility("default")))

/* ---- status and element types: OpenVINO's words and numbers, frozen ------------------------- */

typedef enum {
    IRR_OK = 0,
    IRR_GENERAL_ERROR = -1,
    IRR_NOT_IMPLEMENTED = -2, /* a layer or element type that the device does not take */
    IRR_NETWORK_NOT_LOADED = -3,
    IRR_PARAMETER_MISMATCH = -4, /* tensor type or shape, property value, taken name, ABI number */
    IRR_NOT_FOUND = -5,          /* name, file, device, symbol, property key */
    IRR_OUT_OF_BOUNDS = -6,      /* an index */
    IRR_UNEXPECTED = -7,
    IRR_REQUEST_BUSY = -8,
    IRR_RESULT_NOT_READY = -9,
    IRR_NOT_ALLOCATED = -10, /* memory */
    IRR_INFER_NOT_STARTED = -11,
    IRR_NETWORK_NOT_READ = -12, /* anything wrong in a model file */
    IRR_INFER_CANCELLED = -13,
    IRR_INVALID_C_PARAM = -14, /* NULL, or a number that is no enumerator */
    IRR_UNKNOWN_C_ERROR = -15,
    IRR_NOT_IMPLEMENT_C_METHOD = -16,
    IRR_UNKNOW_EXCEPTION = -17
} irr_status_e;

typedef enum {
    IRR_DYNAMIC = 0,
    IRR_BOOLEAN = 1,
    IRR_BF16 = 2,
    IRR_F16 = 3,
    IRR_F32 = 4,
    IRR_F64 = 5,
    IRR_I4 = 6,
    IRR_I8 = 7,
    IRR_I16 = 8,
    IRR_I32 = 9,
    IRR_I64 = 10,
    IRR_U1 = 11,
    IRR_U2 = 12,
    IRR_U3 = 13,
    IRR_U4 = 14,
    IRR_U6 = 15,
    IRR_U8 = 16,
    IRR_U16 = 17,
    IRR_U32 = 18,
    IRR_U64 = 19,
    IRR_NF4 = 20,
    IRR_F8E4M3 = 21,
    IRR_F8E5M3 = 22,
    IRR_STRING = 23,
    IRR_F4E2M1 = 24,
    IRR_F8E8M0 = 25
} irr_element_type_e;

/* A property: OpenVINO's keys and values as text. The strings are copied by every call. */
typedef struct {
    const char *key;
    const char *value;
} irr_property_t;

#ifdef __cplusplus
}
#endif
#endif
