// The last layer: norm, modulation and the linear layer to 32 channels, in one.
func.func @dit_final_layer(%x: tensor<?x1152xbf16> {tile.name = "x"}, %scale: tensor<1152xbf16> {tile.name = "scale"}, %shift: tensor<1152xbf16> {tile.name = "shift"}, %w: tensor<32x1152xbf16> {tile.name = "w"})
    -> (tensor<?x32xf32> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x1152xbf16>
  %v3 = tensor.empty(%dim2) : tensor<?xf32>
  %v4 = arith.constant 0.0 : f32
  %v5 = linalg.fill ins(%v4 : f32) outs(%v3 : tensor<?xf32>) -> tensor<?xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (t)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x1152xbf16>) outs(%v5 : tensor<?xf32>) {
  ^bb0(%in_x: bf16, %acc: f32):
    %e1 = arith.extf %in_x : bf16 to f32
    %r = arith.addf %acc, %e1 : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v7 = tensor.empty(%dim2) : tensor<?xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(t) -> (t)>, affine_map<(t) -> (t)>], iterator_types = ["parallel"]} ins(%v6 : tensor<?xf32>) outs(%v7 : tensor<?xf32>) {
  ^bb0(%in_m: f32, %out: f32):
    %e1 = arith.constant 1152.0 : f32
    %e2 = arith.divf %in_m, %e1 : f32
    linalg.yield %e2 : f32
  } -> tensor<?xf32>
  %v9 = tensor.empty(%dim2) : tensor<?xf32>
  %v10 = arith.constant 0.0 : f32
  %v11 = linalg.fill ins(%v10 : f32) outs(%v9 : tensor<?xf32>) -> tensor<?xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (t)>, affine_map<(t, d) -> (t)>], iterator_types = ["parallel", "reduction"]} ins(%x, %v8 : tensor<?x1152xbf16>, tensor<?xf32>) outs(%v11 : tensor<?xf32>) {
  ^bb0(%in_x: bf16, %in_m: f32, %acc: f32):
    %e1 = arith.extf %in_x : bf16 to f32
    %e2 = arith.subf %e1, %in_m : f32
    %e3 = arith.subf %e1, %in_m : f32
    %e4 = arith.mulf %e2, %e3 : f32
    %r = arith.addf %acc, %e4 : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v13 = tensor.empty(%dim2) : tensor<?xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(t) -> (t)>, affine_map<(t) -> (t)>], iterator_types = ["parallel"]} ins(%v12 : tensor<?xf32>) outs(%v13 : tensor<?xf32>) {
  ^bb0(%in_v: f32, %out: f32):
    %e1 = arith.constant 1152.0 : f32
    %e2 = arith.divf %in_v, %e1 : f32
    %e3 = arith.constant 1.0e-06 : f32
    %e4 = arith.addf %e2, %e3 : f32
    %e5 = math.rsqrt %e4 : f32
    linalg.yield %e5 : f32
  } -> tensor<?xf32>
  %v15 = tensor.empty(%dim2) : tensor<?x1152xbf16>
  %v16 = linalg.generic {indexing_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (t)>, affine_map<(t, d) -> (t)>, affine_map<(t, d) -> (d)>, affine_map<(t, d) -> (d)>, affine_map<(t, d) -> (t, d)>], iterator_types = ["parallel", "parallel"]} ins(%x, %v8, %v14, %scale, %shift : tensor<?x1152xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<1152xbf16>, tensor<1152xbf16>) outs(%v15 : tensor<?x1152xbf16>) {
  ^bb0(%in_x: bf16, %in_m: f32, %in_r: f32, %in_s: bf16, %in_h: bf16, %out: bf16):
    %e1 = arith.extf %in_x : bf16 to f32
    %e2 = arith.subf %e1, %in_m : f32
    %e3 = arith.mulf %e2, %in_r : f32
    %e4 = arith.constant 1.0 : f32
    %e5 = arith.extf %in_s : bf16 to f32
    %e6 = arith.addf %e4, %e5 : f32
    %e7 = arith.mulf %e3, %e6 : f32
    %e8 = arith.extf %in_h : bf16 to f32
    %e9 = arith.addf %e7, %e8 : f32
    %e10 = arith.truncf %e9 : f32 to bf16
    linalg.yield %e10 : bf16
  } -> tensor<?x1152xbf16>
  %v17 = tensor.empty(%dim2) : tensor<?x32xf32>
  %v18 = arith.constant 0.0 : f32
  %v19 = linalg.fill ins(%v18 : f32) outs(%v17 : tensor<?x32xf32>) -> tensor<?x32xf32>
  %v20 = linalg.contract indexing_maps = [affine_map<(t, n, d) -> (t, d)>, affine_map<(t, n, d) -> (n, d)>, affine_map<(t, n, d) -> (t, n)>] ins(%v16, %w : tensor<?x1152xbf16>, tensor<32x1152xbf16>) outs(%v19 : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %v20 : tensor<?x32xf32>
}
