// The second layer, weighted by the gate.
func.func @moe_expert_down(%x: tensor<?x?x?xbf16> {tile.name = "x"}, %w: tensor<?x?x?xbf16> {tile.name = "w"}, %gate: tensor<?x?xf32> {tile.name = "gate"})
    -> (tensor<?x?x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x?x?xbf16>
  %c5 = arith.constant 2 : index
  %dim6 = tensor.dim %x, %c5 : tensor<?x?x?xbf16>
  %c7 = arith.constant 1 : index
  %dim8 = tensor.dim %w, %c7 : tensor<?x?x?xbf16>
  %v9 = tensor.empty(%dim2, %dim4, %dim8) : tensor<?x?x?xf32>
  %v10 = arith.constant 0.0 : f32
  %v11 = linalg.fill ins(%v10 : f32) outs(%v9 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v12 = linalg.contract indexing_maps = [affine_map<(e, c, n, k) -> (e, c, k)>, affine_map<(e, c, n, k) -> (e, n, k)>, affine_map<(e, c, n, k) -> (e, c, n)>] ins(%x, %w : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%v11 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v13 = tensor.empty(%dim2, %dim4, %dim8) : tensor<?x?x?xbf16>
  %v14 = linalg.generic {indexing_maps = [affine_map<(e, c, n) -> (e, c, n)>, affine_map<(e, c, n) -> (e, c)>, affine_map<(e, c, n) -> (e, c, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v12, %gate : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%v13 : tensor<?x?x?xbf16>) {
  ^bb0(%in_p: f32, %in_g: f32, %out: bf16):
    %e1 = arith.mulf %in_p, %in_g : f32
    %e2 = arith.truncf %e1 : f32 to bf16
    linalg.yield %e2 : bf16
  } -> tensor<?x?x?xbf16>
  return %v14 : tensor<?x?x?xbf16>
}
