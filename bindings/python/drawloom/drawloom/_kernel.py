# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs, their plans, and their runs."""
from __future__ import annotations

import ctypes
import json
import math
import os
import pathlib
import re
from ctypes import byref
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Sequence, Union

from ._library import (Array, CompileOptions, Error, Handle, RunOptions, call, encoded,
                       take, whole)

if TYPE_CHECKING:
    import numpy as np

Source = Union[str, "os.PathLike[str]"]

#: Of an emulated device.
MOST_SMS = 1024
LARGEST_SIZE = 2**63 - 1


class Argument(NamedTuple):
    """What a kernel is called with: a tensor, or a number if it has no shape."""
    name: str
    element: str  #: As MLIR writes it: "bf16".
    shape: tuple[int, ...] | None  #: -1 for sizes that the arrays bring.


class Finding(NamedTuple):
    """A race, or a fence that is missing (docs/Checker.md has the rules)."""
    rule: str
    severity: str  #: "error", "warning" or "note"
    title: str
    why: str
    advice: str
    first: dict[str, Any]  #: The access that came first: its instruction, line, role.
    second: dict[str, Any]  #: The one that it doesn't fit with.

    def __str__(self) -> str:
        return f"{self.title} [{self.rule}]: {self.why}; add: {self.advice}"


class Comparison(NamedTuple):
    """How an output compares with the reference interpreter's."""
    name: str
    elements: int
    out_of_bound: int  #: Elements farther from the reference than their bound.
    unbounded: int  #: Elements that have no bound, and were not compared.
    largest_error: float
    bound: float  #: Of the element with the largest error.
    largest_share: float  #: The largest error in units of its bound; inf if that is 0.
    first: str  #: The first one out of its bound, as text.
    matches: bool


class Output(NamedTuple):
    """What a kernel wrote to an argument."""
    name: str
    element: str  #: As MLIR writes it: "bf16".
    shape: tuple[int, ...]
    data: bytes  #: Rows without gaps.


class Trial(NamedTuple):
    """A run with random numbers, and what was found out about it."""
    outputs: tuple[Output, ...]
    findings: tuple[Finding, ...]  #: Of the checker, if it was asked.
    comparisons: tuple[Comparison, ...]  #: With the reference, if that was asked for.


def _findings(report: dict[str, Any]) -> list[Finding]:
    return [Finding(*(one.get(field, {} if field in ("first", "second") else "")
                      for field in Finding._fields))
            for one in report["check"]["findings"]]


def _comparisons(rows: list[dict[str, Any]]) -> list[Comparison]:
    # JSON has no infinity.
    return [Comparison(one["name"], one["elements"], one["out_of_bound"], one["unbounded"],
                       one["largestError"], one["bound"],
                       math.inf if one["largestShare"] is None else one["largestShare"],
                       one["first"], one["matches"])
            for one in rows]


class Plan:
    """What the compiler decided: roles, pipes, warps, registers and memory, and why.

    >>> plan = drawloom.plan(GEMM, arch="sm_90a")
    >>> print(plan)                                          # doctest: +ELLIPSIS
    @gemm ...
    >>> [role["name"] for role in plan.json()["roles"]]
    ['operand_load', 'compute']
    >>> plan.mermaid().splitlines()[0]
    'graph TD'

    A notebook draws it.
    """

    def __init__(self, program: Handle, kernel: str):
        self._program, self.kernel = program, kernel

    def _get(self, form: str) -> str:
        return take("ProgramGet", self._program.address, form.encode(),
                    self.kernel.encode()).decode()

    def __str__(self) -> str:
        return self._get("text")

    def __repr__(self) -> str:
        return f"<drawloom.Plan of @{self.kernel}>"

    def json(self) -> dict[str, Any]:
        """Everything, for programs (docs/Plan.md has the fields)."""
        plans: list[dict[str, Any]] = json.loads(self._get("json"))["plans"]
        return plans[0]

    def mermaid(self) -> str:
        """Roles and pipes, in the language of Mermaid."""
        return self._get("mermaid")

    def sequence(self) -> str:
        """The first work tiles, barrier by barrier, in the language of Mermaid."""
        return self._get("sequence")

    def dot(self) -> str:
        """Roles and pipes, in the language of Graphviz."""
        return self._get("dot")

    def svg(self) -> str:
        """That graph, drawn, with warps, budgets and a legend."""
        return self._get("svg")

    def svg_sequence(self) -> str:
        """The first work tiles, drawn."""
        return self._get("svg-sequence")

    def html(self) -> str:
        """A page with the drawings, the tables and the reasons, and the program after the
        stages of the compiler, two of them side by side. It compiles to each of them."""
        return self._get("html")

    def _repr_svg_(self) -> str:
        return self.svg()

    def __reduce__(self) -> Any:
        raise TypeError("a plan can't be pickled or copied; its json() can")


