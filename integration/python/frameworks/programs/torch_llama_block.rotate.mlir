#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (0, d1, d2)>
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x128x32xbf16>, %arg1: tensor<4x128x32xbf16>, %arg2: tensor<128x32xf32>, %arg3: tensor<128x32xf32>) -> (tensor<4x128x32xbf16> {jax.result_info = "result[0]"}, tensor<4x128x32xbf16> {jax.result_info = "result[1]"}) {
    %0 = tensor.empty() : tensor<4x128x32xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<4x128x32xbf16>) outs(%0 : tensor<4x128x32xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %17 = arith.extf %in : bf16 to f32
      linalg.yield %17 : f32
    } -> tensor<4x128x32xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<4x128x32xbf16>) outs(%0 : tensor<4x128x32xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %17 = arith.extf %in : bf16 to f32
      linalg.yield %17 : f32
    } -> tensor<4x128x32xf32>
    %3 = tensor.empty() : tensor<1x128x32xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<128x32xf32>) outs(%3 : tensor<1x128x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x128x32xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<1x128x32xf32>) outs(%0 : tensor<4x128x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x128x32xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %5 : tensor<4x128x32xf32>, tensor<4x128x32xf32>) outs(%0 : tensor<4x128x32xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %17 = arith.mulf %in, %in_0 : f32
      linalg.yield %17 : f32
    } -> tensor<4x128x32xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg3 : tensor<128x32xf32>) outs(%3 : tensor<1x128x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x128x32xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<1x128x32xf32>) outs(%0 : tensor<4x128x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x128x32xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %8 : tensor<4x128x32xf32>, tensor<4x128x32xf32>) outs(%0 : tensor<4x128x32xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %17 = arith.mulf %in, %in_0 : f32
      linalg.yield %17 : f32
    } -> tensor<4x128x32xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %9 : tensor<4x128x32xf32>, tensor<4x128x32xf32>) outs(%0 : tensor<4x128x32xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %17 = arith.subf %in, %in_0 : f32
      linalg.yield %17 : f32
    } -> tensor<4x128x32xf32>
    %11 = tensor.empty() : tensor<4x128x32xbf16>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<4x128x32xf32>) outs(%11 : tensor<4x128x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %17 = arith.truncf %in : f32 to bf16
      linalg.yield %17 : bf16
    } -> tensor<4x128x32xbf16>
    %13 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %5 : tensor<4x128x32xf32>, tensor<4x128x32xf32>) outs(%0 : tensor<4x128x32xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %17 = arith.mulf %in, %in_0 : f32
      linalg.yield %17 : f32
    } -> tensor<4x128x32xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %8 : tensor<4x128x32xf32>, tensor<4x128x32xf32>) outs(%0 : tensor<4x128x32xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %17 = arith.mulf %in, %in_0 : f32
      linalg.yield %17 : f32
    } -> tensor<4x128x32xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %14 : tensor<4x128x32xf32>, tensor<4x128x32xf32>) outs(%0 : tensor<4x128x32xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %17 = arith.addf %in, %in_0 : f32
      linalg.yield %17 : f32
    } -> tensor<4x128x32xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<4x128x32xf32>) outs(%11 : tensor<4x128x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %17 = arith.truncf %in : f32 to bf16
      linalg.yield %17 : bf16
    } -> tensor<4x128x32xbf16>
    return %12, %16 : tensor<4x128x32xbf16>, tensor<4x128x32xbf16>
  }
}
