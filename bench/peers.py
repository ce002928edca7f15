#!/usr/bin/env python3
"""peers.py BENCH FOLDER --onnxruntime LIBRARY --openvino LIBRARY: runs irreduce_bench over its lists
and writes FOLDER/performance.md and its drawings. Called by peers.sh.

What misses a bar is measured four times more: a row counts by the median of its runs.
SPDX-License-Identifier: Apache-2.0"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import drawings  # noqa: E402
import page  # noqa: E402
from rows import Row, losses  # noqa: E402

MOST_AGAIN = 16  # rows of a list that are measured again, the worst
NARROW = "f16,bf16,i8,u8,i16,u16"
WIDE = "f64,i32,i64,u32,u64"
SIBLINGS = ["sum+l2 f32 [4096,4096] axes [1]", "mean+l2 f32 [32,64,56,56] axes [0,2,3]",
            "min+max f32 [4096,4096] axes [0]", "sum+l2 f32 [128,768] axes [1]"]


def sizes():
    """Problems of 2^8 to 2^25 elements, rows and columns alike."""
    shapes = [(2 ** (bits // 2), 2 ** (bits - bits // 2)) for bits in range(8, 26)]
    return [f"sum f32 [{r},{c}] axes [{axis}]" for axis in (1, 0) for r, c in shapes]


class Bench:
    def __init__(self, program, libraries):
        self.program, self.libraries, self.commands = program, libraries, []
        self.answers = {}

    def run(self, *arguments, show=True):
        command = [self.program, *self.libraries, *arguments, "--json"]
        if show:
            self.commands.append(" ".join(["irreduce_bench", *arguments]))
            print(self.commands[-1], file=sys.stderr)
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode not in (0, 1) or not done.stdout:
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}")
        if done.returncode:
            sys.exit(f"{' '.join(command)}: a wrong answer, see above")
        return json.loads(done.stdout)

    def rows(self, *arguments, show=True):
        answer = self.run(*arguments, show=show)
        self.answers.update({key: answer[key] for key in ("seed", "rounds", "versions")})
        return [Row(row) for row in answer["rows"]]

    def cases(self, problems, threads, show=True):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("\n".join(problems) + "\n")
            file.flush()
            return self.rows("--cases", file.name, "--threads", str(threads), show=show)


def again(bench, rows):
    """Rows that lose somewhere, four times more; each takes the medians of its five runs."""
    chosen = [row for row in rows if losses(row)]
    chosen = sorted(chosen, key=lambda row: min(losses(row)))[:MOST_AGAIN]
    print(f"{len(chosen)} rows again, four times", file=sys.stderr)
    for threads in sorted({row.threads for row in chosen}):
        same = [row for row in chosen if row.threads == threads]
        runs = [bench.cases([row.problem for row in same], threads, show=False) for _ in range(4)]
        for row, *more in zip(same, *runs):
            for name in row.us:
                row.us[name] = statistics.median([row.us[name]] + [m.us[name] for m in more])
            row.runs = 5


def measure(bench):
    found = {
        "f32, 1 thread": bench.rows("--threads", "1", "--ops", "sum,min,l2", "--random", "8"),
        "f32, 2 threads": bench.rows("--threads", "2", "--few", "--ops", "sum,min,l2"),
        "other types, 1 thread": bench.rows(
            "--threads", "1", "--few", "--types", f"{NARROW},{WIDE}", "--ops", "sum,min,l2"),
        "other operations, 1 thread": bench.rows(
            "--threads", "1", "--few", "--types", "f32,i32,boolean",
            "--ops", "max,mean,prod,l1,and,or", "--random", "2"),
    }
    found["siblings, 1 thread"] = bench.cases(SIBLINGS, 1, show=False)
    for rows in found.values():
        again(bench, rows)
    bench.commands.append("irreduce_bench --cases FILE --threads 1   # siblings; sizes for the drawing")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--onnxruntime", required=True)
    parser.add_argument("--openvino", required=True)
    asked = parser.parse_args()
    bench = Bench(asked.bench, ["--onnxruntime", asked.onnxruntime, "--openvino", asked.openvino])
    start, load = time.time(), os.getloadavg()[0]
    found = measure(bench)
    by_size = bench.cases(sizes(), 1, show=False)
    ways = {name: bench.run(f"--{name}")["rows"] for name in ("pairs", "neighbour", "compile")}
    drawings.draw_sizes(by_size, asked.folder / "performance_sizes.svg")
    drawings.draw_shapes(found["f32, 1 thread"], asked.folder / "performance_shapes.svg")
    text = page.write(found, by_size, ways, bench, load, time.time() - start)
    (asked.folder / "performance.md").write_text(text)


if __name__ == "__main__":
    main()
