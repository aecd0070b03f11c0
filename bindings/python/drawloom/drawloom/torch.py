# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels from modules of PyTorch, by `torch.export`.

Each leaf of a model, a module without modules in it, is a kernel; so is each module of
a class that is named:

>>> import torch, drawloom.torch
>>> class Gate(torch.nn.Module):
...     def __init__(self):
...         super().__init__()
...         self.gate, self.up = (torch.nn.Linear(64, 64) for _ in range(2))
...     def forward(self, x):
...         return torch.nn.functional.silu(self.gate(x)) * self.up(x)
>>> model = torch.nn.Sequential(torch.nn.RMSNorm(64), Gate()).bfloat16().eval()
>>> x = torch.ones(64, 64, dtype=torch.bfloat16)
>>> block = drawloom.torch.split(model, x, kernels=[Gate])
>>> print(block)
2 kernels with 5 operations, 100% of all
  @rmsnorm
  @gate
>>> block.run("sm_100a", x).shape
torch.Size([64, 64])

What is in no such module stays with torch, and so does a part with an operation that
isn't in the table below, or that the compiler refuses: `block.refused` has the words.
The operations become those of JAX, which lowers them (`drawloom.jax`); so this needs
both packages. Sums of bf16 and f16 are f32 inside an operation and its result is
rounded, as torch does it.
"""
from __future__ import annotations

import operator
from typing import Any, Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
import torch
from torch.utils import _pytree

import drawloom

from ._block import Launch
from .jax import program

#: Operations that compute nothing: alone they are no kernel.
_NOTHING = {"dropout", "contiguous", "clone"}

#: Types of both. JAX has no wider ones unless they are enabled.
_DTYPES = {torch.float32: jnp.float32, torch.float16: jnp.float16,
           torch.bfloat16: jnp.bfloat16, torch.bool: jnp.bool_,
           torch.int32: jnp.int32}


def _dtype(dtype: torch.dtype) -> Any:
    if dtype not in _DTYPES:
        raise NotImplementedError(f"there is no result of {dtype} here")
    return _DTYPES[dtype]


def _wide(function: Callable[..., Any]) -> Callable[..., Any]:
    """Computes in f32 and rounds to the type that torch gives the result, and the
    operands before."""
    def rounded(*values: Any, **options: Any) -> Any:
        dtype = jnp.result_type(*(value.dtype for value in values
                                  if hasattr(value, "dtype")))
        _check_floats(dtype)
        wide = [value.astype(dtype).astype(jnp.float32) if hasattr(value, "dtype")
                else value for value in values]
        return function(*wide, **options).astype(dtype)
    return rounded


def _check_floats(dtype: Any) -> None:
    if not jnp.issubdtype(dtype, jnp.floating):
        raise NotImplementedError(f"there is no arithmetic of {dtype} here")


def _product(a: Any, b: Any) -> Any:
    """In f32. jnp.matmul would drop sizes of 1 and put them back: in a kernel there is
    no such operation."""
    batch = tuple(range(a.ndim - 2))
    if a.shape[:-2] != b.shape[:-2] or min(a.ndim, b.ndim) < 2:
        return jnp.matmul(a, b, preferred_element_type=jnp.float32)
    sizes = (((a.ndim - 1,), (b.ndim - 2,)), (batch, batch))
    return jax.lax.dot_general(a, b, sizes, preferred_element_type=jnp.float32)


def _matmul(a: Any, b: Any) -> Any:
    return _product(a, b).astype(a.dtype)


def _linear(x: Any, weight: Any, bias: Any = None) -> Any:
    made = jnp.matmul(x, weight.T, preferred_element_type=jnp.float32)
    return (made if bias is None else made + bias.astype(jnp.float32)).astype(x.dtype)


def _attention(q: Any, k: Any, v: Any, mask: Any = None, dropout: float = 0,
               is_causal: bool = False, scale: float | None = None,
               enable_gqa: bool = False) -> Any:
    if mask is not None or dropout:
        raise NotImplementedError("there is no attention with a mask or dropout here")
    if enable_gqa:
        raise NotImplementedError("there is no attention of grouped queries here")
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    scores = _product(q, k.swapaxes(-1, -2)) * scale
    if is_causal:
        rank = scores.ndim
        row = jax.lax.broadcasted_iota(jnp.int32, scores.shape, rank - 2)
        column = jax.lax.broadcasted_iota(jnp.int32, scores.shape, rank - 1)
        scores = jnp.where(row >= column, scores, -jnp.inf)
    return _matmul(jax.nn.softmax(scores, -1).astype(v.dtype), v)


def _rms_norm(x: Any, shape: Sequence[int], weight: Any = None,
              eps: float | None = None) -> Any:
    # Without one, torch takes that of the type that it sums in.
    eps = float(jnp.finfo(jnp.float32).eps) if eps is None else eps
    axes = tuple(range(-len(shape), 0))
    y = x.astype(jnp.float32)
    y = y * jax.lax.rsqrt(jnp.mean(y * y, axes, keepdims=True) + eps)
    return (y if weight is None else y * weight.astype(jnp.float32)).astype(x.dtype)


def _layer_norm(x: Any, shape: Sequence[int], weight: Any = None, bias: Any = None,
                eps: float = 1e-5, *_: Any) -> Any:
    axes = tuple(range(-len(shape), 0))
    y = x.astype(jnp.float32)
    y = y - jnp.mean(y, axes, keepdims=True)
    y = y * jax.lax.rsqrt(jnp.mean(y * y, axes, keepdims=True) + eps)
    y = y if weight is None else y * weight.astype(jnp.float32)
    return (y if bias is None else y + bias.astype(jnp.float32)).astype(x.dtype)


def _reduce(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduced(x: Any, axes: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
        _check_floats(x.dtype)
        # Of none, torch takes all.
        axes = tuple(axes) or None if isinstance(axes, (list, tuple)) else axes
        made = function(x.astype(jnp.float32), axes, keepdims=keepdim)
        return made.astype(_dtype(dtype) if dtype else x.dtype)
    return reduced


def _softmax(x: Any, axis: int, dtype: Any = None) -> Any:
    made = jax.nn.softmax(x.astype(jnp.float32), axis)
    return made.astype(_dtype(dtype) if dtype else x.dtype)


def _cast(x: Any, *others: Any, dtype: Any = None, **_: Any) -> Any:
    """To a type, or to that of another tensor."""
    for one in others:
        if isinstance(one, torch.dtype):
            dtype = one
        elif hasattr(one, "dtype"):
            return x.astype(one.dtype)
    return x.astype(_dtype(dtype)) if dtype else x


def _scale(x: Any, alpha: float) -> Any:
    return x if alpha == 1 else alpha * x


def _dropout(x: Any, share: float = 0.5, train: bool = False) -> Any:
    if train and share:
        raise NotImplementedError("there is no dropout by chance here; call eval(), or "
                                  "give the mask as an argument")
    return x


def _where(condition: Any, x: Any, y: Any) -> Any:
    return jnp.where(condition, x, y)


def _gelu(x: Any, approximate: str = "none") -> Any:
    return _wide(lambda y: jax.nn.gelu(y, approximate=approximate == "tanh"))(x)


#: Operations by torch's names, with the overload left out.
OPERATIONS: dict[str, Callable[..., Any]] = {
    "linear": _linear, "matmul": _matmul, "mm": _matmul, "bmm": _matmul,
    "addmm": lambda c, a, b: _linear(a, b.T, c),
    "scaled_dot_product_attention": _attention,
    "rms_norm": _rms_norm, "layer_norm": _layer_norm,
    "add": _wide(lambda x, y, alpha=1: x + _scale(y, alpha)),
    "sub": _wide(lambda x, y, alpha=1: x - _scale(y, alpha)),
    "rsub": _wide(lambda x, y, alpha=1: y - _scale(x, alpha)),
    "mul": _wide(jnp.multiply), "div": _wide(jnp.divide), "neg": _wide(jnp.negative),
    "abs": _wide(jnp.abs), "clamp": _wide(jnp.clip), "where": _where,
    "masked_fill": lambda x, mask, value: _where(mask, value, x),
    "maximum": _wide(jnp.maximum), "minimum": _wide(jnp.minimum), "exp": _wide(jnp.exp),
    "log": _wide(jnp.log), "tanh": _wide(jnp.tanh),
    "sigmoid": _wide(jax.nn.sigmoid), "rsqrt": _wide(jax.lax.rsqrt),
    "sqrt": _wide(jnp.sqrt), "relu": _wide(jax.nn.relu), "silu": _wide(jax.nn.silu),
    "gelu": _gelu, "pow": _wide(lambda x, power: x ** power),
    "mean": _reduce(jnp.mean), "sum": _reduce(jnp.sum), "amax": _reduce(jnp.max),
    "softmax": _softmax, "to": _cast, "_to_copy": _cast,
    "view": lambda x, shape: x.reshape(shape),
    "reshape": lambda x, shape: x.reshape(shape),
    "transpose": jnp.swapaxes, "permute": jnp.transpose, "t": jnp.transpose,
    "unsqueeze": jnp.expand_dims, "squeeze": jnp.squeeze,
    "contiguous": lambda x, **_: x, "clone": lambda x, **_: x,
    "dropout": _dropout, "getitem": operator.getitem,
}


def _name(node: Any) -> str:
    """ "add" for aten.add.Tensor."""
    packet = getattr(node.target, "overloadpacket", node.target)
    return str(packet.__name__)


def _is_assertion(node: Any) -> bool:
    """Sizes and types are known here."""
    return node.op == "call_function" and _name(node) == "_assert_tensor_metadata"


class _Part:
    """Nodes of a graph that are a kernel together, and what goes in and out."""

    def __init__(self, path: str, name: str):
        self.path, self.name = path, name
        self.nodes: list[Any] = []

    def close(self) -> None:
        inside = set(self.nodes)
        arguments = [one for node in self.nodes for one in node.all_input_nodes]
        self.inputs = list(dict.fromkeys(one for one in arguments if one not in inside))
        self.outputs = [node for node in self.nodes
                        if any(user not in inside and not _is_assertion(user)
                               for user in node.users)]

    def evaluate(self, values: Sequence[Any], call: Callable[..., Any]) -> tuple:
        known = dict(zip(self.inputs, values))
        for node in self.nodes:
            known[node] = _call(node, known, call)
        return tuple(known[node] for node in self.outputs)


def _call(node: Any, known: dict, call: Callable[..., Any]) -> Any:
    arguments = torch.fx.map_arg((node.args, node.kwargs), known.__getitem__)
    return call(node)(*arguments[0], **arguments[1])


class Block(drawloom.Block):
    """A model of which some modules are kernels."""

    def __init__(self, model: torch.nn.Module, arguments: tuple,
                 kernels: Sequence[type]):
        super().__init__()
        self._exported = torch.export.export(model, arguments)
        #: Nodes and parts, in the order of the graph.
        self._steps: list[Any] = []
        modules = dict(model.named_modules())
        for node in self._exported.graph.nodes:
            if node.op != "call_function" or _is_assertion(node):
                continue
            call = _find_call(node, modules, tuple(kernels))
            last = self._steps[-1] if self._steps else None
            if not call:
                self._steps.append(node)
            elif isinstance(last, _Part) and last.path == call[0]:
                last.nodes.append(node)
            else:
                self._steps.append(_Part(*call))
                self._steps[-1].nodes.append(node)
        for step in self._steps:
            if isinstance(step, _Part):
                self._lower(step)
            elif step.target is not operator.getitem:
                self.others[_name(step)] += 1

    def _lower(self, part: _Part) -> None:
        part.close()
        if all(_name(node) in _NOTHING for node in part.nodes):
            self.others.update(map(_name, part.nodes))
            return
        try:
            text = _write(part)
        except (NotImplementedError, drawloom.Error) as error:
            self.refused[part.name, "any GPU"] = str(error)
            self.others.update(map(_name, part.nodes))
            return
        self._add(part, part.name, text, len(part.nodes))

    def _run(self, arch: str, arguments: Any, launch: Launch) -> Any:
        leaves = iter(_pytree.tree_leaves(arguments))
        known: dict[Any, Any] = {}
        placeholders = [node for node in self._exported.graph.nodes
                        if node.op == "placeholder"]
        specs = self._exported.graph_signature.input_specs
        held = {**self._exported.state_dict, **self._exported.constants}
        with torch.no_grad():
            for node, spec in zip(placeholders, specs):
                is_given = spec.kind is torch.export.graph_signature.InputKind.USER_INPUT
                known[node] = next(leaves) if is_given else held[spec.target]
            for step in self._steps:
                self._step(step, arch, known, launch)
        output, = (node for node in self._exported.graph.nodes if node.op == "output")
        flat = torch.fx.map_arg(output.args[0], known.__getitem__)
        return _pytree.tree_unflatten(list(flat), self._exported.call_spec.out_spec)

    def _step(self, step: Any, arch: str, known: dict, launch: Launch) -> None:
        if not isinstance(step, _Part):
            known[step] = _call(step, known, lambda node: node.target)
            return
        kernel = self._kernel_of(step, arch)
        if not kernel:
            for node in step.nodes:
                known[node] = _call(node, known, lambda node: node.target)
            return
        values = [known[node].detach().contiguous() for node in step.inputs]
        for node, value in zip(step.outputs, launch(step, kernel, values)):
            known[node] = _tensor(value)

    def _evaluate(self, part: _Part, arrays: list) -> list:
        return [value.contiguous()
                for value in part.evaluate(arrays, lambda node: node.target)]


def _write(part: _Part) -> str:
    """The program of a part. What it can't have is NotImplementedError."""
    for node in part.nodes:
        if _name(node) not in OPERATIONS:
            raise NotImplementedError(f"there is no operation {_name(node)} here")
    shapes = []
    for node in part.inputs:
        value = node.meta["val"]
        if getattr(value, "dtype", None) not in _DTYPES:
            kind = getattr(value, "dtype", type(value).__name__)
            raise NotImplementedError(f"there is no argument of {kind} here")
        shapes.append(jax.ShapeDtypeStruct(tuple(map(int, value.shape)),
                                           _DTYPES[value.dtype]))

    def call(node: Any) -> Callable[..., Any]:
        def called(*values: Any, **options: Any) -> Any:
            try:
                return OPERATIONS[_name(node)](*values, **options)
            except (TypeError, ValueError) as error:
                raise NotImplementedError(
                    f"{node.target} has no form here: {error}") from error
        return called

    return program(lambda *values: part.evaluate(values, call), *shapes)


def _find_call(node: Any, modules: dict[str, torch.nn.Module],
               kernels: tuple[type, ...]) -> tuple[str, str] | None:
    """The call of a module that the node is a part of and that is a kernel: its path,
    and the name of its class."""
    for key, (path, _) in node.meta.get("nn_module_stack", {}).items():
        module = modules[path]
        is_leaf = not any(True for _ in module.children())
        if isinstance(module, kernels) or is_leaf:
            return key, type(module).__name__.lower()
    return None


def _tensor(value: Any) -> torch.Tensor:
    """torch's, of an array; torch doesn't take numpy's bf16."""
    if isinstance(value, torch.Tensor):
        return value
    if value.dtype.name == "bfloat16":
        return torch.from_numpy(value.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(value)


def split(model: torch.nn.Module, *arguments: Any,
          kernels: Sequence[type] = ()) -> Block:
    """The kernels of a model, for arguments of these sizes. Leaves are kernels, and
    modules of the classes `kernels`."""
    return Block(model, arguments, kernels)
