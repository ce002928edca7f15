"""What the execution provider promises beside numbers: threads, bits, errors, memory, registering
and unregistering, a runtime that is too old. SPDX-License-Identifier: Apache-2.0"""
import ctypes
import gc
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import onnxruntime_host as host

SESSIONS = 10_000
GROWTH_BYTES = 8 << 20  # a graph left behind in each session would be eight times this


def fails(call, *words):
    """The exception's text, which holds each of the words."""
    try:
        call()
    except Exception as error:
        text = str(error)
        assert all(word in text for word in words), text
        return text
    raise AssertionError(f"no exception; expected one with {words}")


# ---- tests ---------------------------------------------------------------------------------------

def test_too_old(case_host, library):
    """A runtime whose newest interface is older than ours gets a sentence, made with its oldest."""
    created = []
    create_type = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)
    table_type = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)
    text_type = ctypes.CFUNCTYPE(ctypes.c_void_p)
    number = ctypes.create_string_buffer(b"1.23.2")

    @create_type
    def create_status(code, sentence):
        created.append((code, sentence.decode()))
        return 77

    oldest = (ctypes.c_void_p * 1)(ctypes.cast(create_status, ctypes.c_void_p).value)
    table = table_type(lambda version: ctypes.addressof(oldest) if version == 1 else None)
    text = text_type(lambda: ctypes.addressof(number))

    class Base(ctypes.Structure):
        _fields_ = [("table", table_type), ("text", text_type)]

    base = Base(table, text)
    create = ctypes.CDLL(os.path.abspath(library)).CreateEpFactories
    create.restype = ctypes.c_void_p
    create.argtypes = [ctypes.c_char_p] + [ctypes.c_void_p] * 3 + [ctypes.c_size_t, ctypes.c_void_p]
    status = create(b"irreduce", ctypes.addressof(base), None, None, 1, None)
    assert status == 77 and len(created) == 1 and created[0][0] != 0
    assert "1.23.2" in created[0][1] and "1.24 or later" in created[0][1], created


def test_errors(case_host, library):
    session = case_host.session(host.node_model("ReduceSum", 18, "float", ["n", 3], {}, "input",
                                                "total"))
    data = np.ones((2, 3), np.float32)
    for axis in (2, -3, 1 << 40):
        fails(lambda: host.run(session, "float", data, [axis]),
              f"axis {axis} is outside [-2, 1] of data [2,3]", "total")
    assert host.run(session, "float", data, [0]).tolist() == [[2, 2, 2]]  # it lives on
    session = case_host.session(host.node_model("ReduceMax", 18, "float", None, {}, [1], "top"))
    fails(lambda: host.run(session, "float", np.ones(4, np.float32)), "axis 1 is outside [-1, 0]")
    assert host.run(session, "float", data).tolist() == [[1], [1]]
    fails(lambda: case_host.session(host.node_model("ReduceSum", 18, "int8", [2], {})),
          "tensor(int8)")
    fails(lambda: case_host.session(
        host.node_model("ReduceMax", 18, "float", [1] * 65, {}, [1], "deep")), "rank 65", "deep")
    fails(lambda: case_host.session(host.node_model("ReduceMean", 18, "int32", [0, 3], {}, [0])),
          "an empty set of i32 has no ReduceMean")


def test_options(case_host, library):
    """Properties of the device are the provider's options."""
    model = host.node_model("ReduceSum", 18, "float", [3], {"keepdims": 0}, [0])
    data = np.array([1e30, 1, -1e30], np.float32)
    for properties in ({"EXECUTION_MODE_HINT": "ACCURACY"}, {"IRREDUCE_BACKEND": "reference"}):
        assert host.run(case_host.session(model, **properties), "float", data) == 1
    fails(lambda: case_host.session(model, IRREDUCE_ISA="avx3"), 'IRREDUCE_ISA is "avx3"', "avx512")
    fails(lambda: case_host.session(model, IRREDUCE_ISA="x" * 100))
    fails(lambda: case_host.session(model, IRREDUCE_ISS="avx2"), "IRREDUCE_ISS is unknown")
    fails(lambda: case_host.session(model, IRREDUCE_BACKEND="onednn"), "built without oneDNN")


