#!/usr/bin/env python3
"""Random models by seed on the device IRREDUCE inside OpenVINO, judged by exact arithmetic: every
operation, type and kind of input; constant and run-time axes, dynamic shapes, region tensors, both
execution modes, alone and under HETERO, AUTO and MULTI.

usage: openvino_random.py LIBRARY [--seed N] [--rounds N]. SPDX-License-Identifier: Apache-2.0"""
import argparse
import os
import pathlib
import sys

import numpy as np
import openvino as ov
from openvino import opset8

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "peers")]
from cases import random_case, sorts_of  # noqa: E402
from exact import DTYPES, OPS, types_of  # noqa: E402
from judge import wrong_outputs  # noqa: E402

DEVICES = ("IRREDUCE", "IRREDUCE", "HETERO:IRREDUCE,CPU", "AUTO:IRREDUCE,CPU", "MULTI:IRREDUCE")
MODES = ("PERFORMANCE", "ACCURACY")
MAKERS = {"ReduceL1": opset8.reduce_l1, "ReduceL2": opset8.reduce_l2,
          "ReduceLogicalAnd": opset8.reduce_logical_and,
          "ReduceLogicalOr": opset8.reduce_logical_or,
          **{f"Reduce{word}": getattr(opset8, f"reduce_{word.lower()}")
             for word in ("Min", "Max", "Sum", "Mean", "Prod")}}


def tensor_of(kind, shape):
    return ov.Tensor(getattr(ov.Type, kind), ov.Shape(shape))


def elements(tensor, kind):
    """The tensor's memory in the type's own dtype; OpenVINO calls bf16 float16 in NumPy."""
    return tensor.data.view(DTYPES[kind]) if kind == "bf16" else tensor.data


def filled(kind, array, rng):
    """A tensor of this array; half of them are a region of a larger one."""
    if array.ndim == 0 or not array.size or rng.integers(2):
        tensor = tensor_of(kind, array.shape)
        elements(tensor, kind)[...] = array
        return tensor
    before, after = rng.integers(0, 3, (2, array.ndim))
    whole = tensor_of(kind, [int(n) for n in before + after + array.shape])
    elements(whole, kind).view(np.uint8)[...] = 0xA5
    end = before + array.shape
    elements(whole, kind)[tuple(slice(b, e) for b, e in zip(before, end))] = array
    return ov.Tensor(whole, ov.Coordinate([int(b) for b in before]),
                     ov.Coordinate([int(e) for e in end]))


def named(node, name):
    node.output(0).get_tensor().set_names({name})
    return node


def add(layer, rng, parameters, feeds, name):
    """The layer as a node; its inputs join parameters and feeds. Names, since HETERO keeps no order
    of inputs and outputs."""
    def source(kind, array, variable, dynamic):
        if not variable:
            tensor = tensor_of(kind, array.shape)
            elements(tensor, kind)[...] = array
            return ov.op.Constant(tensor)
        shape = [-1] * array.ndim if dynamic else list(array.shape)
        parameter = opset8.parameter(ov.PartialShape(shape), getattr(ov.Type, kind))
        parameters.append(named(parameter, f"x{len(parameters)}"))
        feeds.append(filled(kind, array, rng))
        return parameters[-1]

    dynamic = layer["dynamic"]
    data = source(layer["kind"], layer["data"], layer["parameter"], dynamic)
    written = np.array(layer["written"], DTYPES[layer["axes_kind"]])
    axes = source(layer["axes_kind"], written, rng.integers(4) == 0, dynamic)
    return named(MAKERS[layer["op"]](data, axes, layer["keep"]), name)


def run(core, layers, rng, device, mode):
    parameters, feeds = [], []
    nodes = [add(layer, rng, parameters, feeds, f"y{i}") for i, layer in enumerate(layers)]
    compiled = core.compile_model(ov.Model(nodes, parameters, "random"), device,
                                  {"EXECUTION_MODE_HINT": mode} if device == "IRREDUCE" else {})
    request = compiled.create_infer_request()
    for i, tensor in enumerate(feeds):
        request.set_tensor(f"x{i}", tensor)
    if rng.integers(2):
        request.start_async()
        request.wait()
    else:
        request.infer()
    return [np.array(elements(request.get_tensor(f"y{i}"), layer["kind"]))
            for i, layer in enumerate(layers)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "little"))
    parser.add_argument("--rounds", type=int, default=2, help="cases of each row")
    parser.add_argument("--layers", type=int, default=40, help="of a model")
    parser.add_argument("--elements", type=int, default=300, help="of a tensor, at most")
    arguments = parser.parse_args()
    core = ov.Core()
    core.register_plugin(str(arguments.library.resolve()), "IRREDUCE")
    print(f"OpenVINO {ov.__version__}, seed {arguments.seed}", flush=True)
    rows = [(op, kind, sort) for op in OPS for kind in types_of(op) for sort in sorts_of(op, kind)]
    rng, wrong = np.random.default_rng(arguments.seed), 0
    todo = [rows[i] for _ in range(arguments.rounds) for i in rng.permutation(len(rows))]
    for start in range(0, len(todo), arguments.layers):
        layers = [random_case(rng, *row, arguments.elements)
                  for row in todo[start:start + arguments.layers]]
        device, mode = str(rng.choice(DEVICES)), str(rng.choice(MODES))
        outputs = run(core, layers, rng, device, mode)
        accurate = mode == "ACCURACY" and device == "IRREDUCE"
        for layer, output in zip(layers, outputs):
            for index, sentence in wrong_outputs(layer, output, accurate=accurate)[:1]:
                wrong += 1
                print(f"{device} {mode}: {layer['op']} {layer['kind']} {layer['data'].shape} axes "
                      f"{layer['written']} ({layer['name']}): output {index}: {sentence}")
    print(f"{len(todo)} cases, {wrong} wrong")
    return 1 if wrong or not todo else 0


if __name__ == "__main__":
    sys.exit(main())
