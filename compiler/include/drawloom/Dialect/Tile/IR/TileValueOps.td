//===- TileValueOps.td - MMAs, reductions, shapes ---- -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_TILEVALUEOPS_TD
#define DRAWLOOM_DIALECT_TILE_IR_TILEVALUEOPS_TD

include "drawloom/Dialect/Tile/IR/TileInterfaces.td"
include "drawloom/Dialect/Tile/IR/TileOpBase.td"

//===----------------------------------------------------------------------===//
// tile.mma
//===----------------------------------------------------------------------===//

def Tile_MmaOp : Tile_ValueOp<"mma", [
    AttrSizedOperandSegments, AllTypesMatch<["acc", "result"]>]> {
  let summary = "a matrix product added to an accumulator";
  let description = [{
    `result[m, n] = acc[m, n] + sum over k of a[m, k] * b[n, k]`

    `a` is M by K and `b` is N by K: the summed dimension is the last one of
    both. MMAs are exact and added in the accumulator's type, in no
    particular order.

    ```mlir
    %t = tile.mma %x, %y, %s
      : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
    ```

    An operand that is stored the other way round is transposed first; a later
    pass turns the transpose into a bit of the instruction's descriptor:

    ```mlir
    %v = tile.load %V[%j, 0] : !tile.view<?x128xbf16> -> tensor<64x128xbf16>
    %w = tile.transpose %v [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %o = tile.mma %p, %w, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    ```

    | element types of `a`, `b` | accumulator | |
    |---|---|---|
    | `f16` | `f32`, `f16` | both the same |
    | `bf16` | `f32` | both the same |
    | `f32` with the word `tf32` | `f32` | the 13 low bits of the mantissa are dropped |
    | `f8E4M3FN`, `f8E5M2`, `f6E2M3FN`, `f6E3M2FN`, `f4E2M1FN` | `f32`, `f16` | may be mixed |
    | `i8` | `i32` | signed; the sum wraps |

    **TF32.** Tensor cores read `f32` operands as TF32. That loses bits, so the
    program says it:

    ```mlir
    %t = tile.mma %x, %y, %s tf32
      : tensor<128x32xf32>, tensor<128x32xf32> -> tensor<128x128xf32>
    ```

    **Differences.** With the word `negated`, the MMAs are subtracted:
    `acc - sum`. An operand that is negated first comes to the same, and
    canonical forms say it with the word: tensor cores have a bit for it, and the
    operand stays what was loaded. Floats without block scales have it.

    ```mlir
    %t = tile.mma %x, %y, %s negated
      : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
    ```

    **Pairs.** With the word `pair`, two CTAs of a cluster multiply together: one
    issues the MMA for both. Each has its own `a` and its own result, and
    both have the same `b`, of which each holds a half. `plan-cta` adds the word;
    it never changes the value.

    ```mlir
    %t = tile.mma %x, %y, %s pair
      : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
    ```

    **Block scales.** Each operand may come with one scale for each block of
    elements along K; the block's size is K divided by the columns of the scale
    tile. An element is multiplied by its scale before the MMA.

    | name | elements | scales | block | accumulator |
    |---|---|---|---|---|
    | mxfp8, mxfp6, mxfp4 | the 8-, 6- and 4-bit floats, may be mixed | `f8E8M0FNU` | 32 | `f32` |
    | mxfp4 in blocks of 16 | `f4E2M1FN` | `f8E8M0FNU` | 16 | `f32` |
    | nvfp4 | `f4E2M1FN` | `f8E4M3FN`, never negative | 16 | `f32` |

    ```mlir
    %t = tile.mma %x, %y, %s scales(%sx, %sy : tensor<128x4xf8E8M0FNU>, tensor<256x4xf8E8M0FNU>)
      : tensor<128x128xf8E4M3FN>, tensor<256x128xf8E4M3FN> -> tensor<128x256xf32>
    ```
  }];
  let arguments = (ins
    Tile_Tile:$a,
    Tile_Tile:$b,
    Tile_Tile:$acc,
    Optional<Tile_Tile>:$a_scale,
    Optional<Tile_Tile>:$b_scale,
    UnitAttr:$tf32,
    UnitAttr:$negated,
    UnitAttr:$pair);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`tf32` $tf32^)? (`negated` $negated^)? (`pair` $pair^)?
    (`scales` `(` $a_scale^ `,` $b_scale `:` type($a_scale) `,` type($b_scale) `)`)?
    attr-dict `:` type($a) `,` type($b) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$acc)>];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    int64_t getM() { return getA().getType().getDimSize(0); }
    int64_t getN() { return getB().getType().getDimSize(0); }
    int64_t getK() { return getA().getType().getDimSize(1); }

    /// Elements along K that share a scale; zero without scales.
    int64_t getScaleBlock();
  }];
}

