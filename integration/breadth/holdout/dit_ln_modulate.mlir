// A layer norm without weights, and adaLN behind it.
func.func @dit_ln_modulate(%x: tensor<?x?x1152xbf16> {tile.name = "x"}, %scale: tensor<?x1152xbf16> {tile.name = "scale"}, %shift: tensor<?x1152xbf16> {tile.name = "shift"})
    -> (tensor<?x?x1152xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x?x1152xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x?x1152xbf16>
  %v5 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v6 = arith.constant 0.0 : f32
  %v7 = linalg.fill ins(%v6 : f32) outs(%v5 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (b, t)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<?x?x1152xbf16>) outs(%v7 : tensor<?x?xf32>) {
  ^bb0(%in_x: bf16, %acc: f32):
    %e1 = arith.extf %in_x : bf16 to f32
    %r = arith.addf %acc, %e1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v9 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]} ins(%v8 : tensor<?x?xf32>) outs(%v9 : tensor<?x?xf32>) {
  ^bb0(%in_m: f32, %out: f32):
    %e1 = arith.constant 1152.0 : f32
    %e2 = arith.divf %in_m, %e1 : f32
    linalg.yield %e2 : f32
  } -> tensor<?x?xf32>
  %v11 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v12 = arith.constant 0.0 : f32
  %v13 = linalg.fill ins(%v12 : f32) outs(%v11 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (b, t)>, affine_map<(b, t, d) -> (b, t)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %v10 : tensor<?x?x1152xbf16>, tensor<?x?xf32>) outs(%v13 : tensor<?x?xf32>) {
  ^bb0(%in_x: bf16, %in_m: f32, %acc: f32):
    %e1 = arith.extf %in_x : bf16 to f32
    %e2 = arith.subf %e1, %in_m : f32
    %e3 = arith.subf %e1, %in_m : f32
    %e4 = arith.mulf %e2, %e3 : f32
    %r = arith.addf %acc, %e4 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v15 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]} ins(%v14 : tensor<?x?xf32>) outs(%v15 : tensor<?x?xf32>) {
  ^bb0(%in_v: f32, %out: f32):
    %e1 = arith.constant 1152.0 : f32
    %e2 = arith.divf %in_v, %e1 : f32
    %e3 = arith.constant 1.0e-06 : f32
    %e4 = arith.addf %e2, %e3 : f32
    %e5 = math.rsqrt %e4 : f32
    linalg.yield %e5 : f32
  } -> tensor<?x?xf32>
  %v17 = tensor.empty(%dim2, %dim4) : tensor<?x?x1152xbf16>
  %v18 = linalg.generic {indexing_maps = [affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (b, t)>, affine_map<(b, t, d) -> (b, t)>, affine_map<(b, t, d) -> (b, d)>, affine_map<(b, t, d) -> (b, d)>, affine_map<(b, t, d) -> (b, t, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %v10, %v16, %scale, %shift : tensor<?x?x1152xbf16>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x1152xbf16>, tensor<?x1152xbf16>) outs(%v17 : tensor<?x?x1152xbf16>) {
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
  } -> tensor<?x?x1152xbf16>
  return %v18 : tensor<?x?x1152xbf16>
}
