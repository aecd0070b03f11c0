// Every refusal of the dialect, with its words.
// RUN: drawloom-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// expected-error @+1 {{a view of rank zero: pass a scalar instead}}
func.func private @f(!tile.view<f32>)

// -----

// expected-error @+1 {{1 strides for a view of rank 2: give one for each dimension}}
func.func private @f(!tile.view<?x?xf32, strides = [1]>)

// -----

// expected-error @+1 {{stride -4: strides are not negative}}
func.func private @f(!tile.view<?x?xf32, strides = [-4, 1]>)

// -----

// expected-error @+1 {{a view of 'index': elements are floats or signless integers}}
func.func private @f(!tile.view<?xindex>)

// -----

// expected-error @+1 {{a buffer of 'tensor<4xf32>': elements are floats or signless integers}}
func.func private @f(!tile.buffer<4xtensor<4xf32>, smem>)

// -----

// expected-error @+1 {{a buffer of rank zero: it holds a tile, and a tile has rank one or more}}
func.func private @f(!tile.buffer<f32, smem>)

// -----

// expected-error @+1 {{a buffer's sizes are known and begin at 1}}
func.func private @f(!tile.buffer<4x0xf32, smem>)

// -----

// expected-error @+1 {{the layout is for a tile of 4x4, not of 4x8}}
func.func private @f(!tile.buffer<4x8xf32, smem, <4x4, offset = [[0, 1], [0, 2], [1, 0], [2, 0]]>>)

// -----

// expected-error @+1 {{a buffer with the encoding 1 : i32; it is a #tile.layout or #tile.panels}}
func.func private @f(!tile.buffer<4x8xf32, smem, 1 : i32>)

// -----

