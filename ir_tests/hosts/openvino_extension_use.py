#!/usr/bin/env python3
"""The extension as a program meets it inside OpenVINO: in If bodies, with shapes and axes known at
infer, folded constants, through AUTO and the model cache, saved again, from C, from many threads,
10,000 times, and refused by another release.

usage: openvino_extension_use.py LIBRARY. SPDX-License-Identifier: Apache-2.0"""
import ctypes
import gc
import os
import pathlib
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import openvino as ov
from openvino import opset13 as ops

LIBRARY = pathlib.Path(sys.argv[1]).resolve()
DATA = np.random.default_rng(7).standard_normal((2, 3, 4)).astype(np.float32)
L2 = np.sqrt((DATA.astype(np.float64) ** 2).sum(1, keepdims=True))


def core(**properties):
    made = ov.Core()
    made.add_extension(str(LIBRARY))
    made.set_property(properties)
    return made


def close(found, right):
    np.testing.assert_allclose(found, right, rtol=1e-6)


def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096


class Use(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name) / "model.xml"
        self.addCleanup(self.folder.cleanup)

    def save(self, outputs, inputs):
        ov.save_model(ov.Model(outputs, inputs), self.path, compress_to_fp16=False)
        return self.path

    def norm(self, shape=(2, 3, 4)):
        data = ops.parameter(shape, np.float32)
        return self.save([ops.relu(ops.reduce_l2(ops.relu(data), [1], True))], [data])

    def test_bodies_of_if(self):
        flag, data = ops.parameter([], bool), ops.parameter([2, -1], np.float32)
        bodies = []
        for make in (ops.reduce_l2, ops.reduce_sum):
            inner = ops.parameter([2, -1], np.float32)
            bodies.append((ov.Model([make(inner, [1], True)], [inner]), inner))
        branch = ops.if_op(flag)
        branch.set_then_body(bodies[0][0])
        branch.set_else_body(bodies[1][0])
        branch.set_input(data.output(0), bodies[0][1], bodies[1][1])
        out = branch.set_output(bodies[0][0].results[0], bodies[1][0].results[0])
        compiled = core().compile_model(self.save([out], [flag, data]), "CPU")
        given = np.array([[3e30, 4e30], [3, 4]], np.float32)  # OpenVINO's own L2 is infinite
        close(compiled([np.array(True), given])[0], [[5e30], [5]])
        close(compiled([np.array(False), given[:, :1]])[0], given[:, :1])

    def test_shapes_at_infer(self):
        for shape in ([-1, -1, -1], [-1, 3, ov.Dimension(1, 10)]):
            request = core().compile_model(self.norm(shape), "CPU").create_infer_request()
            for again in (1, 2, 5, 2):
                data = np.abs(np.tile(DATA, (again, 1, again)))[:, :, :10]
                right = np.sqrt((data.astype(np.float64) ** 2).sum(1, keepdims=True))
                close(request.infer([data])[0], right)

    def test_axes_at_infer(self):
        for keep in (True, False):
            for count in (0, 1, 2):
                data, axes = ops.parameter([2, 3, 4], np.float32), ops.parameter([count], np.int64)
                path = self.save([ops.reduce_sum(data, axes, keep)], [data, axes])
                request = core().compile_model(path, "CPU").create_infer_request()
                for given in ([0, 1], [-1, 1], [2, 0]):
                    given = given[:count]
                    right = DATA.astype(np.float64).sum(tuple(given), keepdims=keep)
                    close(request.infer([DATA, np.array(given, np.int64)])[0],
                          right if count else DATA)

    def test_wrong_axes_are_told(self):
        data, axes = ops.parameter([2, 3, 4], np.float32), ops.parameter([1], np.int64)
        path = self.save([ops.reduce_sum(data, axes, True)], [data, axes])
        request = core().compile_model(path, "CPU").create_infer_request()
        with self.assertRaisesRegex(RuntimeError, r"axis 3 is outside \[-3, 2\] of data \[2,3,4\]"):
            request.infer([DATA, np.array([3])])
        close(request.infer([DATA, np.array([1])])[0], DATA.sum(1, keepdims=True))

    def test_constants_are_folded(self):
        data = ops.parameter([2], np.float32)
        known = ops.constant(np.array([[3e30, 4e30], [3, 4]], np.float32))
        path = self.save([ops.multiply(data, ops.reduce_l2(known, [1], False))], [data])
        compiled = core().compile_model(path, "CPU")
        left = [node.get_rt_info()["layerType"].astype(str)
                for node in compiled.get_runtime_model().get_ops()]
        self.assertNotIn("Reference", left)
        close(compiled([np.ones(2, np.float32)])[0], [5e30, 5])

    def test_devices(self):
        for device in ("AUTO", "AUTO:CPU", "MULTI:CPU", "HETERO:CPU"):
            close(core().compile_model(self.norm(), device)([np.abs(DATA)])[0], L2)

    def test_cache(self):
        path = self.norm()  # once: the cache goes by the file's time, too
        for found in (False, True):
            compiled = core(CACHE_DIR=self.folder.name).compile_model(path, "CPU")
            self.assertEqual(compiled.get_property("LOADED_FROM_CACHE"), found)
            close(compiled([np.abs(DATA)])[0], L2)

    def test_saved_again(self):
        again = self.path.with_name("again.xml")
        ov.save_model(core().read_model(self.norm()), again)
        close(core().compile_model(again, "CPU")([np.abs(DATA)])[0], L2)
        with self.assertRaisesRegex(RuntimeError, "IrreduceReduceL2"):
            ov.Core().compile_model(again, "CPU")

    def test_profile_tells_it_apart(self):
        """The CPU device calls every foreign operation Reference."""
        request = core(PERF_COUNT=True).compile_model(self.norm(), "CPU").create_infer_request()
        request.infer([DATA])
        self.assertIn("Reference", [row.node_type for row in request.profiling_info])

    def test_strided_tensors(self):
        data = ops.parameter([2, 3, 4], np.float32)
        model = core().read_model(self.save([ops.reduce_l2(data, [1], True)], [data]))
        whole = ov.Tensor(np.zeros((3, 5, 6), np.float32))
        whole.data[1:, 1:4, 2:] = DATA
        region, out = ov.Tensor(whole, [1, 1, 2], [3, 4, 6]), ov.Tensor(np.zeros_like(L2, np.float32))
        self.assertTrue(model.evaluate([out], [region]))
        close(out.data, L2)

    def test_c(self):
        libs = pathlib.Path(ov.__file__).parent / "libs"
        c = ctypes.CDLL(str(next(libs.glob("libopenvino_c.so*"))))
        handle, compiled, request, tensor, data = (ctypes.c_void_p() for _ in range(5))
        for status in (
                c.ov_core_create(ctypes.byref(handle)),
                c.ov_core_add_extension(handle, str(LIBRARY).encode()),
                c.ov_core_compile_model_from_file(handle, str(self.norm()).encode(), b"CPU",
                                                  ctypes.c_size_t(0), ctypes.byref(compiled)),
                c.ov_compiled_model_create_infer_request(compiled, ctypes.byref(request)),
                c.ov_infer_request_get_input_tensor(request, ctypes.byref(tensor)),
                c.ov_tensor_data(tensor, ctypes.byref(data))):
            self.assertEqual(status, 0)
        ctypes.memmove(data, np.abs(DATA).ctypes.data, DATA.nbytes)
        c.ov_tensor_free(tensor)
        self.assertEqual(c.ov_infer_request_infer(request), 0)
        c.ov_infer_request_get_output_tensor(request, ctypes.byref(tensor))
        c.ov_tensor_data(tensor, ctypes.byref(data))
        found = np.ctypeslib.as_array(ctypes.cast(data, ctypes.POINTER(ctypes.c_float)), L2.shape)
        close(found, L2)
        for free, what in ((c.ov_tensor_free, tensor), (c.ov_infer_request_free, request),
                           (c.ov_compiled_model_free, compiled), (c.ov_core_free, handle)):
            free(what)

    def test_threads(self):
        """Four threads on one compiled model, whose requests share a node; shapes change."""
        compiled = core().compile_model(self.norm([-1, -1, -1]), "CPU", {"NUM_STREAMS": 2})

        def work(seed):
            rng, request = np.random.default_rng(seed), compiled.create_infer_request()
            for _ in range(200):
                data = rng.random(rng.integers(1, 40, 3), np.float32)
                close(request.infer([data])[0],
                      np.sqrt((data.astype(np.float64) ** 2).sum(1, keepdims=True)))
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(4)))

    def test_memory_does_not_grow(self):
        """10,000 models read and evaluated, 100 compiled: a plan that is lost each time would show."""
        data = ops.parameter([2, 3, 4], np.float32)
        path = self.save([ops.reduce_l2(data, [1], True)], [data])
        here, given = core(), ov.Tensor(DATA)
        out = ov.Tensor(np.zeros_like(L2, np.float32))

        def evaluate(count):
            for _ in range(count):
                self.assertTrue(here.read_model(path).evaluate([out], [given]))
            gc.collect()

        def compile_them(count):
            for _ in range(count):
                here.compile_model(path, "CPU").create_infer_request().infer([given])
            gc.collect()
        for act, warm, count, most in ((evaluate, 1000, 10000, 5 << 20),
                                       (compile_them, 30, 100, 5 << 20)):
            act(warm)
            before = resident()
            act(count)
            self.assertLess(resident() - before, most, act.__name__)

    def test_another_release_is_refused(self):
        """The library says of another build number that it was made for that one."""
        build = ov.get_version().encode()
        self.assertIn(build, LIBRARY.read_bytes())
        other = pathlib.Path(self.folder.name) / "other.so"
        other.write_bytes(LIBRARY.read_bytes().replace(build, build[:-1] + b"9"))
        with self.assertRaises(RuntimeError) as caught:
            ov.Core().add_extension(str(other))
        for part in ("built for OpenVINO", ov.get_version(), ov.get_version()[:-1] + "9"):
            self.assertIn(part, str(caught.exception))


if __name__ == "__main__":
    print(f"OpenVINO {ov.get_version()}", flush=True)
    os.environ.pop("IRREDUCE_BACKEND", None)
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
