# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of a sweep as a page: one file of HTML with its pictures in it, which loads
nothing and needs no script."""
from __future__ import annotations

import collections
import html
import math
import pathlib
import sqlite3
from typing import Any, Iterable, NamedTuple, Sequence

from ._table import CommandRow, Table
from ._work import FAILURES, VERDICTS

#: Colors that people who see fewer of them tell apart (Okabe and Ito).
COLORS = {"crashed": "#000000", "failed": "#cc79a7", "wrong": "#d55e00",
           "races": "#e69f00", "unjudged": "#f0e442", "refused": "#56b4e9",
           "pruned": "#c8c8c8", "passed": "#009e73", "missing": "#ffffff"}
MEANING = {
    "crashed": "the process ended or took too long, three times; a command, once",
    "failed": "the compiler, the interpreter, the emulated device or a command reported "
              "an error",
    "wrong": "elements are farther from the reference than their bounds",
    "races": "the checker found races, or fences that are missing",
    "unjudged": "an output has no bounds, so there is nothing to compare with",
    "refused": "the launch does not take these sizes, or the formula is wrong",
    "pruned": "the plan does not fit, so no code was made",
    "passed": "nothing was found",
    "missing": "not run yet"}
#: Rows of the long tables.
MOST_ROWS = 200

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 70em;
       padding: 0 1em; color: #222; background: #fff; }
h1 { font-size: 1.6em; margin-bottom: 0; } h2 { margin-top: 1.8em; }
table { border-collapse: collapse; } td, th { padding: .25em .8em .25em 0;
  text-align: left; vertical-align: top; border-bottom: 1px solid #e4e4e4; }
th { font-weight: 600; } td.number, th.number { text-align: right; }
code, pre { font: 13px/1.4 ui-monospace, monospace; } pre { white-space: pre-wrap;
  background: #f6f6f6; padding: .6em .8em; margin: .3em 0; overflow-wrap: anywhere; }
.mark { display: inline-block; width: .8em; height: .8em; margin-right: .4em;
  border: 1px solid #8886; vertical-align: -.05em; }
.failure { border-left: 5px solid; padding-left: 1em; margin: 1.2em 0; }
.dim { color: #666; } svg text { font: 12px system-ui, sans-serif; fill: #222; }
summary { cursor: pointer; } td > code { white-space: nowrap; }
"""


class Row(NamedTuple):
    """What the page shows of a point."""
    key: str
    program: str
    kernel: str | None
    schedule: str
    arch: str
    shape: str
    device: str
    sms: int
    order: str
    seed: int
    checks: str
    part: str
    verdict: str
    message: str
    compile_ms: float
    run_ms: float

    def where(self) -> str:
        if self.part:
            return f"part {self.part}"
        return ", ".join(filter(None, (
            self.arch, self.device, f"{self.sms} SMs" if self.sms else "", self.schedule,
            self.shape or "sizes of its choice", self.order, f"seed {self.seed}",
            self.checks)))


def _escape(text: Any) -> str:
    return html.escape(str(text))


def _mark(verdict: str) -> str:
    return f'<span class="mark" style="background:{COLORS[verdict]}"></span>{verdict}'


def _table(heads: Sequence[str], rows: Iterable[Sequence[Any]],
           numbers: Sequence[int] = ()) -> str:
    """Cells are HTML."""
    def line(cells: Sequence[Any], tag: str) -> str:
        return "<tr>" + "".join(
            f"<{tag}{' class=number' if i in numbers else ''}>{cell}</{tag}>"
            for i, cell in enumerate(cells)) + "</tr>\n"
    return ("<table>\n" + line(heads, "th") + "".join(line(row, "td") for row in rows)
            + "</table>\n")


def _worst(verdicts: Iterable[str]) -> str:
    """A point that hasn't run is worse than one that passed."""
    order = [*FAILURES, "missing", "passed", "refused", "pruned"]
    return min(verdicts, key=order.index)


