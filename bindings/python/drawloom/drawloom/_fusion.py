# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A fusion from a formula: Python's operators build a program.

The builder is the C++ one (docs/Frontend.md), so what it knows of shapes, types and
mistakes is the same there and here.
"""
from __future__ import annotations

import functools
import inspect
import json
import numbers
import re
from ctypes import byref, c_uint32
from typing import Any, Callable, Sequence, Union

from ._kernel import Kernel, Plan
from ._kernel import compile as compile_text
from ._kernel import plan as plan_text
from ._library import Handle, Size, call, encoded, place, take, whole

Number = Union[int, float]
Extent = Union[int, str, None]

#: What `fuse` compiles for by default.
DEFAULT_ARCH = "sm_100a"
MOST_RANK = 32
LARGEST_SIZE = 2**63 - 1


def _tensor(value: Any, what: str) -> Tensor:
    """What has to be a tensor of a fusion."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{what} takes a tensor of the formula, not {type(value).__name__}: arrays "
            "are parameters of the function, and numbers go with +, -, *, maximum and "
            "minimum")
    return value


class Tensor:
    """A tensor of a fusion: what operators and functions here make others from. It holds
    no numbers, so it is neither true nor false, and equal to nothing."""

    #: numpy's arrays leave operators with these to them.
    __array_ufunc__ = None

    def __init__(self, fusion: Fusion, number: int):
        self._fusion, self._number = fusion, number

    def __repr__(self) -> str:
        described = take("FusionDescribe", self._fusion._handle.address, self._number)
        return f"<drawloom.Tensor {described.decode()}>"

    def __bool__(self) -> bool:
        raise TypeError(
            "a tensor of a formula is neither true nor false: the formula is read once, "
            "before there are numbers. maximum and minimum choose element by element")

    def _compare(self, _: object) -> Any:
        raise TypeError(
            "tensors of a formula can't be compared: the formula is read once, before "
            "there are numbers. maximum and minimum choose element by element; `is` "
            "tells whether two are the same")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _compare
    __hash__ = object.__hash__

    def __iter__(self) -> Any:
        raise TypeError("a tensor of a formula can't be taken apart: it holds no numbers")

    def __len__(self) -> int:
        raise TypeError("a tensor of a formula has no length: its sizes may be known at "
                        "the launch only")

    def __reduce__(self) -> Any:
        raise TypeError("a tensor of a formula can't be pickled or copied")

    def _apply(self, operation: str, *others: Any, number: float = 0,
               element: str | None = None) -> Tensor:
        tensors = (self, *(_tensor(other, operation) for other in others))
        if any(tensor._fusion is not self._fusion for tensor in tensors):
            raise ValueError("these tensors are of two fusions")
        operands = (c_uint32 * len(tensors))(*(t._number for t in tensors))
        made = c_uint32()
        call("FusionApply", self._fusion._handle.address, operation.encode(), operands,
             len(tensors), float(number), encoded(element, "a type"), place(),
             byref(made))
        return Tensor(self._fusion, made.value)

    def _shape(self) -> list[Extent]:
        """Its sizes as they were written; None for one that nothing is known of."""
        sizes: list[Extent] = json.loads(
            take("FusionShape", self._fusion._handle.address, self._number))
        return sizes

    def _along(self, operation: str, axis: Any, places: int) -> Tensor:
        axis = whole(axis, "an axis", -places, MOST_RANK)
        return self._apply(operation, number=axis + places if axis < 0 else axis)

    def _with(self, operation: str, other: Any) -> Tensor:
        """With a tensor, or with a number."""
        if isinstance(other, numbers.Real):
            return self._apply(operation, number=float(other))
        return self._apply(operation, other)

    def __matmul__(self, other: Tensor) -> Tensor:
        return self._apply("matmul", other)

    def __rmatmul__(self, other: Any) -> Tensor:
        return _tensor(other, "matmul")

    def __add__(self, other: Tensor | Number) -> Tensor:
        return self._with("add", other)

    __radd__ = __add__

    def __sub__(self, other: Tensor | Number) -> Tensor:
        if isinstance(other, numbers.Real):
            return self._apply("add", number=-float(other))
        return self._apply("sub", other)

    def __rsub__(self, other: Number) -> Tensor:
        return -self + other

    def __mul__(self, other: Tensor | Number) -> Tensor:
        return self._with("mul", other)

    __rmul__ = __mul__

    def __truediv__(self, other: Tensor) -> Tensor:
        if isinstance(other, numbers.Real):
            raise TypeError("a formula divides by tensors; for a number, multiply by its "
                            "reciprocal, which shows how it is rounded")
        return self._apply("div", other)

    def __rtruediv__(self, other: Any) -> Tensor:
        if isinstance(other, numbers.Real):
            raise TypeError("a formula divides tensors, and no number by a tensor")
        return _tensor(other, "div")

    def __neg__(self) -> Tensor:
        return self._apply("mul", number=-1)

    @property
    def T(self) -> Tensor:
        """The last two dimensions change places, at no cost."""
        return self._apply("transpose")

    def astype(self, dtype: Any) -> Tensor:
        """Rounded to another type: numpy's, ml_dtypes', or a name such as "bf16"."""
        from ._elements import element_of
        return self._apply("cast", element=element_of(dtype))

    def sum(self, axis: int) -> Tensor:
        """Along a dimension, which goes away; in f32. -1 is the last one."""
        return self._along("sum", axis, len(self._shape()))

    def max(self, axis: int) -> Tensor:
        """The largest along a dimension, which goes away. -1 is the last one."""
        return self._along("maximum", axis, len(self._shape()))

    def cumsum(self, axis: int) -> Tensor:
        """What each element and those before it along a dimension add up to; in f32. The
        dimension's size is a number, and one tile has all of it."""
        return self._along("cumsum", axis, len(self._shape()))

    def cummax(self, axis: int) -> Tensor:
        """The largest of each element and those before it along a dimension, whose size
        is a number."""
        return self._along("cummax", axis, len(self._shape()))

    def unsqueeze(self, axis: int) -> Tensor:
        """A dimension of size one in front of `axis`, to broadcast along; -1 puts it
        last."""
        return self._along("unsqueeze", axis, len(self._shape()) + 1)


