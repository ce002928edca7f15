"""The text of docs/performance.md.
SPDX-License-Identifier: Apache-2.0"""
import datetime
import math
import os
import platform
import re
import subprocess

from bars import bars
from rows import LEAST, NAMES, PEERS, against, geomean, losses

HEAD = """# Performance

Times of irreduce beside ONNX Runtime, OpenVINO's CPU device, oneDNN, a plain loop and a plain read,
written by `bench/peers.sh`: run it for the figures of your machine. Only ratios of one run mean
anything; absolute times are there to show what a ratio is made of.

* One process; all contenders work on the same memory, in turns, forwards and backwards; each figure
  is the median of {rounds} rounds of at least 0.3 ms. All of it is run {runs} times, one run after
  the other, and a row counts by the medians of its ratios; a bar of single rows is missed only by a
  row that misses it in four of these runs, so what is measured for it is the second best.
* Tensors are set once; what is timed is the call that infers. With 1 thread the whole process stays on
  one CPU; else the calling thread is pinned to the first, all others to the rest, as many calls as
  are timed go before them, so that threads are awake, and after a block of a peer whose threads
  spin, 30 ms pass.
* irreduce's answers are checked in the same run, in wider arithmetic; a peer's answer that is far from
  it is marked `!` (integers: that is not the same).
* ONNX Runtime and OpenVINO get the same reduction as a model of one node, through their C APIs, from
  the libraries of their Python packages. oneDNN gets the merged dimensions, as a careful caller
  would. The loop is what one writes without a library, under `-O3 -march=native -ffast-math` (beside the
  scalar tier `-O2`), on one thread.
  The read sums the bytes as integers, and nothing else: the limit.
* "/ read" is irreduce's time over the read's (1.00: nothing can be faster). A peer's column is its
  time over irreduce's: above 1 irreduce is faster, below 1 **the peer is**.
"""


def cpu_facts():
    text = open("/proc/cpuinfo", encoding="ascii", errors="replace").read()
    model = re.search(r"model name\s*: (.*)", text)
    caches = []
    for index in range(5):
        place = f"/sys/devices/system/cpu/cpu0/cache/index{index}/"
        try:
            kind, level, size = (open(place + name).read().strip() for name in ("type", "level", "size"))
        except OSError:
            continue
        if kind != "Instruction":
            caches.append(f"L{level} {size}")
    tiers = [name for name in ("avx2", "avx512f") if f" {name}" in text]
    return (f"{model.group(1) if model else platform.machine()}, {os.cpu_count()} CPUs, "
            f"{', '.join(caches)}, {', '.join(tiers)}")


def commit():
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False)
    return f", commit {done.stdout.strip()}" if done.returncode == 0 else ""


def load_sentence(load):
    """Whether the figures can be believed."""
    text = f"Load average before the run: {load:.1f}."
    if load > 0.3:
        text += (" **Other work ran on this machine: single rows may be off, and those of two "
                 "threads say little, for the second CPU was taken.**")
    return text


def ratio(value, least=None, wrong=False):
    if value is None:
        return "-"
    text = f"{value:.2f}" if value < 100 else f"{value:.0f}"
    if least and value < least:
        text = f"**{text}**"
    return text + ("!" if wrong else "")


def table(headings, rows):
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def row_cells(row):
    cells = [row.group, f"`{row.problem}`", f"{row.us['irreduce']:.3g}",
             f"{row.bytes / row.us['irreduce'] / 1e3:.1f}", f"{row.over_read():.2f}"]
    cells += [ratio(row.over(name), LEAST[name], name in row.wrong) for name in PEERS]
    return cells + [row.kernel]


def rows_table(rows):
    headings = ["shapes", "problem", "us", "GB/s", "/ read", *(NAMES[name] for name in PEERS),
                "kernel"]
    return table(headings, map(row_cells, rows))


def folded(title, text):
    return f"<details><summary>{title}</summary>\n\n{text}\n</details>\n"


