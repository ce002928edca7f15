"""The contract's answers in exact arithmetic: nine operations, twelve types and boolean.

Whole numbers of any size alone: a float is a whole number of units 2^LOWEST. Nothing here knows of
a model, a file or a program. SPDX-License-Identifier: Apache-2.0"""
import math

import ml_dtypes
import numpy as np

# type: (dtype, exponent bits, fraction bits, unit bits of the accumulator)
FLOATS = {
    "f64": (np.dtype("<f8"), 11, 52, 53),
    "f32": (np.dtype("<f4"), 8, 23, 24),
    "f16": (np.dtype("<f2"), 5, 10, 24),
    "bf16": (np.dtype(ml_dtypes.bfloat16), 8, 7, 24),
}
INTEGERS = {k + str(n): np.dtype(f"<{k}{n // 8}") for k in "iu" for n in (8, 16, 32, 64)}
DTYPES = {**{k: v[0] for k, v in FLOATS.items()}, **INTEGERS, "boolean": np.dtype(bool)}
NUMERIC = [k for k in DTYPES if k != "boolean"]
OPS = {"ReduceMin": "opset1", "ReduceMax": "opset1", "ReduceSum": "opset1", "ReduceMean": "opset1",
       "ReduceProd": "opset1", "ReduceL1": "opset4", "ReduceL2": "opset4",
       "ReduceLogicalAnd": "opset1", "ReduceLogicalOr": "opset1"}
LOGICAL = ("ReduceLogicalAnd", "ReduceLogicalOr")

LOWEST = -1074
NAN, INFINITY = object(), object()


def types_of(op):
    return ["boolean"] if op in LOGICAL else NUMERIC


def bits_of(array):
    return np.ascontiguousarray(array).view(f"<u{array.dtype.itemsize}")


def take_apart(kind, bits):
    """(negative, magnitude in units of 2^LOWEST, or INFINITY or NAN)."""
    _, width, fraction, _ = FLOATS[kind]
    bits = int(bits)
    field, mantissa = bits >> fraction & (1 << width) - 1, bits & (1 << fraction) - 1
    negative = bool(bits >> (width + fraction))
    if field == (1 << width) - 1:
        return negative, NAN if mantissa else INFINITY
    if field:
        mantissa |= 1 << fraction
    return negative, mantissa << max(field, 1) - (1 << width - 1) + 1 - fraction - LOWEST


def put_together(kind, negative, magnitude, exponent, more=False):
    """Bits of +-magnitude * 2^exponent, rounded once to nearest even; `more`: and a trifle."""
    _, width, fraction, _ = FLOATS[kind]
    bias = (1 << width - 1) - 1
    magnitude, exponent = magnitude << 2 | more, exponent - 2
    unit = max(exponent + magnitude.bit_length() - 1 - fraction, 1 - bias - fraction)
    if unit < exponent:
        magnitude, exponent = magnitude << exponent - unit, unit
    half = 1 << unit - exponent >> 1
    kept, rest = magnitude >> unit - exponent, magnitude & (1 << unit - exponent) - 1
    if half and (rest > half or rest == half and kept & 1):
        kept += 1
    if kept >> fraction + 1:
        kept, unit = kept >> 1, unit + 1
    sign = int(negative) << width + fraction
    if not kept >> fraction:
        return sign | kept
    field = unit + fraction + bias
    if field >= (1 << width) - 1:
        return sign | (1 << width) - 1 << fraction
    return sign | field << fraction | kept & (1 << fraction) - 1


def special(kind, negative=False, nan=False):
    _, width, fraction, _ = FLOATS[kind]
    return (int(negative) << width + fraction | (1 << width) - 1 << fraction
            | int(nan) << fraction - 1)


def quotient(kind, value, exponent, divisor):
    """Bits of value / divisor * 2^exponent."""
    whole, rest = divmod(abs(value) << 80, divisor)
    return put_together(kind, value < 0, whole, exponent - 80, rest != 0)


# ---- floats: bits of the least and the greatest right answer -------------------------------------

def extreme(op, kind, parts):
    """Min; Max is Min of the negated. -0 is less than +0."""
    flip = op == "ReduceMax"
    values = [((-1 if n else 1) * (math.inf if m is INFINITY else m), not n) for n, m in parts]
    value, positive = ((max if flip else min)(values) if values
                       else (-math.inf if flip else math.inf, not flip))
    if abs(value) == math.inf:
        return (special(kind, value < 0),) * 2
    return (put_together(kind, not positive, abs(value), LOWEST),) * 2


def total(op, kind, parts, bound):
    """Sum, Mean, L1; bound: the interval is 2^-bound of the sum of the magnitudes, None: nothing."""
    if op == "ReduceL1":
        parts = [(False, m) for _, m in parts]
    infinities = {n for n, m in parts if m is INFINITY}
    if infinities or op == "ReduceMean" and not parts:
        clash = len(infinities) != 1
        return (special(kind, True in infinities and not clash, clash),) * 2
    value, slack, shift = sum(-m if n else m for n, m in parts), 0, 0
    if bound is not None:
        slack, shift = sum(m for _, m in parts), bound
    divisor = len(parts) if op == "ReduceMean" else 1
    return tuple(quotient(kind, (value << shift) + end, LOWEST - shift, divisor)
                 for end in (-slack, slack))


