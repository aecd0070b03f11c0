// A convolution of three taps as three products into one sum, with gelu.
func.func @conv1d_three(%x: tensor<?x514x?xbf16> {tile.name = "x"}, %w0: tensor<?x?xbf16> {tile.name = "w0"}, %w1: tensor<?x?xbf16> {tile.name = "w1"}, %w2: tensor<?x?xbf16> {tile.name = "w2"}, %bias: tensor<?xbf16> {tile.name = "bias"})
    -> (tensor<?x512x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x514x?xbf16>
  %c3 = arith.constant 2 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x514x?xbf16>
  %c5 = arith.constant 0 : index
  %dim6 = tensor.dim %w0, %c5 : tensor<?x?xbf16>
  %v7 = tensor.extract_slice %x[0, 0, 0] [%dim2, 512, %dim4] [1, 1, 1] : tensor<?x514x?xbf16> to tensor<?x512x?xbf16>
  %v8 = tensor.empty(%dim2, %dim6) : tensor<?x512x?xf32>
  %v9 = arith.constant 0.0 : f32
  %v10 = linalg.fill ins(%v9 : f32) outs(%v8 : tensor<?x512x?xf32>) -> tensor<?x512x?xf32>
  %v11 = linalg.contract indexing_maps = [affine_map<(b, t, n, k) -> (b, t, k)>, affine_map<(b, t, n, k) -> (n, k)>, affine_map<(b, t, n, k) -> (b, t, n)>] ins(%v7, %w0 : tensor<?x512x?xbf16>, tensor<?x?xbf16>) outs(%v10 : tensor<?x512x?xf32>) -> tensor<?x512x?xf32>
  %v12 = tensor.extract_slice %x[0, 1, 0] [%dim2, 512, %dim4] [1, 1, 1] : tensor<?x514x?xbf16> to tensor<?x512x?xbf16>
  %v13 = linalg.contract indexing_maps = [affine_map<(b, t, n, k) -> (b, t, k)>, affine_map<(b, t, n, k) -> (n, k)>, affine_map<(b, t, n, k) -> (b, t, n)>] ins(%v12, %w1 : tensor<?x512x?xbf16>, tensor<?x?xbf16>) outs(%v11 : tensor<?x512x?xf32>) -> tensor<?x512x?xf32>
  %v14 = tensor.extract_slice %x[0, 2, 0] [%dim2, 512, %dim4] [1, 1, 1] : tensor<?x514x?xbf16> to tensor<?x512x?xbf16>
  %v15 = linalg.contract indexing_maps = [affine_map<(b, t, n, k) -> (b, t, k)>, affine_map<(b, t, n, k) -> (n, k)>, affine_map<(b, t, n, k) -> (b, t, n)>] ins(%v14, %w2 : tensor<?x512x?xbf16>, tensor<?x?xbf16>) outs(%v13 : tensor<?x512x?xf32>) -> tensor<?x512x?xf32>
  %v16 = tensor.empty(%dim2, %dim6) : tensor<?x512x?xf32>
  %v17 = linalg.generic {indexing_maps = [affine_map<(b, t, n) -> (b, t, n)>, affine_map<(b, t, n) -> (n)>, affine_map<(b, t, n) -> (b, t, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v15, %bias : tensor<?x512x?xf32>, tensor<?xbf16>) outs(%v16 : tensor<?x512x?xf32>) {
  ^bb0(%in_p: f32, %in_q: bf16, %out: f32):
    %e1 = arith.extf %in_q : bf16 to f32
    %e2 = arith.addf %in_p, %e1 : f32
    linalg.yield %e2 : f32
  } -> tensor<?x512x?xf32>
  %v18 = tensor.empty(%dim2, %dim6) : tensor<?x512x?xbf16>
  %v19 = linalg.generic {indexing_maps = [affine_map<(b, t, n) -> (b, t, n)>, affine_map<(b, t, n) -> (b, t, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v17 : tensor<?x512x?xf32>) outs(%v18 : tensor<?x512x?xbf16>) {
  ^bb0(%in_z: f32, %out: bf16):
    %e1 = arith.constant 0.5 : f32
    %e2 = arith.mulf %e1, %in_z : f32
    %e3 = arith.constant 1.0 : f32
    %e4 = arith.constant 0.70710678 : f32
    %e5 = arith.mulf %in_z, %e4 : f32
    %e6 = math.erf %e5 : f32
    %e7 = arith.addf %e3, %e6 : f32
    %e8 = arith.mulf %e2, %e7 : f32
    %e9 = arith.truncf %e8 : f32 to bf16
    linalg.yield %e9 : bf16
  } -> tensor<?x512x?xbf16>
  return %v19 : tensor<?x512x?xbf16>
}
