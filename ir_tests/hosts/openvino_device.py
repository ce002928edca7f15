#!/usr/bin/env python3
"""What the device IRREDUCE promises inside OpenVINO beside numbers: properties, profile, what it
refuses, life and death.

usage: openvino_device.py LIBRARY. SPDX-License-Identifier: Apache-2.0"""
import os
import sys
import tempfile

import numpy as np
import openvino as ov
from openvino import opset8

from openvino_checks import (BIG, LIBRARY, axes_of, check, new_core, output, parameter, raises,
                             run_checks, sum_model)


# ---- properties ----------------------------------------------------------------------------------

@check
def device_properties(core):
    supported = core.get_property("IRREDUCE", "SUPPORTED_PROPERTIES")
    for key in supported:
        core.get_property("IRREDUCE", key)
    assert supported["INFERENCE_NUM_THREADS"] == "RW" and supported["FULL_DEVICE_NAME"] == "RO"
    assert "IRREDUCE" in core.available_devices
    assert "irreduce" in core.get_versions("IRREDUCE")["IRREDUCE"].description
    assert isinstance(core.get_property("IRREDUCE", "FULL_DEVICE_NAME"), str)
    assert core.get_property("IRREDUCE", "OPTIMAL_NUMBER_OF_INFER_REQUESTS") >= 1
    core.set_property("IRREDUCE", {"INFERENCE_NUM_THREADS": 1, "PERF_COUNT": True,
                                   "EXECUTION_MODE_HINT": "ACCURACY"})
    assert core.get_property("IRREDUCE", "INFERENCE_NUM_THREADS") == 1
    assert core.get_property("IRREDUCE", "PERF_COUNT") is True
    mode = core.get_property("IRREDUCE", "EXECUTION_MODE_HINT")
    assert mode == ov.properties.hint.ExecutionMode.ACCURACY, mode
    known = ("is unknown", "INFERENCE_NUM_THREADS", "EXECUTION_MODE_HINT")
    raises(("NO_SUCH_KEY", *known), core.set_property, "IRREDUCE", {"NO_SUCH_KEY": 1})
    raises(("NO_SUCH_KEY", *known), core.get_property, "IRREDUCE", "NO_SUCH_KEY")
    raises(("NO_SUCH_KEY", *known), core.compile_model, sum_model(), "IRREDUCE",
           {"NO_SUCH_KEY": "1"})
    raises(("EXECUTION_MODE_HINT", '"FAST"', "PERFORMANCE, ACCURACY"), core.set_property,
           "IRREDUCE", {"EXECUTION_MODE_HINT": "FAST"})
    raises(("FULL_DEVICE_NAME", "only be read"), core.set_property, "IRREDUCE",
           {"FULL_DEVICE_NAME": "x"})


@check
def compiled_properties(core):
    compiled = core.compile_model(sum_model(), "IRREDUCE", {
        "PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": "1", "IRREDUCE_ISA": "scalar"})
    for key in compiled.get_property("SUPPORTED_PROPERTIES"):
        compiled.get_property(key)
    assert compiled.get_property("NETWORK_NAME") == "sum"
    assert compiled.get_property("EXECUTION_DEVICES") == ["IRREDUCE"]
    assert compiled.get_property("IRREDUCE_ISA") == "scalar"
    assert '"choice"' in compiled.get_property("IRREDUCE_EXPLAIN")
    compiled.set_property({"PERF_COUNT": True})
    request = compiled.create_infer_request()
    request.infer([np.array([1, 2])])
    assert len(request.profiling_info) == 1
    raises(("NO_SUCH_KEY",), compiled.set_property, {"NO_SUCH_KEY": 1})
    raises(("IRREDUCE_ISA", "only be read"), compiled.set_property, {"IRREDUCE_ISA": "scalar"})


@check
def profile(core):
    x = parameter("f32", [4, 64], "x")
    model = ov.Model([output(opset8.reduce_sum(x, axes_of(1), False), "total"),
                      output(opset8.reduce_max(x, axes_of(), False), "same")], [x], "two")
    request = core.compile_model(model, "IRREDUCE", {"PERF_COUNT": True}).create_infer_request()
    request.infer([np.ones((4, 64), np.float32)])
    rows = {row.node_name: row for row in request.profiling_info}
    assert set(rows) == {"total", "same"}, rows
    assert rows["total"].node_type == "ReduceSum" and "sum_f32" in rows["total"].exec_type
    assert rows["same"].exec_type == "identity"
    silent = core.compile_model(model, "IRREDUCE").create_infer_request()
    silent.infer([np.ones((4, 64), np.float32)])
    assert not silent.profiling_info


@check
def execution_mode(core):
    data = np.array([1e30, 1, -1e30], np.float32)
    for mode, right in (("ACCURACY", {1.0}), ("PERFORMANCE", {0.0, 1.0})):
        compiled = core.compile_model(sum_model("f32", [3]), "IRREDUCE",
                                      {"EXECUTION_MODE_HINT": mode})
        assert float(compiled([data])[0]) in right, mode


# ---- what it does not do ----------------------------------------------------------------------------

@check
def not_implemented(core):
    compiled = core.compile_model(sum_model(), "IRREDUCE")
    raises(("IRREDUCE", "export"), compiled.export_model)
    raises(("IRREDUCE", "exported models"), core.import_model, b"something", "IRREDUCE")
    raises(("IRREDUCE", "remote contexts"), core.get_default_context, "IRREDUCE")
    raises(("IRREDUCE", "remote contexts"), core.create_context, "IRREDUCE", {})


@check
def model_cache(core):
    """CACHE_DIR changes nothing: the device says that it cannot, so OpenVINO does not ask."""
    with tempfile.TemporaryDirectory() as folder:
        core.set_property({"CACHE_DIR": folder})
        path = os.path.join(folder, "model.xml")
        ov.save_model(sum_model(), path, compress_to_fp16=False)
        for model in (sum_model(), path):
            for device in ("IRREDUCE", "AUTO:IRREDUCE"):
                assert core.compile_model(model, device)([np.array([BIG, 1])])[0] == BIG + 1


# ---- life and death ------------------------------------------------------------------------------

@check
def everything_outlives_the_core(_):
    core = new_core()
    compiled = core.compile_model(sum_model(), "IRREDUCE")
    request = compiled.create_infer_request()
    queue = ov.AsyncInferQueue(compiled, 2)
    core.unload_plugin("IRREDUCE")
    assert core.compile_model(sum_model(), "IRREDUCE")([np.array([1, 2])])[0] == 3  # loads again
    del core, compiled
    assert request.infer([np.array([BIG, 1])])[0] == BIG + 1
    queue.start_async([np.array([1, 1])])
    queue.wait_all()
    tensor = request.get_output_tensor()
    del request, queue
    assert tensor.data == BIG + 1


@check
def another_name(_):
    core = ov.Core()
    core.register_plugin(LIBRARY, "SUMS")
    assert core.compile_model(sum_model(), "SUMS")([np.array([BIG, 1])])[0] == BIG + 1
    assert set(core.query_model(sum_model(), "SUMS").values()) == {"SUMS"}


if __name__ == "__main__":
    sys.exit(run_checks())
