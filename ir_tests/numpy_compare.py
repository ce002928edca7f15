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
DTYPES = {**{k: v[0] for k, v in FLOATS.items()}, **INTEGERS}
PRECISIONS = {"f64": "FP64", "f32": "FP32", "f16": "FP16", "bf16": "BF16",
              **{k: k.upper() for k in INTEGERS}}
OPS = {"ReduceMin": "opset1", "ReduceSum": "opset1", "ReduceL2": "opset4"}


# ---- exact arithmetic: a float is a whole number of units 2^LOWEST ------------------------------

LOWEST = -1074
NAN, INFINITY = object(), object()


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
    sign, field = int(negative) << width + fraction, unit + fraction + bias
    if not kept >> fraction:
        return sign | kept
    if field >= (1 << width) - 1:
        return sign | (1 << width) - 1 << fraction
    return sign | field << fraction | kept & (1 << fraction) - 1


def special(kind, negative=False, nan=False):
    _, width, fraction, _ = FLOATS[kind]
    return (int(negative) << width + fraction | (1 << width) - 1 << fraction
            | int(nan) << fraction - 1)


def signed_round(kind, value, exponent):
    return put_together(kind, value < 0, abs(value), exponent)


def float_answer(op, kind, elements):
    """Bits of the least and the greatest right answer."""
    parts = [take_apart(kind, b) for b in elements]
    if any(m is NAN for _, m in parts):
        return (special(kind, nan=True),) * 2
    infinities = {n for n, m in parts if m is INFINITY}
    if op == "ReduceMin":
        ends = [(n, m) for n, m in parts if m is not INFINITY]
        if True in infinities or not ends:
            return (special(kind, True in infinities),) * 2
        negative, magnitude = min(ends, key=lambda p: (-p[1], 0) if p[0] else (p[1], 1))
        return (put_together(kind, negative, magnitude, LOWEST),) * 2
    if infinities:
        signed, clash = op == "ReduceSum", op == "ReduceSum" and len(infinities) == 2
        return (special(kind, signed and True in infinities and not clash, clash),) * 2
    k = FLOATS[kind][3] - 7  # 128 u = 2^-k
    if op == "ReduceSum":
        exact = sum(-m if n else m for n, m in parts) << k
        bound = sum(m for _, m in parts)
        return (signed_round(kind, exact - bound, LOWEST - k),
                signed_round(kind, exact + bound, LOWEST - k))
    squares = sum(m * m for _, m in parts)
    ends = []
    for factor in ((1 << k) - 1, (1 << k) + 1):
        scaled = squares * factor * factor << 200
        root = math.isqrt(scaled)
        ends.append(put_together(kind, False, root, LOWEST - k - 100, root * root != scaled))
    return tuple(ends)


def integer_answer(op, dtype, elements):
    info = np.iinfo(dtype)
    values = [int(v) for v in elements]
    if op == "ReduceMin":
        return min(values, default=int(info.max))
    if op == "ReduceL2":
        return min(math.isqrt(sum(v * v for v in values)), int(info.max))
    total = sum(values) % (1 << info.bits)
    return total - (1 << info.bits) if total > info.max else total


def key(kind, bits):
    sign, bits = 1 << FLOATS[kind][1] + FLOATS[kind][2], int(bits)
    return -(bits - sign) - 1 if bits & sign else bits


