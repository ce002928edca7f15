"""The drawings of docs/performance.md, by Matplotlib.
SPDX-License-Identifier: Apache-2.0"""
import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plot  # noqa: E402

from rows import NAMES, PEERS, geomean  # noqa: E402

plot.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "irreduce", "font.size": 9})
COLOURS = {"irreduce": "#d62728", "onnxruntime": "#1f77b4", "openvino": "#2ca02c",
           "onednn": "#9467bd", "loop": "#7f7f7f"}


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    plot.close(figure)


def draw_sizes(rows, path):
    """Time over the plain read against the tensor's size, reduced rows and reduced columns."""
    figure, panels = plot.subplots(1, 2, figsize=(10, 4.2), sharey=True)
    for panel, axis, title in zip(panels, ("[1]", "[0]"), ("rows: axes [1]", "columns: axes [0]")):
        chosen = sorted((r for r in rows if r.shape.endswith(axis)), key=lambda r: r.bytes)
        for name in ("irreduce", *PEERS):
            points = [(r.bytes / 1024, r.us[name] / r.us["read"]) for r in chosen if name in r.us]
            panel.plot(*zip(*points), marker="o", markersize=3, color=COLOURS[name],
                       linewidth=2 if name == "irreduce" else 1, label=NAMES[name])
        panel.axhline(1, color="black", linewidth=0.8, linestyle=":")
        panel.set(xscale="log", yscale="log", title=f"f32 sum, 1 thread, {title}",
                  xlabel="tensor")
        panel.set_xticks([1, 32, 1024, 32768], ["1 KiB", "32 KiB", "1 MiB", "32 MiB"])
        panel.set_yticks([1, 10, 100, 1000], ["1", "10", "100", "1000"])
        panel.minorticks_off()
        panel.grid(True, which="major", linewidth=0.3)
    panels[0].set_ylabel("time over a plain read of the same bytes")
    panels[1].legend()
    save(figure, path)


def draw_shapes(rows, path):
    """Each peer's time over ours, for the named shapes: sum, f32, 1 thread."""
    rows = [r for r in rows if r.op == "sum" and r.group != "random"]
    figure, panel = plot.subplots(figsize=(9, 0.42 * len(rows) + 1))
    height = 0.8 / len(PEERS)
    for number, name in enumerate(PEERS):
        places = [(place, r.over(name)) for place, r in enumerate(rows) if r.over(name)]
        panel.barh([place + number * height for place, _ in places], [x - 1 for _, x in places],
                   height, left=1, color=COLOURS[name],
                   label=f"{NAMES[name]} ({geomean(x for _, x in places):.2f})")
    panel.axvline(1, color="black", linewidth=0.8)
    panel.set(xscale="log", xlabel="its time over irreduce's (right of 1: irreduce is faster)",
              title="f32 sum, 1 thread; in brackets the geometric mean")
    panel.set_yticks([place + 0.3 for place in range(len(rows))],
                     [f"{r.group}: {r.shape}" for r in rows])
    panel.set_ylim(len(rows), -0.6)
    panel.set_xticks([0.5, 1, 2, 10, 100], ["0.5", "1", "2", "10", "100"])
    panel.minorticks_off()
    panel.grid(True, axis="x", linewidth=0.3)
    panel.legend(loc="upper right")
    save(figure, path)
