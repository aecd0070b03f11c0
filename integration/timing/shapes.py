# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the clock with published tables: the time of a library's kernels for many shapes.

shapes.csv has the shapes, each with the kernel of ../peers that it is run with. Figures are
ratios to the shape of its table that was the fastest on the GPU; that one doesn't count.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import exam
import launch_peers

HERE = Path(__file__).resolve().parent
APART = ("tilelang", "deepgemm")  # Peers with a Python environment of their own.


def read() -> list[dict]:
    rows = exam.read(HERE / "shapes.csv")
    return [dict(row, ladder=row["table"], version=f"{row['m']}x{row['n']}", recipe=row["kernel"])
            for row in rows]


def time_kernel(driver, row: dict, seed: int) -> tuple[int, ...]:
    import run
    with run.timed(driver, seed):
        launch_peers.time(driver, row["recipe"],
                          launch_peers.Problem(*(int(row[s]) for s in "mnk")))
        return driver.timing()


def build(names: list[str], manifest: Path) -> None:
    """Leaves a list of where they are. Those that can't be built count as missed."""
    found = []
    for part in ([name for name in names if name.startswith(APART)],
                 [name for name in names if not name.startswith(APART)]):
        if part:
            subprocess.run([HERE.parents[1] / "utils/peers", "build", "--manifest", manifest, *part],
                           stdout=sys.stderr)
            found += json.loads(manifest.read_text())
    manifest.write_text(json.dumps(found))
    os.environ[launch_peers.MANIFEST] = str(manifest)


def check(args) -> int:
    """As a process of its own: compares what kernels of an architecture compute."""
    from driver import Driver
    driver = Driver(args.library, args.check, 148 if args.check == "b200" else 132)
    wrong = 0
    for name in map(str.strip, sys.stdin):
        try:
            error = launch_peers.check(driver, name)
        except Exception as problem:
            print(f"{name}: {problem} {driver.last_report()}"[:600], flush=True)
            wrong += 1
        else:
            print(f"{name}: largest error {error:.2f} of the bound", flush=True)
            wrong += not error <= 1
        driver.reset()
    return wrong


def check_all(rows: list[dict], args) -> int:
    wrong = 0
    for arch in sorted({row["arch"] for row in rows}):
        names = sorted({row["recipe"] for row in rows if row["arch"] == arch})
        wrong += subprocess.run([sys.executable, __file__, "--library", args.library, "--check", arch],
                                input="".join(f"{name}\n" for name in names), text=True).returncode
    return 1 if wrong else 0


def judge(table: str, rows: list[dict]) -> tuple[list[tuple[float, dict]], float | None]:
    """Prints a table; the errors of its ratios, and the rank correlation."""
    for row in rows:
        flops = 2.0 * int(row["m"]) * int(row["n"]) * int(row["k"])
        row["predicted"] = flops / row["ns"] / 1e3 if row["ns"] else 0.0
        row["published"] = float(row["published"])
    built = [row for row in rows if row["ns"]]
    if len(built) < 2:
        print(f"\n{table}: {len(rows)} missed")
        return [], None
    best = max(built, key=lambda row: row["published"])
    print(f"\n{table}: ratios to {best['version']}x{best['k']}")
    errors = []
    for row in rows:
        if row is best:
            continue
        name = f"{row['version']}x{row['k']}"
        if not row["ns"]:
            print(f"   {name:20} missed")
            continue
        published, ratio = (row[word] / best[word] for word in ("published", "predicted"))
        error = math.exp(abs(math.log(ratio / published))) - 1
        errors.append((error, row))
        print(f"   {name:20} published {published:6.3f}  predicted {ratio:6.3f}  error {100 * error:6.1f} %"
              f"  {row['ns'] / 1e3:9.1f} us  tensor {100 * row['use']:5.1f} %")
    rank = exam.correlation([row["published"] for row in built], [row["predicted"] for row in built])
    print(f"   median error {100 * median(error for error, _ in errors):.1f} %, rank correlation {rank:.2f}")
    return errors, rank


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="the emulator's libcuda.so.1")
    parser.add_argument("--set", choices=("development", "held-out"), help="only this one")
    parser.add_argument("--table", action="append", help="only this one; may be repeated")
    parser.add_argument("--deepest", type=int, metavar="K", help="only shapes of at most this K")
    parser.add_argument("--results", metavar="FILE", help="what was run is kept here, and isn't run again")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--most", type=float, metavar="PERCENT", help="fail if the median error is larger")
    parser.add_argument("--check-kernels", action="store_true", help="compare what they compute, at small shapes")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--check", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        exam.run_rows(args, time_kernel)
        return 0
    if args.check:
        return check(args)
    rows = [row for row in read() if args.set in (None, row["set"]) and
            (not args.table or row["table"] in args.table) and
            (not args.deepest or int(row["k"]) <= args.deepest)]
    with tempfile.TemporaryDirectory() as folder:
        build(sorted({row["kernel"] for row in rows}), Path(folder) / "kernels.json")
        if args.check_kernels:
            return check_all(rows, args)
        exam.predict(rows, args, __file__)
    tables = {}
    for row in rows:
        tables.setdefault(row["table"], []).append(row)
    results = [judge(name, part) for name, part in tables.items()]
    errors = [error for result in results for error in result[0]]
    if not errors:
        print("\nshapes: none could be run")
        return 1
    worst, row = max(errors, key=lambda pair: pair[0])
    middle = 100 * median(error for error, _ in errors)
    print(f"\nshapes: {sum(row['ns'] > 0 for row in rows)} of {len(rows)} shapes, median error {middle:.1f} % of "
          f"{len(errors)} ratios, worst {100 * worst:.0f} % ({row['table']} {row['version']}x{row['k']}), rank "
          f"correlation {median(result[1] for result in results if result[1] is not None):.2f} (median of tables)")
    return 0 if args.most is None or (middle <= args.most and all(row["ns"] for row in rows)) else 1


if __name__ == "__main__":
    sys.exit(main())
