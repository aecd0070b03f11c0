# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what ptxas makes of our kernels with baseline.csv.

    baseline.py --suite build/release/bin/drawloom-suite [--every N] [--write]

Compiles the kernels of drawloom-suite, every N-th of the many, and has ptxas
assemble them. No row may be worse than it was: no loop of a role with more
instructions for each copy or product, no more registers, no more bytes spilled,
no more warnings of the C75xx family (a setmaxnreg that is ignored, wgmma that is
put in a row). Loops with stores, and the instructions of the whole kernel, are
there to be read: fewer, wider stores make longer loops and better ones, and what
is unrolled is longer and no worse. --write makes the file anew.

Kernels with the same PTX are assembled once, and what came of it is kept beside
ptxas's other answers in Drawloom's cache.
"""

import argparse
import csv
import hashlib
import inspect
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import count_sass

sys.path.append(str(Path(__file__).resolve().parent.parent / "ptx"))
from toolkit import Assembler, find_tool

# The suites, and whether --every thins them out.
SUITES = {"examples": False, "graphs": False, "tiles": True, "gemm": True}
FILE = Path(__file__).with_name("baseline.csv")
ROLES = list(count_sass.ROLES)
JUDGED = ["load", "copy", "mma"]
NUMBERS = ["registers", "spill_stores", "spill_loads", "c75xx"]
COLUMNS = ["suite", "kernel", *ROLES, *NUMBERS, "instructions"]
Row = dict[str, str]

REGISTERS = re.compile(r"Used (\d+) registers")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
WARNING = re.compile(r"\(C75\d\d\)")


def compile_suite(tool: str, suite: str, every: int, folder: Path) -> dict[str, str]:
    """The PTX of each case that is not there to be refused, by name."""
    subprocess.run([tool, suite, "--compile", "--jobs", "2", "--every", str(every),
                    "--dump", folder], check=True, stdout=subprocess.DEVNULL)
    # Lines of the source are no part of a kernel.
    return {file.stem: re.sub(r"^\s*\.(loc|file)\b.*\n", "", file.read_text(), flags=re.M)
            for file in sorted(folder.glob("*.ptx"))}


class Measurements:
    """What came of each PTX, with a memory."""

    def __init__(self):
        self.assembler = Assembler()
        self.nvdisasm = find_tool("nvdisasm")
        self.store = self.assembler.store
        self.store.execute("create table if not exists figures(key text primary key, row text)")
        # How it is counted is part of the answer.
        self.source = inspect.getsource(count_sass) + inspect.getsource(Measurements.measure)

    def take(self, texts: list[str]) -> list[Row]:
        keys = [hashlib.sha256("\0".join((self.assembler.version, self.source, text)).encode())
                .hexdigest() for text in texts]
        known = {}
        for key in keys:
            if row := self.store.execute("select row from figures where key = ?",
                                         (key,)).fetchone():
                known[key] = dict(pair.split("=") for pair in row[0].split(","))
        missing = {key: text for key, text in zip(keys, texts) if key not in known}
        with ThreadPoolExecutor(max_workers=2) as pool:
            for key, row in zip(missing, pool.map(self.measure, missing.values())):
                known[key] = row
                self.store.execute("insert or replace into figures values (?, ?)",
                                   (key, ",".join("=".join(pair) for pair in row.items())))
                # Others wait for the file.
                self.store.commit()
        return [known[key] for key in keys]

    def measure(self, text: str) -> Row:
        answer, cubin = self.assembler.assemble(text, ("-v", "-O3"))
        if not answer.accepted:
            sys.exit(f"ptxas refuses a kernel of ours: {answer.message}")
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(cubin)
            file.flush()
            instructions, labels = count_sass.disassemble(self.nvdisasm, Path(file.name))
        loops = count_sass.find_loops(instructions, labels)
        row = {role: " ".join(f"{length}/{issued}" for length, issued
                              in count_sass.count(instructions, loops, wanted))
               for role, wanted in count_sass.ROLES.items()}
        spills = [list(map(int, pair)) for pair in SPILLS.findall(answer.message)]
        numbers = [max(map(int, REGISTERS.findall(answer.message))),
                   sum(stores for stores, _ in spills), sum(loads for _, loads in spills),
                   len(WARNING.findall(answer.message)), len(instructions)]
        return row | dict(zip([*NUMBERS, "instructions"], map(str, numbers)))


def read_loops(cell: str) -> list[float]:
    pairs = (part.split("/") for part in cell.split())
    return [int(length) / int(issued) for length, issued in pairs]


def is_worse(now: list[float], before: list[float]) -> bool:
    """Loops are compared by rank, the worst first. Behind the last one there was,
    none may be worse than that; and a role doesn't lose all its loops."""
    if not before or not now:
        return now != before
    return any(figure > before[min(rank, len(before) - 1)] for rank, figure in enumerate(now))


def compare(now: Row, before: Row) -> list[str]:
    regressions = [f"{role} {now[role] or 'none'}, before {before[role] or 'none'}" for role in JUDGED
                   if is_worse(read_loops(now[role]), read_loops(before[role]))]
    return regressions + [f"{name} {now[name]}, before {before[name]}" for name in NUMBERS
                          if int(now[name]) > int(before[name])]


def print_summary(rows: list[Row], baseline: dict[tuple[str, str], Row]):
    """The K tiles of the plain GEMM, two copies and four MMAs, and how long
    all kernels are together."""
    both = [(int(row["instructions"]), int(before["instructions"])) for row in rows
            if (before := baseline.get((row["suite"], row["kernel"])))]
    now, before = map(sum, zip(*both))
    print(f"sass: {now} instructions in all, before {before}")
    figures = []
    for arch in ("sm_100a", "sm_90a"):
        for row in rows:
            if row["kernel"] == f"{arch}-gemm":
                load, mma = (read_loops(row[role])[0] for role in ("load", "mma"))
                figures.append(f"load {2 * load:g} mma {4 * mma:g} on {arch}")
    print("sass: " + ", ".join(figures))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--suite", required=True, help="drawloom-suite")
    options.add_argument("--every", type=int, default=1, metavar="N")
    options.add_argument("--write", action="store_true")
    chosen = options.parse_args()
    kernels = []
    for suite, is_sampled in SUITES.items():
        with tempfile.TemporaryDirectory() as folder:
            texts = compile_suite(chosen.suite, suite, chosen.every if is_sampled else 1,
                                  Path(folder))
        kernels += [(suite, name, text) for name, text in texts.items()]
    measured = Measurements().take([text for *_, text in kernels])
    rows = [{"suite": suite, "kernel": name} | row
            for (suite, name, _), row in zip(kernels, measured)]
    if chosen.write:
        with FILE.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return 0
    with FILE.open(newline="") as file:
        baseline = {(row["suite"], row["kernel"]): row for row in csv.DictReader(file)}
    worse = 0
    names = {(row["suite"], row["kernel"]) for row in rows}
    if chosen.every == 1:
        for suite, name in baseline.keys() - names:
            print(f"{name}: in the baseline, and not compiled any more")
            worse += 1
    for row in rows:
        before = baseline.get((row["suite"], row["kernel"]))
        regressions = compare(row, before) if before else ["not in the baseline"]
        worse += bool(regressions)
        if regressions:
            print(f"{row['kernel']}: {'; '.join(regressions)}")
    print_summary(rows, baseline)
    print(f"sass: {len(rows)} kernels, {worse} worse than in {FILE.name}")
    return 1 if worse or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
