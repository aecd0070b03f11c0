# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels from functions of JAX.

JAX lowers a function to StableHLO, and jaxlib has the passes that make linalg of it,
which is what the compiler takes. A function under `jax.jit` is one kernel; of a
function that calls such functions, each call is a kernel:

    import drawloom.jax, jax, jax.numpy as jnp

    @jax.jit
    def linear(x, w):
        return jax.nn.relu(jnp.matmul(x, w, preferred_element_type=jnp.float32))

    block = drawloom.jax.split(lambda x, w, v: linear(linear(x, w), v), x, w, v)
    print(block)                      # which parts are kernels, and which are not
    out = block.run("sm_100a", x, w, v)

What is outside of such functions stays with JAX, and so does a part that the compiler
refuses: `block.refused` has its words.
"""
from __future__ import annotations

import collections
from typing import Any, Callable

import jax
import numpy as np
from jax.extend import core
from jaxlib.mlir import passmanager
from jaxlib.mlir.dialects import stablehlo

from ._kernel import Comparison, Kernel
from ._kernel import compile as compile_text
from ._library import Error

#: Calls of other functions, and where their equations have the callee.
_CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr",
          "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr"}
_PASSES = "builtin.module(stablehlo-legalize-to-linalg,canonicalize,cse)"


def program(function: Callable[..., Any], *arguments: Any) -> str:
    """The program of a function, as text: linalg on tensors. `arguments` are arrays, or
    `jax.ShapeDtypeStruct` where only sizes and types are known."""
    return _lower(jax.make_jaxpr(function)(*arguments))


def compile(function: Callable[..., Any], *arguments: Any, arch: str,  # noqa: A001
            **options: Any) -> Kernel:
    """The kernel of a function, with the options of `drawloom.compile`."""
    return compile_text(program(function, *arguments), arch, **options)


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
    made = equation.primitive.bind(*arguments, **equation.params)
    return list(made) if equation.primitive.multiple_results else [made]


def _lower(closed: core.ClosedJaxpr) -> str:
    """To linalg. What it calls is a part of it."""
    shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in closed.in_avals]
    lowered = jax.jit(lambda *values: _evaluate(closed, values, _inline)).lower(*shapes)
    module = lowered.compiler_ir("stablehlo")
    stablehlo.register_stablehlo_passes()
    with module.context:
        passmanager.PassManager.parse(_PASSES).run(module.operation)
    return str(module)


class Block:
    """A function that calls others under `jax.jit`: each call is a kernel."""

    def __init__(self, function: Callable[..., Any], *arguments: Any):
        self._closed, shape = jax.make_jaxpr(function, return_shape=True)(*arguments)
        self._tree = jax.tree.structure(shape)
        #: Programs by the names of their functions, in the order of the calls.
        self.programs: dict[str, str] = {}
        #: Operations that are in no kernel, and how many there are of each.
        self.others: collections.Counter[str] = collections.Counter()
        #: What the compiler said of the parts that it refused, by name and target.
        self.refused: dict[tuple[str, str], str] = {}
        self._kernels: dict[tuple[str, str], Kernel] = {}
        self._names: dict[int, str] = {}
        self._operations = 0
        for equation in self._closed.jaxpr.eqns:
            callee = _callee(equation)
            if callee is None:
                self.others[equation.primitive.name] += 1
                continue
            self._operations += _count(callee)
            text = _lower(callee)
            base = name = equation.params.get("name", equation.primitive.name)
            number = 1
            while self.programs.setdefault(name, text) != text:
                number += 1
                name = f"{base}_{number}"
            self._names[id(equation)] = name

    @property
    def share(self) -> float:
        """The part of all operations that is in kernels."""
        return self._operations / (self._operations + self.others.total())

    def __str__(self) -> str:
        lines = [f"{len(self.programs)} kernels with {self._operations} operations, "
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
                self._kernels[name, arch] = compile_text(self.programs[name], arch,
                                                         name=name)
            except Error as error:
                self.refused[name, arch] = str(error)
        return self._kernels.get((name, arch))

    def run(self, arch: str, *arguments: Any) -> Any:
        """Runs the kernels on an emulated device, and the rest with JAX."""
        def launch(name: str, kernel: Kernel, arrays: list) -> list:
            made = kernel.run(*arrays)
            return list(made) if isinstance(made, tuple) else [made]

        return self._run(arch, arguments, launch)

    def compare(self, arch: str, *arguments: Any) -> dict[str, list[Comparison]]:
        """Runs it like `run`, and compares what each kernel writes with the reference
        interpreter, for the arrays that the kernel is called with."""
        found: dict[str, list[Comparison]] = {}

        def launch(name: str, kernel: Kernel, arrays: list) -> list:
            found.setdefault(name, []).extend(kernel.compare(*arrays))
            made = kernel.run(*arrays)
            return list(made) if isinstance(made, tuple) else [made]

        self._run(arch, arguments, launch)
        return found

    def _run(self, arch: str, arguments: Any,
             launch: Callable[[str, Kernel, list], list]) -> Any:
        def step(equation: Any, values: list) -> list:
            name = self._names.get(id(equation))
            kernel = name and self.kernel(name, arch)
            if not kernel:
                return _inline(equation, values)
            return launch(name, kernel, [np.asarray(value) for value in values])

        flat = _evaluate(self._closed, jax.tree.leaves(arguments), step)
        return jax.tree.unflatten(self._tree, flat)


def _count(closed: core.ClosedJaxpr) -> int:
    """The operations of a function, with those of what it calls."""
    callees = [_callee(equation) for equation in closed.jaxpr.eqns]
    return sum(1 if callee is None else _count(callee) for callee in callees)


def split(function: Callable[..., Any], *arguments: Any) -> Block:
    """The kernels of a function that calls others under `jax.jit`."""
    return Block(function, *arguments)
