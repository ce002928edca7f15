#!/usr/bin/env python3
"""The catalogue of bad models: every problem that `irreduce check` must list of each, and what
OpenVINO does with the same file when it reads it and compiles it for its CPU device. A problem of
irreduce's that is missing or new fails the run; OpenVINO's answers are told. With --docs it also
writes the page of them.

Needs what ci/peers.txt names. SPDX-License-Identifier: Apache-2.0"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from facts import table  # noqa: E402
from peer_openvino import OpenVino, sentence, versions  # noqa: E402

SECONDS = 30  # for one file
LONGEST = 120  # of an edit's text
WORDS = {"accepts": "accepts", "reading": "refuses to read", "compiling": "refuses to compile",
         "crashes": "crashes", "hangs": f"no answer in {SECONDS} s"}
HEAD = """# The checker beside OpenVINO

Written by `ir_tests/peers/bad_models.py --docs` and by nobody's hand: do not edit. Every file here
is a good model of `ir_tests/models/good` with one edit. `irreduce check` lists all problems of a
file, with the lines they are in; the same run compared them with the catalogue. {peer} got the same
file: `read_model`, then `compile_model` for its CPU device. Where it accepts a file, it may repair it
(it infers shapes anew), ignore what is wrong, or compute something else than the file says. The
fragments_* have no <net>: OpenVINO reads none of those, edited or not.

"""


def ask(path):
    """In the worker: [what it does, its message]."""
    import openvino
    step = "reading"
    try:
        core = openvino.Core()
        model = core.read_model(path)
        step = "compiling"
        core.compile_model(model, "CPU")
    except Exception as error:  # whatever it throws is its answer
        return step, sentence(error)
    return "accepts", ""


def answer_of(peer, path):
    """A crash counts where the file crashes a new process too."""
    for _ in range(2):
        answer = peer.call(ask, str(path), seconds=SECONDS)
        if not isinstance(answer, str):
            told = answer[1].replace(str(path.with_suffix("")), "model")
            return answer[0], re.sub(r"(?<=[A-Za-z0-9])_\d+\b", "_N", told)  # names it counts up
    return ("hangs" if answer.startswith("no answer") else "crashes"), ""


def problems_of(command, path):
    """The lines that the command lists, without the file's name; a note is no problem."""
    done = subprocess.run([command, "check", path.name], cwd=path.parent, capture_output=True,
                          text=True, check=False, timeout=60)
    lines = done.stdout.splitlines() + done.stderr.splitlines()
    start = f"{path.name}:"
    found = [line[len(start):] for line in lines
             if line.startswith(start) and "declared ports are trusted" not in line]
    return found if done.returncode else found + ["exit 0"]


def code(text, longest=None):
    """As code in a table; of a long text its beginning."""
    text = text if not longest or len(text) <= longest else text[:longest] + " ..."
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def edit_text(model, line, find, replace, axes):
    if axes != "0 0":
        return f"{model}: the weights become {', '.join(axes.split())}"
    where = f"{model}:{line}" if line != "0" else f"{model}, everywhere"
    if not find:
        return f"{where}: {code(replace, LONGEST)} goes in"
    return f"{where}: {code(find, LONGEST)} " + (f"becomes {code(replace, LONGEST)}" if replace else "goes")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="irreduce", help="the command to test")
    parser.add_argument("--writer", required=True, help="test_ir_bad, which has the catalogue")
    parser.add_argument("--docs", type=pathlib.Path, help="write the page here")
    arguments = parser.parse_args()
    command = pathlib.Path(arguments.command)
    command = str(command.resolve()) if command.exists() else arguments.command
    lines, count, wrong = [], collections.Counter(), 0
    with OpenVino() as peer, tempfile.TemporaryDirectory() as folder:
        version = peer.call(versions)[0]
        subprocess.run([arguments.writer, "--write", folder], check=True)
        for row in sorted(pathlib.Path(folder).glob("*.txt")):
            text = row.read_text().replace("<memory>", f"{row.stem}.bin").splitlines()
            edit, wanted = edit_text(*text[:5]), text[6:]
            found = problems_of(command, row.with_suffix(".xml"))
            if found != wanted:
                wrong += 1
                print(f"{row.stem}: {edit}\n got: {found}\nwant: {wanted}", flush=True)
            did, message = answer_of(peer, row.with_suffix(".xml"))
            count[did] += 1
            told = "<br>".join(code(p.replace(f"{row.stem}.", "model.")) for p in found)
            lines.append((edit, told, WORDS[did] + (f": {code(message)}" if message else "")))
    counts = ", ".join(f"{text} {count[word]}" for word, text in WORDS.items())
    summary = (f"{len(lines)} files: irreduce lists what it must of {len(lines) - wrong}. "
               f"OpenVINO {version}: {counts}.")
    print(summary)
    if arguments.docs:
        page = table(("edit", "irreduce check", "OpenVINO"), lines)
        arguments.docs.write_text(HEAD.format(peer=f"OpenVINO {version}") + summary + "\n\n"
                                  + "\n".join(page) + "\n")
    return 1 if wrong or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
