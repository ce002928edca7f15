#!/usr/bin/env bash
# venv.sh FOLDER [LIST]: a Python environment with what ci/LIST.txt names (peers, peers-older), made
# once and used again while that file stays as it is; newest: the newest versions of peers instead.
# Prints its Python.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
folder=${1:?a folder for the environment}
lists=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/ci
list=$lists/${2:-peers}.txt
[ -x "$folder/bin/pip" ] || python3 -m venv "$folder" >&2
if [ "${2:-}" = newest ]; then
    sed -n 's/^\([a-z_0-9]*\)==.*/\1/p' "$lists/peers.txt" |
        xargs "$folder/bin/pip" install -q --upgrade >&2
elif ! cmp -s "$list" "$folder/peers.txt"; then
    "$folder/bin/pip" install -q -r "$list" >&2
    cp "$list" "$folder/peers.txt"
fi
echo "$folder/bin/python3"
