// The power of a spectrum.
func.func @mel_power(%re: tensor<?x?xf32> {tile.name = "re"}, %im: tensor<?x?xf32> {tile.name = "im"})
    -> (tensor<?x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %re, %c1 : tensor<?x?xf32>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %re, %c3 : tensor<?x?xf32>
  %v5 = tensor.empty(%dim2, %dim4) : tensor<?x?xbf16>
  %v6 = linalg.generic {indexing_maps = [affine_map<(t, k) -> (t, k)>, affine_map<(t, k) -> (t, k)>, affine_map<(t, k) -> (t, k)>], iterator_types = ["parallel", "parallel"]} ins(%re, %im : tensor<?x?xf32>, tensor<?x?xf32>) outs(%v5 : tensor<?x?xbf16>) {
  ^bb0(%in_a: f32, %in_b: f32, %out: bf16):
    %e1 = arith.mulf %in_a, %in_a : f32
    %e2 = arith.mulf %in_b, %in_b : f32
    %e3 = arith.addf %e1, %e2 : f32
    %e4 = arith.truncf %e3 : f32 to bf16
    linalg.yield %e4 : bf16
  } -> tensor<?x?xbf16>
  return %v6 : tensor<?x?xbf16>
}
