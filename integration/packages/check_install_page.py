# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of docs/Install.md that install what utils/wheels packs find it: both
wheels, one of which needs the other, without an index. The wheels are stand-ins with the
metadata of ours."""
import argparse
import pathlib
import re
import shlex
import sys
import tempfile
import zipfile

from check_wheels import ROOT, TAG, Failure, expect, project_version, run


def write_wheel(folder, name, version, requirements=(), extras=(), tag="py3-none-any"):
    module = name.replace("-", "_")
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}",
             *(f"Provides-Extra: {one}" for one in extras),
             *(f"Requires-Dist: {one}" for one in requirements)]
    information = f"{module}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{module}-{version}-{tag}.whl", "w") as wheel:
        wheel.writestr(f"{information}/METADATA", "\n".join(lines) + "\n")
        wheel.writestr(f"{information}/WHEEL",
                       f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n")
        wheel.writestr(f"{information}/RECORD", "")


def main():
    argparse.ArgumentParser(description=__doc__).parse_known_args()
    version = project_version()
    text = (ROOT / "docs/Install.md").read_text()
    commands = re.findall(r"^pip install (.*--find-links build/release/wheels [^#\n]*)", text,
                          re.M)
    expect(len(commands) == 2, f"{commands}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        wheels = folder / "build/release/wheels"
        wheels.mkdir(parents=True)
        write_wheel(wheels, "drawloom-emulator", version, tag=f"py3-none-{TAG}")
        write_wheel(wheels, "drawloom", version, tag=f"py3-none-{TAG}", extras=["numpy"],
                    requirements=[f"drawloom-emulator=={version}",
                                  'numpy>=1.24; extra == "numpy"',
                                  'ml_dtypes; extra == "numpy"'])
        for name in ("numpy", "ml-dtypes"):
            write_wheel(wheels, name, "9.9")
        for command in commands:
            said = run(sys.executable, "-m", "pip", "install", "--no-index", "--dry-run",
                       "--ignore-installed", *shlex.split(command), cwd=folder,
                       env={"PATH": "/usr/bin:/bin", "HOME": scratch})
            for name in ("drawloom", "drawloom-emulator"):
                expect(f" {name}-{version}" in said, f"{command}\n{said}")
            expect(("numpy-9.9" in said) == ("[numpy]" in command), f"{command}\n{said}")
    print(f"install: {len(commands)} commands of docs/Install.md find the wheels")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"install: {failure}")
