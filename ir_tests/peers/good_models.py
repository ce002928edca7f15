#!/usr/bin/env python3
"""OpenVINO must read and run every good model of ir_tests/models/good, so that they are real IR.
Those that it does not are listed in refused.txt with its own error; nothing else may fail, and
nothing in the list may work. --write makes the list again.

Needs what ci/peers.txt names. SPDX-License-Identifier: Apache-2.0"""
import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from peer_openvino import OpenVino  # noqa: E402

MODELS = HERE.parent / "models" / "good"
LIST = HERE / "refused.txt"
HEAD = ("# Good models that OpenVINO does not run, and what it says: written by good_models.py --write.\n"
        "# Lone fragments are no models and are not asked for.\n")


def run_model(path):
    """In the worker: every Parameter is ones, its dynamic dimensions are their least."""
    import openvino
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(path), "CPU")
    request = compiled.create_infer_request()
    for i, port in enumerate(compiled.inputs):
        shape = [d.get_length() if d.is_static else max(d.get_min_length(), 1)
                 for d in port.partial_shape]
        tensor = openvino.Tensor(port.element_type, openvino.Shape(shape))
        name = port.get_any_name() if port.names else ""
        tensor.data[...] = 0 if "axes" in name or "axis" in name else 1
        request.set_input_tensor(i, tensor)
    request.infer()
    return len(compiled.outputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", help="for the callers' sake; not used")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    listed = {}
    if not arguments.write:
        lines = [s for s in LIST.read_text().splitlines() if s and s[0] != "#"]
        listed = dict(line.split(": ", 1) for line in lines)
    models = [p for p in sorted(MODELS.glob("*.xml")) if "<net" in p.read_text()]
    found, wrong = {}, 0
    with OpenVino() as peer:
        for path in models:
            answer = peer.call(run_model, str(path))
            if isinstance(answer, str):
                found[path.name] = answer
            if found.get(path.name) != listed.get(path.name) and not arguments.write:
                print(f"{path.name}: {found.get(path.name, 'runs')}, "
                      f"the list says: {listed.get(path.name, 'runs')}")
                wrong += 1
    if arguments.write:
        LIST.write_text(HEAD + "".join(f"{k}: {v}\n" for k, v in found.items()))
    print(f"{len(models)} models, {len(models) - len(found)} run, {wrong} unlike the list")
    return 1 if wrong or not models else 0


if __name__ == "__main__":
    sys.exit(main())
