# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sweep's file becomes points.

A configuration is what is compiled: a program with a schedule, for an architecture. A
point is a configuration that runs: with a shape, on a device, in an order of events,
with numbers of a seed, and with checks. Both have a key, the hash of everything that
their result depends on, so a point is the same one wherever and whenever it runs.

A command is a configuration, too, and a part of it a point (_commands.py).
"""
from __future__ import annotations

import functools
import glob
import hashlib
import importlib.util
import inspect
import itertools
import json
import os
import pathlib
import re
import shlex
import tomllib
from typing import Any, Iterator, NamedTuple

import drawloom
from drawloom._library import installed

from ._commands import Command, make_command

#: What a point can be judged by. "+" joins: one run, all of these.
CHECKS = ("run", "compare", "check", "strict")


class SpecError(Exception):
    """Something that is wrong with a sweep's file."""


class Configuration(NamedTuple):
    key: str
    program: str  #: As the spec names it: a file, or file.py:function.
    kernel: str | None  #: Which one of the program.
    schedule: str  #: Fields of a schedule; empty leaves it to the program.
    arch: str
    text: str  #: What is compiled; empty if it can't be made.
    reason: str = ""  #: Why there is no text.
    command: Command | None = None  #: What runs in the place of a kernel.


class Point(NamedTuple):
    key: str
    configuration: str  #: Its key.
    shape: str
    device: str  #: Emulated; empty: by the architecture.
    sms: int
    order: str
    seed: int
    checks: str
    part: str = ""  #: Of a command: "3/50".


class Budget(NamedTuple):
    """What a plan may take, besides what the target allows. None: all of it."""
    threads: int | None = None
    registers: int | None = None  #: Of each thread at entry.
    shared_bytes: int | None = None
    tensor_columns: int | None = None

    def over(self, plan: Any) -> str:
        """What a plan takes beyond it, with the arithmetic.

        >>> import collections
        >>> Budget(threads=128).over(collections.namedtuple("Plan", "threads")(256))
        "threads: 256 > 128 of the sweep's budget"
        """
        return "; ".join(
            f"{name.replace('_', ' ')}: {taken} > {allowed} of the sweep's budget"
            for name, allowed in self._asdict().items()
            if allowed is not None and (taken := getattr(plan, name) or 0) > allowed)


class Sweep(NamedTuple):
    name: str
    build: str
    configurations: dict[str, Configuration]
    points: list[Point]
    budget: Budget
    seconds: float  #: How long a point may take.


@functools.cache
def build() -> str:
    """Version and hash of the library: another one may have other results."""
    data = installed("libdrawloom-c.so.1").read_bytes()
    driver = (drawloom.library_folder() / "libdrawloom-driver.so.1").read_bytes()
    made = hashlib.sha256(data)
    made.update(driver)
    return f"{drawloom.__version__}-{made.hexdigest()[:12]}"


def _key(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]


def read_shape(text: str) -> dict[str, list[int | None]]:
    """Sizes of arguments, as `drawloom run --shape` takes them.

    >>> read_shape("D=298x560,A=?x64")
    {'D': [298, 560], 'A': [None, 64]}
    """
    shapes: dict[str, list[int | None]] = {}
    for part in filter(None, text.split(",")):
        match = re.fullmatch(r"(\w+)=((?:\d+|\?)(?:x(?:\d+|\?))*)", part.strip())
        if not match:
            raise SpecError(f"a shape is written as in \"D=298x560,A=?x64\", and not as "
                            f"'{part}'")
        shapes[match[1]] = [None if size == "?" else int(size)
                            for size in match[2].split("x")]
    return shapes


def read_orders(orders: list[str]) -> list[str]:
    """Orders of events; "random:1..3" is three of them.

    >>> read_orders(["deterministic", "random:1..3"])
    ['deterministic', 'random:1', 'random:2', 'random:3']
    """
    found = []
    for order in orders:
        match = re.fullmatch(r"random:(\d+)\.\.(\d+)", order)
        found += ([f"random:{n}" for n in range(int(match[1]), int(match[2]) + 1)]
                  if match else [order])
    return found


