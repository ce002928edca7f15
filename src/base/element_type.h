/* The table of element types and the conversions of the 16-bit floats.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_BASE_ELEMENT_TYPE_H
#define IRR_BASE_ELEMENT_TYPE_H

#include <irreduce/irreduce.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IRR_ELEMENT_TYPE_COUNT (IRR_F8E8M0 + 1)

typedef enum {
    IRR_KIND_OTHER = 0, /* dynamic, sub-byte, 8-bit float, string: read, never reduced */
    IRR_KIND_FLOAT,
    IRR_KIND_SIGNED,
    IRR_KIND_UNSIGNED,
    IRR_KIND_BOOLEAN
} irr_element_kind_e;

typedef struct irr_element_type_info {
    const char *name;      /* "f32": the word in `element_type=` */
    const char *precision; /* "FP32": the word in a port's `precision=`; NULL: none */
    uint8_t bits;          /* of one element; 0 where it has no fixed size */
    irr_element_kind_e kind;
} irr_element_type_info_t;

/* NULL for a number that is no enumerator. */
const irr_element_type_info_t *irr_element_type_info(irr_element_type_e type);
const char *irr_element_type_name(irr_element_type_e type); /* never NULL */
/* By `element_type` word, exact case; by `precision` word or else that; false if unknown. */
bool irr_element_type_by_name(const char *name, irr_element_type_e *type);
bool irr_element_type_by_precision(const char *precision, irr_element_type_e *type);
/* One of the twelve. */
bool irr_is_numeric(irr_element_type_e type);
/* One of the eight integer types, legal for axes. */
bool irr_is_integer(irr_element_type_e type);
/* Bytes of one element of the twelve and boolean; 0 for all others. */
size_t irr_element_bytes(irr_element_type_e type);
/* Bytes of `count` elements, sub-byte types packed and rounded up; false if it does not fit or the
 * type has no fixed size. */
bool irr_elements_bytes(irr_element_type_e type, size_t count, size_t *bytes);

/* Exact widenings. */
double irr_f16_to_f64(uint16_t bits);
double irr_bf16_to_f64(uint16_t bits);
/* One rounding, to nearest even. NaN becomes the canonical one. */
uint16_t irr_f64_to_f16(double value);
uint16_t irr_f64_to_bf16(double value);
/* The k-th of a float type's elements: the same, whatever the type. */
double irr_float_at(const void *values, irr_element_type_e type, size_t k);
void irr_put_float(void *values, irr_element_type_e type, size_t k, double value);

#endif
