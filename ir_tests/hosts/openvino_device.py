#!/usr/bin/env python3
"""What the device IRREDUCE promises inside OpenVINO beside numbers: properties, profile, queues,
tensors of every sort, query, the other devices around it, errors, life and death.

usage: openvino_device.py LIBRARY [EXTENSION]. SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib
import sys
import tempfile
import threading
import traceback

import numpy as np
import openvino as ov
from openvino import opset8

LIBRARY = str(pathlib.Path(sys.argv[1]).resolve())
EXTENSION = str(pathlib.Path(sys.argv[2]).resolve()) if len(sys.argv) > 2 else None
BIG = 2 ** 53
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def new_core():
    core = ov.Core()
    core.register_plugin(LIBRARY, "IRREDUCE")
    return core


def parameter(kind, shape, name):
    node = opset8.parameter(ov.PartialShape(shape), getattr(ov.Type, kind), name=name)
    node.output(0).get_tensor().set_names({name})
    return node


def output(node, name):
    node.output(0).get_tensor().set_names({name})
    node.set_friendly_name(name)
    return node


def axes_of(*axes):
    return np.array(axes, np.int64)


def sum_model(kind="i64", shape=(2,), axes=(0,), keep=False):
    x = parameter(kind, shape, "x")
    return ov.Model([output(opset8.reduce_sum(x, axes_of(*axes), keep), "y")], [x], "sum")


def raises(words, function, *arguments):
    """The call fails with a sentence that has all these words."""
    try:
        function(*arguments)
    except Exception as error:
        missing = [word for word in words if word not in str(error)]
        assert not missing, f"{missing} not in: {error}"
    else:
        raise AssertionError(f"no error with {words}")


# ---- properties ----------------------------------------------------------------------------------

@check
def device_properties(core):
    supported = core.get_property("IRREDUCE", "SUPPORTED_PROPERTIES")
    for key in supported:
        core.get_property("IRREDUCE", key)
    assert supported["INFERENCE_NUM_THREADS"] == "RW" and supported["FULL_DEVICE_NAME"] == "RO"
    assert "IRREDUCE" in core.available_devices
    assert "irreduce" in core.get_versions("IRREDUCE")["IRREDUCE"].description
    assert isinstance(core.get_property("IRREDUCE", "FULL_DEVICE_NAME"), str)
    assert core.get_property("IRREDUCE", "OPTIMAL_NUMBER_OF_INFER_REQUESTS") >= 1
    core.set_property("IRREDUCE", {"INFERENCE_NUM_THREADS": 1, "PERF_COUNT": True,
                                   "EXECUTION_MODE_HINT": "ACCURACY"})
    assert core.get_property("IRREDUCE", "INFERENCE_NUM_THREADS") == 1
    assert core.get_property("IRREDUCE", "PERF_COUNT") is True
    mode = core.get_property("IRREDUCE", "EXECUTION_MODE_HINT")
    assert mode == ov.properties.hint.ExecutionMode.ACCURACY, mode
    known = ("is unknown", "INFERENCE_NUM_THREADS", "EXECUTION_MODE_HINT")
    raises(("NO_SUCH_KEY", *known), core.set_property, "IRREDUCE", {"NO_SUCH_KEY": 1})
    raises(("NO_SUCH_KEY", *known), core.get_property, "IRREDUCE", "NO_SUCH_KEY")
    raises(("NO_SUCH_KEY", *known), core.compile_model, sum_model(), "IRREDUCE",
           {"NO_SUCH_KEY": "1"})
    raises(("EXECUTION_MODE_HINT", '"FAST"', "PERFORMANCE, ACCURACY"), core.set_property,
           "IRREDUCE", {"EXECUTION_MODE_HINT": "FAST"})
    raises(("FULL_DEVICE_NAME", "only be read"), core.set_property, "IRREDUCE",
           {"FULL_DEVICE_NAME": "x"})


@check
def compiled_properties(core):
    compiled = core.compile_model(sum_model(), "IRREDUCE", {
        "PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": "1", "IRREDUCE_ISA": "scalar"})
    for key in compiled.get_property("SUPPORTED_PROPERTIES"):
        compiled.get_property(key)
    assert compiled.get_property("NETWORK_NAME") == "sum"
    assert compiled.get_property("EXECUTION_DEVICES") == ["IRREDUCE"]
    assert compiled.get_property("IRREDUCE_ISA") == "scalar"
    assert '"choice"' in compiled.get_property("IRREDUCE_EXPLAIN")
    compiled.set_property({"PERF_COUNT": True})
    request = compiled.create_infer_request()
    request.infer([np.array([1, 2])])
    assert len(request.profiling_info) == 1
    raises(("NO_SUCH_KEY",), compiled.set_property, {"NO_SUCH_KEY": 1})
    raises(("IRREDUCE_ISA", "only be read"), compiled.set_property, {"IRREDUCE_ISA": "scalar"})


@check
def profile(core):
    x = parameter("f32", [4, 64], "x")
    model = ov.Model([output(opset8.reduce_sum(x, axes_of(1), False), "total"),
                      output(opset8.reduce_max(x, axes_of(), False), "same")], [x], "two")
    request = core.compile_model(model, "IRREDUCE", {"PERF_COUNT": True}).create_infer_request()
    request.infer([np.ones((4, 64), np.float32)])
    rows = {row.node_name: row for row in request.profiling_info}
    assert set(rows) == {"total", "same"}, rows
    assert rows["total"].node_type == "ReduceSum" and "sum_f32" in rows["total"].exec_type
    assert rows["same"].exec_type == "identity"
    silent = core.compile_model(model, "IRREDUCE").create_infer_request()
    silent.infer([np.ones((4, 64), np.float32)])
    assert not silent.profiling_info


@check
def execution_mode(core):
    data = np.array([1e30, 1, -1e30], np.float32)
    for mode, right in (("ACCURACY", {1.0}), ("PERFORMANCE", {0.0, 1.0})):
        compiled = core.compile_model(sum_model("f32", [3]), "IRREDUCE",
                                      {"EXECUTION_MODE_HINT": mode})
        assert float(compiled([data])[0]) in right, mode


# ---- running -------------------------------------------------------------------------------------

@check
def exact_where_stock_is_not(core):
    data = np.array([BIG, 1])
    for device in ("IRREDUCE", "HETERO:IRREDUCE,CPU", "AUTO:IRREDUCE,CPU", "MULTI:IRREDUCE"):
        assert core.compile_model(sum_model(), device)([data])[0] == BIG + 1, device


@check
def async_queue(core):
    compiled = core.compile_model(sum_model(), "IRREDUCE")
    queue, seen = ov.AsyncInferQueue(compiled, 4), []
    queue.set_callback(lambda request, i: seen.append((i, int(request.get_tensor("y").data))))
    for i in range(500):
        queue.start_async([np.array([BIG, i])], i)
    queue.wait_all()
    assert sorted(seen) == [(i, BIG + i) for i in range(500)]
    assert len(ov.AsyncInferQueue(compiled)) == compiled.get_property(
        "OPTIMAL_NUMBER_OF_INFER_REQUESTS")


@check
def async_errors(core):
    x, axes = parameter("i64", [2, 2], "x"), parameter("i64", [1], "axes")
    model = ov.Model([opset8.reduce_sum(x, axes, False)], [x, axes], "late")
    request = core.compile_model(model, "IRREDUCE").create_infer_request()
    request.start_async([np.ones((2, 2), np.int64), axes_of(5)])
    raises(("axis 5 is outside [-2, 1]",), request.wait)
    request.start_async([np.ones((2, 2), np.int64), axes_of(1)])
    request.wait()
    assert request.get_output_tensor().data.tolist() == [2, 2]


@check
def four_threads_one_model(core):
    compiled, failures = core.compile_model(sum_model("i64", [-1], [0]), "IRREDUCE"), []

    def work(seed):
        rng, request = np.random.default_rng(seed), compiled.create_infer_request()
        for _ in range(300):
            data = rng.integers(-BIG, BIG, rng.integers(1, 3000))
            if request.infer([data])[0] != data.sum():
                failures.append(seed)
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@check
def several_inputs_and_outputs(core):
    a, b = parameter("i8", [2, 3], "a"), parameter("f64", [4], "b")
    low = output(opset8.reduce_min(a, axes_of(0), True), "low")
    model = ov.Model([low, output(opset8.reduce_prod(b, axes_of(-1), False), "product"),
                      output(opset8.reduce_sum(low, axes_of(1), False), "chained")], [a, b], "m")
    compiled = core.compile_model(model, "IRREDUCE")
    assert [i.any_name for i in compiled.inputs] == ["a", "b"]
    answer = compiled({"a": np.array([[1, -5, 3], [0, 7, 2]], np.int8), "b": np.full(4, 3.0)})
    assert answer["low"].tolist() == [[0, -5, 2]] and answer["product"] == 81.0
    assert answer["chained"].tolist() == [-3]


@check
def identity_and_constants(core):
    x = parameter("i64", [2, -1], "x")
    constant = ov.op.Constant(np.array([3, 4], np.uint16))
    folded = output(opset8.reduce_l2(constant, axes_of(0), False), "five")
    model = ov.Model([opset8.result(x, name="same"), opset8.result(constant, name="given"),
                      opset8.result(folded), opset8.result(folded), opset8.result(x)], [x], "ends")
    data = np.array([[BIG, 1, 2], [3, 4, 5]])
    same, given, five, again, twice = core.compile_model(model, "IRREDUCE")([data]).to_tuple()
    assert np.array_equal(same, data) and np.array_equal(twice, data)
    assert given.tolist() == [3, 4] and given.dtype == np.uint16
    assert five == 5 and again == 5


@check
def logical(core):
    x = parameter("boolean", [2, 2], "x")
    model = ov.Model([opset8.reduce_logical_and(x, axes_of(1), False),
                      opset8.reduce_logical_or(x, axes_of(1), False)], [x], "truth")
    both, some = core.compile_model(model, "IRREDUCE")([np.array([[1, 0], [1, 1]], bool)]).to_tuple()
    assert both.tolist() == [False, True] and some.tolist() == [True, True]


@check
def dynamic_shapes(core):
    compiled = core.compile_model(sum_model("i32", [-1, 3, "1..4"], [0], True), "IRREDUCE")
    request = compiled.create_infer_request()
    assert compiled.output(0).partial_shape == ov.PartialShape([1, 3, "1..4"])
    for rows, columns in ((2, 1), (5, 4), (2, 1), (0, 2)):
        data = np.arange(rows * 3 * columns, dtype=np.int32).reshape(rows, 3, columns)
        assert np.array_equal(request.infer([data])[0], data.sum(0, keepdims=True))
    raises(("5",), request.infer, [np.zeros((2, 3, 5), np.int32)])
    raises(("f32",), request.set_input_tensor, ov.Tensor(np.zeros((2, 3, 1), np.float32)))
    assert request.infer([np.ones((2, 3, 1), np.int32)])[0].ravel().tolist() == [2, 2, 2]


@check
def tensors_resized_in_place(core):
    request = core.compile_model(sum_model("i64", [-1], [0]), "IRREDUCE").create_infer_request()
    tensor = ov.Tensor(ov.Type.i64, ov.Shape([2]))
    request.set_input_tensor(tensor)
    for size in (2, 70, 3):
        tensor.shape = [size]
        tensor.data[:] = BIG
        request.infer()
        assert request.get_output_tensor().data == BIG * size


@check
def run_time_axes(core):
    x, axes = parameter("f32", [-1, 3], "x"), parameter("i32", [-1], "axes")
    model = ov.Model([output(opset8.reduce_sum(x, axes, False), "gone"),
                      output(opset8.reduce_sum(x, axes, True), "kept")], [x, axes], "late")
    request = core.compile_model(model, "IRREDUCE").create_infer_request()
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    for list_of_axes in ([0], [1], [-1, 0], [], [1]):
        answer = request.infer([data, np.array(list_of_axes, np.int32)])
        right = data.sum(tuple(list_of_axes)) if list_of_axes else data
        assert np.array_equal(answer["gone"], right), list_of_axes
        assert answer["kept"].ndim == 2
    raises(("axis 2 is outside [-2, 1]",), request.infer, [data, np.array([2], np.int32)])
    raises(("second time",), request.infer, [data, np.array([1, -1], np.int32)])


# What a frontend makes of "over all axes": a list computed from the shape's shape.
@check
def axes_that_follow_from_the_shape(core):
    for shape in ([1, 2], [-1, 2]):
        x = parameter("i64", shape, "x")
        rank = opset8.squeeze(opset8.shape_of(opset8.shape_of(x)), axes_of(0))
        axes = opset8.range(opset8.constant(0, np.int64), rank, opset8.constant(1, np.int64), "i64")
        model = ov.Model([output(opset8.reduce_sum(x, axes, False), "y")], [x], "all")
        for device in "IRREDUCE", "HETERO:IRREDUCE,CPU":
            assert core.compile_model(model, device)([np.array([[BIG, 1]])])[0] == BIG + 1


@check
def regions(core):
    """Region tensors as input and output; what lies beside the output stays."""
    request = core.compile_model(sum_model("i16", [3, 4], [1]), "IRREDUCE").create_infer_request()
    whole, answers = ov.Tensor(ov.Type.i16, ov.Shape([5, 6])), ov.Tensor(ov.Type.i16, ov.Shape([9]))
    whole.data[:] = np.arange(30).reshape(5, 6)
    answers.data[:] = -1
    request.set_input_tensor(ov.Tensor(whole, ov.Coordinate([1, 2]), ov.Coordinate([4, 6])))
    request.set_output_tensor(ov.Tensor(answers, ov.Coordinate([4]), ov.Coordinate([7])))
    request.infer()
    right = whole.data[1:4, 2:6].sum(1)
    assert answers.data.tolist() == [-1] * 4 + right.tolist() + [-1] * 2, answers.data

    x = parameter("i16", [3, 4], "x")
    model = ov.Model([opset8.reduce_sum(x, axes_of(), False)], [x], "copy")
    request = core.compile_model(model, "IRREDUCE").create_infer_request()
    target = ov.Tensor(ov.Type.i16, ov.Shape([4, 9]))
    target.data[:] = -1
    request.set_output_tensor(ov.Tensor(target, ov.Coordinate([1, 3]), ov.Coordinate([4, 7])))
    data = np.arange(12, dtype=np.int16).reshape(3, 4)
    request.infer([data])
    right = np.full((4, 9), -1)
    right[1:4, 3:7] = data
    assert np.array_equal(target.data, right)


@check
def overlapping_memory(core):
    request = core.compile_model(sum_model("i64", [3], []), "IRREDUCE").create_infer_request()
    memory = np.arange(4)
    request.set_input_tensor(ov.Tensor(memory[:3], shared_memory=True))
    request.set_output_tensor(ov.Tensor(memory[1:], shared_memory=True))
    raises(("output 0", "overlaps", "input 0"), request.infer)


@check
def memory_at_any_address(core):
    request = core.compile_model(sum_model("i64", [2, 3], [1]), "IRREDUCE").create_infer_request()
    data, answer = (np.zeros(8 * n + 1, np.uint8)[1:].view(np.int64) for n in (6, 2))
    assert data.ctypes.data % 8
    data[:] = [BIG, 1, 1, 1, 2, 3]
    request.set_input_tensor(ov.Tensor(data.reshape(2, 3), shared_memory=True))
    request.set_output_tensor(ov.Tensor(answer, shared_memory=True))
    for more in (0, 5):
        data[5] = 3 + more
        request.infer()
        assert answer.tolist() == [BIG + 2, 6 + more]


@check
def nothing_to_reduce(core):
    x = parameter("i32", [2, 0], "x")
    model = ov.Model([opset8.reduce_min(x, axes_of(1), False),
                      opset8.reduce_sum(x, axes_of(0), False)], [x], "empty")
    low, total = core.compile_model(model, "IRREDUCE")([np.zeros((2, 0), np.int32)]).to_tuple()
    assert low.tolist() == [2 ** 31 - 1] * 2 and total.shape == (0,)
    mean = ov.Model([opset8.reduce_mean(x, axes_of(1), False)], [x], "mean")
    raises(("ReduceMean",), core.compile_model, mean, "IRREDUCE")


@check
def a_model_changed_afterwards(core):
    model = sum_model("i64", [2, 3], [1])
    compiled = core.compile_model(model, "IRREDUCE")
    model.reshape([5, 7])
    assert compiled([np.ones((2, 3), np.int64)])[0].tolist() == [3, 3]
    assert len(compiled.get_runtime_model().get_parameters()) == 1


@check
def from_a_file(core):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.xml")
        ov.save_model(sum_model(), path, compress_to_fp16=False)
        assert core.compile_model(path, "IRREDUCE")([np.array([BIG, 1])])[0] == BIG + 1


# ---- other operations, other devices -------------------------------------------------------------

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


@check
def not_implemented(core):
    compiled = core.compile_model(sum_model(), "IRREDUCE")
    raises(("IRREDUCE", "export"), compiled.export_model)
    raises(("IRREDUCE", "exported models"), core.import_model, b"something", "IRREDUCE")
    raises(("IRREDUCE", "remote contexts"), core.get_default_context, "IRREDUCE")
    raises(("IRREDUCE", "remote contexts"), core.create_context, "IRREDUCE", {})


@check
def model_cache(core):
    """CACHE_DIR changes nothing: the device says that it cannot, so OpenVINO does not ask."""
    with tempfile.TemporaryDirectory() as folder:
        core.set_property({"CACHE_DIR": folder})
        path = os.path.join(folder, "model.xml")
        ov.save_model(sum_model(), path, compress_to_fp16=False)
        for model in (sum_model(), path):
            for device in ("IRREDUCE", "AUTO:IRREDUCE"):
                assert core.compile_model(model, device)([np.array([BIG, 1])])[0] == BIG + 1


# ---- life and death ------------------------------------------------------------------------------

@check
def everything_outlives_the_core(_):
    core = new_core()
    compiled = core.compile_model(sum_model(), "IRREDUCE")
    request = compiled.create_infer_request()
    queue = ov.AsyncInferQueue(compiled, 2)
    core.unload_plugin("IRREDUCE")
    assert core.compile_model(sum_model(), "IRREDUCE")([np.array([1, 2])])[0] == 3  # loads again
    del core, compiled
    assert request.infer([np.array([BIG, 1])])[0] == BIG + 1
    queue.start_async([np.array([1, 1])])
    queue.wait_all()
    tensor = request.get_output_tensor()
    del request, queue
    assert tensor.data == BIG + 1


@check
def another_name(_):
    core = ov.Core()
    core.register_plugin(LIBRARY, "SUMS")
    assert core.compile_model(sum_model(), "SUMS")([np.array([BIG, 1])])[0] == BIG + 1
    assert set(core.query_model(sum_model(), "SUMS").values()) == {"SUMS"}


def main():
    failed = 0
    print(f"OpenVINO {ov.__version__}")
    for function in CHECKS:
        try:
            function(new_core())
        except Exception:
            failed += 1
            print(f"{function.__name__}:\n{traceback.format_exc()}", flush=True)
    print(f"{len(CHECKS)} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
