#!/usr/bin/env bash
# Fails on an include that runs against the house (CONTRIBUTING.md), or on a foreign library's header
# outside its one file. usage: include_arrows.sh SOURCE_DIR
set -eu
cd "$1"
bad=0

# arrow DIR ALLOWED...: quoted includes of DIR name only the allowed folders of src/.
arrow() {
    local dir=$1 allowed
    shift
    allowed=$(IFS='|'; echo "$*")
    while IFS=: read -r file line text; do
        [ -n "$file" ] || continue
        echo "$file:$line: $text: $dir may include $* only"
        bad=1
    done < <(grep -rnE '^ *# *include "[a-z]+/' "$dir" --include='*.[ch]' --include='*.[ch]pp' \
                 --include='*.inc' |
             grep -vE "include \"($allowed)/" || true)
}
arrow src/base base
arrow src/ir base ir
arrow src/runtime base ir runtime
arrow src/kernel base kernel
arrow src/plan base kernel plan
arrow plugin/cpu base kernel plan
arrow plugin/openvino base
arrow plugin/onnxruntime base
arrow tools tools
arrow bench bench kernel # the pool, which region.c calls alone

# only HEADER FILES...: the header is included in these files alone.
only() {
    local header=$1 allowed
    shift
    allowed=$(IFS='|'; echo "$*")
    while IFS= read -r file; do
        [ -n "$file" ] || continue
        echo "$file: $header belongs into $* alone"
        bad=1
    done < <(grep -rlE "^ *# *include <$header" src plugin tools include --include='*.[ch]' |
             grep -vE "^($allowed)$" || true)
}
only 'libxml/' src/ir/ir_xml.c src/ir/ir_xml_memory.h src/runtime/registry.c
only '(oneapi/dnnl/)?dnnl' src/plan/onednn.c
only 'immintrin' 'src/kernel/vec_.*\.h'
only 'cpuid' src/kernel/cpu.c

if grep -rlE '^ *# *include "kernel/' bench | grep -v '^bench/region\.c$'; then
    echo "bench/region.c alone calls what is not public"
    bad=1
fi

# The wall: the host knows nothing of the device, the device nothing of the host, tools see neither.
if grep -rnE '^ *# *include <irreduce/plugin' tools bench; then
    echo "tools and bench use the public API only"
    bad=1
fi
[ "$bad" = 0 ] && echo "every include runs the right way"
exit "$bad"
