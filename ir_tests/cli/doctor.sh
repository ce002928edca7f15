#!/usr/bin/env bash
# irreduce doctor, with doors and hosts that are made here: files that carry a door's text, scripts
# that answer as Pythons do. usage: doctor.sh COMMAND LIBIRREDUCE
# SPDX-License-Identifier: Apache-2.0
set -eu
command=$1 library=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$library" "$work/libirreduce.so.0"
export LD_LIBRARY_PATH=$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
cd "$work"

python() { # NAME BODY: a Python whose openvino is 9.9.9 and answers to a door with BODY
    printf '#!/bin/sh\ncase "$3" in\nopenvino) echo chatter; echo version 9.9.9 ;;\nonnxruntime) echo absent nothing here ;;\n*) %s ;;\nesac\n' "$2" >"$1"
    chmod +x "$1"
}
expect() { # CODE TEXT ARGUMENT...: exit code and all that is printed
    local code=$1 text=$2 status=0
    shift 2
    "$command" doctor "$@" >out 2>err || status=$?
    if [ "$status" -ne "$code" ] || [ "$(cat out)" != "$text" ] || [ -s err ]; then
        printf 'doctor %s: code %d, expected %d\n' "$*" "$status" "$code"
        diff <(echo "$text") out || cat err
        exit 1
    fi
}
python taker 'echo accepted'
python refuser 'echo refused it is too old'
python breaker 'kill -9 $$'

none="doors in $work:
  openvino-device: not built, libirreduce_openvino_plugin.so is not there; configure with -DIRREDUCE_OPENVINO=ON
  openvino-extension: not built, libirreduce_openvino_extension.so is not there; configure with -DIRREDUCE_OPENVINO=ON
  onnxruntime-ep: not built, libirreduce_onnxruntime_ep.so is not there; configure with -DIRREDUCE_ONNXRUNTIME=ON"
expect 0 "$none
hosts of ./taker:
  no onnxruntime: nothing here" --python ./taker
expect 1 "$none
hosts of ./taker:
  no onnxruntime: nothing here
hosts of ./nosuch:
  no openvino: it cannot be run
  no onnxruntime: it cannot be run" --python ./taker --python ./nosuch

printf 'bytes\0irreduce-door name=openvino-device host=openvino for=9.9.9\0bytes' \
    >libirreduce_openvino_plugin.so
one=${none/not built, libirreduce_openvino_plugin.so is not there; configure with -DIRREDUCE_OPENVINO=ON/libirreduce_openvino_plugin.so, for openvino 9.9.9}
expect 0 "$one
hosts of ./taker:
  openvino 9.9.9 accepts openvino-device
  no onnxruntime: nothing here" --python ./taker
expect 1 "$one
hosts of ./refuser:
  openvino 9.9.9 refuses openvino-device, built for 9.9.9: it is too old
  no onnxruntime: nothing here" --python ./refuser
expect 1 "$one
hosts of ./breaker:
  openvino 9.9.9 refuses openvino-device, built for 9.9.9: it ended with signal 9
  no onnxruntime: nothing here" --python ./breaker
expect 1 "{\"folder\":\"$work\",\"doors\":[{\"name\":\"openvino-device\",\"file\":\"$work/libirreduce_openvino_plugin.so\",\"built\":true,\"host\":\"openvino\",\"for\":\"9.9.9\"},{\"name\":\"openvino-extension\",\"file\":\"$work/libirreduce_openvino_extension.so\",\"built\":false,\"host\":\"openvino\",\"for\":null},{\"name\":\"onnxruntime-ep\",\"file\":\"$work/libirreduce_onnxruntime_ep.so\",\"built\":false,\"host\":\"onnxruntime\",\"for\":null}],\"hosts\":[{\"python\":\"./refuser\",\"host\":\"openvino\",\"version\":\"9.9.9\",\"message\":null,\"doors\":[{\"name\":\"openvino-device\",\"accepted\":false,\"message\":\"it is too old\"}]},{\"python\":\"./refuser\",\"host\":\"onnxruntime\",\"version\":null,\"message\":\"nothing here\",\"doors\":[]}]}" --python ./refuser --json

echo nothing of ours >libirreduce_openvino_plugin.so
expect 1 "${one/, for openvino 9.9.9/, which is no such door}
hosts of ./nosuch:
  no openvino: it cannot be run
  no onnxruntime: it cannot be run" --python ./nosuch
