"""Stock ONNX Runtime with our execution provider: sessions, models of one node, tensors of any type.

Lives here: what every onnxruntime_*.py needs. SPDX-License-Identifier: Apache-2.0"""
import argparse
import ctypes
import os
import sys

import ml_dtypes
import numpy as np
import onnx
import onnx.defs
import onnxruntime as ort
from onnx import TensorProto, helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import exact  # noqa: E402

PROVIDER = "IrreduceExecutionProvider"
OPS = ("ReduceMin", "ReduceMax", "ReduceSum", "ReduceMean", "ReduceProd", "ReduceL1", "ReduceL2")
# ONNX's word: (its number, the oracle's word)
TYPES = {"float": (TensorProto.FLOAT, "f32"), "double": (TensorProto.DOUBLE, "f64"),
         "float16": (TensorProto.FLOAT16, "f16"), "bfloat16": (TensorProto.BFLOAT16, "bf16"),
         "int8": (TensorProto.INT8, "i8"), "uint8": (TensorProto.UINT8, "u8"),
         "int32": (TensorProto.INT32, "i32"), "uint32": (TensorProto.UINT32, "u32"),
         "int64": (TensorProto.INT64, "i64"), "uint64": (TensorProto.UINT64, "u64"),
         "bool": (TensorProto.BOOL, "boolean")}
IR_VERSION = 9


def versions():
    """(op, version, last opset with it, its types, whether axes are an input), as the schemas say."""
    for op in OPS:
        schemas = sorted((s for s in onnx.defs.get_all_schemas_with_history()
                          if s.name == op and not s.domain), key=lambda s: s.since_version)
        ends = [s.since_version - 1 for s in schemas[1:]] + [21]
        for schema, end in zip(schemas, ends):
            words = schema.type_constraints[0].allowed_type_strs
            yield (op, schema.since_version, end, [w[len("tensor("):-1] for w in words],
                   len(schema.inputs) == 2)


def node_model(op, opset, word, shape, attributes, axes=None, name="node"):
    """One node. shape None: of unknown rank. axes: None, a list (a constant), or "input"."""
    number = TYPES[word][0]
    names, inputs, constants = ["x"], [helper.make_tensor_value_info("x", number, shape)], []
    if axes == "input":
        inputs.append(helper.make_tensor_value_info("axes", TensorProto.INT64, [None]))
    elif axes is not None:
        constants.append(helper.make_tensor("axes", TensorProto.INT64, [len(axes)], axes))
    if axes is not None:
        names.append("axes")
    node = helper.make_node(op, names, ["y"], name=name, **attributes)
    return pack([node], inputs, [helper.make_tensor_value_info("y", number, None)], opset,
                constants)


def pack(nodes, inputs, outputs, opset, constants=()):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, list(constants))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = IR_VERSION
    return model.SerializeToString()


class Host:
    """The library in this process' ONNX Runtime."""

    def __init__(self, library, name="irreduce"):
        ort.set_default_logger_severity(4)
        self.name = name
        ort.register_execution_provider_library(name, os.path.abspath(library))
        self.devices = [d for d in ort.get_ep_devices() if d.ep_name == PROVIDER]
        assert len(self.devices) == 1, self.devices

    def unregister(self):
        self.devices = None
        ort.unregister_execution_provider_library(self.name)

    def session(self, model, threads=0, alone=True, level=None, **properties):
        """alone: every node must be ours."""
        options = stock_options(threads, level)
        options.add_provider_for_devices(self.devices, properties)
        if alone:
            options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        return ort.InferenceSession(model, options, enable_fallback=0)


def stock_options(threads=0, level=None):
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    if level is not None:
        options.graph_optimization_level = level
    return options


def stock_session(model, threads=0, level=None):
    return ort.InferenceSession(model, stock_options(threads, level),
                                providers=["CPUExecutionProvider"])


def to_value(array, word):
    if word == "bfloat16":
        return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(np.uint16),
                                                               TYPES[word][0])
    return ort.OrtValue.ortvalue_from_numpy(array)


def to_array(value, word):
    if word != "bfloat16":
        return value.numpy()
    count = int(np.prod(value.shape(), dtype=np.int64))
    if count == 0:
        return np.zeros(value.shape(), ml_dtypes.bfloat16)
    memory = (ctypes.c_uint16 * count).from_address(value.data_ptr())
    return np.array(memory, np.uint16).view(ml_dtypes.bfloat16).reshape(value.shape())


def run(session, word, data, axes=None):
    """The one output of node_model; axes: its run-time input."""
    inputs = {"x": to_value(data, word)}
    if axes is not None:
        inputs["axes"] = ort.OrtValue.ortvalue_from_numpy(np.array(axes, np.int64))
    return to_array(session.run_with_ort_values(["y"], inputs)[0], word)


# ---- judging -------------------------------------------------------------------------------------

def ir_word(op, word):
    """Booleans' Min is And, their Max Or."""
    if word != "bool":
        return op
    return {"ReduceMin": "ReduceLogicalAnd", "ReduceMax": "ReduceLogicalOr"}[op]


def reduced(rank, axes, noop):
    """The set of dimensions that an axes list, or None, stands for."""
    if axes:
        return sorted({a % rank for a in axes})
    return [] if noop else list(range(rank))


def problem(op, word, data, dims, keep, output, accurate=False):
    """The first thing wrong with an output, or None."""
    shape = tuple(1 if d in dims else n for d, n in enumerate(data.shape)
                  if keep or d not in dims)
    if output.shape != shape:
        return f"shape {output.shape}, not {shape}"
    kind = TYPES[word][1]
    raw, found = data, output.reshape(-1)
    if kind in exact.FLOATS:
        raw, found = exact.bits_of(data), exact.bits_of(found)
    for i, elements in enumerate(exact.sets_of(raw, dims)):
        sentence = exact.element_problem(ir_word(op, word), kind, elements, found[i], accurate)
        if sentence:
            return f"output {i}: {sentence}; of {elements}"
    return None


def random_data(rng, word, shape):
    kind = TYPES[word][1]
    dtype = exact.DTYPES[kind]
    if kind == "boolean":
        return np.asarray(rng.random(shape) < rng.choice([0.1, 0.5, 0.9]))
    if kind not in exact.FLOATS:
        info = np.iinfo(dtype)
        if rng.random() < 0.5:
            return np.asarray(rng.integers(max(info.min, -9), 10, shape)).astype(dtype)
        return np.asarray(rng.integers(info.min, info.max, shape, dtype, endpoint=True))
    bits = rng.integers(0, 1 << 8 * dtype.itemsize, shape, np.uint64, endpoint=False) \
        if dtype.itemsize < 8 else rng.integers(0, 1 << 64, shape, np.uint64)
    style = rng.random()
    if style < 0.2:  # any bits: NaN, infinities, the tiniest
        return np.asarray(bits).astype(f"<u{dtype.itemsize}").view(dtype).reshape(shape)
    if style < 0.6:
        return np.asarray(rng.integers(-8, 9, shape)).astype(dtype)
    scale = rng.choice([1e-6, 1.0, 1000.0])
    return np.asarray(rng.standard_normal(shape) * scale).astype(dtype)


def arguments(description, **extra):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--library", required=True, help="libirreduce_onnxruntime_ep.so")
    for name, default in extra.items():
        parser.add_argument("--" + name.replace("_", "-"), default=default,
                            type=type(default) if default is not None else str)
    return parser.parse_args()