// expected-error @+1 {{#tile.panels applies to smem buffers, not tmem}}
func.func private @f(!tile.buffer<4x8xf32, tmem, #tile.panels<32x1>>)

// -----

// expected-error @+1 {{panels<128x2>, 256 bytes, for rows of 128}}
func.func private @f(!tile.buffer<8x32xf32, smem, #tile.panels<128x2, swizzle 16>>)

// -----

// What lies there in rows are the columns.
// expected-error @+1 {{panels<128x1>, 128 bytes, for rows of 32}}
func.func private @f(!tile.buffer<8x32xf32, smem, #tile.panels<128x1, swizzle 16, transposed>>)

// -----

// expected-error @+1 {{panels<0x1>: both are 1 or more}}
func.func private @f(!tile.buffer<8x32xf32, smem, #tile.panels<0x1>>)

// -----

// expected-error @+1 {{a swizzle of 8 bytes; it moves 16 or 32 at once}}
func.func private @f(!tile.buffer<8x32xf32, smem, #tile.panels<128x1, swizzle 8>>)

// -----

// expected-error @+1 {{a swizzle of panels of 48 bytes; they are 32, 64 or 128 bytes wide}}
func.func private @f(!tile.buffer<8x12xf32, smem, #tile.panels<48x1, swizzle 16>>)

// -----

// expected-error @+1 {{expected <width in bytes>x<count>, such as '128x2'}}
func.func private @f(!tile.buffer<8x32xf32, smem, #tile.panels<128>>)

// -----

func.func @f(%b: !tile.buffer<8x32xf32, smem, #tile.panels<128x1, swizzle 16>>) {
  // expected-error @+1 {{; it exchanges rows and columns of a buffer in panels}}
  %0 = tile.transpose_view %b : !tile.buffer<8x32xf32, smem, #tile.panels<128x1, swizzle 16>> -> !tile.buffer<32x8xf32, smem, #tile.panels<32x1>>
  return
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

// -----

#a = #tile.layout<4, register = [[1], [2]]>
// expected-error @+1 {{the layout is for a tile of 4, not of 8}}
func.func private @f(tensor<8xf32, #a>)

// -----

#a = #tile.layout<4, register = [[1], [2]]>
// expected-error @+1 {{the layout is for a tile of 4, not of ?}}
func.func private @f(tensor<?xf32, #a>)

// -----

#a = #tile.layout<4x4, register = [[0, 1], [0, 2]], lane = [[1, 0]]>
// expected-error @+1 {{some elements of the tile have no place: add the bases that reach them}}
func.func private @f(tensor<4x4xf32, #a>)

// -----

// A digit of 3 that no lane has is also missing.
#a = #tile.layout<12, lane = [[1], [2]]>
// expected-error @+1 {{some elements of the tile have no place: add the bases that reach them}}
func.func private @f(tensor<12xf32, #a>)

// -----

// expected-error @+1 {{'register' is named twice}}
#a = #tile.layout<4, register = [[1]], register = [[2]]>

// -----

// expected-error @+1 {{digit 1 of 'lane' has 1 coordinates: give 2}}
#a = #tile.layout<4x4, lane = [[1, 0], [2]]>

// -----

// expected-error @+1 {{'lane' has a digit that reaches 4 in 'dim0': coordinates are in 0 to 3}}
#a = #tile.layout<4, lane = [[1], [2], [4]]>

// -----

// expected-error @+1 {{'dim0' has size 8, of which digits that are no bits account for 6: that does not divide it}}
#a = #tile.layout<8, lane = [[1], [2] by 3]>

// -----

// expected-error @+1 {{digit 2 of 'lane' takes 3 values in steps of 4: that is more than 'dim0' has, 8}}
#a = #tile.layout<8, lane = [[1], [2], [4] by 3]>

// -----

// expected-error @+1 {{'dim0' has a digit of 3 values with step 3, but what is below it has 1 values: the step must be 1 times a power of two}}
#a = #tile.layout<12, lane = [[1], [2], [3] by 3]>

// -----

// expected-error @+1 {{digit 0 of 'lane' is a bit and reaches 1 in 'dim0', which lies in a digit of 3 values}}
#a = #tile.layout<6, lane = [[1]], warp = [[1] by 3]>

// -----

// expected-error @+1 {{digit 1 of 'lane' has 0 values: counts begin at 1}}
#a = #tile.layout<4, lane = [[1], [2] by 0]>

// -----

// expected-error @+1 {{digit 1 of 'lane' has 3 values: its step must be along exactly one dimension}}
#a = #tile.layout<6x6, lane = [[1, 0], [2, 2] by 3]>

// -----

// expected-error @+1 {{'dim0' has size 0: sizes begin at 1}}
#a = #tile.layout<0, lane = []>

// -----

// expected-error @+1 {{the inputs have 2 bits and the outputs 63: at most 40 of each}}
#a = #tile.layout<9000000000000000000, lane = [[1], [2]]>

//===----------------------------------------------------------------------===//
// tile.kernel
//===----------------------------------------------------------------------===//

// -----

// expected-error @+1 {{'tile.kernel' op returns 'f32': a kernel has no results, it stores to a view}}
tile.kernel @k() -> f32 {
}

// -----

// expected-error @+1 {{'tile.kernel' op argument 1 is a 'tensor<4xf32>': arguments are views and scalars; pass a tensor as '!tile.view'}}
tile.kernel @k(%s: f32, %x: tensor<4xf32>) {
}

// -----

tile.kernel @k(%n: index) {
  // expected-note @+1 {{the first is here}}
  tile.for_each (%i) tiles [4] of [%n] {
  }
  // expected-error @+1 {{'tile.for_each' op is a second stream of work tiles next to the first: nest one in the other, or write two kernels}}
  tile.for_each (%i) tiles [4] of [%n] {
  }
}

// -----

tile.kernel @k(%n: index, %s: f32, %v: !tile.view<?xf32>) {
  // expected-note @+1 {{the work tiles are here}}
  tile.for_each (%i) tiles [4] of [%n] {
  }
  // expected-error @+1 {{'tile.store' op writes outside the work tiles: move it into the tile.for_each}}
  tile.store %s, %v[0] : f32, !tile.view<?xf32>
}

// -----

func.func private @unknown()
tile.kernel @k(%n: index) {
  // expected-note @+1 {{the work tiles are here}}
  tile.for_each (%i) tiles [4] of [%n] {
    tile.for_each (%j) tiles [4] of [%n] {
    }
  }
  // expected-error @+1 {{'func.call' op may write outside the work tiles: move it into the tile.for_each}}
  func.call @unknown() : () -> ()
}

// -----

tile.kernel @k(%n: index, %s: f32, %v: !tile.view<?xf32>, %b: i1) {
  tile.for_each (%i) tiles [4] of [%n] {
    // expected-error @+1 {{'scf.if' op writes outside the work tiles: move it into the tile.for_each}}
    scf.if %b {
      tile.store %s, %v[0] : f32, !tile.view<?xf32>
    }
    // expected-note @+1 {{the work tiles are here}}
    tile.for_each (%j) tiles [4] of [%n] {
    }
  }
}

//===----------------------------------------------------------------------===//
// tile.for_each, tile.return
//===----------------------------------------------------------------------===//

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{'tile.for_each' op expects parent op to be one of 'tile.kernel, tile.for_each'}}
  tile.for_each (%i) tiles [4] of [%n] {
  }
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tile.return' op expects parent op to be one of 'tile.kernel, tile.for_each'}}
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?x?xf32>) {
  // expected-error @+1 {{'tile.for_each' op has 1 tile sizes for '!tile.view<?x?xf32>' of rank 2: give one for each dimension}}
  tile.for_each (%i) tiles [4] of %v : !tile.view<?x?xf32> {
  }
}

// -----

tile.kernel @k(%n: index) {
  // expected-error @+1 {{'tile.for_each' op has 2 tile sizes for 1 extents: give one for each}}
  tile.for_each (%i, %j) tiles [4, 4] of [%n] {
  }
}

// -----

tile.kernel @k(%n: index) {
  // expected-error @+1 {{'tile.for_each' op tile size 1 is 0: sizes begin at 1}}
  tile.for_each (%i, %j) tiles [4, 0] of [%n, %n] {
  }
}

// -----

tile.kernel @k(%n: index) {
  // expected-error @+1 {{'tile.for_each' op has no dimensions: give at least one tile size}}
  tile.for_each () tiles [] of [] {
  }
}

// -----

tile.kernel @k(%n: index, %v: !tile.view<?xf32>) {
  // expected-error @+1 {{'tile.for_each' op has a view and extents: give one of the two}}
  "tile.for_each"(%v, %n) <{operandSegmentSizes = array<i32: 1, 1>, tiles = array<i64: 4>}> ({
  ^bb0(%i: index):
    tile.return
  }) : (!tile.view<?xf32>, index) -> ()
}

// -----

tile.kernel @k(%n: index) {
  // expected-error @+1 {{'tile.for_each' op has 2 tile sizes, so its body must have as many arguments of type 'index', but it has ('index')}}
  tile.for_each (%i) tiles [4, 4] of [%n, %n] {
  }
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

// -----

func.func @f(%v: !tile.view<?x?xf32>) {
  // expected-error @+1 {{'tile.dim' op asks for dimension 2 of '!tile.view<?x?xf32>', which has dimensions 0 to 1}}
  %0 = tile.dim %v, 2 : !tile.view<?x?xf32>
  return
}

// -----

func.func @f(%v: !tile.view<?x?xf32>) {
  // expected-error @+1 {{'tile.subview' op has 1 offsets for a view of rank 2 ('!tile.view<?x?xf32>'): give one for each dimension}}
  %0 = tile.subview %v[0] [4, 4] : !tile.view<?x?xf32> -> !tile.view<4x4xf32>
  return
}

// -----

func.func @f(%v: !tile.view<?x?xf32>) {
  // expected-error @+1 {{'tile.subview' op has 1 sizes for a view of rank 2 ('!tile.view<?x?xf32>'): give one for each dimension}}
  %0 = tile.subview %v[0, 0] [4] : !tile.view<?x?xf32> -> !tile.view<4xf32>
  return
}

// -----

func.func @f(%v: !tile.view<?x?xf32>) {
  // expected-error @+1 {{'tile.subview' op size 1 is -4: sizes are not negative}}
  %0 = "tile.subview"(%v) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 4, -4>}> : (!tile.view<?x?xf32>) -> !tile.view<4x4xf32>
  return
}

// -----

func.func @f(%v: !tile.view<?x?xf32>, %n: index) {
  // expected-error @+1 {{'tile.subview' op gives '!tile.view<4x4xf32>', but the sizes make it '!tile.view<4x?xf32>'}}
  %0 = tile.subview %v[0, 0] [4, %n] : !tile.view<?x?xf32> -> !tile.view<4x4xf32>
  return
}

// -----

func.func @f(%v: !tile.view<?x?xf32>) {
  // expected-error @+1 {{'tile.subview' op has 0 values for 1 dynamic sizes}}
  %0 = "tile.subview"(%v) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 4, -9223372036854775808>}> : (!tile.view<?x?xf32>) -> !tile.view<4x?xf32>
  return
}

// -----

func.func @f(%v: !tile.view<?x?xf32>, %n: index) {
  // expected-error @+1 {{'tile.load' op has 1 values for 2 dynamic offsets}}
  %0 = "tile.load"(%v, %n) <{static_offsets = array<i64: -9223372036854775808, -9223372036854775808>}> : (!tile.view<?x?xf32>, index) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%v: !tile.view<?x?xf32>) {
  // expected-error @+1 {{'tile.load' op has 1 offsets for a view of rank 2 ('!tile.view<?x?xf32>'): give one for each dimension}}
  %0 = tile.load %v[0] : !tile.view<?x?xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%v: !tile.view<?x?xbf16>) {
  // expected-error @+1 {{'tile.load' op moves elements of type 'f32', but the view has 'bf16': the types must be equal; convert with arith}}
  %0 = tile.load %v[0, 0] : !tile.view<?x?xbf16> -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%v: !tile.view<?xf32>) {
  // expected-error @+1 {{'tile.load' op moves a tile of rank 2 ('tensor<4x4xf32>'), but the view has rank 1 ('!tile.view<?xf32>'): the tile's rank must not be larger}}
  %0 = tile.load %v[0] : !tile.view<?xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%v: !tile.view<?x?x?xf32>) {
  // expected-error @+1 {{'tile.load' op has 1 dims for 'tensor<4x4xf32>' of rank 2: give one for each of its dimensions}}
  %0 = tile.load %v[0, 0, 0] dims [1] : !tile.view<?x?x?xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%v: !tile.view<?x?x?xf32>) {
  // expected-error @+1 {{'tile.load' op has dims [2, 1]: they must ascend within 0 to 2; permute a tile with tile.transpose}}
  %0 = tile.load %v[0, 0, 0] dims [2, 1] : !tile.view<?x?x?xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%v: !tile.view<?xf32>) {
  // expected-error @+1 {{'tile.load' op has pad 0 : i32, but the view's elements are 'f32': the pad must be a number of that type}}
  %0 = tile.load %v[0] pad(0 : i32) : !tile.view<?xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%v: !tile.view<?xf32>) {
  // expected-error @+1 {{'tile.load' op result #0 must be tile or scalar, but got 'tensor<?xf32>'}}
  %0 = tile.load %v[0] : !tile.view<?xf32> -> tensor<?xf32>
  return
}

// -----

func.func @f(%v: !tile.view<?xf32>) {
  // expected-error @+1 {{'tile.load' op result #0 must be tile or scalar, but got 'tensor<f32>'}}
  %0 = tile.load %v[0] : !tile.view<?xf32> -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<0xf32>) {
  // expected-error @+1 {{'tile.reduce' op operand #0 must be tile (a tensor of numbers, of static shape, of rank one or more, not empty), but got 'tensor<0xf32>'}}
  %0 = tile.reduce addf %x axis 0 : tensor<0xf32> -> f32
  return
}

// -----

func.func @f(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'tile.expand_dims' op operand #0 must be tile (a tensor of numbers, of static shape, of rank one or more, not empty), but got 'tensor<4xcomplex<f32>>'}}
  %0 = tile.expand_dims %x axis 0 : tensor<4xcomplex<f32>> -> tensor<1x4xcomplex<f32>>
  return
}

// -----

func.func @f(%v: !tile.view<?xbf16>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'tile.store' op moves elements of type 'f32', but the view has 'bf16': the types must be equal; convert with arith}}
  tile.store %x, %v[0] : tensor<4xf32>, !tile.view<?xbf16>
  return
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

// -----

func.func @f(%b: !tile.buffer<4x8xf32, smem>) {
  // expected-error @+1 {{'tile.read' op has 1 offsets for a buffer of rank 2 ('!tile.buffer<4x8xf32, smem>'): give one for each dimension}}
  %0 = tile.read %b[0] : !tile.buffer<4x8xf32, smem> -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%b: !tile.buffer<4x8xf32, smem>) {
  // expected-error @+1 {{'tile.read' op takes 4 elements from 6 on in dimension 1, but the buffer has 8: a tile must lie inside its buffer}}
  %0 = tile.read %b[0, 6] : !tile.buffer<4x8xf32, smem> -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%b: !tile.buffer<4x8xf32, smem>, %x: tensor<4x16xf32>, %i: index) {
  // expected-error @+1 {{'tile.write' op takes 16 elements from 0 on in dimension 1, but the buffer has 8: a tile must lie inside its buffer}}
  tile.write %x, %b[0, %i] : tensor<4x16xf32>, !tile.buffer<4x8xf32, smem>
  return
}

// -----

func.func @f(%b: !tile.buffer<4x8xf32, smem>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'tile.write' op moves 'tensor<4xf32>', but the buffer is '!tile.buffer<4x8xf32, smem>': rank and element type must be equal}}
  tile.write %x, %b[0, 0] : tensor<4xf32>, !tile.buffer<4x8xf32, smem>
  return
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tile.broadcast' op changes dimension 0 from 4 to 8: only dimensions of size 1 can grow}}
  %0 = tile.broadcast %x : tensor<4x8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.broadcast' op goes from 'tensor<8xf32>' to 'tensor<8x8xf32>': rank and element type must be equal; add dimensions with tile.expand_dims}}
  %0 = tile.broadcast %x : tensor<8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tile.expand_dims' op has axis 3 for 'tensor<4x8xf32>': it must be in 0 to 2}}
  %0 = tile.expand_dims %x axis 3 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tile.expand_dims' op gives 'tensor<4x1xf32>', but from 'tensor<4xf32>' it must give 'tensor<1x4xf32>'}}
  %0 = tile.expand_dims %x axis 0 : tensor<4xf32> -> tensor<4x1xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tile.transpose' op has permutation [0, 0] for 'tensor<4x8xf32>': it must hold each of 0 to 1 once}}
  %0 = tile.transpose %x [0, 0] : tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tile.transpose' op gives 'tensor<4x8xf32>', but from 'tensor<4x8xf32>' it must give 'tensor<8x4xf32>'}}
  %0 = tile.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tile.extract_slice' op has 1 offsets for a tile of rank 2: give one for each dimension}}
  %0 = tile.extract_slice %x [0] : tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tile.extract_slice' op takes 4 elements from 5 on in dimension 1, but there are 8: a slice must lie inside its tile}}
  %0 = tile.extract_slice %x [0, 5] : tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tile.extract_slice' op takes 'tensor<4xf32>' from 'tensor<4x8xf32>': rank and element type must be equal}}
  %0 = tile.extract_slice %x [0, 0] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tile.iota' op gives 'tensor<4x4xi32>': the result has rank one and integers}}
  %0 = tile.iota : tensor<4x4xi32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tile.convert_layout' op goes from 'tensor<4x8xf32>' to 'tensor<8x4xf32>': only the layout may change}}
  %0 = tile.convert_layout %x : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

//===----------------------------------------------------------------------===//
// tile.scan
//===----------------------------------------------------------------------===//

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tile.scan' op combines 'f32' with 'addi': take a kind that ends in 'f'}}
  %0 = tile.scan addi %x axis 0 : tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tile.scan' op has axis 2 for 'tensor<4x8xf32>': it must be in 0 to 1}}
  %0 = tile.scan addf %x axis 2 : tensor<4x8xf32>
  return
}

//===----------------------------------------------------------------------===//
// tile.reduce
//===----------------------------------------------------------------------===//

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'sum' is no kind of reduction: use the name of an arith operation, as in 'addf' or 'maxsi'}}
  %0 = tile.reduce sum %x axis 0 : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tile.reduce' op combines 'f32' with 'maxsi': take a kind that ends in 'f'}}
  %0 = tile.reduce maxsi %x axis 0 : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi32>) {
  // expected-error @+1 {{'tile.reduce' op combines 'i32' with 'addf': take a kind that ends in 'i'}}
  %0 = tile.reduce addf %x axis 0 : tensor<4x8xi32> -> tensor<8xi32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tile.reduce' op has axis -1 for 'tensor<4x8xf32>': it must be in 0 to 1}}
  %0 = tile.reduce addf %x axis -1 : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.reduce' op gives 'tensor<1xf32>', but from 'tensor<8xf32>' it must give 'f32'}}
  %0 = tile.reduce addf %x axis 0 : tensor<8xf32> -> tensor<1xf32>
  return
}

//===----------------------------------------------------------------------===//
// tile.mma
//===----------------------------------------------------------------------===//

// -----

func.func @f(%a: tensor<128x64xbf16>, %b: tensor<4x128x64xbf16>, %c: tensor<128x128xf32>) {
  // expected-error @+1 {{'tile.mma' op 'b' is 'tensor<4x128x64xbf16>': it must be a matrix, of rank 2}}
  %0 = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<4x128x64xbf16> -> tensor<128x128xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xbf16>, %b: tensor<64x256xbf16>, %c: tensor<128x256xf32>) {
  // expected-error @+1 {{'tile.mma' op sums over K, but a (M x K) is 128x64 and b (N x K) is 64x256: 64 and 256 must be equal; if b is K x N, use tile.transpose}}
  %0 = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x256xbf16> -> tensor<128x256xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xbf16>, %b: tensor<256x64xbf16>, %c: tensor<128x128xf32>) {
  // expected-error @+1 {{'tile.mma' op has a (M x K) of 128x64 and b (N x K) of 256x64, so the accumulator (M x N) must be 128x256, but it is 128x128}}
  %0 = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x128xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf64>, %c: tensor<128x128xf64>) {
  // expected-error @+1 {{'tile.mma' op has operands of type 'f64', which no tensor core multiplies: convert them to 'bf16', 'f16' or another type of the table of tile.mma}}
  %0 = tile.mma %a, %a, %c : tensor<128x64xf64>, tensor<128x64xf64> -> tensor<128x128xf64>
  return
}

// -----

func.func @f(%a: tensor<128x64xbf16>, %b: tensor<128x64xf16>, %c: tensor<128x128xf32>) {
  // expected-error @+1 {{'tile.mma' op multiplies 'bf16' and 'f16': with a 'bf16', b must be 'bf16'}}
  %0 = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<128x64xf16> -> tensor<128x128xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf8E4M3FN>, %b: tensor<128x64xf16>, %c: tensor<128x128xf32>) {
  // expected-error @+1 {{'tile.mma' op multiplies 'f8E4M3FN' and 'f16': with a 'f8E4M3FN', b must be any of the 8-, 6- and 4-bit floats}}
  %0 = tile.mma %a, %b, %c : tensor<128x64xf8E4M3FN>, tensor<128x64xf16> -> tensor<128x128xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xbf16>, %c: tensor<128x128xf16>) {
  // expected-error @+1 {{'tile.mma' op adds MMAs of 'bf16' in 'f16': the accumulator must be 'f32'}}
  %0 = tile.mma %a, %a, %c : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf16>
  return
}

// -----

func.func @f(%a: tensor<128x64xf16>, %c: tensor<128x128xi32>) {
  // expected-error @+1 {{'tile.mma' op adds MMAs of 'f16' in 'i32': the accumulator must be 'f32' or 'f16'}}
  %0 = tile.mma %a, %a, %c : tensor<128x64xf16>, tensor<128x64xf16> -> tensor<128x128xi32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf32>, %c: tensor<128x128xf32>) {
  // expected-error @+1 {{'tile.mma' op has 'f32' operands, which tensor cores read as TF32, without the 13 low bits of the mantissa: accept that with 'tf32', or convert them}}
  %0 = tile.mma %a, %a, %c : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x128xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xi8>, %c: tensor<128x128xi32>) {
  // expected-error @+1 {{'tile.mma' op is 'negated', which MMAs of integers are not: negate what is added to them, or the result}}
  %0 = tile.mma %a, %a, %c negated : tensor<128x64xi8>, tensor<128x64xi8> -> tensor<128x128xi32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf8E4M3FN>, %x: tensor<128x2xf8E8M0FNU>, %c: tensor<128x128xf32>) {
  // expected-error @+1 {{'tile.mma' op is 'negated', which MMAs of operands with scales are not}}
  %0 = tile.mma %a, %a, %c negated scales(%x, %x : tensor<128x2xf8E8M0FNU>, tensor<128x2xf8E8M0FNU>)
    : tensor<128x64xf8E4M3FN>, tensor<128x64xf8E4M3FN> -> tensor<128x128xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xbf16>, %c: tensor<128x128xf32>) {
  // expected-error @+1 {{'tile.mma' op says 'tf32', which is for 'f32' operands, but they are 'bf16'}}
  %0 = tile.mma %a, %a, %c tf32 : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf8E4M3FN>, %s: tensor<128x2xf8E8M0FNU>, %c: tensor<128x128xf32>) {
  // expected-error @+1 {{'tile.mma' op has scales for a only: give both or none}}
  %0 = "tile.mma"(%a, %a, %c, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<128x64xf8E4M3FN>, tensor<128x64xf8E4M3FN>, tensor<128x128xf32>, tensor<128x2xf8E8M0FNU>) -> tensor<128x128xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf8E4M3FN>, %s: tensor<64x2xf8E8M0FNU>, %c: tensor<128x128xf32>) {
  // expected-error @+1 {{'tile.mma' op has scales 'tensor<64x2xf8E8M0FNU>' for a, which is 'tensor<128x64xf8E4M3FN>': they must be 128 by K / block, with K = 64}}
  %0 = tile.mma %a, %a, %c scales(%s, %s : tensor<64x2xf8E8M0FNU>, tensor<64x2xf8E8M0FNU>)
    : tensor<128x64xf8E4M3FN>, tensor<128x64xf8E4M3FN> -> tensor<128x128xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf8E4M3FN>, %s: tensor<128x4xf8E8M0FNU>, %c: tensor<128x128xf32>) {
  // expected-error @+1 {{'tile.mma' op has one 'f8E8M0FNU' scale for 16 elements of 'f8E4M3FN' of a (64 / 4): give one 'f8E8M0FNU' for 32}}
  %0 = tile.mma %a, %a, %c scales(%s, %s : tensor<128x4xf8E8M0FNU>, tensor<128x4xf8E8M0FNU>)
    : tensor<128x64xf8E4M3FN>, tensor<128x64xf8E4M3FN> -> tensor<128x128xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf4E2M1FN>, %s: tensor<128x8xf8E4M3FN>, %c: tensor<128x128xf32>) {
  // expected-error @+1 {{'tile.mma' op has one 'f8E4M3FN' scale for 8 elements of 'f4E2M1FN' of a (64 / 8): give one 'f8E8M0FNU' for 32, or one 'f8E8M0FNU' or 'f8E4M3FN' for 16}}
  %0 = tile.mma %a, %a, %c scales(%s, %s : tensor<128x8xf8E4M3FN>, tensor<128x8xf8E4M3FN>)
    : tensor<128x64xf4E2M1FN>, tensor<128x64xf4E2M1FN> -> tensor<128x128xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xbf16>, %s: tensor<128x2xf8E8M0FNU>, %c: tensor<128x128xf32>) {
  // expected-error @+1 {{'tile.mma' op has one 'f8E8M0FNU' scale for 32 elements of 'bf16' of a (64 / 2): only 8-, 6- and 4-bit floats take scales}}
  %0 = tile.mma %a, %a, %c scales(%s, %s : tensor<128x2xf8E8M0FNU>, tensor<128x2xf8E8M0FNU>)
    : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf4E2M1FN>, %s: tensor<128x4xf8E4M3FN>, %t: tensor<128x4xf8E8M0FNU>, %c: tensor<128x128xf32>) {
  // expected-error @+1 {{'tile.mma' op has scales 'tensor<128x4xf8E4M3FN>' and 'tensor<128x4xf8E8M0FNU>': type and block must be the same for a and b}}
  %0 = tile.mma %a, %a, %c scales(%s, %t : tensor<128x4xf8E4M3FN>, tensor<128x4xf8E8M0FNU>)
    : tensor<128x64xf4E2M1FN>, tensor<128x64xf4E2M1FN> -> tensor<128x128xf32>
  return
}

// -----

func.func @f(%a: tensor<128x64xf8E4M3FN>, %s: tensor<128x2xf8E8M0FNU>, %c: tensor<128x128xf16>) {
  // expected-error @+1 {{'tile.mma' op has scales and adds in 'f16': with scales the accumulator must be 'f32'}}
  %0 = tile.mma %a, %a, %c scales(%s, %s : tensor<128x2xf8E8M0FNU>, tensor<128x2xf8E8M0FNU>)
    : tensor<128x64xf8E4M3FN>, tensor<128x64xf8E4M3FN> -> tensor<128x128xf16>
  return
}

// -----

func.func @f(%a: tensor<128x64xf16>, %c: tensor<128x128xf32>, %d: tensor<128x128xf16>) {
  // expected-error @+1 {{'tile.mma' op failed to verify that all of {acc, result} have same type}}
  %0 = "tile.mma"(%a, %a, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<128x64xf16>, tensor<128x64xf16>, tensor<128x128xf32>) -> tensor<128x128xf16>
  return
}

// -----

func.func @multicast(%a: !tile.view<?x?xf32>) {
  // expected-error @+1 {{has multicast [1, 0]: the dimensions of a cluster must ascend within 0 to 2}}
  %x = tile.load %a[0, 0] multicast [1, 0] : !tile.view<?x?xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @multicast(%a: !tile.view<?x?xf32>) {
  // expected-error @+1 {{has multicast, but loads a scalar: every CTA loads its own}}
  %x = tile.load %a[0, 0] multicast [0] : !tile.view<?x?xf32> -> f32
  return
}

// -----

func.func @halved(%a: !tile.view<?x?xf32>) {
  // expected-error @+1 {{has 'halved' dimension 0 of size 7; it must be even}}
  %x = tile.load %a[0, 0] halved 0 : !tile.view<?x?xf32> -> tensor<7x8xf32>
  return
}

// -----

func.func @halved_rank(%a: !tile.view<?x?xf32>) {
  // expected-error @+1 {{has 'halved' dimension 2, but loads a tile of rank 2}}
  %x = tile.load %a[0, 0] halved 2 : !tile.view<?x?xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @gather(%x: tensor<8x1xf32>) {
  // expected-error @+1 {{gathers 'tensor<8x1xf32>'; what is broadcast must be a vector}}
  %0:2 = tile.all_gather %x along 1 : tensor<8x1xf32> -> 2
  return
}

// -----

func.func @gather(%x: tensor<8xf32>) {
  // expected-error @+1 {{has along -1: a cluster has the dimensions 0 to 2}}
  %0:2 = tile.all_gather %x along -1 : tensor<8xf32> -> 2
  return
}

// -----

func.func @gather(%x: tensor<8xf32>) {
  // expected-error @+1 {{gathers from 1 CTAs; there must be two or more}}
  %0 = tile.all_gather %x along 1 : tensor<8xf32> -> 1
  return
}

// -----

func.func @gather(%x: tensor<8xf32>) {
  // expected-error @+1 {{a cluster has no 17 CTAs}}
  %0:17 = tile.all_gather %x along 1 : tensor<8xf32> -> 17
  return
}

// -----

func.func @gather(%x: tensor<8xf32>) {
  // expected-error @+1 {{gives 'tensor<4xf32>' for a part of 'tensor<8xf32>'}}
  %0:2 = "tile.all_gather"(%x) <{along = 1 : i64}> : (tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>)
  return
}

// -----

func.func @gather(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{has 3 operands for 2 CTAs; pass 1 (broadcast) or 2 (one per CTA)}}
  %0:2 = tile.all_gather %x, %x, %x along 2 : tensor<8x4xf32> -> 2
  return
}
