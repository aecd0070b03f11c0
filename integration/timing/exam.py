# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the clock with published ladders: versions of one kernel, measured on a GPU.

ladders.csv has the rungs, each with the recipe that it is rebuilt by; one without is missed.
Figures are ratios to the version that was the fastest on the GPU of those that are rebuilt;
that one doesn't count.
"""

import argparse
import csv
import hashlib
import math
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
WITHIN = 0.15
COLUMNS = ("arch", "m", "n", "k", "recipe")


def read(path: Path = HERE / "ladders.csv") -> list[dict]:
    with path.open() as file:
        return list(csv.DictReader(file))


def recipe_of(row: dict):
    import blackwell
    import hopper
    import hopper_scaled
    cls = hopper.Recipe if row["arch"] == "h100" else blackwell.Recipe
    if "kind=scaled" in row["recipe"]:
        cls = hopper_scaled.Recipe
    values = {}
    for word in row["recipe"].split():
        name, value = word.split("=")
        kind = cls.__dataclass_fields__[name].type
        values[name] = value if kind in (str, "str") else kind(int(value))
    return cls(**values)


def ranks(values: list[float]) -> list[float]:
    """Equal values share the mean of their ranks."""
    order = sorted(values)
    return [(order.index(v) + len(order) - 1 - order[::-1].index(v)) / 2 for v in values]


def correlation(x: list[float], y: list[float]) -> float:
    """Spearman's."""
    x, y = ranks(x), ranks(y)
    mx, my = sum(x) / len(x), sum(y) / len(y)
    sx, sy = (math.sqrt(sum((v - m) ** 2 for v in a)) for a, m in ((x, mx), (y, my)))
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / (sx * sy) if sx and sy else 0.0


def time_recipe(driver, row: dict, seed: int) -> tuple[int, ...]:
    import run
    return run.time(driver, recipe_of(row), *(int(row[s]) for s in "mnk"), seed)


def report(*words) -> None:
    """One write: other processes write to the same pipe."""
    os.write(sys.stdout.fileno(), (" ".join(map(str, words)) + "\n").encode())


def run_rows(args, time) -> None:
    """As a process of its own: prints the nanoseconds of each row."""
    from driver import Driver
    driver = Driver(args.library, args.worker, 148 if args.worker == "b200" else 132)
    for line in sys.stdin:
        index, row = line.rstrip("\n").split("\t", 1)
        row = dict(zip(COLUMNS, row.split("\t")))
        try:
            timing = time(driver, row, args.seed)
            report(index, timing[5], timing[0], f"{timing[1] / max(1, timing[0] * timing[2]):.4f}")
        except Exception as error:  # What can't be built counts as missed.
            print(f"{index}: {error} {driver.last_report()}"[:300], file=sys.stderr)
            report(index, 0, 0, 0)
            driver.reset()


class Results:
    """What was run, in a file, so that an exam that is stopped goes on where it was. A file is of
    one library, whose hash is its first line."""

    def __init__(self, args) -> None:
        self.known = {}
        self.file = None
        if not args.results:
            return
        digest = hashlib.sha256(Path(args.library).resolve().read_bytes()).hexdigest()
        self.file = open(args.results, "a+")
        self.file.seek(0)
        first, *lines = self.file.read().splitlines() or [""]
        if not first:
            print(digest, file=self.file, flush=True)
        elif first != digest:
            sys.exit(f"{args.results} has the results of another library")
        for line in lines:
            *key, ns, cycles, use = line.split("\t")
            self.known[tuple(key)] = (int(ns), int(cycles), float(use))

    def add(self, key: tuple, result: tuple) -> None:
        self.known[key] = result
        if self.file and result[0]:
            print(*key, *result, sep="\t", file=self.file, flush=True)


