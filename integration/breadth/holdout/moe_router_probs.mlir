// Logits of 64 experts and their softmax, in one.
func.func @moe_router_probs(%x: tensor<?x?xbf16> {tile.name = "x"}, %w: tensor<64x?xbf16> {tile.name = "w"})
    -> (tensor<?x64xf32> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x?xbf16>
  %v5 = tensor.empty(%dim2) : tensor<?x64xf32>
  %v6 = arith.constant 0.0 : f32
  %v7 = linalg.fill ins(%v6 : f32) outs(%v5 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %v8 = linalg.contract indexing_maps = [affine_map<(t, e, k) -> (t, k)>, affine_map<(t, e, k) -> (e, k)>, affine_map<(t, e, k) -> (t, e)>] ins(%x, %w : tensor<?x?xbf16>, tensor<64x?xbf16>) outs(%v7 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %v9 = tensor.empty(%dim2) : tensor<?xf32>
  %v10 = arith.constant 0xFF800000 : f32
  %v11 = linalg.fill ins(%v10 : f32) outs(%v9 : tensor<?xf32>) -> tensor<?xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(t, e) -> (t, e)>, affine_map<(t, e) -> (t)>], iterator_types = ["parallel", "reduction"]} ins(%v8 : tensor<?x64xf32>) outs(%v11 : tensor<?xf32>) {
  ^bb0(%in_x: f32, %acc: f32):
    %r = arith.maximumf %acc, %in_x : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v13 = tensor.empty(%dim2) : tensor<?x64xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(t, e) -> (t, e)>, affine_map<(t, e) -> (t)>, affine_map<(t, e) -> (t, e)>], iterator_types = ["parallel", "parallel"]} ins(%v8, %v12 : tensor<?x64xf32>, tensor<?xf32>) outs(%v13 : tensor<?x64xf32>) {
  ^bb0(%in_x: f32, %in_m: f32, %out: f32):
    %e1 = arith.subf %in_x, %in_m : f32
    %e2 = math.exp %e1 : f32
    linalg.yield %e2 : f32
  } -> tensor<?x64xf32>
  %v15 = tensor.empty(%dim2) : tensor<?xf32>
  %v16 = arith.constant 0.0 : f32
  %v17 = linalg.fill ins(%v16 : f32) outs(%v15 : tensor<?xf32>) -> tensor<?xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(t, e) -> (t, e)>, affine_map<(t, e) -> (t)>], iterator_types = ["parallel", "reduction"]} ins(%v14 : tensor<?x64xf32>) outs(%v17 : tensor<?xf32>) {
  ^bb0(%in_e: f32, %acc: f32):
    %r = arith.addf %acc, %in_e : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v19 = tensor.empty(%dim2) : tensor<?x64xf32>
  %v20 = linalg.generic {indexing_maps = [affine_map<(t, e) -> (t, e)>, affine_map<(t, e) -> (t)>, affine_map<(t, e) -> (t, e)>], iterator_types = ["parallel", "parallel"]} ins(%v14, %v18 : tensor<?x64xf32>, tensor<?xf32>) outs(%v19 : tensor<?x64xf32>) {
  ^bb0(%in_e: f32, %in_s: f32, %out: f32):
    %e1 = arith.divf %in_e, %in_s : f32
    linalg.yield %e1 : f32
  } -> tensor<?x64xf32>
  return %v20 : tensor<?x64xf32>
}
