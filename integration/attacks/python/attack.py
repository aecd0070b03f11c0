# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls every public function and method of the package `drawloom` with arguments that
are wrong in type or value, drawn from a seed, and counts how they end:

    attack.py --count 2000 [--seed 1] [--only NUMBER]

An answer and an exception of Python's are fine. A process that ends, a call that takes
more than LIMIT seconds, and more than 2 GiB of memory are not. A batch of calls runs in
a child; if that ends, its last call is to blame, and the rest goes on in another child.
--only repeats one call in this process.
"""
import argparse
import collections
import decimal
import fractions
import functools
import inspect
import os
import pathlib
import pickle
import random
import resource
import select
import signal
import sys
import time
import traceback

import ml_dtypes
import numpy as np

import drawloom

LIMIT = 60
MOST_BYTES = 2 << 30
BATCH = 50
GEMM = (pathlib.Path(__file__).resolve().parents[3] / "examples/gemm.mlir").read_text()


class Hostile:
    """Says something wrong wherever it is asked."""

    def __index__(self):
        raise RuntimeError("no")

    def __fspath__(self):
        return 3

    def __len__(self):
        return -1

    def __iter__(self):
        return iter(())

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self):
        return object()

    def __repr__(self):
        raise RuntimeError("no")


class Loud(str):
    """A string that is another one when it is encoded."""

    def encode(self, *_):
        return b"\xff\xff"


def numbers(draw):
    return draw.choice([0, 1, -1, 2, 3, 31, 32, 33, 64, 100, 255, 2**31 - 1, 2**31, 2**32,
                        2**63 - 1, 2**63, 2**64, 2**70, -2**31, -2**63, -2**70, True,
                        10**400, np.int64(-5), np.uint64(2**63), np.int8(7)])


def floats(draw):
    return draw.choice([0.0, -0.0, 0.5, 1.0, -1.5, 1e308, -1e308, 5e-324, float("inf"),
                        float("-inf"), float("nan"), np.float32(3), np.float16("nan"),
                        decimal.Decimal("1.5"), fractions.Fraction(1, 3), 3j])


WORDS = ["", " ", "\0", "\n", "x", "X", "größe", "my kernel", "a\0b", "\ud800", "🧵", "%s%n",
         "../../x", "/", "A" * 5000, "sm_90a", "sm_100a", "sm_100", "sm_999", "SM_90A",
         "h100", "b200", "b300", "cuda", "rtx5090", "random:1", "random:-1", "random:",
         "random:99999999999999999999", "adversarial", "adversarial:mma", "deterministic",
         "default", "strict", "bf16", "f32", "f8E4M3FN", "f8e4m3fn", "i1", "f64", "tf32",
         "float32", "complex64", "f32[M, K]", "bf16[M, 0]", "f32[-1]", "f32[[", "M", "K",
         "tile = [128, 128, 64]", "tile = [-1]", "tile = [4611686018427387904]",
         "slots = {operands = 99999999}", "cluster = [2, 1]", "cluster = [0, 0]", "out",
         "tile = [1, 1, 1]", "]]]]", "#", "<" * 3000, "A", "B", "D", "gemm", "@gemm", "\x1b[31m"]


def words(draw):
    if draw.random() < 0.1:
        return Loud(draw.choice(WORDS))
    return draw.choice(WORDS)


def texts(draw):
    """Programs: right ones, damaged ones, and none."""
    kind = draw.randrange(6)
    if kind == 0:
        return GEMM
    if kind == 1:
        return words(draw) + "\n"
    text = list(GEMM)
    for _ in range(draw.randrange(1, 6)):
        at = draw.randrange(len(text))
        text[at] = draw.choice(["", "\0", "x", "9", "-", "?", "ü", "\ud800", text[at] * 3,
                                "(" * 50, "%", "}", "9999999999999999999999"])
    return "".join(text)


def arrays(draw):
    shape = tuple(draw.choice([0, 1, 2, 7, 16, 24, 32, 40, 64])
                  for _ in range(draw.randrange(4)))
    dtype = draw.choice([np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int8,
                         np.int32, np.uint8, bool, object, "U3", np.complex64,
                         ml_dtypes.float8_e4m3fn])
    made = np.zeros(shape, dtype)
    how = draw.randrange(6)
    if how == 0:
        made.flags.writeable = False
    if how == 1:
        made = made[..., ::-1] if made.ndim else made
    if how == 2:
        made = np.broadcast_to(made, (2, *made.shape))
    if how == 3:
        made = made.T
    return made


def right_array(draw):
    """What a GEMM takes, or nearly."""
    shape = draw.choice([(40, 32), (24, 32), (40, 24), (0, 32), (40, 0), (1, 1), (8, 33)])
    return np.ones(shape, draw.choice([ml_dtypes.bfloat16, ml_dtypes.bfloat16, np.float32]))


class World:
    """What calls start from; each child has its own."""

    def __init__(self):
        fusion = drawloom.Fusion("base")
        self.x = fusion.input("x", ["M", 64], "f32")
        self.y = fusion.input("y", ["M", 64], "bf16")
        other = drawloom.Fusion("other")
        self.foreign = other.input("z", ["N", "K", 8], "bf16")
        self.fusion = fusion
        self.kernels = [drawloom.compile(GEMM, arch) for arch in ("sm_90a", "sm_100a")]

        @drawloom.fuse
        def both(x: "f32[M, 64]"):
            return {"d": x + x, "s": x.sum(axis=1)}
        self.kernels.append(both)
        self.plan = self.kernels[0].plan


def functions(draw):
    """Formulas, most of them wrong."""
    namespace = {"drawloom": drawloom}
    kind = draw.choice(["{}", "\"{}\"", "'f32[M, 64]'"])
    notes = [kind.format(draw.choice(["f32[M, 64]", "bf16[M, K]", "f32", "3", "None", "i8[M]",
                                      "f32[M, 9999999999999999999999]", "f32[2*K]"]))
             for _ in range(draw.randrange(3))]
    names = draw.sample(["x", "y", "größe", "out", "ret"], len(notes))
    body = draw.choice(["x", "x + 1", "x, x", "{'d': x}", "{}", "{3: x}", "{'x': x}",
                        "x @ x.T", "x.sum(axis=1)", "x.sum(axis=9)", "None", "1/0",
                        "drawloom.maximum(x, 3)", "drawloom.maximum(x, (1,))", "x / x",
                        "x if x else x", "x == x", "x.unsqueeze(0) * x", "[x]", "x.T.T",
                        "{'d': x + x, 's': x.sum(axis=1)}", "drawloom.exp(x) * 1e300"])
    parameters = ", ".join(f"{name}: {note}" for name, note in zip(names, notes))
    text = (f"from __future__ import annotations\n"
            f"def f{draw.choice(['', 'ö', '1'])}({parameters}):\n    return {body}\n")
    try:
        exec(compile(text, "<formula>", "exec", dont_inherit=True), namespace)
    except SyntaxError:
        return lambda: None
    return next(value for name, value in namespace.items() if name.startswith("f"))


def values(draw, world):
    """Something."""
    kind = draw.randrange(16)
    if kind == 0:
        return numbers(draw)
    if kind == 1:
        return floats(draw)
    if kind in (2, 3, 4):
        return words(draw)
    if kind == 5:
        return texts(draw)
    if kind == 6:
        return arrays(draw)
    if kind == 7:
        return right_array(draw)
    if kind == 8:
        return [values(draw, world) for _ in range(draw.randrange(4))]
    if kind == 9:
        return {words(draw): values(draw, world) for _ in range(draw.randrange(3))}
    if kind == 10:
        return tuple(numbers(draw) for _ in range(draw.randrange(5)))
    if kind == 11:
        return draw.choice([None, None, ..., NotImplemented, b"sm_90a", bytearray(b"x"),
                            object(), Hostile(), int, print, range(3), set()])
    if kind == 12:
        return draw.choice([world.x, world.y, world.foreign, world.fusion])
    if kind == 13:
        return draw.choice([*world.kernels, world.plan, world.kernels[0]._program])
    if kind == 14:
        return functions(draw)
    return pathlib.Path(draw.choice(["/dev/null", "/", "nowhere.mlir", "/proc/self/mem"]))


#: By the names of parameters, what is nearly right.
LIKELY = {
    "arch": words, "name": words, "kernel": words, "device": words, "order": words,
    "check": words, "fields": words, "source": texts, "dtype": words, "function": functions,
    "axis": numbers, "sms": numbers, "seed": numbers, "arrays": right_array,
}


def right(owner, name, draw, world):
    """What is right for a parameter, so that others are looked at."""
    def formula(x: "f32[M, 64]"):
        return drawloom.relu(x + 1)
    ones = np.ones((40, 32), ml_dtypes.bfloat16)
    known = {
        "arch": draw.choice(["sm_90a", "sm_100a"]), "name": draw.choice(["k", "y", "z"]),
        "kernel": None if owner in ("both", "fusion") else "gemm", "device": None,
        "order": draw.choice([None, "random:1", "adversarial"]), "check": "default",
        "fields": "slots = {operands = 3}", "source": GEMM, "dtype": "f32",
        "function": formula, "axis": 1, "sms": 2, "seed": 7, "tensor": world.x,
        "x": world.x, "a": world.x, "b": world.x, "other": world.x, "compare": True,
        "strict": True, "unproved": False, "cache": False, "shape": ["M", 64],
        "shapes": {} if owner == "both" else {"D": (40, 24)}, "text": "t", "messages": (),
        "outputs": {"d": np.ones((40, 64), "f"), "s": np.ones(40, "f")}
        if owner == "both" else {"D": np.ones((40, 40), "f")}}
    if name == "arrays":
        return [np.ones((40, 64), "f")] if owner == "both" else [ones, ones]
    return known.get(name, ...)


def argument(draw, world, owner, name):
    """Right in two of three, so that a call isn't over with its first argument."""
    if draw.random() < 0.66 and (known := right(owner, name, draw, world)) is not ...:
        return known
    likely = LIKELY.get(name)
    if likely and draw.random() < 0.6:
        return likely(draw)
    if name in ("x", "a", "b", "tensor", "other") and draw.random() < 0.5:
        return draw.choice([world.y, world.foreign])
    return values(draw, world)


