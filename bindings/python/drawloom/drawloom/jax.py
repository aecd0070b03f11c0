# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels from functions of JAX.

JAX lowers a function to StableHLO, and jaxlib has the passes that make linalg of it,
which is what the compiler takes. A function under `jax.jit` is one kernel; of a
function that calls such functions, each call is a kernel:

>>> import drawloom.jax, jax, jax.numpy as jnp
>>> @jax.jit
... def linear(x, w):
...     y = jnp.matmul(x, w, preferred_element_type=jnp.float32)
...     return jax.nn.relu(y).astype(x.dtype)
>>> x, w, v = (jnp.ones((64, 64), jnp.bfloat16) for _ in range(3))
>>> block = drawloom.jax.split(lambda x, w, v: linear(linear(x, w), v), x, w, v)
>>> print(block)
1 kernel with 6 operations, 100% of all
  @linear
>>> out = block.run("sm_100a", x, w, v)
>>> float(out[0, 0])
4096.0

A function alone:

>>> "linalg.matmul" in drawloom.jax.program(linear, x, w)
True
>>> drawloom.jax.compile(linear, x, w, arch="sm_90a")         # doctest: +ELLIPSIS
<drawloom.Kernel main(...) for sm_90a>

What is outside such functions stays with JAX, and so does a part that the compiler
refuses: `block.refused` has its words.
"""
from __future__ import annotations

import contextlib
import re
from typing import Any, Callable

import jax
import numpy as np
from jax.extend import core
from jaxlib.mlir import passmanager
from jaxlib.mlir.dialects import stablehlo

import drawloom

from ._block import Launch
from ._kernel import Kernel
from ._kernel import compile as compile_text
from ._library import Error

#: Calls of other functions, and where their equations have the callee.
_CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr",
          "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr"}
_PASSES = "builtin.module(stablehlo-legalize-to-linalg,canonicalize,cse)"
#: An operation that these leave, and that the compiler has on tensors.
_ERF = re.compile(r"chlo\.erf (%\S+) : (tensor<[^>]*>) -> \2")


def program(function: Callable[..., Any], *arguments: Any) -> str:
    """The program of a function, as text: linalg on tensors. `arguments` are arrays, or
    `jax.ShapeDtypeStruct` where only sizes and types are known."""
    return _lower(jax.make_jaxpr(function)(*arguments))


def compile(function: Callable[..., Any], *arguments: Any, arch: str,  # noqa: A001
            **options: Any) -> Kernel:
    """The kernel of a function, with the options of `drawloom.compile`. Errors
    are reported at the function's lines."""
    closed = jax.make_jaxpr(function)(*arguments)
    try:
        return compile_text(_lower(closed), arch, **options)
    except Error as error:
        raise (_locate(closed, arch, **options) or error) from None


def _callee(equation: Any) -> core.ClosedJaxpr | None:
    callee = equation.params.get(_CALLS.get(equation.primitive.name, ""))
    return core.ClosedJaxpr(callee, ()) if isinstance(callee, core.Jaxpr) else callee


def _evaluate(closed: core.ClosedJaxpr, arguments: Any, step: Callable[..., Any]) -> list:
    """Runs equation by equation; `step` does one."""
    values = dict(zip(closed.jaxpr.constvars, closed.consts))
    values |= dict(zip(closed.jaxpr.invars, arguments))

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, core.Literal) else values[atom]

    for equation in closed.jaxpr.eqns:
        made = step(equation, [read(atom) for atom in equation.invars])
        values |= dict(zip(equation.outvars, made))
    return [read(atom) for atom in closed.jaxpr.outvars]


def _inline(equation: Any, arguments: list) -> list:
    callee = _callee(equation)
    if callee is not None:
        return _evaluate(callee, arguments, _inline)
    # What jaxlib has no linalg of, and others are the same as.
    if equation.primitive is jax.lax.erfc_p:
        return [1 - jax.lax.erf(*arguments)]
    if equation.primitive is jax.lax.square_p:
        return [arguments[0] * arguments[0]]
    # Numbers that are known now are numbers in the kernel.
    is_known = arguments and not any(
        [one.aval.ndim for one in equation.outvars]
        + [isinstance(one, jax.core.Tracer) or np.ndim(one) for one in arguments])
    with jax.ensure_compile_time_eval() if is_known else contextlib.nullcontext():
        made = equation.primitive.bind(*arguments, **equation.params)
    return list(made) if equation.primitive.multiple_results else [made]


