func.func @cumsum_rows(%x: tensor<64x256xf32> {tile.name = "x"}) -> (tensor<64x256xf32> {tile.name = "y"}) {
  %none = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x256xf32>
  %f = linalg.fill ins(%none : f32) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<64x256xf32>) outs(%f : tensor<64x256xf32>) {
    ^bb0(%a: f32, %s: f32):
      %k = linalg.index 2 : index
      %p = linalg.index 1 : index
      %c = arith.cmpi ule, %k, %p : index
      %v = arith.select %c, %a, %none : f32
      %r = arith.addf %s, %v : f32
      linalg.yield %r : f32
  } -> tensor<64x256xf32>
  return %y : tensor<64x256xf32>
}