def list_targets(world):
    """Every public function, and every public method of what they give."""
    targets = {}
    for name in drawloom.__all__:
        thing = getattr(drawloom, name)
        # Constructors of what the package makes itself take the library's handles.
        if name not in ("Kernel", "Plan", "Block", "Tensor"):
            targets[f"drawloom.{name}"] = thing
    things = {"x": world.x, "fusion": world.fusion, "plan": world.plan,
              "kernel": world.kernels[0], "blackwell": world.kernels[1],
              "both": world.kernels[2]}
    for owner, thing in things.items():
        for name, member in inspect.getmembers(type(thing)):
            is_operator = name.startswith("__") and name.strip("_") in (
                "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "matmul",
                "rmatmul", "neg", "bool", "eq", "lt", "iter", "len", "call", "repr", "str")
            if name.startswith("_") and not is_operator:
                continue
            if isinstance(member, property):
                targets[f"{owner}.{name}"] = functools.partial(getattr, thing, name)
            elif callable(member):
                targets[f"{owner}.{name}"] = getattr(thing, name)
    targets["pickle.dumps"] = functools.partial(
        pickle.dumps, [*world.kernels, world.plan, world.x])
    return targets


def draw_call(seed, number, world):
    """The call of that number: its name, itself, and what it is given."""
    draw = random.Random(seed * 1_000_003 + number)
    targets = list_targets(world)
    name = draw.choice(sorted(targets))
    target = targets[name]
    owner = name.split(".")[0]
    parameters = []
    if not isinstance(target, functools.partial):
        try:
            parameters = list(inspect.signature(
                type(target).__call__.__get__(target)
                if isinstance(target, drawloom.Kernel) else target).parameters.values())
        except (TypeError, ValueError):
            pass
    given, named = [], {}
    for one in parameters:
        if one.kind is one.VAR_POSITIONAL:
            known = right(owner, one.name, draw, world)
            given += list(known) if known is not ... and draw.random() < 0.66 else [
                argument(draw, world, owner, "element") for _ in range(draw.randrange(4))]
        elif one.kind is one.VAR_KEYWORD:
            if draw.random() < 0.3:
                key = draw.choice(["kernel", "name", "unproved", "cache", "A", "B", "zz"])
                named[key] = argument(draw, world, owner, key)
        elif one.kind is one.KEYWORD_ONLY:
            if draw.random() < 0.5:
                named[one.name] = argument(draw, world, owner, one.name)
        elif one.default is one.empty or draw.random() < 0.6:
            given.append(argument(draw, world, owner, one.name))
    if draw.random() < 0.05:
        given.append(values(draw, world))
    return name, target, given, named


