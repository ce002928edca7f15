#!/usr/bin/env python3
"""Random models by seed through the extension inside OpenVINO's CPU device, read from IR and from
ONNX, judged by exact arithmetic of what the device hands on: it narrows f16 and f64 to f32, and the
wide and the 16-bit integers to i32.

usage: openvino_extension.py LIBRARY [--seed N] [--rounds N]. SPDX-License-Identifier: Apache-2.0"""
import argparse
import os
import pathlib
import re
import sys
import tempfile

import numpy as np
import onnx
import openvino as ov
from onnx import helper

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "peers")]
from cases import random_case, sorts_of  # noqa: E402
from exact import (DTYPES, FLOATS, INTEGERS, LOGICAL, OPS, bits_of, float_answer, key,  # noqa: E402
                   sets_of, types_of)
from ir_model import Model  # noqa: E402
from judge import wrong_outputs  # noqa: E402

ARRIVES = {"f16": "f32", "f64": "f32", **{k: "i32" for k in ("i64", "u64", "u32", "i16", "u16")}}
NARROWED_SORTS = ("plain numbers", "cancellation", "zeros", "NaN", "truth values", "small numbers",
                  "empty axes list", "constant data")
ONNX_SINCE = {"attribute": {"ReduceSum": 11}, "input": {"ReduceSum": 13}}  # others: 17 and 18
NEWEST_IR, NEWEST_ONNX = 17, 20


def tensor_of(kind, array):
    tensor = ov.Tensor(getattr(ov.Type, kind), ov.Shape(array.shape))
    elements(tensor, kind)[...] = array
    return tensor


def elements(tensor, kind):
    """The tensor's memory in the type's own dtype; OpenVINO calls bf16 float16 in NumPy."""
    return tensor.data.view(DTYPES[kind]) if kind == "bf16" else tensor.data


# ---- judging -------------------------------------------------------------------------------------

def narrowed_problem(layer, output):
    """The sentence of the first wrong output of a type that does not arrive as it is, or None."""
    kind, arrives, axes = layer["kind"], ARRIVES[layer["kind"]], layer["axes"]
    if output.shape != layer["out_shape"]:
        return f"shape {output.shape}, not {layer['out_shape']}"
    data = layer["data"].astype(DTYPES[arrives])
    if kind in INTEGERS:
        found = output.astype(np.int32)
        problems = wrong_outputs({**layer, "kind": arrives, "data": data}, found)
        return problems[0][1] if problems else None
    found, sets = output.reshape(-1), sets_of(data, axes) if axes else data.reshape(-1, 1)
    for i, numbers in enumerate(sets):
        ends = (bits_of(numbers)[:1].repeat(2) if not axes
                else np.array(float_answer(layer["op"], arrives, bits_of(numbers)), "<u4"))
        low, high = ends.astype("<u4").view(np.float32).astype(DTYPES[kind])
        if np.isnan(low) and np.isnan(found[i]):
            continue
        if not key(kind, bits_of(low)[0]) <= key(kind, bits_of(found[i])[0]) <= key(kind, bits_of(high)[0]):
            return f"output {i}: {found[i]}, right is {low} to {high}"
    return None


def problem_of(layer, output):
    if layer["kind"] in ARRIVES:
        return narrowed_problem(layer, output)
    problems = wrong_outputs(layer, output)
    return f"output {problems[0][0]}: {problems[0][1]}" if problems else None


# ---- IR ------------------------------------------------------------------------------------------

def ir_rows():
    """Without bf16 constants: the device computes with them in f32, then cuts the result off."""
    return [(op, kind, sort) for op in OPS for kind in types_of(op) for sort in sorts_of(op, kind)
            if (kind not in ARRIVES or sort in NARROWED_SORTS)
            and (kind, sort) != ("bf16", "constant data")]


def ir_outputs(core, layers, rng, folder):
    model = Model()
    for i, layer in enumerate(layers):
        model.reduction(i, layer)
    for i, text in enumerate(model.layers):  # any opset that holds the operation
        first = re.search(r' type="Reduce\w+" version="opset(\d+)"', text)
        if first:
            opset = rng.integers(int(first[1]), NEWEST_IR + 1)
            model.layers[i] = text.replace(f"opset{first[1]}", f"opset{opset}", 1)
    path = folder / "random.xml"
    model.write(path)
    read = core.read_model(path)
    ours = [op for op in read.get_ops() if op.get_type_name().startswith("IrreduceReduce")]
    assert len(ours) == len(layers), f"{len(ours)} of {len(layers)} layers are ours"
    request = core.compile_model(read, "CPU").create_infer_request()
    for i, layer in enumerate(layers):
        if layer["parameter"]:
            request.set_tensor(f"x{i}", tensor_of(layer["kind"], layer["data"]))
    request.infer()
    return [np.array(elements(request.get_tensor(f"y{i}"), layer["kind"]))
            for i, layer in enumerate(layers)]


