# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of a sweep, in SQLite.

`points` is the sweep as its file says; it is written anew with every start. `plans` and
`results` are added to, a batch in one transaction, so that after a kill at any moment
each has all of a batch or nothing, and primary keys see to it that nothing is there
twice. One process writes at a time.
"""
from __future__ import annotations

import fcntl
import pathlib
import sqlite3
from typing import Any, Iterable, NamedTuple

from ._commands import add_up
from ._spec import Sweep

SCHEMA = """
CREATE TABLE IF NOT EXISTS about(name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS configurations(
  key TEXT PRIMARY KEY, program TEXT, kernel TEXT, schedule TEXT, arch TEXT, text TEXT);
DROP TABLE IF EXISTS points;
CREATE TABLE points(
  key TEXT PRIMARY KEY, number INTEGER, configuration TEXT, shape TEXT, device TEXT,
  sms INTEGER, "order" TEXT, seed INTEGER, checks TEXT, part TEXT);
CREATE TABLE IF NOT EXISTS plans(
  configuration TEXT PRIMARY KEY, fits INTEGER, message TEXT, threads INTEGER,
  registers INTEGER, shared_bytes INTEGER, tensor_columns INTEGER, plan TEXT,
  milliseconds REAL);
CREATE TABLE IF NOT EXISTS results(
  point TEXT PRIMARY KEY, verdict TEXT, message TEXT, outputs TEXT, findings TEXT,
  comparisons TEXT, compile_ms REAL, run_ms REAL, worker TEXT,
  finished TEXT DEFAULT CURRENT_TIMESTAMP);
DROP VIEW IF EXISTS sweep;
CREATE VIEW sweep AS
  SELECT points.key, number, program, kernel, schedule, arch, shape, device, sms,
         "order", seed, checks, part, verdict, results.message, outputs, findings, comparisons,
         threads, registers, shared_bytes, tensor_columns, compile_ms, run_ms, worker,
         finished
  FROM points JOIN configurations ON configurations.key = points.configuration
  LEFT JOIN plans ON plans.configuration = points.configuration
  LEFT JOIN results ON results.point = points.key
  ORDER BY number;
"""


class PlanRow(NamedTuple):
    configuration: str
    fits: int
    message: str  #: Why it doesn't.
    threads: int | None
    registers: int | None
    shared_bytes: int | None
    tensor_columns: int | None
    plan: str  #: JSON.
    milliseconds: float


class ResultRow(NamedTuple):
    point: str
    verdict: str
    message: str
    outputs: str = ""  #: A hash of all that the kernel wrote.
    findings: str = "[]"  #: JSON.
    comparisons: str = "[]"  #: JSON.
    compile_ms: float = 0
    run_ms: float = 0
    worker: str = ""


class CommandRow(NamedTuple):
    name: str
    parts: int
    passed: int
    message: str  #: Of all parts, if all passed and their numbers add up.
    seconds: float  #: Of workers.


class Busy(Exception):
    """Another sweep writes to the table."""


def _insert(table: str, row: Any) -> str:
    return (f"INSERT OR IGNORE INTO {table}({', '.join(row._fields)}) "
            f"VALUES({', '.join('?' * len(row._fields))})")


class Table:
    def __init__(self, path: pathlib.Path):
        self.path = path
        self._lock = open(f"{path}.lock", "w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Busy(f"another sweep writes to {path}") from error
        self.database = sqlite3.connect(path)
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.executescript(SCHEMA)

    def start(self, sweep: Sweep, command: str) -> None:
        """Writes what is to be done. What is pruned, and what crashed, is judged anew."""
        with self.database:
            # Another budget prunes others, and what crashed may have had bad luck.
            self.database.execute(
                "DELETE FROM results WHERE verdict IN ('pruned', 'crashed')")
            self.database.executemany(
                "INSERT OR REPLACE INTO about VALUES(?, ?)",
                [("name", sweep.name), ("build", sweep.build), ("command", command)])
            self.database.executemany(
                "INSERT OR IGNORE INTO configurations VALUES(?, ?, ?, ?, ?, ?)",
                [one[:6] for one in sweep.configurations.values()])
            self.database.executemany(
                "INSERT INTO points VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(point.key, number, *point[1:])
                 for number, point in enumerate(sweep.points)])

    def add(self, rows: Iterable[PlanRow | ResultRow]) -> None:
        with self.database:
            for row in rows:
                name = "plans" if isinstance(row, PlanRow) else "results"
                self.database.execute(_insert(name, row), row)

    def keys(self, table: str) -> set[str]:
        column = {"plans": "configuration", "results": "point"}[table]
        return {key for key, in self.database.execute(f"SELECT {column} FROM {table}")}

    def plans(self) -> dict[str, PlanRow]:
        rows = self.database.execute(f"SELECT {', '.join(PlanRow._fields)} FROM plans")
        return {row[0]: PlanRow(*row) for row in rows}

    def verdicts(self) -> dict[str, int]:
        """How many points of the sweep have which."""
        return dict(self.database.execute(
            "SELECT verdict, count(*) FROM points JOIN results ON point = key "
            "GROUP BY verdict"))

    def commands(self) -> list[CommandRow]:
        """How the parts of each command went."""
        found: dict[tuple[str, str], list[tuple[str, str | None, str, float]]] = {}
        for key, program, *rest in self.database.execute(
                "SELECT configurations.key, program, part, verdict, message, run_ms "
                "FROM points JOIN configurations ON configurations.key = configuration "
                "LEFT JOIN results ON point = points.key WHERE part != '' "
                "ORDER BY number"):
            found.setdefault((key, program), []).append(tuple(rest))
        rows = []
        for (_, name), parts in found.items():
            passed = [message for _, verdict, message, _ in parts if verdict == "passed"]
            whole = len(passed) == int(parts[0][0].split("/")[1])
            rows.append(CommandRow(name, len(parts), len(passed),
                                   whole and add_up(passed) or "",
                                   sum(time or 0 for *_, time in parts) / 1e3))
        return rows

    def close(self) -> None:
        self.database.close()
        self._lock.close()
