// A product of rank 48 with softplus.
func.func @ssm_dt_proj(%x: tensor<?x48xbf16> {tile.name = "x"}, %w: tensor<?x48xbf16> {tile.name = "w"}, %bias: tensor<?xf32> {tile.name = "bias"})
    -> (tensor<?x?xf32> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x48xbf16>
  %c3 = arith.constant 0 : index
  %dim4 = tensor.dim %w, %c3 : tensor<?x48xbf16>
  %v5 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v6 = arith.constant 0.0 : f32
  %v7 = linalg.fill ins(%v6 : f32) outs(%v5 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v8 = linalg.contract indexing_maps = [affine_map<(l, d, r) -> (l, r)>, affine_map<(l, d, r) -> (d, r)>, affine_map<(l, d, r) -> (l, d)>] ins(%x, %w : tensor<?x48xbf16>, tensor<?x48xbf16>) outs(%v7 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v9 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(l, d) -> (l, d)>, affine_map<(l, d) -> (d)>, affine_map<(l, d) -> (l, d)>], iterator_types = ["parallel", "parallel"]} ins(%v8, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%v9 : tensor<?x?xf32>) {
  ^bb0(%in_p: f32, %in_q: f32, %out: f32):
    %e1 = arith.addf %in_p, %in_q : f32
    %e2 = math.exp %e1 : f32
    %e3 = math.log1p %e2 : f32
    linalg.yield %e3 : f32
  } -> tensor<?x?xf32>
  return %v10 : tensor<?x?xf32>
}
