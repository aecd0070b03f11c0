// Two projections of one input; the gate goes through silu.
func.func @ssm_in_proj(%x: tensor<?x?xbf16> {tile.name = "x"}, %wx: tensor<?x?xbf16> {tile.name = "wx"}, %wz: tensor<?x?xbf16> {tile.name = "wz"})
    -> (tensor<?x?xbf16> {tile.name = "xs"}, tensor<?x?xbf16> {tile.name = "z"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x?xbf16>
  %c5 = arith.constant 0 : index
  %dim6 = tensor.dim %wx, %c5 : tensor<?x?xbf16>
  %v7 = tensor.empty(%dim2, %dim6) : tensor<?x?xf32>
  %v8 = arith.constant 0.0 : f32
  %v9 = linalg.fill ins(%v8 : f32) outs(%v7 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v10 = linalg.contract indexing_maps = [affine_map<(l, d, k) -> (l, k)>, affine_map<(l, d, k) -> (d, k)>, affine_map<(l, d, k) -> (l, d)>] ins(%x, %wx : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%v9 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v11 = arith.truncf %v10 : tensor<?x?xf32> to tensor<?x?xbf16>
  %v12 = tensor.empty(%dim2, %dim6) : tensor<?x?xf32>
  %v13 = arith.constant 0.0 : f32
  %v14 = linalg.fill ins(%v13 : f32) outs(%v12 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v15 = linalg.contract indexing_maps = [affine_map<(l, d, k) -> (l, k)>, affine_map<(l, d, k) -> (d, k)>, affine_map<(l, d, k) -> (l, d)>] ins(%x, %wz : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%v14 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v16 = tensor.empty(%dim2, %dim6) : tensor<?x?xbf16>
  %v17 = linalg.generic {indexing_maps = [affine_map<(l, d) -> (l, d)>, affine_map<(l, d) -> (l, d)>], iterator_types = ["parallel", "parallel"]} ins(%v15 : tensor<?x?xf32>) outs(%v16 : tensor<?x?xbf16>) {
  ^bb0(%in_p: f32, %out: bf16):
    %e1 = arith.negf %in_p : f32
    %e2 = math.exp %e1 : f32
    %e3 = arith.constant 1.0 : f32
    %e4 = arith.addf %e2, %e3 : f32
    %e5 = arith.divf %in_p, %e4 : f32
    %e6 = arith.truncf %e5 : f32 to bf16
    linalg.yield %e6 : bf16
  } -> tensor<?x?xbf16>
  return %v11, %v17 : tensor<?x?xbf16>, tensor<?x?xbf16>
}
