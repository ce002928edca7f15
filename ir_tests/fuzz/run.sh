#!/usr/bin/env bash
# Fuzzes each target for SECONDS (default 60; hours by hand), with clang's libFuzzer and the address
# and undefined-behaviour sanitizers. The corpora grow in build-fuzz/corpus; what crashes, hangs or
# leaks is printed and kept in build-fuzz/found. Exit 1 if anything was found.
# With --repeatable the way is the same each time, so that luck decides nothing: one seed, a fixed
# number of runs, no corpus of earlier days; SECONDS only ends a slow machine's run early.
# usage: ir_tests/fuzz/run.sh [--repeatable] [SECONDS [TARGET...]]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
declare -A runs=()
still=()
if [ "${1:-}" = --repeatable ]; then
    runs=([xml]=200000 [weights]=120000 [check]=80000 [npy]=1000000 [run]=150000)
    # addresses have a say in the fuzzer's way too; some containers do not let them be fixed
    ! setarch -R true 2>/dev/null || still=(setarch -R)
    shift
fi
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
    [ -d "$kept" ] || kept=
    corpus=$build/corpus/$target way=()
    if [ -n "${runs[$target]:-}" ]; then
        corpus=$build/repeatable/$target way=(-seed=5 -reload=0 -runs="${runs[$target]}")
        rm -rf "$corpus"
    fi
    mkdir -p "$corpus"
    status=0
    ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 \
        "${still[@]}" "$build/fuzz_$target" -max_total_time="$seconds" -max_len=32768 -timeout=20 \
        -rss_limit_mb=3000 -malloc_limit_mb=1500 -print_final_stats=1 "${dictionary[@]}" "${way[@]}" \
        -artifact_prefix="$build/found/$target-" "$corpus" "$seeds" $kept \
        >"$build/$target.log" 2>&1 || status=$?
    echo "$target: exit $status, $(grep -o 'stat::number_of_executed_units: *[0-9]*' "$build/$target.log" | grep -o '[0-9]*$' || echo '?') inputs," \
        "$(ls "$corpus" | wc -l) kept"
    if [ "$status" -ne 0 ]; then
        failed=1
        tail -n 60 "$build/$target.log"
        for file in "$build/found/$target-"*; do
            [ -f "$file" ] && echo "$file ($(wc -c <"$file") bytes, base64):" && base64 -w 100 "$file" | head -40
        done
    fi
done
exit "$failed"
