"""Makes examples smaller for as long as the peer is still wrong: fewer elements, lower rank, simpler
numbers. All examples shrink side by side: each round is a few models of many candidates.

SPDX-License-Identifier: Apache-2.0"""
import time

import numpy as np

from exact import FLOATS, LOGICAL, sets_of
from ir_model import layer_of
from judge import is_silent, wrong_outputs

SIMPLE = (0, 1, 2, 3, -1, -2)
LAYERS = 300  # of a model
WINDOW = 8  # candidates of one example in one round


def like(layer, data, axes):
    return layer_of(layer["op"], layer["kind"], np.ascontiguousarray(data).reshape(np.shape(data)),
                    axes, name=layer["name"], parameter=layer["parameter"],
                    dynamic=layer["dynamic"])



def size_of(layer):
    """Less is simpler: rank, then elements, then digits, then how many differ."""
    data = layer["data"]
    digits = sum(len(text_of_number(v)) for v in data.reshape(-1)[:64])
    return data.ndim, data.size, digits, len(layer["axes"]), layer["keep"], layer["dynamic"]


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


def plainer(layer):
    """All numbers at once: whole ones, or within 9."""
    data = layer["data"]
    if layer["op"] in LOGICAL:
        return None
    if layer["kind"] in FLOATS:
        with np.errstate(all="ignore"):
            return np.rint(data.astype(np.float64)).astype(data.dtype)
    return np.clip(data, max(np.iinfo(data.dtype).min, -9), 9)


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
    elif data.size > 2:
        out += [like(layer, data[start:start + n], axes) for n in (1, 2, 4)
                for start in (0, data.size // 2, data.size - n) if n < data.size]
        order = np.argsort(data)
        out += [like(layer, data[order[[0]]], axes), like(layer, data[order[[-1]]], axes)]
    for d, n in enumerate(data.shape):
        if n == 1 and data.ndim > 1:
            out.append(like(layer, data.squeeze(d), [a - (a > d) for a in axes if a != d]))
        for part in (2, 4, 8, max(n, 1)):
            step = max(1, n // part)
            if n > 1 and (part != n or n <= 16):
                out += [like(layer, np.delete(data, slice(i, i + step), axis=d), axes)
                        for i in range(0, n, step)]
    if data.size and (plain := plainer(layer)) is not None:
        out.append(like(layer, plain, axes))
    if data.size <= 6:
        for i in range(data.size):
            for value in simpler_numbers(data.reshape(-1)[i], layer):
                changed = data.copy()
                changed.reshape(-1)[i] = value
                out.append(like(layer, changed, axes))
    out.append({**like(layer, data, axes), "dynamic": False})
    empty = data.size == 0 or not axes
    return [c for c in out if size_of(c) < size_of(layer)
            and (empty or c["data"].size and c["axes"])]


def ask(peer, layers):
    outputs = []
    for start in range(0, len(layers), LAYERS):
        outputs += peer.run(layers[start:start + LAYERS])
    return outputs


def judged(layer, output):
    layer.update(output=output, wrong=wrong_outputs(layer, output, kindly=True))
    return layer


def sort_of(layer):
    """What must stay the same: a refusal, a place where the specification is silent."""
    return isinstance(layer["output"], str), is_silent(layer, layer["wrong"][0][0])


def step(layer, tries, outputs):
    """The first smaller one that is wrong in the same way; else the layer, further in its list."""
    for candidate, output in zip(tries, outputs):
        if judged(candidate, output)["wrong"] and sort_of(candidate) == sort_of(layer):
            return {**candidate, "next": 0}
    return {**layer, "next": layer["next"] + len(tries)}


def shrink(peer, examples, seconds):
    """Each still wrong, none larger than its example. One refusal of an operation is enough."""
    end, done = time.monotonic() + seconds, []
    active = {}
    for layer, output in zip(examples, ask(peer, examples)):
        judged(layer, output)
        refusal = isinstance(output, str)
        key = (layer["op"], layer["name"], None if refusal else layer["kind"])
        # what one process gives and the next does not is no fact
        if layer["wrong"] and (key not in active or size_of(layer) < size_of(active[key])):
            active[key] = {**layer, "next": 0}
    active = list(active.values())
    while active and time.monotonic() < end:
        lists = [candidates(layer)[layer["next"]:][:WINDOW] for layer in active]
        done += [layer for layer, tries in zip(active, lists) if not tries]
        active = [layer for layer, tries in zip(active, lists) if tries]
        lists = [tries for tries in lists if tries]
        outputs = iter(ask(peer, [c for tries in lists for c in tries]))
        active = [step(layer, tries, [next(outputs) for _ in tries])
                  for layer, tries in zip(active, lists)]
    return done + list(active)
