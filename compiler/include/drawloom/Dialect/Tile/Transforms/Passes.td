//===- Passes.td - Passes over the 'tile' dialect ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define DRAWLOOM_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseSchedule : Pass<"choose-schedule", "tile::KernelOp"> {
  let summary = "fill in what the schedule leaves open, and say why";
  let description = [{
    Completes the `tile.schedule` of a kernel from the table of its
    `tile.target`, as far as roles and pipes are made from it; slots come later
    (`size-pipes`). What the user gave is kept as it is, or refused. Every choice
    leaves a sentence with its arithmetic in `tile.reasons`.

    ```mlir
    tile.kernel @linear(%a: ..., %b: ..., %bias: ..., %d: ...)      // before
        attributes {tile.target = "sm_100a"} { ... }

    tile.kernel @linear(%a: ..., %b: ..., %bias: ..., %d: ...)      // after
        attributes {
          tile.reasons = [
            "epilogue_tile: the epilogue moves in subtiles of 64 columns", ...],
          tile.schedule = #tile.schedule<
            persistent = static, roles = multi, fallback = error,
            cluster = [1, 1, 1], warps = 4, epilogue_tile = 64>,
          tile.target = "sm_100a"} { ... }
    ```

    | field | rule |
    |---|---|
    | `cluster`, `cta_group` | one CTA. With `cluster = auto` two, along the dimension of the work tiles that saves most, if each then loads a quarter less for a K tile; as a pair where there is code for it |
    | `warps` | the fewest warp groups whose registers hold the accumulators (where registers hold them) and the tiles that loops carry |
    | `epilogue_tile` | rows of 128 bytes; of 64 or 32 with `narrower`, which `fit-plans` asks for where the loops would get fewer than four slots otherwise |

    Refused, with the words:

    | why | message |
    |---|---|
    | no target | `has no target to plan for: give drawloom '--arch sm_100a', or add 'attributes {tile.target = "sm_100a"}'` |
    | a tile that the program does not have | `tile: [16, 32] is asked for, but the program is cut into items of 8x32 already; leave it out, or change the program` |
    | a name that is nothing | `together: unknown view 'q'` |
    | | `hints: unknown view 'q'` |
    | no such MMA | `MMA tile is M×N×K = 100×64×64, but wgmma needs M to be a multiple of 64; use M = 128` |
    | too large a cluster | `cluster: 8 × 4 = 32 CTAs, more than the 16 that sm_100a takes; use fewer` |
    | pairs that don't come out even | `cluster: 3 × 2 = 6 CTAs, and cta_group = 2 takes them by twos along the first dimension that has several; use an even number there` |
    | pairs of nothing | `cta_group = 2, but the program has no MMA; leave it out` |
    | a cluster and other roles | `cluster = [2, 1] uses TMA multicast, which needs a dedicated load role; set roles = multi` |
    | too many warps for the rows | `warps: 8 > 4: 2 warp groups of 64 rows each need 128 rows, and an MMA has 64; use 4` |
    | too few registers | `registers: with warps = 4, accumulators and loop-carried tiles need 256 registers per thread plus about 104 for the rest: 360 > 248 on sm_90a; use warps = 8` |
  }];
  let options = [
    Option<"narrower", "narrower", "int64_t", "0",
           "how many widths of subtiles to leave out, the widest first">,
    Option<"remarks", "remarks", "bool", "false",
           "report every choice as a remark at the kernel">,
  ];
}

def SwapOperands : Pass<"swap-operands", "tile::KernelOp"> {
  let summary = "MMAs with few rows and many columns compute the transpose";
  let description = [{
    An MMA has 64 or 128 rows, and 8 columns or more. Where a tile has too few
    rows, and as many columns as an MMA has rows, A and B change places.

    ```mlir
    %d = tile.mma %a, %b, %c : tensor<16x64xbf16>, tensor<128x64xbf16> -> tensor<16x128xf32>   // before

    %0 = tile.transpose %c [1, 0] : tensor<16x128xf32> -> tensor<128x16xf32>                   // after
    %1 = tile.mma %b, %a, %0 : tensor<128x64xbf16>, tensor<16x64xbf16> -> tensor<128x16xf32>
    %d = tile.transpose %1 [1, 0] : tensor<128x16xf32> -> tensor<16x128xf32>
    ```

    A loop that carries the accumulator carries it transposed. The tensor core
    then works for 128x16 elements, where rows padded to 128 would make it
    128x128. An MMA with scales stays as it is, and is refused.
  }];
}

