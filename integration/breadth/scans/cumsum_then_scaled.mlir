func.func @cumsum_then_scaled(%x: tensor<64x128xf32> {tile.name = "x"}, %w: tensor<128xf32> {tile.name = "w"}) -> (tensor<64x128xbf16> {tile.name = "y"}) {
  %none = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x128xf32>
  %f = linalg.fill ins(%none : f32) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<64x128xf32>) outs(%f : tensor<64x128xf32>) {
    ^bb0(%a: f32, %s: f32):
      %k = linalg.index 2 : index
      %p = linalg.index 1 : index
      %c = arith.cmpi ule, %k, %p : index
      %v = arith.select %c, %a, %none : f32
      %r = arith.addf %s, %v : f32
      linalg.yield %r : f32
  } -> tensor<64x128xf32>
  %o = tensor.empty() : tensor<64x128xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%t, %w : tensor<64x128xf32>, tensor<128xf32>) outs(%o : tensor<64x128xbf16>) {
    ^bb0(%a: f32, %b: f32, %s: bf16):
      %m = arith.mulf %a, %b : f32
      %r = arith.truncf %m : f32 to bf16
      linalg.yield %r : bf16
  } -> tensor<64x128xbf16>
  return %y : tensor<64x128xbf16>
}
