# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program in which each value is the sum of the one before with itself."""
import sys

count = int(sys.argv[1])
print("func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
      "%0 = arith.addf %x, %x : tensor<4x4xf32>")
for i in range(count):
    print(f"%{i + 1} = arith.addf %{i}, %{i} : tensor<4x4xf32>")
print(f"return %{count} : tensor<4x4xf32>\n}}")
