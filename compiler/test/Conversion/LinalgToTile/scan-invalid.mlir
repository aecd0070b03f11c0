// RUN: drawloom-opt %s --convert-linalg-to-tile --split-input-file --verify-diagnostics

#tiled = #tile.schedule<tile = [16, 64]>

// expected-error@+1 {{has a schedule with a tile of 64 elements along dimension 1 of 'x', along which elements are combined: one tile must have all 100 [schedule-tile]}}
func.func @cumsum(%x: tensor<32x100xf32> {tile.name = "x"}) -> (tensor<32x100xf32> {tile.name = "y"})
    attributes {tile.target = "sm_90a", tile.schedule = #tiled} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x100xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x100xf32>) -> tensor<32x100xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<32x100xf32>) outs(%f : tensor<32x100xf32>) {
    ^bb0(%a: f32, %s: f32):
      %k = linalg.index 2 : index
      %j = linalg.index 1 : index
      %c = arith.cmpi ule, %k, %j : index
      %v = arith.select %c, %a, %zero : f32
      %r = arith.addf %s, %v : f32
      linalg.yield %r : f32
  } -> tensor<32x100xf32>
  return %y : tensor<32x100xf32>
}

// -----

// expected-error@+1 {{combines elements along dimension 1 of 'x', which must be in one tile: give it a static size [linalg-axes]}}
func.func @dynamic(%x: tensor<32x?xf32> {tile.name = "x"}) -> (tensor<32x?xf32> {tile.name = "y"})
    attributes {tile.target = "sm_90a"} {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<32x?xf32>
  %e = tensor.empty(%n) : tensor<32x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x?xf32>) -> tensor<32x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<32x?xf32>) outs(%f : tensor<32x?xf32>) {
    ^bb0(%a: f32, %s: f32):
      %k = linalg.index 2 : index
      %j = linalg.index 1 : index
      %c = arith.cmpi ule, %k, %j : index
      %v = arith.select %c, %a, %zero : f32
      %r = arith.addf %s, %v : f32
      linalg.yield %r : f32
  } -> tensor<32x?xf32>
  return %y : tensor<32x?xf32>
}
