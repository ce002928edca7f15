#!/usr/bin/env python3
"""What plugin/openvino/openvino_abi.hpp declares, read again from the wheel's own libopenvino: the
order of virtual functions (its vtables, the calls in its public wrappers, the vtables of our own
library), the sizes that its constructors fill, the symbols that we use. Fails where one moved.

usage: openvino_abi.py LIBRARY HEADER; needs readelf, objdump, c++filt.
SPDX-License-Identifier: Apache-2.0"""
import ctypes
import pathlib
import re
import subprocess
import sys

import openvino as ov

YEAR, MINOR = (int(n) for n in ov.__version__.split(".")[:2])
RELEASE = YEAR * 100 + MINOR
IPLUGIN = (["compile_model"] * 3 + ["set_property", "get_property", "create_context",
           "get_default_context"] + ["import_model"] * (4 if RELEASE >= 202503 else 2)
           + ["query_model", "~", "~"] + ["is_property_supported"] * (RELEASE >= 202601))
REQUEST = ["~", "~", "infer", "get_profiling_info", "get_tensor", "set_tensor", "get_tensors",
           "set_tensors", "query_state", "get_compiled_model", "get_inputs", "get_outputs",
           "check_tensors"]
# class: (slots in order, our class that fills them)
SLOTS = {
    "ov::IPlugin": (IPLUGIN, "irreduce::Plugin"),
    "ov::ICompiledModel": (["outputs", "inputs", "create_infer_request", "export_model",
                            "get_runtime_model", "set_property", "get_property", "release_memory",
                            "~", "~", "create_sync_infer_request"], "irreduce::CompiledModel"),
    "ov::IInferRequest": (REQUEST, None),
    "ov::ISyncInferRequest": (REQUEST + ["set_tensors_impl"], "irreduce::InferRequest"),
    "ov::threading::ITaskExecutor": (["~", "~", "run", "run_and_wait"], "irreduce::Executor"),
}
# public class: (interface that it calls, its functions that do little else)
WRAPPERS = {
    "ov::CompiledModel": ("ov::ICompiledModel", [
        "outputs() const", "inputs() const", "create_infer_request()", "export_model(",
        "get_runtime_model() const", "set_property(", "get_property("]),
    "ov::InferRequest": ("ov::IInferRequest", ["infer()", "get_profiling_info() const",
                                               "query_state()"]),
}
OLD_STRING = 24 if YEAR < 2026 else 0  # a string of the older C++ ABI is so much shorter
SIZES = {"ov::IPlugin": 0x68 - OLD_STRING, "ov::ICompiledModel": 0xa8 if RELEASE >= 202602 else 0x98,
         "ov::ISyncInferRequest": 0xe8}
problems = []


def expect(what, found, right):
    if found != right:
        problems.append(f"{what}: {found}, not {right}")


def lines_of(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=True,
                          **more).stdout.splitlines()


def demangled(names):
    return lines_of("c++filt", input="\n".join(names))