# ---- ONNX ----------------------------------------------------------------------------------------

def onnx_rows():
    kinds = {"ReduceMin": ("f32", "i32", "i8", "u8"), "ReduceMax": ("f32", "i32", "i8", "u8")}
    return [(op, kind, sort) for op in OPS if op not in LOGICAL
            for kind in kinds.get(op, ("f32", "i32")) for sort in sorts_of(op, kind)
            if sort != "constant data"]


def onnx_node(rng, layer, i, initializers):
    """A node of any form that its operator version has; says what the layer then means."""
    rank, axes = layer["data"].ndim, layer["written"]
    as_input = rng.integers(2) == 1
    attributes = {"keepdims": int(layer["keep"])}
    inputs = [f"x{i}"]
    if not axes:  # all of them, or each element by itself
        if as_input and rng.integers(2):
            attributes["noop_with_empty_axes"] = 1
            layer.update(data=layer["data"][..., None], axes=[rank], out_shape=layer["data"].shape)
        else:
            layer.update(axes=list(range(rank)), out_shape=(1,) * rank if layer["keep"] else ())
    if as_input and (axes or rng.integers(2)):
        initializers.append(helper.make_tensor(f"a{i}", onnx.TensorProto.INT64, [len(axes)], axes))
        inputs.append(f"a{i}")
    elif axes:
        attributes["axes"] = axes
    older = ONNX_SINCE["attribute"].get(layer["op"], 17)
    newer = ONNX_SINCE["input"].get(layer["op"], 18)
    return (helper.make_node(layer["op"], inputs, [f"y{i}"], **attributes),
            (newer, NEWEST_ONNX) if as_input else (11, older))


def onnx_output(core, layer, rng, folder):
    data, initializers = layer["data"], []
    node, (low, high) = onnx_node(rng, layer, 0, initializers)
    if layer["kind"] in ("i8", "u8"):
        low = max(low, 12)
    kind = helper.np_dtype_to_tensor_dtype(data.dtype)
    shape = [None] * data.ndim if layer["dynamic"] else data.shape
    graph = helper.make_graph(
        [node], "one", [helper.make_tensor_value_info("x0", kind, shape)],
        [helper.make_tensor_value_info("y0", kind, None)], initializers)
    opset = int(rng.integers(low, max(low, high) + 1))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    path = folder / "random.onnx"
    onnx.save(model, path)
    read = core.read_model(path)
    assert any(op.get_type_name().startswith("IrreduceReduce") for op in read.get_ops())
    request = core.compile_model(read, "CPU").create_infer_request()
    if request.model_inputs:  # the frontend makes a constant of an input without elements
        request.set_input_tensor(tensor_of(layer["kind"], data))
    request.infer()
    return np.array(elements(request.get_output_tensor(), layer["kind"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "little"))
    parser.add_argument("--rounds", type=int, default=3, help="cases of each row")
    parser.add_argument("--layers", type=int, default=40, help="of an IR model")
    parser.add_argument("--elements", type=int, default=300, help="of a tensor, at most")
    arguments = parser.parse_args()
    core = ov.Core()
    core.add_extension(str(arguments.library.resolve()))
    print(f"OpenVINO {ov.__version__}, seed {arguments.seed}", flush=True)
    rng, wrong, cases = np.random.default_rng(arguments.seed), 0, 0

    def judge(source, layer, output):
        sentence = problem_of(layer, output)
        if sentence:
            print(f"{source}: {layer['op']} {layer['kind']} {layer['data'].shape} axes "
                  f"{layer['written']} ({layer['name']}): {sentence}")
        return sentence is not None

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rows = ir_rows()
        todo = [rows[i] for _ in range(arguments.rounds) for i in rng.permutation(len(rows))]
        for start in range(0, len(todo), arguments.layers):
            layers = [random_case(rng, *row, arguments.elements)
                      for row in todo[start:start + arguments.layers]]
            outputs = ir_outputs(core, layers, rng, folder)
            wrong += sum(judge("IR", *pair) for pair in zip(layers, outputs))
        cases = len(todo)
        for row in [row for row in onnx_rows() for _ in range(arguments.rounds)]:
            layer = random_case(rng, *row, arguments.elements)
            wrong += judge("ONNX", layer, onnx_output(core, layer, rng, folder))
            cases += 1
    print(f"{cases} cases, {wrong} wrong")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
