# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of the long suites (suites.toml) have every case once: of each tool the cases
of three parts, as it lists them, are those of the whole. And no command of the file has
more parts than cases."""

import argparse
import collections
import pathlib
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
# The module alone: the package would want to be installed.
sys.path.append(str(HERE.parents[1] / "bindings/python/drawloom/drawloom/sweep"))

from _commands import make_command

PARTS = 3


def name_tool(command):
    """The first file of the command that is a tool or a script of ours."""
    return next(name for word in command.files
                if not (name := pathlib.Path(word).name).startswith("python"))


def list_cases(command, part):
    done = subprocess.run([*command.of(part), "--list"], cwd=command.folder, text=True,
                          capture_output=True)
    if done.returncode:
        sys.exit(f"{command.of(part)}: ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return collections.Counter(done.stdout.splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--except", action="append", default=[], dest="left_out",
                        metavar="NAME", help="of a command")
    args = parser.parse_args()
    spec = tomllib.loads((HERE / "suites.toml").read_text())
    values = {"build": args.build, "python": args.python}
    seen, errors = set(), 0
    for given in spec["commands"]:
        if "parts" not in given or given["name"] in args.left_out:
            continue
        command = make_command(given["command"], values, HERE, 0)
        whole = list_cases(command, "1/1")
        words = f"{given['name']}: {whole.total()} cases in {given['parts']} parts"
        if whole.total() < given["parts"]:
            words, errors = f"{words}: some have none", errors + 1
        if (tool := name_tool(command)) not in seen:
            seen.add(tool)
            parts = [list_cases(command, f"{number}/{PARTS}") for number in range(1, PARTS + 1)]
            together = sum(parts, collections.Counter())
            words += f"; {tool}: {' + '.join(str(one.total()) for one in parts)}"
            if together != whole or max(map(len, parts)) == len(whole):
                words, errors = f"{words} are not the whole", errors + 1
        print(words, flush=True)
    print(f"parts: {len(seen)} tools, {errors} errors")
    return errors > 0 or not seen


if __name__ == "__main__":
    sys.exit(main())
