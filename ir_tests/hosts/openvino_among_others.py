#!/usr/bin/env python3
"""The device IRREDUCE among other operations and devices of OpenVINO: query, HETERO, networks against
the stock device, models that our extension has read.

usage: openvino_among_others.py LIBRARY EXTENSION. SPDX-License-Identifier: Apache-2.0"""
import os
import sys
import tempfile

import numpy as np
import openvino as ov
from openvino import opset8

from openvino_checks import (BIG, EXTENSION, axes_of, check, output, parameter, raises, run_checks,
                             sum_model)


@check
def unsupported_operations(core):
    x = parameter("f32", [2, 2], "x")
    model = ov.Model([opset8.reduce_sum(output(opset8.relu(x), "clip"), axes_of(0), False)], [x],
                     "mixed")
    raises(('"clip" (Relu)', "this device takes ReduceMin"), core.compile_model, model, "IRREDUCE")
    strange = parameter("f32", ov.PartialShape.dynamic(), "x")
    model = ov.Model([opset8.reduce_sum(strange, axes_of(0), False)], [strange], "rankless")
    raises(("rank",), core.compile_model, model, "IRREDUCE")
    assert not core.query_model(model, "IRREDUCE")


@check
def query(core):
    x = parameter("f32", [2, 2], "x")
    axes = output(opset8.convert(parameter("f32", [1], "a"), "i64"), "axes")
    source = axes.input_value(0).get_node()
    total = output(opset8.reduce_sum(x, axes_of(0), False), "total")
    model = ov.Model([output(opset8.relu(total), "clip"),
                      output(opset8.reduce_max(x, axes, False), "late"),
                      opset8.result(total, name="out")], [x, source], "mixed")
    taken = core.query_model(model, "IRREDUCE")
    assert {"x", "total", "late", "out"} <= set(taken) and set(taken.values()) == {"IRREDUCE"}, taken
    assert not {"clip", "axes", "a"} & set(taken), taken
    assert len(core.query_model(sum_model(), "IRREDUCE")) == 4  # with its axes and its result


def softmax(x):
    powers = opset8.exp(opset8.subtract(x, opset8.reduce_max(x, axes_of(-1), True)))
    return opset8.divide(powers, opset8.reduce_sum(powers, axes_of(-1), True))


def layer_norm(x):
    centred = opset8.subtract(x, opset8.reduce_mean(x, axes_of(-1), True))
    variance = opset8.reduce_mean(opset8.multiply(centred, centred), axes_of(-1), True)
    return opset8.divide(centred, opset8.sqrt(opset8.add(variance, np.float32(1e-5))))


def times(x, *shape):
    weights = np.random.default_rng(shape).standard_normal(shape).astype(np.float32) * 0.2
    return opset8.matmul(x, weights, False, False)


def attention(x):
    normal = layer_norm(x)
    query, key, value = (times(normal, 16, 16) for _ in range(3))
    scores = softmax(opset8.matmul(query, key, False, True))
    return opset8.add(x, opset8.matmul(scores, value, False, False))


def transformer(x):
    for _ in range(2):
        x = attention(x)
        x = opset8.add(x, times(opset8.relu(times(layer_norm(x), 16, 64)), 64, 16))
    return x


def squeeze_and_excite(x):
    gate = opset8.sigmoid(times(opset8.reduce_mean(x, axes_of(1), True), 16, 16))
    return opset8.reduce_mean(opset8.multiply(x, gate), axes_of(1), False)


def statistics(x):
    low, high = (make(x, axes_of(1, 2), False) for make in (opset8.reduce_min, opset8.reduce_max))
    return opset8.concat([low, high, opset8.subtract(high, low),
                          opset8.reduce_l2(x, axes_of(1, 2), False)], 0)


# The CPU device in f32; fused by its "snippets" some of these models crash it.
CAREFUL = {"INFERENCE_PRECISION_HINT": "f32", "SNIPPETS_MODE": "DISABLE"}


def compare_with_stock(core, model, data, compile_it):
    """The same as the stock CPU device within what f32 allows."""
    names = [port.any_name for port in model.outputs]
    right = core.compile_model(model, "CPU")([data])
    found = compile_it(model)({"x": data})
    for name in names:
        gap = np.abs(found[name] - right[name]).max(initial=0)
        bound = 2e-5 * max(1, np.abs(right[name]).max(initial=0))
        assert gap <= bound, (model.friendly_name, name, gap)


