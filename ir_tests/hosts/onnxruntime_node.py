"""ONNX's own node tests of the seven numeric operations, as the wheel onnx ships them, with no other
provider to fall back to. SPDX-License-Identifier: Apache-2.0"""
import os
import re

import numpy as np
import onnx
from onnx import numpy_helper

import onnxruntime_host as host

COUNT = 67
NAME = re.compile(r"test_reduce_(min|max|sum|mean|prod|l1|l2)_(?!.*_expanded$)(?!square)")


def load(path):
    with open(path, "rb") as file:
        return numpy_helper.to_array(onnx.TensorProto.FromString(file.read()))


def main():
    case_host = host.Host(host.arguments(__doc__).library)
    folder = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data", "node")
    names = sorted(n for n in os.listdir(folder) if NAME.match(n))
    assert len(names) == COUNT, f"{len(names)} node tests, expected {COUNT}"
    for name in names:
        session = case_host.session(os.path.join(folder, name, "model.onnx"))
        data = os.path.join(folder, name, "test_data_set_0")
        inputs = {given.name: load(os.path.join(data, f"input_{i}.pb"))
                  for i, given in enumerate(session.get_inputs())}
        expected, found = load(os.path.join(data, "output_0.pb")), session.run(None, inputs)[0]
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape), name
        np.testing.assert_allclose(found, expected, rtol=1e-6, err_msg=name)
    print(f"{COUNT} node tests")


if __name__ == "__main__":
    main()
