# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that have a type and no data, to compile with. Sizes are symbols: they
become known at launch."""

import cutlass.cute as cute
from cutlass.cute.runtime import make_fake_compact_tensor

ALIGNMENT = 16


def rows():
    return cute.sym_int()


def columns(dtype):
    """A number of columns whose rows are multiples of 16 bytes."""
    return cute.sym_int(divisibility=ALIGNMENT * 8 // dtype.width)


def matrix(dtype, rows, columns):
    """Row after row."""
    return make_fake_compact_tensor(dtype, (rows, columns), stride_order=(1, 0),
                                    assumed_align=ALIGNMENT)


def vector(dtype, size):
    return make_fake_compact_tensor(dtype, (size,), assumed_align=ALIGNMENT)
