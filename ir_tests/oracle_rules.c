/* The contract's rules: one fold and one finish for each operation, over floats and over integers.
 * Lives here: what an operation means. May not: shapes, or anything out of src/.
 * SPDX-License-Identifier: Apache-2.0 */
#include "oracle_rules.h"

#include <string.h>

uint64_t oracle_key_of(const type_row_t *row, uint64_t bits) {
    uint64_t sign = UINT64_C(1) << (8 * row->bytes - 1), all = sign | (sign - 1);
    if (row->is_float) return bits & sign ? ~bits & all : bits | sign;
    return row->is_signed ? bits ^ sign : bits;
}

uint64_t oracle_bits_of_key(const type_row_t *row, uint64_t key) {
    uint64_t sign = UINT64_C(1) << (8 * row->bytes - 1), all = sign | (sign - 1);
    if (row->is_float) return key & sign ? key ^ sign : ~key & all;
    return row->is_signed ? key ^ sign : key;
}

/* A float taken apart: magnitude = mantissa * 2^exponent. Infinities and NaN are noted in the fold
 * and come back as false. */
typedef struct parts {
    bool negative;
    uint64_t mantissa;
    int64_t exponent;
} parts_t;

static bool take_apart(fold_t *f, uint64_t bits, parts_t *parts) {
    const int fraction = f->row->format.fraction_bits, width = f->row->format.exponent_bits;
    uint64_t top = (UINT64_C(1) << width) - 1, field = bits >> fraction & top;
    parts->mantissa = bits & ((UINT64_C(1) << fraction) - 1);
    parts->negative = bits >> (fraction + width);
    if (field == top) {
        if (parts->mantissa)
            f->nan = true;
        else
            f->infinity[parts->negative] = true;
        return false;
    }
    if (field)
        parts->mantissa |= UINT64_C(1) << fraction;
    else
        field = 1;
    parts->exponent = (int64_t)field - ((INT64_C(1) << (width - 1)) - 1) - fraction;
    return true;
}

static int64_t as_signed(const fold_t *f, uint64_t bits) {
    unsigned unused = 64 - 8 * (unsigned)f->row->bytes;
    return (int64_t)(bits << unused) >> unused;
}

static uint64_t magnitude(const fold_t *f, uint64_t bits) {
    return f->row->is_signed && as_signed(f, bits) < 0 ? 0 - (uint64_t)as_signed(f, bits) : bits;
}

/* ---- folds ---- */

static void fold_min(fold_t *f, uint64_t bits) {
    uint64_t key = oracle_key_of(f->row, bits);
    if (!f->count || key < f->best) f->best = key;
    parts_t parts;
    if (f->row->is_float) take_apart(f, bits, &parts); /* notes a NaN */
}

static void fold_max(fold_t *f, uint64_t bits) {
    uint64_t key = oracle_key_of(f->row, bits);
    if (!f->count || key > f->best) f->best = key;
    parts_t parts;
    if (f->row->is_float) take_apart(f, bits, &parts);
}

static void fold_float_sum(fold_t *f, uint64_t bits) {
    parts_t parts;
    if (take_apart(f, bits, &parts))
        big_add_at(&f->sum[parts.negative], parts.mantissa, (size_t)(parts.exponent - LOWEST));
}

static void fold_float_l1(fold_t *f, uint64_t bits) {
    parts_t parts;
    if (take_apart(f, bits, &parts))
        big_add_at(&f->sum[0], parts.mantissa, (size_t)(parts.exponent - LOWEST));
}

static void fold_float_l2(fold_t *f, uint64_t bits) {
    parts_t parts;
    if (take_apart(f, bits, &parts))
        big_add_square_at(&f->sum[0], parts.mantissa, 2 * (size_t)(parts.exponent - LOWEST));
}

static void fold_float_product(fold_t *f, uint64_t bits) {
    parts_t parts;
    bool finite = take_apart(f, bits, &parts);
    f->negative ^= parts.negative;
    if (!finite) return;
    if (!parts.mantissa) f->zero = true;
    if (f->zero) return;
    if (!big_bits(&f->product)) big_add_at(&f->product, 1, 0);
    int zeros = __builtin_ctzll(parts.mantissa); /* powers of two cost no limbs */
    big_multiply(&f->product, parts.mantissa >> zeros);
    f->exponent += parts.exponent + zeros;
}

static void fold_integer_sum(fold_t *f, uint64_t bits) {
    int64_t value = as_signed(f, bits);
    f->modulo += bits;
    f->wide += f->row->is_signed ? (oracle_i128)value : (oracle_i128)bits;
}

static void fold_integer_l1(fold_t *f, uint64_t bits) { f->modulo += magnitude(f, bits); }

static void fold_integer_product(fold_t *f, uint64_t bits) {
    f->modulo = (f->count ? f->modulo : 1) * bits;
}

