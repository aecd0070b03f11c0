# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that is wrong: every work tile stores its tile to the same place. It
compiles and runs, and whose tile stays there is chance. The checker says so."""
import numpy as np

import drawloom

PROGRAM = """
tile.kernel @last_one_wins(%x: !tile.view<?x?xf32>, %y: !tile.view<64x64xf32>) {
  %c0 = arith.constant 0 : index
  tile.for_each (%m, %n) tiles [64, 64] of %x : !tile.view<?x?xf32> {
    %t = tile.load %x[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    tile.store %t, %y[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  }
}
"""

kernel = drawloom.compile(PROGRAM, arch="sm_90a")
for finding in kernel.check(np.arange(256 * 64, dtype=np.float32).reshape(256, 64)):
    print(finding)
    print(f"  {finding.first['instruction']}, PTX line {finding.first['ptxLine']}")
