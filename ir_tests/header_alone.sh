#!/bin/sh
# A public header compiles alone, as C11 and as C++17, with every warning.
# SPDX-License-Identifier: Apache-2.0
# usage: header_alone.sh COMPILER INCLUDE_FOLDER HEADER
set -eu
check() { # LANGUAGE STANDARD
    printf '#include <%s>\n' "$3" | "$CC" -x "$1" -std="$2" -Wall -Wextra -Wpedantic -Werror \
        -I"$INCLUDE" -fsyntax-only -
}
CC=$1 INCLUDE=$2
check c c11 "$3"
if ! echo | "$CC" -x c++ -fsyntax-only - 2>/dev/null; then
    echo "this compiler has no C++: C alone was checked"
    exit 77
fi
check c++ c++17 "$3"
