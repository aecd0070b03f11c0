# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From nothing to a checked kernel: packs the wheels, installs them into a fresh
environment with no compiler around, and runs kernels from there. The first result
is there after FIRST_RESULT seconds at most. With --emulator it is the emulator's
wheel alone, which is packed in seconds."""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

import check_hardening

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST_RESULT = 60
CONVERSATION = ROOT / "tools/test/language-server/lifecycle.test"
TAG = "manylinux_2_34_x86_64"
# What every Linux has that the wheels' tag names; all else is in the wheels.
SYSTEM = {"linux-vdso.so.1", "ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6",
          "libgcc_s.so.1", "libstdc++.so.6", "libdl.so.2", "libpthread.so.0",
          "librt.so.1"}
# What the help of the commands names, and what is beside it.
EXAMPLES = [*ROOT.glob("examples/*.mlir"), *ROOT.glob("examples/linalg/*.mlir"),
            *ROOT.glob("examples/schedules/*.mlir"), *ROOT.glob("examples/sweep/*.mlir"),
            ROOT / "examples/sweep/release.toml", ROOT / "examples/sweep/formulas.py",
            *(path for folder in ("run", "check")
              for path in ROOT.glob(f"examples/{folder}/*")
              if path.suffix in (".ptx", ".json", ".npy"))]
INSIDE = {
    "drawloom_emulator": {
        "bin/drawloom-run", "lib/drawloom/libcuda.so.1",
        "lib/drawloom/libcudart.so.13", "lib/drawloom/libdrawloom-driver.so.1",
        "lib/drawloom/private/libdnnl.so.2",
        "lib/drawloom/private/libgomp.so.1",
        "lib/drawloom/private/libOpenCL.so.1",
        "lib/drawloom/ptxas", "lib/drawloom/ptxas-blackwell",
        "lib/drawloom/python/drawloom_triton/__init__.py",
        "lib/drawloom/python/drawloom_triton/compiler.py",
        "lib/drawloom/python/drawloom_triton/driver.py",
        "lib/drawloom/python/drawloom_triton.egg-info/PKG-INFO",
        "lib/drawloom/python/drawloom_triton.egg-info/entry_points.txt",
        "lib/drawloom/python/sitecustomize.py",
        "share/doc/drawloom-emulator/copyright",
        *(f"share/drawloom/{path.relative_to(ROOT)}" for path in EXAMPLES
          if path.suffix in (".ptx", ".json", ".npy")),
        "drawloom_emulator/__init__.py",
        "drawloom_emulator/py.typed",
        "drawloom_emulator/pytest_plugin.py"},
    "drawloom": {"bin/drawloom", "lib/drawloom/libdrawloom-c.so.1",
                 "share/doc/drawloom/copyright", "drawloom/__init__.py",
                 "drawloom/_block.py", "drawloom/_elements.py",
                 "drawloom/_fusion.py", "drawloom/_kernel.py",
                 "drawloom/_library.py", "drawloom/jax.py", "drawloom/py.typed",
                 "drawloom/sweep/__init__.py", "drawloom/sweep/__main__.py",
                 "drawloom/sweep/_commands.py",
                 "drawloom/sweep/_drive.py", "drawloom/sweep/_engines.py",
                 "drawloom/sweep/_report.py", "drawloom/sweep/_spec.py",
                 "drawloom/sweep/_table.py", "drawloom/sweep/_work.py",
                 "drawloom/torch.py"}
                | {f"share/man/man1/{page.name}"
                   for page in (ROOT / "docs/man").glob("*.1")}
                | {f"share/drawloom/{path.relative_to(ROOT)}" for path in EXAMPLES
                   if path.suffix in (".mlir", ".toml", ".py")},
}


class Failure(Exception):
    pass


def expect(condition, words):
    if not condition:
        raise Failure(words)


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], text=True, **{
        "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **options})
    expect(result.returncode == 0,
           f"{' '.join(map(str, command))}\n{result.stdout}")
    return result.stdout


def project_version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(Drawloom VERSION ([0-9.]+)", text).group(1)


def check_contents(wheel, version):
    """Exactly what is meant to be inside, and a license for each part of it."""
    package = wheel.name.split("-")[0]
    information = f"{package}-{version}.dist-info/"
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
        dashed = package.replace("_", "-")
        bill = json.loads(
            archive.read(f"{information}sboms/{dashed}.cdx.json"))
    data = f"{package}-{version}.data/data/"
    inside = {name.removeprefix(data) for name in names
              if not name.startswith(information)}
    expect(inside == INSIDE[package],
           f"{wheel.name}: not as the test says: {inside ^ INSIDE[package]}")
    expect(bill["metadata"]["component"]["version"] == version,
           f"{wheel.name}: the SBOM is of another version")
    for part in bill["components"]:
        debian = re.match(r"pkg:deb/debian/([^@]+)@", part["purl"]).group(1)
        expect(f"{information}licenses/{debian}.txt" in names,
               f"{wheel.name}: no license of {debian}")
    expect(f"{information}licenses/LICENSE" in names,
           f"{wheel.name}: no license of ours")


def check_hardened(wheel):
    """What packages.hardening asks of a build, of the binaries that others get."""
    count, errors = check_hardening.check_wheel(wheel)
    expect(count and not errors, f"{wheel.name}: {count} binaries, {errors} errors")


def check_audit(wheel):
    """auditwheel finds nothing newer than the tag, and nothing from elsewhere but what
    the compiler's wheel takes from the emulator's, which it depends on."""
    folder = pathlib.Path(sys.executable).parent
    audit = json.loads(run(
        folder / "auditwheel", "show", "--json", wheel, stderr=None,
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}))
    private = "lib/drawloom/private/"
    lent = {name.removeprefix(private) for name in INSIDE["drawloom_emulator"]
            if name.startswith(private) and wheel.name.startswith("drawloom-")}
    elsewhere = set(audit["external_libs"])
    expect(audit["sym_tag"] == TAG and elsewhere <= lent,
           f"{wheel.name}: {audit['sym_tag']}, libraries from elsewhere: {elsewhere}")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB; auditwheel: symbols of "
          f"{audit['sym_tag']}, of the other wheel: {' '.join(sorted(elsewhere)) or '-'}")


def check_loaded(folder):
    """Nothing comes from packages of the host that built it."""
    files = [folder / "bin/drawloom", folder / "bin/drawloom-run",
             folder / "lib/drawloom/libcuda.so.1",
             folder / "lib/drawloom/libcudart.so.13",
             folder / "lib/drawloom/libdrawloom-c.so.1",
             folder / "lib/drawloom/libdrawloom-driver.so.1"]
    for file in filter(pathlib.Path.exists, files):
        for line in run("ldd", file).splitlines():
            name = line.split()[0]
            found = line.partition(" => ")[2]
            ours = found.startswith(str(folder))
            expect(ours or pathlib.Path(name).name in SYSTEM,
                   f"{file} loads {line.strip()}")


def install(folder, wheels, name):
    """A fresh environment with a wheel in it, and no pip."""
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    run(sys.executable, "-m", "pip", "--python", folder / "bin/python", "install",
        "--quiet", "--no-index", "--find-links", wheels, name)


def digest(wheel):
    return hashlib.sha256(wheel.read_bytes()).hexdigest()


def pack(build, names):
    start = time.monotonic()
    run(ROOT / "utils/wheels", build, *names)
    wheels = sorted((build / "wheels").glob("*.whl"))
    expect(len(wheels) == len(names), f"wheels: {wheels}")
    print(f"packed in {time.monotonic() - start:.0f} s")
    return wheels


def check_again(build, names):
    """Packed once more, the wheels are the same bytes."""
    before = {wheel.name: digest(wheel) for wheel in (build / "wheels").glob("*.whl")}
    with tempfile.TemporaryDirectory() as scratch:
        # In a build folder of another name, a few seconds later.
        other = pathlib.Path(scratch) / "other"
        other.symlink_to(build)
        kept = build / "wheels.first"
        shutil.rmtree(kept, ignore_errors=True)
        (build / "wheels").rename(kept)
        try:
            run(ROOT / "utils/wheels", other, *names)
            after = {wheel.name: digest(wheel)
                     for wheel in (build / "wheels").glob("*.whl")}
        finally:
            shutil.rmtree(build / "wheels", ignore_errors=True)
            kept.rename(build / "wheels")
    expect(before == after, f"packed twice, the wheels are {before} and {after}")
    print(f"{', '.join(before)}: packed twice, the same bytes")


def check_provenance(folder, wheels):
    """The statement beside the wheels is about them, and about a commit."""
    statement = json.loads((folder / "provenance.intoto.json").read_text())
    subjects = {one["name"]: one["digest"]["sha256"] for one in statement["subject"]}
    expect(subjects == {wheel.name: digest(wheel) for wheel in wheels},
           f"the provenance is of {subjects}")
    commit = run("git", "-C", ROOT, "rev-parse", "HEAD").strip()
    definition = statement["predicate"]["buildDefinition"]
    expect(definition["resolvedDependencies"][0]["digest"]["gitCommit"] == commit,
           f"the provenance is of another commit than {commit}")


# x is 0, 1, ..., 99 there, and y is 0.
SAXPY = [2.5 * i for i in range(100)]


def numbers(file):
    """The floats of a .npy file; there is no numpy in the environment."""
    data = file.read_bytes()
    header, = struct.unpack("<H", data[8:10])
    return [number for number, in struct.iter_unpack("<f", data[10 + header:])]


FIND_DRIVER = """
import ctypes
try:
    ctypes.CDLL('libcuda.so.1')
