// A sampler's step, with the prediction clamped.
func.func @dit_ddim_step(%x: tensor<?x?xf32> {tile.name = "x"}, %eps: tensor<?x?xbf16> {tile.name = "eps"}, %alpha: f32 {tile.name = "alpha"}, %sigma: f32 {tile.name = "sigma"})
    -> (tensor<?x?xf32> {tile.name = "x0"}, tensor<?x?xf32> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x?xf32>
  %v5 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>], iterator_types = ["parallel", "parallel"]} ins(%x, %eps : tensor<?x?xf32>, tensor<?x?xbf16>) outs(%v5 : tensor<?x?xf32>) {
  ^bb0(%in_x: f32, %in_e: bf16, %out: f32):
    %e1 = arith.mulf %alpha, %in_x : f32
    %e2 = arith.extf %in_e : bf16 to f32
    %e3 = arith.mulf %sigma, %e2 : f32
    %e4 = arith.subf %e1, %e3 : f32
    %e5 = arith.constant 1.0 : f32
    %e6 = arith.negf %e5 : f32
    %e7 = arith.maximumf %e4, %e6 : f32
    %e8 = arith.constant 1.0 : f32
    %e9 = arith.minimumf %e7, %e8 : f32
    linalg.yield %e9 : f32
  } -> tensor<?x?xf32>
  %v7 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>], iterator_types = ["parallel", "parallel"]} ins(%v6, %eps : tensor<?x?xf32>, tensor<?x?xbf16>) outs(%v7 : tensor<?x?xf32>) {
  ^bb0(%in_q: f32, %in_e: bf16, %out: f32):
    %e1 = arith.constant 0.75 : f32
    %e2 = arith.mulf %e1, %in_q : f32
    %e3 = arith.constant 0.5 : f32
    %e4 = arith.extf %in_e : bf16 to f32
    %e5 = arith.mulf %e3, %e4 : f32
    %e6 = arith.addf %e2, %e5 : f32
    linalg.yield %e6 : f32
  } -> tensor<?x?xf32>
  return %v6, %v8 : tensor<?x?xf32>, tensor<?x?xf32>
}
