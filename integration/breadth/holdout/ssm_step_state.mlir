// One step of the recurrence.
func.func @ssm_step_state(%h: tensor<?x?x16xf32> {tile.name = "h"}, %da: tensor<?x?x16xf32> {tile.name = "da"}, %dt: tensor<?x?xf32> {tile.name = "dt"}, %bm: tensor<?x16xbf16> {tile.name = "bm"}, %x: tensor<?x?xbf16> {tile.name = "x"})
    -> (tensor<?x?x16xf32> {tile.name = "h2"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %h, %c1 : tensor<?x?x16xf32>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %h, %c3 : tensor<?x?x16xf32>
  %v5 = tensor.empty(%dim2, %dim4) : tensor<?x?x16xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(b, d, n) -> (b, d, n)>, affine_map<(b, d, n) -> (b, d, n)>, affine_map<(b, d, n) -> (b, d)>, affine_map<(b, d, n) -> (b, n)>, affine_map<(b, d, n) -> (b, d)>, affine_map<(b, d, n) -> (b, d, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%da, %h, %dt, %bm, %x : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x16xbf16>, tensor<?x?xbf16>) outs(%v5 : tensor<?x?x16xf32>) {
  ^bb0(%in_a: f32, %in_h: f32, %in_t: f32, %in_m: bf16, %in_x: bf16, %out: f32):
    %e1 = arith.mulf %in_a, %in_h : f32
    %e2 = arith.extf %in_m : bf16 to f32
    %e3 = arith.mulf %in_t, %e2 : f32
    %e4 = arith.extf %in_x : bf16 to f32
    %e5 = arith.mulf %e3, %e4 : f32
    %e6 = arith.addf %e1, %e5 : f32
    linalg.yield %e6 : f32
  } -> tensor<?x?x16xf32>
  return %v6 : tensor<?x?x16xf32>
}
