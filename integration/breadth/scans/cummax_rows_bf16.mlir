func.func @cummax_rows_bf16(%x: tensor<40x200xbf16> {tile.name = "x"}) -> (tensor<40x200xbf16> {tile.name = "y"}) {
  %none = arith.constant 0xFF80 : bf16
  %e = tensor.empty() : tensor<40x200xbf16>
  %f = linalg.fill ins(%none : bf16) outs(%e : tensor<40x200xbf16>) -> tensor<40x200xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<40x200xbf16>) outs(%f : tensor<40x200xbf16>) {
    ^bb0(%a: bf16, %s: bf16):
      %k = linalg.index 2 : index
      %p = linalg.index 1 : index
      %c = arith.cmpi ule, %k, %p : index
      %v = arith.select %c, %a, %none : bf16
      %r = arith.maximumf %s, %v : bf16
      linalg.yield %r : bf16
  } -> tensor<40x200xbf16>
  return %y : tensor<40x200xbf16>
}