def _lower(closed: core.ClosedJaxpr) -> str:
    """To linalg. What it calls is a part of it."""
    text = str(_legalize(closed, lambda *values: _evaluate(closed, values, _inline)))
    text = _ERF.sub(r"math.erf \1 : \2", text)
    left = sorted(set(re.findall(r"\b(?:stablehlo|chlo)\.(?!return)\w+", text)))
    if left:
        raise Error(f"{_find_place(closed, left)}jaxlib makes no linalg of "
                    f"{', '.join(left)}")
    return text


def _legalize(closed: core.ClosedJaxpr, function: Callable[..., Any]) -> Any:
    """The module of a function, after the passes."""
    shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in closed.in_avals]
    module = jax.jit(function).lower(*shapes).compiler_ir("stablehlo")
    stablehlo.register_stablehlo_passes()
    with module.context:
        passmanager.PassManager.parse(_PASSES).run(module.operation)
    return module


def _find_place(closed: core.ClosedJaxpr, operations: list[str]) -> str:
    """The line of the first of these operations, as messages begin with it."""
    text = _legalize(closed, core.jaxpr_as_fun(closed)).operation.get_asm(
        enable_debug_info=True, use_local_scope=True)
    found = min(filter(lambda at: at >= 0, map(text.find, operations)), default=0)
    place = re.compile(r'"([^"]+\.py)":(\d+):(\d+)').search(text, found)
    return f"{place[1]}:{place[2]}:{place[3]}: error: " if place else ""


def _locate(closed: core.ClosedJaxpr, arch: str, **options: Any) -> Error | None:
    """Why a function is refused, at its lines, which the text of a program hasn't."""
    module = _legalize(closed, core.jaxpr_as_fun(closed))
    try:
        compile_text(module.operation.get_asm(enable_debug_info=True), arch, **options)
    except Error as error:
        return error if _is_source(error) else None
    return None


def _is_source(error: Error) -> bool:
    return bool(error.messages) and error.messages[0].file.endswith(".py")


class Block(drawloom.Block):
    """A function that calls others under `jax.jit`: each call is a kernel."""

    def __init__(self, function: Callable[..., Any], *arguments: Any):
        super().__init__()
        self._closed, shape = jax.make_jaxpr(function, return_shape=True)(*arguments)
        self._tree = jax.tree.structure(shape)
        self._callees: dict[str, core.ClosedJaxpr] = {}
        for equation in self._closed.jaxpr.eqns:
            callee = _callee(equation)
            if callee is None:
                self.others[equation.primitive.name] += 1
                continue
            name = equation.params.get("name", equation.primitive.name)
            try:
                self._add(equation, name, _lower(callee), len(_list(callee)))
                self._callees[self._names[id(equation)]] = callee
            except Error as error:
                self.refused[name, "any GPU"] = str(error)
                self.others.update(_list(callee))

    def _run(self, arch: str, arguments: Any, launch: Launch) -> Any:
        def step(equation: Any, values: list) -> list:
            kernel = self._kernel_of(equation, arch)
            if not kernel:
                return _inline(equation, values)
            return launch(equation, kernel, [np.asarray(value) for value in values])

        flat = _evaluate(self._closed, jax.tree.leaves(arguments), step)
        return jax.tree.unflatten(self._tree, flat)

    def _locate(self, name: str, arch: str) -> Error | None:
        return _locate(self._callees[name], arch, name=name)

    def _evaluate(self, part: Any, arrays: list) -> list:
        made = jax.jit(core.jaxpr_as_fun(_callee(part)))(*arrays)
        return [np.asarray(one) for one in made]


def _list(closed: core.ClosedJaxpr) -> list[str]:
    """The operations of a function, with those of what it calls."""
    names: list[str] = []
    for equation in closed.jaxpr.eqns:
        callee = _callee(equation)
        names += [equation.primitive.name] if callee is None else _list(callee)
    return names


def split(function: Callable[..., Any], *arguments: Any) -> Block:
    """The kernels of a function that calls others under `jax.jit`."""
    return Block(function, *arguments)
