#!/usr/bin/env bash
# run.sh BUILD VENV [CTEST_ARGUMENT...]: builds the doors and passes the tests inside stock hosts,
# once with the wheels of ci/peers.txt (folders BUILD and VENV), once with those of
# ci/peers-older.txt (BUILD-older, VENV-older).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${1:?a folder to build in} venv=${2:?a folder for the environment}
shift 2

for release in peers peers-older; do
    suffix=${release#peers}
    directory=$build$suffix
    python=$(realpath -s "$(ir_tests/peers/venv.sh "$venv$suffix" "$release")")
    echo "building the doors into $directory/ for $(sed '/^#/d' "ci/$release.txt" | paste -sd' ')"
    mkdir -p "$directory"
    { cmake -S . -B "$directory" -DCMAKE_BUILD_TYPE=Release -DIRREDUCE_WERROR=ON \
        -DIRREDUCE_OPENVINO=ON -DIRREDUCE_ONNXRUNTIME=ON -DIRREDUCE_PYTHON="$python" &&
        cmake --build "$directory" -j "$(nproc)" --target hosts; } >"$directory/log" 2>&1 ||
        { tail -50 "$directory/log"; exit 1; }
    ctest --test-dir "$directory" --output-on-failure --no-tests=error --timeout 300 \
        -L '^hosts$' "$@"
done