except OSError:
    pass
print('drawloom/libcuda.so.1' in open('/proc/self/maps').read())
"""


def check_emulator(scratch, clean, version):
    saxpy = ROOT / "examples/run/saxpy"
    run("drawloom-run", f"{saxpy}.ptx", "--launch", f"{saxpy}.json",
        "--orders", "3", "-o", scratch, env=clean)
    got = numbers(pathlib.Path(scratch) / "y.npy")
    expect(got == SAXPY, f"saxpy gave {got[:4]}...")
    run("python", "-c", f"""
import ctypes, drawloom_emulator
assert drawloom_emulator.__version__ == '{version}'
driver = ctypes.CDLL(drawloom_emulator.library_folder() / 'libcuda.so.1')
count = ctypes.c_int()
assert driver.cuInit(0) == 0
assert driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value == 1
""", env=clean)
    # Only `drawloom run` leads to our driver.
    expect(run("python", "-c", FIND_DRIVER, env=clean) == "False\n",
           "the loader finds our libcuda.so.1 by itself")
    expect(run("drawloom-run", "--", "python", "-c", FIND_DRIVER,
               env=clean) == "True\n",
           "drawloom-run doesn't lead to our libcuda.so.1")


def check_compiler(scratch, clean, version):
    said = run("drawloom", "run", ROOT / "examples/gemm.mlir", "--arch", "sm_100a",
               "--random", "--compare", env=clean, cwd=scratch)
    expect("the results match the reference" in said, said)
    said = run("drawloom", "--version", env=clean)
    expect(said.startswith(f"drawloom {version} "), said)
    # An editor has its server.
    said = run("drawloom", "lsp", "--lit-test", "--log", "error", env=clean,
               input=CONVERSATION.read_text())
    expect("'tile.frobnicate' is unknown" in said, said)
    run("python", "-c", f"""
