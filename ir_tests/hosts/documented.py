#!/usr/bin/env python3
"""What users are told to run: the blocks of docs/hosts.md, pasted as they stand into a copy of the
checkout, and the programs of examples/. Each must end well and print the result that its block names
behind #.

usage: documented.py SOURCE_DIR DOORS_DIR. SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE, DOORS = (pathlib.Path(name).resolve() for name in sys.argv[1:3])


def run(command, folder, **more):
    """What it printed."""
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(command, cwd=folder, env={**os.environ, "PATH": path}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    assert done.returncode == 0, f"{command}:\n{done.stdout}"
    return done.stdout


def main():
    text = (SOURCE / "docs/hosts.md").read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.S | re.M)
    assert len(blocks) == 3, len(blocks)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for entry in SOURCE.iterdir():
            if not entry.name.startswith((".", "build")):
                (folder / entry.name).symlink_to(entry)
        for block in blocks:
            assert len(block.splitlines()) < 10, block
            expected = re.search(r"# (\S+); ", block)[1]
            printed = run(["bash", "-e", "-o", "pipefail"], folder, input=block)
            assert expected in printed.splitlines()[-1], (expected, printed)
            print(printed.splitlines()[-1])
    for example in sorted((SOURCE / "examples").glob("*.py")):
        print(run([sys.executable, example, DOORS], SOURCE), end="")


if __name__ == "__main__":
    main()
