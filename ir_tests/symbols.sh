#!/bin/sh
# The exported symbols of a library equal its map; with a header, also what that declares IRR_API.
# The library is never unloaded (nodelete): its threads may outlive a dlclose.
# SPDX-License-Identifier: Apache-2.0
# usage: symbols.sh LIBRARY MAP [HEADER COMPILER]
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -D --defined-only "$1" | awk '$2 != "A" {sub(/@.*/, "", $3); print $3}' | sort >"$work/exported"
sed -n '/global:/,/local:/p' "$2" | tr ';' '\n' | grep -oE '[A-Za-z_][A-Za-z0-9_]*$' | grep -v '^local$' |
    sort >"$work/map"
echo "$(wc -l <"$work/exported") symbols"
diff "$work/map" "$work/exported"
readelf -d "$1" | grep -q NODELETE
[ $# -gt 2 ] || exit 0
# One declaration a line; the name stands before the bracket, or at the end of a variable.
"$4" -std=c11 -E -P -I"$(dirname "$3")/.." "$3" | tr '\n' ' ' | sed 's/;/;\n/g' |
    grep 'visibility("default")' | sed 's/.*visibility("default")))//' |
    grep -oE 'irr_[a-z0-9_]+ *(\(|;)' | tr -d ' (;' | sort >"$work/declared"
diff "$work/map" "$work/declared"