def predict(rows: list[dict], args, script: str = __file__) -> None:
    """Versions that are the same kernel here are run once, and the smallest problems first."""
    results = Results(args)
    runs = {}
    for row in rows:
        row.update(ns=0, cycles=0, use=0.0)
        if row["recipe"]:
            runs.setdefault((*(row[c] for c in COLUMNS), str(args.seed)), []).append(row)
    keys = sorted((key for key in runs if key not in results.known),
                  key=lambda key: math.prod(int(key[COLUMNS.index(s)]) for s in "mnk"))
    for arch in sorted({key[0] for key in keys}):
        chosen = [(i, key) for i, key in enumerate(keys) if key[0] == arch]
        output, end = os.pipe()
        workers = []
        for part in (chosen[i::args.jobs] for i in range(args.jobs)):
            text = "".join("\t".join((str(i), *key[:-1])) + "\n" for i, key in part)
            worker = subprocess.Popen([sys.executable, script, "--library", args.library, "--worker", arch,
                                       "--seed", str(args.seed)], stdin=subprocess.PIPE, stdout=end, text=True)
            worker.stdin.write(text)
            worker.stdin.close()
            workers.append(worker)
        os.close(end)
        for line in os.fdopen(output):
            index, ns, cycles, use = line.split()
            key = keys[int(index)]
            results.add(key, (int(ns), int(cycles), float(use)))
            for row in runs[key]:
                print(f"{row['ladder']} {row['version']} k={row['k']}: {int(ns) / 1e3:.1f} us", file=sys.stderr,
                      flush=True)
        for worker in workers:
            worker.wait()
    for key, part in runs.items():
        if key in results.known:
            for row in part:
                row["ns"], row["cycles"], row["use"] = results.known[key]


def judge(ladder: str, rows: list[dict]) -> tuple[int, int, float | None, float]:
    """Prints a ladder; rungs within the bound, rungs, rank correlation, worst of those built."""
    for row in rows:
        flops = 2.0 * int(row["m"]) * int(row["n"]) * int(row["k"])
        row["predicted"] = flops / row["ns"] / 1e3 if row["ns"] else 0.0
        row["published"] = float(row["published"])
    built = [row for row in rows if row["ns"]]
    if len(built) < 2:
        print(f"\n{ladder}: {len(rows) - 1} missed")
        return 0, len(rows) - 1, None, 0.0
    best = max(built, key=lambda row: row["published"])
    print(f"\n{ladder}: ratios to '{best['version']}'")
    errors = []
    for row in rows:
        if row is best:
            continue
        if not row["ns"]:
            print(f" * {row['version'][:34]:34} missed")
            continue
        published = row["published"] / best["published"]
        ratio = row["predicted"] / best["predicted"]
        error = abs(math.log(ratio / published))
        errors.append(error)
        mark = " " if error <= math.log(1 + WITHIN) else "*"
        print(f" {mark} {row['version'][:34]:34} k={row['k']:6} published {published:6.3f}  predicted {ratio:6.3f}"
              f"  error {100 * (math.exp(error) - 1):6.1f} %  tensor {100 * row['use']:5.1f} %")
    rank = correlation([row["published"] for row in built], [row["predicted"] for row in built])
    good = sum(error <= math.log(1 + WITHIN) for error in errors)
    print(f"   {good} of {len(rows) - 1} within 15 %, {len(rows) - len(built)} missed, rank correlation {rank:.2f}, "
          f"|log ratio| median {median(errors):.3f}, worst {max(errors):.3f}")
    return good, len(rows) - 1, rank, max(errors)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="the emulator's libcuda.so.1")
    parser.add_argument("--set", default="development", choices=("development", "held-out"))
    parser.add_argument("--ladder", action="append", help="only this one; may be repeated")
    parser.add_argument("--most", type=int, default=0, metavar="N",
                        help="only rungs of at most N steps of 2^30 operations")
    parser.add_argument("--results", metavar="FILE", help="what was run is kept here, and isn't run again")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--least", type=float, default=0.0, help="fail below this share within 15 %%")
    parser.add_argument("--slots", metavar="DRAWLOOM",
                        help="with the issue slots of ptxas, as 'DRAWLOOM slots' counts them")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.slots:
        os.environ["TIMING_DRAWLOOM"] = args.slots
    if args.worker:
        run_rows(args, time_recipe)
        return 0
    rows = [row for row in read() if row["set"] == args.set and
            (not args.ladder or row["ladder"] in args.ladder)]
    if args.most:
        rows = [r for r in rows if 2 * int(r["m"]) * int(r["n"]) * int(r["k"]) <= args.most << 30]
    predict(rows, args)
    ladders = {}
    for row in rows:
        ladders.setdefault(row["ladder"], []).append(row)
    results = [judge(name, part) for name, part in ladders.items() if len(part) > 1]
    good, count = (sum(result[i] for result in results) for i in range(2))
    print(f"\ntiming: {good} of {count} ratios within 15 %, rank correlation "
          f"{median(result[2] for result in results if result[2] is not None):.2f} (median of ladders), worst "
          f"{max(result[3] for result in results):.2f} ({args.set})")
    return 0 if good >= args.least * count else 1


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.path.append(str(HERE.parent / "emulator"))
    sys.exit(main())
