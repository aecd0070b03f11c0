func.func @cumsum_batched(%x: tensor<4x32x64xf32> {tile.name = "x"}) -> (tensor<4x32x64xf32> {tile.name = "y"}) {
  %none = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x32x64xf32>
  %f = linalg.fill ins(%none : f32) outs(%e : tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x32x64xf32>) outs(%f : tensor<4x32x64xf32>) {
    ^bb0(%a: f32, %s: f32):
      %k = linalg.index 3 : index
      %p = linalg.index 2 : index
      %c = arith.cmpi ule, %k, %p : index
      %v = arith.select %c, %a, %none : f32
      %r = arith.addf %s, %v : f32
      linalg.yield %r : f32
  } -> tensor<4x32x64xf32>
  return %y : tensor<4x32x64xf32>
}
