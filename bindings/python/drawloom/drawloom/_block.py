# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of a framework as sets of kernels: what all frameworks have in common."""
from __future__ import annotations

import abc
import collections
from typing import Any, Callable

from ._kernel import Comparison, Kernel, compile
from ._library import Error

#: Calls the kernel of a part with arrays, and gives what comes out.
Launch = Callable[[Any, Kernel, list], list]


class Block(abc.ABC):
    """A function of which some parts are kernels. What is outside them, and parts
    that are refused, are the framework's."""

    def __init__(self) -> None:
        #: Programs by the names of their parts, in the order of the calls.
        self.programs: dict[str, str] = {}
        #: Operations that are in no kernel, and how many there are of each.
        self.others: collections.Counter[str] = collections.Counter()
        #: Why parts were refused, by name and target.
        self.refused: dict[tuple[str, str], str] = {}
        self._kernels: dict[tuple[str, str], Kernel] = {}
        self._names: dict[int, str] = {}
        self._operations = 0

    def _add(self, part: Any, base: str, text: str, operations: int) -> None:
        """A part, which is called like one before it if it is the same program."""
        self._operations += operations
        name, number = base, 1
        while self.programs.setdefault(name, text) != text:
            number += 1
            name = f"{base}_{number}"
        self._names[id(part)] = name

    @property
    def share(self) -> float:
        """The part of all operations that is in kernels."""
        return self._operations / (self._operations + self.others.total())

    def __str__(self) -> str:
        count = len(self.programs)
        lines = [f"{count} kernel{'s' * (count != 1)} with {self._operations} operations, "
                 f"{self.share:.0%} of all"]
        lines += [f"  @{name}" for name in self.programs]
        lines += [f"  outside: {count} {name}" for name, count in self.others.items()]
        lines += [f"  refused for {arch}: @{name}: {words.splitlines()[0]}"
                  for (name, arch), words in self.refused.items()]
        return "\n".join(lines)

    def kernel(self, name: str, arch: str) -> Kernel | None:
        """The kernel of a part; None if it is refused."""
        if (name, arch) not in self._kernels and (name, arch) not in self.refused:
            try:
                self._kernels[name, arch] = compile(self.programs[name], arch, name=name)
            except Error as error:
                self.refused[name, arch] = str(self._locate(name, arch) or error)
        return self._kernels.get((name, arch))

    def _locate(self, name: str, arch: str) -> Error | None:
        """Why a part is refused, at the lines of the framework's function; None if they
        aren't known."""
        return None

    def _kernel_of(self, part: Any, arch: str) -> Kernel | None:
        name = self._names.get(id(part))
        return self.kernel(name, arch) if name else None

    def run(self, arch: str, *arguments: Any) -> Any:
        """Runs the kernels on an emulated device, and the rest with the framework."""
        def launch(part: Any, kernel: Kernel, arrays: list) -> list:
            return _list(kernel.run(*arrays))

        return self._run(arch, arguments, launch)

    def compare(self, arch: str, *arguments: Any) -> dict[str, list[Comparison]]:
        """Runs it like `run`, and compares what each kernel writes with the reference
        interpreter, for the arrays that the kernel is called with."""
        found: dict[str, list[Comparison]] = {}

        def launch(part: Any, kernel: Kernel, arrays: list) -> list:
            found.setdefault(self._names[id(part)], []).extend(kernel.compare(*arrays))
            return _list(kernel.run(*arrays))

        self._run(arch, arguments, launch)
        return found

    def compare_framework(self, arch: str,
                          *arguments: Any) -> dict[str, list[Comparison]]:
        """The same for what the framework itself makes of each part on the CPU: its
        results are held to the kernels' bounds. No kernel runs."""
        found: dict[str, list[Comparison]] = {}

        def launch(part: Any, kernel: Kernel, arrays: list) -> list:
            made = self._evaluate(part, arrays)
            names = [argument.name for argument in kernel.arguments[len(arrays):]]
            found.setdefault(self._names[id(part)], []).extend(
                kernel.compare_outputs(dict(zip(names, made)), *arrays))
            return made

        self._run(arch, arguments, launch)
        return found

    @abc.abstractmethod
    def _run(self, arch: str, arguments: Any, launch: Launch) -> Any:
        """Runs all of it; `launch` runs the parts that have a kernel."""

    @abc.abstractmethod
    def _evaluate(self, part: Any, arrays: list) -> list:
        """What the framework makes of a part."""


def _list(made: Any) -> list:
    return list(made) if isinstance(made, tuple) else [made]
