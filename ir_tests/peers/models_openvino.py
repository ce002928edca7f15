"""Models made with OpenVINO's own API, for OpenVINO to write.

SPDX-License-Identifier: Apache-2.0"""
import numpy as np
import openvino as ov
from openvino import opset13 as ops
from openvino import opset1

REDUCTIONS = {"ReduceMin": ops.reduce_min, "ReduceMax": ops.reduce_max, "ReduceSum": ops.reduce_sum,
              "ReduceMean": ops.reduce_mean, "ReduceProd": ops.reduce_prod,
              "ReduceL1": ops.reduce_l1, "ReduceL2": ops.reduce_l2,
              "ReduceLogicalAnd": ops.reduce_logical_and, "ReduceLogicalOr": ops.reduce_logical_or}
TYPES = ("f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8")


def parameter(shape, kind="f32", name="data"):
    node = ops.parameter(shape, getattr(ov.Type, kind), name)
    node.output(0).set_names({name})
    return node


def axes(values, kind=np.int64):
    return ops.constant(np.array(values, kind))


def named(node, name):
    node.set_friendly_name(name)
    node.output(0).set_names({name + "_out"})
    return node


def family():
    """Every operation on every type."""
    inputs, outputs = [], []
    for op, make in REDUCTIONS.items():
        for kind in ("boolean",) if "Logical" in op else TYPES:
            data = parameter([2, 3, 4], kind, f"in_{op}_{kind}")
            inputs.append(data)
            outputs.append(named(make(data, axes([-1, 0]), len(outputs) % 2 == 0), f"{op}_{kind}"))
    return outputs, inputs


def constants():
    """Weights in FP16 when compressed, shared ones, and types that reductions do not have."""
    data = parameter([4, 8])
    weights = ops.constant(np.random.default_rng(1).random((8, 16), np.float32))
    product = ops.matmul(data, weights, False, False)
    again = ops.matmul(data, weights, False, False)
    folded = named(ops.reduce_sum(weights, axes([0]), False), "of_weights")
    empty = ops.constant(np.zeros((0,), np.float32))
    # ops.constant of strings crashes
    texts = ov.op.Constant(ov.Tensor(np.array(["one", "three"])))
    outputs = [named(ops.reduce_l2(product, axes(1, np.int32), True), "norm"),
               named(ops.reduce_min(again, axes([0, 1]), False), "least"), folded,
               named(ops.reduce_sum(empty, axes([0]), False), "of_nothing"),
               named(ops.reduce_sum(product, axes([]), False), "same"), texts]
    for kind, shape in (("u4", [3]), ("i4", [5]), ("nf4", [4]), ("u1", [16])):
        outputs.append(ov.op.Constant(getattr(ov.Type, kind), ov.Shape(shape), [1] * shape[0]))
    for kind in ("f8e4m3", "f8e5m2", "u2"):
        outputs.append(ov.op.Constant(getattr(ov.Type, kind), ov.Shape([4]), [1] * 4))
    return outputs, [data]


def dynamic():
    data = parameter(ov.PartialShape([-1, 3, ov.Dimension(1, 10)]))
    given = parameter([1], "i64", "where")
    return [named(ops.reduce_sum(data, axes([0]), True), "first"),
            named(ops.reduce_l2(data, axes([-1], np.int32), False), "last"),
            named(ops.reduce_min(data, given, True), "axes_given")], [data, given]


def if_bodies():
    data, flag = parameter([2, 3]), parameter([], "boolean", "flag")
    bodies = []
    for make, name in ((ops.reduce_sum, "then_sum"), (ops.reduce_l2, "else_l2")):
        inner = parameter([2, 3])
        result = ops.result(named(make(inner, axes([1]), False), name))
        bodies.append((ov.Model([result], [inner], name + "_body"), inner, result))
    branch = ops.if_op(flag)
    branch.set_then_body(bodies[0][0])
    branch.set_else_body(bodies[1][0])
    branch.set_input(data.output(0), bodies[0][1], bodies[1][1])
    branch.set_output(bodies[0][2], bodies[1][2])
    branch.set_friendly_name("choice")
    return [branch], [data, flag]


