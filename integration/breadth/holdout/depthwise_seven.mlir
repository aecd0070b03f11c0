// Seven depthwise taps.
func.func @depthwise_seven(%x: tensor<?x506x?xbf16> {tile.name = "x"}, %w0: tensor<?xf32> {tile.name = "w0"}, %w1: tensor<?xf32> {tile.name = "w1"}, %w2: tensor<?xf32> {tile.name = "w2"}, %w3: tensor<?xf32> {tile.name = "w3"}, %w4: tensor<?xf32> {tile.name = "w4"}, %w5: tensor<?xf32> {tile.name = "w5"}, %w6: tensor<?xf32> {tile.name = "w6"})
    -> (tensor<?x500x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x506x?xbf16>
  %c3 = arith.constant 2 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x506x?xbf16>
  %v5 = tensor.extract_slice %x[0, 0, 0] [%dim2, 500, %dim4] [1, 1, 1] : tensor<?x506x?xbf16> to tensor<?x500x?xbf16>
  %v6 = tensor.extract_slice %x[0, 1, 0] [%dim2, 500, %dim4] [1, 1, 1] : tensor<?x506x?xbf16> to tensor<?x500x?xbf16>
  %v7 = tensor.extract_slice %x[0, 2, 0] [%dim2, 500, %dim4] [1, 1, 1] : tensor<?x506x?xbf16> to tensor<?x500x?xbf16>
  %v8 = tensor.extract_slice %x[0, 3, 0] [%dim2, 500, %dim4] [1, 1, 1] : tensor<?x506x?xbf16> to tensor<?x500x?xbf16>
  %v9 = tensor.extract_slice %x[0, 4, 0] [%dim2, 500, %dim4] [1, 1, 1] : tensor<?x506x?xbf16> to tensor<?x500x?xbf16>
  %v10 = tensor.extract_slice %x[0, 5, 0] [%dim2, 500, %dim4] [1, 1, 1] : tensor<?x506x?xbf16> to tensor<?x500x?xbf16>
  %v11 = tensor.extract_slice %x[0, 6, 0] [%dim2, 500, %dim4] [1, 1, 1] : tensor<?x506x?xbf16> to tensor<?x500x?xbf16>
  %v12 = tensor.empty(%dim2, %dim4) : tensor<?x500x?xbf16>
  %v13 = linalg.generic {indexing_maps = [affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (d)>, affine_map<(b, t, d) -> (d)>, affine_map<(b, t, d) -> (d)>, affine_map<(b, t, d) -> (d)>, affine_map<(b, t, d) -> (d)>, affine_map<(b, t, d) -> (d)>, affine_map<(b, t, d) -> (d)>, affine_map<(b, t, d) -> (b, t, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v5, %v6, %v7, %v8, %v9, %v10, %v11, %w0, %w1, %w2, %w3, %w4, %w5, %w6 : tensor<?x500x?xbf16>, tensor<?x500x?xbf16>, tensor<?x500x?xbf16>, tensor<?x500x?xbf16>, tensor<?x500x?xbf16>, tensor<?x500x?xbf16>, tensor<?x500x?xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%v12 : tensor<?x500x?xbf16>) {
  ^bb0(%in_x0: bf16, %in_x1: bf16, %in_x2: bf16, %in_x3: bf16, %in_x4: bf16, %in_x5: bf16, %in_x6: bf16, %in_w0: f32, %in_w1: f32, %in_w2: f32, %in_w3: f32, %in_w4: f32, %in_w5: f32, %in_w6: f32, %out: bf16):
    %e1 = arith.extf %in_x0 : bf16 to f32
    %e2 = arith.mulf %e1, %in_w0 : f32
    %e3 = arith.extf %in_x1 : bf16 to f32
    %e4 = arith.mulf %e3, %in_w1 : f32
    %e5 = arith.addf %e2, %e4 : f32
    %e6 = arith.extf %in_x2 : bf16 to f32
    %e7 = arith.mulf %e6, %in_w2 : f32
    %e8 = arith.addf %e5, %e7 : f32
    %e9 = arith.extf %in_x3 : bf16 to f32
    %e10 = arith.mulf %e9, %in_w3 : f32
    %e11 = arith.addf %e8, %e10 : f32
    %e12 = arith.extf %in_x4 : bf16 to f32
    %e13 = arith.mulf %e12, %in_w4 : f32
    %e14 = arith.addf %e11, %e13 : f32
    %e15 = arith.extf %in_x5 : bf16 to f32
    %e16 = arith.mulf %e15, %in_w5 : f32
    %e17 = arith.addf %e14, %e16 : f32
    %e18 = arith.extf %in_x6 : bf16 to f32
    %e19 = arith.mulf %e18, %in_w6 : f32
    %e20 = arith.addf %e17, %e19 : f32
    %e21 = arith.truncf %e20 : f32 to bf16
    linalg.yield %e21 : bf16
  } -> tensor<?x500x?xbf16>
  return %v13 : tensor<?x500x?xbf16>
}
