#!/usr/bin/env bash
# Installs a build into a folder of its own, moves that folder, and builds strangers' programs against
# it: through pkg-config and through find_package.
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh BUILD_FOLDER COMPILER
set -euo pipefail
build=$1 cc=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
model=$here/../models/good/l2_drop.xml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DESTDIR LD_LIBRARY_PATH PKG_CONFIG_PATH

examples=$here/../../examples
given=$here/../../../shared/cases/first_program.c # the contract's own copy, where it is
[ ! -f "$given" ] || cmp "$given" "$examples/first_program.c"
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
libdir=$(dirname "$(find "$work/moved" -name libirreduce.so)")

export PKG_CONFIG_PATH=$libdir/pkgconfig
# shellcheck disable=SC2046
"$cc" "$examples/first_program.c" -o "$work/first_program" $(pkg-config --cflags --libs irreduce)
LD_LIBRARY_PATH=$libdir "$work/first_program" "$model"

cmake -S "$here" -B "$work/consumer" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$work/moved" >/dev/null
cmake --build "$work/consumer" >/dev/null
"$work/consumer/first_program" "$model"
"$work/consumer/any_host" "$libdir/libirreduce_cpu_plugin.so"

"$work/moved/bin/irreduce" devices
"$work/moved/bin/irreduce" run "$model"
cd / && rm "$libdir/plugins.xml" # a core without devices says so
if "$work/moved/bin/irreduce" run "$model" 2>"$work/sentence"; then exit 1; fi
grep "there is no plugins.xml beside libirreduce.so" "$work/sentence"
