# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A mixture of experts, in JAX: the router, the experts and their weighted sum are
kernels; which two experts a row takes, JAX decides."""
import sys

import jax
import jax.numpy as jnp
import numpy as np

import drawloom.jax

ROWS, WIDTH, HIDDEN, EXPERTS, TAKEN = 128, 256, 256, 4, 2
bf16, f32 = jnp.bfloat16, jnp.float32


def matmul(a, b):
    return jnp.matmul(a, b, preferred_element_type=f32)


@jax.jit
def router(x, weight):
    return jax.nn.softmax(matmul(x, weight), -1)


@jax.jit
def expert(x, gate, up):
    return (jax.nn.silu(matmul(x, gate)) * matmul(x, up)).astype(bf16)


@jax.jit
def combine(total, share, x, weight):
    return total + share * matmul(x, weight)


@jax.jit
def finish(total, residual):
    return (total + residual.astype(f32)).astype(bf16)


def block(p, x):
    likely = router(x, p["router"])
    best, which = jax.lax.top_k(likely, TAKEN)
    shares = jnp.zeros_like(likely).at[jnp.arange(ROWS)[:, None], which].set(
        best / best.sum(-1, keepdims=True))
    total = jnp.zeros((ROWS, WIDTH), f32)
    for number in range(EXPERTS):
        hidden = expert(x, p["gate"][number], p["up"][number])
        total = combine(total, shares[:, number:number + 1], hidden, p["down"][number])
    return finish(total, x)


def make_arguments():
    random = np.random.default_rng(0)

    def weight(*shape):
        return jnp.asarray(random.standard_normal(shape) / shape[-2] ** 0.5, bf16)

    parameters = {"router": weight(WIDTH, EXPERTS), "gate": weight(EXPERTS, WIDTH, HIDDEN),
                  "up": weight(EXPERTS, WIDTH, HIDDEN), "down": weight(EXPERTS, HIDDEN, WIDTH)}
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