def WidenLoads : Pass<"widen-loads", "tile::KernelOp"> {
  let summary = "load past the edge of a part of a view, where only stores would see it";
  let description = [{
    A part of a view (`tile.subview`) pads loads and clips stores at edges of its
    own. A tensor map knows the edges of an argument only, so a tile that crosses
    the edge of a part is copied by threads, element by element. Where groups
    follow one another along M, that is the last tile of every group. But the
    rows of A past a group's end make rows of D that no store writes. So they may
    hold anything:

    ```mlir
    %Ag = tile.subview %A[%begin, 0] [%rows, %K] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
    %Dg = tile.subview %D[%begin, 0] [%rows, %N] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
    ...
      %a = tile.load %Ag[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    ...
    tile.store %d, %Dg[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
    ```

    becomes, with `%K = tile.dim %A, 1`,

    ```mlir
    %first = arith.addi %begin, %m : index
    %a = tile.load %A[%first, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    ```

    A dimension of a loaded tile loses the edge of its part if each element past
    the edge reaches nothing but elements of stored tiles that are dropped:

    | operation | what becomes of row r of an operand |
    |---|---|
    | elementwise, `tile.transpose`, `tile.broadcast`, `tile.expand_dims`, `tile.reduce` along another dimension | row r of the result |
    | `tile.mma` | row r of `a`, row r of `b` (a column of the result), of their scales and of the accumulator stay apart; the summed dimension does not |
    | a loop that carries the tile | row r of what it carries |
    | `tile.store` | dropped, if the store begins at the same offset and its view has the same size |
    | anything else | is seen |

    What is seen keeps its edge: it must be the pad. So do the tiles of a view
    that the kernel writes to, which another work tile may be writing.

    A reduction along the rows of an epilogue (a column sum, a maximum) sees
    them. If they are rows of accumulators that begin with a constant, and these
    are complete in the work tile's own block, the accumulators are masked there,
    once for each work tile:

    ```mlir
    %inside = arith.cmpi slt, %positions, %limit : tensor<128xi32>
    ...
    %sum = arith.select %mask, %acc, %zero : tensor<128x128xi1>, tensor<128x128xf32>
    ```

    The mask selects, because rows of another group may be NaN. It gives what
    MMAs of padded rows give, unless the other operand has an infinity or a NaN:
    times zero these are NaN, and a masked row stays zero.

    | line in `tile.reasons` | when |
    |---|---|
    | widen-loads: tiles of 'A' reach past the edge of their part along dimension 0, in rows that no store writes | it lost the edge |
    | widen-loads: tiles of 'A' reach past the edge of their part along dimension 0, in rows that no store writes, and 'tile.reduce' gets zeros for them | accumulators were masked |
    | widen-loads: tiles of 'A' end at the edge of their part along dimension 1, because 'tile.mma' reads what lies past it | an MMA sums along it |
    | widen-loads: tiles of 'D' end at the edge of their part along dimension 0, because the kernel writes to 'D' | |
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::tensor::TensorDialect"];
}

def DivideTiles : Pass<"divide-tiles", "tile::KernelOp"> {
  let summary = "let the CTAs of a cluster divide rows that are reduced, or sums of MMAs";
  let description = [{
    A schedule may give a cluster one dimension more than the work tiles have. Its
    CTAs take an item together, and each has a part of its rows. The part becomes
    the last dimension of the items, tiles with the row's dimension get shorter,
    and what a reduction along the rows gives is gathered from all CTAs:

    ```mlir
    tile.for_each (%m) tiles [8] of [%rows] {
      %x = tile.load %X[%m, 0] : !tile.view<?x1024xf32> -> tensor<8x1024xf32>
      %s = tile.reduce addf %x axis 1 : tensor<8x1024xf32> -> tensor<8xf32>
      %c = tile.expand_dims %s axis 1 : tensor<8xf32> -> tensor<8x1xf32>
      %b = tile.broadcast %c : tensor<8x1xf32> -> tensor<8x1024xf32>
      %y = arith.divf %x, %b : tensor<8x1024xf32>
      tile.store %y, %Y[%m, 0] : tensor<8x1024xf32>, !tile.view<?x1024xf32>
    }
    ```

    becomes, with `cluster = [1, 2]`,

    ```mlir
    tile.for_each (%m, %n) tiles [8, 512] of [%rows, %c1024] {
      %x = tile.load %X[%m, %n] : !tile.view<?x1024xf32> -> tensor<8x512xf32>
      %p = tile.reduce addf %x axis 1 : tensor<8x512xf32> -> tensor<8xf32>
      %all:2 = tile.all_gather %p along 1 : tensor<8xf32> -> 2
      %s = arith.addf %all#0, %all#1 : tensor<8xf32>
      %c = tile.expand_dims %s axis 1 : tensor<8xf32> -> tensor<8x1xf32>
      %b = tile.broadcast %c : tensor<8x1xf32> -> tensor<8x512xf32>
      %y = arith.divf %x, %b : tensor<8x512xf32>
      tile.store %y, %Y[%m, %n] : tensor<8x512xf32>, !tile.view<?x1024xf32>
    }
    ```

    All CTAs combine the parts in the same order, from the first to the last, so
    all have the same bits. Where a loop does nothing with a part but add it to
    those of other iterations, the total is gathered after the loop. What all CTAs
    have, such as the sums themselves, the first one stores: the offset of the
    others lies outside the view. Where the row is one of an MMA, its parts
    are columns of accumulators, and each CTA has its own rows of B:

    ```mlir
    %b = tile.load %B[0, %k] : !tile.view<512x?xbf16> -> tensor<512x64xbf16>
    %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<512x64xbf16> -> tensor<128x512xf32>
    ```

    becomes

    ```mlir
    %b = tile.load %B[%n, %k] : !tile.view<512x?xbf16> -> tensor<256x64xbf16>
    %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
    ```

    Where no row is reduced, the CTAs take the steps of the loops that add up
    MMAs in turns. Each then has a part of the sum, hands the others their
    columns of it, and goes on with the sum of its own:

    ```mlir
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      ...
    }
    tile.store %acc, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
    ```

    becomes, with `cluster = [1, 1, 2]`,

    ```mlir
    %place = arith.divui %part, %c64 : index
    %first = arith.muli %place, %c64 : index
    %acc = scf.for %k = %c0 to %K step %c128 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %own = arith.addi %k, %first : index
      %a = tile.load %A[%m, %own] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      ...
    }
    %left = tile.extract_slice %acc [0, 0] : tensor<128x128xf32> -> tensor<128x64xf32>
    %right = tile.extract_slice %acc [0, 64] : tensor<128x128xf32> -> tensor<128x64xf32>
    %all:2 = tile.all_gather %left, %right along 2 : tensor<128x64xf32> -> 2
    %sum = arith.addf %all#0, %all#1 : tensor<128x64xf32>
    %column = arith.addi %n, %part : index
    tile.store %sum, %D[%m, %column] : tensor<128x64xf32>, !tile.view<?x?xf32>
    ```

    A kernel whose cluster has no such dimension is not changed. It comes before everything that plans: footprints follow from
    the smaller tiles.

    | message | why |
    |---|---|
    | `reduces rows of 100 elements that 8 CTAs of the cluster divide: 100 % 8 = 4; use fewer CTAs, or a larger tile` | parts are equal |
    | `works on rows that 2 CTAs of the cluster divide, and needs them whole; use 1 along dimension 1 of the cluster` | an MMA along the row, a slice, a scalar that a row is reduced to |
    | `works on rows of 512 elements, and others have 1024: the cluster divides rows of one length` | a part is the same for all tiles |
    | `adds up MMAs of 128 columns that 3 CTAs of the cluster divide: 128 % 3 = 2; use fewer CTAs, or a larger tile` | parts are equal |
    | `is in a loop whose steps 2 CTAs of the cluster divide, and is not a work tile's own; use 1 along dimension 2 of the cluster` | CTAs would meet in every iteration of the outer loop |
    | `…, and carries more than sums of MMAs from zero on; …` | only sums of MMAs can be added up later |
    | `…, and reads a tile that is not loaded along it; …` | a step beyond the last one must multiply zeros |
    | `…, and ends before the views of its operands do; …` | the same |
    | `…, and asks which one it is; …` | the number of a step may be beyond the last one |
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::tensor::TensorDialect"];
}

def ApproximateFunctions : Pass<"approximate-functions", "tile::KernelOp"> {
  let summary = "set `afn` on functions whose approximation the stored type hides";
  let description = [{
    The hardware has approximations of some functions, which are a few times
    cheaper. `convert-agent-to-nvvm` takes one where the operation has upstream's
    flag `fastmath<afn>`. This pass sets the flag as the schedule says:

    | `fast_math` | the flag is set on |
    |---|---|
    | `true` | all functions of the table below |
    | `false` | none |
    | not given | those whose error is at most a quarter ulp of all that is stored of them |

    | function | approximation | relative error |
    |---|---|---|
    | `math.tanh` | `tanh.approx` | 2^-11 |
    | `math.exp` | `ex2.approx` of x log2(e) | 2^-22 (1 + \|x\| / 2): without a range of x there is no bound, so only `fast_math = true` sets the flag |

    A flag that the program sets stays, whatever the schedule says. With

    ```mlir
    %t = math.tanh %x : tensor<128x256xf32>
    %y = arith.mulf %t, %gate : tensor<128x256xf32>
    %d = arith.truncf %y : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %d, %D[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
    ```

    the first operation becomes

    ```mlir
    %t = math.tanh %x fastmath<afn> : tensor<128x256xf32>
    ```

    A number of p bits is less than 2^p ulp, so a quarter ulp is more than
    2^-(p+2) of it: 2^-10 of bf16, 2^-13 of f16, 2^-26 of f32, 2^-6 of f8E4M3FN,
    2^-5 of f8E5M2. On the way to a store an error stays relative only in these:

    | operation | adds |
    |---|---|
    | `arith.mulf` with a factor that depends on no such function, `arith.extf`, `arith.truncf` | the rounding of the operand |
    | `arith.negf`, `tile.broadcast`, `tile.expand_dims`, `tile.transpose`, `tile.extract_slice`, `tile.convert_layout`, `tensor.extract_slice`, `tensor.splat` | nothing |
    | anything else: a sum may cancel, and an MMA, a reduction or a loop adds | no bound |

    Products that overflow or underflow f32 are not in the bound.

    | line in `tile.reasons` | when |
    |---|---|
    | fast_math: math.tanh is tanh.approx (2^-11 relative), because what is stored is off by at most 2^-10.99, and a quarter ulp of bf16 is 2^-10 | the bound is small enough |
    | fast_math: math.tanh is not tanh.approx (2^-11 relative), because what is stored would be off by at most 2^-11, and a quarter ulp of f32 is 2^-26 | it is not |
    | fast_math: math.tanh is not tanh.approx (2^-11 relative), because there is no bound for what is stored, once 'arith.addf' reads it | 1 + tanh in GELU |
    | fast_math: math.tanh is tanh.approx (2^-11 relative), because the schedule says so; there is no bound for what is stored, once 'arith.addf' reads it | `fast_math = true` |
    | fast_math: math.exp is ex2.approx of x log2(e) (2^-22 (1 + \|x\| / 2) relative), because the schedule says so | `fast_math = true` |
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def InterleaveTiles : Pass<"interleave-tiles", "tile::KernelOp"> {
  let summary = "compute several tiles of a work tile side by side";
  let description = [{
    Where an MMA in a loop reads what became of another MMA's result, the
    tensor core would have nothing to do while the values between the two are
    computed. This pass gives it a second tile to work on. The last dimension of
    a work tile grows by the factor `interleave` of the schedule, and what depends
    on it is there once for each tile:

    ```mlir
    tile.for_each (%m) tiles [128] of [%rows] {
      %q = tile.load %Q[%m, 0] : ...
      scf.for %j = %c0 to %columns step %c64 {
        %k = tile.load %K[%j, 0] : ...
        %s = tile.mma %q, %k, %zero : ...
        ...
    ```

    becomes

    ```mlir
    tile.for_each (%m) tiles [256] of [%rows] {
      %m_1 = arith.addi %m, %c128 : index
      %q = tile.load %Q[%m, 0] : ...
      %q_1 = tile.load %Q[%m_1, 0] : ...
      scf.for %j = %c0 to %columns step %c64 {
        %k = tile.load %K[%j, 0] : ...
        %s = tile.mma %q, %k, %zero : ...
        %s_1 = tile.mma %q_1, %k, %zero : ...
        ...
    ```

    The load of K does not depend on %m, so both tiles share it. A loop whose
    bounds depend on %m stays one loop for each tile, unless they do so by a
    quotient that all tiles of an item have in common: `%m / 256` above. No value
    changes.

    Where a plan with two tiles does not fit, `fit-plans` tries it with one.

    | line in `tile.reasons` | when |
    |---|---|
    | interleave: 2 tiles, so that the tensor core has work while what lies between two MMAs is computed | MMAs are chained in a loop, and results are in tensor memory |
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SliceEpilogue : Pass<"slice-epilogue", "tile::KernelOp"> {
  let summary = "compute what follows a matrix product in subtiles";
  let description = [{
    Between the result of a matrix product and the stores, a work tile computes
    on whole tiles. Whole, the inputs and outputs of an epilogue need more
    shared memory than the operands of the MMA: two slots for a residual of
    128 by 256 in bf16 are 128 KiB. This pass cuts them into parts of `columns`
    columns, the field of `tile.schedule`:

    ```mlir
    %r = tile.load %c[%m, %n] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
    %e = arith.extf %r : tensor<128x256xbf16> to tensor<128x256xf32>
    %f = arith.addf %acc, %e : tensor<128x256xf32>
    tile.store %f, %d[%m, %n] : tensor<128x256xf32>, !tile.view<?x?xf32>
    ```

    becomes

    ```mlir
    scf.for %j = %c0 to %c256 step %c64 {
      %part = tensor.extract_slice %acc[0, %j] [128, 64] [1, 1] : tensor<128x256xf32> to tensor<128x64xf32>
      %nj = arith.addi %n, %j : index
      %r = tile.load %c[%m, %nj] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %e = arith.extf %r : tensor<128x64xbf16> to tensor<128x64xf32>
      %f = arith.addf %part, %e : tensor<128x64xf32>
      tile.store %f, %d[%m, %nj] : tensor<128x64xf32>, !tile.view<?x?xf32>
    }
    ```

    Elementwise operations, broadcasts, transposes, reductions along the rows
    and loads are cut, whatever their order, with any number of MMAs and
    stores. A vector with an element for each column is loaded in parts; one with
    an element for each row is loaded once, before the loop. A reduction along
    the columns is carried by the loop, from its neutral element, and what needs
    its result follows the loop; if that is again an epilogue of the same tile,
    it gets a second loop. Results keep every bit, but for sums and products
    along the columns, which are rounded once more for each part.

    What an operation needs whole stays whole, as does what is already as narrow
    as a part. A kernel whose schedule has no `epilogue_tile` is not changed.
    Each decision is a line in `tile.reasons`:

    | line | when |
    |---|---|
    | slice-epilogue: tile.store of 'd' in 4 parts of 64 columns | it was cut |
    | slice-epilogue: tile.store of 'd' in 2 parts of 96 columns and one of 64 | the width doesn't divide the tile: what is left comes after the loop |
    | slice-epilogue: tile.store of 'd' stays whole: 'tile.extract_slice' needs a whole tile | an operation between the MMA and the store can't be cut |
    | slice-epilogue: tile.store of 'd' stays whole: 'tile.load' touches the same view | parts would come after the load |
    | slice-epilogue: tile.load of 'd' stays whole: a store to the same view follows | parts would be loaded after others are stored |
    | slice-epilogue: tile.reduce stays whole: its tile is needed whole anyway | nothing would be gained |
    | slice-epilogue: tile.reduce stays whole: its type has no neutral element | a loop could not start |
    | slice-epilogue: tile.reduce stays whole: 'scf.for' needs it before the last store | it can't move after the loop |
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "emit each decision as a remark">];
}

#endif // DRAWLOOM_DIALECT_TILE_TRANSFORMS_PASSES_TD
