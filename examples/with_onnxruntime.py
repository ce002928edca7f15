"""ONNX Runtime with irreduce: the same norms and sums through its CPU provider and through ours.

    cmake -S . -B build -DIRREDUCE_ONNXRUNTIME=ON && cmake --build build -j2
    python3 examples/with_onnxruntime.py [FOLDER_OF_THE_DOORS]

SPDX-License-Identifier: Apache-2.0"""
import pathlib
import sys

import numpy as np
import onnx.parser
import onnxruntime as ort

doors = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()

# A Relu around the reductions stays with ONNX Runtime's own provider.
model = onnx.parser.parse_model("""
<ir_version: 9, opset_import: ["": 18]>
example (double[2, N] values, int64[3] counts) => (double[2] norm, int64 total) {
    positive = Relu(values)
    axes = Constant<value_ints = [1]>()
    norm = ReduceL2<keepdims = 0>(positive, axes)
    total = ReduceSum<keepdims = 0>(counts)
}""")
inputs = {"values": np.array([[3e300, 4e300, -1], [3, 4, 0]]), "counts": np.array([2**53, 1, 1])}

stock = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
print("stock CPU", *stock.run(None, inputs))

ort.register_execution_provider_library("irreduce", str(doors / "libirreduce_onnxruntime_ep.so"))
devices = [d for d in ort.get_ep_devices() if d.ep_name == "IrreduceExecutionProvider"]
options = ort.SessionOptions()
options.log_severity_level = 3  # else it warns that Relu is not ours
options.add_provider_for_devices(devices, {})
session = ort.InferenceSession(model.SerializeToString(), options)
norm, total = session.run(None, inputs)
print("irreduce ", norm, total)
assert np.allclose(norm, [5e300, 5]) and total == 2**53 + 2
