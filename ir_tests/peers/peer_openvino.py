"""OpenVINO's CPU device as a peer: layers in, tensors or its own error out.

It runs in a process of its own, so that a crash there is an answer too; a model that it refuses is
halved until the layer is found. EXECUTION_MODE_HINT is ACCURACY: its own word for its most careful
mode (by default it narrows f32 to bf16 on CPUs that have it). SPDX-License-Identifier: Apache-2.0"""
import concurrent.futures
import concurrent.futures.process
import multiprocessing
import pathlib
import re
import tempfile

import numpy as np

from exact import DTYPES
from ir_model import Model

CONFIG = {"EXECUTION_MODE_HINT": "ACCURACY", "INFERENCE_NUM_THREADS": "2"}
SECONDS = 120  # for one model, at most


def raw(tensor, kind):
    """The tensor's memory in the type's own dtype; OpenVINO calls bf16 float16 in NumPy."""
    return tensor.data.view(DTYPES[kind]) if kind == "bf16" else tensor.data


def run_file(path, inputs, outputs, config=None):
    """In the worker: {name: array} in, [(name, kind)] out -> [array]."""
    import openvino
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(path), "CPU", config or CONFIG)
    request = compiled.create_infer_request()
    for name, (kind, array) in inputs.items():
        tensor = openvino.Tensor(getattr(openvino.Type, kind), openvino.Shape(array.shape))
        raw(tensor, kind)[...] = array
        request.set_tensor(name, tensor)
    request.infer()
    return [np.array(raw(request.get_tensor(name), kind)) for name, kind in outputs]


def versions():
    """Its version, its CPU, the type in which it computes f32 when nobody asks."""
    import openvino
    core = openvino.Core()
    return (openvino.__version__, core.get_property("CPU", "FULL_DEVICE_NAME"),
            core.get_property("CPU", "INFERENCE_PRECISION_HINT").to_string())


def sentence(error):
    """What an exception says, without its file names and line numbers."""
    lines = [line for line in str(error).splitlines()
             if line.strip() and not line.startswith("Exception from")]
    text = re.sub(r" at \S+:\d+:?$", ":", "\n".join(lines), flags=re.M)
    return " ".join(text.split())[:300] or type(error).__name__


class OpenVino:
    """`with OpenVino() as peer`: call, run."""

    def __enter__(self):
        self.pool, self.folder = None, tempfile.TemporaryDirectory()
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()

    def stop(self):
        if self.pool:
            for process in list(self.pool._processes.values()):
                process.kill()
            self.pool.shutdown(wait=True)
        self.pool = None

    def call(self, function, *arguments, seconds=SECONDS):
        """The function's result out of the worker, or a sentence."""
        if not self.pool:
            self.pool = concurrent.futures.ProcessPoolExecutor(
                1, mp_context=multiprocessing.get_context("spawn"))
        try:
            return self.pool.submit(function, *arguments).result(timeout=seconds)
        except concurrent.futures.process.BrokenProcessPool:
            self.stop()
            return "the process crashed"
        except concurrent.futures.TimeoutError:
            self.stop()
            return f"no answer in {seconds} s"
        except Exception as error:  # whatever it throws is its answer
            return sentence(error)

    def run(self, layers, config=None):
        """Of each layer its output, or OpenVINO's error."""
        model, inputs = Model(), {}
        for i, layer in enumerate(layers):
            model.reduction(i, layer)
            if layer["parameter"]:
                inputs[f"x{i}"] = (layer["kind"], layer["data"])
        path = pathlib.Path(self.folder.name) / "model.xml"
        model.write(path)
        outputs = [(f"y{i}", layer["kind"]) for i, layer in enumerate(layers)]
        answer = self.call(run_file, str(path), inputs, outputs, config)
        if not isinstance(answer, str):
            return answer
        if len(layers) == 1:
            return [answer]
        half = len(layers) // 2
        return self.run(layers[:half], config) + self.run(layers[half:], config)
