#map = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> ()>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<(d0, d1) -> (d0, d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x128x64xbf16>, %arg1: tensor<4x128x64xbf16>, %arg2: tensor<4x128x64xbf16>) -> (tensor<4x128x64xbf16> {jax.result_info = "result[0]"}) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant dense<1.250000e-01> : tensor<f32>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant dense<0xFF800000> : tensor<f32>
    %0 = tensor.empty() : tensor<4x64x128xbf16>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<4x128x64xbf16>) outs(%0 : tensor<4x64x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<4x64x128xbf16>
    %2 = tensor.empty() : tensor<4x128x128xf32>
    %3 = linalg.fill ins(%cst_1 : f32) outs(%2 : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
    %4 = linalg.batch_matmul ins(%arg0, %1 : tensor<4x128x64xbf16>, tensor<4x64x128xbf16>) outs(%3 : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%2 : tensor<4x128x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x128x128xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %5 : tensor<4x128x128xf32>, tensor<4x128x128xf32>) outs(%2 : tensor<4x128x128xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %36 = arith.mulf %in, %in_3 : f32
      linalg.yield %36 : f32
    } -> tensor<4x128x128xf32>
    %7 = tensor.empty() : tensor<4x128x128xi32>
    %8 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel", "parallel"]} outs(%7 : tensor<4x128x128xi32>) {
    ^bb0(%out: i32):
      %36 = linalg.index 1 : index
      %37 = arith.index_cast %36 : index to i32
      linalg.yield %37 : i32
    } -> tensor<4x128x128xi32>
    %9 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel", "parallel"]} outs(%7 : tensor<4x128x128xi32>) {
    ^bb0(%out: i32):
      %36 = linalg.index 2 : index
      %37 = arith.index_cast %36 : index to i32
      linalg.yield %37 : i32
    } -> tensor<4x128x128xi32>
    %10 = tensor.empty() : tensor<4x128x128xi1>
    %11 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %9 : tensor<4x128x128xi32>, tensor<4x128x128xi32>) outs(%10 : tensor<4x128x128xi1>) {
    ^bb0(%in: i32, %in_3: i32, %out: i1):
      %36 = arith.cmpi sge, %in, %in_3 : i32
      linalg.yield %36 : i1
    } -> tensor<4x128x128xi1>
    %12 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%2 : tensor<4x128x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x128x128xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %6, %12 : tensor<4x128x128xi1>, tensor<4x128x128xf32>, tensor<4x128x128xf32>) outs(%2 : tensor<4x128x128xf32>) {
    ^bb0(%in: i1, %in_3: f32, %in_4: f32, %out: f32):
      %36 = arith.select %in, %in_3, %in_4 : f32
      linalg.yield %36 : f32
    } -> tensor<4x128x128xf32>
    %14 = tensor.empty() : tensor<4x128xf32>
    %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<4x128xf32>) -> tensor<4x128xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%13 : tensor<4x128x128xf32>) outs(%15 : tensor<4x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.maximumf %out, %in : f32
      linalg.yield %36 : f32
    } -> tensor<4x128xf32>
    %17 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%14 : tensor<4x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x128xf32>
    %18 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%17, %16 : tensor<4x128xf32>, tensor<4x128xf32>) outs(%14 : tensor<4x128xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %36 = arith.maximumf %in, %in_3 : f32
      linalg.yield %36 : f32
    } -> tensor<4x128xf32>
    %19 = tensor.empty() : tensor<4x128x1xf32>
    %20 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<4x128xf32>) outs(%19 : tensor<4x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x128x1xf32>
    %21 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<4x128x1xf32>) outs(%2 : tensor<4x128x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x128x128xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %21 : tensor<4x128x128xf32>, tensor<4x128x128xf32>) outs(%2 : tensor<4x128x128xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %36 = arith.subf %in, %in_3 : f32
      linalg.yield %36 : f32
    } -> tensor<4x128x128xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<4x128x128xf32>) outs(%2 : tensor<4x128x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = math.exp %in : f32
      linalg.yield %36 : f32
    } -> tensor<4x128x128xf32>
    %24 = linalg.fill ins(%cst_1 : f32) outs(%14 : tensor<4x128xf32>) -> tensor<4x128xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%23 : tensor<4x128x128xf32>) outs(%24 : tensor<4x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.addf %out, %in : f32
      linalg.yield %36 : f32
    } -> tensor<4x128xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<4x128xf32>) outs(%19 : tensor<4x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x128x1xf32>
    %27 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26 : tensor<4x128x1xf32>) outs(%2 : tensor<4x128x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x128x128xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23, %27 : tensor<4x128x128xf32>, tensor<4x128x128xf32>) outs(%2 : tensor<4x128x128xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %36 = arith.divf %in, %in_3 : f32
      linalg.yield %36 : f32
    } -> tensor<4x128x128xf32>
    %29 = tensor.empty() : tensor<4x128x128xbf16>
    %30 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28 : tensor<4x128x128xf32>) outs(%29 : tensor<4x128x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %36 = arith.truncf %in : f32 to bf16
      linalg.yield %36 : bf16
    } -> tensor<4x128x128xbf16>
    %31 = tensor.empty() : tensor<4x128x64xf32>
    %32 = linalg.fill ins(%cst_1 : f32) outs(%31 : tensor<4x128x64xf32>) -> tensor<4x128x64xf32>
    %33 = linalg.batch_matmul ins(%30, %arg2 : tensor<4x128x128xbf16>, tensor<4x128x64xbf16>) outs(%32 : tensor<4x128x64xf32>) -> tensor<4x128x64xf32>
    %34 = tensor.empty() : tensor<4x128x64xbf16>
    %35 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%33 : tensor<4x128x64xf32>) outs(%34 : tensor<4x128x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %36 = arith.truncf %in : f32 to bf16
      linalg.yield %36 : bf16
    } -> tensor<4x128x64xbf16>
    return %35 : tensor<4x128x64xbf16>
  }
}
