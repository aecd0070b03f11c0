// What has no form in a tile program is refused where it stands, with a way out.

// RUN: drawloom-opt %s -convert-linalg-to-tile -split-input-file -verify-diagnostics

// expected-error @+1 {{@f: argument 0 is a 'memref<4xf32>': a kernel takes scalars and tensors of floats or signless integers without an encoding, and gives such tensors of rank one or more [linalg-unsupported]}}
func.func @f(%a: memref<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  return %b : tensor<4xf32>
}

// -----

// expected-error @+1 {{@f: result 0 is a 'tensor<f32>': a kernel takes scalars and tensors}}
func.func @f(%a: tensor<4xf32>) -> tensor<f32> {
  %0 = tensor.empty() : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error @+1 {{gives no tensor: a kernel is made of a function that returns what it computes [linalg-unsupported]}}
func.func @f(%a: tensor<4xf32>) {
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  // expected-error @+1 {{branches, and control flow is unsupported in linalg functions; choose between kernels outside, or write a tile.kernel}}
  cf.cond_br %c, ^a, ^b
^a:
  return %a : tensor<4xf32>
^b:
  return %a : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{gives as result 0 what no linalg operation computes: return computed tensors only; 'linalg.copy' makes a copy of an argument}}
  return %a : tensor<4xf32>
}

// -----

func.func @convolution(%x: tensor<1x34x34x8xf32>, %w: tensor<3x3x8x16xf32>, %y: tensor<1x32x32x16xf32>) -> tensor<1x32x32x16xf32> {
  // expected-error @+1 {{indexes operand 0 by affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>: convolution windows and diagonals are unsupported, each index must be a distinct loop. Apply im2col before the kernel, or write a tile.kernel [linalg-indexing]}}
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x34x34x8xf32>, tensor<3x3x8x16xf32>) outs(%y : tensor<1x32x32x16xf32>) -> tensor<1x32x32x16xf32>
  return %0 : tensor<1x32x32x16xf32>
}

// -----

