// exp(dt A), three dimensions out of two and two.
func.func @ssm_discretize(%dt: tensor<?x?xf32> {tile.name = "dt"}, %a: tensor<?x16xf32> {tile.name = "a"})
    -> (tensor<?x?x16xf32> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %dt, %c1 : tensor<?x?xf32>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %dt, %c3 : tensor<?x?xf32>
  %v5 = tensor.empty(%dim2, %dim4) : tensor<?x?x16xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(l, d, n) -> (l, d)>, affine_map<(l, d, n) -> (d, n)>, affine_map<(l, d, n) -> (l, d, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dt, %a : tensor<?x?xf32>, tensor<?x16xf32>) outs(%v5 : tensor<?x?x16xf32>) {
  ^bb0(%in_t: f32, %in_a: f32, %out: f32):
    %e1 = arith.mulf %in_t, %in_a : f32
    %e2 = arith.constant 0.0 : f32
    %e3 = arith.minimumf %e1, %e2 : f32
    %e4 = math.exp %e3 : f32
    linalg.yield %e4 : f32
  } -> tensor<?x?x16xf32>
  return %v6 : tensor<?x?x16xf32>
}
