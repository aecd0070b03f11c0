# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our parser refuses the instructions that ptxas refuses, and no others.

Instructions from the peers' kernels and from the examples of every form in
ptx/test/Forms are changed at random (mutate.py), two thousand of them, spread
evenly over the families. Each stands alone in a small module and both programs
say yes or no. The instructions as they were must be accepted by both.

A difference that is meant, or out of a parser's reach, is named in
known-differences.txt with its reason; it still counts against the score.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from instructions import Instruction, pool_of
from mutate import mutants_of
from toolkit import Answer, Assembler

HERE = Path(__file__).parent
ERROR = re.compile(r"^(\d+)\.ptx:\d+:\d+: error: (.*)", re.MULTILINE)


@dataclass(frozen=True)
class Known:
    verdict: str  # what we do: "accepted" or "refused"
    pattern: re.Pattern
    reason: str


def known_differences(path: Path) -> list[Known]:
    """Blocks of `# reason` followed by lines `accepted|refused PATTERN`. A pattern
    is searched in `VERSION TARGET INSTRUCTION`."""
    known, reason, fresh = [], "", True
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            reason = (reason + " " if not fresh else "") + line[1:].strip()
            fresh = False
        elif line.strip():
            verdict, pattern = line.split(None, 1)
            known.append(Known(verdict, re.compile(pattern), reason))
            fresh = True
        else:
            fresh = True
    return known


def check_all(checker: Path, texts: list[str]) -> list[str]:
    """Our parser's first error for each module, or an empty string."""
    errors = {}
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{number}.ptx" for number in range(len(texts))]
        for name, text in zip(names, texts):
            Path(folder, name).write_text(text)
        for start in range(0, len(names), 250):
            done = subprocess.run([checker, "--check", *names[start:start + 250]],
                                  cwd=folder, capture_output=True, text=True)
            if done.returncode not in (0, 1):
                sys.exit(f"{checker.name} ended with {done.returncode}\n{done.stderr}")
            for number, error in ERROR.findall(done.stderr):
                errors.setdefault(int(number), error)
    return [errors.get(number, "") for number in range(len(texts))]


def ask_both(pool: list[Instruction], assembler: Assembler, checker: Path):
    texts = [instruction.module() for instruction in pool]
    return list(zip(assembler.assemble_all(texts, ("-O0",)), check_all(checker, texts)))


@dataclass
class Score:
    """By family: the mutants, those that ptxas accepts, those we agree on."""
    total: Counter
    legal: Counter
    agreed: Counter
    explained: Counter  # by reason and verdict
    unexplained: list[str]


def judge(answered, known: list[Known]) -> Score:
    score = Score(Counter(), Counter(), Counter(), Counter(), [])
    for (mutation, mutant), (theirs, ours) in answered:
        score.total[mutant.family] += 1
        score.legal[mutant.family] += theirs.accepted
        if theirs.accepted == (not ours):
            score.agreed[mutant.family] += 1
            continue
        verdict = "refused" if ours else "accepted"
        text = f"{mutant.version} {mutant.target} {mutant}"
        row = next((row for row in known
                    if row.verdict == verdict and row.pattern.search(text)), None)
        if row:
            score.explained[row.reason, verdict] += 1
        else:
            score.unexplained.append(describe(mutation, mutant, theirs, ours))
    return score


def report(score: Score):
    print(*score.unexplained, sep="\n")
    print(f"\n{'family':20}{'mutants':>9}{'legal':>9}{'agreed':>9}")
    for family in sorted(score.total):
        print(f"{family:20}{score.total[family]:9}{score.legal[family]:9}{score.agreed[family]:9}")
    print("\ndifferences with a reason (known-differences.txt)")
    for (reason, verdict), count in score.explained.most_common():
        print(f"{count:5}  {verdict} by us: {reason}")
    print(f"{score.explained.total()} differences have a reason, "
          f"{len(score.unexplained)} have none")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--manifest", type=Path, help="what `python -m peers build` wrote")
    parser.add_argument("--folder", type=Path, action="append", default=[],
                        help="a folder of .ptx files")
    parser.add_argument("--ptx-print", type=Path, required=True)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", default="drawloom", help="another seed gives other mutants")
    args = parser.parse_args()

    paths = [path for folder in args.folder for path in sorted(folder.glob("*.ptx"))]
    if args.manifest:
        paths += [Path(row["path"]) for row in json.loads(args.manifest.read_text())]
    assembler = Assembler()
    pool = pool_of(paths)
    broken = 0
    for instruction, (theirs, ours) in zip(pool, ask_both(pool, assembler, args.ptx_print)):
        if ours or not theirs.accepted:
            broken += 1
            print(describe("unchanged", instruction, theirs, ours))

    # A few more than asked for: ptxas crashes on some, which is no verdict.
    mutants = mutants_of(pool, args.count + args.count // 20, args.seed)
    answers = ask_both([mutant for _, mutant in mutants], assembler, args.ptx_print)
    answered = [pair for pair in zip(mutants, answers) if pair[1][0].accepted is not None]
    crashes = len(mutants) - len(answered)
    score = judge(answered[:args.count], known_differences(HERE / "known-differences.txt"))
    report(score)

    count, agreed = score.total.total(), score.agreed.total()
    print(f"\n{len(pool)} instructions, {broken} of them refused unchanged; ptxas "
          f"{assembler.version} accepts {score.legal.total()} of {count} mutants, crashed on "
          f"{crashes} others, and ran {assembler.runs} times, the rest was cached")
    print(f"ptx rejections: agree on {agreed} of {count}")
    return 0 if count == args.count and agreed >= 0.95 * count and not broken else 1


def describe(mutation: str, instruction: Instruction, theirs: Answer, ours: str) -> str:
    return (f"{mutation}: {instruction.version} {instruction.target} {instruction}\n"
            f"  drawloom: {ours or 'accepted'}\n  ptxas: {first_error(theirs)}")


def first_error(answer: Answer) -> str:
    if answer.accepted:
        return "accepted"
    found = re.search(r"(?:error|fatal)\s*: (.*)", answer.message)
    return found[1] if found else answer.message


if __name__ == "__main__":
    sys.exit(main())