def exp(x: Tensor) -> Tensor:
    """e to the power of each element."""
    return _tensor(x, "exp")._apply("exp")


def rsqrt(x: Tensor) -> Tensor:
    """1 / sqrt(x)"""
    return _tensor(x, "rsqrt")._apply("rsqrt")


def relu(x: Tensor) -> Tensor:
    """max(x, 0)"""
    return _tensor(x, "relu")._apply("relu")


def gelu(x: Tensor) -> Tensor:
    """x * (1 + erf(x / sqrt(2))) / 2"""
    return _tensor(x, "gelu")._apply("gelu")


def silu(x: Tensor) -> Tensor:
    """x / (1 + exp(-x))"""
    return _tensor(x, "silu")._apply("silu")


def maximum(a: Tensor | Number, b: Tensor | Number) -> Tensor:
    """The larger of two, element by element; one may be a number."""
    return _choose("max", "maximum", a, b)


def minimum(a: Tensor | Number, b: Tensor | Number) -> Tensor:
    """The smaller of two, element by element; one may be a number."""
    return _choose("min", "minimum", a, b)


def _choose(operation: str, name: str, a: Any, b: Any) -> Tensor:
    if isinstance(a, numbers.Real):
        a, b = b, a
    return _tensor(a, name)._with(operation, b)


