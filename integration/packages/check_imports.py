# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch, Triton and Drawloom in one process, imported in any order, with a kernel
on the emulator under them, for tensors on the CPU and on its device. Both wheels are
in a fresh environment; torch and Triton come from the one of the extended suite."""
import argparse
import itertools
import os
import pathlib
import sys
import tempfile

from check_wheels import ROOT, Failure, expect, install, run

PROGRAM = """
import MODULES
import torch, triton, triton.language as tl, drawloom
@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)
x, y = torch.randn(2, 1000)
out = torch.empty(1000)
add[(8,)](x, y, out, 1000, BLOCK=128)
assert torch.equal(out, x + y)
there = torch.empty(1000, device='cuda')
add[(8,)](x.cuda(), y.cuda(), there, 1000, BLOCK=128)
assert torch.equal(there.cpu(), x + y)
a = torch.randn(64, 64)
assert torch.allclose(a @ a, (a.double() @ a.double()).float(), atol=1e-4)
loaded = open('/proc/self/maps').read()
assert str(drawloom.library_folder()) in loaded
assert 'libLLVM' not in loaded and 'libMLIR' not in loaded
print('right')
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    extended = pathlib.Path(os.environ["DRAWLOOM_CACHE"]) / "venv-extended"
    packages = next(extended.glob("lib/python3.*/site-packages"))
    run(ROOT / "utils/wheels", options.build)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch).resolve() / "fresh"
        install(folder, options.build / "wheels", "drawloom")
        own = next(folder.glob("lib/python3.*/site-packages"))
        (own / "extended.pth").write_text(f"{packages}\n")
        program = pathlib.Path(scratch) / "program.py"
        for order in itertools.permutations(["torch", "triton", "drawloom"]):
            program.write_text(PROGRAM.replace("MODULES", ", ".join(order)))
            said = run(folder / "bin/drawloom", "run", "--device", "b200", "--",
                       folder / "bin/python", "-W", "ignore", program,
                       env={**os.environ, "TRITON_CACHE_DIR": scratch})
            expect(said == "right\n", f"{order}: {said}")
            print(", ".join(order), "right", flush=True)
    print("imports: pass")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"imports: {failure}")