def test_memory_at_any_address(case_host, library):
    """Tensors of the caller's, a byte off, in and out."""
    for word in ("float", "int64", "float16"):
        dtype = host.exact.DTYPES[host.TYPES[word][1]]
        session = case_host.session(host.node_model("ReduceSum", 18, word, ["n", 33], {}, [0]))
        memory = [np.zeros(count * dtype.itemsize + 1, np.uint8)[1:] for count in (5 * 33, 33)]
        data, result = (m.view(dtype).reshape(-1, 33) for m in memory)
        data[:] = np.arange(5 * 33).reshape(5, 33)
        binding = session.io_binding()
        for bind, name, array in ((binding.bind_input, "x", data),
                                  (binding.bind_output, "y", result)):
            assert array.ctypes.data % dtype.itemsize
            bind(name, "cpu", 0, dtype, array.shape, array.ctypes.data)
        session.run_with_iobinding(binding)
        assert result.tolist() == [[5 * n + 330 for n in range(33)]]


def test_threads_on_one_session(case_host, library):
    """Each shape has its own plan; requests are never shared."""
    session = case_host.session(host.node_model("ReduceL2", 18, "double", ["n", "m"], {}, "input"),
                                threads=2)
    rng = np.random.default_rng(5)
    cases = []
    for n, m in [(3, 5), (200, 300), (1, 7), (64, 64)]:
        data = rng.standard_normal((n, m))
        for axes in ([0], [1], [0, 1]):
            cases.append((data, axes, host.run(session, "double", data, axes)))

    def work(first):
        for i in range(300):
            data, axes, expected = cases[(first + i) % len(cases)]
            found = host.run(session, "double", data, axes)
            assert found.tobytes() == expected.tobytes(), (data.shape, axes)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(0, 12, 3)))


def test_same_bits(case_host, library):
    rng = np.random.default_rng(6)
    for op, shape, axes in [("ReduceSum", (1 << 20,), [0]), ("ReduceMean", (64, 4096), [1]),
                            ("ReduceL2", (300, 7, 300), [0, 2]), ("ReduceProd", (4096, 64), [0])]:
        data = rng.standard_normal(shape).astype(np.float32)
        data.reshape(-1)[7] = np.nan
        model = host.node_model(op, 18, "float", list(shape), {}, axes)
        bits = {host.run(case_host.session(model, threads, **properties), "float", data).tobytes()
                for threads in (1, 2, 3, 8)
                for properties in ({}, {"INFERENCE_NUM_THREADS": "5"}, {"IRREDUCE_ISA": "scalar"})}
        assert len(bits) == 1, (op, shape)


class Mallinfo(ctypes.Structure):
    """glibc's struct mallinfo2."""
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
        "fordblks", "keepcost")]


def allocated_bytes():
    """In use, on this thread's heap and mapped: what is resident also counts gaps in the heap."""
    gc.collect()
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = Mallinfo
    info = mallinfo2()
    return info.uordblks + info.hblkhd


def test_many_sessions(case_host, library):
    models = [host.node_model("ReduceSum", 18, "float", [2, 3], {}, [0]),
              host.node_model("ReduceMin", 18, "float", ["n", 3], {}, "input")]
    data, readings = np.ones((2, 3), np.float32), []
    for i in range(SESSIONS):
        session = case_host.session(models[i & 1], threads=1)
        host.run(session, "float", data, [0] if i & 1 else None)
        if i % (SESSIONS // 20) == SESSIONS // 20 - 1:
            readings.append(allocated_bytes())
    # Some releases of the runtime free late, in bursts: the least of the second half.
    growth = min(readings[10:]) - readings[1]
    print(f"  {growth} bytes more after {SESSIONS} sessions")
    assert growth < GROWTH_BYTES


def test_unregister_early(case_host, library):
    """A session outlives the registration of its provider; the library can be registered again."""
    session = case_host.session(host.node_model("ReduceMax", 18, "float", ["n"], {}, "input"))
    data = np.array([3, 9, 4], np.float32)
    case_host.unregister()
    assert host.run(session, "float", data, [0]) == 9
    again = host.Host(library, "again")
    assert host.run(session, "float", data[:2], [0]) == 9  # a shape that is not planned yet
    other = again.session(host.node_model("ReduceMin", 18, "float", ["n"], {}, "input"))
    del session
    assert host.run(other, "float", data, [0]) == 3
    again.unregister()


def main():
    library = host.arguments(__doc__).library
    case_host = host.Host(library)
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            print(name, flush=True)
            test(case_host, library)


if __name__ == "__main__":
    main()
