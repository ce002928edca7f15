"""Random layers of a named kind of input, so that a table can say where a program is wrong.

SPDX-License-Identifier: Apache-2.0"""
import math

import numpy as np

from exact import DTYPES, FLOATS, INTEGERS, LOGICAL, special
from ir_model import layer_of

SIZES = (1, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 64, 65, 127, 257)


def sorts_of(op, kind):
    if op in LOGICAL:
        sorts = ["truth values"]
    elif kind in FLOATS:
        sorts = ["plain numbers", "cancellation", "wide", "denormal", "huge", "tiny", "zeros",
                 "infinities", "NaN"]
    else:
        sorts = ["small numbers", "result fits", "overflow"]
        if op in ("ReduceMin", "ReduceMax", "ReduceMean"):
            sorts.remove("overflow")
    empty = [] if op == "ReduceMean" and kind in INTEGERS else ["nothing to reduce"]
    return sorts + empty + ["empty axes list", "constant data"]


def random_shape(rng, most):
    shape = [int(n) for n in rng.choice(SIZES, int(rng.integers(1, 7)))]
    while math.prod(shape) > most:
        shape[int(np.argmax(shape))] //= 2
    return shape


def floats(rng, op, kind, sort, shape, count):
    dtype, width, fraction, _ = FLOATS[kind]
    bias, word = (1 << width - 1) - 1, f"<u{dtype.itemsize}"
    span = 3 if op != "ReduceProd" else max(1, min(3, bias // max(count, 1) // 2))
    low, high = {"wide": (0, 2 * bias + 1), "denormal": (0, 2), "huge": (2 * bias - 1, 2 * bias + 1),
                 "tiny": (0, bias // 2 + 2), "zeros": (0, 1)}.get(sort, (bias - span, bias + span))
    sign = rng.integers(0, 2, shape, dtype=np.uint64) << np.uint64(width + fraction)
    field = rng.integers(low, high, shape, dtype=np.uint64) << np.uint64(fraction)
    mantissa = rng.integers(0, 1 if sort == "zeros" else 1 << fraction, shape, dtype=np.uint64)
    bits = np.asarray(sign | field | mantissa).astype(word)
    flat = bits.reshape(-1)
    if sort == "cancellation" and flat.size > 1:
        half = rng.permutation(flat.size)[:flat.size // 2 * 2].reshape(2, -1)
        flat[half[1]] = flat[half[0]] ^ np.array(1 << width + fraction, word)
    elif sort in ("infinities", "NaN") and flat.size:
        some = ([special(kind, nan=True), special(kind, True, True) | 1] if sort == "NaN"
                else [special(kind), special(kind, True)])
        where = rng.integers(flat.size, size=1 + flat.size // 50)
        flat[where] = rng.choice(np.array(some, dtype=word), where.size)
    return bits.view(dtype)


def integers(rng, op, kind, sort, shape, count):
    dtype = INTEGERS[kind]
    info = np.iinfo(dtype)
    low, high, count = int(info.min), int(info.max), max(count, 1)
    if sort == "small numbers":
        low, high = max(low, -4), 4
    if op == "ReduceProd" and sort in ("small numbers", "result fits"):
        high = min(high, max(1, int(float(high) ** (1 / min(count, 4)))))
        data = rng.choice(np.array([1, 1, max(low, -1)], dtype=dtype), shape)
        few = np.zeros(shape, bool)  # at most four of a set are above 1
        few.reshape(-1)[:4] = True
        drawn = rng.integers(1, min(high, 4) if sort == "small numbers" else high, shape,
                             dtype=dtype, endpoint=True)
        return np.where(few, drawn, data).astype(dtype)
    if sort == "overflow" and rng.random() < 0.5:
        return np.asarray(rng.choice(np.array([low, high, high - 1], dtype=dtype), shape))
    if sort == "result fits" and op in ("ReduceSum", "ReduceL1", "ReduceL2"):
        share = count if op != "ReduceL2" else math.isqrt(count) + 1
        low, high = -(-low // share) if low else 0, high // share
        if op != "ReduceSum":
            low = max(low, -high)
    return np.asarray(rng.integers(low, high, shape, dtype=dtype, endpoint=True))


def random_case(rng, op, kind, sort, most):
    """One layer; its `name` is the kind of input."""
    shape = random_shape(rng, most)
    axes = sorted(int(a) for a in rng.permutation(len(shape))[:int(rng.integers(1, len(shape) + 1))])
    make = integers if kind in INTEGERS else floats
    inner = sort
    if sort == "constant data":
        inner = "truth values" if op in LOGICAL else ("plain numbers" if kind in FLOATS
                                                      else "small numbers")
    elif sort == "nothing to reduce":
        shape[axes[0]] = 0
    elif sort == "empty axes list":
        axes = []
    count = math.prod(shape[a] for a in axes)
    if op in LOGICAL:
        data = np.asarray(rng.random(shape) < rng.choice([0, 0.02, 0.5, 0.98, 1]), DTYPES[kind])
    else:
        data = make(rng, op, kind, inner, shape, count)
    negative, parameter = rng.random() < 0.5, sort != "constant data"
    return layer_of(op, kind, data, axes, bool(rng.integers(2)), name=sort,
                    written=[a - len(shape) if negative else a for a in axes],
                    axes_kind=str(rng.choice(["i32", "i64"])), parameter=parameter,
                    dynamic=parameter and rng.random() < 0.25)
