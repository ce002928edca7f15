#!/usr/bin/env bash
# Runs the examples of README.md (lines that begin with "    $ ") and compares what they print, save
# those that name this machine's tiers or an installed tree. usage: readme.sh SOURCE_DIR BUILD_DIR
set -eu
export HERE=$1 PATH="$2:$PATH"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
ln -s "$HERE/ir_tests/models/good" models

bad=0 examples=0 command='' expected=''
try() {
    case $command in
    '' | *' explain '* | cc\ * | ./any_host\ *) return 0 ;;
    esac
    local printed
    printed=$(bash -c "$command" 2>&1) || true
    examples=$((examples + 1))
    [ "$printed" != "${expected%$'\n'}" ] || return 0
    printf 'README.md: $ %s\nexpected:\n%sprinted:\n%s\n' "$command" "$expected" "$printed"
    bad=1
}
while IFS= read -r line; do
    case $line in
    '    $ '*) try; command=${line#'    $ '} expected='' ;;
    '    '*) expected+="${line#    }"$'\n' ;;
    *) try; command='' ;;
    esac
done <"$HERE/README.md"
try
echo "$examples examples"
[ "$examples" -gt 5 ] || bad=1
exit $bad
