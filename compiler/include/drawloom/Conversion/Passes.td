//===- Passes.td - Passes from one dialect to another ---- -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CONVERSION_PASSES_TD
#define DRAWLOOM_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertLinalgToTile : Pass<"convert-linalg-to-tile", "::mlir::ModuleOp"> {
  let summary = "linalg on tensors to tile programs";
  let description = [{
    Every function of the module that takes or gives tensors becomes a
    `tile.kernel`. Its tensors become views, its results views at the end of the
    arguments; `tile.target`, `tile.schedule` and the names (`tile.name`) stay.
    A view whose rows are known to be no multiple of 16 bytes has strides: rows
    without gaps, which threads copy, because TMA can't.

    ```mlir
    func.func @f(%a: tensor<?x?xbf16> {tile.name = "a"},            // before
                 %b: tensor<?x?xbf16> {tile.name = "b"},
                 %c: tensor<?x?xf32> {tile.name = "c"}) -> (tensor<?x?xf32> {tile.name = "d"})
        attributes {tile.schedule = #tile.schedule<tile = [128, 256, 64]>} {
      %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }

    tile.kernel @f(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,   // after
                   %c: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {...} {
      %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
      tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xf32> {
        %init = tile.load %c[%m, %n] : !tile.view<?x?xf32> -> tensor<128x256xf32>
        %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %init) -> (tensor<128x256xf32>) {
          %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          %y = tile.load %b[%k, %n] : !tile.view<?x?xbf16> -> tensor<64x256xbf16>
          %z = tile.transpose %y [1, 0] : tensor<64x256xbf16> -> tensor<256x64xbf16>
          %t = tile.mma %x, %z, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
          scf.yield %t : tensor<128x256xf32>
        }
        tile.store %acc, %d[%m, %n] : tensor<128x256xf32>, !tile.view<?x?xf32>
      }
    }
    ```

    **Work tiles and loops.** Loops of the function's operations that meet in a
    tensor are one axis. An axis that every result has and no operation reduces
    is cut into work tiles; the others are walked inside one. Operations are
    tiled and fused with upstream's `TilingInterface`, each result on its own;
    then loops over the same axis that do not need each other become one loop,
    and CSE finds what they share. A loop that adds up what depends on the
    maximum of an earlier one goes into that loop, too, if the dependence is a
    factor `exp(slope * maximum)`: what was added up is rescaled when the maximum
    grows. Quotients by a result of the earlier loop are computed behind it.

    **Tile sizes** come from the schedule: one for each dimension of the results,
    in their order, then one for each axis that is reduced. Axes along which a
    tile has one element may be left out: the batch of an MMA, all but the
    innermost of several rows, columns or summed axes, and without an MMA all
    but the last two of the largest tensors. Without `tile` in the
    schedule the planner chooses, and says why in `tile.reasons`. With the option
    `smaller`, it leaves out as many of its choices, the best first.

    **Edges.** Sizes may be dynamic; tiles are static. Where a reduction or
    MMA would see what lies past an edge, that must be its neutral element.
    Loads pad with zero, and operations on padding are folded. If that does not
    give the neutral element, the load that the tile comes from pads with it (for
    a maximum: minus infinity); if another consumer already relies on that load,
    or operations in between do not let it through (`exp`), the tile is masked
    just before the reduction.

    **MMAs.** `out + a * b`, with the operands perhaps extended, becomes
    `tile.mma`, whatever its indexing maps; MMAs of `f32` must say `{tf32}`.
    MMAs that add up in `f16` or `bf16` add up in `f32`, and the result is
    rounded once.
    Everything else is computed on whole tiles, reductions with `tile.reduce`.
    A reduction that keeps the largest or smallest number and its position, by
    one strict comparison and two `arith.select`, becomes two: the number, then
    the first position that has it.

    **Bodies.** `linalg.index` is where the tile begins, plus `tile.iota`. A
    `tensor.extract` of an argument, at indices that are the same for all
    elements, is a scalar that the work tile loads. Arguments without dimensions
    are views of one element, and a `tensor.extract_slice` of an argument is a
    `tile.subview`.

    Refused, with the words:

    | why | message |
    |---|---|
    | types | `@f: argument 0 is a 'memref<4xf32>': a kernel takes scalars and tensors of floats or signless integers ...` |
    | no result | `gives no tensor: a kernel is made of a function that returns what it computes` |
    | an argument as result | `gives as result 0 what no linalg operation computes` |
    | several blocks | `branches, and control flow is unsupported in linalg functions; choose between kernels outside, or write a tile.kernel` |
    | loops, conditions | `is control flow, which is unsupported in linalg functions; write a tile.kernel instead` |
    | other operations | `is unsupported: a kernel is made of linalg operations on tensors and of scalar arithmetic` |
    | linalg on memory | `works on memory: a kernel is made of linalg operations on tensors, before bufferization` |
    | windows, diagonals | `indexes operand 0 by affine_map<...>: convolution windows and diagonals are unsupported, each index must be a distinct loop. Apply im2col before the kernel, or write a tile.kernel` |
    | lookups, conditions in a body | `does not work on whole tiles` |
    | another combination | `reduces with a body that is no single 'arith' operation on the previous value, used once` |
    | no neutral element | `reduces numbers of type 'f8E8M0FNU', which has no neutral element for 'arith.addf' to pad with` |
    | a sum into nothing | `reads its init, which is a 'tensor.empty' without content: fill it first` |
    | MMAs of f32 | `multiplies matrices of 'f32', which tensor cores read as TF32` |
    | slices of results, with steps, of fewer dimensions | `is no box of an argument: cut arguments only, with steps of 1 and all their dimensions` |
    | a tensor constant | `holds different numbers: pass the tensor as an argument` |
    | a dimension chosen at run time | `asks for a dimension that is not a constant from 0 to 1` |
    | a size from nowhere | `has a loop d1 whose size can't be inferred from any operand or result; make it static, or add an operand that has it` |
    | a tensor and its transpose | `brings two dimensions of one tensor together` |
    | unrelated results | `gives a result that has no dimension in common with the other results` |
    | tile sizes | `has a schedule with 2 tile sizes, but 3 axes to tile` |
    | | `has a schedule with a tile of 4611686018427387904 elements along one axis` |
  }];
  let options = [
    Option<"smaller", "smaller", "int64_t", /*default=*/"0",
           "How many tiles are left out, of those that would be taken first">];
  let dependentDialects = [
    "::drawloom::tile::TileDialect",
    "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect",
  ];
}

