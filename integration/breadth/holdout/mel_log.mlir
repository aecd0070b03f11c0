// Mel filters as a product, and the logarithm.
func.func @mel_log(%power: tensor<?x?xbf16> {tile.name = "power"}, %mel: tensor<80x?xbf16> {tile.name = "mel"})
    -> (tensor<?x80xf32> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %power, %c1 : tensor<?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %power, %c3 : tensor<?x?xbf16>
  %v5 = tensor.empty(%dim2) : tensor<?x80xf32>
  %v6 = arith.constant 0.0 : f32
  %v7 = linalg.fill ins(%v6 : f32) outs(%v5 : tensor<?x80xf32>) -> tensor<?x80xf32>
  %v8 = linalg.contract indexing_maps = [affine_map<(t, n, k) -> (t, k)>, affine_map<(t, n, k) -> (n, k)>, affine_map<(t, n, k) -> (t, n)>] ins(%power, %mel : tensor<?x?xbf16>, tensor<80x?xbf16>) outs(%v7 : tensor<?x80xf32>) -> tensor<?x80xf32>
  %v9 = tensor.empty(%dim2) : tensor<?x80xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(t, n) -> (t, n)>, affine_map<(t, n) -> (t, n)>], iterator_types = ["parallel", "parallel"]} ins(%v8 : tensor<?x80xf32>) outs(%v9 : tensor<?x80xf32>) {
  ^bb0(%in_p: f32, %out: f32):
    %e1 = arith.constant 0.0001 : f32
    %e2 = arith.maximumf %in_p, %e1 : f32
    %e3 = math.log %e2 : f32
    linalg.yield %e3 : f32
  } -> tensor<?x80xf32>
  return %v10 : tensor<?x80xf32>
}