def _read(source: Source, name: str | None) -> tuple[str, str]:
    """The text and what messages call it."""
    encoded(name, "the name of a program")
    if isinstance(source, str) and "\n" in source:
        return source, name or "program"
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError("a program is MLIR text, or the path of a file with it, not "
                        f"{type(source).__name__}")
    path = os.fspath(source)
    if not isinstance(path, str):
        path = os.fsdecode(path)
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no MLIR text: {error}") from None
    # A path may have bytes that are no characters; messages show others.
    return text, name or path.encode(errors="replace").decode()


def _compile(text: str, **options: Any) -> Handle:
    raw = CompileOptions(
        structSize=ctypes.sizeof(CompileOptions),
        **{key: encoded(value, _OPTIONS[key]) if key in _OPTIONS else bool(value)
           for key, value in options.items()})
    # It ends where its size says, and may have anything in it.
    data = text.encode(errors="replace")
    program = Handle("ProgramDestroy")
    call("Compile", data, len(data), byref(raw), byref(program.pointer))
    return program


#: Options that are strings, as messages call them.
_OPTIONS = {"name": "the name of a program", "arch": "an architecture",
            "kernel": "the name of a kernel", "stage": "a stage"}


def _only_kernel(program: Handle) -> str:
    names = [call("ProgramKernel", program.address, i).decode(errors="replace")
             for i in range(call("ProgramCount", program.address))]
    if len(names) == 1:
        return str(names[0])
    if not names:
        raise Error("the program holds no kernel")
    raise Error(f"the program holds {', '.join('@' + name for name in names)}; choose "
                f"one with kernel={names[0]!r}")


def plan(source: Source, arch: str | None = None, *, kernel: str | None = None,
         name: str | None = None) -> Plan:
    """The plan of a program, without code.

    `source` is MLIR text, or the path of a file with it: linalg on tensors, a tile
    program, or a kernel with roles. `arch` is sm_90a or sm_100a; without it, what the
    kernel says. `kernel` is which one, if there are several. `name` is what messages
    call the text.

    >>> drawloom.plan(GEMM, arch="sm_100a")
    <drawloom.Plan of @gemm>
    """
    text, name = _read(source, name)
    program = _compile(text, arch=arch, kernel=kernel, stage="plan", name=name)
    return Plan(program, _only_kernel(program))


def reschedule(source: Source, fields: str, *, name: str | None = None) -> str:
    """The text of a program with another schedule (docs/Frontend.md has the fields).

    >>> text = drawloom.reschedule(GEMM, "slots = {operands = 3}")
    >>> next(pipe["slots"] for pipe in drawloom.plan(text, "sm_100a").json()["pipes"]
    ...      if pipe["name"] == "operands")
    3
    """
    text, name = _read(source, name)
    data = text.encode(errors="replace")
    return take("Reschedule", data, len(data), name.encode(),
                encoded(fields, "a schedule", is_needed=True)).decode()


def compile(source: Source, arch: str, *, kernel: str | None = None,
            name: str | None = None, unproved: bool = False,
            cache: bool = True) -> Kernel:
    """Compiles a kernel of a program, as `plan` takes it.

    `unproved` takes a kernel that isn't proved deadlock-free; without `cache` it is
    compiled even if it was before (docs/Cache.md).

    >>> kernel = drawloom.compile(GEMM, arch="sm_100a")
    >>> kernel
    <drawloom.Kernel gemm(A: bf16[-1, -1], B: bf16[-1, -1], D: f32[-1, -1]) for sm_100a>
    """
    encoded(arch, "an architecture", is_needed=True)
    text, name = _read(source, name)
    return Kernel(text, {"arch": arch, "kernel": kernel, "name": name,
                         "unproved": unproved, "noCache": not cache})


