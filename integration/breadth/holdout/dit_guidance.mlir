// Classifier-free guidance.
func.func @dit_guidance(%cond: tensor<?x?xbf16> {tile.name = "cond"}, %uncond: tensor<?x?xbf16> {tile.name = "uncond"}, %strength: f32 {tile.name = "strength"})
    -> (tensor<?x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %cond, %c1 : tensor<?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %cond, %c3 : tensor<?x?xbf16>
  %v5 = tensor.empty(%dim2, %dim4) : tensor<?x?xbf16>
  %v6 = linalg.generic {indexing_maps = [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>], iterator_types = ["parallel", "parallel"]} ins(%cond, %uncond : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%v5 : tensor<?x?xbf16>) {
  ^bb0(%in_c: bf16, %in_u: bf16, %out: bf16):
    %e1 = arith.extf %in_u : bf16 to f32
    %e2 = arith.extf %in_c : bf16 to f32
    %e3 = arith.subf %e2, %e1 : f32
    %e4 = arith.mulf %strength, %e3 : f32
    %e5 = arith.addf %e1, %e4 : f32
    %e6 = arith.truncf %e5 : f32 to bf16
    linalg.yield %e6 : bf16
  } -> tensor<?x?xbf16>
  return %v6 : tensor<?x?xbf16>
}