def show(value):
    """Without trusting it."""
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) < 120 else text[:117] + "..."


def describe(name, given, named):
    return (f"{name}(" + ", ".join([*map(show, given), *(
        f"{key}={show(value)}" for key, value in named.items())]) + ")")


def work(seed, numbers_, report):
    """In a child: says which call begins, and how it ended."""
    world = World()
    for number in numbers_:
        os.write(report, f"{number}\n".encode())
        name, target, given, named = draw_call(seed, number, world)
        try:
            target(*given, **named)
            kind = "answer"
        except Exception as error:
            kind = type(error).__name__
            # Words, and none of the inside.
            if isinstance(error, (AttributeError, AssertionError, KeyError)) or (
                    isinstance(error, TypeError) and "ctypes" in str(error)):
                frames = traceback.extract_tb(error.__traceback__)
                if "drawloom" in frames[-1].filename and "attack" not in frames[-1].filename:
                    kind += " inside"
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        os.write(report, f"{number} {name} {most} {kind}\n".encode())
    os._exit(0)


class Child:
    """Runs calls until they are done, or it ends."""

    def __init__(self, seed, numbers_):
        self.left = list(numbers_)
        self.output, end = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.output)
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            try:
                work(seed, self.left, end)
            finally:
                os._exit(3)
        os.close(end)

    def rows(self):
        """(number, words) of each call: words are none where it began."""
        buffer = b""
        begun, last = None, time.monotonic()
        while True:
            ready, _, _ = select.select([self.output], [], [], 1)
            if ready:
                data = os.read(self.output, 65536)
                if not data:
                    break
                buffer += data
                last = time.monotonic()
            elif time.monotonic() - last > LIMIT:
                os.kill(self.pid, signal.SIGKILL)
                yield begun, "hang"
                break
            while b"\n" in buffer:
                line, _, buffer = buffer.partition(b"\n")
                number, *rest = line.decode().split(" ", 3)
                begun = int(number)
                yield begun, rest
        os.close(self.output)
        _, status = os.waitpid(self.pid, 0)
        if status:
            yield begun, f"ended by {status}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    if options.only is not None:
        name, target, given, named = draw_call(options.seed, options.only, World())
        print(describe(name, given, named), flush=True)
        print(show(target(*given, **named)))
        return 0
    start = time.monotonic()
    kinds, targets, failures = collections.Counter(), collections.Counter(), []
    inside, most = [], 0
    waiting = list(range(options.count))
    while waiting:
        batch, waiting = waiting[:BATCH], waiting[BATCH:]
        done, current, was_killed = set(), None, False
        for number, rest in Child(options.seed, batch).rows():
            if isinstance(rest, str):
                if rest == "hang":
                    failures.append((number, "hang"))
                    done.add(number)
                    was_killed = True
                elif not was_killed:
                    failures.append((current, rest))
                    done.add(current)
                continue
            current = number
            if rest:
                name, bytes_, kind = rest
                targets[name] += 1
                kinds[kind] += 1
                most = max(most, int(bytes_))
                if int(bytes_) > MOST_BYTES:
                    failures.append((number, f"{bytes_} bytes"))
                if "inside" in kind:
                    inside.append((number, name, kind))
                done.add(number)
        waiting = [one for one in batch if one not in done] + waiting
    for number, why in failures:
        print(f"call {number}: {why}; attack.py --seed {options.seed} --only {number}")
    for number, name, kind in inside:
        print(f"call {number}: {name}: {kind}")
    print(", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    print(f"{options.count} calls of {len(targets)} functions: {len(failures)} crashes, hangs or "
          f"excesses, {len(inside)} exceptions of the inside, at most {most >> 20} MiB, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if failures or inside else 0


if __name__ == "__main__":
    sys.exit(main())
