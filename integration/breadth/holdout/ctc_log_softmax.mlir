// Log-probabilities of 1000 characters.
func.func @ctc_log_softmax(%x: tensor<?x1000xbf16> {tile.name = "x"})
    -> (tensor<?x1000xf32> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x1000xbf16>
  %v3 = tensor.empty(%dim2) : tensor<?xf32>
  %v4 = arith.constant 0xFF800000 : f32
  %v5 = linalg.fill ins(%v4 : f32) outs(%v3 : tensor<?xf32>) -> tensor<?xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(t, n) -> (t, n)>, affine_map<(t, n) -> (t)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x1000xbf16>) outs(%v5 : tensor<?xf32>) {
  ^bb0(%in_x: bf16, %acc: f32):
    %e1 = arith.extf %in_x : bf16 to f32
    %r = arith.maximumf %acc, %e1 : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v7 = tensor.empty(%dim2) : tensor<?xf32>
  %v8 = arith.constant 0.0 : f32
  %v9 = linalg.fill ins(%v8 : f32) outs(%v7 : tensor<?xf32>) -> tensor<?xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(t, n) -> (t, n)>, affine_map<(t, n) -> (t)>, affine_map<(t, n) -> (t)>], iterator_types = ["parallel", "reduction"]} ins(%x, %v6 : tensor<?x1000xbf16>, tensor<?xf32>) outs(%v9 : tensor<?xf32>) {
  ^bb0(%in_x: bf16, %in_m: f32, %acc: f32):
    %e1 = arith.extf %in_x : bf16 to f32
    %e2 = arith.subf %e1, %in_m : f32
    %e3 = math.exp %e2 : f32
    %r = arith.addf %acc, %e3 : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v11 = tensor.empty(%dim2) : tensor<?x1000xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(t, n) -> (t, n)>, affine_map<(t, n) -> (t)>, affine_map<(t, n) -> (t)>, affine_map<(t, n) -> (t, n)>], iterator_types = ["parallel", "parallel"]} ins(%x, %v6, %v10 : tensor<?x1000xbf16>, tensor<?xf32>, tensor<?xf32>) outs(%v11 : tensor<?x1000xf32>) {
  ^bb0(%in_x: bf16, %in_m: f32, %in_s: f32, %out: f32):
    %e1 = arith.extf %in_x : bf16 to f32
    %e2 = arith.subf %e1, %in_m : f32
    %e3 = math.log %in_s : f32
    %e4 = arith.subf %e2, %e3 : f32
    linalg.yield %e4 : f32
  } -> tensor<?x1000xf32>
  return %v12 : tensor<?x1000xf32>
}
