#!/usr/bin/env bash
# From a fresh Debian 12 to numbers: installs what is missing, builds, checks and runs a real model.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. .ci/packages.sh

model=ir_tests/models/good/siblings.xml
need gcc libc6-dev make cmake libxml2-dev libdnnl-dev

echo "building into build/"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{ cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DIRREDUCE_TESTS=OFF -DIRREDUCE_BENCH=OFF &&
    cmake --build build -j "$(nproc)"; } >"$log" 2>&1 || { cat "$log"; exit 1; }

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}
show build/irreduce --version
show build/irreduce check "$model"
show build/irreduce run "$model" --profile
show build/irreduce explain "$model"
cat <<END

Next:
  build/irreduce help                                        all calls and their options
  build/irreduce run MODEL.xml --input data.npy              your own model, your own data
  build/irreduce bench --problem "sum f32 [6,12,10,24] axes [2,3]"
  ./test.sh                                                  every everyday test
  README.md                                                  the C API, the plugin, the install
END
