#!/usr/bin/env python3
"""The same random IR models through OpenVINO's CPU device and through `irreduce run`, both compared
with exact arithmetic. Prints a table; any wrong answer of irreduce fails the run. With --docs it
also writes the page of OpenVINO's defects, each with a smallest example.

Needs what ci/peers.txt names. SPDX-License-Identifier: Apache-2.0"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import peer_onnxruntime  # noqa: E402
from cases import random_case, sorts_of  # noqa: E402
from facts import write_page  # noqa: E402
from ir_model import Model, read_output, supported  # noqa: E402
from judge import agree, wrong_outputs  # noqa: E402
from peer_openvino import OpenVino, versions  # noqa: E402
from shrink import shrink  # noqa: E402

HEADINGS = ("op", "type", "kind of input", "cases", "irreduce wrong", "OpenVINO wrong", "agree")


class Row:
    def __init__(self):
        self.cases = self.ours = self.theirs = self.agree = 0
        self.example = None
        self.refusals = []

    def add(self, other):
        for name in ("cases", "ours", "theirs", "agree"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def cells(self):
        return self.cases, self.ours, self.theirs, self.agree


def run_irreduce(command, layers, folder, accurate):
    """Of each layer its output, or the command's error."""
    model = Model()
    call = [command, "run", str(folder / "model.xml"), "--output-dir", str(folder)]
    for i, layer in enumerate(layers):
        model.reduction(i, layer)
        if layer["parameter"]:
            np.save(folder / f"x{i}.npy", layer["data"])
            call += ["--input", f"x{i}={folder / f'x{i}.npy'}"]
    model.write(folder / "model.xml")
    call += ["--property", "EXECUTION_MODE_HINT=ACCURACY"] if accurate else []
    done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        return [f"exit {done.returncode}: {done.stderr.strip()[:300]}"] * len(layers)
    return [read_output(folder, i, layer) for i, layer in enumerate(layers)]


def run_batch(arguments, peer, layers, seed, rows):
    """One model; every other one asks irreduce for correctly rounded answers."""
    accurate = arguments.accuracy and seed % 2 == 1
    with tempfile.TemporaryDirectory() as folder:
        ours = run_irreduce(arguments.command, layers, pathlib.Path(folder), accurate)
    theirs = peer.run(layers)
    for i, layer in enumerate(layers):
        row = rows[layer["op"], layer["kind"], layer["name"]]
        row.cases += 1
        row.agree += agree(ours[i], theirs[i])
        for index, sentence in wrong_outputs(layer, ours[i], accurate=accurate)[:1]:
            row.ours += 1
            print(f"irreduce is wrong: seed {seed}, layer {i}, "
                  f"{'ACCURACY' if accurate else 'PERFORMANCE'}: {layer['op']} {layer['kind']} "
                  f"{list(layer['data'].shape)} axes {layer['written']} keep_dims {layer['keep']} "
                  f"({layer['name']}): output {index}: {sentence}", flush=True)
        if wrong_outputs(layer, theirs[i], kindly=True):
            row.theirs += 1
            if isinstance(theirs[i], str):
                row.refusals.append(re.sub(r"'[^']*'", "'...'", theirs[i]))
            if row.example is None or layer["data"].size < row.example["data"].size:
                row.example = layer


def takes_accuracy(command):
    """Correct rounding is asked for where every backend that may answer knows it."""
    done = subprocess.run([command, "devices"], capture_output=True, text=True, check=True)
    return "ACCURACY" in done.stdout


def print_refusals(rows):
    """OpenVINO's own errors; they count as wrong answers."""
    told = collections.Counter()
    for row in rows.values():
        told.update(row.refusals)
    for text, count in told.most_common():
        print(f"OpenVINO refused {count} cases: {text}")


def print_table(rows):
    cells = [HEADINGS] + [(*key, *row.cells()) for key, row in rows.items()]
    widths = [max(len(str(line[c])) for line in cells) for c in range(len(HEADINGS))]
    for line in cells:
        print("  ".join(str(v).ljust(w) if c < 3 else str(v).rjust(w)
                        for c, (v, w) in enumerate(zip(line, widths))).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="irreduce", help="the command to test")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "little"))
    parser.add_argument("--rounds", type=int, default=3, help="cases of each row")
    parser.add_argument("--layers", type=int, default=150, help="of a model")
    parser.add_argument("--elements", type=int, default=1500, help="of a tensor, at most")
    parser.add_argument("--seconds", type=float, default=100, help="no further model after these")
    parser.add_argument("--shrink-seconds", type=float, default=60)
    parser.add_argument("--docs", type=pathlib.Path, help="write the page of facts here")
    arguments = parser.parse_args()
    taken = supported(arguments.command)
    arguments.accuracy = takes_accuracy(arguments.command)
    kinds = [(op, kind, sort) for op in taken for kind in taken[op] for sort in sorts_of(op, kind)]
    rows = {key: Row() for key in kinds}
    print(f"seed {arguments.seed}; irreduce's operations: {', '.join(taken)}", flush=True)
    # cases of one kind go together: what OpenVINO refuses is then found in few halvings
    todo = collections.deque(sorted(kinds * arguments.rounds, key=lambda key: key[2]))
    seed, end = arguments.seed, time.monotonic() + arguments.seconds
    with OpenVino() as peer:
        version, device, narrowed = peer.call(versions)
        while todo and time.monotonic() < end:
            rng = np.random.default_rng(seed)
            part = [todo.popleft() for _ in range(min(arguments.layers, len(todo)))]
            run_batch(arguments, peer, [random_case(rng, *key, arguments.elements) for key in part],
                      seed, rows)
            seed += 1
        print_table(rows)
        print_refusals(rows)
        if arguments.docs:
            examples = [row.example for row in rows.values() if row.example]
            facts = shrink(peer, examples, arguments.shrink_seconds)
            more = peer.call(peer_onnxruntime.page)
            write_page(arguments.docs, rows, facts, f"OpenVINO {version}",
                       f"{device}, f32 by default in {narrowed}", arguments.seed,
                       [more] if isinstance(more, str) else more)
    all_rows = Row()
    for row in rows.values():
        all_rows.add(row)
    cases, ours, theirs, same = all_rows.cells()
    print(f"{cases} cases, {len(todo)} left out for want of time; irreduce wrong {ours}, "
          f"OpenVINO {version} wrong {theirs}, agree {same}; seed {arguments.seed}")
    return 1 if ours or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
