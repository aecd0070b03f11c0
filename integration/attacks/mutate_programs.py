# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in MLIR, changed at random, for those who attack the compiler.

    for mutant in draw(programs(), count=20000, seed=1):
        mutant.text   # bytes
        mutant.name   # "gemm.mlir#17: number, splice"

A mutant depends on the seed and its number only, so a part of a campaign is
the same as in the whole: `draw(..., first=1000, count=10)`.

Most mutants are wrong and are to be refused. Those that are accepted have to
compute what the interpreter says.
"""

import dataclasses
import pathlib
import random
import re

root = pathlib.Path(__file__).resolve().parents[2]

# Where programs of all kinds stand, from linalg to roles by hand.
folders = (
    "examples",
    "integration/breadth/programs",
    "integration/codegen/programs",
    "compiler/test",
    "tools/test",
)

# Larger ones only make a campaign slow.
largest = 20_000


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    text: bytes


@dataclasses.dataclass(frozen=True)
class Mutant:
    number: int
    name: str
    text: bytes


def programs(only=folders):
    """All programs below the folders, in the order of their names. A file of
    tests that is split in parts is a program for each part."""
    found = []
    for folder in only:
        for path in sorted((root / folder).rglob("*.mlir")):
            parts = re.split(rb"^// -----.*$", path.read_bytes(), flags=re.M)
            for number, part in enumerate(parts):
                is_program = b"tile.kernel" in part or b"func.func" in part
                if is_program and len(part) <= largest:
                    name = str(path.relative_to(root))
                    name += f"/{number}" if len(parts) > 1 else ""
                    found.append(Program(name, part))
    return found


tokens = re.compile(
    rb'"(?:[^"\\\n]|\\.)*"'  # strings
    rb"|[%@#!^][\w$.-]*"  # names
    rb"|-?\d+(?:\.\d+(?:[eE][-+]?\d+)?)?"  # numbers
    rb"|[A-Za-z_][\w$.]*"  # words
    rb"|->|::|\s+|."  # the rest, byte by byte
    , re.S)
is_number = re.compile(rb"-?\d+\Z")

# Where sizes, counts and positions go wrong.
numbers = [str(number).encode() for number in (
    0, 1, -1, 2, 3, 7, 16, 31, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257,
    512, 1023, 4096, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**33,
    2**40, 2**62, 2**63 - 1, -2**63, 2**63, 2**64 - 1, 2**64, 10**30)]
words = [word.encode() for word in (
    "f32", "f16", "bf16", "f64", "i1", "i8", "i32", "i64", "index",
    "f8E4M3FN", "f8E5M2", "?", "auto", "smem", "tmem", "threads", "tma",
    "mma", "true", "false", "dense<0.0>", "dense<1.0>", "()", "[]", "{}",
    "<>", "loc(unknown)", "unit", "tensor<?x?xf32>", "tensor<f32>",
    "!tile.view<?x?xbf16>", "tensor<0x0xf32>", "affine_map<(d0) -> (d0)>")]


def pick(rng, text):
    """A token that is not space: its place."""
    places = [m for m in tokens.finditer(text) if not m.group().isspace()]
    return rng.choice(places) if places else None


def replace(text, place, new):
    return text[:place.start()] + new + text[place.end():]


def change_number(rng, text, others):
    places = [m for m in tokens.finditer(text) if is_number.match(m.group())]
    if not places:
        return text
    place = rng.choice(places)
    value = int(place.group())
    near = str(value + rng.choice((-1, 1, 8, -8, value))).encode()
    return replace(text, place, rng.choice((near, rng.choice(numbers))))


def change_extent(rng, text, others):
    """A size inside a type, such as 128x64."""
    places = list(re.finditer(rb"(?<=[<x])(\d+|\?)(?=x)", text))
    if not places:
        return text
    return replace(text, rng.choice(places), rng.choice((*numbers, b"?")))


def drop_token(rng, text, others):
    place = pick(rng, text)
    return replace(text, place, b"") if place else text


def repeat_token(rng, text, others):
    place = pick(rng, text)
    if not place:
        return text
    times = rng.choice((2, 2, 2, 3, 50))
    return replace(text, place, (place.group() + b" ") * times)


def swap_tokens(rng, text, others):
    first, second = pick(rng, text), pick(rng, text)
    if not first or first.start() >= second.start():
        return text
    return (text[:first.start()] + second.group() +
            text[first.end():second.start()] + first.group() +
            text[second.end():])


def take_token(rng, text, others):
    """A token of another program, or a word of the language."""
    place = pick(rng, text)
    other = pick(rng, rng.choice(others).text)
    if not place or not other:
        return text
    new = rng.choice((other.group(), rng.choice(words)))
    return replace(text, place, new)


def same_kind(rng, text, others):
    """A token by another of its kind in the same program: these mutants are
    often accepted."""
    places = [m for m in tokens.finditer(text) if not m.group().isspace()]
    if not places:
        return text
    place = rng.choice(places)

    def kind(token):
        if token[:1] in b"%@#!^\"":
            return token[:1]
        if is_number.match(token):
            return b"0"
        return b"a" if token[:1].isalpha() else token

    same = [m.group() for m in places
            if kind(m.group()) == kind(place.group())]
    return replace(text, place, rng.choice(same))


def lines_of(text):
    return text.split(b"\n")


def drop_lines(rng, text, others):
    lines = lines_of(text)
    start = rng.randrange(len(lines))
    del lines[start:start + rng.choice((1, 1, 2, 5))]
    return b"\n".join(lines)


def repeat_lines(rng, text, others):
    lines = lines_of(text)
    start = rng.randrange(len(lines))
    lines[start:start] = lines[start:start + rng.choice((1, 1, 2, 5))]
    return b"\n".join(lines)


def move_line(rng, text, others):
    lines = lines_of(text)
    line = lines.pop(rng.randrange(len(lines)))
    lines.insert(rng.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def splice(rng, text, others):
    lines, more = lines_of(text), lines_of(rng.choice(others).text)
    start = rng.randrange(len(more))
    at = rng.randrange(len(lines))
    lines[at:at + rng.choice((0, 1, 3))] = more[start:start + rng.choice((1, 3))]
    return b"\n".join(lines)


def change_bytes(rng, text, others):
    changed = bytearray(text)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def cut(rng, text, others):
    return text[:rng.randrange(len(text) + 1)]


def rename(rng, text, others):
    """A symbol or an argument gets an unlikely name."""
    places = list(re.finditer(rb'@[\w.]+|"[\w.]+"', text))
    if not places:
        return text
    place = rng.choice(places)
    name = rng.choice((b"a b", b"\\FFx", b"\\1B[31m", b"", b"a.b", b"0", b"%s",
                       b"\xc3\xa4", b"\xff", b"x" * 3000, b"ret", b"a\\22b",
                       b"../../x", b"<script>", b"printf", b"memcpy"))
    quoted = b'"' + name + b'"'
    sign = b"@" if place.group()[:1] == b"@" else b""
    return replace(text, place, sign + quoted)


mutations = {
    "number": (change_number, 5),
    "extent": (change_extent, 3),
    "same kind": (same_kind, 6),
    "drop token": (drop_token, 2),
    "repeat token": (repeat_token, 1),
    "swap": (swap_tokens, 2),
    "take": (take_token, 3),
    "drop lines": (drop_lines, 2),
    "repeat lines": (repeat_lines, 2),
    "move": (move_line, 2),
    "splice": (splice, 2),
    "bytes": (change_bytes, 1),
    "cut": (cut, 1),
    "rename": (rename, 1),
}


def draw(seeds, count, seed=1, first=0):
    """Yields mutants `first` to `first + count` of a seed."""
    names = list(mutations)
    weights = [mutations[name][1] for name in names]
    for number in range(first, first + count):
        rng = random.Random(f"{seed}:{number}")
        program = rng.choice(seeds)
        text = program.text
        steps = rng.choices(names, weights, k=rng.choice((1, 1, 1, 2, 2, 4)))
        for step in steps:
            text = mutations[step][0](rng, text, seeds)
        yield Mutant(number, f"{program.name}#{number}: {', '.join(steps)}",
                     text)