def problems_of(layer, output):
    """Compares one output tensor with exact arithmetic; yields sentences."""
    op, kind, data, axes = layer["op"], layer["kind"], layer["data"], layer["axes"]
    if output.shape != layer["out_shape"]:
        yield f"shape {output.shape}, not {layer['out_shape']}"
        return
    raw = bits_of(data) if kind in FLOATS else data
    found = (bits_of(output) if kind in FLOATS else output).reshape(-1)
    if not axes and not np.array_equal(bits_of(output).reshape(-1), bits_of(data).reshape(-1)):
        yield "an identity changes bits"
    if not axes:
        return
    kept = [d for d in range(data.ndim) if d not in axes]
    count = math.prod(data.shape[d] for d in kept)
    sets = raw.transpose(kept + sorted(axes)).reshape(count, math.prod(data.shape[d] for d in axes))
    for i in range(count):
        if kind in INTEGERS:
            right = integer_answer(op, data.dtype, sets[i])
            if int(found[i]) != right:
                yield f"output {i} is {found[i]}, not {right}"
            continue
        low, high = float_answer(op, kind, sets[i])
        zero_wrong = op == "ReduceSum" and int(found[i]) == 1 << 8 * data.dtype.itemsize - 1
        if zero_wrong or not (int(found[i]) == low if low == high
                              else key(kind, low) <= key(kind, found[i]) <= key(kind, high)):
            yield f"output {i} is {int(found[i]):#x}, right is {low:#x} to {high:#x}"
    yield from numpy_problems(layer, output)


def numpy_problems(layer, output):
    """NumPy's own answer, where it gives one that can be compared."""
    op, kind, data, axes = layer["op"], layer["kind"], layer["data"], tuple(layer["axes"])
    if data.size == 0:
        return
    with np.errstate(all="ignore"):
        if kind in INTEGERS and op != "ReduceL2":
            theirs = (data.min(axis=axes) if op == "ReduceMin"
                      else data.sum(axis=axes, dtype=data.dtype))
            if not np.array_equal(np.reshape(theirs, -1), output.reshape(-1)):
                yield "NumPy disagrees"
        elif kind in FLOATS and op == "ReduceMin":
            theirs = np.min(data.astype(np.float64), axis=axes).reshape(-1)
            if not np.array_equal(theirs, output.astype(np.float64).reshape(-1), equal_nan=True):
                yield "NumPy disagrees"
        elif kind in ("f32", "f64") and op == "ReduceL2":
            wide = data.astype(np.longdouble)
            theirs = np.sqrt(np.sum(wide * wide, axis=axes)).astype(data.dtype).reshape(-1)
            if not np.allclose(theirs, output.reshape(-1), rtol=1e-5, equal_nan=True):
                yield "NumPy disagrees"


# ---- random layers -------------------------------------------------------------------------------

def random_shape(rng, most):
    rank, sizes = int(rng.integers(0, 9)), (1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 33, 63, 65, 129, 257)
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
    data = (rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True) if name == "full"
            else rng.integers(0 if info.min == 0 else -4, 5, shape) if name == "small"
            else rng.choice(np.array([info.min, info.max, 0, 1], dtype=dtype), shape))
    return np.asarray(data).astype(dtype), name


def random_layer(rng, most):
    kind = str(rng.choice(list(DTYPES)))
    shape = random_shape(rng, most)
    make = random_floats if kind in FLOATS else random_integers
    data, name = make(rng, kind, shape)
    count = 0 if rng.random() < 0.05 else int(rng.integers(0, len(shape) + 1))
    axes = [int(a) for a in rng.permutation(len(shape))[:count]]
    keep = bool(rng.integers(2))
    out = tuple(1 if d in axes else n for d, n in enumerate(shape) if keep or d not in axes)
    axes_kind = str(rng.choice(list(INTEGERS)))
    negative = axes_kind[0] == "i"
    written = [a - len(shape) if negative and rng.random() < 0.5 else a for a in axes]
    return {"op": str(rng.choice(list(OPS))), "kind": kind, "data": data, "name": name,
            "axes": axes, "written": written, "axes_kind": axes_kind, "keep": keep,
            "out_shape": out, "scalar_axes": len(axes) == 1 and rng.random() < 0.3,
            "parameter": rng.random() < 0.3}


def text_of(layer):
    return (f"{layer['op']} {layer['kind']} {list(layer['data'].shape)} axes {layer['written']} "
            f"keep_dims {layer['keep']}, {layer['name']}")


# ---- the model -----------------------------------------------------------------------------------

def dims_of(shape):
    return "".join(f"<dim>{n}</dim>" for n in shape)


