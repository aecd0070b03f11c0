# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debian's packages, and find_package(Drawloom): unpacks what CPack makes, runs
the commands from there, and builds and runs examples/cpp against it. The code
that the docs show is in these examples."""
import argparse
import os
import pathlib
import re
import tempfile

from check_wheels import ROOT, Failure, expect, project_version, run

# Where the code of the pages is.
SHOWN = {"docs/Frontend.md": "examples/cpp/build_linear.cpp",
         "docs/guides/use-from-cpp.md": "examples/cpp/launch_gemm.cpp"}


def words(code):
    """What the compiler sees of it, whatever its lines are."""
    code = re.sub(r"//[^\n]*", "", code)
    return re.findall(r"\w+|\S", code)


def check_shown(page, example):
    """Each statement of the page's code is in the example."""
    shown = re.search(r"```cpp\n(.*?)```", (ROOT / page).read_text(), re.S)
    have = " ".join(words((ROOT / example).read_text()))
    for statement in re.sub(r"//[^\n]*", "", shown.group(1)).split(";"):
        lines = [line for line in statement.splitlines() if line.strip()]
        for part in lines if "#include" in statement else [statement]:
            said = " ".join(words(part))
            # The page looks at errors nowhere, and says so.
            said = re.sub(r"^llvm : : Error \w+ = ", "", said)
            expect(said in have, f"{page} shows '{said}', which isn't in {example}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    version = project_version()
    for page, example in SHOWN.items():
        check_shown(page, example)

    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch).resolve()
        run("cpack", "-G", "DEB", "-B", scratch, cwd=options.build)
        for package in ["drawloom-emulator", "drawloom", "libdrawloom-dev"]:
            file = scratch / f"{package}_{version}_amd64.deb"
            expect(file.exists(), f"no {file.name}")
            run("dpkg-deb", "--extract", file, scratch / "root")
            needs = run("dpkg-deb", "--field", file, "Depends").strip()
            expect("llvm" not in needs or package == "libdrawloom-dev",
                   f"{package} depends on {needs}")
            print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB; {needs}")
        prefix = scratch / "root/usr"
        expect(not (prefix / "lib/drawloom/private").exists(),
               "a package has copies of Debian's libraries")

        gemm = ROOT / "examples/gemm.mlir"
        drawloom = prefix / "bin/drawloom"
        said = run(drawloom, "run", gemm, "--arch", "sm_90a", "--random",
                   "--compare")
        expect("the results match the reference" in said, said)

        # The C API, by the command of docs/Python.md.
        run("cc", ROOT / "bindings/c/unittests/formula_to_result.c", "-I",
            prefix / "include", prefix / "lib/drawloom/libdrawloom-c.so.1",
            f"-Wl,-rpath,{prefix}/lib/drawloom", "-o", scratch / "formula-to-result")
        expect(run(scratch / "formula-to-result") == "right\n", "the C API")

        made = scratch / "made"
        environment = {**os.environ, "CC": "clang-22", "CXX": "clang++-22"}
        run("cmake", "-S", ROOT / "examples/cpp", "-B", made, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={prefix}", env=environment)
        run("cmake", "--build", made, env=environment)
        ptx = run(made / "build-linear")
        expect(".visible .entry linear(" in ptx, ptx[:1000])
        run(drawloom, "compile", gemm, "--arch", "sm_100a", "--emit", "ptx",
            "-o", scratch / "gemm.ptx")
        said = run(drawloom, "run", "--device", "b200", "--",
                   made / "launch-gemm", scratch / "gemm")
        expect(said == "right\n", said)
    print("packages: pass")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        raise SystemExit(f"packages: {failure}")
