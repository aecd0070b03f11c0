# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes one thing in a peer's kernel at a time, and runs what comes of it.

A mutant differs from its kernel in one instruction:

  barrier  an arrival, a wait or a commit is left out, or a named barrier is another
  count    of arrivals, threads, or groups in flight: one more or one less
  bytes    16 more or less are expected
  phase    a wait is for the other parity
  mask     one lane or one CTA more or less

It ends in a report of the emulator, in a wrong result, or in a right one. A right one
is looked at again: with a trap in the place of the instruction, a kernel that is still
right never executes it; and what is right in one order of events may not be in
another, so it runs under a few more. A mutant may take ten times the instructions of its
kernel; a longer run is reported, as is a deadlock. docs/Emulator.md says why mutants
can be right. The mutants follow from the seed.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import workers
from cases import CASES, Problem, load_case, make_job, problem_of
from driver import DriverError
from match import compare, read_manifest
from workers import Device

sys.path.append(str(Path(__file__).resolve().parents[1]))
import part

# Several tiles, and more steps of K than stages.
PROBLEM = Problem(136, 264, 400)
# A bug that shows when an operation is late, and one that needs luck.
SCHEDULES = ("deterministic", "adversarial", *(f"random:{seed}" for seed in range(4)))
OUTCOMES = ("report", "wrong", "right", "right, never executed")

STATEMENT = re.compile(r"^(?P<indent>\s*)(?P<guard>@!?%?\w+\s+)?(?P<opcode>[a-z][\w.:]+)"
                       r"(?P<rest>(?:\s[^;]*)?);\s*$")
PARITY = r"mbarrier\.(?:try|test)_wait.*\.parity"


@dataclass(frozen=True)
class Change:
    """What may be done to an instruction whose opcode matches: an operand, by its
    number from the front or the end, is changed, or the instruction is left out."""

    category: str
    opcode: str
    operand: int | None = None
    edits: tuple[str, ...] = ()  # PTX operations with an immediate
    operands: int | None = None  # that it must have
    type: str = "b32"


PLUS_MINUS = ("add.u32 1", "sub.u32 1")
CHANGES = (
    Change("barrier", r"mbarrier\.arrive"),
    Change("barrier", r"tcgen05\.commit"),
    Change("barrier", r"(?:bar|barrier)(?:\.cta)?\.(?:sync|arrive)"),
    Change("barrier", r"(?:bar|barrier)(?:\.cta)?\.sync", 0, ("xor.b32 8",)),
    Change("barrier", r"barrier\.cluster\.(?:arrive|wait)"),
    Change("barrier", r"wgmma\.(?:wait_group|commit_group)"),
    Change("barrier", r"cp\.async\.(?:bulk\.)?(?:wait_group|commit_group)"),
    Change("barrier", r"tcgen05\.wait"),
    Change("barrier", r"mbarrier\.(?:try|test)_wait", 0),
    Change("count", r"mbarrier\.init", 1, PLUS_MINUS),
    Change("count", r"(?:bar|barrier)(?:\.cta)?\.(?:sync|arrive)", 1,
           ("add.u32 32", "sub.u32 32"), operands=2),
    Change("count", r"wgmma\.wait_group", 0, PLUS_MINUS[:1]),
    Change("count", r"cp\.async\.(?:bulk\.)?wait_group", 0, PLUS_MINUS[:1]),
    Change("bytes", r"mbarrier\.(?:arrive\.)?expect_tx", -1, ("add.u32 16", "sub.u32 16")),
    Change("phase", PARITY, 2, ("xor.b32 1",)),
    # A hint stands behind the mask.
    Change("mask", r"cp\.async\.bulk\.tensor.*multicast::cluster(?!.*cache_hint)", -1,
           ("xor.b16 1", "xor.b16 2"), type="b16"),
    Change("mask", r"cp\.async\.bulk\.tensor.*multicast::cluster.*cache_hint", -2,
           ("xor.b16 1", "xor.b16 2"), type="b16"),
    Change("mask", r"tcgen05\.commit.*multicast::cluster", -1, ("xor.b16 1", "xor.b16 2"),
           type="b16"),
    Change("mask", r"(?:elect|shfl|vote|redux)\S*\.sync", -1,
           ("xor.b32 1", "xor.b32 0x80000000")),
)
CATEGORIES = tuple(dict.fromkeys(change.category for change in CHANGES))


