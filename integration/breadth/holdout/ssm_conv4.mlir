// A causal depthwise convolution of four taps over a padded sequence, with silu.
func.func @ssm_conv4(%x: tensor<?x1027x?xbf16> {tile.name = "x"}, %w0: tensor<?xf32> {tile.name = "w0"}, %w1: tensor<?xf32> {tile.name = "w1"}, %w2: tensor<?xf32> {tile.name = "w2"}, %w3: tensor<?xf32> {tile.name = "w3"}, %bias: tensor<?xf32> {tile.name = "bias"})
    -> (tensor<?x1024x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x1027x?xbf16>
  %c3 = arith.constant 2 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x1027x?xbf16>
  %v5 = tensor.extract_slice %x[0, 0, 0] [%dim2, 1024, %dim4] [1, 1, 1] : tensor<?x1027x?xbf16> to tensor<?x1024x?xbf16>
  %v6 = tensor.extract_slice %x[0, 1, 0] [%dim2, 1024, %dim4] [1, 1, 1] : tensor<?x1027x?xbf16> to tensor<?x1024x?xbf16>
  %v7 = tensor.extract_slice %x[0, 2, 0] [%dim2, 1024, %dim4] [1, 1, 1] : tensor<?x1027x?xbf16> to tensor<?x1024x?xbf16>
  %v8 = tensor.extract_slice %x[0, 3, 0] [%dim2, 1024, %dim4] [1, 1, 1] : tensor<?x1027x?xbf16> to tensor<?x1024x?xbf16>
  %v9 = tensor.empty(%dim2, %dim4) : tensor<?x1024x?xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(b, l, d) -> (b, l, d)>, affine_map<(b, l, d) -> (b, l, d)>, affine_map<(b, l, d) -> (b, l, d)>, affine_map<(b, l, d) -> (b, l, d)>, affine_map<(b, l, d) -> (d)>, affine_map<(b, l, d) -> (d)>, affine_map<(b, l, d) -> (d)>, affine_map<(b, l, d) -> (d)>, affine_map<(b, l, d) -> (d)>, affine_map<(b, l, d) -> (b, l, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v5, %v6, %v7, %v8, %w0, %w1, %w2, %w3, %bias : tensor<?x1024x?xbf16>, tensor<?x1024x?xbf16>, tensor<?x1024x?xbf16>, tensor<?x1024x?xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%v9 : tensor<?x1024x?xf32>) {
  ^bb0(%in_a: bf16, %in_b0: bf16, %in_c: bf16, %in_d0: bf16, %in_e: f32, %in_g: f32, %in_i: f32, %in_j: f32, %in_q: f32, %out: f32):
    %e1 = arith.extf %in_a : bf16 to f32
    %e2 = arith.mulf %e1, %in_e : f32
    %e3 = arith.extf %in_b0 : bf16 to f32
    %e4 = arith.mulf %e3, %in_g : f32
    %e5 = arith.addf %e2, %e4 : f32
    %e6 = arith.extf %in_c : bf16 to f32
    %e7 = arith.mulf %e6, %in_i : f32
    %e8 = arith.addf %e5, %e7 : f32
    %e9 = arith.extf %in_d0 : bf16 to f32
    %e10 = arith.mulf %e9, %in_j : f32
    %e11 = arith.addf %e8, %e10 : f32
    %e12 = arith.addf %e11, %in_q : f32
    linalg.yield %e12 : f32
  } -> tensor<?x1024x?xf32>
  %v11 = tensor.empty(%dim2, %dim4) : tensor<?x1024x?xbf16>
  %v12 = linalg.generic {indexing_maps = [affine_map<(b, l, d) -> (b, l, d)>, affine_map<(b, l, d) -> (b, l, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v10 : tensor<?x1024x?xf32>) outs(%v11 : tensor<?x1024x?xbf16>) {
  ^bb0(%in_z: f32, %out: bf16):
    %e1 = arith.negf %in_z : f32
    %e2 = math.exp %e1 : f32
    %e3 = arith.constant 1.0 : f32
    %e4 = arith.addf %e2, %e3 : f32
    %e5 = arith.divf %in_z, %e4 : f32
    %e6 = arith.truncf %e5 : f32 to bf16
    linalg.yield %e6 : bf16
  } -> tensor<?x1024x?xbf16>
  return %v12 : tensor<?x1024x?xbf16>
}
