# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random linalg graphs, converted and run, against numpy.

    check_random.py --tools build/release/bin --count 100 [--first 0]

A graph has up to eight operations on 32-bit integers: elementwise with operands
that are transposed or broadcast, reductions, products of i8 matrices. Some of its
values, of any shape, are its results. Integers wrap, so every result is exact
and the order of sums does not matter. A graph may be refused (its results have
no dimension in common, say); then the refusal must be a diagnostic. The last
line says how many were converted.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from function import Function

AXES = "MNKJ"
TILES = [1, 2, 4, 8]
SIZES = [0, 1, 2, 3, 5, 8, 9, 16]
BINARY = {"addi": np.add, "subi": np.subtract, "muli": np.multiply, "maxsi": np.maximum, "minsi": np.minimum,
          "xori": np.bitwise_xor}
REDUCTIONS = {"addi": (np.add, 0), "maxsi": (np.maximum, -2**31), "minsi": (np.minimum, 2**31 - 1),
              "andi": (np.bitwise_and, -1), "muli": (np.multiply, 1)}


def indices(dims):
    return ", ".join(d.lower() for d in dims)


class Graph:
    """Writes a function and computes its values as it goes."""

    def __init__(self, seed):
        self.r = np.random.default_rng(seed)
        sizes = {a: int(self.r.choice(SIZES)) for a in AXES}
        self.f = Function(sizes, dynamic=bool(self.r.integers(2)), tile=None)
        self.inputs, self.values = [], []
        for _ in range(int(self.r.integers(1, 4))):
            self.argument("i32")
        for _ in range(int(self.r.integers(1, 9))):
            self.r.choice([self.elementwise, self.elementwise, self.reduce, self.product])()

    def pick(self, count):
        return list(self.r.permutation(list(AXES))[:count])

    def argument(self, element, dims=None):
        dims = dims or self.pick(self.r.integers(1, 4))
        shape = [self.f.sizes[d] for d in dims]
        low, high = (-128, 128) if element == "i8" else (-2**31, 2**31)
        data = self.r.integers(low, high, shape).astype(np.int8 if element == "i8" else np.int32)
        value = self.f.argument(" ".join(dims), element)
        self.inputs.append(data)
        if element == "i32":
            self.values.append((value, data))
        return value, data

    def choose(self):
        return self.values[self.r.integers(len(self.values))]

    def init(self, dims, number=None):
        """Something to write into: empty, or filled with a number."""
        missing = [d for d in dims if self.f.dynamic and d not in self.f.known]
        if missing:
            self.argument("i32", missing)
        return self.f.fill(" ".join(dims), "i32", number) if number is not None else self.f.empty(" ".join(dims), "i32")

    def elementwise(self):
        (a, x), (b, y) = self.choose(), self.choose()
        dims = list(self.r.permutation(sorted(set(a[1]) | set(b[1]))))
        if not dims:
            return
        name = self.r.choice(list(BINARY))
        out = self.f.generic(" ".join(d.lower() for d in dims), [(a, indices(a[1])), (b, indices(b[1]))],
                             (self.init(dims), indices(dims)), f"%r = arith.{name} %x0, %x1 : i32")
        self.values.append((out, BINARY[name](self.spread(x, a[1], dims), self.spread(y, b[1], dims))))

    def spread(self, data, dims, onto):
        """The data with its dimensions in the order of `onto`, repeated along the
        others."""
        data = np.einsum(data, [AXES.index(d) for d in dims], [AXES.index(d) for d in onto if d in dims])
        index = tuple(slice(None) if d in dims else None for d in onto)
        return np.broadcast_to(data[index], [self.f.sizes[d] for d in onto])

    def reduce(self):
        a, x = self.choose()
        if not a[1]:
            return
        dims = list(self.r.permutation(a[1]))
        kept = dims[:int(self.r.integers(len(dims)))]
        name = self.r.choice(list(REDUCTIONS))
        function, neutral = REDUCTIONS[name]
        out = self.f.generic(" ".join(d.lower() for d in dims), [(a, indices(a[1]))],
                             (self.init(kept, neutral), indices(kept)), f"%r = arith.{name} %x1, %x0 : i32",
                             reduced=[d.lower() for d in dims if d not in kept])
        axes = tuple(i for i, d in enumerate(a[1]) if d not in kept)
        result = function.reduce(x, axis=axes, initial=np.int32(neutral), dtype=np.int32)
        rest = [d for d in a[1] if d in kept]
        self.values.append((out, self.spread(result, rest, kept)))

    def product(self):
        m, n, k = self.pick(3)
        (a, x), (b, y) = self.argument("i8", [m, k]), self.argument("i8", [k, n])
        out = self.f.named("linalg.matmul", [a, b], self.init([m, n], 0))
        self.values.append((out, (x.astype(np.int64) @ y.astype(np.int64)).astype(np.int32)))

    def results(self):
        """One to three computed values that are no scalars. Mostly they have a
        dimension in common, so that they can be one kernel."""
        arguments = {a[0] for a in self.f.arguments}
        candidates = [v for v in self.values if v[0][1] and v[0][0] not in arguments]
        if candidates and self.r.integers(8):
            common = self.r.choice(candidates[self.r.integers(len(candidates))][0][1])
            candidates = [v for v in candidates if common in v[0][1]]
        count = min(len(candidates), int(self.r.integers(1, 4)))
        return [candidates[i] for i in self.r.permutation(len(candidates))[:count]]


def run(tools, seed):
    """None if there is nothing to compute, False if the graph was refused."""
    graph = Graph(seed)
    results = graph.results()
    if not results:
        return None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, kernel = folder / "f.mlir", folder / "f.tile.mlir"
        # How many sizes the schedule needs is known to the pass: try.
        for count in range(1, 9):
            graph.f.tile = [int(graph.r.choice(TILES)) for _ in range(count)]
            source.write_text(graph.f.text([value for value, _ in results]))
            done = subprocess.run([tools / "drawloom-opt", source, "--convert-linalg-to-tile", "-o", kernel],
                                  capture_output=True, text=True)
            if done.returncode == 0 or "tile sizes" not in done.stderr:
                break
        if done.returncode not in (0, 1) or (done.returncode and "error: " not in done.stderr):
            sys.exit(f"graph {seed}: no diagnostic\n{source.read_text()}\n{done.stderr}")
        if done.returncode:
            return False
        command = [tools / "tile-interpret", kernel, f"--shuffle={seed}"]
        for i, data in enumerate(graph.inputs):
            np.save(folder / f"{i}.npy", data)
            command.append(f"--arg={folder}/{i}.npy")
        for i, (_, data) in enumerate(results):
            command.append("--arg=" + "x".join(map(str, data.shape)))
            command.append(f"--out={len(graph.inputs) + i}={folder}/out{i}.npy")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"graph {seed}:\n{source.read_text()}\n{kernel.read_text()}\n{done.stderr}")
        for i, (_, data) in enumerate(results):
            if not np.array_equal(np.load(folder / f"out{i}.npy"), data):
                sys.exit(f"graph {seed}: result {i} differs\n{source.read_text()}\n{kernel.read_text()}")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tools", type=Path, required=True, help="the folder of the tools")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first graph")
    arguments = parser.parse_args()
    outcomes = [run(arguments.tools, seed) for seed in range(arguments.first, arguments.first + arguments.count)]
    converted, refused = outcomes.count(True), outcomes.count(False)
    print(f"linalg: {converted} random graphs agree with numpy, {refused} were refused")
    if converted < refused:
        sys.exit("too few were converted for this to be a test")


if __name__ == "__main__":
    main()