def draw_bar(counts: dict[str, int]) -> str:
    """All points, by verdict."""
    width, total, at = 1000.0, sum(counts.values()) or 1, 0.0
    parts = []
    for name, count in counts.items():
        size = width * count / total
        parts.append(f'<rect x="{at:.1f}" y="0" width="{size:.1f}" height="26" '
                     f'fill="{COLORS[name]}" stroke="#0003"><title>{count} {name}'
                     "</title></rect>")
        at += size
    return (f'<svg viewBox="0 0 {width:.0f} 26" width="100%" height="26" '
            f'preserveAspectRatio="none" role="img">{"".join(parts)}</svg>\n')


def draw_grid(rows: Sequence[Row]) -> str:
    """A row for each program, a column for each architecture and order; a cell has the
    color of its worst point."""
    cells: dict[tuple[str, tuple[str, str]], collections.Counter[str]] = {}
    for row in rows:
        cells.setdefault((row.program, (row.arch, row.order)),
                         collections.Counter())[row.verdict] += 1
    programs = list(dict.fromkeys(row.program for row in rows))
    archs, orders = ({value: number for number, value in enumerate(
        dict.fromkeys(values))} for values in ((row.arch for row in rows),
                                               (row.order for row in rows)))
    columns = sorted({column for _, column in cells},
                     key=lambda column: (archs[column[0]], orders[column[1]]))
    left = 14 + 7.0 * max(len(name) for name in programs)
    wide, high = 34, 17
    top = 24 + 6.4 * max(len(order) for _, order in columns)
    parts = []
    for number, (arch, order) in enumerate(columns):
        x = left + wide * number + 20
        if number == 0 or columns[number - 1][0] != arch:
            parts.append(f'<text x="{x - 18:.0f}" y="12" font-weight="600">'
                         f"{_escape(arch)}</text>")
        parts.append(f'<text transform="translate({x:.0f} {top - 5:.0f}) rotate(-90)">'
                     f"{_escape(order)}</text>")
    for line, program in enumerate(programs):
        y = top + high * line
        parts.append(f'<text x="{left - 8:.0f}" y="{y + 13:.0f}" text-anchor="end">'
                     f"{_escape(program)}</text>")
        for number, column in enumerate(columns):
            count = cells.get((program, column))
            if not count:
                continue
            message = ", ".join(f"{many} {name}" for name, many in count.items())
            parts.append(
                f'<rect x="{left + wide * number:.0f}" y="{y:.0f}" width="{wide - 2}" '
                f'height="{high - 2}" fill="{COLORS[_worst(count)]}" stroke="#0003">'
                f"<title>{_escape(program)}, {_escape(', '.join(column))}: {message}"
                "</title></rect>")
    width, height = left + wide * len(columns) + 10, top + high * len(programs) + 4
    return (f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
            f'height="{height:.0f}" style="max-width:100%" role="img">'
            f'{"".join(parts)}</svg>\n')


def draw_times(times: Sequence[float]) -> str:
    """How many points took how long: each bar is twice the time of the one before."""
    bins: collections.Counter[int] = collections.Counter(
        math.floor(math.log2(max(time, 0.5))) for time in times)
    first, last = min(bins), max(bins)
    most, wide, high = max(bins.values()), 62, 130
    parts = []
    for number, power in enumerate(range(first, last + 1)):
        size = high * bins[power] / most
        x = wide * number
        label = f"{2.0 ** power:g}" if power < 10 else f"{2.0 ** power / 1000:.3g} s"
        parts.append(f'<rect x="{x}" y="{20 + high - size:.1f}" width="{wide - 3}" '
                     f'height="{size:.1f}" fill="#4477aa"/>'
                     f'<text x="{x + wide / 2 - 2}" y="{15 + high - size:.1f}" '
                     f'text-anchor="middle">{bins[power] or ""}</text>'
                     f'<text x="{x}" y="{high + 36}">{label}</text>')
    width = wide * (last - first + 1) + 40
    parts.append(f'<text x="{width - 36}" y="{high + 36}">ms</text>')
    return (f'<svg viewBox="0 0 {width} {high + 44}" width="{width}" '
            f'height="{high + 44}" style="max-width:100%" role="img">'
            f'{"".join(parts)}</svg>\n')


