// Scores with a bias for the content and one for the distance.
func.func @relative_scores(%q: tensor<?x?x64xbf16> {tile.name = "q"}, %u: tensor<?x64xbf16> {tile.name = "u"}, %k: tensor<?x?x64xbf16> {tile.name = "k"}, %rel: tensor<?x?x?xbf16> {tile.name = "rel"})
    -> (tensor<?x?x?xf32> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %q, %c1 : tensor<?x?x64xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %q, %c3 : tensor<?x?x64xbf16>
  %c5 = arith.constant 1 : index
  %dim6 = tensor.dim %k, %c5 : tensor<?x?x64xbf16>
  %v7 = tensor.empty(%dim2, %dim4) : tensor<?x?x64xbf16>
  %v8 = linalg.generic {indexing_maps = [affine_map<(h, t, e) -> (h, t, e)>, affine_map<(h, t, e) -> (h, e)>, affine_map<(h, t, e) -> (h, t, e)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q, %u : tensor<?x?x64xbf16>, tensor<?x64xbf16>) outs(%v7 : tensor<?x?x64xbf16>) {
  ^bb0(%in_q: bf16, %in_u: bf16, %out: bf16):
    %e1 = arith.extf %in_q : bf16 to f32
    %e2 = arith.extf %in_u : bf16 to f32
    %e3 = arith.addf %e1, %e2 : f32
    %e4 = arith.truncf %e3 : f32 to bf16
    linalg.yield %e4 : bf16
  } -> tensor<?x?x64xbf16>
  %v9 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?xf32>
  %v10 = arith.constant 0.0 : f32
  %v11 = linalg.fill ins(%v10 : f32) outs(%v9 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v12 = linalg.contract indexing_maps = [affine_map<(h, t, s, e) -> (h, t, e)>, affine_map<(h, t, s, e) -> (h, s, e)>, affine_map<(h, t, s, e) -> (h, t, s)>] ins(%v8, %k : tensor<?x?x64xbf16>, tensor<?x?x64xbf16>) outs(%v11 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v13 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(h, t, s) -> (h, t, s)>, affine_map<(h, t, s) -> (h, t, s)>, affine_map<(h, t, s) -> (h, t, s)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v12, %rel : tensor<?x?x?xf32>, tensor<?x?x?xbf16>) outs(%v13 : tensor<?x?x?xf32>) {
  ^bb0(%in_p: f32, %in_r: bf16, %out: f32):
    %e1 = arith.extf %in_r : bf16 to f32
    %e2 = arith.addf %in_p, %e1 : f32
    %e3 = arith.constant 0.125 : f32
    %e4 = arith.mulf %e2, %e3 : f32
    linalg.yield %e4 : f32
  } -> tensor<?x?x?xf32>
  return %v14 : tensor<?x?x?xf32>
}
