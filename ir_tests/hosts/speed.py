#!/usr/bin/env python3
"""The table of docs/hosts.md: a ReduceSum of f32 through each host's own kernels and through ours, in
one process, in turns, from Python and from C; the best of short rounds, since a neighbour on the machine
only ever adds time. Every answer is checked first.

usage: speed.py FOLDER [--rounds N] [--threads N] [--docs FILE] [--provider FILE]; FOLDER holds the
doors, the target hosts builds them; --docs writes the table between the marks in FILE; --provider takes
another library for ours in ONNX Runtime, such as FOLDER/libonnxruntime_floor.so.
SPDX-License-Identifier: Apache-2.0"""
import argparse
import ctypes
import functools
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime as ort
import openvino as ov
from onnx import helper

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from ir_model import Model, layer_of  # noqa: E402

ROWS = (("tiny", [1, 3, 8], [2]), ("small", [6, 12, 10, 24], [2, 3]),
        ("pooling", [1, 64, 56, 56], [2, 3]), ("rows", [4096, 768], [1]),
        ("64 MB", [4096, 4096], [1]))
ROUND_US, CLIENT_RUNS = 4000, 5


def check(found, data, axes):
    exact = data.astype(np.float64).sum(tuple(axes))
    bound = 2.0 ** -17 * np.abs(data.astype(np.float64)).sum(tuple(axes)) + 2.0 ** -24 * abs(exact)
    assert found.shape == exact.shape and (np.abs(found - exact) <= bound).all()


def in_turns(calls, rounds):
    """Of each timed call (count -> microseconds a call) the best round."""
    counts = [max(1, int(ROUND_US / max(call(1) for _ in range(2)))) for call in calls]
    times = [[] for _ in calls]
    for r in range(rounds):
        for k in sorted(range(len(calls)), reverse=r % 2 == 1):
            times[k].append(calls[k](counts[k]))
    return [min(t) for t in times]


def loop(call, count):
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count * 1e6


# ---- OpenVINO ------------------------------------------------------------------------------------

class OpenVINO:
    """Three sides: stock CPU, the device, the extension on CPU."""
    devices = ("CPU", "IRREDUCE", "CPU")

    def __init__(self, folder, threads, scratch):
        self.threads, self.extension = str(threads), folder / "libirreduce_openvino_extension.so"
        plugin = folder / "libirreduce_openvino_plugin.so"
        self.cores = [ov.Core() for _ in range(3)]
        self.cores[1].register_plugin(str(plugin), "IRREDUCE")
        self.cores[2].add_extension(str(self.extension))
        self.c = ctypes.CDLL(str(next((pathlib.Path(ov.__file__).parent / "libs")
                                      .glob("libopenvino_c.so*"))))
        self.timer = ctypes.CDLL(str(folder / "libtime_calls.so")).irr_time_calls
        self.timer.restype = ctypes.c_double
        config = scratch / "plugins.xml"
        config.write_text(f'<ie><plugins><plugin name="IRREDUCE" location="{plugin}"/></plugins></ie>')
        self.c_cores = [self.made(self.c.ov_core_create) for _ in range(3)]
        self.c_cores[1] = self.made(self.c.ov_core_create_with_config, str(config).encode())
        assert self.c.ov_core_add_extension(self.c_cores[2], str(self.extension).encode()) == 0

    @staticmethod
    def made(function, *arguments):
        handle = ctypes.c_void_p()
        assert function(*arguments, ctypes.byref(handle)) == 0, function
        return handle

    def python_calls(self, path, data, axes):
        tensor = ov.Tensor(data)  # one for all: where memory lies makes 10 %
        for core, device in zip(self.cores, self.devices):
            compiled = core.compile_model(path, device, {"INFERENCE_NUM_THREADS": self.threads})
            request = compiled.create_infer_request()
            request.set_input_tensor(tensor)
            request.infer()
            check(request.get_output_tensor().data, data, axes)
            yield functools.partial(loop, request.infer)

    def c_calls(self, path, data, axes):
        tensor = None
        for core, device in zip(self.c_cores, self.devices):
            compiled = ctypes.c_void_p()  # before the properties among the arguments
            assert self.c.ov_core_compile_model_from_file(
                core, str(path).encode(), device.encode(), ctypes.c_size_t(2),
                ctypes.byref(compiled), b"INFERENCE_NUM_THREADS", self.threads.encode()) == 0
            request = self.made(self.c.ov_compiled_model_create_infer_request, compiled)
            if not tensor:
                tensor = self.made(self.c.ov_infer_request_get_input_tensor, request)
                memory = self.made(self.c.ov_tensor_data, tensor)
                ctypes.memmove(memory, data.ctypes.data, data.nbytes)
            assert self.c.ov_infer_request_set_input_tensor(request, tensor) == 0
            assert self.c.ov_infer_request_infer(request) == 0
            result = self.made(self.c.ov_infer_request_get_output_tensor, request)
            memory = self.made(self.c.ov_tensor_data, result)
            out = np.empty(data.sum(tuple(axes)).shape, np.float32)
            ctypes.memmove(out.ctypes.data, memory, out.nbytes)
            check(out, data, axes)
            infer = ctypes.cast(self.c.ov_infer_request_infer, ctypes.c_void_p)
            yield lambda count, request=request: self.timer(infer, request, ctypes.c_uint(count))

    def measure(self, shape, axes, data, rounds, scratch):
        model, path = Model(), scratch / "model.xml"
        model.reduction(0, layer_of("ReduceSum", "f32", data, axes))
        model.write(path)
        return (in_turns(list(self.python_calls(path, data, axes)), rounds)
                + in_turns(list(self.c_calls(path, data, axes)), rounds))