class Fusion:
    """A formula over whole tensors, to be one kernel.

    Sizes are numbers or names; a name is one size wherever it stands, and None is one
    that nothing is known of.

    >>> fusion = drawloom.Fusion("linear")
    >>> a = fusion.input("a", ["M", "K"], "bf16")
    >>> b = fusion.input("b", ["N", "K"], "bf16")
    >>> a @ b.T
    <drawloom.Tensor MxNxf32>
    >>> fusion.output("d", drawloom.relu(a @ b.T))
    >>> fusion.compile("sm_90a")
    <drawloom.Kernel linear(a: bf16[M, K], b: bf16[N, K], d: f32[M, N]) for sm_90a>

    A mistake is an exception at its line:

    >>> wrong = drawloom.Fusion("wrong")
    >>> x = wrong.input("x", ["M", "K"], "bf16")
    >>> y = wrong.input("y", ["N", "K"], "bf16")
    >>> x @ y                                                # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    drawloom.Error: ...matmul of 'x' [M, K] and 'y' [N, K]: inner dimensions differ: K and N; did you mean a @ b.T? [fusion]
    """

    def __init__(self, name: str):
        data = encoded(name, "the name of a fusion", is_needed=True)
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
            raise ValueError(
                f"the name of a fusion is the kernel's, of the letters A to Z and a to z, "
                f"digits and _, and {name!r} isn't")
        self._handle = Handle("FusionDestroy", call("FusionCreate", data, place()))
        self.name = name
        #: Inputs and outputs, for what a kernel shows.
        self._tensors: dict[str, Tensor] = {}
        self._gives_dictionary = False

    def __repr__(self) -> str:
        return f"<drawloom.Fusion {self.name!r}>"

    def __reduce__(self) -> Any:
        raise TypeError("a fusion can't be pickled or copied; its text can")

    def input(self, name: str, shape: Sequence[Extent], dtype: Any) -> Tensor:
        """A tensor that the kernel is called with."""
        from ._elements import element_of
        data = encoded(name, "the name of an input", is_needed=True)
        if isinstance(shape, str) or not isinstance(shape, Sequence):
            raise TypeError(f"the shape of '{name}' is a list of numbers and names, as in "
                            "[\"M\", 64]")
        sizes = (Size * len(shape))(*(_size(size, name) for size in shape))
        made = c_uint32()
        call("FusionInput", self._handle.address, data, sizes, len(shape),
             element_of(dtype).encode(), place(), byref(made))
        self._tensors[name] = Tensor(self, made.value)
        return self._tensors[name]

    def output(self, name: str, tensor: Tensor) -> None:
        """A tensor that the kernel writes."""
        data = encoded(name, "the name of an output", is_needed=True)
        if not isinstance(tensor, Tensor):
            raise TypeError(f"output '{name}' is a tensor of the formula, not "
                            f"{type(tensor).__name__}")
        if tensor._fusion is not self:
            raise ValueError(f"output '{name}' is a tensor of another fusion")
        call("FusionOutput", self._handle.address, data, tensor._number, place())
        self._tensors[name] = tensor

    def schedule(self, fields: str | None) -> None:
        """How it is planned: fields of a schedule (docs/Frontend.md). Without one, the
        planner decides all of it, and says why in the plan.

        >>> fusion.schedule("tile = [128, 128, 64], slots = {operands = 3}")
        >>> next(pipe["slots"] for pipe in fusion.plan("sm_100a").json()["pipes"]
        ...      if pipe["name"] == "operands")
        3
        """
        call("FusionSchedule", self._handle.address, encoded(fields, "a schedule"))

    @property
    def text(self) -> str:
        """The program: linalg on tensors, in MLIR."""
        return take("FusionText", self._handle.address, 0).decode()

    def _located(self) -> str:
        return take("FusionText", self._handle.address, 1).decode()

    def plan(self, arch: str) -> Plan:
        """Its plan, without code. What is refused is said at the formula's lines."""
        return plan_text(self._located(), arch, name=self.name)

    def compile(self, arch: str, **options: Any) -> Kernel:
        """Compiles it, with the options of `drawloom.compile`."""
        kernel = compile_text(self._located(), arch, **{"name": self.name, **options})
        kernel._shapes = {name: tensor._shape() for name, tensor in self._tensors.items()}
        kernel._gives_dictionary = self._gives_dictionary
        return kernel


