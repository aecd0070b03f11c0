//===- TileKernelOps.td - Kernels and their work tiles --- -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_TILEKERNELOPS_TD
#define DRAWLOOM_DIALECT_TILE_IR_TILEKERNELOPS_TD

include "drawloom/Dialect/Tile/IR/TileOpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"

//===----------------------------------------------------------------------===//
// tile.kernel
//===----------------------------------------------------------------------===//

def Tile_KernelOp : Tile_Op<"kernel", [
    FunctionOpInterface, IsolatedFromAbove,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "a tile program";
  let description = [{
    What one launch computes. Arguments are views and scalars; results leave
    through `tile.store`. A kernel holds at most one outermost `tile.for_each`,
    the stream of its work tiles. A kernel without one is a single work tile.

    ```mlir
    tile.kernel @scale(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>, %alpha: f32) {
      %a = tensor.splat %alpha : tensor<1024xf32>
      tile.for_each (%i) tiles [1024] of %x : !tile.view<?xf32> {
        %0 = tile.load %x[%i] : !tile.view<?xf32> -> tensor<1024xf32>
        %1 = arith.mulf %0, %a : tensor<1024xf32>
        tile.store %1, %y[%i] : tensor<1024xf32>, !tile.view<?xf32>
      }
    }
    ```

    Arguments keep the names that they have in the text (as the name in their
    location), because the names of pipes come from them. `tile.target` and
    `tile.schedule` say how the kernel shall be planned.

    A block that holds a `tile.for_each` may hold scalar loads and operations
    without side effects besides, but nothing that writes: it belongs to no work
    tile, so every role that takes one repeats it.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
                                 "::mlir::TypeRange":$argumentTypes)>];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    // FunctionOpInterface. A kernel always has a body and never a result.
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::LogicalResult verifyType();

    /// The stream of work tiles; null if the kernel is a single item.
    ForEachOp getForEach();
  }];
}

//===----------------------------------------------------------------------===//
// tile.for_each
//===----------------------------------------------------------------------===//

def Tile_ForEachOp : Tile_Op<"for_each", [
    AttrSizedOperandSegments, RecursiveMemoryEffects,
    ParentOneOf<["KernelOp", "ForEachOp"]>,
    SingleBlockImplicitTerminator<"ReturnOp">,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, ["getLoopInductionVars"]>]> {
  let summary = "the work tiles of a kernel";
  let description = [{
    Cuts an index space into tiles and runs the body once for each: a work tile.
    The body's arguments are the offsets, in elements, of the item's first
    element, so they are multiples of the tile's sizes. The last item of a
    dimension may reach past the end. A dimension of size zero gives no items.

    The space is a view's shape, or explicit extents:

    ```mlir
    tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xbf16> { ... }
    tile.for_each (%b, %m, %n) tiles [1, 128, 256] of [%B, %M, %N] { ... }
    ```

    Items are independent: they may run in any order and at the same time.

    **Nested.** When the extents differ from group to group, a `for_each` over
    the groups holds one over the tiles of a group. Between the two there are
    only scalar loads and operations without side effects. Together they are one
    stream of items, (group, m, n), and a persistent kernel takes items from all
    groups:

    ```mlir
    tile.for_each (%g) tiles [1] of [%groups] {
      %g1 = arith.addi %g, %c1 : index
      %first = tile.load %offsets[%g] : !tile.view<?xi32> -> i32
      %last = tile.load %offsets[%g1] : !tile.view<?xi32> -> i32
      %count = arith.subi %last, %first : i32
      %rows = arith.index_cast %count : i32 to index
      tile.for_each (%m, %n) tiles [128, 256] of [%rows, %N] {
        ...
      }
    }
    ```
  }];
  let arguments = (ins
    Optional<Tile_View>:$view,
    Variadic<Index>:$extents,
    DenseI64ArrayAttr:$tiles);
  let regions = (region SizedRegion<1>:$body);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$view, "::llvm::ArrayRef<int64_t>":$tiles)>,
    OpBuilder<(ins "::mlir::ValueRange":$extents, "::llvm::ArrayRef<int64_t>":$tiles)>];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Number of dimensions of the index space.
    int64_t getRank() { return getTiles().size(); }

    /// The offsets of the work tile.
    ::mlir::Block::BlockArgListType getOffsets() { return getBody().getArguments(); }

    /// The for_each directly inside this one; null if there is none.
    ForEachOp getNested();
  }];
}

//===----------------------------------------------------------------------===//
// tile.return
//===----------------------------------------------------------------------===//

def Tile_ReturnOp : Tile_Op<"return", [
    Pure, ReturnLike, Terminator, ParentOneOf<["KernelOp", "ForEachOp"]>]> {
  let summary = "the end of a kernel or of a work tile";
  let description = [{
    Ends the body of a `tile.kernel` or `tile.for_each`. It has no operands, and
    is left out of the text.
  }];
  let assemblyFormat = "attr-dict";
}

#endif // DRAWLOOM_DIALECT_TILE_IR_TILEKERNELOPS_TD
