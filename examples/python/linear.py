# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A matmul with an epilogue, from the formula to a compared result."""
import ml_dtypes
import numpy as np

import drawloom


@drawloom.fuse("sm_100a")
def linear(a: "bf16[M, K]", b: "bf16[N, K]", bias: "f32[N]"):
    return drawloom.relu(a @ b.T + bias)


random, K = np.random.default_rng(0), 208
a, b = (random.normal(size=(n, K)).astype(ml_dtypes.bfloat16) for n in (200, 136))
bias = random.normal(size=136).astype(np.float32)
out = linear(a, b, bias)

# Products of bf16 are exact in f32. Each of the K + 1 sums loses at most one unit in the
# last place of f32 of what the absolute values add up to.
a, b = a.astype(np.float64), b.astype(np.float64)
bound = (K + 1) * 2.0**-23 * (abs(a) @ abs(b).T + abs(bias))
assert (abs(out - np.maximum(a @ b.T + bias, 0)) <= bound).all()
print("right")