def port(number, kind, shape, more=""):
    return f'<port id="{number}" precision="{PRECISIONS[kind]}"{more}>{dims_of(shape)}</port>'


class Model:
    def __init__(self, version):
        self.version, self.layers, self.edges, self.weights, self.count = version, [], [], b"", 0

    def add(self, name, kind, opset, data, ports):
        self.layers.append(f'<layer id="{self.count}" name="{name}" type="{kind}" '
                           f'version="{opset}">{data}{ports}</layer>')
        self.count += 1
        return self.count - 1

    def edge(self, source, source_port, target, target_port):
        self.edges.append(f'<edge from-layer="{source}" from-port="{source_port}" '
                          f'to-layer="{target}" to-port="{target_port}"/>')

    def constant(self, name, kind, array):
        shape = array.shape
        self.weights += b"\0" * (self.count % 4)  # constants lie at any offset
        data = (f'<data element_type="{kind}" shape="{", ".join(map(str, shape))}" '
                f'offset="{len(self.weights)}" size="{array.nbytes}"/>')
        self.weights += array.tobytes()
        return self.add(name, "Const", "opset1", data, f"<output>{port(0, kind, shape)}</output>")

    def parameter(self, name, kind, shape):
        data = f'<data shape="{",".join(map(str, shape))}" element_type="{kind}"/>'
        return self.add(name, "Parameter", "opset1", data,
                        f"<output>{port(0, kind, shape)}</output>")

    def reduction(self, number, layer):
        kind, shape = layer["kind"], layer["data"].shape
        axes = np.array(layer["written"], dtype=INTEGERS[layer["axes_kind"]])
        axes = axes.reshape(()) if layer["scalar_axes"] else axes
        make = (self.parameter(f"x{number}", kind, shape) if layer["parameter"]
                else self.constant(f"c{number}", kind, layer["data"]))
        axes_id = self.constant(f"axes{number}", layer["axes_kind"], axes)
        named = port(2, kind, layer["out_shape"], f' names="y{number}"')
        ports = (f"<input>{port(0, kind, shape)}{port(1, layer['axes_kind'], axes.shape)}</input>"
                 f"<output>{named}</output>")
        keep = "true" if layer["keep"] else "false"
        here = self.add(f"r{number}", layer["op"], OPS[layer["op"]], f'<data keep_dims="{keep}"/>',
                        ports)
        result = self.add(f"result{number}", "Result", "opset1", "",
                          f"<input>{port(0, kind, layer['out_shape'])}</input>")
        self.edge(make, 0, here, 0)
        self.edge(axes_id, 0, here, 1)
        self.edge(here, 2, result, 0)

    def write(self, path):
        path.write_text("\n".join(
            ['<?xml version="1.0"?>', f'<net name="compare" version="{self.version}">', "<layers>",
             *self.layers, "</layers>", "<edges>", *self.edges, "</edges>", "</net>", ""]))
        path.with_suffix(".bin").write_bytes(self.weights)


def read_output(folder, number, layer):
    array = np.load(folder / f"y{number}.npy")
    if layer["kind"] == "bf16":
        assert array.dtype == np.dtype("V2"), array.dtype
        array = array.view(ml_dtypes.bfloat16)
    assert array.dtype == DTYPES[layer["kind"]], (array.dtype, layer["kind"])
    return array


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
    layers = [random_layer(rng, arguments.elements) for _ in range(arguments.layers)]
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
        print(f"seed {seed}: exit {done.returncode}: {done.stderr.strip()}{done.stdout.strip()}")
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
    parser.add_argument("--keep", help="a folder to leave the models in")
    arguments = parser.parse_args()
    wrong = 0
    for seed in range(arguments.seed, arguments.seed + arguments.batches):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(arguments.keep or temporary) / str(seed)
            folder.mkdir(parents=True, exist_ok=True)
            wrong += run_batch(arguments, seed, folder)
    print(f"{arguments.batches * arguments.layers} layers from seed {arguments.seed}, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