static void fold_integer_l2(fold_t *f, uint64_t bits) {
    oracle_u128 square = (oracle_u128)magnitude(f, bits) * magnitude(f, bits);
    oracle_u128 limit = f->row->bytes == 8 ? ~(oracle_u128)0 : (oracle_u128)UINT64_MAX;
    f->squares = square > limit - f->squares ? limit : f->squares + square;
}

static void fold_boolean(fold_t *f, uint64_t bits) {
    f->modulo += bits != 0; /* how many are true */
}

/* ---- finishes ---- */

static uint64_t infinity_bits(const type_row_t *row, bool negative) {
    uint64_t field = (UINT64_C(1) << row->format.exponent_bits) - 1;
    return (field | (uint64_t)negative << row->format.exponent_bits) << row->format.fraction_bits;
}

static uint64_t nan_bits(const type_row_t *row) {
    return infinity_bits(row, false) | UINT64_C(1) << (row->format.fraction_bits - 1);
}

static bool exactly(oracle_interval_t *out, uint64_t bits) {
    *out = (oracle_interval_t){bits, bits, false};
    return true;
}

static uint64_t lowest_of(const type_row_t *row) {
    return row->is_float ? infinity_bits(row, true) : oracle_bits_of_key(row, 0);
}

static uint64_t highest_of(const type_row_t *row) {
    uint64_t sign = UINT64_C(1) << (8 * row->bytes - 1);
    return row->is_float ? infinity_bits(row, false) : oracle_bits_of_key(row, sign | (sign - 1));
}

static bool finish_min(fold_t *f, oracle_interval_t *out) {
    if (f->nan) return exactly(out, nan_bits(f->row));
    return exactly(out, f->count ? oracle_bits_of_key(f->row, f->best) : highest_of(f->row));
}

static bool finish_max(fold_t *f, oracle_interval_t *out) {
    if (f->nan) return exactly(out, nan_bits(f->row));
    return exactly(out, f->count ? oracle_bits_of_key(f->row, f->best) : lowest_of(f->row));
}

/* True when NaN or infinities have settled the output. */
static bool settled(const fold_t *f, oracle_interval_t *out) {
    if (f->nan || (f->infinity[0] && f->infinity[1])) return exactly(out, nan_bits(f->row));
    if (f->infinity[0] || f->infinity[1])
        return exactly(out, infinity_bits(f->row, f->infinity[1]));
    return false;
}

/* positive * plus - negative * minus, over divisor, at 2^exponent, rounded. */
static uint64_t difference(const fold_t *f, uint64_t plus, uint64_t minus, uint64_t divisor,
                           int64_t exponent) {
    big_t a = {0}, b = {0};
    big_copy(&a, &f->sum[0]);
    big_copy(&b, &f->sum[1]);
    big_multiply(&a, plus);
    big_multiply(&b, minus);
    bool negative = big_compare(&a, &b) < 0;
    big_t *large = negative ? &b : &a;
    big_subtract(large, negative ? &a : &b);
    if (divisor > 1) { /* far more digits than any type keeps, and a last one for the rest */
        big_shift_left(large, 192);
        exponent -= 192;
        if (big_divide(large, divisor)) {
            if (!big_bit(large, 0)) big_add_at(large, 1, 0);
        }
    }
    uint64_t bits = big_round(large, negative, exponent, &f->row->format);
    big_release(&a);
    big_release(&b);
    return bits;
}

/* exact -+ 128 u sum|x|, all over divisor: 128 u = 2^-k, so scale by 2^k and stay whole. */
static bool finish_sum_over(const fold_t *f, uint64_t divisor, oracle_interval_t *out) {
    unsigned k = f->accuracy ? 0 : (unsigned)f->row->unit_bits - 7;
    uint64_t scale = UINT64_C(1) << k, bound = f->accuracy ? 0 : 1;
    int64_t exponent = LOWEST - (int64_t)k;
    out->low = difference(f, scale - bound, scale + bound, divisor, exponent);
    out->high = difference(f, scale + bound, scale - bound, divisor, exponent);
    /* A sum cannot underflow, so its zero is exact; a mean's may be a rounded one. */
    out->no_minus_zero = divisor == 1 || big_compare(&f->sum[0], &f->sum[1]) == 0;
    return true;
}

static bool finish_float_sum(fold_t *f, oracle_interval_t *out) {
    return settled(f, out) || finish_sum_over(f, 1, out);
}

static bool finish_float_mean(fold_t *f, oracle_interval_t *out) {
    if (!f->count) return exactly(out, nan_bits(f->row));
    return settled(f, out) || (finish_sum_over(f, f->count, out));
}

static bool finish_float_l1(fold_t *f, oracle_interval_t *out) {
    f->infinity[0] |= f->infinity[1];
    f->infinity[1] = false;
    return finish_float_sum(f, out);
}