# ---- ONNX Runtime --------------------------------------------------------------------------------

class OnnxRuntime:
    """Two sides: stock CPU provider, ours. The C side is a program of its own."""

    def __init__(self, library, client, threads):
        self.library, self.client, self.threads = library, client, threads
        ort.register_execution_provider_library("irreduce", str(self.library))

    def python_calls(self, model, data, axes):
        ours = [d for d in ort.get_ep_devices() if d.ep_name == "IrreduceExecutionProvider"]
        for devices in ([], ours):
            options = ort.SessionOptions()
            options.intra_op_num_threads = self.threads
            if devices:
                options.add_provider_for_devices(devices, {})
            session = ort.InferenceSession(model, options)
            check(session.run(None, {"x": data})[0], data, axes)
            yield functools.partial(loop, functools.partial(session.run, None, {"x": data}))

    def measure(self, shape, axes, data, rounds, scratch):
        graph = helper.make_graph(
            [helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)], "one",
            [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)],
            [helper.make_tensor("axes", onnx.TensorProto.INT64, [len(axes)], axes)])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
        path = scratch / "model.onnx"
        onnx.save(model, path)
        runtime = next((pathlib.Path(ort.__file__).parent / "capi").glob("libonnxruntime.so.*"))
        c = []
        runs = min(CLIENT_RUNS, rounds)
        for _ in range(runs):
            done = subprocess.run([self.client, runtime, self.library, path,
                                   ",".join(map(str, shape)), str(self.threads),
                                   str(rounds * ROUND_US * 2e-6 / runs)],
                                  capture_output=True, text=True, check=True)
            found = re.search(r"stock_us ([\d.]+) ours_us ([\d.]+)", done.stdout)
            c.append([float(found[1]), float(found[2])])
        return (in_turns(list(self.python_calls(model.SerializeToString(), data, axes)), rounds)
                + [min(side) for side in zip(*c)])


# ---- the table -----------------------------------------------------------------------------------

def cell(us, stock=None):
    digits = max(0, 2 - len(str(int(us))) + 1) if us < 100 else 0
    return f"{us:.{digits}f}" + (f" ({us / stock:.2f})" if stock else "")


def table(measured):
    yield ("| f32 sum | from | OpenVINO's CPU | our device | our extension | ONNX Runtime's CPU | "
           "our provider |")
    yield "|---|---|---|---|---|---|---|"
    for name, shape, axes, vino, onnx_times in measured:
        for k, host in enumerate(("Python", "C")):
            stock, device, extension = vino[3 * k:3 * k + 3]
            their, ours = onnx_times[2 * k:2 * k + 2]
            what = f"{name}, {str(shape).replace(' ', '')} axes {str(axes).replace(' ', '')}"
            yield (f"| {what if not k else ''} | {host} | {cell(stock)} | {cell(device, stock)} | "
                   f"{cell(extension, stock)} | {cell(their)} | {cell(ours, their)} |")


def processor():
    words = re.findall(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return f"{words[0] if words else platform.machine()}, {os.cpu_count()} CPUs"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=61)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--docs", type=pathlib.Path)
    parser.add_argument("--provider", type=pathlib.Path)
    arguments = parser.parse_args()
    rng, measured = np.random.default_rng(0), []
    with tempfile.TemporaryDirectory() as name:
        scratch, folder = pathlib.Path(name), arguments.folder.resolve()
        provider = arguments.provider or folder / "libirreduce_onnxruntime_ep.so"
        hosts = [OpenVINO(folder, arguments.threads, scratch),
                 OnnxRuntime(provider.resolve(), folder / "onnxruntime_client", arguments.threads)]
        for name, shape, axes in ROWS:
            data = rng.standard_normal(shape).astype(np.float32)
            measured.append((name, shape, axes,
                             *(host.measure(shape, axes, data, arguments.rounds, scratch)
                               for host in hosts)))
    text = "\n".join(table(measured))
    print(text)
    if arguments.docs:
        about = (f"Microseconds a call, in parentheses over the host's own; OpenVINO "
                 f"{ov.__version__.split('-')[0]}, ONNX Runtime {ort.__version__}, "
                 f"{arguments.threads} thread, {processor()}, "
                 f"{time.strftime('%Y-%m-%d', time.gmtime())}.")
        old = arguments.docs.read_text()
        new, count = re.subn(r"(<!-- speed -->\n).*(<!-- /speed -->)",
                             lambda m: f"{m[1]}\n{about}\n\n{text}\n\n{m[2]}", old, flags=re.S)
        assert count == 1, "no marks"
        arguments.docs.write_text(new)


if __name__ == "__main__":
    main()
