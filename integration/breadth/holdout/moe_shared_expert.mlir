// The shared expert, gated for each token and added to the routed ones.
func.func @moe_shared_expert(%x: tensor<?x?xbf16> {tile.name = "x"}, %w: tensor<?x?xbf16> {tile.name = "w"}, %logit: tensor<?xf32> {tile.name = "logit"}, %routed: tensor<?x?xbf16> {tile.name = "routed"})
    -> (tensor<?x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x?xbf16>
  %c5 = arith.constant 0 : index
  %dim6 = tensor.dim %w, %c5 : tensor<?x?xbf16>
  %v7 = tensor.empty(%dim2, %dim6) : tensor<?x?xf32>
  %v8 = arith.constant 0.0 : f32
  %v9 = linalg.fill ins(%v8 : f32) outs(%v7 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v10 = linalg.contract indexing_maps = [affine_map<(t, n, k) -> (t, k)>, affine_map<(t, n, k) -> (n, k)>, affine_map<(t, n, k) -> (t, n)>] ins(%x, %w : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%v9 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v11 = tensor.empty(%dim2, %dim6) : tensor<?x?xbf16>
  %v12 = linalg.generic {indexing_maps = [affine_map<(t, n) -> (t, n)>, affine_map<(t, n) -> (t)>, affine_map<(t, n) -> (t, n)>, affine_map<(t, n) -> (t, n)>], iterator_types = ["parallel", "parallel"]} ins(%v10, %logit, %routed : tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xbf16>) outs(%v11 : tensor<?x?xbf16>) {
  ^bb0(%in_p: f32, %in_g: f32, %in_r: bf16, %out: bf16):
    %e1 = arith.extf %in_r : bf16 to f32
    %e2 = arith.negf %in_g : f32
    %e3 = math.exp %e2 : f32
    %e4 = arith.constant 1.0 : f32
    %e5 = arith.addf %e3, %e4 : f32
    %e6 = arith.divf %e4, %e5 : f32
    %e7 = arith.mulf %e6, %in_p : f32
    %e8 = arith.addf %e1, %e7 : f32
    %e9 = arith.truncf %e8 : f32 to bf16
    linalg.yield %e9 : bf16
  } -> tensor<?x?xbf16>
  return %v12 : tensor<?x?xbf16>
}
