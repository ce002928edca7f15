"""OpenVINO with irreduce: the same sums and norms on its CPU device, through our extension on that
device, and on our device.

    cmake -S . -B build -DIRREDUCE_OPENVINO=ON && cmake --build build -j2
    python3 examples/with_openvino.py [FOLDER_OF_THE_DOORS]

SPDX-License-Identifier: Apache-2.0"""
import pathlib
import sys
import tempfile

import numpy as np
import openvino as ov
from openvino import opset13 as ops

doors = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()

# A model with other operations around the reductions, and integers that f32 and i32 do not hold.
counts = ops.parameter([2, 3], np.int64)
values = ops.parameter([2, 3], np.float32)
total = ops.reduce_sum(counts, [1])
norm = ops.reduce_l2(ops.relu(values), [1])
for node, name in ((counts, "counts"), (values, "values"), (total, "total"), (norm, "norm")):
    node.output(0).set_names({name})
model = ov.Model([total, norm], [counts, values], "example")
inputs = {"counts": np.array([[2**53, 1, 1], [-5, 2**40, 0]]),
          "values": np.array([[3e30, 4e30, -1], [3, 4, 0]], np.float32)}


def show(name, compiled):
    results = compiled(inputs)
    print(f"{name:10} total {results['total'].tolist()} norm {results['norm'].tolist()}")
    return results


stock = ov.Core()
show("stock CPU", stock.compile_model(model, "CPU"))

# The extension: models that are read from files run their reductions through our kernels. The CPU
# device still narrows i64 to i32 before it calls them.
extended = ov.Core()
extended.add_extension(str(doors / "libirreduce_openvino_extension.so"))
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "example.xml"
    ov.save_model(model, path)
    results = show("extension", extended.compile_model(path, "CPU"))
    assert np.allclose(results["norm"], [5e30, 5])

# The device: nothing is narrowed. HETERO leaves the Relu to the CPU.
stock.register_plugin(str(doors / "libirreduce_openvino_plugin.so"), "IRREDUCE")
print("taken:", ", ".join(sorted(n for n in stock.query_model(model, "IRREDUCE") if "Reduce" in n)))
results = show("device", stock.compile_model(model, "HETERO:IRREDUCE,CPU"))
assert results["total"].tolist() == [2**53 + 2, 2**40 - 5]
assert np.allclose(results["norm"], [5e30, 5])