@check
def networks(core):
    core.set_property("CPU", CAREFUL)
    data = np.random.default_rng(7).standard_normal((3, 8, 16)).astype(np.float32)
    for build in (softmax, layer_norm, attention, transformer, squeeze_and_excite, statistics):
        for shape in ([3, 8, 16], [-1, 8, 16]):
            x = parameter("f32", shape, "x")
            compare_with_stock(core, ov.Model([output(build(x), "y")], [x], build.__name__), data,
                               lambda model: core.compile_model(model, "HETERO:IRREDUCE,CPU"))


def random_graph(rng):
    """Of operations that enlarge no error."""
    x = parameter("f32", [-1 if rng.integers(2) else 2, 3, 4], "x")
    pool = [x]
    for i in range(int(rng.integers(3, 14))):
        a, b = (pool[int(rng.integers(len(pool)))] for _ in range(2))
        axes = axes_of(int(rng.integers(3)))
        node = [lambda: opset8.reduce_mean(a, axes, True), lambda: opset8.reduce_max(a, axes, True),
                lambda: opset8.tanh(a), lambda: opset8.maximum(a, b),
                lambda: opset8.minimum(a, b)][rng.integers(5)]()
        pool.append(output(node, f"n{i}"))
    ends = [n for n in pool[1:] if not n.output(0).get_target_inputs() or rng.integers(6) == 0]
    return ov.Model(ends, [x], "graph")


@check
def random_graphs(core):
    """Split by affinities, as query_model tells them: without them HETERO itself fails to split
    most such graphs, with them a few, stock devices or ours."""
    core.set_property("CPU", CAREFUL)
    seed, passed = int.from_bytes(os.urandom(3), "little"), 0

    rng = np.random.default_rng(seed)
    for _ in range(25):
        model = random_graph(rng)
        data = np.clip(rng.standard_normal((2, 3, 4)), -1, 1).astype(np.float32)
        taken = core.query_model(model, "IRREDUCE")
        split = model.clone()
        for node in split.get_ordered_ops():
            node.get_rt_info()["affinity"] = taken.get(node.get_friendly_name(), "CPU")
        try:
            compiled = core.compile_model(split, "HETERO:IRREDUCE,CPU")
        except Exception as error:
            assert "subgraph_collector.cpp" in str(error), error
            continue
        compare_with_stock(core, model, data, lambda _: compiled)
        passed += 1
    print(f"random graphs, seed {seed}: {passed} of 25")
    assert passed >= 15


@check
def hetero_keeps_wide_types(core):
    """An i64 input that both devices read passes through ours: the other would narrow it."""
    x = parameter("i64", [2], "x")
    model = ov.Model([output(opset8.reduce_sum(x, axes_of(0), False), "total"), opset8.result(x),
                      output(opset8.convert(x, "f32"), "narrow")], [x], "wide")
    compiled = core.compile_model(model, "HETERO:IRREDUCE,CPU")
    found = compiled({"x": np.array([BIG, 1])})
    assert found["total"] == BIG + 1
    assert found["x"].tolist() == [BIG, 1]


@check
def hetero_gives_axes(core):
    """Axes that other operations compute from data, a reduction among them, come from the CPU; the
    sum is ours, so it is exact."""
    data = np.full((2, 3, 4), BIG)
    for compute in (lambda a: opset8.convert(a, "i64"),
                    lambda a: opset8.add(a, opset8.constant(0, np.int32)),
                    lambda a: opset8.reduce_max(a, axes_of(0), True)):
        x, a = parameter("i64", [2, 3, 4], "x"), parameter("i32", [1], "a")
        total = output(opset8.reduce_sum(x, compute(a), True), "total")
        model = ov.Model([total], [x, a], "given")
        assert "total" in core.query_model(model, "IRREDUCE")
        compiled = core.compile_model(model, "HETERO:IRREDUCE,CPU")
        for axis in 1, 2:
            found = compiled({"x": data, "a": np.array([axis], np.int32)})[0]
            assert np.array_equal(found, data.sum(axis, keepdims=True)), axis


@check
def with_the_extension(core):
    """Models that the extension has read: its own operation types are the device's too."""
    if not EXTENSION:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.xml")
        ov.save_model(sum_model("i64", [2, 2], [1], True), path, compress_to_fp16=False)
        core.add_extension(EXTENSION)
        model = core.read_model(path)
        types = {op.get_type_name() for op in model.get_ops()}
        assert "ReduceSum" not in types, types
        for device in ("IRREDUCE", "HETERO:IRREDUCE,CPU"):
            answer = core.compile_model(model, device)([np.array([[BIG, 1], [1, 2]])])[0]
            assert answer.tolist() == [[BIG + 1], [3]], device


if __name__ == "__main__":
    sys.exit(run_checks())
