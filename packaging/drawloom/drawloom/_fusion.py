# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A fusion from a formula: Python's operators build a program.

The builder is the C++ one (docs/Frontend.md), so what it knows of shapes, types and
mistakes is the same there and here.
"""
from __future__ import annotations

import inspect
import numbers
import re
from ctypes import byref, c_uint32
from typing import Any, Callable, Sequence, Union

from ._kernel import Kernel, Plan
from ._kernel import compile as compile_text
from ._kernel import plan as plan_text
from ._library import Handle, Size, call, encoded, place, take

Number = Union[int, float]
Extent = Union[int, str, None]


class Tensor:
    """A tensor of a fusion: what operators and functions here make others from."""

    def __init__(self, fusion: Fusion, number: int):
        self._fusion, self._number = fusion, number

    def __repr__(self) -> str:
        described = take("FusionDescribe", self._fusion._handle.address, self._number)
        return f"<drawloom.Tensor {described.decode()}>"

    def _apply(self, operation: str, *others: Tensor, number: float = 0,
               element: str | None = None) -> Tensor:
        tensors = (self, *others)
        if any(tensor._fusion is not self._fusion for tensor in tensors):
            raise ValueError("these tensors are of two fusions")
        operands = (c_uint32 * len(tensors))(*(t._number for t in tensors))
        made = c_uint32()
        call("FusionApply", self._fusion._handle.address, operation.encode(), operands,
             len(tensors), float(number), encoded(element), place(), byref(made))
        return Tensor(self._fusion, made.value)

    def __matmul__(self, other: Tensor) -> Tensor:
        return self._apply("matmul", other)

    def __add__(self, other: Tensor | Number) -> Tensor:
        if isinstance(other, numbers.Real):
            return self._apply("add", number=float(other))
        return self._apply("add", other) if isinstance(other, Tensor) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Tensor | Number) -> Tensor:
        if isinstance(other, numbers.Real):
            return self._apply("add", number=-float(other))
        return self._apply("sub", other) if isinstance(other, Tensor) else NotImplemented

    def __rsub__(self, other: Number) -> Tensor:
        return -self + other

    def __mul__(self, other: Tensor | Number) -> Tensor:
        if isinstance(other, numbers.Real):
            return self._apply("mul", number=float(other))
        return self._apply("mul", other) if isinstance(other, Tensor) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Tensor) -> Tensor:
        return self._apply("div", other) if isinstance(other, Tensor) else NotImplemented

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
        """Along a dimension, which goes away; in f32."""
        return self._apply("sum", number=axis)

    def max(self, axis: int) -> Tensor:
        """The largest along a dimension, which goes away."""
        return self._apply("maximum", number=axis)

    def unsqueeze(self, axis: int) -> Tensor:
        """A dimension of size one in front of `axis`, to broadcast along."""
        return self._apply("unsqueeze", number=axis)


def exp(x: Tensor) -> Tensor:
    """e to the power of each element."""
    return x._apply("exp")


def rsqrt(x: Tensor) -> Tensor:
    """1 / sqrt(x)"""
    return x._apply("rsqrt")


def relu(x: Tensor) -> Tensor:
    """max(x, 0)"""
    return x._apply("relu")


def gelu(x: Tensor) -> Tensor:
    """x * (1 + erf(x / sqrt(2))) / 2"""
    return x._apply("gelu")


def silu(x: Tensor) -> Tensor:
    """x / (1 + exp(-x))"""
    return x._apply("silu")


def maximum(a: Tensor, b: Tensor) -> Tensor:
    """The larger of two, element by element."""
    return a._apply("max", b)


def minimum(a: Tensor, b: Tensor) -> Tensor:
    """The smaller of two, element by element."""
    return a._apply("min", b)


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
    <drawloom.Kernel linear(a: bf16[-1, -1], b: bf16[-1, -1], d: f32[-1, -1]) for sm_90a>

    A mistake is an exception at its line:

    >>> a @ b                                                # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    drawloom.Error: ...matmul of 'a' [M, K] and 'b' [N, K]: K is K on the left and N on the right; transpose() an operand if its K is elsewhere
    """

    def __init__(self, name: str):
        self._handle = Handle(call("FusionCreate", name.encode(), place()),
                              "FusionDestroy")
        self.name = name

    def input(self, name: str, shape: Sequence[Extent], dtype: Any) -> Tensor:
        """A tensor that the kernel is called with."""
        from ._elements import element_of
        sizes = (Size * len(shape))(*(
            Size(-1, size.encode()) if isinstance(size, str)
            else Size(-1 if size is None else size, None) for size in shape))
        made = c_uint32()
        call("FusionInput", self._handle.address, name.encode(), sizes, len(shape),
             element_of(dtype).encode(), place(), byref(made))
        return Tensor(self, made.value)

    def output(self, name: str, tensor: Tensor) -> None:
        """A tensor that the kernel writes."""
        if tensor._fusion is not self:
            raise ValueError(f"output '{name}' is a tensor of another fusion")
        call("FusionOutput", self._handle.address, name.encode(), tensor._number,
             place())

    def schedule(self, fields: str | None) -> None:
        """How it is planned: fields of a schedule (docs/Frontend.md). Without one, the
        planner decides all of it, and says why in the plan.

        >>> fusion.schedule("tile = [128, 128, 64], slots = {operands = 3}")
        >>> next(pipe["slots"] for pipe in fusion.plan("sm_100a").json()["pipes"]
        ...      if pipe["name"] == "operands")
        3
        """
        call("FusionSchedule", self._handle.address, encoded(fields))

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
        return compile_text(self._located(), arch, name=self.name, **options)