//===----------------------------------------------------------------------===//
// tile.reduce
//===----------------------------------------------------------------------===//

def Tile_ReduceOp : Tile_ValueOp<"reduce", [
    InferTypeOpAdaptorWithIsCompatible,
    DeclareOpInterfaceMethods<Tile_AxisOpInterface,
                              ["getCombined", "countExchanged"]>]> {
  let summary = "combines the elements along one dimension";
  let description = [{
    Combines the elements along `axis` with an `arith` operation, in no
    particular order. The result has one dimension less; reducing a tile of rank
    one gives a scalar.

    ```mlir
    %max = tile.reduce maximumf %s axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %sum = tile.reduce addf %v axis 0 : tensor<128xf32> -> f32
    ```
  }];
  let arguments = (ins Tile_ReductionAttr:$kind, Tile_Tile:$source, I64Attr:$axis);
  let results = (outs Tile_TileOrScalar:$result);
  let assemblyFormat = [{
    custom<ReductionKind>($kind) $source `axis` $axis attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The value that changes nothing when it is combined with an element: what
    /// to pad with. Null if the kind does not fit the element type, or the type
    /// has no such value (`f8E8M0FNU` has no zero).
    static ::mlir::TypedAttr getIdentity(Reduction kind, ::mlir::Type elementType);
  }];
}

//===----------------------------------------------------------------------===//
// tile.scan
//===----------------------------------------------------------------------===//

