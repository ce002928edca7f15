#!/usr/bin/env bash
# The command with a stranger's device, which knows no property of ours, beside the CPU.
# usage: stranger.sh COMMAND LIBIRREDUCE CPU_PLUGIN STRANGER_PLUGIN MODEL
# SPDX-License-Identifier: Apache-2.0
set -eu
command=$1 library=$2 cpu=$3 stranger=$4 model=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$library" "$work/libirreduce.so.0"
cat >"$work/plugins.xml" <<END
<ie><plugins><plugin name="STRANGER" location="$stranger"/><plugin name="CPU" location="$cpu"/></plugins></ie>
END
export LD_LIBRARY_PATH=$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

"$command" devices >"$work/out"
grep -q '^STRANGER: ' "$work/out"
grep -q '^CPU: ' "$work/out"
"$command" devices --json | grep -q '"name":"STRANGER"'
"$command" run "$model" --device STRANGER --property STRANGER_SLEEP_MS=1 >"$work/out"
status=0
"$command" run "$model" --device STRANGER --property NO=1 2>"$work/err" || status=$?
[ "$status" -eq 2 ]
grep -q 'NO=1: unknown property' "$work/err"
