// The gated first layer of every expert.
func.func @moe_expert_swiglu(%x: tensor<?x?x?xbf16> {tile.name = "x"}, %wg: tensor<?x?x?xbf16> {tile.name = "wg"}, %wu: tensor<?x?x?xbf16> {tile.name = "wu"})
    -> (tensor<?x?x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x?x?xbf16>
  %c5 = arith.constant 2 : index
  %dim6 = tensor.dim %x, %c5 : tensor<?x?x?xbf16>
  %c7 = arith.constant 1 : index
  %dim8 = tensor.dim %wg, %c7 : tensor<?x?x?xbf16>
  %v9 = tensor.empty(%dim2, %dim4, %dim8) : tensor<?x?x?xf32>
  %v10 = arith.constant 0.0 : f32
  %v11 = linalg.fill ins(%v10 : f32) outs(%v9 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v12 = linalg.contract indexing_maps = [affine_map<(e, c, n, k) -> (e, c, k)>, affine_map<(e, c, n, k) -> (e, n, k)>, affine_map<(e, c, n, k) -> (e, c, n)>] ins(%x, %wg : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%v11 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v13 = tensor.empty(%dim2, %dim4, %dim8) : tensor<?x?x?xf32>
  %v14 = arith.constant 0.0 : f32
  %v15 = linalg.fill ins(%v14 : f32) outs(%v13 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v16 = linalg.contract indexing_maps = [affine_map<(e, c, n, k) -> (e, c, k)>, affine_map<(e, c, n, k) -> (e, n, k)>, affine_map<(e, c, n, k) -> (e, c, n)>] ins(%x, %wu : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%v15 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v17 = tensor.empty(%dim2, %dim4, %dim8) : tensor<?x?x?xbf16>
  %v18 = linalg.generic {indexing_maps = [affine_map<(e, c, n) -> (e, c, n)>, affine_map<(e, c, n) -> (e, c, n)>, affine_map<(e, c, n) -> (e, c, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v12, %v16 : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%v17 : tensor<?x?x?xbf16>) {
  ^bb0(%in_p: f32, %in_q: f32, %out: bf16):
    %e1 = arith.negf %in_p : f32
    %e2 = math.exp %e1 : f32
    %e3 = arith.constant 1.0 : f32
    %e4 = arith.addf %e2, %e3 : f32
    %e5 = arith.divf %in_p, %e4 : f32
    %e6 = arith.mulf %e5, %in_q : f32
    %e7 = arith.truncf %e6 : f32 to bf16
    linalg.yield %e7 : bf16
  } -> tensor<?x?x?xbf16>
  return %v18 : tensor<?x?x?xbf16>
}
