// Sinusoidal embedding of the time step.
func.func @dit_timestep_embedding(%t: tensor<?xf32> {tile.name = "t"}, %freqs: tensor<?xf32> {tile.name = "freqs"})
    -> (tensor<?x?xf32> {tile.name = "c"}, tensor<?x?xf32> {tile.name = "s"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %t, %c1 : tensor<?xf32>
  %c3 = arith.constant 0 : index
  %dim4 = tensor.dim %freqs, %c3 : tensor<?xf32>
  %v5 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(b, h) -> (b)>, affine_map<(b, h) -> (h)>, affine_map<(b, h) -> (b, h)>], iterator_types = ["parallel", "parallel"]} ins(%t, %freqs : tensor<?xf32>, tensor<?xf32>) outs(%v5 : tensor<?x?xf32>) {
  ^bb0(%in_t: f32, %in_w: f32, %out: f32):
    %e1 = arith.mulf %in_t, %in_w : f32
    %e2 = math.cos %e1 : f32
    linalg.yield %e2 : f32
  } -> tensor<?x?xf32>
  %v7 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b, h) -> (b)>, affine_map<(b, h) -> (h)>, affine_map<(b, h) -> (b, h)>], iterator_types = ["parallel", "parallel"]} ins(%t, %freqs : tensor<?xf32>, tensor<?xf32>) outs(%v7 : tensor<?x?xf32>) {
  ^bb0(%in_t: f32, %in_w: f32, %out: f32):
    %e1 = arith.mulf %in_t, %in_w : f32
    %e2 = math.sin %e1 : f32
    linalg.yield %e2 : f32
  } -> tensor<?x?xf32>
  return %v6, %v8 : tensor<?x?xf32>, tensor<?x?xf32>
}
