func.func @cummax_vector(%x: tensor<513xf32> {tile.name = "x"}) -> (tensor<513xf32> {tile.name = "y"}) {
  %none = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<513xf32>
  %f = linalg.fill ins(%none : f32) outs(%e : tensor<513xf32>) -> tensor<513xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<513xf32>) outs(%f : tensor<513xf32>) {
    ^bb0(%a: f32, %s: f32):
      %k = linalg.index 1 : index
      %p = linalg.index 0 : index
      %c = arith.cmpi ule, %k, %p : index
      %v = arith.select %c, %a, %none : f32
      %r = arith.maximumf %s, %v : f32
      linalg.yield %r : f32
  } -> tensor<513xf32>
  return %y : tensor<513xf32>
}
