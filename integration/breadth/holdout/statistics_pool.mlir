// Mean and deviation over the frames.
func.func @statistics_pool(%x: tensor<?x400x?xbf16> {tile.name = "x"})
    -> (tensor<?x?xf32> {tile.name = "mean"}, tensor<?x?xf32> {tile.name = "dev"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x400x?xbf16>
  %c3 = arith.constant 2 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x400x?xbf16>
  %v5 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v6 = arith.constant 0.0 : f32
  %v7 = linalg.fill ins(%v6 : f32) outs(%v5 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b, d, t) -> (b, t, d)>, affine_map<(b, d, t) -> (b, d)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<?x400x?xbf16>) outs(%v7 : tensor<?x?xf32>) {
  ^bb0(%in_x: bf16, %acc: f32):
    %e1 = arith.extf %in_x : bf16 to f32
    %r = arith.addf %acc, %e1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v9 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v10 = arith.constant 0.0 : f32
  %v11 = linalg.fill ins(%v10 : f32) outs(%v9 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(b, d, t) -> (b, t, d)>, affine_map<(b, d, t) -> (b, d)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<?x400x?xbf16>) outs(%v11 : tensor<?x?xf32>) {
  ^bb0(%in_x: bf16, %acc: f32):
    %e1 = arith.extf %in_x : bf16 to f32
    %e2 = arith.mulf %e1, %e1 : f32
    %r = arith.addf %acc, %e2 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v13 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>], iterator_types = ["parallel", "parallel"]} ins(%v8 : tensor<?x?xf32>) outs(%v13 : tensor<?x?xf32>) {
  ^bb0(%in_s: f32, %out: f32):
    %e1 = arith.constant 400.0 : f32
    %e2 = arith.divf %in_s, %e1 : f32
    linalg.yield %e2 : f32
  } -> tensor<?x?xf32>
  %v15 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>], iterator_types = ["parallel", "parallel"]} ins(%v12, %v14 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%v15 : tensor<?x?xf32>) {
  ^bb0(%in_q: f32, %in_m: f32, %out: f32):
    %e1 = arith.constant 400.0 : f32
    %e2 = arith.divf %in_q, %e1 : f32
    %e3 = arith.mulf %in_m, %in_m : f32
    %e4 = arith.subf %e2, %e3 : f32
    %e5 = arith.constant 0.0 : f32
    %e6 = arith.maximumf %e4, %e5 : f32
    %e7 = arith.constant 0.0001 : f32
    %e8 = arith.addf %e6, %e7 : f32
    %e9 = math.sqrt %e8 : f32
    linalg.yield %e9 : f32
  } -> tensor<?x?xf32>
  return %v14, %v16 : tensor<?x?xf32>, tensor<?x?xf32>
}
