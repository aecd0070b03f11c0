# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of models in JAX, from the installed wheel: every function under jax.jit is a
kernel, what each writes is compared with the reference interpreter, and the block with
what JAX makes of it on the CPU. JAX comes from PyPI, once, into an environment of its
own."""
import argparse
import os
import pathlib
import sys
import tempfile

from check_wheels import ROOT, Failure, expect, install, run

CHECK = """
import importlib, sys
import jax, numpy as np
import drawloom.jax
for name in sys.argv[1:]:
    example = importlib.import_module(name)
    arguments = example.make_arguments()
    parts = drawloom.jax.split(example.block, *arguments)
    wanted = np.asarray(example.block(*arguments), np.float32)
    for arch in ("sm_90a", "sm_100a"):
        compared = parts.compare(arch, *arguments)
        beyond = [part for part, all in compared.items()
                  if not all or not all[0].matches or any(one.beyond for one in all)]
        made = np.asarray(parts.run(arch, *arguments), np.float32)
        assert not parts.refused, parts
        assert not beyond, beyond
        assert set(compared) == set(parts.programs), parts
        print(f"{name} on {arch}: {len(parts.programs)} kernels match, "
              f"{parts.share:.0%} of the operations; largest difference to JAX "
              f"{np.abs(made - wanted).max()} of {np.abs(wanted).max()}", flush=True)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    run(ROOT / "utils/wheels", "--here", options.build)
    packages = pathlib.Path(os.environ["DRAWLOOM_CACHE"]) / "venv-frameworks"
    if not (packages / "bin/python").exists():
        run(sys.executable, "-m", "venv", packages)
    run(packages / "bin/python", "-m", "pip", "install", "--quiet", "jax")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch).resolve() / "fresh"
        install(folder, options.build / "wheels-here", "drawloom")
        own, = folder.glob("lib/python3.*/site-packages")
        others, = packages.glob("lib/python3.*/site-packages")
        (own / "others.pth").write_text(f"{others}\n")
        examples = ROOT / "examples/jax"
        names = sorted(file.stem for file in examples.glob("*.py"))
        expect(len(names) == 2, f"{names}")
        said = run(folder / "bin/python", "-c", CHECK, *names,
                   env={"PATH": "/usr/bin", "HOME": scratch, "LANG": "C.UTF-8",
                        "PYTHONPATH": str(examples), "DRAWLOOM_NO_CACHE": "1"})
        print(said.strip())
        expect(said.count("kernels match") == 2 * len(names), said)
    print("frameworks: pass")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"frameworks: {failure}")