def _size(size: Any, name: str) -> Size:
    if isinstance(size, str):
        return Size(-1, encoded(size, f"a size of '{name}'"))
    if size is None:
        return Size(-1, None)
    return Size(whole(size, f"a size of '{name}'", -1, LARGEST_SIZE), None)


def _read_type(annotation: Any, name: str) -> tuple[str, list[Extent]]:
    """The type and sizes of "bf16[M, K]"."""
    text = annotation if isinstance(annotation, str) else ""
    match = re.fullmatch(r"(\w+)(?:\[([^\]]*)\])?", text.strip(" '\""))
    if not match:
        raise TypeError(f"parameter '{name}' needs its type and sizes, as in "
                        f"{name}: \"bf16[M, 64]\"")
    sizes = [size.strip() for size in (match[2] or "").split(",") if size.strip()]
    return match[1], [int(size) if re.fullmatch("-?[0-9]+", size) else size
                      for size in sizes]


def trace(function: Callable[..., Any]) -> Fusion:
    """The fusion of a function whose parameters say their types and sizes. It returns a
    tensor, which becomes the output `out`, or a dictionary of outputs by name; the
    kernel gives the same.

    >>> def norm(x: "f32[M, N]"):
    ...     return {"sums": (x * x).sum(axis=1)}
    >>> drawloom.trace(norm).compile("sm_100a")
    <drawloom.Kernel norm(x: f32[M, N], sums: f32[M]) for sm_100a>
    """
    if not inspect.isroutine(function) and not hasattr(function, "__name__"):
        raise TypeError(f"a formula is a function, not {type(function).__name__}")
    fusion = Fusion(function.__name__)
    inputs = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_ONLY,
                                  parameter.POSITIONAL_OR_KEYWORD):
            raise TypeError(f"parameter '{name}': a formula's parameters have a place")
        dtype, shape = _read_type(parameter.annotation, name)
        inputs.append(fusion.input(name, shape, dtype))
    result = function(*inputs)
    if not isinstance(result, (Tensor, dict)):
        raise TypeError(
            f"{function.__name__} returns a {type(result).__name__}; a formula returns a "
            "tensor, or a dictionary of several by name: "
            "return {\"first\": x, \"second\": y}")
    fusion._gives_dictionary = isinstance(result, dict)
    for name, tensor in (result if isinstance(result, dict) else {"out": result}).items():
        fusion.output(name, tensor)
    return fusion


def fuse(arch: str | Callable[..., Any] = DEFAULT_ARCH, *, schedule: str | None = None,
         **options: Any) -> Any:
    """Makes a kernel of a function, as `trace` takes it, with a schedule as
    `Fusion.schedule` takes it; the other options are those of `drawloom.compile`.
    Without an architecture, `@drawloom.fuse` compiles for sm_100a.

    >>> import ml_dtypes, numpy as np
    >>> @drawloom.fuse("sm_100a")
    ... def linear(a: "bf16[M, K]", b: "bf16[N, K]", bias: "f32[N]"):
    ...     return drawloom.relu(a @ b.T + bias)
    >>> a, b = np.ones((8, 64)), np.ones((16, 64))
    >>> out = linear(a.astype("bfloat16"), b.astype("bfloat16"), np.full(16, -32, "f"))
    >>> out.shape, float(out.min()), float(out.max())
    ((8, 16), 32.0, 32.0)
    """
    def make(function: Callable[..., Any], arch: str) -> Kernel:
        fusion = trace(function)
        fusion.schedule(schedule)
        kernel = fusion.compile(arch, **options)
        functools.update_wrapper(kernel, function)
        return kernel

    if callable(arch):
        return make(arch, DEFAULT_ARCH)
    encoded(arch, "an architecture", is_needed=True)
    return functools.partial(make, arch=arch)