def _bar(value: int | None, most: int) -> str:
    """A number and how much of the largest it is."""
    if value is None:
        return ""
    return (f'<svg width="60" height="9"><rect width="60" height="9" fill="#e8e8e8"/>'
            f'<rect width="{60 * value / most if most else 0:.1f}" height="9" '
            f'fill="#4477aa"/></svg> {value}')


def _failures(rows: Sequence[Row], command: str) -> str:
    """What failed, where, and how to repeat it; what says the same is said once."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        if row.verdict in FAILURES:
            first = row.message.splitlines()[0] if row.message else ""
            groups.setdefault((row.verdict, row.program, row.arch, row.schedule, first),
                              []).append(row)
    if not groups:
        return "<p>Nothing failed.</p>\n"
    parts = []
    ordered = sorted(groups.items(), key=lambda item: FAILURES.index(item[0][0]))
    for (verdict, program, *_), found in ordered[:MOST_ROWS]:
        one = found[0]
        name = _escape(program) + (f" @{_escape(one.kernel)}" if one.kernel else "")
        others = ""
        if len(found) > 1:
            others = ("<details><summary>" f"{len(found) - 1} more points say the same"
                      "</summary>" + _table(["key", "where"], [
                          (f"<code>{other.key}</code>", _escape(other.where()))
                          for other in found[1:MOST_ROWS]]) + "</details>")
        parts.append(
            f'<div class="failure" style="border-color:{COLORS[verdict]}">'
            f"<b>{verdict}: {name}</b><br>{_escape(one.where())}"
            f"<pre>{_escape(one.message)}</pre>Repeat it:"
            f"<pre>{_escape(command)} --only {one.key}</pre>{others}</div>\n")
    if len(ordered) > MOST_ROWS:
        parts.append(f"<p>{len(ordered) - MOST_ROWS} more are in the table.</p>\n")
    return "".join(parts)


def _pruned(database: sqlite3.Connection) -> str:
    rows = database.execute(
        "SELECT program, arch, schedule, message, count(*) FROM sweep "
        "WHERE verdict IN ('pruned', 'refused') "
        "GROUP BY program, arch, schedule, message ORDER BY min(number)").fetchall()
    if not rows:
        return "<p>Every plan fits, and every launch was taken.</p>\n"
    more = (f"<p>{len(rows) - MOST_ROWS} more are in the table.</p>\n"
            if len(rows) > MOST_ROWS else "")
    return _table(["program", "for", "schedule", "points", "why"], [
        (_escape(program), arch, f"<code>{_escape(schedule)}</code>", count,
         _escape(message.splitlines()[0] if message else ""))
        for program, arch, schedule, message, count in rows[:MOST_ROWS]], [3]) + more


def _plans(database: sqlite3.Connection) -> str:
    rows = database.execute(
        "SELECT program, arch, schedule, threads, registers, plans.shared_bytes, "
        "tensor_columns, milliseconds FROM plans JOIN configurations ON key = "
        "configuration WHERE fits AND configuration IN (SELECT configuration FROM "
        "points) ORDER BY program, schedule, arch").fetchall()
    most = [max((row[i] or 0 for row in rows), default=0) for i in range(3, 7)]
    return (f"<details><summary>{len(rows)} plans</summary>" + _table(
        ["program", "for", "schedule", "threads", "registers at entry",
         "bytes of shared memory", "columns of tensor memory", "planned in ms"],
        [(_escape(row[0]), row[1], f"<code>{_escape(row[2])}</code>",
          *(_bar(*pair) for pair in zip(row[3:7], most)), f"{row[7]:.0f}")
         for row in rows[:5 * MOST_ROWS]], [7]) + "</details>\n")


def _slowest(rows: Sequence[Row], command: str) -> str:
    slow = sorted(rows, key=lambda row: -(row.compile_ms + row.run_ms))[:10]
    return _table(["program", "where", "compile ms", "run ms", "repeat it"], [
        (_escape(row.program), _escape(row.where()), f"{row.compile_ms:.0f}",
         f"{row.run_ms:.0f}", f"<code>--only {row.key[:12]}</code>")
        for row in slow], [2, 3])


def _commands(rows: Sequence[CommandRow]) -> str:
    return "<h2>Commands</h2>\n" + _table(
        ["command", "parts", "passed", "all parts together", "seconds of workers"], [
            (_escape(row.name), row.parts, row.passed, _escape(row.message),
             f"{row.seconds:.0f}") for row in rows], [1, 2, 4])


def write_report(table: Table, path: pathlib.Path) -> None:
    database = table.database
    about = dict(database.execute("SELECT name, value FROM about"))
    rows = [Row(*values) for values in database.execute(
        'SELECT key, program, kernel, schedule, arch, shape, device, sms, "order", seed, '
        "checks, part, coalesce(verdict, 'missing'), coalesce(message, ''), "
        "coalesce(compile_ms, 0), coalesce(run_ms, 0) FROM sweep")]
    found = collections.Counter(row.verdict for row in rows)
    counts = {name: found[name] for name in (*VERDICTS, "missing") if found[name]}
    ran = [row for row in rows if row.run_ms]
    failures = sum(found[name] for name in FAILURES)
    command = about["command"]
    title = about["name"] or "A sweep"
    workers, = database.execute(
        "SELECT count(DISTINCT worker) FROM sweep WHERE worker != ''").fetchone()
    parts = [
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{_escape(title)}</title>\n<style>{STYLE}</style></head><body>\n"
        f"<h1>{_escape(title)}</h1>\n"
        f'<p class="dim">{len(rows)} points of '
        f"{len({row.program for row in rows})} "
        f"{'commands' if rows and all(row.part for row in rows) else 'programs'}; {workers} processes; drawloom "
        f"{_escape(about['build'])}; <code>{_escape(command)}</code></p>\n"
        f"<p><b>{failures or 'None'} of {len(rows)} points "
        f"failed.</b>"
        + (f" {found['missing']} have not run yet." if found["missing"] else "")
        + "</p>\n", draw_bar(counts),
        _table(["verdict", "points", "", "meaning"], [
            (_mark(name), count, f"{100 * count / len(rows):.1f} %", MEANING[name])
            for name, count in counts.items()], [1, 2]),
        "<h2>What failed</h2>\n", _failures(rows, command)]
    commands, launches = table.commands(), [row for row in rows if not row.part]
    if commands:
        parts += [_commands(commands)]
    if launches:
        parts += [
            "<h2>By program, architecture and order of events</h2>\n"
            "<p>A cell has the color of its worst point.</p>\n", draw_grid(launches),
            "<h2>What was pruned or refused</h2>\n", _pruned(database)]
    parts += ["<h2>Time</h2>\n"]
    if ran:
        times = sorted(row.compile_ms + row.run_ms for row in ran)
        parts += [
            f"<p>{len(ran)} points ran, for {sum(times) / 1e3:.1f} s of workers: "
            f"{sum(times) / len(times):.1f} ms on the average, "
            f"{times[len(times) // 2]:.1f} median, "
            f"{times[int(.99 * (len(times) - 1))]:.0f} p99. "
            "Compiles and emulation together, in ms; each bar begins where the number "
            "below it says:</p>\n", draw_times(times),
            "<h3>The slowest</h3>\n", _slowest(ran, command)]
    if launches:
        parts += ["<h2>Plans</h2>\n", _plans(database)]
    parts += ["</body></html>\n"]
    path.write_text("".join(parts))