def _read_type(annotation: Any, name: str) -> tuple[str, list[Extent]]:
    """The type and sizes of "bf16[M, K]"."""
    text = annotation if isinstance(annotation, str) else ""
    match = re.fullmatch(r"(\w+)(?:\[([^\]]*)\])?", text.strip(" '\""))
    if not match:
        raise TypeError(f"parameter '{name}' needs its type and sizes, as in "
                        f"{name}: \"bf16[M, 64]\"")
    sizes = [size.strip() for size in (match[2] or "").split(",") if size.strip()]
    return match[1], [int(size) if size.lstrip("-").isdigit() else size
                      for size in sizes]


def trace(function: Callable[..., Any]) -> Fusion:
    """The fusion of a function whose parameters say their types and sizes. It returns a
    tensor, which becomes the output `out`, or a dictionary of outputs by name.

    >>> def norm(x: "f32[M, N]"):
    ...     return {"sums": (x * x).sum(axis=1)}
    >>> drawloom.trace(norm).compile("sm_100a")
    <drawloom.Kernel norm(x: f32[-1, -1], sums: f32[-1]) for sm_100a>
    """
    fusion = Fusion(function.__name__)
    inputs = []
    for name, parameter in inspect.signature(function).parameters.items():
        dtype, shape = _read_type(parameter.annotation, name)
        inputs.append(fusion.input(name, shape, dtype))
    result = function(*inputs)
    for name, tensor in (result if isinstance(result, dict) else {"out": result}).items():
        fusion.output(name, tensor)
    return fusion


def fuse(arch: str, *, schedule: str | None = None,
         **options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Makes a kernel of a function, as `trace` takes it, with a schedule as
    `Fusion.schedule` takes it; the other options are those of `drawloom.compile`.

    >>> import ml_dtypes, numpy as np
    >>> @drawloom.fuse("sm_100a")
    ... def linear(a: "bf16[M, K]", b: "bf16[N, K]", bias: "f32[N]"):
    ...     return drawloom.relu(a @ b.T + bias)
    >>> a, b = np.ones((8, 64)), np.ones((16, 64))
    >>> out = linear(a.astype("bfloat16"), b.astype("bfloat16"), np.full(16, -32, "f"))
    >>> out.shape, float(out.min()), float(out.max())
    ((8, 16), 32.0, 32.0)
    """
    def make(function: Callable[..., Any]) -> Kernel:
        fusion = trace(function)
        fusion.schedule(schedule)
        return fusion.compile(arch, **options)
    return make
