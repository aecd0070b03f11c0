// A one where the largest logit is.
func.func @moe_top1_mask(%x: tensor<?x16xf32> {tile.name = "x"})
    -> (tensor<?x16xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x16xf32>
  %v3 = tensor.empty(%dim2) : tensor<?xf32>
  %v4 = arith.constant 0xFF800000 : f32
  %v5 = linalg.fill ins(%v4 : f32) outs(%v3 : tensor<?xf32>) -> tensor<?xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(t, e) -> (t, e)>, affine_map<(t, e) -> (t)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x16xf32>) outs(%v5 : tensor<?xf32>) {
  ^bb0(%in_x: f32, %acc: f32):
    %r = arith.maximumf %acc, %in_x : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v7 = tensor.empty(%dim2) : tensor<?x16xbf16>
  %v8 = linalg.generic {indexing_maps = [affine_map<(t, e) -> (t, e)>, affine_map<(t, e) -> (t)>, affine_map<(t, e) -> (t, e)>], iterator_types = ["parallel", "parallel"]} ins(%x, %v6 : tensor<?x16xf32>, tensor<?xf32>) outs(%v7 : tensor<?x16xbf16>) {
  ^bb0(%in_x: f32, %in_m: f32, %out: bf16):
    %e1 = arith.cmpf oge, %in_x, %in_m : f32
    %e2 = arith.constant 1.0 : f32
    %e3 = arith.constant 0.0 : f32
    %e4 = arith.select %e1, %e2, %e3 : f32
    %e5 = arith.truncf %e4 : f32 to bf16
    linalg.yield %e5 : bf16
  } -> tensor<?x16xbf16>
  return %v8 : tensor<?x16xbf16>
}
