# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of models from JAX and torch, for both architectures: what each kernel writes,
and what the framework itself makes of the same arrays on the CPU, are within the bounds
that follow from the program.

    check_blocks.py            also holds the programs that are stored to them
    check_blocks.py --write    stores them
"""
import doctest
import importlib
import pathlib
import sys

import torch

import drawloom.jax
import drawloom.torch

ARCHITECTURES = ["sm_90a", "sm_100a"]
HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES, STORED = HERE.parents[2] / "examples", HERE / "programs"


def load(file):
    """The block of an example, and what it is called with."""
    sys.path.insert(0, str(file.parent))
    sys.modules.pop(file.stem, None)
    example = importlib.import_module(file.stem)
    sys.path.pop(0)
    if file.parent.name == "torch":
        model, arguments = example.make_model()
        return drawloom.torch.split(model, *arguments, kernels=example.KERNELS), arguments
    arguments = example.make_arguments()
    return drawloom.jax.split(example.block, *arguments), arguments


def check(name, parts, arguments):
    for arch in ARCHITECTURES:
        found = [parts.compare(arch, *arguments),
                 parts.compare_framework(arch, *arguments)]
        assert not parts.refused, parts
        assert all(set(compared) == set(parts.programs) for compared in found), found
        if name.startswith("torch"):
            found[1].pop("attention", None)  # check_attention has it.
        for compared in found:
            wrong = [f"{part}: {one}" for part, several in compared.items()
                     for one in several if not one.matches or one.unbounded]
            assert not wrong, f"{name} on {arch}: {wrong}"
        print(f"{name} on {arch}: {len(parts.programs)} kernels with {parts.share:.0%} of "
              f"the operations are within their bounds, and so is what the framework makes "
              f"of {len(found[1])} of them on the CPU", flush=True)


def check_attention():
    """torch rounds the weights of attention to bf16 before it divides by their sum, our
    program after, and each may round the sum of f32 terms in its own order. A weight is
    off by 2^-9 in either, and a sum of rounded weights by as much; a result is rounded
    by 2^-9 at the end."""
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 4, 128, 64).bfloat16()
    made = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    q, k, v = (one.double() for one in (q, k, v))
    scores = q @ k.transpose(1, 2) * 64 ** -0.5
    scores += torch.full((128, 128), -torch.inf, dtype=torch.double).triu(1)
    weights = torch.softmax(scores, -1)
    exact, terms = weights @ v, weights @ v.abs()
    inF32 = 2.0 ** -23 * 128  # Sums of at most 128 terms, and the exponential.
    bound = (2 * 2.0 ** -9 + inF32) * terms + 2.0 ** -9 * (exact.abs() + terms * 2.0 ** -8)
    share = ((made.double() - exact).abs() / bound).max()
    assert share <= 1, share
    print(f"torch's attention is within {share:.0%} of a bound that follows from its "
          "roundings", flush=True)


def main():
    writes = "--write" in sys.argv
    programs = {}
    for file in sorted([*EXAMPLES.glob("jax/*.py"), *EXAMPLES.glob("torch/*.py")]):
        name = f"{file.parent.name}_{file.stem}"
        parts, arguments = load(file)
        programs |= {f"{name}.{part}.mlir": text for part, text in parts.programs.items()}
        if not writes:
            check(name, parts, arguments)
    check_attention()
    for name, text in programs.items() if writes else ():
        (STORED / name).write_text(text)
    found = {file.name: file.read_text() for file in STORED.glob("*.mlir")}
    assert found == programs, (
        f"{STORED} is stale: {sorted({*found.items()} ^ {*programs.items()})[:1]}; "
        "integration/python/frameworks/check_blocks.py has --write")
    print(f"{len(programs)} programs, as stored")
    for module in (drawloom.jax, drawloom.torch):
        result = doctest.testmod(module)
        assert result.attempted and not result.failed, result
        print(f"{module.__name__}: {result.attempted} examples")


if __name__ == "__main__":
    main()
