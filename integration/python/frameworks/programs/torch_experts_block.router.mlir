#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0) -> ()>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0, d1) -> (d0, 0)>
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<128x256xbf16>, %arg1: tensor<4x256xbf16>) -> (tensor<128x4xf32> {jax.result_info = "result[0]"}) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<256x4xbf16>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<4x256xbf16>) outs(%0 : tensor<256x4xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<256x4xbf16>
    %2 = tensor.empty() : tensor<128x4xf32>
    %3 = linalg.fill ins(%cst_1 : f32) outs(%2 : tensor<128x4xf32>) -> tensor<128x4xf32>
    %4 = linalg.matmul ins(%arg0, %1 : tensor<128x256xbf16>, tensor<256x4xbf16>) outs(%3 : tensor<128x4xf32>) -> tensor<128x4xf32>
    %5 = tensor.empty() : tensor<128x4xbf16>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<128x4xf32>) outs(%5 : tensor<128x4xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %23 = arith.truncf %in : f32 to bf16
      linalg.yield %23 : bf16
    } -> tensor<128x4xbf16>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<128x4xbf16>) outs(%2 : tensor<128x4xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %23 = arith.extf %in : bf16 to f32
      linalg.yield %23 : f32
    } -> tensor<128x4xf32>
    %8 = tensor.empty() : tensor<128xf32>
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<128xf32>) -> tensor<128xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%7 : tensor<128x4xf32>) outs(%9 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = arith.maximumf %out, %in : f32
      linalg.yield %23 : f32
    } -> tensor<128xf32>
    %11 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel"]} ins(%cst_0 : tensor<f32>) outs(%8 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128xf32>
    %12 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel"]} ins(%11, %10 : tensor<128xf32>, tensor<128xf32>) outs(%8 : tensor<128xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %23 = arith.maximumf %in, %in_2 : f32
      linalg.yield %23 : f32
    } -> tensor<128xf32>
    %13 = tensor.empty() : tensor<128x1xf32>
    %14 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<128xf32>) outs(%13 : tensor<128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x1xf32>
    %15 = linalg.generic {indexing_maps = [#map5, #map1], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<128x1xf32>) outs(%2 : tensor<128x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x4xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7, %15 : tensor<128x4xf32>, tensor<128x4xf32>) outs(%2 : tensor<128x4xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %23 = arith.subf %in, %in_2 : f32
      linalg.yield %23 : f32
    } -> tensor<128x4xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<128x4xf32>) outs(%2 : tensor<128x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = math.exp %in : f32
      linalg.yield %23 : f32
    } -> tensor<128x4xf32>
    %18 = linalg.fill ins(%cst_1 : f32) outs(%8 : tensor<128xf32>) -> tensor<128xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%17 : tensor<128x4xf32>) outs(%18 : tensor<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = arith.addf %out, %in : f32
      linalg.yield %23 : f32
    } -> tensor<128xf32>
    %20 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<128xf32>) outs(%13 : tensor<128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x1xf32>
    %21 = linalg.generic {indexing_maps = [#map5, #map1], iterator_types = ["parallel", "parallel"]} ins(%20 : tensor<128x1xf32>) outs(%2 : tensor<128x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<128x4xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %21 : tensor<128x4xf32>, tensor<128x4xf32>) outs(%2 : tensor<128x4xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %23 = arith.divf %in, %in_2 : f32
      linalg.yield %23 : f32
    } -> tensor<128x4xf32>
    return %22 : tensor<128x4xf32>
  }
}
