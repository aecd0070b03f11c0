//===- TileTypes.td - Views and buffers ------------------ -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_TILETYPES_TD
#define DRAWLOOM_DIALECT_TILE_IR_TILETYPES_TD

include "drawloom/Dialect/Tile/IR/TileAttrs.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonTypeConstraints.td"

class Tile_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Tile_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

//===----------------------------------------------------------------------===//
// !tile.view
//===----------------------------------------------------------------------===//

def Tile_View : Tile_Type<"View", "view", [ShapedTypeInterface]> {
  let summary = "a tensor in global memory";
  let description = [{
    A tensor that the kernel's caller owns. A size that is not known when the
    kernel is compiled is `?`. The number of elements from one index to the next
    is the stride of that dimension.

    ```mlir
    !tile.view<?x4096xbf16>                       // rows of 4096, any number of them
    !tile.view<?x?xbf16, strides = [?, 1]>        // any distance between rows
    !tile.view<?x1025xbf16, strides = [1025, 1]>  // rows with no gap between them
    ```

    A view without `strides` keeps the contract that TMA asks for: neighbors in
    the last dimension are neighbors in memory, every other stride and the
    address of the first element are multiples of 16 bytes. The launch checks
    it. With `strides` only what is written holds: `?` is any number that the
    caller passes. Such a view can always be read, but perhaps not by TMA.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "sizes, or ShapedType::kDynamic">:$shape,
    "::mlir::Type":$elementType,
    OptionalArrayRefParameter<"int64_t", "strides in elements, or none">:$strides);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape,
                                        "::mlir::Type":$elementType,
                                        CArg<"::llvm::ArrayRef<int64_t>", "{}">:$strides), [{
      return $_get(elementType.getContext(), shape, elementType, strides);
    }]>];
  let extraClassDeclaration = [{
    using ::mlir::ShapedType::Trait<ViewType>::clone;
    using ::mlir::ShapedType::Trait<ViewType>::getElementTypeBitWidth;
    using ::mlir::ShapedType::Trait<ViewType>::getRank;
    using ::mlir::ShapedType::Trait<ViewType>::getNumElements;
    using ::mlir::ShapedType::Trait<ViewType>::isDynamicDim;
    using ::mlir::ShapedType::Trait<ViewType>::hasStaticShape;
    using ::mlir::ShapedType::Trait<ViewType>::getNumDynamicDims;
    using ::mlir::ShapedType::Trait<ViewType>::getDimSize;

    /// The same view with another shape or element type. Strides are kept if
    /// the rank is the same.
    ::mlir::ShapedType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
                                 ::mlir::Type elementType) const;
    bool hasRank() const { return true; }
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let skipDefaultBuilders = 1;
}

//===----------------------------------------------------------------------===//
// !tile.buffer
//===----------------------------------------------------------------------===//

def Tile_Buffer : Tile_Type<"Buffer", "buffer", [ShapedTypeInterface]> {
  let summary = "room for a tile in shared or tensor memory";
  let description = [{
    Memory of a CTA that holds one tile. Its encoding says where the elements
    are: a layout, or for shared memory the panels that copies and MMAs
    take. Without one they may be anywhere inside.

    ```mlir
    !tile.buffer<128x64xbf16, smem>
    !tile.buffer<128x64xbf16, smem, #tile.panels<128x1, swizzle 16>>
    !tile.buffer<8x8xf32, smem, <8x8, offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>>
    ```

    | message | why |
    |---|---|
    | #tile.panels applies to smem buffers, not tmem | |
    | panels<128x2>, 256 bytes, for rows of 128 | width times count is a row |
    | a buffer with the encoding 1 : i32; it is a #tile.layout or #tile.panels | |
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "sizes, all known">:$shape,
    "::mlir::Type":$elementType,
    EnumParameter<Tile_Space>:$space,
    OptionalParameter<"::mlir::Attribute">:$encoding);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape,
                                        "::mlir::Type":$elementType,
                                        "::drawloom::tile::Space":$space,
                                        CArg<"::mlir::Attribute", "{}">:$encoding), [{
      return $_get(elementType.getContext(), shape, elementType, space, encoding);
    }]>];
  let extraClassDeclaration = [{
    using ::mlir::ShapedType::Trait<BufferType>::clone;
    using ::mlir::ShapedType::Trait<BufferType>::getElementTypeBitWidth;
    using ::mlir::ShapedType::Trait<BufferType>::getRank;
    using ::mlir::ShapedType::Trait<BufferType>::getNumElements;
    using ::mlir::ShapedType::Trait<BufferType>::isDynamicDim;
    using ::mlir::ShapedType::Trait<BufferType>::hasStaticShape;
    using ::mlir::ShapedType::Trait<BufferType>::getNumDynamicDims;
    using ::mlir::ShapedType::Trait<BufferType>::getDimSize;

    /// What the encoding is; null if it is something else.
    LayoutAttr getLayout() const;
    PanelsAttr getPanels() const;
    /// The same room with another shape or element type. An encoding is for one
    /// of both, so it is dropped if they change.
    ::mlir::ShapedType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
                                 ::mlir::Type elementType) const;
    bool hasRank() const { return true; }
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let skipDefaultBuilders = 1;
}

//===----------------------------------------------------------------------===//
// Tiles and scalars
//===----------------------------------------------------------------------===//

// The rules of the dialect's page as constraints: a tile is a tensor of static
// shape with rank one or more and no empty dimension; what would have rank zero
// is a scalar.
def Tile_Element : AnyTypeOf<[AnySignlessInteger, AnyFloat, Index], "integer, float or index">;
def Tile_Tile : Type<And<[
    IsRankedTensorTypePred,
    HasStaticShapePred,
    CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessIntOrIndexOrFloat()">,
    CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() > 0">,
    CPred<"!::llvm::is_contained(::llvm::cast<::mlir::RankedTensorType>($_self).getShape(), 0)">]>,
  "tile (a tensor of numbers, of static shape, of rank one or more, not empty)",
  "::mlir::RankedTensorType">;
def Tile_TileOrScalar : AnyTypeOf<[Tile_Tile, Tile_Element], "tile or scalar">;

#endif // DRAWLOOM_DIALECT_TILE_IR_TILETYPES_TD
