// The layer after subsampling: relu, scaled, with positions.
func.func @subsample_linear(%x: tensor<?x?xbf16> {tile.name = "x"}, %w: tensor<?x?xbf16> {tile.name = "w"}, %bias: tensor<?xbf16> {tile.name = "bias"}, %pos: tensor<?x?xbf16> {tile.name = "pos"})
    -> (tensor<?x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x?xbf16>
  %c5 = arith.constant 0 : index
  %dim6 = tensor.dim %w, %c5 : tensor<?x?xbf16>
  %v7 = tensor.empty(%dim2, %dim6) : tensor<?x?xf32>
  %v8 = arith.constant 0.0 : f32
  %v9 = linalg.fill ins(%v8 : f32) outs(%v7 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v10 = linalg.contract indexing_maps = [affine_map<(t, d, k) -> (t, k)>, affine_map<(t, d, k) -> (d, k)>, affine_map<(t, d, k) -> (t, d)>] ins(%x, %w : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%v9 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v11 = tensor.empty(%dim2, %dim6) : tensor<?x?xbf16>
  %v12 = linalg.generic {indexing_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (d)>, affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (t, d)>], iterator_types = ["parallel", "parallel"]} ins(%v10, %bias, %pos : tensor<?x?xf32>, tensor<?xbf16>, tensor<?x?xbf16>) outs(%v11 : tensor<?x?xbf16>) {
  ^bb0(%in_p: f32, %in_q: bf16, %in_s: bf16, %out: bf16):
    %e1 = arith.extf %in_q : bf16 to f32
    %e2 = arith.addf %in_p, %e1 : f32
    %e3 = arith.constant 0.0 : f32
    %e4 = arith.maximumf %e2, %e3 : f32
    %e5 = arith.constant 16.0 : f32
    %e6 = arith.mulf %e4, %e5 : f32
    %e7 = arith.extf %in_s : bf16 to f32
    %e8 = arith.addf %e6, %e7 : f32
    %e9 = arith.truncf %e8 : f32 to bf16
    linalg.yield %e9 : bf16
  } -> tensor<?x?xbf16>
  return %v12 : tensor<?x?xbf16>
}