def loop():
    data = parameter([5, 3])
    inner, sum_in = parameter([1, 3], name="row"), parameter([1], name="sum")
    total = named(ops.reduce_sum(inner, axes([1]), False), "row_sum")
    added = ops.add(total, sum_in)
    going = ops.constant(True)
    results = [ops.result(added), ops.result(going)]
    body = ov.Model(results, [inner, sum_in], "rows")
    node = ops.loop(ops.constant(5), ops.constant(True))
    node.set_function(body)
    node.set_special_body_ports([-1, 1])
    node.set_sliced_input(inner, data.output(0), 0, 1, 1, -1, 0)
    node.set_merged_input(sum_in, ops.constant(np.zeros(1, np.float32)).output(0), added.output(0))
    last = node.get_iter_value(added.output(0), -1)
    node.set_friendly_name("rows")
    return [ops.relu(last)], [data]


def tensor_iterator():
    data = parameter([5, 3])
    inner = parameter([1, 3], name="row")
    norm = named(ops.reduce_l2(inner, axes([1]), True), "row_norm")
    node = ops.tensor_iterator()
    node.set_body(ov.Model([ops.result(norm)], [inner], "row"))
    node.set_sliced_input(inner, data.output(0), 0, 1, 1, -1, 0)
    out = node.get_concatenated_slices(norm.output(0), 0, 1, 1, -1, 0)
    node.set_friendly_name("each")
    return [ops.relu(out)], [data]


def among_others():
    """Layers with several outputs, attributes of every sort, a variable, names that need escapes."""
    data = parameter([1, 8, 6, 6], name='in<put> & "quotes"')
    weights = ops.constant(np.ones((4, 8, 3, 3), np.float32))
    conv = ops.convolution(data, weights, [1, 1], [1, 1], [1, 1], [1, 1])
    parts = ops.split(conv, axes(1), 2)
    value, where = (ops.topk(parts.output(1), axes(2), 3, "max", "value").output(i) for i in (0, 1))
    old = opset1.reduce_max(value, axes([3]), True)
    first = named(ops.reduce_mean(parts.output(0), axes([2, 3]), True), "mean & <more>")
    variable = ops.read_value(ops.constant(np.zeros((1, 2, 1, 1), np.float32)), "state",
                              ov.Type.f32, [1, 2, 1, 1])
    kept = ops.assign(ops.add(variable, first), "state")
    outputs = [named(ops.reduce_min(where, axes([0, 1, 2]), False), "of_indices"),
               named(old, "old_max"), named(ops.reduce_sum(parts.output(0), axes([1]), False), "sum"),
               named(ops.reduce_l2(ops.convert(value, "f16"), axes([-1]), False), "half_norm")]
    return [ops.result(node) for node in outputs], [kept], [data]


def ranks():
    data = [parameter([], name="scalar"), parameter([1] * 33 + [2], name="deep"),
            parameter([2, 0, 3], name="nothing")]
    return [named(ops.reduce_sum(data[0], axes([]), False), "of_scalar"),
            named(ops.reduce_sum(data[1], axes([33]), False), "of_deep"),
            named(ops.reduce_min(data[2], axes([1]), True), "of_nothing")], data


MODELS = {f.__name__: f for f in (family, constants, dynamic, if_bodies, loop, tensor_iterator,
                                  among_others, ranks)}


def reductions(model, prefix=""):
    """[(path, op, type, shape to give)] of every reduction, those in bodies too."""
    found = []
    for node in model.get_ordered_ops():
        kind = node.get_type_name()
        name = prefix + node.get_friendly_name()
        if kind in REDUCTIONS:
            shape = node.input(0).get_partial_shape()
            given = None if shape.is_static else [d.get_length() if d.is_static else 2
                                                  for d in shape]
            found.append((name, kind, node.input(0).get_element_type().to_string(), given))
        bodies = {"If": ("then_body", "else_body"), "Loop": ("body",), "TensorIterator": ("body",)}
        for i, body in enumerate(bodies.get(kind, ())):
            inner = node.get_function(i) if kind == "If" else node.get_function()
            found += reductions(inner, f"{name}/{body}/")
    return found


def save(name, path, compressed):
    """Has OpenVINO write the model; what reductions the file then holds."""
    model = ov.Model(*MODELS[name](), name)
    ov.save_model(model, path, compress_to_fp16=compressed)
    return reductions(ov.Core().read_model(path))