import drawloom, os
assert drawloom.__version__ == '{version}'
assert os.access(drawloom.command(), os.X_OK)
""", env=clean)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--emulator", action="store_true",
                        help="its wheel alone")
    options = parser.parse_args()
    names = ["drawloom-emulator"] + ([] if options.emulator else ["drawloom"])
    version = project_version()
    heading = (ROOT / "CHANGELOG.md").read_text().split("## ")[1].split("\n")[0]
    expect(heading.split(",")[0] == version,
           f"CHANGELOG.md begins with '{heading}', not {version}")
    wheels = pack(options.build, names)
    check_provenance(options.build / "wheels", wheels)
    check_again(options.build, names)
    for wheel in wheels:
        check_contents(wheel, version)
        expect(wheel.name.endswith(f"-py3-none-{TAG}.whl"),
               f"{wheel.name}: another tag")
        check_audit(wheel)
        check_hardened(wheel)

    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch).resolve() / "fresh"
        start = time.monotonic()
        install(folder, options.build / "wheels", names[-1])
        # No compiler, no ptxas, no variables of this build.
        clean = {"PATH": f"{folder}/bin", "HOME": scratch}
        check_emulator(scratch, clean, version)
        first = time.monotonic() - start
        expect(first <= FIRST_RESULT, f"a checked kernel after {first:.1f} s")
        if not options.emulator:
            check_compiler(scratch, clean, version)
        print(f"a checked kernel {first:.1f} s after the download, all "
              f"{time.monotonic() - start:.1f} s after it")
        check_loaded(folder)
    print("wheels: pass")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"wheels: {failure}")
