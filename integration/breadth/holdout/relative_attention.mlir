// Attention with a relative position bias.
func.func @relative_attention(%q: tensor<?x?x64xbf16> {tile.name = "q"}, %k: tensor<?x?x64xbf16> {tile.name = "k"}, %v: tensor<?x?x64xbf16> {tile.name = "v"}, %rel: tensor<?x?x?xf32> {tile.name = "rel"})
    -> (tensor<?x?x64xbf16> {tile.name = "o"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %q, %c1 : tensor<?x?x64xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %q, %c3 : tensor<?x?x64xbf16>
  %c5 = arith.constant 1 : index
  %dim6 = tensor.dim %k, %c5 : tensor<?x?x64xbf16>
  %v7 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?xf32>
  %v8 = arith.constant 0.0 : f32
  %v9 = linalg.fill ins(%v8 : f32) outs(%v7 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v10 = linalg.contract indexing_maps = [affine_map<(h, t, s, e) -> (h, t, e)>, affine_map<(h, t, s, e) -> (h, s, e)>, affine_map<(h, t, s, e) -> (h, t, s)>] ins(%q, %k : tensor<?x?x64xbf16>, tensor<?x?x64xbf16>) outs(%v9 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v11 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(h, t, s) -> (h, t, s)>, affine_map<(h, t, s) -> (h, t, s)>, affine_map<(h, t, s) -> (h, t, s)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v10, %rel : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%v11 : tensor<?x?x?xf32>) {
  ^bb0(%in_p: f32, %in_r: f32, %out: f32):
    %e1 = arith.addf %in_p, %in_r : f32
    %e2 = arith.constant 0.125 : f32
    %e3 = arith.mulf %e1, %e2 : f32
    linalg.yield %e3 : f32
  } -> tensor<?x?x?xf32>
  %v13 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v14 = arith.constant 0xFF800000 : f32
  %v15 = linalg.fill ins(%v14 : f32) outs(%v13 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(h, t, s) -> (h, t, s)>, affine_map<(h, t, s) -> (h, t)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v12 : tensor<?x?x?xf32>) outs(%v15 : tensor<?x?xf32>) {
  ^bb0(%in_x: f32, %acc: f32):
    %r = arith.maximumf %acc, %in_x : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v17 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(h, t, s) -> (h, t, s)>, affine_map<(h, t, s) -> (h, t)>, affine_map<(h, t, s) -> (h, t, s)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v12, %v16 : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%v17 : tensor<?x?x?xf32>) {
  ^bb0(%in_x: f32, %in_m: f32, %out: f32):
    %e1 = arith.subf %in_x, %in_m : f32
    %e2 = math.exp %e1 : f32
    linalg.yield %e2 : f32
  } -> tensor<?x?x?xf32>
  %v19 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v20 = arith.constant 0.0 : f32
  %v21 = linalg.fill ins(%v20 : f32) outs(%v19 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(h, t, s) -> (h, t, s)>, affine_map<(h, t, s) -> (h, t)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v18 : tensor<?x?x?xf32>) outs(%v21 : tensor<?x?xf32>) {
  ^bb0(%in_e: f32, %acc: f32):
    %r = arith.addf %acc, %in_e : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v23 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?xf32>
  %v24 = linalg.generic {indexing_maps = [affine_map<(h, t, s) -> (h, t, s)>, affine_map<(h, t, s) -> (h, t)>, affine_map<(h, t, s) -> (h, t, s)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v18, %v22 : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%v23 : tensor<?x?x?xf32>) {
  ^bb0(%in_e: f32, %in_s: f32, %out: f32):
    %e1 = arith.divf %in_e, %in_s : f32
    linalg.yield %e1 : f32
  } -> tensor<?x?x?xf32>
  %v25 = arith.truncf %v24 : tensor<?x?x?xf32> to tensor<?x?x?xbf16>
  %v26 = tensor.empty(%dim2, %dim4) : tensor<?x?x64xf32>
  %v27 = arith.constant 0.0 : f32
  %v28 = linalg.fill ins(%v27 : f32) outs(%v26 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %v29 = linalg.contract indexing_maps = [affine_map<(h, t, e, s) -> (h, t, s)>, affine_map<(h, t, e, s) -> (h, s, e)>, affine_map<(h, t, e, s) -> (h, t, e)>] ins(%v25, %v : tensor<?x?x?xbf16>, tensor<?x?x64xbf16>) outs(%v28 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %v30 = arith.truncf %v29 : tensor<?x?x64xf32> to tensor<?x?x64xbf16>
  return %v30 : tensor<?x?x64xbf16>
}
