"""The C program onnxruntime_client on models of one reduction: answers beside the stock provider's,
four threads on one session. With --seconds a table of time, beside stock, in turns.
SPDX-License-Identifier: Apache-2.0"""
import glob
import os
import subprocess
import tempfile

import onnxruntime

import onnxruntime_host as host

# The table of docs/hosts.md: tiny call, a plane each, pooling, rows, 64 MB.
CASES = [("ReduceSum", [1, 3, 8], [1]), ("ReduceMin", [6, 12, 10, 24], [2, 3]),
         ("ReduceSum", [6, 12, 10, 24], [2, 3]), ("ReduceL2", [6, 12, 10, 24], [2, 3]),
         ("ReduceMean", [1, 256, 56, 56], [2, 3]), ("ReduceSum", [4096, 768], [1]),
         ("ReduceMax", [4096, 768], [1]), ("ReduceSum", [16, 1024, 1024], [0, 1, 2]),
         ("ReduceMax", [4096, 4096], [0])]


def main():
    options = host.arguments(__doc__, client="", seconds=0.0)
    folder = os.path.join(os.path.dirname(onnxruntime.__file__), "capi")
    runtime = glob.glob(os.path.join(folder, "libonnxruntime.so.*"))[0]
    with tempfile.TemporaryDirectory() as scratch:
        model = os.path.join(scratch, "model.onnx")
        for op, shape, axes in CASES:
            with open(model, "wb") as file:
                file.write(host.node_model(op, 18, "float", shape, {"keepdims": 0}, axes))
            for threads in (1, 2):
                call = [options.client, runtime, os.path.abspath(options.library), model,
                        ",".join(map(str, shape)), str(threads)]
                if options.seconds:
                    call.append(str(options.seconds))
                done = subprocess.run(call, capture_output=True, text=True)
                assert done.returncode == 0, (op, shape, threads, done)
                if options.seconds:
                    print(f"{op} {shape} axes {axes}, {threads} threads: {done.stdout}", end="")
    print(f"{len(CASES)} models")


if __name__ == "__main__":
    main()
