"""Writes IR models of many reduce layers and asks the command which of them it takes.

SPDX-License-Identifier: Apache-2.0"""
import json
import pathlib
import subprocess
import tempfile

import ml_dtypes
import numpy as np

from exact import DTYPES, INTEGERS, OPS, types_of

PRECISIONS = {"f64": "FP64", "f32": "FP32", "f16": "FP16", "bf16": "BF16", "boolean": "BOOL",
              **{k: k.upper() for k in INTEGERS}}


def dims_of(shape):
    return "".join(f"<dim>{n}</dim>" for n in shape)


def port(number, kind, shape, more=""):
    return f'<port id="{number}" precision="{PRECISIONS[kind]}"{more}>{dims_of(shape)}</port>'


class Model:
    def __init__(self, version=11):
        self.version, self.layers, self.edges, self.weights, self.count = version, [], [], b"", 0

    def add(self, name, kind, opset, data, ports):
        self.layers.append(f'<layer id="{self.count}" name="{name}" type="{kind}" '
                           f'version="{opset}">{data}{ports}</layer>')
        self.count += 1
        return self.count - 1

    def edge(self, source, source_port, target, target_port):
        self.edges.append(f'<edge from-layer="{source}" from-port="{source_port}" '
                          f'to-layer="{target}" to-port="{target_port}"/>')

    def constant(self, name, kind, array):
        shape = array.shape
        self.weights += b"\0" * (self.count % 4)  # constants lie at any offset
        data = (f'<data element_type="{kind}" shape="{", ".join(map(str, shape))}" '
                f'offset="{len(self.weights)}" size="{array.nbytes}"/>')
        self.weights += array.tobytes()
        return self.add(name, "Const", "opset1", data, f"<output>{port(0, kind, shape)}</output>")

    def parameter(self, name, kind, shape):
        data = f'<data shape="{",".join(map(str, shape))}" element_type="{kind}"/>'
        named = port(0, kind, shape, f' names="{name}"')
        return self.add(name, "Parameter", "opset1", data, f"<output>{named}</output>")

    def reduction(self, number, layer):
        """Reduction r<number> of x<number> (a Parameter) or c<number>; its output is y<number>."""
        kind, shape, out_shape = layer["kind"], layer["data"].shape, layer["out_shape"]
        if layer["dynamic"]:
            shape, out_shape = [-1] * len(shape), [-1] * len(out_shape)
        axes = np.array(layer["written"], dtype=INTEGERS[layer["axes_kind"]])
        axes = axes.reshape(()) if layer["scalar_axes"] else axes
        make = (self.parameter(f"x{number}", kind, shape) if layer["parameter"]
                else self.constant(f"c{number}", kind, layer["data"]))
        axes_id = self.constant(f"axes{number}", layer["axes_kind"], axes)
        named = port(2, kind, out_shape, f' names="y{number}"')
        ports = (f"<input>{port(0, kind, shape)}{port(1, layer['axes_kind'], axes.shape)}</input>"
                 f"<output>{named}</output>")
        keep = "true" if layer["keep"] else "false"
        here = self.add(f"r{number}", layer["op"], OPS[layer["op"]], f'<data keep_dims="{keep}"/>',
                        ports)
        result = self.add(f"result{number}", "Result", "opset1", "",
                          f"<input>{port(0, kind, out_shape)}</input>")
        self.edge(make, 0, here, 0)
        self.edge(axes_id, 0, here, 1)
        self.edge(here, 2, result, 0)

    def write(self, path):
        text = (f'<?xml version="1.0"?>\n<net name="compare" version="{self.version}">\n<layers>\n'
                + "\n".join(self.layers) + "\n</layers>\n<edges>\n" + "\n".join(self.edges)
                + "\n</edges>\n</net>\n")
        path.write_text(text)
        path.with_suffix(".bin").write_bytes(self.weights)


def layer_of(op, kind, data, axes, keep=False, **more):
    """A plain layer; `more` replaces what else a layer has."""
    axes = list(axes)
    out = tuple(1 if d in axes else n for d, n in enumerate(data.shape) if keep or d not in axes)
    return {"op": op, "kind": kind, "data": data, "axes": axes, "written": axes, "axes_kind": "i64",
            "keep": keep, "out_shape": out, "scalar_axes": False, "parameter": True, "dynamic": False,
            **more}


def read_output(folder, number, layer):
    array = np.load(folder / f"y{number}.npy")
    if layer["kind"] == "bf16":
        assert array.dtype == np.dtype("V2"), array.dtype
        array = array.view(ml_dtypes.bfloat16)
    assert array.dtype == DTYPES[layer["kind"]], (array.dtype, layer["kind"])
    return array


def supported(command):
    """{op: [types]} of the contract that the command's device takes."""
    pairs = [(op, kind) for op in OPS for kind in types_of(op)]
    model = Model()
    for i, (op, kind) in enumerate(pairs):
        model.reduction(i, layer_of(op, kind, np.zeros(2, DTYPES[kind]), [0]))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "all.xml"
        model.write(path)
        done = subprocess.run([command, "query", str(path), "--json"], capture_output=True,
                              text=True, check=True)
    taken = {r["name"] for r in json.loads(done.stdout)["layers"] if r["supported"]}
    table = {op: [k for i, (o, k) in enumerate(pairs) if o == op and f"r{i}" in taken]
             for op in OPS}
    return {op: kinds for op, kinds in table.items() if kinds}
