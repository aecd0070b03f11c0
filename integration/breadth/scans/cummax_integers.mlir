func.func @cummax_integers(%x: tensor<72x40xi32> {tile.name = "x"}) -> (tensor<72x40xi32> {tile.name = "y"}) {
  %none = arith.constant -2147483648 : i32
  %e = tensor.empty() : tensor<72x40xi32>
  %f = linalg.fill ins(%none : i32) outs(%e : tensor<72x40xi32>) -> tensor<72x40xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<72x40xi32>) outs(%f : tensor<72x40xi32>) {
    ^bb0(%a: i32, %s: i32):
      %k = linalg.index 2 : index
      %p = linalg.index 0 : index
      %c = arith.cmpi ule, %k, %p : index
      %v = arith.select %c, %a, %none : i32
      %r = arith.maxsi %s, %v : i32
      linalg.yield %r : i32
  } -> tensor<72x40xi32>
  return %y : tensor<72x40xi32>
}
