// RMS norm of every head's query.
func.func @dit_qk_norm(%q: tensor<?x?x?x72xbf16> {tile.name = "q"}, %w: tensor<72xf32> {tile.name = "w"})
    -> (tensor<?x?x?x72xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %q, %c1 : tensor<?x?x?x72xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %q, %c3 : tensor<?x?x?x72xbf16>
  %c5 = arith.constant 2 : index
  %dim6 = tensor.dim %q, %c5 : tensor<?x?x?x72xbf16>
  %v7 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?xf32>
  %v8 = arith.constant 0.0 : f32
  %v9 = linalg.fill ins(%v8 : f32) outs(%v7 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(b, t, h, e) -> (b, t, h, e)>, affine_map<(b, t, h, e) -> (b, t, h)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q : tensor<?x?x?x72xbf16>) outs(%v9 : tensor<?x?x?xf32>) {
  ^bb0(%in_x: bf16, %acc: f32):
    %e1 = arith.extf %in_x : bf16 to f32
    %e2 = arith.mulf %e1, %e1 : f32
    %r = arith.addf %acc, %e2 : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %v11 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(b, t, h) -> (b, t, h)>, affine_map<(b, t, h) -> (b, t, h)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v10 : tensor<?x?x?xf32>) outs(%v11 : tensor<?x?x?xf32>) {
  ^bb0(%in_v: f32, %out: f32):
    %e1 = arith.constant 72.0 : f32
    %e2 = arith.divf %in_v, %e1 : f32
    %e3 = arith.constant 1.0e-06 : f32
    %e4 = arith.addf %e2, %e3 : f32
    %e5 = math.rsqrt %e4 : f32
    linalg.yield %e5 : f32
  } -> tensor<?x?x?xf32>
  %v13 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?x72xbf16>
  %v14 = linalg.generic {indexing_maps = [affine_map<(b, t, h, e) -> (b, t, h, e)>, affine_map<(b, t, h, e) -> (b, t, h)>, affine_map<(b, t, h, e) -> (e)>, affine_map<(b, t, h, e) -> (b, t, h, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%q, %v12, %w : tensor<?x?x?x72xbf16>, tensor<?x?x?xf32>, tensor<72xf32>) outs(%v13 : tensor<?x?x?x72xbf16>) {
  ^bb0(%in_x: bf16, %in_r: f32, %in_w: f32, %out: bf16):
    %e1 = arith.extf %in_x : bf16 to f32
    %e2 = arith.mulf %e1, %in_r : f32
    %e3 = arith.mulf %e2, %in_w : f32
    %e4 = arith.truncf %e3 : f32 to bf16
    linalg.yield %e4 : bf16
  } -> tensor<?x?x?x72xbf16>
  return %v14 : tensor<?x?x?x72xbf16>
}
