//===- TileAttrs.td - Layouts, schedules and enumerations  -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_TILEATTRS_TD
#define DRAWLOOM_DIALECT_TILE_IR_TILEATTRS_TD

include "drawloom/Dialect/Tile/IR/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/TensorEncoding.td"

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// #tile.layout
//===----------------------------------------------------------------------===//

def Tile_LayoutAttr : Tile_Attr<"Layout", "layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
    OpAsmAttrInterface]> {
  let summary = "where the elements of a tile are";
  let description = [{
    Maps a place in the hardware to the element of the tile that is there. A
    place is a tuple of numbers with names: `register`, `lane` and `warp` for
    tiles in registers, `offset` (in elements) for shared memory, `lane` and
    `column` (in elements) for tensor memory; `cta` is the CTA of a cluster. The map is linear over bits: for each bit of
    each number, the lowest first, the attribute lists the coordinates that the
    bit contributes, and the contributions of all set bits are combined by XOR.
    The tile's shape comes first.

    The accumulator of a warp group as `tcgen05.ld.32x32b` delivers it, 128 rows
    by 64 columns: registers walk along a row, lanes and warps along the rows.

    ```mlir
    #acc = #tile.layout<128x64,
      register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]],
      lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]],
      warp = [[32, 0], [64, 0]]>
    ```

    Sizes that are no power of two have digits that are no bits. With 192
    columns, the 6 bits of the register number above cover 64 columns, and the
    digit above them takes 3 values, each 64 columns further:

    ```mlir
    #acc192 = #tile.layout<128x192,
      register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64] by 3],
      lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]],
      warp = [[32, 0], [64, 0]]>
    ```

    A layout is printed in normal form: digits are prime, and where the order of
    two neighbors makes no difference the smaller one comes first.

    Several places may hold the same element (a bit that contributes nothing).
    As the encoding of a tensor, or in the type of a buffer, a layout must cover
    exactly the shape, and every element must have a place. Only a layout that
    has nothing but `cta` may leave that open: it says which CTA has what, and
    the place inside the CTA comes later, as a product of the two:

    ```mlir
    #cta = #tile.layout<256x64, cta = [[128, 0]]>
    #both = #tile.layout<256x64,
      register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]],
      lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]],
      warp = [[32, 0], [64, 0]], cta = [[128, 0]]>
    ```
  }];
  let parameters = (ins
    AttrParameter<"::drawloom::tile::Layout", "the map itself",
                  "const ::drawloom::tile::Layout &">:$layout);
  let hasCustomAssemblyFormat = 1;
  let genMnemonicAlias = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// #tile.panels
//===----------------------------------------------------------------------===//

def Tile_PanelsAttr : Tile_Attr<"Panels", "panels"> {
  let summary = "how the rows of a tile lie in shared memory";
  let description = [{
    A tile in shared memory is cut along its rows into `count` panels, one after
    the other, each `width` bytes wide and as high as the tile: what bulk copies
    move, and what a matrix descriptor describes. With a `swizzle`, pieces of
    that many bytes change places inside a panel, as the hardware does for
    panels of 32, 64 and 128 bytes.

    ```mlir
    #tile.panels<128x2, swizzle 16>
    #tile.panels<48x1>
    #tile.panels<128x2, swizzle 16, transposed>
    ```

    `transposed`: what lies there in rows are the columns of the tile.

    | message | why |
    |---|---|
    | panels<0x1>: both are 1 or more | |
    | a swizzle of 8 bytes; it moves 16 or 32 at once | |
    | a swizzle of panels of 48 bytes; they are 32, 64 or 128 bytes wide | |
  }];
  let parameters = (ins
    "int64_t":$width, "int64_t":$count,
    DefaultValuedParameter<"int64_t", "0">:$swizzle,
    DefaultValuedParameter<"bool", "false">:$transposed);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// #tile.space
//===----------------------------------------------------------------------===//

def Tile_Space : I32Enum<"Space", "memory that a buffer is in", [
    I32EnumCase<"Smem", 0, "smem">,
    I32EnumCase<"Tmem", 1, "tmem">]> {
  let cppNamespace = "::drawloom::tile";
}

def Tile_SpaceAttr : EnumAttr<Tile_Dialect, Tile_Space, "space"> {
  let description = [{
    | space | what it is |
    |---|---|
    | `smem` | shared memory of the CTA |
    | `tmem` | tensor memory of a Blackwell SM: 128 lanes of 32-bit columns |
  }];
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// #tile.reduction
//===----------------------------------------------------------------------===//

def Tile_Reduction : I32Enum<"Reduction", "the `arith` operation that combines two elements", [
    I32EnumCase<"AddF", 0, "addf">,
    I32EnumCase<"MulF", 1, "mulf">,
    I32EnumCase<"MaximumF", 2, "maximumf">,
    I32EnumCase<"MinimumF", 3, "minimumf">,
    I32EnumCase<"MaxNumF", 4, "maxnumf">,
    I32EnumCase<"MinNumF", 5, "minnumf">,
    I32EnumCase<"AddI", 6, "addi">,
    I32EnumCase<"MulI", 7, "muli">,
    I32EnumCase<"MaxSI", 8, "maxsi">,
    I32EnumCase<"MinSI", 9, "minsi">,
    I32EnumCase<"MaxUI", 10, "maxui">,
    I32EnumCase<"MinUI", 11, "minui">,
    I32EnumCase<"AndI", 12, "andi">,
    I32EnumCase<"OrI", 13, "ori">,
    I32EnumCase<"XOrI", 14, "xori">]> {
  let cppNamespace = "::drawloom::tile";
}

def Tile_ReductionAttr : EnumAttr<Tile_Dialect, Tile_Reduction, "reduction"> {
  let description = [{
    The kind is named after the `arith` operation that combines two elements,
    and means what that operation means: `maximumf` carries NaN on, `maxnumf`
    prefers numbers. The identity is the value to pad with when elements past an
    edge take part. The infinities become the largest finite values in element
    types that have no infinity.

    | kind | identity |
    |---|---|
    | `addf`, `addi`, `ori`, `xori`, `maxui` | 0 |
    | `mulf`, `muli` | 1 |
    | `maximumf`, `maxnumf` | -infinity |
    | `minimumf`, `minnumf` | +infinity |
    | `maxsi` | the smallest signed number |
    | `minsi` | the largest signed number |
    | `minui`, `andi` | all bits set |
  }];
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// #tile.schedule
//===----------------------------------------------------------------------===//

def Tile_Persistence : I32Enum<"Persistence", "how a CTA gets its next work tile", [
    I32EnumCase<"Static", 0, "static">,
    I32EnumCase<"Dynamic", 1, "dynamic">,
    I32EnumCase<"None", 2, "none">]> {
  let cppNamespace = "::drawloom::tile";
}

def Tile_Roles : I32Enum<"Roles", "how a program is cut into roles", [
    I32EnumCase<"Multi", 0, "multi">,
    I32EnumCase<"Single", 1, "single">,
    I32EnumCase<"None", 2, "none">]> {
  let cppNamespace = "::drawloom::tile";
}

def Tile_Fallback : I32Enum<"Fallback", "what happens where roles are impossible", [
    I32EnumCase<"Error", 0, "error">,
    I32EnumCase<"Unspecialized", 1, "unspecialized">]> {
  let cppNamespace = "::drawloom::tile";
}

def Tile_Eviction : I32Enum<"Eviction", "how long the L2 cache keeps a line", [
    I32EnumCase<"First", 0, "evict_first">,
    I32EnumCase<"Last", 1, "evict_last">]> {
  let cppNamespace = "::drawloom::tile";
}

def Tile_ScheduleAttr : Tile_Attr<"Schedule", "schedule"> {
  let summary = "what the plan of a kernel shall look like";
  let description = [{
    How a kernel shall be planned. It never changes what the kernel computes,
    but for the approximations that `fast_math` allows.
    A kernel carries it as `tile.schedule`, next to its architecture,
    `tile.target`. Every field may be left out: `choose-schedule` fills it and
    says why in `tile.reasons`. What is given is kept, or refused.

    ```mlir
    tile.kernel @linear(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,
                        %bias: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>)
        attributes {
          tile.target = "sm_100a",
          tile.schedule = #tile.schedule<
            tile = [128, 256, 64], persistent = static, roles = multi,
            fallback = error, slots = {operands = 4, bias = 2},
            together = [[a, b]], cluster = [1, 1, 1], warps = 4, epilogue_tile = 64>} { ... }
    ```

    | field | meaning | values |
    |---|---|---|
    | `tile` | sizes of a work tile, then of the K tile; for programs that are not tiled yet | sizes |
    | `persistent` | how a CTA gets its tiles: at a fixed stride (static persistent); from cluster launch control or an atomic counter (dynamic persistent); or one only | `static`, `dynamic`, `none` |
    | `roles` | a role for each kind of work; one role that loads and one that computes; no roles | `multi`, `single`, `none` |
    | `fallback` | a program that can't have these roles is an error, or is compiled without warp specialization | `error`, `unspecialized` |
    | `slots` | slots (stages) of a pipe, by the name of the pipe or of a view that is loaded into it | 1 and more |
    | `together` | groups of views that travel in one pipe | names |
    | `cluster` | CTAs of a cluster in each dimension; or the planner chooses, by what each CTA would load | sizes, `auto` |
    | `fallback_cluster` | the cluster of a fallback kernel, `@name_fallback`, which a launch takes where the first one would leave too many CTAs without work or has no room | sizes |
    | `cta_group` | CTAs that one MMA computes for; with 2, a 2-CTA MMA (`cta_group::2`), which one CTA of a pair issues for both, on sm_100a | 1, 2 |
    | `warps` | warps of each role that computes | a multiple of 4 |
    | `epilogue_tile` | width of the subtiles in which an epilogue's inputs and outputs move | 1 and more |
    | `interleave` | tiles of the last dimension that one work tile computes interleaved, each by its own roles | 1 and more |
    | `fast_math` | functions are the hardware's approximations, or none is; not given, those are whose error is at most a quarter ulp of what is stored | `true`, `false` |
    | `hints` | how long the L2 cache keeps what TMA moves, by the name of a view: `{a = evict_first}` | `evict_first`, `evict_last` |
    | `pragmas` | pragmas for ptxas where the kernel begins (`entry`), and directly before fences, arrivals and cluster barriers (`sync`): `{entry = "nounroll"}` | texts |

    The fields are printed in this order.
  }];
  let parameters = (ins
    AttrParameter<"::drawloom::tile::Schedule", "the fields",
                  "const ::drawloom::tile::Schedule &">:$schedule);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // DRAWLOOM_DIALECT_TILE_IR_TILEATTRS_TD
