#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<128x512xbf16>, %arg1: tensor<256x512xbf16>) -> (tensor<128x256xbf16> {jax.result_info = "result[0]"}) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<512x256xbf16>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<256x512xbf16>) outs(%0 : tensor<512x256xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<512x256xbf16>
    %2 = tensor.empty() : tensor<128x256xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<128x256xf32>) -> tensor<128x256xf32>
    %4 = linalg.matmul ins(%arg0, %1 : tensor<128x512xbf16>, tensor<512x256xbf16>) outs(%3 : tensor<128x256xf32>) -> tensor<128x256xf32>
    %5 = tensor.empty() : tensor<128x256xbf16>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<128x256xf32>) outs(%5 : tensor<128x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %7 = arith.truncf %in : f32 to bf16
      linalg.yield %7 : bf16
    } -> tensor<128x256xbf16>
    return %6 : tensor<128x256xbf16>
  }
}