def summary_table(found):
    """Geometric means and worst rows, by operation and type."""
    lines = []
    for title, rows in found.items():
        for key in dict.fromkeys((row.op, row.type) for row in rows):
            same = [row for row in rows if (row.op, row.type) == key]
            cells = [title, " ".join(key), str(len(same)),
                     f"{geomean(row.over_read() for row in same):.2f}"]
            for name in PEERS:
                ratios = against(same, name)
                wrong = any(name in row.wrong for row in same)
                cells.append(f"{ratio(geomean(ratios), None, wrong)} (worst {ratio(min(ratios), LEAST[name])})"
                             if ratios else "-")
            lines.append(cells)
    return table(["list", "problems", "rows", "/ read", *(NAMES[name] for name in PEERS)], lines)


def bars_table(found, ways):
    lines = []
    for bar in bars(found, ways):
        met = "-" if math.isnan(bar.value) else "yes" if bar.met() else "**no**"
        lines.append([bar.number, bar.text, bar.limit_text(), f"{bar.value:.2f}", met, bar.where])
    return table(["", "bar", "limit", "measured", "met", "worst row"], lines)


def pairs_table(rows):
    def cells(row):
        over = row["second_us"] / row["first_us"]
        most = row["most"]
        text = f"**{over:.2f}**" if 0 < most < over else f"{over:.2f}"
        return [row["bar"], f"`{row['problem']}`", f"{row['first_us']:.3g}", f"{row['second_us']:.3g}",
                text, f"{most:.2f}" if most else "-"]
    return table(["second / first", "problem", "first us", "second us", "ratio", "at most"],
                 map(cells, rows))


def compile_table(rows):
    return table(["what", "us", "at most"],
                 [[row["what"], f"{row['us']:.2f}", f"{row['most_us']:.2f}"] for row in rows])


def write(found, by_size, ways, kept_ways, bench, runs, load, seconds):
    every = [row for rows in found.values() for row in rows]
    lost = sorted((row for row in every if losses(row)), key=lambda row: min(losses(row)))
    versions = ", ".join(f"{NAMES[name]} {version}" for name, version in
                         bench.answers["versions"].items())
    commands = "\n".join("    " + line for line in bench.commands)
    parts = [
        HEAD.format(rounds=bench.answers["rounds"], runs=runs),
        f"Machine: {cpu_facts()}; Linux {platform.release()}. {load_sentence(load)} "
        f"Versions: {versions}{commit()}. "
        f"{datetime.date.today()}, {seconds / 60:.0f} minutes; the random shapes' seed was "
        f"{bench.answers['seed']}. Commands (each with `--onnxruntime LIBRARY --openvino LIBRARY "
        f"--json`):\n\n{commands}\n",
        "## The bars\n\n" + bars_table(found, kept_ways),
        "## By size\n\nThe lower, the better; 1 is the limit.\n\n"
        "![time over a plain read, by size](performance_sizes.svg)\n",
        "## By shape\n\n![each peer's time over irreduce's](performance_shapes.svg)\n",
        "## By operation and type\n\nGeometric means, with the worst row.\n\n" + summary_table(found),
        f"## Where irreduce is behind\n\n{len(lost)} of {len(every)} rows: behind a peer, or too "
        "far from the read above 8 MB.\n\n" + (rows_table(lost) if lost else ""),
        "## One way of irreduce against another\n\n" + pairs_table(ways["pairs"]),
        "## What a neighbour loses to idle threads\n\nA process on the last CPU counts, while this "
        "one makes one call of two threads every fifty milliseconds.\n\n" +
        pairs_table(ways["neighbour"]),
        "## Compiling\n\n" + compile_table(ways["compile"]),
        "## Every row\n\n" + "\n".join(folded(f"{title}: {len(rows)} rows", rows_table(rows))
                                       for title, rows in {**found, "by size": by_size}.items()),
    ]
    return "\n".join(parts)
