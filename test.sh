#!/usr/bin/env bash
# Builds and passes the tests. ./test.sh: every everyday test, some minutes on two cores.
# ./test.sh long|numpy|peers|hosts|sanitizers|all: the longer suites. What follows goes to ctest.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. .ci/packages.sh

suite=everyday
case "${1:-}" in
everyday | long | numpy | peers | hosts | sanitizers | all) suite=$1; shift ;;
-* | '') ;;
*) sed -n '2,3s/^# //p' "$0" >&2; exit 2 ;;
esac

need gcc g++ libc6-dev make cmake pkg-config libxml2-dev libdnnl-dev libcmocka-dev

build() { # DIRECTORY [CMAKE_ARGUMENT...]
    local directory=$1 log
    shift
    echo "building into $directory/"
    log=$(mktemp)
    { cmake -S . -B "$directory" -DIRREDUCE_TESTS=ON -DIRREDUCE_BENCH=ON "$@" &&
        cmake --build "$directory" -j "$(nproc)"; } >"$log" 2>&1 || { cat "$log"; rm "$log"; exit 1; }
    rm "$log"
}
run_tests() { # DIRECTORY CTEST_ARGUMENT...
    local directory=$1
    shift
    ctest --test-dir "$directory" --output-on-failure --no-tests=error --timeout 300 -j "$(nproc)" "$@"
}
everyday() {
    build build -DCMAKE_BUILD_TYPE=Release
    run_tests build -LE '^(long|numpy|peers|hosts)$' "$@"
}
long() {
    build build -DCMAKE_BUILD_TYPE=Release
    run_tests build -L '^long$' "$@"
}
numpy() {
    need python3 python3-venv
    build build -DCMAKE_BUILD_TYPE=Release -DIRREDUCE_PYTHON="$PWD/$(ir_tests/peers/venv.sh .venv)"
    run_tests build -L '^numpy$' "$@"
}
peers() {
    need python3 python3-venv
    build build -DCMAKE_BUILD_TYPE=Release -DIRREDUCE_PEERS=ON \
        -DIRREDUCE_PYTHON="$PWD/$(ir_tests/peers/venv.sh .venv)"
    run_tests build -L '^peers$' "$@"
}
hosts() {
    need g++ python3 python3-venv
    ir_tests/hosts/run.sh build-hosts .venv "$@"
}
sanitizers() {
    local flags='-O1 -fno-omit-frame-pointer -fsanitize='
    build build-asan -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_FLAGS="${flags}address,undefined -fno-sanitize-recover=all"
    run_tests build-asan -LE '^(long|numpy|peers|hosts)$' "$@"
    build build-tsan -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS="${flags}thread"
    run_tests build-tsan -L '^threads$' "$@"
}
all() {
    sanitizers "$@"
    numpy "$@"
    peers "$@"
    hosts "$@"
    long "$@"
    everyday "$@"
}
$suite "$@"
