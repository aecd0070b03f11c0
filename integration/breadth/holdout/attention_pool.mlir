// A weighted mean over the frames.
func.func @attention_pool(%score: tensor<?x?xf32> {tile.name = "score"}, %x: tensor<?x?x?xbf16> {tile.name = "x"})
    -> (tensor<?x?xf32> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %score, %c1 : tensor<?x?xf32>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %score, %c3 : tensor<?x?xf32>
  %c5 = arith.constant 2 : index
  %dim6 = tensor.dim %x, %c5 : tensor<?x?x?xbf16>
  %v7 = tensor.empty(%dim2) : tensor<?xf32>
  %v8 = arith.constant 0xFF800000 : f32
  %v9 = linalg.fill ins(%v8 : f32) outs(%v7 : tensor<?xf32>) -> tensor<?xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b)>], iterator_types = ["parallel", "reduction"]} ins(%score : tensor<?x?xf32>) outs(%v9 : tensor<?xf32>) {
  ^bb0(%in_x: f32, %acc: f32):
    %r = arith.maximumf %acc, %in_x : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v11 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]} ins(%score, %v10 : tensor<?x?xf32>, tensor<?xf32>) outs(%v11 : tensor<?x?xf32>) {
  ^bb0(%in_x: f32, %in_m: f32, %out: f32):
    %e1 = arith.subf %in_x, %in_m : f32
    %e2 = math.exp %e1 : f32
    linalg.yield %e2 : f32
  } -> tensor<?x?xf32>
  %v13 = tensor.empty(%dim2) : tensor<?xf32>
  %v14 = arith.constant 0.0 : f32
  %v15 = linalg.fill ins(%v14 : f32) outs(%v13 : tensor<?xf32>) -> tensor<?xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b)>], iterator_types = ["parallel", "reduction"]} ins(%v12 : tensor<?x?xf32>) outs(%v15 : tensor<?xf32>) {
  ^bb0(%in_e: f32, %acc: f32):
    %r = arith.addf %acc, %in_e : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v17 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]} ins(%v12, %v16 : tensor<?x?xf32>, tensor<?xf32>) outs(%v17 : tensor<?x?xf32>) {
  ^bb0(%in_e: f32, %in_s: f32, %out: f32):
    %e1 = arith.divf %in_e, %in_s : f32
    linalg.yield %e1 : f32
  } -> tensor<?x?xf32>
  %v19 = tensor.empty(%dim2, %dim6) : tensor<?x?xf32>
  %v20 = arith.constant 0.0 : f32
  %v21 = linalg.fill ins(%v20 : f32) outs(%v19 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(b, d, t) -> (b, t)>, affine_map<(b, d, t) -> (b, t, d)>, affine_map<(b, d, t) -> (b, d)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v18, %x : tensor<?x?xf32>, tensor<?x?x?xbf16>) outs(%v21 : tensor<?x?xf32>) {
  ^bb0(%in_p: f32, %in_x: bf16, %acc: f32):
    %e1 = arith.extf %in_x : bf16 to f32
    %e2 = arith.mulf %in_p, %e1 : f32
    %r = arith.addf %acc, %e2 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %v22 : tensor<?x?xf32>
}
