#!/usr/bin/env bash
# Fuzzes each target for SECONDS (default 60; hours by hand), with clang's libFuzzer and the address
# and undefined-behaviour sanitizers. The corpora grow in build-fuzz/corpus; what crashes, hangs or
# leaks is printed and kept in build-fuzz/found. Exit 1 if anything was found.
# usage: ir_tests/fuzz/run.sh [SECONDS [TARGET...]]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=${1:-60}
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(xml weights check npy run)
build=build-fuzz
cmake --preset fuzz >/dev/null
cmake --build "$build" --target fuzz_targets -j 2 >"$build/build.log" 2>&1 || { tail -50 "$build/build.log"; exit 1; }
"$build/fuzz_seeds" "$build/seeds"
mkdir -p "$build/found"
failed=0
for target in "${targets[@]}"; do
    kept=ir_tests/fuzz/corpus/$target
    seeds=$build/seeds/models dictionary=(-dict=ir_tests/fuzz/ir.dict)
    [ "$target" != npy ] || { seeds=$build/seeds/npy; dictionary=(-dict=ir_tests/fuzz/npy.dict); }
    mkdir -p "$build/corpus/$target"
    [ -d "$kept" ] || kept=
    status=0
    ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 \
        "$build/fuzz_$target" -max_total_time="$seconds" -max_len=32768 -timeout=20 \
        -rss_limit_mb=3000 -malloc_limit_mb=1500 -print_final_stats=1 "${dictionary[@]}" \
        -artifact_prefix="$build/found/$target-" "$build/corpus/$target" "$seeds" $kept \
        >"$build/$target.log" 2>&1 || status=$?
    echo "$target: exit $status, $(grep -o 'stat::number_of_executed_units: *[0-9]*' "$build/$target.log" | grep -o '[0-9]*$' || echo '?') inputs," \
        "$(ls "$build/corpus/$target" | wc -l) kept"
    if [ "$status" -ne 0 ]; then
        failed=1
        tail -n 60 "$build/$target.log"
        for file in "$build/found/$target-"*; do
            [ -f "$file" ] && echo "$file ($(wc -c <"$file") bytes, base64):" && base64 -w 100 "$file" | head -40
        done
    fi
done
exit "$failed"
