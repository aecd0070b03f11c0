// The gated output, projected onto the residual stream.
func.func @ssm_out_proj(%y: tensor<?x?xbf16> {tile.name = "y"}, %z: tensor<?x?xbf16> {tile.name = "z"}, %w: tensor<?x?xbf16> {tile.name = "w"}, %res: tensor<?x?xbf16> {tile.name = "res"})
    -> (tensor<?x?xbf16> {tile.name = "o"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %y, %c1 : tensor<?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %y, %c3 : tensor<?x?xbf16>
  %c5 = arith.constant 0 : index
  %dim6 = tensor.dim %w, %c5 : tensor<?x?xbf16>
  %v7 = tensor.empty(%dim2, %dim4) : tensor<?x?xbf16>
  %v8 = linalg.generic {indexing_maps = [affine_map<(l, k) -> (l, k)>, affine_map<(l, k) -> (l, k)>, affine_map<(l, k) -> (l, k)>], iterator_types = ["parallel", "parallel"]} ins(%y, %z : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%v7 : tensor<?x?xbf16>) {
  ^bb0(%in_y: bf16, %in_z: bf16, %out: bf16):
    %e1 = arith.extf %in_y : bf16 to f32
    %e2 = arith.extf %in_z : bf16 to f32
    %e3 = arith.negf %e2 : f32
    %e4 = math.exp %e3 : f32
    %e5 = arith.constant 1.0 : f32
    %e6 = arith.addf %e4, %e5 : f32
    %e7 = arith.divf %e2, %e6 : f32
    %e8 = arith.mulf %e1, %e7 : f32
    %e9 = arith.truncf %e8 : f32 to bf16
    linalg.yield %e9 : bf16
  } -> tensor<?x?xbf16>
  %v9 = tensor.empty(%dim2, %dim6) : tensor<?x?xf32>
  %v10 = arith.constant 0.0 : f32
  %v11 = linalg.fill ins(%v10 : f32) outs(%v9 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v12 = linalg.contract indexing_maps = [affine_map<(l, d, k) -> (l, k)>, affine_map<(l, d, k) -> (d, k)>, affine_map<(l, d, k) -> (l, d)>] ins(%v8, %w : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%v11 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v13 = tensor.empty(%dim2, %dim6) : tensor<?x?xbf16>
  %v14 = linalg.generic {indexing_maps = [affine_map<(l, d) -> (l, d)>, affine_map<(l, d) -> (l, d)>, affine_map<(l, d) -> (l, d)>], iterator_types = ["parallel", "parallel"]} ins(%v12, %res : tensor<?x?xf32>, tensor<?x?xbf16>) outs(%v13 : tensor<?x?xbf16>) {
  ^bb0(%in_p: f32, %in_r: bf16, %out: bf16):
    %e1 = arith.extf %in_r : bf16 to f32
    %e2 = arith.addf %in_p, %e1 : f32
    %e3 = arith.truncf %e2 : f32 to bf16
    linalg.yield %e3 : bf16
  } -> tensor<?x?xbf16>
  return %v14 : tensor<?x?xbf16>
}
