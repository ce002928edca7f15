/* The kinds of element types, for lists: what is said of a kind is said of each of its types.
 * Lives here: which types there are, what their bits mean. May not: what is done with them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_KERNEL_KINDS_H
#define IRR_KERNEL_KINDS_H

/*   DO(type, name, bits, element, ...); halves are loaded by their bits. */
#define EACH_WIDE_FLOAT(DO, ...)                                                                   \
    DO(F64, f64, 64, double, __VA_ARGS__)                                                          \
    DO(F32, f32, 32, float, __VA_ARGS__)
#define EACH_HALF(DO, ...)                                                                         \
    DO(F16, f16, 16, uint16_t, __VA_ARGS__)                                                        \
    DO(BF16, bf16, 16, uint16_t, __VA_ARGS__)
#define EACH_FLOAT(DO, ...)                                                                        \
    EACH_WIDE_FLOAT(DO, __VA_ARGS__)                                                               \
    EACH_HALF(DO, __VA_ARGS__)
/* Those whose squares doubles hold. */
#define EACH_NARROW_FLOAT(DO, ...)                                                                 \
    DO(F32, f32, 32, float, __VA_ARGS__)                                                           \
    EACH_HALF(DO, __VA_ARGS__)
#define SIGNED_OF(bits, DO, ...) DO(I##bits, i##bits, bits, int##bits##_t, __VA_ARGS__)
#define UNSIGNED_OF(bits, DO, ...) DO(U##bits, u##bits, bits, uint##bits##_t, __VA_ARGS__)
#define EACH_SIGNED(...)                                                                           \
    SIGNED_OF(64, __VA_ARGS__)                                                                     \
    SIGNED_OF(32, __VA_ARGS__)                                                                     \
    SIGNED_OF(16, __VA_ARGS__)                                                                     \
    SIGNED_OF(8, __VA_ARGS__)
#define EACH_UNSIGNED(...)                                                                         \
    UNSIGNED_OF(64, __VA_ARGS__)                                                                   \
    UNSIGNED_OF(32, __VA_ARGS__)                                                                   \
    UNSIGNED_OF(16, __VA_ARGS__)                                                                   \
    UNSIGNED_OF(8, __VA_ARGS__)
#define BOTH_OF(bits, ...)                                                                         \
    SIGNED_OF(bits, __VA_ARGS__)                                                                   \
    UNSIGNED_OF(bits, __VA_ARGS__)
#define EACH_SHORT(...)                                                                            \
    BOTH_OF(16, __VA_ARGS__)                                                                       \
    BOTH_OF(8, __VA_ARGS__)
#define EACH_INTEGER(...)                                                                          \
    BOTH_OF(64, __VA_ARGS__)                                                                       \
    BOTH_OF(32, __VA_ARGS__)                                                                       \
    EACH_SHORT(__VA_ARGS__)
/* Those that are lanes as they are. */
#define EACH_LANE(...)                                                                             \
    EACH_WIDE_FLOAT(__VA_ARGS__)                                                                   \
    EACH_INTEGER(__VA_ARGS__)

/* The bits of a float's infinity; below its last one is the fraction, behind it are NaNs, of which
 * the canonical one has the next bit, too. */
#define INFINITY_f64 INT64_C(0x7ff0000000000000)
#define INFINITY_f32 0x7f800000
#define INFINITY_f16 0x7c00
#define INFINITY_bf16 0x7f80
#define FRACTION_OF(infinity) (((infinity) & -(infinity)) - 1)
#define CANONICAL_NAN_OF(infinity) ((infinity) | ((infinity) >> 1 & ~(infinity)))

#endif
