// What tile-interpret says when its arguments do not fit.

// RUN: tile-interpret %s --kernel=scale --arg=4 --arg=2.5 --out=0=%t.npy
// RUN: tile-interpret %s --kernel=scale --arg=%t.npy --arg=0x1p3
// RUN: tile-interpret %s --kernel=divide --arg=6 --arg=0x3 --shuffle=9

// RUN: not tile-interpret %s 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: the file has 2 kernels; choose one with --kernel
// RUN: not tile-interpret %s --kernel=gemm 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: the file has no kernel @gemm
// RUN: not tile-interpret %s --kernel=scale --arg=4 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error: @scale takes 2 arguments; 1 are given with --arg
// RUN: not tile-interpret %s --kernel=scale --arg=4y --arg=1 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: '4y' is neither a .npy file nor a shape such as 128x64
// RUN: not tile-interpret %s --kernel=scale --arg=99999999999x99999999999 --arg=1 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: a tensor of shape 99999999999x99999999999 is too large
// RUN: not tile-interpret %s --kernel=scale --arg=4 --arg=one 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: 'one' is no number of type f32
// RUN: not tile-interpret %s --kernel=divide --arg=1 --arg=1.5 2>&1 | FileCheck %s --check-prefix=INTEGER
// INTEGER: error: '1.5' is no number of type i32
// RUN: not tile-interpret %s --kernel=scale --arg=%t.missing.npy --arg=1 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: {{.*}}missing.npy: No such file or directory
// RUN: not tile-interpret %s --kernel=scale --arg=4 --arg=1 --out=2=%t.npy 2>&1 | FileCheck %s --check-prefix=OUT
// OUT: error: --out=2={{.*}}: expected N=file.npy, N the number of an argument from 0
// RUN: not tile-interpret %s --kernel=scale --arg=4 --arg=1 --shuffle=x 2>&1 | FileCheck %s --check-prefix=SEED
// SEED: error: --shuffle=x: expected a number
// RUN: not tile-interpret %s --kernel=scale --arg=4x4 --arg=1 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: tile-interpret.mlir:[[@LINE+7]]:1: error: argument 0 of @scale is 4x4xf32, but the kernel takes '!tile.view<?xf32>': rank 2, not 1 [interpreter]
// RANK: error: the run ended with an error
// RUN: not tile-interpret %s --kernel=divide --arg=6 --arg=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: tile-interpret.mlir:[[@LINE+13]]:8: error: division by zero
// RUN: not tile-interpret %s --kernel=divide --arg=6 --arg=1 --max-steps=2 2>&1 | FileCheck %s --check-prefix=STEPS
// STEPS: error: stopped after 2 operations

tile.kernel @scale(%x: !tile.view<?xf32>, %alpha: f32) {
  %0 = tile.load %x[0] : !tile.view<?xf32> -> tensor<4xf32>
  %1 = tensor.splat %alpha : tensor<4xf32>
  %2 = arith.mulf %0, %1 : tensor<4xf32>
  tile.store %2, %x[0] : tensor<4xf32>, !tile.view<?xf32>
}

tile.kernel @divide(%x: !tile.view<?xi32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %0 = arith.divsi %c1, %n : i32
  %1 = tensor.splat %0 : tensor<2xi32>
  tile.for_each (%i) tiles [2] of %x : !tile.view<?xi32> {
    tile.store %1, %x[%i] : tensor<2xi32>, !tile.view<?xi32>
  }
}
