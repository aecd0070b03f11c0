#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> ()>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map6 = affine_map<(d0, d1) -> ()>
#map7 = affine_map<(d0, d1) -> (d0, d1)>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x128x64xbf16>, %arg1: tensor<4x128x64xbf16>, %arg2: tensor<4x128x64xbf16>) -> (tensor<4x128x64xbf16> {jax.result_info = "result[0]"}) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant dense<1.250000e-01> : tensor<f32>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant dense<0xFF800000> : tensor<f32>
    %0 = tensor.empty() : tensor<4x128x128xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<4x128x64xbf16>, tensor<4x128x64xbf16>) outs(%1 : tensor<4x128x128xf32>) {
    ^bb0(%in: bf16, %in_3: bf16, %out: f32):
      %34 = arith.extf %in : bf16 to f32
      %35 = arith.extf %in_3 : bf16 to f32
      %36 = arith.mulf %34, %35 : f32
      %37 = arith.addf %out, %36 : f32
      linalg.yield %37 : f32
    } -> tensor<4x128x128xf32>
    %3 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%0 : tensor<4x128x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x128x128xf32>
    %4 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %3 : tensor<4x128x128xf32>, tensor<4x128x128xf32>) outs(%0 : tensor<4x128x128xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.mulf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<4x128x128xf32>
    %5 = tensor.empty() : tensor<4x128x128xi32>
    %6 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel", "parallel"]} outs(%5 : tensor<4x128x128xi32>) {
    ^bb0(%out: i32):
      %34 = linalg.index 1 : index
      %35 = arith.index_cast %34 : index to i32
      linalg.yield %35 : i32
    } -> tensor<4x128x128xi32>
    %7 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel", "parallel"]} outs(%5 : tensor<4x128x128xi32>) {
    ^bb0(%out: i32):
      %34 = linalg.index 2 : index
      %35 = arith.index_cast %34 : index to i32
      linalg.yield %35 : i32
    } -> tensor<4x128x128xi32>
    %8 = tensor.empty() : tensor<4x128x128xi1>
    %9 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %7 : tensor<4x128x128xi32>, tensor<4x128x128xi32>) outs(%8 : tensor<4x128x128xi1>) {
    ^bb0(%in: i32, %in_3: i32, %out: i1):
      %34 = arith.cmpi sge, %in, %in_3 : i32
      linalg.yield %34 : i1
    } -> tensor<4x128x128xi1>
    %10 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%0 : tensor<4x128x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x128x128xf32>
    %11 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %4, %10 : tensor<4x128x128xi1>, tensor<4x128x128xf32>, tensor<4x128x128xf32>) outs(%0 : tensor<4x128x128xf32>) {
    ^bb0(%in: i1, %in_3: f32, %in_4: f32, %out: f32):
      %34 = arith.select %in, %in_3, %in_4 : f32
      linalg.yield %34 : f32
    } -> tensor<4x128x128xf32>
    %12 = tensor.empty() : tensor<4x128xf32>
    %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<4x128xf32>) -> tensor<4x128xf32>
    %14 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<4x128x128xf32>) outs(%13 : tensor<4x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.maximumf %out, %in : f32
      linalg.yield %34 : f32
    } -> tensor<4x128xf32>
    %15 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%12 : tensor<4x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x128xf32>
    %16 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%15, %14 : tensor<4x128xf32>, tensor<4x128xf32>) outs(%12 : tensor<4x128xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.maximumf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<4x128xf32>
    %17 = tensor.empty() : tensor<4x128x1xf32>
    %18 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<4x128xf32>) outs(%17 : tensor<4x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x128x1xf32>
    %19 = linalg.generic {indexing_maps = [#map8, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<4x128x1xf32>) outs(%0 : tensor<4x128x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x128x128xf32>
    %20 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %19 : tensor<4x128x128xf32>, tensor<4x128x128xf32>) outs(%0 : tensor<4x128x128xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.subf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<4x128x128xf32>
    %21 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<4x128x128xf32>) outs(%0 : tensor<4x128x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = math.exp %in : f32
      linalg.yield %34 : f32
    } -> tensor<4x128x128xf32>
    %22 = linalg.fill ins(%cst_1 : f32) outs(%12 : tensor<4x128xf32>) -> tensor<4x128xf32>
    %23 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%21 : tensor<4x128x128xf32>) outs(%22 : tensor<4x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.addf %out, %in : f32
      linalg.yield %34 : f32
    } -> tensor<4x128xf32>
    %24 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23 : tensor<4x128xf32>) outs(%17 : tensor<4x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x128x1xf32>
    %25 = linalg.generic {indexing_maps = [#map8, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<4x128x1xf32>) outs(%0 : tensor<4x128x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x128x128xf32>
    %26 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %25 : tensor<4x128x128xf32>, tensor<4x128x128xf32>) outs(%0 : tensor<4x128x128xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.divf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<4x128x128xf32>
    %27 = tensor.empty() : tensor<4x128x128xbf16>
    %28 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26 : tensor<4x128x128xf32>) outs(%27 : tensor<4x128x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %34 = arith.truncf %in : f32 to bf16
      linalg.yield %34 : bf16
    } -> tensor<4x128x128xbf16>
    %29 = tensor.empty() : tensor<4x128x64xf32>
    %30 = linalg.fill ins(%cst_1 : f32) outs(%29 : tensor<4x128x64xf32>) -> tensor<4x128x64xf32>
    %31 = linalg.batch_matmul ins(%28, %arg2 : tensor<4x128x128xbf16>, tensor<4x128x64xbf16>) outs(%30 : tensor<4x128x64xf32>) -> tensor<4x128x64xf32>
    %32 = tensor.empty() : tensor<4x128x64xbf16>
    %33 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31 : tensor<4x128x64xf32>) outs(%32 : tensor<4x128x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %34 = arith.truncf %in : f32 to bf16
      linalg.yield %34 : bf16
    } -> tensor<4x128x64xbf16>
    return %33 : tensor<4x128x64xbf16>
  }
}
