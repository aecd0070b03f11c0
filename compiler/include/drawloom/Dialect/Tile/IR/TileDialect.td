//===- TileDialect.td - The tile dialect ----------------- -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_TILEDIALECT_TD
#define DRAWLOOM_DIALECT_TILE_IR_TILEDIALECT_TD

include "mlir/IR/DialectBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::drawloom::tile";
  let summary = "Tile programs: what a kernel computes, without memory or threads";
  let description = [{
    A tile program says what a fused kernel computes, one output tile at a time.
    It has value semantics: tiles are `tensor`s of static shape, and `arith`,
    `math`, `scf` and `tensor.splat` work on them as they are. It names no
    thread, no barrier and no staging buffer. This dialect adds only what
    upstream has no word for:

    | what | operations |
    |---|---|
    | the kernel and its work tiles | `tile.kernel`, `tile.for_each`, `tile.return` |
    | tensors in global memory | `!tile.view`, `tile.dim`, `tile.subview`, `tile.load`, `tile.store` |
    | matrix products and reductions | `tile.mma`, `tile.reduce` |
    | across work tiles | `tile.all_gather` |
    | shapes of tiles | `tile.broadcast`, `tile.expand_dims`, `tile.transpose`, `tile.extract_slice`, `tile.iota` |
    | how the kernel shall be planned | `tile.target`, `#tile.schedule` |
    | what later passes insert | `#tile.layout`, `tile.convert_layout`, `!tile.buffer`, `tile.alloc`, `tile.read`, `tile.write` |

    A matrix product, whole:

    ```mlir
    tile.kernel @gemm(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,
                      %d: !tile.view<?x?xf32>) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant dense<0.0> : tensor<128x256xf32>
      %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
      tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xf32> {
        %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<128x256xf32> {
          %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
          %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
          scf.yield %t : tensor<128x256xf32>
        }
        tile.store %acc, %d[%m, %n] : tensor<128x256xf32>, !tile.view<?x?xf32>
      }
    }
    ```

    Rules that hold for every program:

    - A tile has rank one or more, and every size is known and not zero. What
      would have rank zero is a scalar of the element type.
    - Views that are arguments of one kernel do not overlap, unless nothing is
      stored to any of them.
    - Work tiles may run in any order and at the same time. So what one work
      tile stores, no other work tile of the same kernel stores or loads.
    - Edges are no special case: loads fill what lies outside a view with a pad
      value, stores drop it.

    Attributes that a kernel, or a function that becomes one, may carry:

    | attribute | where | what |
    |---|---|---|
    | `tile.target` | kernel | the architecture, such as `"sm_100a"` |
    | `tile.schedule` | kernel | a `#tile.schedule` |
    | `tile.reasons` | kernel | why the schedule is what it is: strings, written by `choose-schedule` |
    | `tile.name` | argument, result | its name in pipes and messages, where the text has none |

    The arguments of a `tile.kernel` keep the names that they have in the text:
    pipes and messages use them.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect",
  ];
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

#endif // DRAWLOOM_DIALECT_TILE_IR_TILEDIALECT_TD