/* sqrt(S) (1 +- 2^-k) = sqrt(S (2^k +- 1)^2) 2^-k. */
static uint64_t scaled_root(const fold_t *f, uint64_t factor, unsigned k) {
    big_t a = {0};
    int64_t exponent = 2 * LOWEST;
    big_copy(&a, &f->sum[0]);
    big_multiply(&a, factor);
    big_multiply(&a, factor);
    big_root(&a, &exponent);
    uint64_t bits = big_round(&a, false, exponent - (int64_t)k, &f->row->format);
    big_release(&a);
    return bits;
}

static bool finish_float_l2(fold_t *f, oracle_interval_t *out) {
    f->infinity[0] |= f->infinity[1];
    f->infinity[1] = false;
    if (settled(f, out)) return true;
    unsigned k = f->accuracy ? 0 : (unsigned)f->row->unit_bits - 7;
    uint64_t scale = UINT64_C(1) << k, bound = f->accuracy ? 0 : 1;
    *out = (oracle_interval_t){scaled_root(f, scale - bound, k), scaled_root(f, scale + bound, k),
                               true};
    return true;
}

static bool finish_float_product(fold_t *f, oracle_interval_t *out) {
    bool infinite = f->infinity[0] || f->infinity[1];
    if (f->nan || (infinite && f->zero)) return exactly(out, nan_bits(f->row));
    if (infinite) return exactly(out, infinity_bits(f->row, f->negative));
    if (f->zero)
        big_clear(&f->product);
    else if (!f->count)
        big_add_at(&f->product, 1, 0);
    unsigned k = (unsigned)f->row->unit_bits - 1; /* 2 n u = n 2^-k */
    uint64_t ends[2];
    for (int i = 0; i < 2; i++) {
        big_t a = {0};
        big_copy(&a, &f->product);
        big_multiply(&a, (UINT64_C(1) << k) + (i ? f->count : 0 - f->count));
        ends[i] = big_round(&a, f->negative, f->exponent - (int64_t)k, &f->row->format);
        big_release(&a);
    }
    *out = (oracle_interval_t){ends[f->negative], ends[!f->negative], false};
    return true;
}

static uint64_t cut(const fold_t *f, uint64_t value) {
    return f->row->bytes == 8 ? value : value & ((UINT64_C(1) << 8 * f->row->bytes) - 1);
}

static bool finish_modulo(fold_t *f, oracle_interval_t *out) {
    return exactly(out, cut(f, f->modulo));
}

static bool finish_integer_product(fold_t *f, oracle_interval_t *out) {
    return exactly(out, f->count ? cut(f, f->modulo) : 1);
}

static bool finish_integer_mean(fold_t *f, oracle_interval_t *out) {
    return f->count && exactly(out, cut(f, (uint64_t)(f->wide / (oracle_i128)f->count)));
}

static bool finish_integer_l2(fold_t *f, oracle_interval_t *out) {
    uint64_t root = 0;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t trial = root | UINT64_C(1) << bit;
        if ((oracle_u128)trial * trial <= f->squares) root = trial;
    }
    uint64_t highest = highest_of(f->row);
    return exactly(out, root > highest ? highest : root);
}

static bool finish_and(fold_t *f, oracle_interval_t *out) {
    return exactly(out, f->modulo == f->count);
}

static bool finish_or(fold_t *f, oracle_interval_t *out) { return exactly(out, f->modulo != 0); }

/* ---- the table and the walk ---- */

static const struct op_row {
    const char *type;
    rules_t of_floats, of_integers, of_booleans;
} ops[] = {
    {"ReduceMin", {fold_min, finish_min}, {fold_min, finish_min}, {NULL, NULL}},
    {"ReduceMax", {fold_max, finish_max}, {fold_max, finish_max}, {NULL, NULL}},
    {"ReduceSum", {fold_float_sum, finish_float_sum}, {fold_integer_sum, finish_modulo}, {0, 0}},
    {"ReduceMean",
     {fold_float_sum, finish_float_mean},
     {fold_integer_sum, finish_integer_mean},
     {NULL, NULL}},
    {"ReduceProd",
     {fold_float_product, finish_float_product},
     {fold_integer_product, finish_integer_product},
     {NULL, NULL}},
    {"ReduceL1", {fold_float_l1, finish_float_l1}, {fold_integer_l1, finish_modulo}, {0, 0}},
    {"ReduceL2", {fold_float_l2, finish_float_l2}, {fold_integer_l2, finish_integer_l2}, {0, 0}},
    {"ReduceLogicalAnd", {NULL, NULL}, {NULL, NULL}, {fold_boolean, finish_and}},
    {"ReduceLogicalOr", {NULL, NULL}, {NULL, NULL}, {fold_boolean, finish_or}},
};

const rules_t *oracle_find_rules(const char *op, const type_row_t *row) {
    for (size_t i = 0; i < sizeof ops / sizeof *ops && row->bytes; i++)
        if (strcmp(ops[i].type, op) == 0) {
            const rules_t *rules = row->is_float     ? &ops[i].of_floats
                                   : row->is_boolean ? &ops[i].of_booleans
                                                     : &ops[i].of_integers;
            return rules->fold ? rules : NULL;
        }
    return NULL;
}
