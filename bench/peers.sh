#!/usr/bin/env bash
# peers.sh [BUILD]: irreduce beside ONNX Runtime, OpenVINO, oneDNN, a plain loop and a plain read.
# Installs the peers that ci/peers.txt names (and Matplotlib) in .venv, runs
# irreduce_bench of BUILD (default: build, made if it is missing) and writes docs/performance.md with
# its drawings. Takes about a quarter of an hour; run it on a machine that does nothing else.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:-build}
if [ ! -x "$build/irreduce_bench" ]; then
    cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DIRREDUCE_BENCH=ON
    cmake --build "$build" --target irreduce_bench -j "$(nproc)"
fi
python=$(ir_tests/peers/venv.sh .venv)
"$python" -c 'import matplotlib' 2>/dev/null || "$python" -m pip install -q matplotlib==3.11.2
packages=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["platlib"])')
exec "$python" bench/peers.py "$build/irreduce_bench" docs \
    --onnxruntime "$(echo "$packages"/onnxruntime/capi/libonnxruntime.so.*)" \
    --openvino "$(echo "$packages"/openvino/libs/libopenvino_c.so.*)"