def ConvertAgentToNVVM : Pass<"convert-agent-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "placed roles and pipes to kernels in nvvm";
  let description = [{
    Every `tile.kernel` whose roles and pipes are placed becomes an `llvm.func`
    with `nvvm.kernel`. docs/CodeGeneration.md says how.

    ```mlir
    agent.wait %empty parity(%phase)                                          // before
    scf.if %elected {
      agent.expect %full bytes(%c16384)
      agent.load %a[%m, %k] dims [0, 1] pad(0.0 : bf16) to %slot by(tma) tells %full
        : !tile.view<?x?xbf16>, !tile.buffer<128x64xbf16, smem, #tile.panels<128x1, swizzle 16>>
    }

    scf.while : () -> () {                                                    // after
      %done = nvvm.mbarrier.try_wait %empty, %phase : !llvm.ptr<3>, i32 -> i1
      %again = arith.xori %done, %true : i1
      scf.condition(%again)
    } do {
      scf.yield
    }
    scf.if %elected {
      nvvm.mbarrier.arrive.expect_tx %full, %c16384 : !llvm.ptr<3>, i32
      nvvm.cp.async.bulk.tensor.shared.cluster.global %slot, %map, %full, box[%k, %m] : !llvm.ptr<7>, !llvm.ptr
    }
    ```

    The function's parameters are tensor maps, sizes and scalars;
    `agent.parameters` on it lists what each one is, and `agent.shared_bytes`
    the dynamic shared memory of a launch.

    It decides nothing: `lower-pipes` has written the protocol out,
    `assign-layouts` says who has which element, and `access-memory` who reads
    what where. Each operation has one pattern, which sees that operation alone.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect",
  ];
}

def HoistInvariants : Pass<"hoist-invariants", "::mlir::ModuleOp"> {
  let summary = "compute in front of a loop what is the same in all iterations";
  let description = [{
    Upstream's loop-invariant code motion, for loops in which a register more
    does no harm: those without tiles, in roles that issue copies and MMAs, and
    those with a fixed number of iterations, over the subtiles of an epilogue.

    ```mlir
    scf.for %i = %c0 to %c256 step %c64 {                           // before
      %row = llvm.xor %lane_address, %swizzle : i32
      "a store at"(%row, %i) : (i32, i32) -> ()
    }

    %row = llvm.xor %lane_address, %swizzle : i32                   // after
    scf.for %i = %c0 to %c256 step %c64 {
      "a store at"(%row, %i) : (i32, i32) -> ()
    }
    ```

    Runs where tensor memory holds the accumulators. Those of wgmma are in
    registers, and leave none for addresses.
  }];
}

def PlacePragmas : Pass<"place-pragmas", "::mlir::ModuleOp"> {
  let summary = "what a schedule tells ptxas, where ptxas reads it";
  let description = [{
    ptxas takes hints from `.pragma` directives: for a function where it begins,
    or for the next instruction. A schedule gives their texts (`pragmas`), and
    the kernel's function still has that part of it when it comes here. `entry`
    stands before its first instruction, `sync` before everything that orders
    memory for others: fences, arrivals, commits, and the barriers of a cluster.

    ```mlir
    llvm.func @k(%barrier: !llvm.ptr<3>) attributes {nvvm.kernel,            // before
        tile.schedule = #tile.schedule<pragmas = {entry = "nounroll", sync = "a hint"}>} {
      nvvm.mbarrier.arrive %barrier : !llvm.ptr<3>
      llvm.return
    }

    llvm.func @k(%barrier: !llvm.ptr<3>) attributes {nvvm.kernel} {          // after
      llvm.inline_asm has_side_effects ".pragma \"nounroll\";", "" : () -> ()
      llvm.inline_asm has_side_effects ".pragma \"a hint\";", "" : () -> ()
      nvvm.mbarrier.arrive %barrier : !llvm.ptr<3>
      llvm.return
    }
    ```

    It runs when these operations have their final form: some are inline assembly
    by then, which gets the pragma as a line of its own before the instruction.
    Nothing after it moves what has side effects. Which texts mean something is ptxas's affair: what
    it says about them is a remark. No schedule has pragmas unless a program
    says so.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // DRAWLOOM_CONVERSION_PASSES_TD
