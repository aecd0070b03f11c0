# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tl.rand is Philox with ten rounds: the same numbers as this Philox in numpy."""
import numpy as np
import triton
import triton.language as tl

from host import empty, expect, normal


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, tl.load(x + i, i < n) * 2.0, 0.0), i < n)


def philox(seed, counters):
    """The first of four words for each counter (Salmon et al., SC 2011)."""
    word = np.uint64(0xffffffff)
    c = [counters.astype(np.uint64)] + [np.zeros_like(counters, np.uint64)] * 3
    key = [np.uint64(seed & 0xffffffff), np.uint64(seed >> 32)]
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [b >> np.uint64(32) ^ c[1] ^ key[0], b & word,
             a >> np.uint64(32) ^ c[3] ^ key[1], a & word]
        key = [key[0] + np.uint64(0x9E3779B9) & word,
               key[1] + np.uint64(0xBB67AE85) & word]
    return c[0].astype(np.uint32)


n, seed, p = 3000, 123456, 0.5
x, out = normal(n), empty(n)
dropout[(triton.cdiv(n, 512),)](x, out, n, p, seed, BLOCK=512)
# Triton makes a number in [0, 1) of the word as a signed one.
drawn = philox(seed, np.arange(n)).view(np.int32).astype(np.int64)
uniform = np.where(drawn < 0, -drawn - 1, drawn) * 4.6566127342e-10
assert 1400 < (uniform > p).sum() < 1600
expect("dropout", out, np.where(uniform > p, x * 2.0, 0))
