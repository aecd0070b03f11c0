// Group norm of the autoencoder, over the channels of a group and all places.
func.func @dit_group_norm(%x: tensor<?x?x16x1024xbf16> {tile.name = "x"}, %w: tensor<?x16xf32> {tile.name = "w"}, %bias: tensor<?x16xf32> {tile.name = "bias"})
    -> (tensor<?x?x16x1024xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x?x16x1024xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x?x16x1024xbf16>
  %v5 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v6 = arith.constant 0.0 : f32
  %v7 = linalg.fill ins(%v6 : f32) outs(%v5 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(n, g, c, s) -> (n, g, c, s)>, affine_map<(n, g, c, s) -> (n, g)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x : tensor<?x?x16x1024xbf16>) outs(%v7 : tensor<?x?xf32>) {
  ^bb0(%in_x: bf16, %acc: f32):
    %e1 = arith.extf %in_x : bf16 to f32
    %r = arith.addf %acc, %e1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v9 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v10 = arith.constant 0.0 : f32
  %v11 = linalg.fill ins(%v10 : f32) outs(%v9 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(n, g, c, s) -> (n, g, c, s)>, affine_map<(n, g, c, s) -> (n, g)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x : tensor<?x?x16x1024xbf16>) outs(%v11 : tensor<?x?xf32>) {
  ^bb0(%in_x: bf16, %acc: f32):
    %e1 = arith.extf %in_x : bf16 to f32
    %e2 = arith.mulf %e1, %e1 : f32
    %r = arith.addf %acc, %e2 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v13 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(n, g) -> (n, g)>, affine_map<(n, g) -> (n, g)>], iterator_types = ["parallel", "parallel"]} ins(%v8 : tensor<?x?xf32>) outs(%v13 : tensor<?x?xf32>) {
  ^bb0(%in_a: f32, %out: f32):
    %e1 = arith.constant 16384.0 : f32
    %e2 = arith.divf %in_a, %e1 : f32
    linalg.yield %e2 : f32
  } -> tensor<?x?xf32>
  %v15 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(n, g) -> (n, g)>, affine_map<(n, g) -> (n, g)>, affine_map<(n, g) -> (n, g)>], iterator_types = ["parallel", "parallel"]} ins(%v12, %v14 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%v15 : tensor<?x?xf32>) {
  ^bb0(%in_b: f32, %in_m: f32, %out: f32):
    %e1 = arith.constant 16384.0 : f32
    %e2 = arith.divf %in_b, %e1 : f32
    %e3 = arith.mulf %in_m, %in_m : f32
    %e4 = arith.subf %e2, %e3 : f32
    %e5 = arith.constant 1.0e-05 : f32
    %e6 = arith.addf %e4, %e5 : f32
    %e7 = math.rsqrt %e6 : f32
    linalg.yield %e7 : f32
  } -> tensor<?x?xf32>
  %v17 = tensor.empty(%dim2, %dim4) : tensor<?x?x16x1024xbf16>
  %v18 = linalg.generic {indexing_maps = [affine_map<(n, g, c, s) -> (n, g, c, s)>, affine_map<(n, g, c, s) -> (n, g)>, affine_map<(n, g, c, s) -> (n, g)>, affine_map<(n, g, c, s) -> (g, c)>, affine_map<(n, g, c, s) -> (g, c)>, affine_map<(n, g, c, s) -> (n, g, c, s)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %v14, %v16, %w, %bias : tensor<?x?x16x1024xbf16>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x16xf32>, tensor<?x16xf32>) outs(%v17 : tensor<?x?x16x1024xbf16>) {
  ^bb0(%in_x: bf16, %in_m: f32, %in_r: f32, %in_w: f32, %in_q: f32, %out: bf16):
    %e1 = arith.extf %in_x : bf16 to f32
    %e2 = arith.subf %e1, %in_m : f32
    %e3 = arith.mulf %e2, %in_r : f32
    %e4 = arith.mulf %e3, %in_w : f32
    %e5 = arith.addf %e4, %in_q : f32
    %e6 = arith.truncf %e5 : f32 to bf16
    linalg.yield %e6 : bf16
  } -> tensor<?x?x16x1024xbf16>
  return %v18 : tensor<?x?x16x1024xbf16>
}
