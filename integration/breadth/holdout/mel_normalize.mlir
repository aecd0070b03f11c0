// Every mel channel of an utterance with mean 0 and variance 1: reductions along the frames.
func.func @mel_normalize(%x: tensor<?x512x?xf32> {tile.name = "x"})
    -> (tensor<?x512x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x512x?xf32>
  %c3 = arith.constant 2 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x512x?xf32>
  %v5 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v6 = arith.constant 0.0 : f32
  %v7 = linalg.fill ins(%v6 : f32) outs(%v5 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b, c, t) -> (b, t, c)>, affine_map<(b, c, t) -> (b, c)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<?x512x?xf32>) outs(%v7 : tensor<?x?xf32>) {
  ^bb0(%in_x: f32, %acc: f32):
    %r = arith.addf %acc, %in_x : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v9 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>], iterator_types = ["parallel", "parallel"]} ins(%v8 : tensor<?x?xf32>) outs(%v9 : tensor<?x?xf32>) {
  ^bb0(%in_s: f32, %out: f32):
    %e1 = arith.constant 512.0 : f32
    %e2 = arith.divf %in_s, %e1 : f32
    linalg.yield %e2 : f32
  } -> tensor<?x?xf32>
  %v11 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v12 = arith.constant 0.0 : f32
  %v13 = linalg.fill ins(%v12 : f32) outs(%v11 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(b, c, t) -> (b, t, c)>, affine_map<(b, c, t) -> (b, c)>, affine_map<(b, c, t) -> (b, c)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %v10 : tensor<?x512x?xf32>, tensor<?x?xf32>) outs(%v13 : tensor<?x?xf32>) {
  ^bb0(%in_x: f32, %in_m: f32, %acc: f32):
    %e1 = arith.subf %in_x, %in_m : f32
    %e2 = arith.subf %in_x, %in_m : f32
    %e3 = arith.mulf %e1, %e2 : f32
    %r = arith.addf %acc, %e3 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v15 = tensor.empty(%dim2, %dim4) : tensor<?x512x?xbf16>
  %v16 = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, c)>, affine_map<(b, t, c) -> (b, c)>, affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %v10, %v14 : tensor<?x512x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%v15 : tensor<?x512x?xbf16>) {
  ^bb0(%in_x: f32, %in_m: f32, %in_v: f32, %out: bf16):
    %e1 = arith.subf %in_x, %in_m : f32
    %e2 = arith.constant 512.0 : f32
    %e3 = arith.divf %in_v, %e2 : f32
    %e4 = arith.constant 1.0e-05 : f32
    %e5 = arith.addf %e3, %e4 : f32
    %e6 = math.rsqrt %e5 : f32
    %e7 = arith.mulf %e1, %e6 : f32
    %e8 = arith.truncf %e7 : f32 to bf16
    linalg.yield %e8 : bf16
  } -> tensor<?x512x?xbf16>
  return %v16 : tensor<?x512x?xbf16>
}
