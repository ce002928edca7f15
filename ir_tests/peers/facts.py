"""docs/peers.md: what OpenVINO's CPU device was seen to do, each fact with a smallest example.

SPDX-License-Identifier: Apache-2.0"""
import math

import numpy as np

from exact import DTYPES, FLOATS, bits_of, float_answer, integer_answer, sets_of
from judge import is_silent
from shrink import size_of

HEAD = """# The peers, measured

Written by `ir_tests/peers/compare.py --docs` (seed {seed}) and by nobody's hand: do not edit.
The same random IR models went through {peer} (CPU device, {device},
EXECUTION_MODE_HINT=ACCURACY) and through `irreduce run`; exact arithmetic judged both. A floating-point answer is wrong where it lies outside
the error bound that irreduce keeps (Sum, L1: 128 u of the sum of magnitudes, Mean: that over n, L2: 128 u
of the result, Prod: 2 n u of it; u = 2^-24, f64: 2^-53), an integer that is not the exact one is wrong, a refusal is wrong. OpenVINO may write any NaN and either zero.

{cases} cases: irreduce wrong in {ours}, OpenVINO in {theirs}.

## By operation and type

Wrong answers of OpenVINO / cases; irreduce has none where nothing else is said.

"""
DECIDED = """
## Where arithmetic or the specification decides

The smallest input that was found for each operation and kind of input; "right" is the exact value,
rounded once.

"""
SILENCE = """
## Where the specification is silent

NaN, integers past their type, and sets without elements: here irreduce follows its own rules
(modulo 2^n; any NaN gives NaN; the neutral element), so these are differences, not errors.

"""


def number(value):
    if value.dtype.kind == "b":
        return "true" if value else "false"
    if value.dtype.kind in "iu":
        return str(int(value))
    text = repr(float(value))
    if value.dtype.itemsize < 8 and math.isfinite(float(value)):
        text = str(np.float32(value)) if value.dtype.itemsize == 4 else f"{float(value):.6g}"
    return text[:-2] if text.endswith(".0") else text


def tensor(array, shape=True):
    flat = array.reshape(-1)
    text = ", ".join(map(number, flat[:6])) + (", ..." if flat.size > 6 else "")
    return f"[{text}]" + (f" as {list(array.shape)}" if shape and array.ndim != 1 else "")


def right_answer(layer):
    data, axes, kind = layer["data"], layer["axes"], layer["kind"]
    if not axes:
        return data
    raw = bits_of(data).reshape(data.shape) if kind in FLOATS else data
    answers = [float_answer(layer["op"], kind, s, True)[0] if kind in FLOATS
               else integer_answer(layer["op"], DTYPES[kind], s) for s in sets_of(raw, axes)]
    dtype = DTYPES[kind]
    if kind in FLOATS:
        return np.array(answers, f"<u{dtype.itemsize}").view(dtype)
    return np.array(answers, dtype)


def row_of(layer):
    """(data, axes, OpenVINO's answer, right answer) of the first output that is wrong."""
    right, index = right_answer(layer).reshape(-1), layer["wrong"][0][0]
    data = tensor(layer["data"]) + (", a Const" if not layer["parameter"] else
                                    ", dynamic shape" if layer["dynamic"] else "")
    if isinstance(layer["output"], str):
        return data, str(layer["axes"]), "refuses: " + layer["output"], tensor(right)
    if index is None:
        return data, str(layer["axes"]), layer["wrong"][0][1], tensor(right)
    where = f" (output {index})" if right.size > 1 else ""
    return (data, str(layer["axes"]), number(layer["output"].reshape(-1)[index]) + where,
            number(right[index]))


def table(headings, lines):
    yield "| " + " | ".join(headings) + " |"
    yield "|" + "---|" * len(headings)
    for line in lines:
        yield "| " + " | ".join(str(c).replace("|", "\\|") for c in line) + " |"


def fact_lines(facts):
    """One line for one example; the types that share it share the line."""
    merged = {}
    for layer in sorted(facts, key=size_of):
        merged.setdefault((layer["op"], layer["name"], *row_of(layer)), []).append(layer["kind"])
    for key, kinds in sorted(merged.items()):
        yield key[0], ", ".join(dict.fromkeys(kinds)), *key[1:]


def write_page(path, rows, facts, peer, device, seed, more):
    ops, kinds = (list(dict.fromkeys(k[i] for k in rows)) for i in (0, 1))
    count = {(op, kind): [sum(getattr(row, name) for key, row in rows.items()
                              if key[:2] == (op, kind)) for name in ("theirs", "cases")]
             for op in ops for kind in kinds}
    total = {name: sum(getattr(row, name) for row in rows.values())
             for name in ("cases", "ours", "theirs")}
    headings = ("op", "types", "kind of input", "data", "axes", "OpenVINO", "right")
    lines = [HEAD.format(peer=peer, device=device, seed=seed, **total)
             + "\n".join(table(("op", *kinds), [
                 (op, *("{} / {}".format(*count[op, k]) if count[op, k][1] else "" for k in kinds))
                 for op in ops]))]
    for head, silent in ((DECIDED, False), (SILENCE, True)):
        some = [f for f in facts if is_silent(f, f["wrong"][0][0]) == silent]
        lines.append(head + "\n".join(table(headings, fact_lines(some))))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines + more) + "\n")