def Tile_ScanOp : Tile_ValueOp<"scan", [
    SameOperandsAndResultType,
    DeclareOpInterfaceMethods<Tile_AxisOpInterface,
                              ["getCombined", "countExchanged"]>]> {
  let summary = "combines each element with those before it";
  let description = [{
    An inclusive scan along `axis`: each element of the result is what its own
    and those before it come to, combined with an `arith` operation in no
    particular order. `addf` and `addi` are cumulative sums.

    ```mlir
    %sums = tile.scan addf %x axis 1 : tensor<64x256xf32>
    %peak = tile.scan maximumf %v axis 0 : tensor<128xf32>
    ```

    All elements along the axis are in the tile. Along a longer one a loop
    carries what the tiles before come to.
  }];
  let arguments = (ins Tile_ReductionAttr:$kind, Tile_Tile:$source, I64Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    custom<ReductionKind>($kind) $source `axis` $axis attr-dict
    `:` type($source)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// tile.all_gather
//===----------------------------------------------------------------------===//

def Tile_AllGatherOp : Tile_ValueOp<"all_gather"> {
  let summary = "what neighboring work tiles have";
  let description = [{
    The CTAs of a cluster along dimension `along` take as many neighboring work
    tiles. Each gives a vector and gets those of all of them, its own among
    them, in the order of their places. So what each computes from them is the
    same, to the bit:

    ```mlir
    %part = tile.reduce addf %x axis 1 : tensor<8x512xf32> -> tensor<8xf32>
    %all:2 = tile.all_gather %part along 1 : tensor<8xf32> -> 2
    %sum = arith.addf %all#0, %all#1 : tensor<8xf32>
    ```

    With several operands, as many as there are work tiles, each gives its r-th to
    the r-th of them:

    ```mlir
    %mine:2 = tile.all_gather %left, %right along 2 : tensor<128x64xf32> -> 2
    ```

    The items must do the same steps: all of them come here equally often. Their
    number along the dimension is a multiple of those that gather.
    `divide-tiles` makes it where a cluster divides the rows of a tile, or the
    steps of a sum of MMAs.

    | message | why |
    |---|---|
    | gathers 'tensor<8x1xf32>'; what is broadcast must be a vector | |
    | has 3 operands for 2 CTAs; pass 1 (broadcast) or 2 (one per CTA) | |
    | has along -1: a cluster has the dimensions 0 to 2 | |
    | gathers from 1 CTAs; there must be two or more | |
    | gives 'tensor<4xf32>' for a part of 'tensor<8xf32>' | |
    | a cluster has no 17 CTAs | |
  }];
  let arguments = (ins Variadic<Tile_Tile>:$given, I64Attr:$along);
  let results = (outs Variadic<Tile_Tile>:$parts);
  let extraClassDeclaration = [{
    /// Of each part.
    mlir::RankedTensorType getPartType() {
      return llvm::cast<mlir::RankedTensorType>(getGiven().front().getType());
    }
    /// What this one gives to the work tile at a place.
    mlir::Value getGivenTo(unsigned place) {
      return getGiven()[getGiven().size() == 1 ? 0 : place];
    }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// tile.broadcast
//===----------------------------------------------------------------------===//

def Tile_BroadcastOp : Tile_ValueOp<"broadcast"> {
  let summary = "repeats a tile along its dimensions of size one";
  let description = [{
    The ranks are equal. A dimension keeps its size, or goes from one to any.

    ```mlir
    %1 = tile.broadcast %0 : tensor<1x256xf32> -> tensor<128x256xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// tile.expand_dims
//===----------------------------------------------------------------------===//

def Tile_ExpandDimsOp : Tile_ValueOp<"expand_dims", [InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "inserts a dimension of size one";
  let description = [{
    `axis` is the new dimension's place in the result.

    ```mlir
    %1 = tile.expand_dims %0 axis 0 : tensor<256xf32> -> tensor<1x256xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, I64Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source `axis` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// tile.transpose
//===----------------------------------------------------------------------===//

def Tile_TransposeOp : Tile_ValueOp<"transpose", [InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "permutes the dimensions of a tile";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the source.

    ```mlir
    %1 = tile.transpose %0 [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source $permutation attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// tile.extract_slice
//===----------------------------------------------------------------------===//

def Tile_ExtractSliceOp : Tile_ValueOp<"extract_slice"> {
  let summary = "a part of a tile";
  let description = [{
    The part that begins at the offsets and has the result's shape. Offsets are
    numbers: a tile is in registers, and those cannot be indexed at run time.

    ```mlir
    %1 = tile.extract_slice %0 [0, 64] : tensor<128x256xf32> -> tensor<128x64xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, DenseI64ArrayAttr:$offsets);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source $offsets attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// tile.iota
//===----------------------------------------------------------------------===//

def Tile_IotaOp : Tile_ValueOp<"iota"> {
  let summary = "the numbers 0, 1, 2, ...";
  let description = [{
    Element `i` is `i`. Masks are made of it: which elements of a tile lie past
    an edge, or above the diagonal.

    ```mlir
    %columns = tile.iota : tensor<64xi32>
    ```
  }];
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// tile.convert_layout
//===----------------------------------------------------------------------===//

def Tile_ConvertLayoutOp : Tile_ValueOp<"convert_layout"> {
  let summary = "the same tile, in other places";
  let description = [{
    Changes where the elements are and nothing else. A tile without a layout may
    be anywhere.

    ```mlir
    %1 = tile.convert_layout %0 : tensor<128x64xf32, #a> -> tensor<128x64xf32, #b>
    ```
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

#endif // DRAWLOOM_DIALECT_TILE_IR_TILEVALUEOPS_TD
