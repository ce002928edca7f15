"""A row of irreduce_bench, and what it says against a peer.
SPDX-License-Identifier: Apache-2.0"""
import math

PEERS = ("onnxruntime", "openvino", "onednn", "loop")
NAMES = {"irreduce": "irreduce", "onnxruntime": "ONNX Runtime", "openvino": "OpenVINO",
         "onednn": "oneDNN", "loop": "plain loop", "read": "plain read"}
# Below these a row has lost against the peer; above these it has missed the read's bar.
LEAST = {"onnxruntime": 0.93, "openvino": 0.95, "onednn": 0.97, "loop": 0.95}
LOOP_BYTES = 4096  # a smaller tensor is looped over in less time than any library's call takes
MOST_OVER_READ_LARGE = {1: 1.10, 2: 1.25}
SMALL, LARGE = 1 << 20, 8 << 20


class Row:
    def __init__(self, answer):
        self.problem, self.group = answer["problem"], answer["group"]
        self.threads, self.bytes = answer["threads"], answer["bytes"]
        self.kernel, self.wrong = answer["kernel"].split(" ")[0], answer["wrong"]
        self.scalar = "scalar)" in answer["kernel"]  # its limit is a loop, not the read
        self.us = {name: us for name, us in answer["median_us"].items() if us is not None}
        self.kept = {}  # over(name) of the second best of several runs
        self.op, self.type, self.shape = self.problem.split(" ", 2)

    def over(self, name):
        """The peer's time over ours: above 1, irreduce is faster."""
        return self.us[name] / self.us["irreduce"] if name in self.us else None

    def over_read(self):
        return self.us["irreduce"] / self.us["read"]

    def keeps(self, name):
        """The same, reached in two runs at least: a row misses a bar if it does in all but one."""
        return self.kept.get(name) if self.kept else self.over(name)

    def keeps_over_read(self):
        return 1 / self.keeps("read")


def comparable(row, name):
    return row.over(name) is not None and (name != "loop" or row.bytes >= LOOP_BYTES)


def losses(row):
    """By how much it misses, for each bar of a single row that it misses: below 1."""
    missed = [row.keeps(name) / LEAST[name] for name in PEERS
              if comparable(row, name) and row.keeps(name) < LEAST[name]]
    if row.bytes > LARGE and not row.scalar and row.keeps_over_read() > MOST_OVER_READ_LARGE[row.threads]:
        missed.append(MOST_OVER_READ_LARGE[row.threads] / row.keeps_over_read())
    return missed


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def against(rows, name):
    return [row.over(name) for row in rows if row.over(name) is not None]
