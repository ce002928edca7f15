"""Every operation, operator version, element type and form of axes through our execution provider:
random models by seed, judged in exact arithmetic. SPDX-License-Identifier: Apache-2.0"""
import random

import numpy as np

import onnxruntime_host as host

ATTRIBUTE_FORMS = ("attribute", "absent")
INPUT_FORMS = ("constant", "run-time", "absent", "empty constant", "empty run-time", "noop",
               "noop constant", "noop run-time")


def random_axes(rng, rank):
    axes = rng.sample(range(rank), rng.randint(1, rank))
    axes = [a - rank if rng.random() < 0.5 else a for a in axes]
    if rng.random() < 0.1:
        axes.append(axes[0] + (rank if axes[0] < 0 else 0))  # once more, perhaps by its other name
    return axes


def declared(rng, shape):
    """What the model says of the data's shape."""
    style = rng.random()
    if style < 0.5:
        return list(shape)
    if style < 0.85:
        return [n if rng.random() < 0.5 else f"d{i}" for i, n in enumerate(shape)]
    return None


def make_case(rng, form):
    """(axes of the model, axes of the run, noop, shape)"""
    rank = rng.choice([0, 1, 2, 2, 3, 3, 4, 5])
    shape = tuple(0 if rng.random() < 0.03 else rng.randint(1, 5) for _ in range(rank))
    noop = form.startswith("noop")
    if form in ("absent", "noop"):
        return None, None, noop, shape
    given = [] if form.startswith(("empty", "noop")) or not rank else random_axes(rng, rank)
    if form.endswith("run-time"):
        return "input", given, noop, shape
    return given, given, noop, shape


def check_case(case_host, rng, numbers, op, opset, word, form):
    axes, given, noop, shape = make_case(rng, form)
    keep = rng.choice([None, 0, 1])
    accurate = rng.random() < 0.2
    attributes = {} if keep is None else {"keepdims": keep}
    if noop or (form in INPUT_FORMS and form != "absent" and rng.random() < 0.3):
        attributes["noop_with_empty_axes"] = int(noop)
    if form == "attribute" and axes:
        attributes["axes"] = axes
    model = host.node_model(op, opset, word, declared(rng, shape), attributes,
                            None if form == "attribute" else axes)
    properties = {"EXECUTION_MODE_HINT": "ACCURACY"} if accurate else {}
    threads = rng.choice([1, 2])
    session = None
    dims = host.reduced(len(shape), given, noop)
    for again in range(2):  # the second time another shape, where the model allows it
        data = host.random_data(numbers, word, shape)
        empty = 0 in shape and 0 not in [n for d, n in enumerate(shape) if d not in dims]
        what = (op, opset, word, form, shape, given, attributes, "accurate" if accurate else "")
        try:
            session = session or case_host.session(model, threads, **properties)
            output = host.run(session, word, data, given if axes == "input" else None)
        except Exception as error:  # the one thing that has no answer
            assert op == "ReduceMean" and empty and "int" in word, (what, error)
            assert "an empty set" in str(error), (what, error)
            return
        wrong = host.problem(op, word, data, dims, keep != 0, output, accurate)
        assert not wrong, (what, wrong)
        declared_shape = session.get_inputs()[0].shape
        if declared_shape:
            shape = tuple(n if isinstance(n, int) else rng.randint(1, 6) for n in declared_shape)


def main():
    options = host.arguments(__doc__, seed=1, rounds=2)
    seed = options.seed
    print(f"--seed {seed} --rounds {options.rounds}", flush=True)
    case_host = host.Host(options.library)
    count = 0
    for turn in range(options.rounds):
        rng, numbers = random.Random(seed + turn), np.random.default_rng(seed + turn)
        for op, version, end, words, axes_input in host.versions():
            for word in words:
                for form in INPUT_FORMS if axes_input else ATTRIBUTE_FORMS:
                    check_case(case_host, rng, numbers, op, rng.randint(version, end), word, form)
                    count += 1
    print(f"{count} models")


if __name__ == "__main__":
    main()