class Kernel:
    """A compiled kernel.

    >>> import ml_dtypes, numpy as np
    >>> kernel = drawloom.compile(GEMM, arch="sm_90a")
    >>> A = np.arange(64 * 32).reshape(64, 32).astype(ml_dtypes.bfloat16)
    >>> B = np.eye(32, dtype=ml_dtypes.bfloat16)
    >>> bool((kernel.run(A, B) == A).all())
    True

    It can be pickled, and is compiled again where it is read, or taken from the cache.
    """

    def __init__(self, text: str, options: dict[str, Any]):
        self._text, self._options = text, options
        #: Sizes of arguments as a formula has them.
        self._shapes: dict[str, Sequence[int | str | None]] = {}
        self._gives_dictionary = False
        self._program = _compile(text, **options)
        self.name = _only_kernel(self._program)
        #: How it is launched (docs/Run.md has the fields).
        self.description: dict[str, Any] = json.loads(self._get("description"))
        self.arch: str = self.description["target"]
        self.arguments = [
            Argument(one["name"], one["type"],
                     tuple(one["shape"]) if "shape" in one else None)
            for one in self.description["arguments"]]

    def _get(self, form: str) -> bytes:
        return take("ProgramGet", self._program.address, form.encode(),
                    self.name.encode())

    def __repr__(self) -> str:
        def show(one: Argument) -> str:
            shape = self._shapes.get(one.name, one.shape)
            sizes = ", ".join("-1" if size is None else str(size) for size in shape or ())
            return f"{one.name}: {one.element}" + (f"[{sizes}]" if shape else "")

        return (f"<drawloom.Kernel {self.name}({', '.join(map(show, self.arguments))}) "
                f"for {self.arch}>")

    def __reduce__(self) -> Any:
        return _restore, (self._text, self._options, self._shapes,
                          self._gives_dictionary)

    @property
    def ptx(self) -> str:
        """Its code."""
        return self._get("ptx").decode()

    @property
    def cubin(self) -> bytes:
        """Its SASS, by ptxas."""
        program = _compile(self._text, stage="cubin", **self._options)
        return take("ProgramGet", program.address, b"cubin", None)

    @property
    def plan(self) -> Plan:
        """What was decided about it."""
        return Plan(self._program, self.name)

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """Warnings and remarks of the compiler."""
        messages: list[dict[str, Any]] = json.loads(self._get("messages"))
        return messages

    def run(self, *arrays: Any, device: str | None = None, sms: int = 0,
            order: str | None = None, **named: Any) -> Any:
        """Runs it and gives what it wrote: an array, or a tuple of several; of a formula
        that returns a dictionary, a dictionary.

        Arguments are given by position or by name: numpy's arrays, with types of
        ml_dtypes, tensors of any library that has DLPack (on the CPU), numbers. Those
        that the kernel only writes to may be left out if their sizes follow; those that
        are given are written to in place.

        `device` is an emulated h100 or b200, or `cuda`, a GPU of this machine; without
        it, emulated, by the architecture. `sms` is how many SMs it has, and `order`
        the order of events, as for `drawloom run`: "random:7", "adversarial".

        >>> kernel.run(A, B).shape
        (64, 32)
        >>> kernel.run(A)
        Traceback (most recent call last):
        ...
        drawloom.Error: @gemm reads 'B', which is not given [argument]
        """
        outputs, _ = self._run(arrays, named, device=device, sms=sms,
                               order=order)
        if self._gives_dictionary:
            return outputs
        made = tuple(outputs.values())
        return made[0] if len(made) == 1 else made

    __call__ = run

    def check(self, *arrays: Any, strict: bool = False, sms: int = 0,
              order: str | None = None, **named: Any) -> list[Finding]:
        """Runs it under the checker and gives what that finds: races, and fences that
        are missing. `strict` goes by the text of the ISA.

        >>> kernel.check(A, B)
        []
        """
        _, report = self._run(arrays, named, sms=sms, order=order,
                              check="strict" if strict else "default")
        return _findings(report)

    def compare(self, *arrays: Any, device: str | None = None, sms: int = 0,
                order: str | None = None, **named: Any) -> list[Comparison]:
        """Runs it and compares each output with the reference interpreter. The bounds
        follow from the program; there is no tolerance to choose.

        >>> [(one.name, one.matches) for one in kernel.compare(A, B)]
        [('D', True)]
        """
        _, report = self._run(arrays, named, device=device, sms=sms,
                              order=order, compare=True)
        return _comparisons(report["comparison"])

    def compare_outputs(self, outputs: Mapping[str, Any], *arrays: Any,
                        **named: Any) -> list[Comparison]:
        """Compares outputs that something else made of the arrays, by their names:
        another library's results are held to the same bounds. Nothing runs.

        >>> D = A.astype(np.float32) @ B.astype(np.float32).T
        >>> kernel.compare_outputs({"D": D}, A, B)[0].matches
        True
        >>> print(kernel.compare_outputs({"D": D + 1}, A, B)[0].first)
        D[0, 0] is 1; right is 0
        """
        if not isinstance(outputs, Mapping):
            raise TypeError("the outputs are a dictionary of arrays by their names, not "
                            f"{type(outputs).__name__}")
        keep: list[Any] = []  # Until they are compared.
        _, given = self._take(self._bind(arrays, named), keep)
        _, made = self._take(self._bind((), outputs), keep)
        report = take("Compare", self._program.address, self.name.encode(),
                      (Array * len(given))(*given), len(given),
                      (Array * len(made))(*made), len(made))
        return _comparisons(json.loads(report))

    def trial(self, seed: int = 0,
              shapes: Mapping[str, Sequence[int | None]] | None = None, *,
              device: str | None = None, sms: int = 0, order: str | None = None,
              check: str | None = None, compare: bool = False) -> Trial:
        """Runs it with random numbers, as `drawloom run --random --seed` does. It needs
        no arrays and no numpy.

        `shapes` has sizes of arguments by name, None for those that are left open and
        chosen. `check` is "default" or "strict".

        >>> trial = kernel.trial(7, {"D": (40, 24)}, check="default", compare=True)
        >>> trial.outputs[0].shape, trial.findings, trial.comparisons[0].matches
        ((40, 24), (), True)
        """
        raw, keep = [], []
        if not isinstance(shapes or {}, Mapping):
            raise TypeError("shapes is a dictionary of sizes by the names of arguments, "
                            f"not {type(shapes).__name__}")
        for name, sizes in (shapes or {}).items():
            data = encoded(name, "the name of an argument", is_needed=True)
            if isinstance(sizes, str) or not isinstance(sizes, Sequence):
                raise TypeError(f"the sizes of '{name}' are a list of numbers and None")
            given = (ctypes.c_int64 * len(sizes))(*(
                -1 if size is None else whole(size, f"a size of '{name}'", 0,
                                              LARGEST_SIZE) for size in sizes))
            keep.append(given)
            raw.append(Array(data, None, None, len(sizes), given))
        result, report = self._launch(raw, device=device, sms=sms, order=order,
                                      check=check, compare=compare, random=True,
                                      seed=whole(seed, "a seed", 0, 2**64 - 1))
        outputs = []
        for i in range(call("ResultCount", result.address)):
            one = call("ResultAt", result.address, i)
            shape = tuple(one.shape[d] for d in range(one.rank))
            size = math.prod(shape) * _bytes_of(one.type.decode())
            outputs.append(Output(one.name.decode(), one.type.decode(), shape,
                                  ctypes.string_at(one.data, size) if size else b""))
        return Trial(tuple(outputs), tuple(_findings(report) if check else ()),
                     tuple(_comparisons(report["comparison"]) if compare else ()))

    def _launch(self, arrays: list[Array], *, device: str | None = None, sms: int = 0,
                order: str | None = None, check: str | None = None,
                compare: bool = False, random: bool = False,
                seed: int = 0) -> tuple[Handle, dict[str, Any]]:
        settings = RunOptions(
            structSize=ctypes.sizeof(RunOptions), kernel=self.name.encode(),
            device=encoded(device, "a device"), sms=whole(sms, "sms", 0, MOST_SMS),
            order=encoded(order, "an order"),
            check=encoded(check, "check, which is 'default' or 'strict',"),
            compare=bool(compare), random=random, seed=seed)
        result = Handle("ResultDestroy")
        call("Run", self._program.address, (Array * len(arrays))(*arrays), len(arrays),
             byref(settings), byref(result.pointer))
        return result, json.loads(call("ResultReport", result.address))

    def _bind(self, arrays: tuple[Any, ...],
              named: Mapping[str, Any]) -> dict[str, Any]:
        names = [argument.name for argument in self.arguments]
        if len(arrays) > len(names):
            raise TypeError(f"{self.name} takes {len(names)} arguments, not "
                            f"{len(arrays)}")
        bound = dict(zip(names, arrays))
        for name, value in named.items():
            if name not in names:
                raise TypeError(f"{self.name} has no argument '{name}', only "
                                + ", ".join(names))
            if name in bound:
                raise TypeError(f"{self.name}: '{name}' is given twice")
            bound[name] = value
        return bound

    def _take(self, bound: dict[str, Any], keep: list[Any]) -> tuple[
            dict[str, np.ndarray[Any, Any]], list[Array]]:
        """The arrays as numpy and the library see them, which `keep` keeps alive."""
        import numpy as np

        from ._elements import view
        given: dict[str, np.ndarray[Any, Any]] = {}
        raw = []
        for argument in self.arguments:
            if argument.name not in bound:
                continue
            array = view(bound[argument.name], argument.name, argument.element, keep)
            if array.ndim == 0 and argument.shape == (1,):
                array = array.reshape(1)  # A number, for a parameter without sizes.
            given[argument.name] = array
            packed = np.ascontiguousarray(array).reshape(array.shape)
            shape = (ctypes.c_int64 * array.ndim)(*array.shape)
            keep += [packed, shape]
            raw.append(Array(argument.name.encode(), argument.element.encode(),
                             packed.ctypes.data, array.ndim, shape))
        return given, raw

    def _run(self, arrays: tuple[Any, ...], named: dict[str, Any],
             **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        keep: list[Any] = []  # Until the kernel has run.
        given, raw = self._take(self._bind(arrays, named), keep)
        result, report = self._launch(raw, **options)
        raw = [call("ResultAt", result.address, i)
               for i in range(call("ResultCount", result.address))]
        return {one.name.decode(): _take_output(one, given) for one in raw}, report


def _restore(text: str, options: dict[str, Any], shapes: Any,
             gives_dictionary: bool) -> Kernel:
    """A kernel that was pickled."""
    kernel = Kernel(text, options)
    kernel._shapes, kernel._gives_dictionary = shapes, gives_dictionary
    return kernel


def _bytes_of(element: str) -> int:
    """Bytes that an element takes in memory: f8E4M3FN takes 1, i1 too."""
    match = re.match(r"[a-z]+(\d+)", element)
    assert match, element
    return (int(match[1]) + 7) // 8


def _take_output(raw: Array, given: dict[str, Any]) -> Any:
    """A copy of an output, in the caller's array if there is one."""
    import numpy as np

    from ._elements import dtype_of
    dtype = dtype_of(raw.type.decode())
    shape = tuple(raw.shape[i] for i in range(raw.rank))
    array = given.get(raw.name.decode())
    if array is None:
        array = np.empty(shape, dtype)
    elif not array.flags.writeable:
        raise ValueError(f"'{raw.name.decode()}' is written to, and its array is "
                         "read-only")
    size = int(np.prod(shape)) * dtype.itemsize
    array[...] = np.frombuffer(ctypes.string_at(raw.data, size) if size else b"",
                               dtype).reshape(shape)
    return array
