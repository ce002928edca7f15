#!/usr/bin/env bash
# newest.sh COMMAND [FOLDER]: the suites of this folder with the newest versions of the peers.
# It tells what changed and decides nothing: no step of CI calls it.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
command=${1:?the command to test} folder=${2:-build-newest}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=$("$here/venv.sh" "$folder" newest)
"$folder/bin/pip" list --format freeze | grep -E '^(openvino|onnx|onnxruntime|numpy|ml_dtypes)=='
status=0
for suite in compare good_models saved_models; do
    "$python" "$here/$suite.py" --command "$command" || status=$?
    echo "$suite.py: exit $status"
done