func.func @scatter(%x: tensor<4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{indexes result 0 by affine_map<(d0) -> (d0, 0)>}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @gather(%table: tensor<100xf32>, %at: tensor<4xi32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%at : tensor<4xi32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: i32, %b: f32):
    %i = arith.index_cast %a : i32 to index
    // expected-error @+1 {{does not work on whole tiles: the body of a linalg operation may hold 'arith' and 'math' operations that work element by element. For a lookup, gather before the kernel; for a choice, use 'arith.select' [linalg-unsupported]}}
    %e = tensor.extract %table[%i] : tensor<100xf32>
    linalg.yield %e : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @number_of_a_result(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%y : tensor<4xf32>) {
  ^bb0(%b: f32):
    // expected-error @+1 {{does not work on whole tiles}}
    %e = tensor.extract %0[%c0] : tensor<4xf32>
    linalg.yield %e : f32
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @number_that_fills(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{is unsupported: a kernel is made of linalg operations}}
  %e = tensor.extract %x[%c0] : tensor<4xf32>
  %0 = linalg.fill ins(%e : f32) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @difference(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{reduces with a body that is no single 'arith' operation on the previous value, used once: end it with 'arith.addf', 'arith.maximumf' or another kind of tile.reduce}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %b, %a : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @no_content(%a: tensor<4x8xbf16>, %b: tensor<8x4xbf16>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-error @+1 {{reads its init, which is a 'tensor.empty' without content: fill it first, with 0 for a sum or the least number for a maximum [linalg-init]}}
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xbf16>, tensor<8x4xbf16>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @full_precision(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{multiplies matrices of 'f32', which tensor cores read as TF32, without the 13 low bits of the mantissa: accept that with the attribute {tf32} on this operation, or truncate the operands to 'bf16' or 'f16' [tf32]}}
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @buffers(%a: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %0 = linalg.copy ins(%a : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{is unsupported: a kernel is made of linalg operations on tensors and of scalar arithmetic. Do this before or after the kernel, or write a tile.kernel [linalg-unsupported]}}
  %m = bufferization.to_buffer %a : tensor<4xf32> to memref<4xf32>
  linalg.fill ins(%z : f32) outs(%m : memref<4xf32>)
  return %0 : tensor<4xf32>
}

// -----

memref.global @buffer : memref<4xf32>
func.func @on_memory(%a: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %m = memref.get_global @buffer : memref<4xf32>
  // expected-error @+1 {{works on memory: a kernel is made of linalg operations on tensors, before bufferization}}
  linalg.fill ins(%z : f32) outs(%m : memref<4xf32>)
  return %a : tensor<4xf32>
}

// -----

func.func @loop(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{is control flow, which is unsupported in linalg functions; write a tile.kernel instead [linalg-control-flow]}}
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @pad(%a: tensor<4xf32>, %y: tensor<6xf32>) -> tensor<6xf32> {
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{is unsupported: a kernel is made of linalg operations on tensors and of scalar arithmetic}}
  %0 = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<4xf32> to tensor<6xf32>
  %1 = linalg.copy ins(%0 : tensor<6xf32>) outs(%y : tensor<6xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// -----

func.func @dimension(%a: tensor<?x?xf32>, %i: index) -> tensor<?x?xf32> {
  // expected-error @+1 {{asks for a dimension that is not a constant from 0 to 1 [linalg-unsupported]}}
  %d = tensor.dim %a, %i : tensor<?x?xf32>
  %e = tensor.empty(%d, %d) : tensor<?x?xf32>
  %0 = linalg.copy ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @table(%a: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{holds different numbers: pass the tensor as an argument. A constant may be one number everywhere [linalg-unsupported]}}
  %t = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = linalg.add ins(%a, %t : tensor<2xf32>, tensor<2xf32>) outs(%y : tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @steps(%a: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{is no box of an argument: cut arguments only, with steps of 1 and all their dimensions, or write a tile.kernel [linalg-unsupported]}}
  %s = tensor.extract_slice %a[0] [4] [2] : tensor<8xf32> to tensor<4xf32>
  %0 = linalg.copy ins(%s : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @part_of_a_result(%a: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %e = linalg.exp ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  // expected-error @+1 {{is no box of an argument}}
  %s = tensor.extract_slice %e[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %0 = linalg.copy ins(%s : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @shape(%a: tensor<4x4xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error @+1 {{is unsupported: a kernel is made of linalg operations}}
  %c = tensor.collapse_shape %a [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %0 = linalg.copy ins(%c : tensor<16xf32>) outs(%y : tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

func.func @two_kernels(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %n: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  // expected-note @+1 {{the first result is computed here}}
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%m : tensor<4xf32>) dimensions = [1]
  // expected-error @+1 {{gives a result that has no dimension in common with the other results, so that nothing could be cut into work tiles: move it to a function of its own [linalg-axes]}}
  %1 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%n : tensor<8xf32>) dimensions = [0]
  return %0, %1 : tensor<4xf32>, tensor<8xf32>
}

// -----

func.func @nowhere(%n: index, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = arith.constant 1.0 : f32
  %e = tensor.empty(%n) : tensor<4x?xf32>
  // expected-error @+1 {{has a loop d1 whose size can't be inferred from any operand or result; make it static, or add an operand that has it [linalg-axes]}}
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x?xf32>) -> tensor<4x?xf32>
  %0 = linalg.reduce { arith.addf } ins(%f : tensor<4x?xf32>) outs(%y : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

// -----

func.func @square(%a: tensor<8x8xbf16>, %i: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x8xbf16>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%p: bf16, %q: f32):
    %w = arith.extf %p : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  // expected-error @+1 {{brings two dimensions of one tensor together: a tile would be needed along both at once. Compute one of them in a function of its own [linalg-axes]}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%i : tensor<8x8xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %w = arith.addf %p, %q : f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// expected-error @+1 {{has a schedule with 2 tile sizes, but 3 axes to tile, or 4 with those along which a tile has one element: give one size for each dimension of the results, then one for each that is reduced}}
func.func @sizes(%a: tensor<2x4x8xbf16>, %b: tensor<2x8x4xbf16>, %c: tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    attributes {tile.schedule = #tile.schedule<tile = [128, 128]>} {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x4x8xbf16>, tensor<2x8x4xbf16>) outs(%c : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %0 : tensor<2x4x4xf32>
}

// -----

// expected-error @+1 {{has no target to plan for}}
func.func @no_target(%a: tensor<4x8xbf16>, %b: tensor<8x4xbf16>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xbf16>, tensor<8x4xbf16>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @beyond(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c2 = arith.constant 2 : index
  // expected-error @+1 {{asks for a dimension that is not a constant from 0 to 1 [linalg-unsupported]}}
  %d = tensor.dim %a, %c2 : tensor<?x?xf32>
  %e = tensor.empty(%d, %d) : tensor<?x?xf32>
  %0 = linalg.copy ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @no_zero(%x: tensor<4x8xf8E8M0FNU>, %y: tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU> {
  // expected-error @+1 {{reduces numbers of type 'f8E8M0FNU', which has no neutral element for 'arith.addf' to pad with: extend them to 'f32' first}}
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf8E8M0FNU>) outs(%y : tensor<4xf8E8M0FNU>) dimensions = [1]
  return %0 : tensor<4xf8E8M0FNU>
}

// -----

// expected-error @+1 {{has a schedule with a tile of 4611686018427387904 elements along one axis: no machine holds more than 1048576; tiles of 64 to 256 are usual}}
func.func @huge(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [4611686018427387904]>} {
  %0 = arith.addf %a, %b : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @softmax_of_integers(%x: tensor<4x8xi8>, %y: tensor<4x8xi8>) -> tensor<4x8xi8> {
  // expected-error @+1 {{is unsupported: a kernel is made of linalg operations}}
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x8xi8>) outs(%y : tensor<4x8xi8>) -> tensor<4x8xi8>
  return %0 : tensor<4x8xi8>
}
