#!/usr/bin/env python3
"""The device IRREDUCE runs inside OpenVINO: queues, threads, tensors of every sort, shapes and axes
known at run time.

usage: openvino_running.py LIBRARY. SPDX-License-Identifier: Apache-2.0"""
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import openvino as ov
from openvino import opset8

from openvino_checks import BIG, axes_of, check, output, parameter, raises, run_checks, sum_model


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
    compiled = core.compile_model(sum_model("i64", [-1], [0]), "IRREDUCE")

    def work(seed):
        rng, request = np.random.default_rng(seed), compiled.create_infer_request()
        for _ in range(300):
            data = rng.integers(-BIG, BIG, rng.integers(1, 3000))
            assert request.infer([data])[0] == data.sum(), seed
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))


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


if __name__ == "__main__":
    sys.exit(run_checks())
