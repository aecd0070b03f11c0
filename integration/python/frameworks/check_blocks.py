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

import jax
import jax.numpy as jnp
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


class Calls(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def check_operations():
    """Forms of operations that the blocks haven't: torch's results are within bounds."""
    torch.manual_seed(0)
    F = torch.nn.functional
    x, y, w = torch.randn(3, 64, 64).bfloat16()
    mask = torch.rand(64, 64) > 0.5
    cases = {
        "gelu": (F.gelu, x), "gelu by tanh": (lambda x: F.gelu(x, approximate="tanh"), x),
        "geglu": (lambda x, y, w: F.gelu(x @ y) * (x @ w), x, y, w),
        "alpha": (lambda x, y: torch.add(x, y, alpha=2) - torch.sub(x, y, alpha=3), x, y),
        "1 - x": (lambda x: 1 - x, x), "abs": (torch.abs, x),
        "clamp": (lambda x: x.clamp(-1, 0.5), x), "log": (lambda x: x.abs().log(), x),
        "where": (torch.where, mask, x, y),
        "masked_fill": (lambda x, m: x.masked_fill(m, 0.5), x, mask),
        "a number of each row": (lambda x, n: x * n, x,
                                 torch.arange(64, dtype=torch.int32)[:, None] * 5),
        "dropout of a mask": (lambda x, w, m: F.linear(x, w) * m / 0.9, x, w, mask),
        "lora": (lambda x, w, a, b: F.linear(x, w) + F.linear(F.linear(x, a), b) * 2,
                 x, w, torch.randn(16, 64).bfloat16(), torch.randn(64, 16).bfloat16()),
        "layer_norm": (lambda x, w: F.linear(F.layer_norm(x, (64,)), w), x, w),
        "a vector": (lambda x, v: x @ v, x, w[0]),
        "a sum of all": (lambda x: x - x.sum((), keepdim=True), x),
        "a type of another": (lambda x, y: (x * 2).to(y) + y, x, y.float()),
        "a batch of one": (lambda x, w: x @ w, x[None], w[None]),
    }
    for name, (function, *arguments) in cases.items():
        for arch in ARCHITECTURES:
            parts = drawloom.torch.split(Calls(function), *arguments)
            found = [one for compared in (parts.compare(arch, *arguments),
                                          parts.compare_framework(arch, *arguments))
                     for several in compared.values() for one in several]
            assert len(found) == 2 and not parts.refused, f"{name}: {parts.refused}"
            assert all(one.matches and not one.unbounded for one in found), (
                f"{name} on {arch}: {found}")
    q, k, v = torch.randn(3, 1, 2, 128, 64).bfloat16()
    parts = drawloom.torch.split(Calls(F.scaled_dot_product_attention), q, k, v)
    assert parts.compare("sm_100a", q, k, v)["calls"][0].matches, parts

    @jax.jit
    def exact(x):
        return jax.nn.gelu(x, approximate=False)

    @jax.jit
    def spread(x):
        return jnp.var(x, -1)

    x = jnp.linspace(-6, 6, 64 * 64).reshape(64, 64)
    for arch in ARCHITECTURES:
        for function in (exact, spread):
            parts = drawloom.jax.split(function, x)
            for found in (parts.compare(arch, x), parts.compare_framework(arch, x)):
                (one,), = found.values()
                assert one.matches, f"{function.__name__} on {arch}: {one}"
    print(f"{len(cases) + 3} forms of operations are within their bounds", flush=True)


class Sums(torch.nn.Module):
    def forward(self, x):
        return x.cumsum(-1)


class Masked(torch.nn.Module):
    def forward(self, x, mask):
        return torch.nn.functional.scaled_dot_product_attention(x, x, x, mask)


class Rows(torch.nn.Module):
    def forward(self, x, which):
        return x + which


class Refused(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(64, 64)
        self.sums, self.masked, self.rows = Sums(), Masked(), Rows()

    def forward(self, x, mask, which):
        return self.rows(self.masked(self.sums(self.linear(x)), mask), which)


def check_refusals():
    """Parts that can't be kernels are named, and run with the framework."""
    torch.manual_seed(0)
    model = Refused().bfloat16().eval()
    for parameter in model.parameters():  # Whole numbers, so that sums are exact.
        parameter.data = torch.randint(-1, 2, parameter.shape).bfloat16()
    arguments = (torch.randint(-2, 3, (64, 64)).bfloat16(), torch.zeros(64, 64).bfloat16(),
                 torch.ones(64, dtype=torch.int64))
    parts = drawloom.torch.split(model, *arguments)
    assert torch.equal(parts.run("sm_90a", *arguments), model(*arguments))
    assert parts.refused == {
        ("sums", "any GPU"): "there is no operation cumsum here",
        ("masked", "any GPU"): "there is no attention with a mask or dropout here",
        ("rows", "any GPU"): "there is no argument of torch.int64 here"}, parts.refused
    assert list(parts.programs) == ["linear"], parts

    @jax.jit
    def order(x):
        return jnp.sort(x, -1)

    x = jnp.arange(64.0).reshape(8, 8)[:, ::-1]
    parts = drawloom.jax.split(lambda x: order(x) + 1, x)
    assert (parts.run("sm_90a", x) == jnp.sort(x) + 1).all()
    words, = parts.refused.values()
    line = order.__wrapped__.__code__.co_firstlineno + 2
    assert words.startswith(f"{__file__}:{line}:") and words.endswith(
        ": error: jaxlib makes no linalg of stablehlo.sort"), words

    @jax.jit
    def multiply(x):
        return x @ x

    parts = drawloom.jax.split(multiply, x)
    assert (parts.run("sm_90a", x) == x @ x).all()
    assert "which tensor cores read as TF32" in parts.refused["multiply", "sm_90a"]

    @jax.jit
    def halves(x):
        return jnp.split(x * x, 2, -1)[0]

    parts = drawloom.jax.split(lambda x: halves(x) + 1, x)
    assert (parts.run("sm_90a", x) == jnp.split(x * x, 2, -1)[0] + 1).all()
    line = halves.__wrapped__.__code__.co_firstlineno + 2
    assert parts.refused["halves", "sm_90a"].startswith(f"{__file__}:{line}:"), parts
    try:
        drawloom.jax.compile(halves, x, arch="sm_90a")
    except drawloom.Error as error:
        assert error.messages[0].line == line, error
    else:
        raise AssertionError("halves is no kernel")
    grouped = drawloom.torch.split(
        Calls(lambda q, k: torch.nn.functional.scaled_dot_product_attention(
            q, k, k, enable_gqa=True)), torch.ones(2, 4, 64, 64).bfloat16(),
        torch.ones(2, 2, 64, 64).bfloat16())
    summed = drawloom.torch.split(Calls(lambda x: x.sum((0, 1), False, dtype=torch.int64)),
                                  torch.ones(64, 64).bfloat16())
    numbers = torch.arange(64, dtype=torch.int32)
    added = drawloom.torch.split(Calls(lambda x: x + 2 ** 24), numbers)
    assert torch.equal(added.run("sm_90a", numbers), numbers + 2 ** 24)
    dropped = drawloom.torch.split(
        Calls(lambda x: torch.nn.functional.dropout(x * 2, 0.5, True)),
        torch.ones(64, 64).bfloat16())
    found = [one for parts in (grouped, summed, added, dropped)
             for one in parts.refused.values()]
    assert found == ["there is no attention of grouped queries here",
                     "there is no result of torch.int64 here",
                     "there is no arithmetic of int32 here",
                     "there is no dropout by chance here; call eval(), or give the mask "
                     "as an argument"], found
    kept = drawloom.torch.split(torch.nn.Dropout().eval(), torch.ones(64, 64).bfloat16())
    assert not kept.refused and kept.others == {"dropout": 1}, kept
    print("parts that are refused are named, and run with the framework", flush=True)


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
    check_operations()
    check_refusals()
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
