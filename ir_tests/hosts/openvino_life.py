#!/usr/bin/env python3
"""The device IRREDUCE through thousands of lives inside OpenVINO: no growth of memory, no crash at
the process's end whatever still lives, and a sentence where the library is for another OpenVINO.

usage: openvino_life.py LIBRARY. SPDX-License-Identifier: Apache-2.0"""
import gc
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import openvino as ov
from openvino import opset8

LIBRARY = pathlib.Path(sys.argv[1]).resolve()
LIVES, GROWTH = 10000, 4 << 20  # bytes; one leaked object a life would be more


def sum_model():
    x = opset8.parameter([64], np.int64, name="x")
    return ov.Model([opset8.reduce_sum(x, np.array([0]), False)], [x], "sum")


def resident_bytes():
    gc.collect()
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(life):
    """Of the second half of the lives: the first fills caches and heaps."""
    for _ in range(LIVES // 2):
        life()
    before = resident_bytes()
    for _ in range(LIVES // 2):
        life()
    return resident_bytes() - before


def check_memory(core):
    model, data = sum_model(), np.arange(64)
    compiled = core.compile_model(model, "IRREDUCE")

    def request():
        assert compiled.create_infer_request().infer([data])[0] == 2016

    def whole_model():
        core.compile_model(model, "IRREDUCE").create_infer_request().infer([data])

    turns = itertools.count()

    def asynchronous():
        if next(turns) % 10 == 0:  # each of them makes a thread
            one = core.compile_model(model, "IRREDUCE").create_infer_request()
            one.start_async([data])
            one.wait()

    def refused():
        try:
            core.compile_model(model, "IRREDUCE", {"NO_SUCH_KEY": "1"})
        except RuntimeError:
            return
        raise AssertionError("no error")
    found = {life.__name__: growth(life) for life in (request, whole_model, asynchronous, refused)}
    print(f"bytes more after {LIVES // 2} further lives: {found}")
    return [f"{name}: {bytes} bytes more" for name, bytes in found.items() if bytes > GROWTH]


def patched(folder, name, old, new):
    """A copy of the library in which one text is another one of the same length."""
    data = LIBRARY.read_bytes()
    assert len(old) == len(new) and old in data, old
    path = pathlib.Path(folder) / name
    path.write_bytes(data.replace(old, new))
    return str(path)


def check_versions():
    """The library as if it had been built for another patch release, or another build of this."""
    build = ov.get_version()
    other = build.replace(build.split("-")[1], "1" * len(build.split("-")[1]))
    soname = next((pathlib.Path(ov.__file__).parent / "libs").glob("libopenvino.so.*")).name
    strange = soname[:-4] + "9999"
    cases = [(b"\0" + soname.encode(), b"\0" + strange.encode(), [strange]),
             (build.encode(), other.encode(), ["irreduce", other, build])]
    with tempfile.TemporaryDirectory() as folder:
        for i, (old, new, words) in enumerate(cases):
            core = ov.Core()
            core.register_plugin(patched(folder, f"lib{i}.so", old, new), "IRREDUCE")
            try:
                core.get_versions("IRREDUCE")
            except RuntimeError as error:
                print(" ".join(str(error).split()))
                yield from (f"{word} is not in: {error}" for word in words if word not in str(error))
            else:
                yield f"a library for {new} was taken"


ENDINGS = ("", "del core", "del core, compiled", "request.start_async([x])", "sys.exit(0)",
           "core.unload_plugin('IRREDUCE'); del request, compiled, core")
PROGRAM = """
import sys, numpy as np, openvino as ov
from openvino import opset8
x = opset8.parameter([9], np.int64)
model = ov.Model([opset8.reduce_sum(x, np.array([0]), False)], [x], "sum")
core = ov.Core()
core.register_plugin(sys.argv[1], "IRREDUCE")
compiled = core.compile_model(model, "IRREDUCE")
request = compiled.create_infer_request()
x = np.arange(9)
request.start_async([x])
request.wait()
assert request.get_output_tensor().data == 36
"""


def check_endings():
    for ending in ENDINGS:
        done = subprocess.run([sys.executable, "-c", PROGRAM + ending, str(LIBRARY)],
                              capture_output=True, text=True, check=False, timeout=60)
        if done.returncode or done.stderr:
            yield f"a process that ends with {ending!r}: {done.returncode} {done.stderr}"


def main():
    core = ov.Core()
    core.register_plugin(str(LIBRARY), "IRREDUCE")
    print(f"OpenVINO {ov.__version__}", flush=True)
    problems = [*check_memory(core), *check_versions(), *check_endings()]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
