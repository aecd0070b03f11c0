# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every binary of a build is hardened, as `cmake/Components.cmake` says:

  PIE             an executable has no fixed address
  RELRO, NOW      relocations are bound at startup and read-only afterwards
  NX              no stack is executable
  RUNPATH         folders beside the binary or absolute ones, none that is empty:
                  a loader takes that for the current folder
  stack, FORTIFY  each source file is compiled with both

Flags are seen in the commands of the compiler, and in a binary by the checked
functions that it calls. One in which no copy has a size to check calls none, so that
is asked of those that are shipped and copy.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

SHIPPED = {"drawloom", "drawloom-run", "libcuda.so.1", "libcudart.so.13",
           "libdrawloom-c.so.1", "libdrawloom-driver.so.1"}
# It passes on what libcuda.so.1 does.
COPIES_NOTHING = {"libcudart.so.13"}
# Debian's, copied into the wheel: held to what the loader sees.
COPIED = {"libdnnl.so.2", "libgomp.so.1", "libOpenCL.so.1"}
FLAGS = ["-fstack-protector-strong", "-D_FORTIFY_SOURCE=2"]


def readelf():
    folder = subprocess.run(["llvm-config-22", "--bindir"], check=True,
                            capture_output=True, text=True).stdout.strip()
    return pathlib.Path(folder) / "llvm-readelf"


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def errors_of(path, tool, sanitized):
    """What a binary lacks, as text."""
    text = subprocess.run([tool, "-hldW", "--dyn-symbols", path], check=True,
                          capture_output=True, text=True).stdout
    # (NAME) value: the dynamic section, in which a name stands once.
    dynamic = {}
    for line in text.splitlines():
        before, mark, after = line.strip().partition("(")
        if before.startswith("0x") and mark:
            name, _, value = after.partition(")")
            dynamic[name] = value.strip()
    flags = dynamic.get("FLAGS", "").split() + dynamic.get("FLAGS_1", "").split()
    if "Type:                              DYN" not in text:
        yield "not position-independent"
    if "INTERP" in text and "PIE" not in flags:
        yield "an executable without PIE"
    if "GNU_RELRO" not in text:
        yield "no RELRO"
    if path.name not in COPIED and not {"BIND_NOW", "NOW"} & set(flags):
        yield "not bound at startup"
    stack = next(line for line in text.splitlines() if "GNU_STACK" in line)
    if "RWE" in stack:
        yield "an executable stack"
    for name in ("RUNPATH", "RPATH"):
        if name not in dynamic:
            continue
        folders = dynamic[name].partition("[")[2].removesuffix("]").split(":")
        for folder in folders:
            if not folder.startswith(("/", "$ORIGIN")):
                yield f"{name} has the folder '{folder}'"
    if path.name in SHIPPED and not sanitized:
        if "__stack_chk_fail" not in text:
            yield "no stack protector"
        if path.name not in COPIES_NOTHING and not re.search(r"__\w+_chk\b", text):
            yield "no FORTIFY"


def binaries(folder):
    """Each file that is a binary, once."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and is_elf(path):
            yield path


def check_binaries(paths, sanitized=False):
    """Prints errors; the counts of binaries and errors."""
    tool = readelf()
    count = wrong = 0
    for path in paths:
        count += 1
        for error in errors_of(path, tool, sanitized):
            wrong += 1
            print(f"{path}: {error}")
    return count, wrong


def check_commands(build):
    """Prints source files that are compiled without the flags, and counts them."""
    commands = json.loads((build / "compile_commands.json").read_text())
    bare = [entry["file"] for entry in commands if entry["file"].endswith(".cpp")
            and not all(flag in entry["command"].split() for flag in FLAGS)]
    for file in bare:
        print(f"{file}: compiled without {' and '.join(FLAGS)}")
    return len(commands), len(bare)


def check_wheel(wheel):
    """Prints errors of the binaries in a wheel; the counts of both."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        return check_binaries(binaries(pathlib.Path(folder)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    cache = (options.build / "CMakeCache.txt").read_text()
    sanitized = "DRAWLOOM_SANITIZE:BOOL=ON" in cache
    paths = [path for folder in ("bin", "lib/drawloom")
             for path in binaries(options.build / folder)]
    count, errors = check_binaries(paths, sanitized)
    if not sanitized:
        files, bare = check_commands(options.build)
        print(f"hardening: {files} source files, {bare} without flags")
        errors += bare
    print(f"hardening: {count} binaries, {errors} errors")
    return errors > 0 or count == 0


if __name__ == "__main__":
    sys.exit(main())
