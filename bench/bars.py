"""The bars that irreduce is held to, as far as rows of irreduce_bench can tell.
SPDX-License-Identifier: Apache-2.0"""
import dataclasses
import math

from rows import LARGE, LEAST, NAMES, PEERS, SMALL, against, comparable, geomean

SMALL_COLUMNS = ("[6,12,10,24] axes [1]", "[6,12,10,24] axes [-2]", "[1,12,197,64] axes [2]")
MIXED = ("[7,13,17,19] axes [0,2]", "[3,5,7,11,13] axes [1,3]")


@dataclasses.dataclass
class Bar:
    number: str
    text: str
    limit: float
    value: float
    least: bool  # the limit is the least that will do, else the most
    where: str = ""

    def met(self):
        return self.value >= self.limit if self.least else self.value <= self.limit

    def limit_text(self):
        return f"{'>=' if self.least else '<='} {self.limit:.2f}"


def mean_bar(number, text, limit, ratios):
    return Bar(number, text, limit, geomean(ratios), True)


def worst_over_read(number, text, limit, rows):
    rows = list(rows)
    worst = max(rows, key=lambda row: row.keeps_over_read(), default=None)
    value = worst.keeps_over_read() if worst else math.nan
    return Bar(number, text, limit, value, False, f"`{worst.problem}`" if worst else "")


def worst_against(number, title, rows, name):
    rows = [row for row in rows if comparable(row, name)]
    worst = min(rows, key=lambda row: row.keeps(name), default=None)
    value = worst.keeps(name) if worst else math.nan
    behind = sum(row.keeps(name) < LEAST[name] for row in rows)
    text = f"{title}: no row behind {NAMES[name]} ({behind} of {len(rows)} are)"
    return Bar(number, text, LEAST[name], value, True, f"`{worst.problem}`" if worst else "")


def of_shapes(rows, shapes):
    return [row for row in rows if row.shape in shapes]


def reading_bars(one, two, types, every):
    sums = [row for row in one if row.op == "sum" and row.bytes <= SMALL and row.group != "tiny"]
    long_rows = [row for row in sums if row.group == "layer norm"]
    narrow = [row for row in types if row.type in ("f16", "bf16", "i8", "u8", "i16", "u16")
              and row.bytes <= SMALL]
    best = [min(against([row], name)[0] for name in ("onnxruntime", "openvino", "onednn", "loop")
                if row.over(name) is not None) for row in narrow]
    return [
        worst_over_read("1", "above 8 MB over the read, 1 thread", 1.10,
                        (row for row in every if row.threads == 1 and row.bytes > LARGE)),
        worst_over_read("1", "above 8 MB over the read, 2 threads", 1.25,
                        (row for row in every if row.threads == 2 and row.bytes > LARGE)),
        Bar("2", "f32 sums up to 1 MB over the read, geometric mean", 1.40,
            geomean(row.over_read() for row in sums), False),
        worst_over_read("2", "long contiguous rows", 1.15, long_rows),
        worst_over_read("2", "7x7 windows", 1.6, [row for row in sums if row.group == "pooling 7x7"]),
        worst_over_read("2", "small columns", 1.6, of_shapes(sums, SMALL_COLUMNS)),
        worst_over_read("2", "odd shapes, mixed twice", 2.2, of_shapes(sums, MIXED)),
        worst_over_read("2", "L2 up to 1 MB with many outputs", 1.6,
                        (row for row in one if row.op == "l2" and row.bytes <= SMALL
                         and row.group in ("seed", "pooling 7x7", "attention", "channel sums"))),
        mean_bar("2", "types of 1 and 2 bytes up to 1 MB, ahead of the best peer", 1.5, best),
    ]


def at_the_pace_of_a_read(rows, name):
    """What the mean would be: no library is much faster than that where memory is."""
    ratios = [row.us[name] / row.us["read"] for row in rows if name in row.us]
    return f"at the read's pace {geomean(ratios):.2f}"


def peer_bars(found, one, two, types):
    def mean(number, text, limit, rows, name):
        return mean_bar(number, f"{NAMES[name]}, {text}", limit, against(rows, name))
    small = [row for row in one if row.bytes <= SMALL]
    large = [row for row in one if row.bytes > LARGE]
    tiny = [row for row in one if row.group == "tiny"]
    made = [
        mean("3", "f32, 1 thread", 3.5, one, "onnxruntime"),
        mean("3", "f32, 2 threads", 4, two, "onnxruntime"),
        mean("3", "f32 up to 1 MB, 1 thread", 6, small, "onnxruntime"),
        mean("3", "f32 L2, 1 thread", 8, [r for r in one if r.op == "l2"], "onnxruntime"),
        mean("4", "f32, 1 thread", 1.35, one, "loop"),
        mean("5", "f32, 1 thread", 50, one, "onednn"),
        mean("5", "f32, 1 thread", 2.8, one, "openvino"),
        mean("5", "f32, 2 threads", 5, two, "openvino"),
        mean("5", "f32 up to 1 MB, 1 thread", 5, small, "openvino"),
        dataclasses.replace(mean("5", "f32 above 8 MB, 1 thread", 2.1, large, "openvino"),
                            where=at_the_pace_of_a_read(large, "openvino")),
        mean("5", "tiny calls", 15, tiny, "openvino"),
        mean("6", "tiny calls", 10, tiny, "onnxruntime"),
        Bar("6", "[1,3,8] through the public call, us", 0.1,
            max((r.us["irreduce"] for r in tiny if "[1,3,8]" in r.shape), default=math.nan), False),
    ]
    for name in dict.fromkeys(row.type for row in types):
        made.append(mean("5", f"{name}, 1 thread", 3.5, [r for r in types if r.type == name],
                         "openvino"))
    numbers = {"onnxruntime": "3", "openvino": "5", "onednn": "5", "loop": "4"}
    return made + [worst_against(numbers[name], title, rows, name)
                   for title, rows in found.items() for name in PEERS if against(rows, name)]


def cache_bars(types, ways):
    """The shapes of 100 KB to 1 MB are read out of L2."""
    cached = [row for row in types if 100 << 10 <= row.bytes <= SMALL and row.group == "layer norm"]
    made = [worst_over_read("9", f"{name} out of L2", limit,
                            (row for row in cached if row.type == name and row.op == "sum"))
            for name, limit in (("bf16", 1.75), ("f16", 2.4))]
    made += [Bar("7", row["what"] + ", us", row["most_us"], row["us"], False)
             for row in ways["compile"] if row["what"].startswith("fork and join")]
    for title, number in (("2 threads / 1", "7"), ("siblings / one", "10"),
                          ("accuracy / performance", "11"), ("AVX2 / AVX-512", "12")):
        rows = [row for row in ways["pairs"] if row["bar"] == title]
        worst = max(rows, key=lambda row: row["second_us"] / row["first_us"] / row["most"])
        made.append(Bar(number, title, worst["most"], worst["second_us"] / worst["first_us"], False,
                        f"`{worst['problem']}`"))
    return made


def bars(found, ways):
    one, two = found["f32, 1 thread"], found["f32, 2 threads"]
    types = found["other types, 1 thread"]
    every = [row for rows in found.values() for row in rows if not row.scalar]
    made = reading_bars(one, two, types, every) + peer_bars(found, one, two, types) + cache_bars(types, ways)
    return sorted(made, key=lambda bar: int(bar.number))
