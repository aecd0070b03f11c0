//===- TileMemoryOps.td - Views and buffers: read and write  -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_TILEMEMORYOPS_TD
#define DRAWLOOM_DIALECT_TILE_IR_TILEMEMORYOPS_TD

include "drawloom/Dialect/Tile/IR/TileOpBase.td"

//===----------------------------------------------------------------------===//
// tile.dim
//===----------------------------------------------------------------------===//

def Tile_DimOp : Tile_Op<"dim", [Pure]> {
  let summary = "the size of a view in one dimension";
  let description = [{
    ```mlir
    %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
    ```

    Folds to a constant where the view's type knows the size, and to the
    operand of a `tile.subview`.
  }];
  let arguments = (ins Tile_View:$view, I64Attr:$index);
  let results = (outs Index:$result);
  let assemblyFormat = "$view `,` $index attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// tile.subview
//===----------------------------------------------------------------------===//

def Tile_SubviewOp : Tile_Op<"subview", [
    Pure, AttrSizedOperandSegments, InferTypeOpAdaptor]> {
  let summary = "a box of a view, as a view with edges of its own";
  let description = [{
    The elements `offset .. offset + size` of each dimension. Loads from the
    result are padded, and stores to it clipped, at the box's edges and at the
    edges of the view that it was cut from. This is how one group of a grouped
    MMA is kept from reading or writing its neighbor.

    ```mlir
    %rows = tile.subview %a[%first, 0] [%count, 4096]
      : !tile.view<?x4096xbf16> -> !tile.view<?x4096xbf16>
    ```

    Sizes that are written as numbers are sizes of the result's type; the others
    are `?`. Strides are kept.
  }];
  let arguments = (ins
    Tile_View:$view,
    Variadic<Index>:$offsets,
    Variadic<Index>:$sizes,
    DenseI64ArrayAttr:$static_offsets,
    DenseI64ArrayAttr:$static_sizes);
  let results = (outs Tile_View:$result);
  let assemblyFormat = [{
    $view `` custom<DynamicIndexList>($offsets, $static_offsets)
    custom<DynamicIndexList>($sizes, $static_sizes)
    attr-dict `:` qualified(type($view)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
  }];
}

//===----------------------------------------------------------------------===//
// tile.load
//===----------------------------------------------------------------------===//

def Tile_LoadOp : Tile_Op<"load"> {
  let summary = "a tile or a scalar from a view";
  let description = [{
    Reads the box of the view that begins at the offsets (in elements, one for
    each dimension of the view) and has the result's shape.

    ```mlir
    %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    ```

    Elements outside the view are `pad`, which is zero if not given (in
    `f8E8M0FNU`, which has no zero, the number whose bits are zero: 2^-127). Zero
    is right for a sum and wrong for a maximum:

    ```mlir
    %s = tile.load %x[%m, 0] pad(0xFF800000 : f32)
      : !tile.view<?x1000xf32> -> tensor<64x1024xf32>
    ```

    **Fewer dimensions than the view.** The tile's dimensions are the last ones
    of the view; in the others it is one element thick. `dims` picks other
    dimensions, in ascending order:

    ```mlir
    // [batch, row, head, column]: rows and columns of one head
    %q = tile.load %Q[%b, %m, %h, 0] dims [1, 3]
      : !tile.view<?x?x?x64xbf16> -> tensor<128x64xbf16>
    ```

    **No dimensions at all**: the result is a scalar.

    ```mlir
    %first = tile.load %offsets[%g] : !tile.view<?xi32> -> i32
    ```

    **In a cluster.** `multicast` lists dimensions of the cluster. CTAs that
    differ only along these load the same tile, so each of them loads a part and
    hands it to all. It never changes the value. `plan-cta` adds it.

    ```mlir
    %y = tile.load %b[%n, %k] multicast [0] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
    ```

    **In a pair.** `halved` is a dimension of the tile. Two CTAs that multiply
    together load it, each the half that its MMAs read: the first CTA the
    first half. It never changes the value either.

    ```mlir
    %y = tile.load %b[%n, %k] halved 0 : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
    ```
  }];
  let arguments = (ins
    Arg<Tile_View, "the tensor to read", [MemRead]>:$view,
    Variadic<Index>:$offsets,
    DenseI64ArrayAttr:$static_offsets,
    OptionalAttr<DenseI64ArrayAttr>:$dims,
    OptionalAttr<TypedAttrInterface>:$pad,
    OptionalAttr<DenseI64ArrayAttr>:$multicast,
    OptionalAttr<I64Attr>:$halved);
  let results = (outs Tile_TileOrScalar:$result);
  let assemblyFormat = [{
    $view `` custom<DynamicIndexList>($offsets, $static_offsets)
    (`dims` $dims^)? (`pad` `(` $pad^ `)`)? (`multicast` $multicast^)?
    (`halved` $halved^)? attr-dict `:` qualified(type($view)) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$view,
                                 "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets)>];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();

    /// For each dimension of the tile, the dimension of the view. Empty for a
    /// scalar.
    ::llvm::SmallVector<int64_t> getTileDims();

    /// What elements outside the view read as.
    ::mlir::TypedAttr getPadOrZero();

    /// The pad of a load that gives none: the number whose bits are zero.
    static ::mlir::TypedAttr getDefaultPad(::mlir::Type elementType);
  }];
}

//===----------------------------------------------------------------------===//
// tile.store
//===----------------------------------------------------------------------===//

def Tile_StoreOp : Tile_Op<"store"> {
  let summary = "a tile or a scalar to a view";
  let description = [{
    Writes the tile to the box of the view that begins at the offsets. Elements
    that fall outside the view are dropped. `dims` is as in `tile.load`.

    ```mlir
    tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
    tile.store %amax, %amaxes[%tile] : f32, !tile.view<?xf32>
    ```
  }];
  let arguments = (ins
    Tile_TileOrScalar:$value,
    Arg<Tile_View, "the tensor to write", [MemWrite]>:$view,
    Variadic<Index>:$offsets,
    DenseI64ArrayAttr:$static_offsets,
    OptionalAttr<DenseI64ArrayAttr>:$dims);
  let assemblyFormat = [{
    $value `,` $view `` custom<DynamicIndexList>($offsets, $static_offsets)
    (`dims` $dims^)? attr-dict `:` type($value) `,` qualified(type($view))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$view,
                                 "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets)>];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();

    /// For each dimension of the tile, the dimension of the view. Empty for a
    /// scalar.
    ::llvm::SmallVector<int64_t> getTileDims();
  }];
}

//===----------------------------------------------------------------------===//
// tile.alloc
//===----------------------------------------------------------------------===//

def Tile_AllocOp : Tile_Op<"alloc"> {
  let summary = "room in shared or tensor memory";
  let description = [{
    Reserves a buffer. Its content is undefined until it is written. It lives
    until its last use; there is no operation that frees it.

    ```mlir
    %0 = tile.alloc : !tile.buffer<128x64xbf16, smem>
    %1 = tile.alloc at(16384) : !tile.buffer<128x64xbf16, smem>
    ```

    `at` is where it begins, once it is placed: bytes from the start of the
    CTA's shared memory. Buffers of tensor memory have none: what they are
    allocated in has an address that is known at run time only.
  }];
  let arguments = (ins
    OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$at);
  let results = (outs Res<Tile_Buffer, "", [MemAlloc]>:$result);
  let assemblyFormat = "(`at` `(` $at^ `)`)? attr-dict `:` qualified(type($result))";
}

//===----------------------------------------------------------------------===//
// tile.transpose_view
//===----------------------------------------------------------------------===//

def Tile_TransposeViewOp : Tile_Op<"transpose_view", [Pure]> {
  let summary = "the transpose of a buffer, where it is";
  let description = [{
    The same memory with rows and columns exchanged. Nothing moves: an MMA
    reads it by another descriptor, a thread by other offsets.

    ```mlir
    %1 = tile.transpose_view %0 : !tile.buffer<64x128xbf16, smem, #tile.panels<128x2, swizzle 16>>
      -> !tile.buffer<128x64xbf16, smem, #tile.panels<128x2, swizzle 16, transposed>>
    ```

    | message | why |
    |---|---|
    | makes a '...' of a '...'; it exchanges rows and columns of a buffer in panels | |
  }];
  let arguments = (ins Tile_Buffer:$source);
  let results = (outs Tile_Buffer:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let builders = [OpBuilder<(ins "::mlir::Value":$source)>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The type of the transpose; null if it has no panels of two dimensions.
    static BufferType getTransposed(BufferType type);
  }];
}

//===----------------------------------------------------------------------===//
// tile.read
//===----------------------------------------------------------------------===//

def Tile_ReadOp : Tile_Op<"read"> {
  let summary = "a tile from a buffer";
  let description = [{
    Reads the part of the buffer that begins at the offsets and has the result's
    shape. It must lie inside the buffer: buffers have no edges to pad.

    ```mlir
    %x = tile.read %0[0, %j] : !tile.buffer<128x256xf32, tmem> -> tensor<128x64xf32>
    ```
  }];
  let arguments = (ins
    Arg<Tile_Buffer, "the buffer to read", [MemRead]>:$buffer,
    Variadic<Index>:$offsets,
    DenseI64ArrayAttr:$static_offsets);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $buffer `` custom<DynamicIndexList>($offsets, $static_offsets)
    attr-dict `:` qualified(type($buffer)) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
  }];
}

//===----------------------------------------------------------------------===//
// tile.write
//===----------------------------------------------------------------------===//

def Tile_WriteOp : Tile_Op<"write"> {
  let summary = "a tile to a buffer";
  let description = [{
    Writes the tile to the part of the buffer that begins at the offsets. It
    must lie inside the buffer.

    ```mlir
    tile.write %x, %0[0, 64] : tensor<128x64xbf16>, !tile.buffer<128x256xbf16, smem>
    ```
  }];
  let arguments = (ins
    Tile_Tile:$value,
    Arg<Tile_Buffer, "the buffer to write", [MemWrite]>:$buffer,
    Variadic<Index>:$offsets,
    DenseI64ArrayAttr:$static_offsets);
  let assemblyFormat = [{
    $value `,` $buffer `` custom<DynamicIndexList>($offsets, $static_offsets)
    attr-dict `:` type($value) `,` qualified(type($buffer))
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
  }];
}

#endif // DRAWLOOM_DIALECT_TILE_IR_TILEMEMORYOPS_TD
