#!/usr/bin/env python3
"""Random IR models through `irreduce run`, against exact arithmetic in Python and against NumPy.

Each batch is one model of many layers, so that few processes are started: Parameters fed from .npy
files, Consts out of the .bin, axes of every integer type. Prints its seed.
Needs numpy and ml_dtypes alone. SPDX-License-Identifier: Apache-2.0"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from exact import DTYPES, FLOATS, INTEGERS, LOGICAL, bits_of, special, tensor_problems
from ir_model import Model, layer_of, read_output, supported


def problems_of(layer, output):
    """Compares one output tensor with exact arithmetic; yields sentences."""
    op, kind, data, axes = layer["op"], layer["kind"], layer["data"], layer["axes"]
    expected_shape = layer["out_shape"]
    if output.shape != expected_shape:
        yield f"shape {output.shape}, not {expected_shape}"
        return
    for i, sentence in tensor_problems(op, kind, data, axes, output):
        yield f"output {i}: {sentence}"
    yield from numpy_problems(layer, output)


def numpy_problems(layer, output):
    """NumPy's own answer, where it gives one that can be compared."""
    op, kind, data, axes = layer["op"], layer["kind"], layer["data"], tuple(layer["axes"])
    if data.size == 0 or not axes:
        return
    same = {"ReduceMin": np.min, "ReduceMax": np.max, "ReduceLogicalAnd": np.all,
            "ReduceLogicalOr": np.any, "ReduceSum": np.sum, "ReduceProd": np.prod}
    with np.errstate(all="ignore"):
        if kind not in FLOATS and op in same:
            wide = {"dtype": data.dtype} if op in ("ReduceSum", "ReduceProd") else {}
            if not np.array_equal(np.reshape(same[op](data, axis=axes, **wide), -1),
                                  output.reshape(-1)):
                yield "NumPy disagrees"
        elif kind in FLOATS and op in ("ReduceMin", "ReduceMax"):
            theirs = same[op](data.astype(np.float64), axis=axes).reshape(-1)
            if not np.array_equal(theirs, output.astype(np.float64).reshape(-1), equal_nan=True):
                yield "NumPy disagrees"
        elif kind in ("f32", "f64") and op == "ReduceL2":
            wide = data.astype(np.longdouble)
            theirs = np.sqrt(np.sum(wide * wide, axis=axes)).astype(data.dtype).reshape(-1)
            if not np.allclose(theirs, output.reshape(-1), rtol=1e-5, equal_nan=True):
                yield "NumPy disagrees"


# ---- random layers -------------------------------------------------------------------------------

def random_shape(rng, most):
    rank = int(rng.integers(0, 9))
    sizes = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 257)
    shape = [int(rng.choice(sizes)) for _ in range(rank)]
    if rank and rng.random() < 0.03:
        shape[int(rng.integers(rank))] = 0
    while math.prod(max(s, 1) for s in shape) > most:
        shape[int(np.argmax(shape))] //= 2
    return tuple(shape)


