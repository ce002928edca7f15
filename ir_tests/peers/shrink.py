"""Makes examples smaller for as long as the peer is still wrong: fewer elements, lower rank, simpler
numbers. All examples shrink side by side: each round is a few models of many candidates.

SPDX-License-Identifier: Apache-2.0"""
import time

import numpy as np

from exact import FLOATS, LOGICAL, sets_of
from ir_model import layer_of
from judge import wrong_outputs

SIMPLE = (0, 1, 2, 3, -1, -2)
LAYERS = 300  # of a model


def like(layer, data, axes):
    return layer_of(layer["op"], layer["kind"], np.ascontiguousarray(data).reshape(np.shape(data)),
                    axes, name=layer["name"], parameter=layer["parameter"])



def size_of(layer):
    """Less is simpler: rank, then elements, then digits, then how many differ."""
    data = layer["data"]
    digits = sum(len(text_of_number(v)) for v in data.reshape(-1)[:64])
    return data.ndim, data.size, digits, len(layer["axes"]), layer["keep"]


def text_of_number(value):
    return str(int(value)) if value.dtype.kind in "iub" else repr(float(value)).replace(".0", "")


def simpler_numbers(value, layer):
    """Candidates for one element."""
    dtype = value.dtype
    if layer["op"] in LOGICAL:
        return [np.array(False), np.array(True)]
    if layer["kind"] not in FLOATS:
        value, info = int(value), np.iinfo(dtype)
        magnitude = abs(value)
        powers = [1 << magnitude.bit_length() + d for d in (-1, 0)] if magnitude else []
        tries = [*SIMPLE, info.max, info.min, magnitude, value // 2, value - 1,
                 *(s * p + d for p in powers for s in (1, -1) for d in (0, 1, -1))]
        return [np.array(t, dtype) for t in tries if info.min <= t <= info.max]
    with np.errstate(all="ignore"):
        wide = np.float64(value)
        mantissa, exponent = np.frexp(wide)
        tries = [*map(float, SIMPLE), abs(wide), np.rint(wide), np.ldexp(np.sign(wide), exponent),
                 *(float(f"{wide:.{d}g}") for d in (1, 2, 3, 6)),
                 *(np.ldexp(np.rint(np.ldexp(mantissa, b)), exponent - b) for b in (2, 4, 8))]
        return [np.array(t).astype(dtype) for t in tries]


def candidates(layer):
    data, axes = layer["data"], layer["axes"]
    out = []
    if data.ndim > 1:
        out.append(like(layer, data.reshape(-1), [0] if axes else []))
        if 0 < len(axes) < data.ndim:  # one reduced set alone
            flat = sets_of(data, axes)
            for i in [i for i, _ in layer["wrong"] if i is not None][:2] or [0]:
                if i < len(flat):
                    out.append(like(layer, flat[i], [0]))
            out.append(like(layer, flat, [1]))
    for d, n in enumerate(data.shape):
        if n == 1 and data.ndim > 1:
            out.append(like(layer, data.squeeze(d), [a - (a > d) for a in axes if a != d]))
        for part in (2, 4, 8, max(n, 1)):
            step = max(1, n // part)
            if n > 1 and (part != n or n <= 16):
                out += [like(layer, np.delete(data, slice(i, i + step), axis=d), axes)
                        for i in range(0, n, step)]
    if data.size <= 12:
        for i in range(data.size):
            for value in simpler_numbers(data.reshape(-1)[i], layer):
                changed = data.copy()
                changed.reshape(-1)[i] = value
                out.append(like(layer, changed, axes))
    if layer["keep"]:
        out.append(like(layer, data, axes))
    empty = data.size == 0 or not axes
    return [c for c in out if size_of(c) < size_of(layer)
            and (empty or c["data"].size and c["axes"])]


def ask(peer, layers):
    outputs = []
    for start in range(0, len(layers), LAYERS):
        outputs += peer.run(layers[start:start + LAYERS])
    return outputs


def shrink(peer, examples, seconds):
    """[(layer, the peer's output)]: each still wrong, none larger than its example."""
    end, done, active = time.monotonic() + seconds, [], list(examples)
    for layer, output in zip(active, ask(peer, active)):
        layer["output"], layer["wrong"] = output, wrong_outputs(layer, output, kindly=True)
    # what one process gives and the next does not is no fact
    active = [layer for layer in active if layer["wrong"]]
    while active and time.monotonic() < end:
        tries = [candidates(layer) for layer in active]
        outputs = iter(ask(peer, [c for some in tries for c in some]))
        smaller = []
        for layer, some in zip(active, tries):
            best = layer
            for candidate in some:
                output = next(outputs)
                same = isinstance(output, str) == isinstance(layer["output"], str)
                if same and size_of(candidate) < size_of(best):
                    wrong = wrong_outputs(candidate, output, kindly=True)
                    if wrong:
                        candidate["output"], candidate["wrong"], best = output, wrong, candidate
            (done if best is layer else smaller).append(best)
        active = smaller
    return done + active