def read_checks(checks: str) -> dict[str, Any]:
    """What Kernel.trial is asked for.

    >>> read_checks("check+compare")
    {'check': 'default', 'compare': True}
    """
    parts = checks.split("+")
    for part in parts:
        if part not in CHECKS:
            raise SpecError(f"there are the checks {', '.join(CHECKS)}, joined by '+', "
                            f"and no '{part}'")
    return {"check": ("strict" if "strict" in parts else
                      "default" if "check" in parts else None),
            "compare": "compare" in parts}


class _Reader:
    """One file. What is asked for and not known is an error, so that a field that is
    misspelled is not a default."""

    #: Fields that [sweep] sets for all kernels, and [[kernels]] for its own.
    DIMENSIONS: dict[str, Any] = {"schedules": [""], "devices": None, "shapes": [""],
                                  "orders": ["deterministic"], "seeds": 1,
                                  "checks": ["check+compare"]}

    def __init__(self, path: pathlib.Path, values: dict[str, str]):
        self.folder, self.values = path.resolve().parent, values
        try:
            self.spec = tomllib.loads(path.read_text())
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise SpecError(f"{path}: {error}") from error
        self.configurations: dict[str, Configuration] = {}
        self.points: dict[str, Point] = {}
        self.texts: dict[tuple[str, str], str] = {}

    def fields(self, table: dict[str, Any], where: str, known: Any) -> None:
        for name in table:
            if name not in known:
                raise SpecError(f"{where} has no field '{name}', only "
                                f"{', '.join(known)}")

    def read(self) -> Sweep:
        self.fields(self.spec, "a sweep",
                    ("name", "sweep", "kernels", "budget", "commands", "values"))
        common = self.spec.get("sweep", {})
        self.fields(common, "[sweep]", (*self.DIMENSIONS, "seconds"))
        budget = self.spec.get("budget", {})
        self.fields(budget, "[budget]", Budget._fields)
        groups = self.spec.get("kernels", [])
        commands = self.spec.get("commands", [])
        if not groups and not commands:
            raise SpecError("the sweep has no [[kernels]] and no [[commands]]")
        for group in groups:
            self.fields(group, "[[kernels]]",
                        ("files", "except", "functions", "kernel", *self.DIMENSIONS))
            self.expand({**self.DIMENSIONS, **common, **group})
        values = {**self.spec.get("values", {}), **self.values}
        for one in commands:
            self.add_command(one, values, common)
        return Sweep(self.spec.get("name", ""), build(), self.configurations,
                     list(self.points.values()), Budget(**budget),
                     float(common.get("seconds", 60)))

    def expand(self, group: dict[str, Any]) -> None:
        if not group["devices"]:
            raise SpecError('name the devices, as in devices = ["sm_90a", "sm_100a"]')
        devices = [one if isinstance(one, dict) else {"arch": one}
                   for one in group["devices"]]
        for one in devices:
            self.fields(one, "a device", ("arch", "device", "sms"))
            if "arch" not in one:
                raise SpecError("a device has an arch, as in "
                                '{arch = "sm_100a", sms = 4}')
        seeds = group["seeds"]
        seeds = range(seeds) if isinstance(seeds, int) else seeds
        orders = read_orders(group["orders"])
        for shape, checks in itertools.product(group["shapes"], group["checks"]):
            read_shape(shape)
            read_checks(checks)
        kernel = group.get("kernel")
        for program in self.programs(group):
            for schedule, device in itertools.product(group["schedules"], devices):
                made = self.configure(program, kernel, schedule, device["arch"])
                for values in itertools.product(group["shapes"], orders, seeds,
                                                group["checks"]):
                    shape, order, seed, checks = values
                    rest = (shape, device.get("device", ""), device.get("sms", 0),
                            order, seed, checks)
                    point = Point(_key(made.key, *rest), made.key, *rest)
                    self.points[point.key] = point

    def add_command(self, given: dict[str, Any], values: dict[str, str],
                    common: dict[str, Any]) -> None:
        self.fields(given, "[[commands]]", ("name", "command", "parts", "seconds"))
        arguments, parts = given.get("command"), given.get("parts", 1)
        if not arguments or not given.get("name"):
            raise SpecError("[[commands]] has a name and a command, as in "
                            'command = ["{build}/bin/mutate", "--part", "{part}"]')
        if (parts > 1) != any("{part}" in word for word in arguments):
            raise SpecError(f"'{given['name']}' has {parts} parts, so '{{part}}' has to "
                            f"be {'a word' if parts > 1 else 'no word'} of its command")
        try:
            command = make_command(arguments, values, self.folder, float(
                given.get("seconds", common.get("seconds", 60))))
        except ValueError as error:
            raise SpecError(f"[[commands]] '{given['name']}': {error}") from error
        made = Configuration(
            _key(given["name"], command.words, command.files), given["name"], None, "",
            "", shlex.join(command.words), command=command)
        self.configurations[made.key] = made
        for number in range(1, parts + 1):
            part = f"{number}/{parts}"
            point = Point(_key(made.key, part), made.key, "", "", 0, "", 0, "", part)
            self.points[point.key] = point

    def programs(self, group: dict[str, Any]) -> Iterator[str]:
        left_out = {path for pattern in group.get("except", ())
                    for path in self.find(pattern)}
        for pattern in group.get("files", ()):
            found = sorted(self.find(pattern) - left_out)
            if not found:
                raise SpecError(f"no file is named '{pattern}' in {self.folder}")
            yield from (self.name(path) for path in found)
        yield from group.get("functions", ())

    def find(self, pattern: str) -> set[pathlib.Path]:
        """Files by a path or a glob, from the spec's folder."""
        return {pathlib.Path(os.path.normpath(self.folder / path))
                for path in glob.glob(pattern, root_dir=self.folder, recursive=True)}

    def name(self, path: pathlib.Path) -> str:
        return os.path.relpath(path, self.folder)

    def configure(self, program: str, kernel: str | None, schedule: str,
                  arch: str) -> Configuration:
        reason = ""
        try:
            text = self.text(program, schedule)
        except drawloom.Error as error:
            text, reason = "", str(error)
        made = Configuration(
            _key(build(), program, kernel, schedule, arch, text, reason), program, kernel,
            schedule, arch, text, reason)
        return self.configurations.setdefault(made.key, made)

    def text(self, program: str, schedule: str) -> str:
        """What is compiled. It is made here, so that workers need no files."""
        if (program, schedule) in self.texts:
            return self.texts[program, schedule]
        file, _, function = program.partition(":")
        if function:
            text = self.trace(file, function, schedule)
        else:
            text = (self.folder / file).read_text()
            if schedule:
                text = drawloom.reschedule(text, schedule, name=program)
        self.texts[program, schedule] = text
        return text

    def trace(self, file: str, name: str, schedule: str) -> str:
        try:
            spec = importlib.util.spec_from_file_location("sweep_functions",
                                                          self.folder / file)
            assert spec and spec.loader
            module = importlib.util.module_from_spec(spec)
        except OSError as error:
            raise SpecError(f"{file}:{name}: {error}") from error
        try:
            spec.loader.exec_module(module)
            if not hasattr(module, name):
                raise SpecError(f"{file} has no function '{name}'")
            function = getattr(module, name)
            # What `fuse` made a kernel of is a function below.
            fusion = drawloom.trace(inspect.unwrap(function))
        except ModuleNotFoundError as error:
            raise SpecError(f"{file}:{name} needs {error.name} where the sweep starts"
                            + (": pip install 'drawloom[numpy]'"
                               if error.name in ("numpy", "ml_dtypes") else "")) from error
        except FileNotFoundError as error:
            raise SpecError(f"{file}:{name}: {error}") from error
        except (SpecError, drawloom.Error):
            raise
        except Exception as error:
            # Whatever a formula does wrong; the others have their points.
            raise drawloom.Error(f"{file}:{name}: {type(error).__name__}: "
                                 f"{error}") from error
        fusion.schedule(schedule or None)
        return fusion._located()


def read_sweep(path: pathlib.Path, values: dict[str, str] | None = None) -> Sweep:
    """The sweep that a file describes; values replace the file's own."""
    return _Reader(path, values or {}).read()


def sample(sweep: Sweep, count: int) -> Sweep:
    """So many of its points, evenly."""
    total = len(sweep.points)
    if count >= total:
        return sweep
    points = [sweep.points[i * total // count] for i in range(count)]
    used = {point.configuration for point in points}
    return sweep._replace(points=points, configurations={
        key: one for key, one in sweep.configurations.items() if key in used})
