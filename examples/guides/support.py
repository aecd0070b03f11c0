# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compiles and runs for which architecture, tried here: docs/SupportMatrix.md.

    support.py types|programs|schedules

Where there is an emulated device, a program `runs` if its results match the reference;
elsewhere it `compiles` if ptxas makes a cubin of it. `no` is a program that is rejected.
"""
import pathlib
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent
GEMM = (EXAMPLES / "gemm.mlir").read_text()
ARCHITECTURES = {"sm_90a": True, "sm_100a": True, "sm_103a": False, "sm_110a": False}
TYPES = ["bf16", "f16", "f32", "f8E4M3FN", "f8E5M2"]
PROGRAMS = ["gemm_bias_activation_residual", "batched_gemm", "grouped_gemm", "attention",
            "rmsnorm", "linalg/swiglu"]


def with_type(name):
    """f32 is what tensor cores read as TF32, which a program has to accept."""
    accepted = " tf32" if name == "f32" else ""
    return GEMM.replace("bf16", name).replace("%a, %b, %s", "%a, %b, %s" + accepted)


def attempt(folder, text, arch, emulated):
    program = pathlib.Path(folder) / "program.mlir"
    program.write_text(text)
    command = (["run", program, "--arch", arch, "--random", "--compare"] if emulated else
               ["compile", program, "--arch", arch, "-o", f"{folder}/program.cubin"])
    done = subprocess.run(["drawloom", *command], capture_output=True, text=True)
    return "no" if done.returncode else "runs" if emulated else "compiles"


def main():
    files = {"programs": [EXAMPLES / f"{name}.mlir" for name in PROGRAMS],
             "schedules": sorted((EXAMPLES / "schedules").glob("*.mlir"))}
    rows = ({file.stem: file.read_text() for file in files[sys.argv[1]]}
            if sys.argv[1] in files else
            {("tf32 (f32)" if name == "f32" else name): with_type(name) for name in TYPES})
    print(f"{'':34}" + "".join(f"{arch:10}" for arch in ARCHITECTURES).rstrip())
    with tempfile.TemporaryDirectory() as folder:
        for name, text in rows.items():
            cells = [attempt(folder, text, arch, emulated)
                     for arch, emulated in ARCHITECTURES.items()]
            print(f"{name:34}" + "".join(f"{cell:10}" for cell in cells).rstrip())


main()
