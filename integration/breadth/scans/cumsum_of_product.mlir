func.func @cumsum_of_product(%l: tensor<128x64xbf16> {tile.name = "a"}, %m: tensor<96x64xbf16> {tile.name = "b"}) -> (tensor<128x96xf32> {tile.name = "y"}) {
  %none = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x96xf32>
  %f = linalg.fill ins(%none : f32) outs(%e : tensor<128x96xf32>) -> tensor<128x96xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%l, %m : tensor<128x64xbf16>, tensor<96x64xbf16>) outs(%f : tensor<128x96xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %u = arith.extf %p : bf16 to f32
      %v = arith.extf %q : bf16 to f32
      %w = arith.mulf %u, %v : f32
      %r = arith.addf %s, %w : f32
      linalg.yield %r : f32
  } -> tensor<128x96xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d : tensor<128x96xf32>) outs(%f : tensor<128x96xf32>) {
    ^bb0(%a: f32, %s: f32):
      %k = linalg.index 2 : index
      %p = linalg.index 1 : index
      %c = arith.cmpi ule, %k, %p : index
      %v = arith.select %c, %a, %none : f32
      %r = arith.addf %s, %v : f32
      linalg.yield %r : f32
  } -> tensor<128x96xf32>
  return %y : tensor<128x96xf32>
}
