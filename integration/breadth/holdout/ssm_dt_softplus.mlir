// The step sizes.
func.func @ssm_dt_softplus(%dt: tensor<?x?x?xbf16> {tile.name = "dt"}, %bias: tensor<?xf32> {tile.name = "bias"})
    -> (tensor<?x?x?xf32> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %dt, %c1 : tensor<?x?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %dt, %c3 : tensor<?x?x?xbf16>
  %c5 = arith.constant 2 : index
  %dim6 = tensor.dim %dt, %c5 : tensor<?x?x?xbf16>
  %v7 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b, l, d) -> (b, l, d)>, affine_map<(b, l, d) -> (d)>, affine_map<(b, l, d) -> (b, l, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dt, %bias : tensor<?x?x?xbf16>, tensor<?xf32>) outs(%v7 : tensor<?x?x?xf32>) {
  ^bb0(%in_x: bf16, %in_q: f32, %out: f32):
    %e1 = arith.extf %in_x : bf16 to f32
    %e2 = arith.addf %e1, %in_q : f32
    %e3 = math.exp %e2 : f32
    %e4 = math.log1p %e3 : f32
    linalg.yield %e4 : f32
  } -> tensor<?x?x?xf32>
  return %v8 : tensor<?x?x?xf32>
}
