// The projection after attention, gated for each image, onto the residual stream.
func.func @dit_proj_gate_residual(%a: tensor<?x?x?xbf16> {tile.name = "a"}, %w: tensor<?x?xbf16> {tile.name = "w"}, %bias: tensor<?xbf16> {tile.name = "bias"}, %gate: tensor<?x?xbf16> {tile.name = "gate"}, %res: tensor<?x?x?xbf16> {tile.name = "res"})
    -> (tensor<?x?x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %a, %c1 : tensor<?x?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %a, %c3 : tensor<?x?x?xbf16>
  %c5 = arith.constant 2 : index
  %dim6 = tensor.dim %a, %c5 : tensor<?x?x?xbf16>
  %c7 = arith.constant 0 : index
  %dim8 = tensor.dim %w, %c7 : tensor<?x?xbf16>
  %v9 = tensor.empty(%dim2, %dim4, %dim8) : tensor<?x?x?xf32>
  %v10 = arith.constant 0.0 : f32
  %v11 = linalg.fill ins(%v10 : f32) outs(%v9 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v12 = linalg.contract indexing_maps = [affine_map<(b, t, d, k) -> (b, t, k)>, affine_map<(b, t, d, k) -> (d, k)>, affine_map<(b, t, d, k) -> (b, t, d)>] ins(%a, %w : tensor<?x?x?xbf16>, tensor<?x?xbf16>) outs(%v11 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v13 = tensor.empty(%dim2, %dim4, %dim8) : tensor<?x?x?xbf16>
  %v14 = linalg.generic {indexing_maps = [affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (d)>, affine_map<(b, t, d) -> (b, d)>, affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (b, t, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v12, %bias, %gate, %res : tensor<?x?x?xf32>, tensor<?xbf16>, tensor<?x?xbf16>, tensor<?x?x?xbf16>) outs(%v13 : tensor<?x?x?xbf16>) {
  ^bb0(%in_p: f32, %in_q: bf16, %in_g: bf16, %in_r: bf16, %out: bf16):
    %e1 = arith.extf %in_r : bf16 to f32
    %e2 = arith.extf %in_g : bf16 to f32
    %e3 = arith.extf %in_q : bf16 to f32
    %e4 = arith.addf %in_p, %e3 : f32
    %e5 = arith.mulf %e2, %e4 : f32
    %e6 = arith.addf %e1, %e5 : f32
    %e7 = arith.truncf %e6 : f32 to bf16
    linalg.yield %e7 : bf16
  } -> tensor<?x?x?xbf16>
  return %v14 : tensor<?x?x?xbf16>
}
