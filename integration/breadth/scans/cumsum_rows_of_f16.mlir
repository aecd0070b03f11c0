func.func @cumsum_rows_of_f16(%x: tensor<48x192xf16> {tile.name = "x"}) -> (tensor<48x192xf32> {tile.name = "y"}) {
  %none = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<48x192xf32>
  %f = linalg.fill ins(%none : f32) outs(%e : tensor<48x192xf32>) -> tensor<48x192xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<48x192xf16>) outs(%f : tensor<48x192xf32>) {
    ^bb0(%a: f16, %s: f32):
      %w = arith.extf %a : f16 to f32
      %k = linalg.index 2 : index
      %p = linalg.index 1 : index
      %c = arith.cmpi ule, %k, %p : index
      %v = arith.select %c, %w, %none : f32
      %r = arith.addf %s, %v : f32
      linalg.yield %r : f32
  } -> tensor<48x192xf32>
  return %y : tensor<48x192xf32>
}
