#!/usr/bin/env python3
"""What the scripts of checks on the device IRREDUCE inside OpenVINO share: a core with it, small
models, errors that must come, and the run of all checks.
SPDX-License-Identifier: Apache-2.0"""
import pathlib
import sys
import traceback

import numpy as np
import openvino as ov
from openvino import opset8


LIBRARY = str(pathlib.Path(sys.argv[1]).resolve())
EXTENSION = str(pathlib.Path(sys.argv[2]).resolve()) if len(sys.argv) > 2 else None
BIG = 2 ** 53
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def new_core():
    core = ov.Core()
    core.register_plugin(LIBRARY, "IRREDUCE")
    return core


def parameter(kind, shape, name):
    node = opset8.parameter(ov.PartialShape(shape), getattr(ov.Type, kind), name=name)
    node.output(0).get_tensor().set_names({name})
    return node


def output(node, name):
    node.output(0).get_tensor().set_names({name})
    node.set_friendly_name(name)
    return node


def axes_of(*axes):
    return np.array(axes, np.int64)


def sum_model(kind="i64", shape=(2,), axes=(0,), keep=False):
    x = parameter(kind, shape, "x")
    return ov.Model([output(opset8.reduce_sum(x, axes_of(*axes), keep), "y")], [x], "sum")


def raises(words, function, *arguments):
    """The call fails with a sentence that has all these words."""
    try:
        function(*arguments)
    except Exception as error:
        missing = [word for word in words if word not in str(error)]
        assert not missing, f"{missing} not in: {error}"
    else:
        raise AssertionError(f"no error with {words}")


def run_checks():
    failed = 0
    print(f"OpenVINO {ov.__version__}")
    for function in CHECKS:
        try:
            function(new_core())
        except Exception:
            failed += 1
            print(f"{function.__name__}:\n{traceback.format_exc()}", flush=True)
    print(f"{len(CHECKS)} checks, {failed} failed")
    return 1 if failed else 0