class Binary:
    def __init__(self, path):
        rows = [line.split() for line in lines_of("readelf", "-sW", path)]
        rows = [row for row in rows if len(row) == 8 and row[6] not in ("UND", "Ndx")]
        names = demangled([re.sub("@.*", "", row[7]) for row in rows])
        self.path, self.at, self.named = path, {}, {}
        for row, name in zip(rows, names):
            self.at[int(row[1], 16)] = name
            self.named[name] = int(row[1], 16), int(row[2], 0)
        relocations = [line.split() for line in lines_of("readelf", "-rW", path)]
        relocations = [row for row in relocations if re.fullmatch("[0-9a-f]{16}", row[0] if row
                                                                  else "")]
        symbols = iter(demangled([re.sub("@.*", "", row[4]) for row in relocations
                                  if len(row) > 4]))
        self.targets = {int(row[0], 16): next(symbols) if len(row) > 4
                        else self.at.get(int(row[3], 16), "?") for row in relocations}

    def slots(self, name):
        """Of each virtual function its bare name; "pure", or None where there is none."""
        start, size = self.named[f"vtable for {name}"]
        targets = [self.targets.get(at) for at in range(start + 16, start + size, 8)]
        return [bare(target) for target in targets]

    def calls(self, start):
        """Slots of the virtual calls at the beginning of the function there."""
        text = "\n".join(lines_of("objdump", "-d", "--no-show-raw-insn", f"--start-address={start}",
                                  f"--stop-address={start + 400}", self.path))
        return [int(n or "0", 16) // 8 for n in re.findall(r"call +\*(0x[0-9a-f]+)?\(%r\w+\)", text)]


def bare(function):
    if function is None or function == "__cxa_pure_virtual":
        return function and "pure"
    name = re.sub(r"\[abi:\w+\]", "", function.split("(")[0]).rsplit("::", 1)[-1]
    return "~" if name.startswith("~") else name


def check_slots(theirs, ours):
    for name, (right, filled_by) in SLOTS.items():
        found = theirs.slots(name)
        named = [r if f in ("pure", None) else f for f, r in zip(found, right)]
        expect(f"slots of {name}", (len(found), named), (len(right), right))
        expect(f"destructors of {name}", [k for k, f in enumerate(found) if f in (None, "~")],
               [k for k, r in enumerate(right) if r == "~"])
        if filled_by:
            expect(f"slots of {filled_by}", ours.slots(filled_by), right)
    for wrapper, (interface, functions) in WRAPPERS.items():
        for function in functions:
            start = next(at for name, (at, _) in theirs.named.items()
                         if name.startswith(f"{wrapper}::{function}"))
            right = SLOTS[interface][0].index(bare(f"{wrapper}::{function}"))
            expect(f"first slot called by {wrapper}::{function}", theirs.calls(start)[:1], [right])


def filled(constructor, *arguments):
    """How many bytes from the object's start the constructor writes, and the object."""
    ends = []
    for pattern in (0xA5, 0x5A):  # a byte of the one's value may be written, but not of both
        memory = ctypes.create_string_buffer(bytes([pattern]) * 4096, 4096)
        constructor(memory, *arguments)
        ends.append(max(k for k, byte in enumerate(memory.raw) if byte != pattern) + 1)
    return max(ends), memory


def check_sizes(path, header):
    """The wheel's constructors, called on memory of a known pattern."""
    library = ctypes.CDLL(path)
    pair = ctypes.c_void_p * 2  # a shared_ptr: object, owner
    none, found = pair(None, None), {}

    def make_plugin(memory):  # some releases leave the version to be set
        library["_ZN2ov7IPluginC1Ev"](memory)
        library["_ZN2ov7IPlugin11set_versionERKNS_7VersionE"](memory, pair(0x11 << 56, 0x11 << 56))

    found["ov::IPlugin"], plugin = filled(make_plugin)
    at_plugin = pair(ctypes.addressof(plugin), None)
    found["ov::ICompiledModel"], model = filled(library[
        "_ZN2ov14ICompiledModelC1ERKSt10shared_ptrIKNS_5ModelEERKS1_IKNS_7IPluginEE"
        "RKS1_INS_9threading13ITaskExecutorEESG_"], none, at_plugin, none, none)
    found["ov::ISyncInferRequest"], _ = filled(library[
        "_ZN2ov17ISyncInferRequestC1ERKSt10shared_ptrIKNS_14ICompiledModelEE"],
        pair(ctypes.addressof(model), None))
    getter = library["_ZNK2ov7IPlugin15get_device_name" + ("B5cxx11" if YEAR >= 2026 else "") + "Ev"]
    getter.restype = ctypes.c_void_p
    expect("offset of IPlugin's name", getter(plugin) - ctypes.addressof(plugin), 0x18)
    text = header.read_text()
    for name, size in SIZES.items():
        expect(f"bytes of {name}", hex((found[name] + 7) // 8 * 8), hex(size))
        part = text[text.index(f"class OPENVINO_API {name[4:]} "):]
        reserve = int(re.search(r"IRR_RESERVE\((\d+)\);", part)[1])
        owned = name == "ov::ICompiledModel"  # no member of it is named: all lies in the reserve
        if owned and reserve < size or reserve < 128:
            problems.append(f"reserve of {name}: {reserve} bytes")


def main():
    library, header = (pathlib.Path(a) for a in sys.argv[1:])
    path = str(next((pathlib.Path(ov.__file__).parent / "libs").glob("libopenvino.so.*")))
    theirs, ours = Binary(path), Binary(str(library))
    check_slots(theirs, ours)
    check_sizes(path, header)
    for name in demangled([line.split()[7].split("@")[0] for line in
                           lines_of("readelf", "--dyn-syms", "-W", library)
                           if " UND _Z" in line and re.search(r"UND _Z\w*N?K?2ov", line)]):
        if name not in theirs.named:
            problems.append(f"symbol {name} is not in {path}")
    dynamic = "\n".join(lines_of("readelf", "-dW", library))
    if "RUNPATH" in dynamic or "RPATH" in dynamic or "NODELETE" not in dynamic:
        problems.append("the library has a RUNPATH, or lacks -z nodelete")
    print(f"OpenVINO {ov.__version__}: {sum(len(s) for s, _ in SLOTS.values())} slots, "
          f"{len(SIZES)} sizes")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
