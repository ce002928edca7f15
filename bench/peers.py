#!/usr/bin/env python3
"""peers.py BENCH FOLDER --onnxruntime LIBRARY --openvino LIBRARY: runs irreduce_bench over its lists
and writes FOLDER/performance.md and its drawings. Called by peers.sh.

Everything is run five times, and a row counts by the median of its runs: other work of a machine
comes and goes, and lasts longer than a row. For the same reason a bar of single rows is missed only
by a row that misses it in four of the five: it goes by the second best.
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
from rows import Row  # noqa: E402

RUNS = 5
NARROW = "f16,bf16,i8,u8,i16,u16"
WIDE = "f64,i32,i64,u32,u64"
SIBLINGS = ["sum+l2 f32 [4096,4096] axes [1]", "mean+l2 f32 [32,64,56,56] axes [0,2,3]",
            "min+max f32 [4096,4096] axes [0]", "sum+l2 f32 [128,768] axes [1]"]


def sizes():
    """Problems of 2^8 to 2^25 elements, rows and columns alike."""
    shapes = [(2 ** (bits // 2), 2 ** (bits - bits // 2)) for bits in range(8, 26)]
    return [f"sum f32 [{r},{c}] axes [{axis}]" for axis in (1, 0) for r, c in shapes]


class Bench:
    def __init__(self, program, libraries, seed):
        self.program, self.libraries, self.seed = program, libraries, str(seed)
        self.commands, self.answers = [], {}

    def run(self, *arguments, show=True):
        command = [self.program, *self.libraries, *arguments, "--seed", self.seed, "--json"]
        shown = " ".join(["irreduce_bench", *arguments])
        if show and shown not in self.commands:
            self.commands.append(shown)
            print(shown, file=sys.stderr)
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

    def cases(self, problems, threads="1"):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("\n".join(problems) + "\n")
            file.flush()
            return self.rows("--cases", file.name, "--threads", threads, show=False)


def middle(runs):
    """The first run's rows, each ratio to irreduce's time the median: only ratios of one run count.
    Bars that hold for each row go by the second best of the runs (Row.keeps)."""
    for row, *more in zip(*runs):
        same = [row, *more]
        overs = {name: sorted(each.over(name) for each in same) for name in row.us}
        ratios = {name: statistics.median(values) for name, values in overs.items()}
        row.kept = {name: values[-2] for name, values in overs.items()}
        ours = statistics.median(each.us["irreduce"] for each in same)
        row.us = {name: ours * ratio for name, ratio in ratios.items()}
    return runs[0]


def ranked(runs, key, rank):
    """Of each row's runs the one of that rank by its key."""
    return [sorted(same, key=key)[rank] for same in zip(*runs)]


def second_over_first(row):
    return row["second_us"] / row["first_us"]


LISTS = {
    "f32, 1 thread": ["--threads", "1", "--ops", "sum,min,l2", "--random", "8"],
    "f32, 2 threads": ["--threads", "2", "--few", "--ops", "sum,min,l2"],
    "other types, 1 thread": ["--threads", "1", "--few", "--types", f"{NARROW},{WIDE}",
                              "--ops", "sum,min,l2"],
    "other operations, 1 thread": ["--threads", "1", "--few", "--types", "f32,i32,boolean",
                                   "--ops", "max,mean,prod,l1,and,or", "--random", "2"],
    "scalar tier and loops under -O2, 1 thread": ["--scalar", "--threads", "1", "--few", "--types",
                                                  "f32,f64,bf16,i8,i32,i64", "--ops",
                                                  "sum,min,l2,mean"],
}


# 24 MB, by rows and by columns.
LARGE_OF_OTHER_TYPES = [f"{op} {name} [1536,{16384 // size}] axes [{axis}]"
                        for names, size in (("f64,i64,u64", 8), ("i32,u32", 4), ("f16,bf16,i16,u16", 2),
                                           ("i8,u8", 1))
                        for name in names.split(",") for op in ("sum", "l2") for axis in (0, 1)]
WAYS = {"pairs": second_over_first, "neighbour": second_over_first,
        "compile": lambda row: row["us"]}


def one_run(bench):
    """What is measured once: {list: rows}, rows by size, {way: rows}."""
    found = {title: bench.rows(*arguments) for title, arguments in LISTS.items()}
    found["other types above 8 MB, 2 threads"] = bench.cases(LARGE_OF_OTHER_TYPES, "2")
    found["siblings, 1 thread"] = bench.cases(SIBLINGS)
    return found, bench.cases(sizes()), {name: bench.run(f"--{name}")["rows"] for name in WAYS}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--onnxruntime", required=True)
    parser.add_argument("--openvino", required=True)
    asked = parser.parse_args()
    bench = Bench(asked.bench, ["--onnxruntime", asked.onnxruntime, "--openvino", asked.openvino],
                  int(time.time()))
    start, load, runs = time.time(), os.getloadavg()[0], []
    for k in range(RUNS):
        print(f"run {k + 1} of {RUNS}", file=sys.stderr)
        runs.append(one_run(bench))
    bench.commands.append("irreduce_bench --cases FILE --threads 1   # siblings; sizes for the drawing")
    bench.commands.append("irreduce_bench --cases FILE --threads 2   # other types above 8 MB")
    lists, sizes_rows, ways = zip(*runs)
    found = {title: middle([run[title] for run in lists]) for title in lists[0]}
    by_size = middle(sizes_rows)
    middle_ways, kept_ways = ({name: ranked([run[name] for run in ways], key, rank)
                               for name, key in WAYS.items()} for rank in (RUNS // 2, 1))
    drawings.draw_sizes(by_size, asked.folder / "performance_sizes.svg")
    drawings.draw_shapes(found["f32, 1 thread"], asked.folder / "performance_shapes.svg")
    text = page.write(found, by_size, middle_ways, kept_ways, bench, RUNS, load, time.time() - start)
    (asked.folder / "performance.md").write_text(text)


if __name__ == "__main__":
    main()
