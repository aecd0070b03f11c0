# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The SBOM of each wheel names whatever is linked into its files or copied beside them:
archives are those of the linker's command lines, shared libraries those that the files
need. Each belongs to a package of Debian's, which bindings/python/wheel/contents.py has a row for."""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bindings/python/wheel"))
from contents import CONTENTS  # noqa: E402

FILES = {
    "drawloom-emulator": ["bin/drawloom-run", "lib/drawloom/libcuda.so.1",
                          "lib/drawloom/libcudart.so.13",
                          "lib/drawloom/libdrawloom-driver.so.1"],
    "drawloom": ["bin/drawloom", "lib/drawloom/libdrawloom-c.so.1"],
}
# Of the system that a wheel's tag names, ours, and what the other wheel has.
ELSEWHERE = re.compile(r"lib(c|m|dl|rt|pthread|gcc_s)\.so|ld-linux|libcuda\.so")


def run(*arguments):
    return subprocess.run([str(one) for one in arguments], check=True, text=True,
                          capture_output=True).stdout


def owners(paths):
    """The package of each file, by any of its names."""
    spellings = {path: [str(path), str(path.resolve()), str(path).removeprefix("/usr"),
                        str(path.resolve()).removeprefix("/usr")] for path in paths}
    # It fails if it doesn't know one of them, and says the others.
    done = subprocess.run(["dpkg", "-S", *(one for names in spellings.values()
                                           for one in names)], capture_output=True,
                          text=True)
    known = {file: package.split(":")[0] for package, file in re.findall(
        r"^(\S+): (/.*)$", done.stdout, re.M)}
    return {path: next((known[one] for one in names if one in known), None)
            for path, names in spellings.items()}


def archives(build, file):
    """What the linker gets for a file: archives by their paths."""
    command = run("ninja", "-C", build, "-t", "commands", "-s", file)
    arguments = command.split()
    found = {pathlib.Path(word) for word in arguments
             if word.endswith(".a") and word.startswith("/")}
    found |= {pathlib.Path(run("clang++-22", f"-print-file-name={word[3:]}").strip())
              for word in arguments if re.fullmatch(r"-l:lib.*\.a", word)}
    if "-static-libstdc++" in arguments:
        found.add(pathlib.Path(run("clang++-22", "-print-file-name=libstdc++.a").strip()))
    return found


def needed(build, file):
    lines = run("readelf", "--dynamic", build / file)
    names = re.findall(r"\(NEEDED\).*\[(.*)\]", lines)
    return {pathlib.Path(run("clang++-22", f"-print-file-name={name}").strip())
            for name in names if not ELSEWHERE.match(name)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    listed = {wheel: {row[0] for row in CONTENTS if wheel in row[3]} for wheel in FILES}
    errors = []
    for wheel, files in FILES.items():
        inside = {}
        for file in files:
            for path in archives(options.build, file):
                inside[path] = listed[wheel]
            for path in needed(options.build, file):
                # The emulator's wheel has what both need.
                inside[path] = set().union(*listed.values())
        packages = owners(inside)
        for path, package in sorted(packages.items()):
            # MLIR's and LLVM's archives are many, of two packages.
            if package not in inside[path]:
                errors.append(f"{wheel}: {path} is of {package}, which its SBOM lacks")
        used = set(packages.values())
        print(f"{wheel}: {len(inside)} libraries of {', '.join(sorted(map(str, used)))}")
        errors += [f"{wheel}: nothing in it is of {package}, which its SBOM has"
                   for package in sorted(listed[wheel] - used)]
    for error in errors:
        print(error)
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
