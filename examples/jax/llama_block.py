# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A block of a Llama model, in JAX: each function under jax.jit becomes a kernel for
Blackwell, or for the architecture that is named, and runs on an emulated one."""
import sys

import jax
import jax.numpy as jnp
import numpy as np

import drawloom.jax

ROWS, WIDTH, HEADS, HIDDEN = 128, 256, 4, 512
HEAD = WIDTH // HEADS
bf16, f32 = jnp.bfloat16, jnp.float32


def matmul(a, b):
    return jnp.matmul(a, b, preferred_element_type=f32)


@jax.jit
def norm(x, weight):
    y = x.astype(f32)
    return (y * jax.lax.rsqrt(jnp.mean(y * y, -1, keepdims=True) + 1e-5) * weight).astype(bf16)


@jax.jit
def linear(x, weight):
    return matmul(x, weight).astype(bf16)


@jax.jit
def rotate(even, odd, cos, sin):
    even, odd = even.astype(f32), odd.astype(f32)
    return (even * cos - odd * sin).astype(bf16), (odd * cos + even * sin).astype(bf16)


@jax.jit
def attention(q, k, v):
    scores = jnp.einsum("hqd,hkd->hqk", q, k, preferred_element_type=f32) * HEAD ** -0.5
    row = jax.lax.broadcasted_iota(jnp.int32, scores.shape, 1)
    column = jax.lax.broadcasted_iota(jnp.int32, scores.shape, 2)
    weights = jax.nn.softmax(jnp.where(row >= column, scores, -jnp.inf), -1).astype(bf16)
    return jnp.einsum("hqk,hkd->hqd", weights, v, preferred_element_type=f32).astype(bf16)


@jax.jit
def project(x, weight, residual):
    return (matmul(x, weight) + residual.astype(f32)).astype(bf16)


@jax.jit
def swiglu(x, gate, up):
    return (jax.nn.silu(matmul(x, gate)) * matmul(x, up)).astype(bf16)


def by_head(x):
    return x.reshape(ROWS, HEADS, HEAD).transpose(1, 0, 2)


def rope(x, cos, sin):
    return jnp.concatenate(rotate(*jnp.split(x, 2, axis=-1), cos, sin), -1)


def block(p, x):
    y = norm(x, p["norm"])
    q, k, v = (by_head(linear(y, p[name])) for name in ("q", "k", "v"))
    q, k = rope(q, p["cos"], p["sin"]), rope(k, p["cos"], p["sin"])
    x = project(attention(q, k, v).transpose(1, 0, 2).reshape(ROWS, WIDTH), p["o"], x)
    return project(swiglu(norm(x, p["norm2"]), p["gate"], p["up"]), p["down"], x)


def make_arguments():
    random = np.random.default_rng(0)

    def weight(rows, columns):
        return jnp.asarray(random.standard_normal((rows, columns)) / rows ** 0.5, bf16)

    angles = np.outer(np.arange(ROWS), 10000.0 ** (-2 * np.arange(HEAD // 2) / HEAD))
    parameters = {name: weight(WIDTH, WIDTH) for name in "qkvo"}
    parameters |= {"gate": weight(WIDTH, HIDDEN), "up": weight(WIDTH, HIDDEN),
                   "down": weight(HIDDEN, WIDTH), "norm": jnp.ones(WIDTH, f32),
                   "norm2": jnp.ones(WIDTH, f32), "cos": jnp.asarray(np.cos(angles), f32),
                   "sin": jnp.asarray(np.sin(angles), f32)}
    return parameters, jnp.asarray(random.standard_normal((ROWS, WIDTH)), bf16)


if __name__ == "__main__":
    arch = sys.argv[1] if len(sys.argv) > 1 else "sm_100a"
    arguments = make_arguments()
    parts = drawloom.jax.split(block, *arguments)
    made = np.asarray(parts.run(arch, *arguments), np.float32)
    wanted = np.asarray(block(*arguments), np.float32)
    print(parts)
    print(f"largest difference to JAX: {np.abs(made - wanted).max()}, where the largest "
          f"element is {np.abs(wanted).max()}")
