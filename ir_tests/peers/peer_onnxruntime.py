"""ONNX Runtime's CPU provider, asked a few small questions: facts for docs/peers.md.

SPDX-License-Identifier: Apache-2.0"""
import numpy as np

# op, type, data, axes, right answer
QUESTIONS = (
    ("ReduceSum", np.int64, [2**53, 1], 2**53 + 1),
    ("ReduceL1", np.int64, [2**53, 1], 2**53 + 1),
    ("ReduceL2", np.int64, [2**53 + 1], 2**53 + 1),
    ("ReduceMean", np.int64, [2**53 + 1, 2**53 + 1], 2**53 + 1),
    ("ReduceMax", np.int64, [2**53 + 1], 2**53 + 1),
    ("ReduceMean", np.float32, [3e38, 3e38], 3e38),
    ("ReduceL2", np.float32, [3e30, 4e30], 5e30),
    ("ReduceL2", np.float32, [3e-30, 4e-30], 5e-30),
    ("ReduceL2", np.float64, [3e300, 4e300], 5e300),
    ("ReduceMin", np.float32, [1, np.nan], np.nan),
    ("ReduceMin", np.float32, [np.nan, 1], np.nan),
    ("ReduceMax", np.float32, [1, np.nan, 2], np.nan),
)
SHAPES = (([1000000], [0]), ([1000, 1000], [0]), ([1000, 1000], [1]), ([64, 128, 64], [0, 2]),
          ([1000000, 3], [0]), ([1000, 1000], [0, 1]))


def run(op, data, axes, threads):
    import onnx
    import onnxruntime
    from onnx import helper
    kind = helper.np_dtype_to_tensor_dtype(data.dtype)
    graph = helper.make_graph(
        [helper.make_node(op, ["x", "axes"], ["y"], keepdims=0)], "one",
        [helper.make_tensor_value_info("x", kind, data.shape)],
        [helper.make_tensor_value_info("y", kind, None)],
        [helper.make_tensor("axes", onnx.TensorProto.INT64, [len(axes)], axes)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 10
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = threads, 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    return session.run(None, {"x": data})[0]


def questions():
    """[(op, type, data, its answer, right answer)] where it is wrong."""
    for op, kind, numbers, right in QUESTIONS:
        data = np.array(numbers, kind)
        try:
            found = run(op, data, [0], 1)
        except Exception as error:  # its answer
            found = str(error).splitlines()[0][:160]
        right = kind(right)
        if isinstance(found, str) or not (found == right or found != found and right != right
                                          or found.dtype.kind == "f"
                                          and abs(found - right) <= 1e-6 * abs(right)):
            yield op, data.dtype.name, numbers, found, right


def threads():
    """[(op, shape, axes, outputs whose bits differ from those of one thread)]."""
    rng = np.random.default_rng(1)
    for op in ("ReduceSum", "ReduceMean", "ReduceL2"):
        for shape, axes in SHAPES:
            data = rng.standard_normal(shape, dtype=np.float32)
            one = run(op, data, axes, 1)
            other = max((int(np.sum(run(op, data, axes, n) != one)) for n in (2, 3, 4)))
            if other:
                yield op, shape, axes, other


def page():
    """The section, in lines."""
    import onnxruntime
    lines = [f"\n## ONNX Runtime {onnxruntime.__version__}, CPU\n",
             "Not part of the random comparison; asked a few questions. Wrong answers:\n",
             "| op | type | data | ONNX Runtime | right |\n|---|---|---|---|---|"]
    lines += ["| " + " | ".join(str(c) for c in row) + " |" for row in questions()]
    moved = [f"{op} f32 {shape} axes {axes}: {n}" for op, shape, axes, n in threads()]
    return lines + ["\nOutputs whose bits change with the number of threads (1 to 4): "
           + ("; ".join(moved) or f"none seen on {len(SHAPES)} shapes and three operations") + "."]
