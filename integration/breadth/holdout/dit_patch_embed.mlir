// Patches as a product, with the position embedding.
func.func @dit_patch_embed(%patches: tensor<?x?x?xbf16> {tile.name = "patches"}, %w: tensor<?x?xbf16> {tile.name = "w"}, %bias: tensor<?xbf16> {tile.name = "bias"}, %pos: tensor<?x?xf32> {tile.name = "pos"})
    -> (tensor<?x?x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %patches, %c1 : tensor<?x?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %patches, %c3 : tensor<?x?x?xbf16>
  %c5 = arith.constant 2 : index
  %dim6 = tensor.dim %patches, %c5 : tensor<?x?x?xbf16>
  %c7 = arith.constant 0 : index
  %dim8 = tensor.dim %w, %c7 : tensor<?x?xbf16>
  %v9 = tensor.empty(%dim2, %dim4, %dim8) : tensor<?x?x?xf32>
  %v10 = arith.constant 0.0 : f32
  %v11 = linalg.fill ins(%v10 : f32) outs(%v9 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v12 = linalg.contract indexing_maps = [affine_map<(b, t, d, p) -> (b, t, p)>, affine_map<(b, t, d, p) -> (d, p)>, affine_map<(b, t, d, p) -> (b, t, d)>] ins(%patches, %w : tensor<?x?x?xbf16>, tensor<?x?xbf16>) outs(%v11 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v13 = tensor.empty(%dim2, %dim4, %dim8) : tensor<?x?x?xbf16>
  %v14 = linalg.generic {indexing_maps = [affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (d)>, affine_map<(b, t, d) -> (t, d)>, affine_map<(b, t, d) -> (b, t, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v12, %bias, %pos : tensor<?x?x?xf32>, tensor<?xbf16>, tensor<?x?xf32>) outs(%v13 : tensor<?x?x?xbf16>) {
  ^bb0(%in_q: f32, %in_c: bf16, %in_s: f32, %out: bf16):
    %e1 = arith.extf %in_c : bf16 to f32
    %e2 = arith.addf %in_q, %e1 : f32
    %e3 = arith.addf %e2, %in_s : f32
    %e4 = arith.truncf %e3 : f32 to bf16
    linalg.yield %e4 : bf16
  } -> tensor<?x?x?xbf16>
  return %v14 : tensor<?x?x?xbf16>
}
