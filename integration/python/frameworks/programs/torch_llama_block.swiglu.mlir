#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> ()>
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<128x256xbf16>, %arg1: tensor<512x256xbf16>, %arg2: tensor<512x256xbf16>) -> (tensor<128x512xbf16> {jax.result_info = "result[0]"}) {
    %cst = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<256x512xbf16>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<512x256xbf16>) outs(%0 : tensor<256x512xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<256x512xbf16>
    %2 = tensor.empty() : tensor<128x512xf32>
    %3 = linalg.fill ins(%cst_0 : f32) outs(%2 : tensor<128x512xf32>) -> tensor<128x512xf32>
    %4 = linalg.matmul ins(%arg0, %1 : tensor<128x256xbf16>, tensor<256x512xbf16>) outs(%3 : tensor<128x512xf32>) -> tensor<128x512xf32>
    %5 = tensor.empty() : tensor<128x512xbf16>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<128x512xf32>) outs(%5 : tensor<128x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %22 = arith.truncf %in : f32 to bf16
      linalg.yield %22 : bf16
    } -> tensor<128x512xbf16>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<128x512xbf16>) outs(%2 : tensor<128x512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %22 = arith.extf %in : bf16 to f32
      linalg.yield %22 : f32
    } -> tensor<128x512xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<128x512xf32>) outs(%2 : tensor<128x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.negf %in : f32
      linalg.yield %22 : f32
    } -> tensor<128x512xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<128x512xf32>) outs(%2 : tensor<128x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = math.exp %in : f32
      linalg.yield %22 : f32
    } -> tensor<128x512xf32>
    %10 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%2 : tensor<128x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x512xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10, %9 : tensor<128x512xf32>, tensor<128x512xf32>) outs(%2 : tensor<128x512xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %22 = arith.addf %in, %in_1 : f32
      linalg.yield %22 : f32
    } -> tensor<128x512xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10, %11 : tensor<128x512xf32>, tensor<128x512xf32>) outs(%2 : tensor<128x512xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %22 = arith.divf %in, %in_1 : f32
      linalg.yield %22 : f32
    } -> tensor<128x512xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7, %12 : tensor<128x512xf32>, tensor<128x512xf32>) outs(%2 : tensor<128x512xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %22 = arith.mulf %in, %in_1 : f32
      linalg.yield %22 : f32
    } -> tensor<128x512xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<128x512xf32>) outs(%5 : tensor<128x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %22 = arith.truncf %in : f32 to bf16
      linalg.yield %22 : bf16
    } -> tensor<128x512xbf16>
    %15 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<512x256xbf16>) outs(%0 : tensor<256x512xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<256x512xbf16>
    %16 = linalg.matmul ins(%arg0, %15 : tensor<128x256xbf16>, tensor<256x512xbf16>) outs(%3 : tensor<128x512xf32>) -> tensor<128x512xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<128x512xf32>) outs(%5 : tensor<128x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %22 = arith.truncf %in : f32 to bf16
      linalg.yield %22 : bf16
    } -> tensor<128x512xbf16>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<128x512xbf16>) outs(%2 : tensor<128x512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %22 = arith.extf %in : bf16 to f32
      linalg.yield %22 : f32
    } -> tensor<128x512xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17 : tensor<128x512xbf16>) outs(%2 : tensor<128x512xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %22 = arith.extf %in : bf16 to f32
      linalg.yield %22 : f32
    } -> tensor<128x512xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%18, %19 : tensor<128x512xf32>, tensor<128x512xf32>) outs(%2 : tensor<128x512xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %22 = arith.mulf %in, %in_1 : f32
      linalg.yield %22 : f32
    } -> tensor<128x512xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%20 : tensor<128x512xf32>) outs(%5 : tensor<128x512xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %22 = arith.truncf %in : f32 to bf16
      linalg.yield %22 : bf16
    } -> tensor<128x512xbf16>
    return %21 : tensor<128x512xbf16>
  }
}
