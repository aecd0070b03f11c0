# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl

from bounded import softmax
from host import empty, exact, expect, normal


@triton.jit
def softmax_rows(x, out, rows, columns, BLOCK: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=2):
        i = tl.arange(0, BLOCK)
        values = tl.load(x + row * columns + i, i < columns, -float("inf"))
        values = tl.exp(values - tl.max(values, 0))
        tl.store(out + row * columns + i, values / tl.sum(values, 0), i < columns)


x = normal(37, 781)
out = empty(x.shape)
softmax_rows[(8,)](x, out, *x.shape, BLOCK=triton.next_power_of_2(x.shape[1]))
expect("softmax", out, softmax(exact(x)))