def split_operands(text: str) -> list[str]:
    """At commas outside brackets."""
    parts, depth, last = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "[{(") - (letter in "]})")
        if letter == "," and depth == 0:
            parts.append(text[last:at].strip())
            last = at + 1
    return [*parts, text[last:].strip()] if text.strip() else []


@dataclass(frozen=True)
class Site:
    line: int  # from 0
    change: Change
    edit: str

    def __str__(self):
        return f"line {self.line + 1}: {self.edit or 'left out'}"


def sites(lines: list[str]) -> list[Site]:
    found = []
    for number, line in enumerate(lines):
        match = STATEMENT.match(line)
        if not match:
            continue
        count = len(split_operands(match["rest"]))
        for change in CHANGES:
            if not re.match(change.opcode, match["opcode"]):
                continue
            if change.operands not in (None, count) or (change.operand or 0) >= count > 0:
                continue
            found += [Site(number, change, edit) for edit in change.edits or ("",)]
    return found


def mutate(line: str, site: Site) -> str | None:
    """The instruction in its new form; None if there is none."""
    match = STATEMENT.match(line)
    operands = split_operands(match["rest"])
    guard = match["guard"] or ""
    if not site.edit:
        # A wait that is left out is one that was successful.
        if site.change.operand is not None:
            return f"{guard}setp.eq.u32 {operands[0].split('|')[0]}, 0, 0;"
        return ""
    operation, amount = site.edit.split()
    operand = operands[site.change.operand]
    new, before = "%mutant", f"{operation.replace('.u32', '.s32')} %mutant, {operand}, {amount};"
    if re.fullmatch(r"-?\d+|0[xX][0-9a-fA-F]+U?", operand):
        value, by = int(operand.rstrip("U"), 0), int(amount, 0)
        value = {"add": value + by, "sub": value - by, "xor": value ^ by}[operation[:3]]
        if operation.startswith("xor"):
            value &= 2**int(site.change.type[1:]) - 1
        if value < 0:
            return None
        new, before = str(value), ""
    elif not operand.startswith("%"):
        return None
    operands[site.change.operand] = new
    statement = f"{guard}{match['opcode']} {', '.join(operands)};"
    if not before:
        return statement
    return f"{{ .reg .{site.change.type} %mutant; {before} {statement} }}"


class Subject:
    """A kernel that is right, and what it takes."""

    def __init__(self, case, driver, path):
        self.case, self.driver, self.path = case, driver, path
        self.lines = path.read_text().split("\n")
        os.environ.pop("DRAWLOOM_STEP_LIMIT", None)
        os.environ["DRAWLOOM_ORDER"] = SCHEDULES[0]
        if self.outcome(self.lines)[0] != "right":
            raise RuntimeError(f"{case.name} isn't right as it is")
        self.limit = 10 * driver.statistics()[0]

    def outcome(self, lines) -> tuple[str, str]:
        """One of OUTCOMES, and the first line of a report."""
        self.driver.reset()
        try:
            with tempfile.NamedTemporaryFile("w", suffix=".ptx") as changed:
                changed.write("\n".join(lines))
                changed.flush()
                kernel = load_case(self.case, self.driver, Path(changed.name))
            job = make_job(self.case, kernel, problem_of(self.case, PROBLEM))
            raw = job.run()
        except DriverError as error:
            if "cuCtxSynchronize" in str(error):
                return "report", self.driver.last_report().split("\n")[0]
            # It isn't loaded: a count of zero, for instance.
            return "report", " ".join(str(error).split("\n"))
        except RuntimeError as error:  # It wrote beside its result.
            return "wrong", str(error)
        return ("right" if compare(job, raw)[1] <= 1 else "wrong"), ""

    def run(self, site: Site, statement: str) -> tuple[str, str]:
        os.environ["DRAWLOOM_STEP_LIMIT"] = str(self.limit)
        lines = list(self.lines)
        lines[site.line] = f"{STATEMENT.match(lines[site.line])['guard'] or ''}trap;"
        executed = None
        for schedule in SCHEDULES:
            os.environ["DRAWLOOM_ORDER"] = schedule
            outcome, text = self.outcome([*lines[:site.line], statement, *lines[site.line + 1:]])
            if outcome != "right":
                return outcome, text if schedule == SCHEDULES[0] else f"{schedule}: {text}"
            if executed is None:
                executed = self.outcome(lines)[0] != "right"
            if not executed:
                return "right, never executed", ""
        return "right", ""