def random_floats(rng, kind, shape):
    dtype, width, fraction, _ = FLOATS[kind]
    bias, word = (1 << width - 1) - 1, f"<u{dtype.itemsize}"
    spans = {"normal": (bias - 4, bias + 5), "wide": (0, 2 * bias + 1), "denormal": (0, 2),
             "huge": (2 * bias - 1, 2 * bias + 1), "tiny": (0, bias // 2 + 2),
             "any": (0, 2 * bias + 2)}
    name = str(rng.choice(list(spans) + ["normal"] * 4 + ["few", "zeros"]))
    if name == "few":
        values = rng.choice(np.array([0.0, -0.0, 1, -1, 3, 0.5, np.inf, -np.inf, np.nan, 65504]),
                            shape)
        with np.errstate(all="ignore"):
            return np.asarray(values).astype(dtype), name
    sign = rng.integers(0, 2, shape, dtype=np.uint64) << np.uint64(width + fraction)
    if name == "zeros":
        return np.asarray(sign).astype(word).view(dtype), name
    field = rng.integers(*spans[name], shape, dtype=np.uint64) << np.uint64(fraction)
    mantissa = rng.integers(0, 1 << fraction, shape, dtype=np.uint64)
    bits = np.asarray(sign | field | mantissa).astype(word)
    if name == "normal" and bits.size and rng.random() < 0.15:
        some = rng.choice(np.array([special(kind), special(kind, True), special(kind, nan=True),
                                    special(kind, True) | 1, 0, 1], dtype=word))
        bits.reshape(-1)[int(rng.integers(bits.size))] = some
        name = "normal and one special"
    return bits.view(dtype), name


def random_integers(rng, kind, shape):
    dtype = INTEGERS[kind]
    info = np.iinfo(dtype)
    name = str(rng.choice(["full", "small", "extremes"]))
    if name == "full":
        data = rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    elif name == "small":
        data = rng.integers(0 if info.min == 0 else -4, 5, shape).astype(dtype)
    else:
        data = rng.choice(np.array([info.min, info.max, 0, 1], dtype=dtype), shape)
    return np.asarray(data, dtype=dtype), name


def random_truth(rng, kind, shape):
    share = rng.choice([0, 0.02, 0.5, 0.98, 1])
    return np.asarray(rng.random(shape) < share, dtype=DTYPES[kind]), f"{share} true"


def random_layer(rng, most, taken):
    op = str(rng.choice(list(taken)))
    kind = str(rng.choice(taken[op]))
    shape = random_shape(rng, most)
    make = (random_floats if kind in FLOATS else random_truth if op in LOGICAL
            else random_integers)
    data, name = make(rng, kind, shape)
    count = 0 if rng.random() < 0.05 else int(rng.integers(0, len(shape) + 1))
    axes = [int(a) for a in rng.permutation(len(shape))[:count]]
    keep = bool(rng.integers(2))
    axes_kind = str(rng.choice(list(INTEGERS)))
    negative = axes_kind[0] == "i"
    if op == "ReduceMean" and kind in INTEGERS and 0 in [data.shape[a] for a in axes]:
        op = "ReduceSum"  # the integer mean of nothing is an error
    return layer_of(op, kind, data, axes, keep, name=name, axes_kind=axes_kind,
                    written=[a - len(shape) if negative and rng.random() < 0.5 else a
                             for a in axes],
                    scalar_axes=len(axes) == 1 and rng.random() < 0.3,
                    parameter=rng.random() < 0.3)


def text_of(layer):
    return (f"{layer['op']} {layer['kind']} {list(layer['data'].shape)} axes {layer['written']} "
            f"keep_dims {layer['keep']}, {layer['name']}")


def from_json(entry, layer):
    """JSON cannot tell NaN payloads; every one we compute is the canonical one."""
    kind, words = layer["kind"], {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    assert entry["type"] == kind and entry["shape"] == list(layer["out_shape"]), entry
    values = [words[v] if isinstance(v, str) else v for v in entry["data"]]
    if kind in FLOATS:
        array = np.array(values, dtype=np.float64).astype(DTYPES[kind])
        raw = bits_of(array).reshape(-1)
        raw[np.isnan(array.astype(np.float64)).reshape(-1)] = special(kind, nan=True)
    else:
        array = np.array(values, dtype=DTYPES[kind])
    return array.reshape(layer["out_shape"])


def run_batch(arguments, seed, folder):
    rng = np.random.default_rng(seed)
    layers = [random_layer(rng, arguments.elements, arguments.taken) for _ in range(arguments.layers)]
    model = Model(10 + seed % 2)
    command = [arguments.command, "run", str(folder / "model.xml")]
    for i, layer in enumerate(layers):
        model.reduction(i, layer)
        if layer["parameter"]:
            array = np.asarray(layer["data"], order="F" if rng.random() < 0.3 else "C")
            if layer["kind"] not in ("bf16",) and rng.random() < 0.2:
                array = array.astype(array.dtype.newbyteorder(">"))
            np.save(folder / f"x{i}.npy", array)
            command += ["--input", f"x{i}={folder / f'x{i}.npy'}"]
    model.write(folder / "model.xml")
    environment = dict(os.environ)
    backend = ("auto", "simd", "reference")[seed % 3]
    environment["IRREDUCE_BACKEND"] = backend
    environment["IRREDUCE_ISA"] = ("auto", "scalar", "avx2", "avx512")[seed // 3 % 4]
    as_json = seed % 4 == 0
    command += ["--json"] if as_json else ["--output-dir", str(folder / "out")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"seed {seed}: exit {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
        return len(layers)
    entries = {o["name"]: o for o in json.loads(done.stdout)["outputs"]} if as_json else {}
    wrong = 0
    for i, layer in enumerate(layers):
        if as_json and not layer["axes"] and layer["kind"] in FLOATS:
            continue  # an identity keeps payloads, JSON does not
        output = (from_json(entries[f"y{i}"], layer) if as_json
                  else read_output(folder / "out", i, layer))
        found = list(problems_of(layer, output))
        for sentence in found[:3]:
            print(f"seed {seed}, layer {i}, {backend}: {text_of(layer)}: {sentence}")
        wrong += bool(found)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="irreduce", help="the command to test")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batches", type=int, default=12)
    parser.add_argument("--layers", type=int, default=150, help="of a batch")
    parser.add_argument("--elements", type=int, default=2000, help="of a tensor, at most")
    parser.add_argument("--keep", help="write the models into this folder and leave them there")
    arguments = parser.parse_args()
    arguments.taken = supported(arguments.command)
    wrong = 0
    for seed in range(arguments.seed, arguments.seed + arguments.batches):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(arguments.keep or temporary) / str(seed)
            folder.mkdir(parents=True, exist_ok=True)
            wrong += run_batch(arguments, seed, folder)
    print(f"{arguments.batches * arguments.layers} layers from seed {arguments.seed}, "
          f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
