// Cross attention to a prompt whose padding has a large negative bias.
func.func @dit_text_attention(%q: tensor<?x?x?x64xbf16> {tile.name = "q"}, %k: tensor<?x?x?x64xbf16> {tile.name = "k"}, %v: tensor<?x?x?x64xbf16> {tile.name = "v"}, %bias: tensor<?x?xf32> {tile.name = "bias"})
    -> (tensor<?x?x?x64xbf16> {tile.name = "o"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %q, %c1 : tensor<?x?x?x64xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %q, %c3 : tensor<?x?x?x64xbf16>
  %c5 = arith.constant 2 : index
  %dim6 = tensor.dim %q, %c5 : tensor<?x?x?x64xbf16>
  %c7 = arith.constant 2 : index
  %dim8 = tensor.dim %k, %c7 : tensor<?x?x?x64xbf16>
  %v9 = tensor.empty(%dim2, %dim4, %dim6, %dim8) : tensor<?x?x?x?xf32>
  %v10 = arith.constant 0.0 : f32
  %v11 = linalg.fill ins(%v10 : f32) outs(%v9 : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %v12 = linalg.contract indexing_maps = [affine_map<(b, h, t, s, e) -> (b, h, t, e)>, affine_map<(b, h, t, s, e) -> (b, h, s, e)>, affine_map<(b, h, t, s, e) -> (b, h, t, s)>] ins(%q, %k : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>) outs(%v11 : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %v13 = tensor.empty(%dim2, %dim4, %dim6, %dim8) : tensor<?x?x?x?xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(b, h, t, s) -> (b, h, t, s)>, affine_map<(b, h, t, s) -> (b, s)>, affine_map<(b, h, t, s) -> (b, h, t, s)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v12, %bias : tensor<?x?x?x?xf32>, tensor<?x?xf32>) outs(%v13 : tensor<?x?x?x?xf32>) {
  ^bb0(%in_p: f32, %in_m: f32, %out: f32):
    %e1 = arith.constant 0.125 : f32
    %e2 = arith.mulf %in_p, %e1 : f32
    %e3 = arith.addf %e2, %in_m : f32
    linalg.yield %e3 : f32
  } -> tensor<?x?x?x?xf32>
  %v15 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?xf32>
  %v16 = arith.constant 0xFF800000 : f32
  %v17 = linalg.fill ins(%v16 : f32) outs(%v15 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(b, h, t, s) -> (b, h, t, s)>, affine_map<(b, h, t, s) -> (b, h, t)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v14 : tensor<?x?x?x?xf32>) outs(%v17 : tensor<?x?x?xf32>) {
  ^bb0(%in_x: f32, %acc: f32):
    %r = arith.maximumf %acc, %in_x : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %v19 = tensor.empty(%dim2, %dim4, %dim6, %dim8) : tensor<?x?x?x?xf32>
  %v20 = linalg.generic {indexing_maps = [affine_map<(b, h, t, s) -> (b, h, t, s)>, affine_map<(b, h, t, s) -> (b, h, t)>, affine_map<(b, h, t, s) -> (b, h, t, s)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v14, %v18 : tensor<?x?x?x?xf32>, tensor<?x?x?xf32>) outs(%v19 : tensor<?x?x?x?xf32>) {
  ^bb0(%in_x: f32, %in_m: f32, %out: f32):
    %e1 = arith.subf %in_x, %in_m : f32
    %e2 = math.exp %e1 : f32
    linalg.yield %e2 : f32
  } -> tensor<?x?x?x?xf32>
  %v21 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?xf32>
  %v22 = arith.constant 0.0 : f32
  %v23 = linalg.fill ins(%v22 : f32) outs(%v21 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v24 = linalg.generic {indexing_maps = [affine_map<(b, h, t, s) -> (b, h, t, s)>, affine_map<(b, h, t, s) -> (b, h, t)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v20 : tensor<?x?x?x?xf32>) outs(%v23 : tensor<?x?x?xf32>) {
  ^bb0(%in_e: f32, %acc: f32):
    %r = arith.addf %acc, %in_e : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %v25 = tensor.empty(%dim2, %dim4, %dim6, %dim8) : tensor<?x?x?x?xf32>
  %v26 = linalg.generic {indexing_maps = [affine_map<(b, h, t, s) -> (b, h, t, s)>, affine_map<(b, h, t, s) -> (b, h, t)>, affine_map<(b, h, t, s) -> (b, h, t, s)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v20, %v24 : tensor<?x?x?x?xf32>, tensor<?x?x?xf32>) outs(%v25 : tensor<?x?x?x?xf32>) {
  ^bb0(%in_e: f32, %in_s: f32, %out: f32):
    %e1 = arith.divf %in_e, %in_s : f32
    linalg.yield %e1 : f32
  } -> tensor<?x?x?x?xf32>
  %v27 = arith.truncf %v26 : tensor<?x?x?x?xf32> to tensor<?x?x?x?xbf16>
  %v28 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?x64xf32>
  %v29 = arith.constant 0.0 : f32
  %v30 = linalg.fill ins(%v29 : f32) outs(%v28 : tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
  %v31 = linalg.contract indexing_maps = [affine_map<(b, h, t, e, s) -> (b, h, t, s)>, affine_map<(b, h, t, e, s) -> (b, h, s, e)>, affine_map<(b, h, t, e, s) -> (b, h, t, e)>] ins(%v27, %v : tensor<?x?x?x?xbf16>, tensor<?x?x?x64xbf16>) outs(%v30 : tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
  %v32 = arith.truncf %v31 : tensor<?x?x?x64xf32> to tensor<?x?x?x64xbf16>
  return %v32 : tensor<?x?x?x64xbf16>
}
