# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX by hand in a kernel, device functions, tuples, and a loop of unknown length."""
import numpy as np
import triton
import triton.language as tl

from host import empty, expect, rng


@triton.jit
def count_bits(x):
    return tl.inline_asm_elementwise("popc.b32 $0, $1;", "=r,r", [x], tl.int32,
                                     is_pure=True, pack=1)


@triton.jit
def steps(start, limit):
    """Collatz: halves and triples until 1, for all lanes."""
    value, count = start, tl.zeros_like(start)
    while tl.max((value != 1).to(tl.int32), 0) > 0:
        on = value != 1
        value = tl.where(on, tl.where(value % 2 == 0, value // 2, 3 * value + 1),
                         value)
        count += on.to(tl.int32)
    return count, value


@triton.jit
def main(x, outputs, N: tl.constexpr):
    i = tl.arange(0, N)
    values = tl.load(x + i)
    count, last = steps(values, N)
    tl.store(outputs[0] + i, count_bits(values))
    tl.store(outputs[1] + i, count + last - 1)


def collatz(n):
    count = 0
    while n != 1:
        n, count = (n // 2 if n % 2 == 0 else 3 * n + 1), count + 1
    return count


x = rng.integers(1, 5000, 128, np.int32)
bits, lengths = empty(128, np.int32), empty(128, np.int32)
main[(1,)](x, (bits, lengths), 128)
expect("inline_assembly bits", bits, [bin(v).count("1") for v in x])
expect("inline_assembly loop", lengths, [collatz(int(v)) for v in x])
