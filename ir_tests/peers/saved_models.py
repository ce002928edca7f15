#!/usr/bin/env python3
"""IR files that OpenVINO itself writes: `check` must find no problem, `query` must take every reduce
layer whose operation and type irreduce has, and `run --layer` must run each of them.

Needs what ci/peers.txt names. SPDX-License-Identifier: Apache-2.0"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from ir_model import supported  # noqa: E402


def call(command, *arguments):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True,
                          check=False, timeout=60)
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError:
        return done.returncode, {"error": {"message": done.stderr.strip() or done.stdout.strip()}}


def problems_of(command, path, layers, taken):
    """Of one file; `layers`: [(id, op, type, dynamic shape or None)] that it holds."""
    _, answer = call(command, "check", path, "--json")
    if "error" in answer:
        yield f"check: {answer['error']['message']}"
        return
    for problem in answer["files"][0]["problems"]:
        yield f"check: line {problem['line']}: {problem['message']}"
    known = [layer for layer in layers if layer[1] in taken]
    if answer["files"][0]["reduce_layers"] != len(known):
        yield f"check: {answer['files'][0]['reduce_layers']} reduce layers, not {len(known)}"
    _, answer = call(command, "query", path, "--json")
    if "error" in answer:
        yield f"query: {answer['error']['message']}"
    else:
        told = {(r["name"], r["type"]): r for r in answer["layers"]}
        for where, op, kind, _ in layers:
            row = told.get((where, op))
            if kind in taken.get(op, ()) and row and not row["supported"]:
                yield f"query: {where}: {row['reason']}"
    for where, op, kind, shape in layers:
        if kind in taken.get(op, ()):
            more = ["--shape", "data=" + ",".join(map(str, shape))] if shape else []
            axes = ["--axes", "0"] if where.startswith("axes_given") else []
            code, answer = call(command, "run", path, "--layer", where, "--json", *more, *axes)
            if code:
                yield f"run --layer {where}: {answer['error']['message']}"
            elif not answer["outputs"]:
                yield f"run --layer {where}: no outputs"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="irreduce", help="the command to test")
    parser.add_argument("--keep", help="a folder to leave the models in")
    arguments = parser.parse_args()
    from models_openvino import MODELS, save
    taken, wrong, count = supported(arguments.command), 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in MODELS:
            for compressed in (False, True):
                path = folder / f"{name}{'_fp16' if compressed else ''}.xml"
                layers = save(name, path, compressed)
                count += 1
                for sentence in problems_of(arguments.command, path, layers, taken):
                    print(f"{path.name}: {sentence}")
                    wrong += 1
    print(f"{count} models that OpenVINO wrote, {wrong} problems")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