def draw(cases, paths, count: int, seed: int):
    """So many mutants: a category, a change of it, a kernel that has a place for that, a
    place."""
    rng = random.Random(seed)
    places = {}
    for case in cases:
        for site in sites(paths[case.name].read_text().split("\n")):
            places.setdefault(site.change, {}).setdefault(case.name, []).append(site)
    drawn = []
    while len(drawn) < count:
        category = rng.choice(CATEGORIES)
        change = rng.choice([change for change in places if change.category == category])
        name = rng.choice(sorted(places[change]))
        site = rng.choice(places[change][name])
        line = paths[name].read_text().split("\n")[site.line]
        statement = mutate(line, site)
        if statement is not None and (name, site) not in [(n, s) for n, s, _ in drawn]:
            drawn.append((name, site, statement))
    return drawn


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    workers.add_arguments(parser)
    parser.add_argument("--manifest", type=Path, required=True,
                        help="where the kernels are, as `utils/peers build` writes it")
    parser.add_argument("--count", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    part.add_arguments(parser)
    args = parser.parse_args()
    paths = read_manifest(args.manifest)
    mutants = args.part.of(draw(CASES, paths, args.count, args.seed))
    if args.list:
        for name, site, _ in mutants:
            print(name, site)
        return 0
    if not args.device:
        started = workers.start(map(Device.of, CASES), stdout=subprocess.PIPE, text=True)
        counts = Counter()
        for worker in started:
            for line in worker.stdout:
                print(line, end="", flush=True)
                fields = line.split("  ")
                counts[fields[0], fields[1].strip()] += 1
        print(f"\n{'':10}" + "".join(f"{outcome:>24}" for outcome in OUTCOMES))
        for category in CATEGORIES:
            print(f"{category:10}" + "".join(f"{counts[category, outcome]:24}"
                                             for outcome in OUTCOMES))
        totals = [sum(counts[category, outcome] for category in CATEGORIES)
                  for outcome in OUTCOMES]
        print(f"drawn with seed {args.seed}\nmutants: {sum(totals)}, of which {totals[0]} end in a "
              f"report, {totals[1]} in a wrong result, {totals[2] + totals[3]} in a right one; "
              f"{totals[3]} never execute the change")
        ended = [worker.wait() for worker in started]
        return 1 if any(ended) or sum(totals) != len(mutants) else 0

    driver = args.device.open(args.library)
    subjects = {}
    for name, site, statement in mutants:
        [case] = [case for case in CASES if case.name == name]
        if Device.of(case) != args.device:
            continue
        if name not in subjects:
            subjects[name] = Subject(case, driver, paths[name])
        outcome, text = subjects[name].run(site, statement)
        opcode = STATEMENT.match(subjects[name].lines[site.line])["opcode"]
        print(f"{site.change.category}  {outcome:22}  {name}  {site}  {opcode}  {text[:200]}",
              flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
