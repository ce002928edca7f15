"""Reductions among other operations: normalisation, attention, statistics, the bodies of an If.
The result agrees with the stock provider within its error, and the reductions were ours.
SPDX-License-Identifier: Apache-2.0"""
import numpy as np
import onnx
import onnxruntime as ort
from onnx import parser

import onnxruntime_host as host

F = 'ir_version: 9, opset_import: ["" : 18]'
MODELS = {
    # each: text, inputs by seed, reductions in it
    "layer_norm": ("""(float[B,T,64] x, float[64] scale, float[64] bias) => (float[B,T,64] y) {
        axes = Constant<value_ints=[-1]>()
        eps = Constant<value_float=1e-5>()
        two = Constant<value_float=2.0>()
        mean = ReduceMean(x, axes)
        d = Sub(x, mean)
        sq = Pow(d, two)
        var = ReduceMean(sq, axes)
        ve = Add(var, eps)
        std = Sqrt(ve)
        n = Div(d, std)
        s = Mul(n, scale)
        y = Add(s, bias) }""", {"x": (3, 7, 64), "scale": (64,), "bias": (64,)}, 2),
    "attention": ("""(float[1,4,9,16] q, float[1,4,9,16] k, float[1,4,9,16] v) => (float[1,4,9,16] y) {
        kt = Transpose<perm=[0,1,3,2]>(k)
        scale = Constant<value_float=0.25>()
        axes = Constant<value_ints=[3]>()
        l = MatMul(q, kt)
        s = Mul(l, scale)
        top = ReduceMax(s, axes)
        m = Sub(s, top)
        e = Exp(m)
        z = ReduceSum(e, axes)
        p = Div(e, z)
        y = MatMul(p, v) }""", {"q": (1, 4, 9, 16), "k": (1, 4, 9, 16), "v": (1, 4, 9, 16)}, 2),
    "group_norm": ("""(float[N,8,H,W] x) => (float[N,8,H,W] y) {
        shape = Shape(x)
        groups = Constant<value_ints=[0, 4, -1]>()
        g = Reshape(x, groups)
        axes = Constant<value_ints=[2]>()
        eps = Constant<value_float=1e-5>()
        mean = ReduceMean(g, axes)
        d = Sub(g, mean)
        sq = Mul(d, d)
        var = ReduceMean(sq, axes)
        ve = Add(var, eps)
        std = Sqrt(ve)
        n = Div(d, std)
        y = Reshape(n, shape) }""", {"x": (2, 8, 5, 6)}, 2),
    "statistics": ("""(float[N,M] x) => (float[M] mean, float[M] low, float[M] high, float[M] norm,
                       float total, float[N,1] size, float product) {
        rows = Constant<value_ints=[0]>()
        mean = ReduceMean<keepdims=0>(x, rows)
        low = ReduceMin<keepdims=0>(x, rows)
        high = ReduceMax<keepdims=0>(x, rows)
        norm = ReduceL2<keepdims=0>(x, rows)
        total = ReduceSum<keepdims=0>(x)
        last = Constant<value_ints=[-1]>()
        size = ReduceL1(x, last)
        spread = Sub(high, low)
        product = ReduceProd<keepdims=0>(spread) }""", {"x": (13, 5)}, 7),
    "run_time_axes": ("""(float[2,3,4] x, int64[K] a) => (float y) {
        s = ReduceSum(x, a)
        y = ReduceMax<keepdims=0>(s) }""", {"x": (2, 3, 4), "a": [0, -1]}, 2),
    "normalised_pooling": ("""(float[1,6,14,14] x, float[8,6,3,3] w) => (float[1,8] y) {
        c = Conv<pads=[1,1,1,1]>(x, w)
        r = Relu(c)
        plane = Constant<value_ints=[2,3]>()
        p = ReduceMean<keepdims=0>(r, plane)
        channels = Constant<value_ints=[1]>()
        n = ReduceL2(p, channels)
        y = Div(p, n) }""", {"x": (1, 6, 14, 14), "w": (8, 6, 3, 3)}, 2),
    "shared_axes": ("""(float[4,5] x) => (float y, float z, int64[1] rows) {
        rows = Constant<value_ints=[0]>()
        s = ReduceSum(x, rows)
        y = ReduceMax<keepdims=0>(s, rows)
        z = Unsqueeze(s, rows) }""", {"x": (4, 5)}, 2),
    "bodies": ("""(float[4,5] x, bool c) => (float y) {
        rows = Constant<value_ints=[0]>()
        s = If(c)<then_branch = yes () => (float[5] a) { a = ReduceSum<keepdims=0>(x, rows) },
                  else_branch = no () => (float[5] b) { b = ReduceMax<keepdims=0>(x, rows) }>
        y = ReduceL1<keepdims=0>(s) }""", {"x": (4, 5), "c": [True]}, 3),
}


def feed(shapes, rng):
    def value(name, what):
        if name == "c":
            return np.array(True)
        return np.array(what, np.int64) if name == "a" else rng.standard_normal(what).astype("f4")
    return {name: value(name, what) for name, what in shapes.items()}


def ours(session):
    return sum(node.op_type.startswith("Reduce")
               for part in session.get_provider_graph_assignment_info()
               if part.ep_name == host.PROVIDER for node in part.get_nodes())


def main():
    options = host.arguments(__doc__, seed=1)
    case_host = host.Host(options.library)
    rng = np.random.default_rng(options.seed)
    for name, (text, shapes, reductions) in MODELS.items():
        model = parser.parse_model(f"<{F}> {name} {text}")
        onnx.checker.check_model(model)
        for level in (ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
                      ort.GraphOptimizationLevel.ORT_ENABLE_ALL):
            settings = host.stock_options(level=level)
            settings.add_provider_for_devices(case_host.devices, {})
            settings.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
            session = ort.InferenceSession(model.SerializeToString(), settings)
            stock = host.stock_session(model.SerializeToString(), level=level)
            taken = ours(session)
            # Optimised, a layer normalisation is one node of another kind before we see it.
            if level == ort.GraphOptimizationLevel.ORT_DISABLE_ALL:
                assert taken == reductions, f"{name}: {taken} of {reductions} reductions are ours"
            inputs = feed(shapes, rng)
            for found, expected in zip(session.run(None, inputs), stock.run(None, inputs)):
                np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6, err_msg=name)
    print(f"{len(MODELS)} models")


if __name__ == "__main__":
    main()