def root(kind, parts, bound):
    if any(m is INFINITY for _, m in parts):
        return (special(kind),) * 2
    squares, shift, ends = sum(m * m for _, m in parts), bound or 0, []
    for factor in ((1 << shift) - 1, (1 << shift) + 1) if bound is not None else (1, 1):
        scaled = squares * factor * factor << 200
        whole = math.isqrt(scaled)
        ends.append(put_together(kind, False, whole, LOWEST - shift - 100, whole * whole != scaled))
    return tuple(ends)


def product(kind, parts):
    negative = sum(n for n, _ in parts) % 2 == 1
    if any(m is INFINITY for _, m in parts):
        lost = any(m == 0 for _, m in parts)
        return (special(kind, negative and not lost, lost),) * 2
    value, exponent = 1, 0
    for _, m in parts:
        zeros = max((m & -m).bit_length() - 1, 0)
        value, exponent = value * (m >> zeros), exponent + zeros + LOWEST
    unit = FLOATS[kind][3]
    slack = 2 * len(parts)
    ends = [put_together(kind, negative, value * ((1 << unit) + e), exponent - unit)
            for e in (-slack, slack)]
    return tuple(reversed(ends)) if negative else tuple(ends)


def float_answer(op, kind, elements, accurate=False):
    parts = [take_apart(kind, b) for b in elements]
    bound = None if accurate else FLOATS[kind][3] - 7  # 128 u = 2^-bound
    if any(m is NAN for _, m in parts):
        return (special(kind, nan=True),) * 2
    if op in ("ReduceMin", "ReduceMax"):
        return extreme(op, kind, parts)
    if op == "ReduceProd":
        return product(kind, parts)
    return root(kind, parts, bound) if op == "ReduceL2" else total(op, kind, parts, bound)


def key(kind, bits):
    """Orders bits as their values; -0 stands below +0."""
    sign = 1 << FLOATS[kind][1] + FLOATS[kind][2]
    bits = int(bits)
    return -(bits - sign) - 1 if bits & sign else bits


def float_is_right(op, kind, elements, found, accurate=False):
    """The sentence that says what is wrong, or None."""
    low, high = float_answer(op, kind, elements, accurate)
    found = int(found)
    minus_zero = found == 1 << 8 * FLOATS[kind][0].itemsize - 1
    if op in ("ReduceSum", "ReduceL1", "ReduceL2") and minus_zero:
        return "a zero is -0"
    parts = [take_apart(kind, b) for b in elements] if op == "ReduceMean" and minus_zero else []
    finite = not any(m is NAN or m is INFINITY for _, m in parts)
    if parts and finite and sum(-m if n else m for n, m in parts) == 0:
        return "an exact zero is -0"
    if found == low if low == high else key(kind, low) <= key(kind, found) <= key(kind, high):
        return None
    return f"{found:#x}, right is {low:#x} to {high:#x}"


# ---- integers and truth --------------------------------------------------------------------------

def wrapped(value, info):
    value %= 1 << info.bits
    return value - (1 << info.bits) if value > info.max else value


def integer_value(op, dtype, values):
    """The exact value, which the type may not hold."""
    if op in LOGICAL:
        return int(all(values) if op == "ReduceLogicalAnd" else any(values))
    if op == "ReduceMin":
        return min(values, default=int(np.iinfo(dtype).max))
    if op == "ReduceMax":
        return max(values, default=int(np.iinfo(dtype).min))
    if op == "ReduceL2":
        return math.isqrt(sum(v * v for v in values))
    if op == "ReduceMean":
        value = sum(values)
        return abs(value) // len(values) * (-1 if value < 0 else 1)
    if op == "ReduceProd":
        return math.prod(values)
    return sum(abs(v) for v in values) if op == "ReduceL1" else sum(values)


def integer_answer(op, dtype, elements):
    value = integer_value(op, dtype, [int(v) for v in elements])
    if op in LOGICAL:
        return value
    info = np.iinfo(dtype)
    return min(value, int(info.max)) if op == "ReduceL2" else wrapped(value, info)


# ---- tensors -------------------------------------------------------------------------------------

def sets_of(data, axes):
    """The reduced sets, in the order of the outputs."""
    kept = [d for d in range(data.ndim) if d not in axes]
    count = math.prod(data.shape[d] for d in kept)
    size = math.prod(data.shape[d] for d in axes)
    return data.transpose(kept + sorted(axes)).reshape(count, size)


def element_problem(op, kind, elements, found, accurate=False):
    """Of one output, its set in bits where floats; the sentence, or None."""
    if kind in FLOATS:
        return float_is_right(op, kind, elements, found, accurate)
    right = integer_answer(op, DTYPES[kind], elements)
    return None if int(found) == right else f"{found}, not {right}"


def tensor_problems(op, kind, data, axes, output, accurate=False):
    """(index, sentence) of each output that is not the contract's."""
    raw, found = (bits_of(data), bits_of(output)) if kind in FLOATS else (data, output)
    found = found.reshape(-1)
    if not axes:
        for i in np.flatnonzero(found != raw.reshape(-1)):
            yield int(i), "an identity changes bits"
        return
    for i, elements in enumerate(sets_of(raw, axes)):
        sentence = element_problem(op, kind, elements, found[i], accurate)
        if sentence:
            yield i, sentence
