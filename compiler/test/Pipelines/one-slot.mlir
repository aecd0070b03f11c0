// RUN: drawloom-opt %s --front-half | FileCheck %s

// Rotary embedding of Q and K, then the scores. No smaller tile fits with slots to
// load ahead into, and one slot of some pipes is better than no plan.
// CHECK-LABEL: tile.kernel @qwen3_rope_then_scores
// CHECK:       agent.pipe "cosq" slots(1){{.*}}<"slots-that-fit", "1 slot, because 2 would not fit">
// CHECK:       agent.pipe "k" slots(2)
// CHECK:       agent.switch
func.func @qwen3_rope_then_scores(%q: tensor<2x?x128xbf16> {tile.name = "q"},
    %k: tensor<2x?x128xbf16> {tile.name = "k"},
    %cosq: tensor<?x64xf32> {tile.name = "cosq"},
    %sinq: tensor<?x64xf32> {tile.name = "sinq"},
    %cosk: tensor<?x64xf32> {tile.name = "cosk"},
    %sink: tensor<?x64xf32> {tile.name = "sink"})
    -> (tensor<2x?x?xf32> {tile.name = "s"}) attributes {tile.target = "sm_100a"} {
  %i2 = arith.constant 1 : index
  %M = tensor.dim %q, %i2 : tensor<2x?x128xbf16>
  %s1 = tensor.extract_slice %q[0, 0, 0] [2, %M, 64] [1, 1, 1] : tensor<2x?x128xbf16> to tensor<2x?x64xbf16>
  %s3 = tensor.extract_slice %q[0, 0, 64] [2, %M, 64] [1, 1, 1] : tensor<2x?x128xbf16> to tensor<2x?x64xbf16>
  %i5 = arith.constant 1 : index
  %N = tensor.dim %k, %i5 : tensor<2x?x128xbf16>
  %s4 = tensor.extract_slice %k[0, 0, 0] [2, %N, 64] [1, 1, 1] : tensor<2x?x128xbf16> to tensor<2x?x64xbf16>
  %s6 = tensor.extract_slice %k[0, 0, 64] [2, %N, 64] [1, 1, 1] : tensor<2x?x128xbf16> to tensor<2x?x64xbf16>
  %e7 = tensor.empty(%M) : tensor<2x?x64xbf16>
  %y8 = linalg.generic {indexing_maps = [affine_map<(h, m, e) -> (h, m, e)>, affine_map<(h, m, e) -> (h, m, e)>, affine_map<(h, m, e) -> (m, e)>, affine_map<(h, m, e) -> (m, e)>, affine_map<(h, m, e) -> (h, m, e)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s1, %s3, %cosq, %sinq : tensor<2x?x64xbf16>, tensor<2x?x64xbf16>, tensor<?x64xf32>, tensor<?x64xf32>) outs(%e7 : tensor<2x?x64xbf16>) {
  ^bb0(%in0: bf16, %in1: bf16, %in2: f32, %in3: f32, %out0: bf16):
    %t9 = arith.extf %in0 : bf16 to f32
    %t10 = arith.mulf %t9, %in2 : f32
    %t11 = arith.extf %in1 : bf16 to f32
    %t12 = arith.mulf %t11, %in3 : f32
    %t13 = arith.subf %t10, %t12 : f32
    %t14 = arith.truncf %t13 : f32 to bf16
    linalg.yield %t14 : bf16
  } -> tensor<2x?x64xbf16>
  %e15 = tensor.empty(%M) : tensor<2x?x64xbf16>
  %y16 = linalg.generic {indexing_maps = [affine_map<(h, m, e) -> (h, m, e)>, affine_map<(h, m, e) -> (h, m, e)>, affine_map<(h, m, e) -> (m, e)>, affine_map<(h, m, e) -> (m, e)>, affine_map<(h, m, e) -> (h, m, e)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s1, %s3, %cosq, %sinq : tensor<2x?x64xbf16>, tensor<2x?x64xbf16>, tensor<?x64xf32>, tensor<?x64xf32>) outs(%e15 : tensor<2x?x64xbf16>) {
  ^bb0(%in0: bf16, %in1: bf16, %in2: f32, %in3: f32, %out0: bf16):
    %t17 = arith.extf %in1 : bf16 to f32
    %t18 = arith.mulf %t17, %in2 : f32
    %t19 = arith.extf %in0 : bf16 to f32
    %t20 = arith.mulf %t19, %in3 : f32
    %t21 = arith.addf %t18, %t20 : f32
    %t22 = arith.truncf %t21 : f32 to bf16
    linalg.yield %t22 : bf16
  } -> tensor<2x?x64xbf16>
  %e23 = tensor.empty(%N) : tensor<2x?x64xbf16>
  %y24 = linalg.generic {indexing_maps = [affine_map<(h, n, e) -> (h, n, e)>, affine_map<(h, n, e) -> (h, n, e)>, affine_map<(h, n, e) -> (n, e)>, affine_map<(h, n, e) -> (n, e)>, affine_map<(h, n, e) -> (h, n, e)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s4, %s6, %cosk, %sink : tensor<2x?x64xbf16>, tensor<2x?x64xbf16>, tensor<?x64xf32>, tensor<?x64xf32>) outs(%e23 : tensor<2x?x64xbf16>) {
  ^bb0(%in0: bf16, %in1: bf16, %in2: f32, %in3: f32, %out0: bf16):
    %t25 = arith.extf %in0 : bf16 to f32
    %t26 = arith.mulf %t25, %in2 : f32
    %t27 = arith.extf %in1 : bf16 to f32
    %t28 = arith.mulf %t27, %in3 : f32
    %t29 = arith.subf %t26, %t28 : f32
    %t30 = arith.truncf %t29 : f32 to bf16
    linalg.yield %t30 : bf16
  } -> tensor<2x?x64xbf16>
  %e31 = tensor.empty(%N) : tensor<2x?x64xbf16>
  %y32 = linalg.generic {indexing_maps = [affine_map<(h, n, e) -> (h, n, e)>, affine_map<(h, n, e) -> (h, n, e)>, affine_map<(h, n, e) -> (n, e)>, affine_map<(h, n, e) -> (n, e)>, affine_map<(h, n, e) -> (h, n, e)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s4, %s6, %cosk, %sink : tensor<2x?x64xbf16>, tensor<2x?x64xbf16>, tensor<?x64xf32>, tensor<?x64xf32>) outs(%e31 : tensor<2x?x64xbf16>) {
  ^bb0(%in0: bf16, %in1: bf16, %in2: f32, %in3: f32, %out0: bf16):
    %t33 = arith.extf %in1 : bf16 to f32
    %t34 = arith.mulf %t33, %in2 : f32
    %t35 = arith.extf %in0 : bf16 to f32
    %t36 = arith.mulf %t35, %in3 : f32
    %t37 = arith.addf %t34, %t36 : f32
    %t38 = arith.truncf %t37 : f32 to bf16
    linalg.yield %t38 : bf16
  } -> tensor<2x?x64xbf16>
  %e39 = tensor.empty(%M, %N) : tensor<2x?x?xf32>
  %c40 = arith.constant 0.0 : f32
  %f41 = linalg.fill ins(%c40 : f32) outs(%e39 : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %p42 = linalg.contract indexing_maps = [affine_map<(h, m, n, e) -> (h, m, e)>, affine_map<(h, m, n, e) -> (h, n, e)>, affine_map<(h, m, n, e) -> (h, m, n)>] ins(%y8, %y24 : tensor<2x?x64xbf16>, tensor<2x?x64xbf16>) outs(%f41 : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %e43 = tensor.empty(%M, %N) : tensor<2x?x?xf32>
  %c44 = arith.constant 0.0 : f32
  %f45 = linalg.fill ins(%c44 : f32) outs(%e43 : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %p46 = linalg.contract indexing_maps = [affine_map<(h, m, n, e) -> (h, m, e)>, affine_map<(h, m, n, e) -> (h, n, e)>, affine_map<(h, m, n, e) -> (h, m, n)>] ins(%y16, %y32 : tensor<2x?x64xbf16>, tensor<2x?x64xbf16>) outs(%f45 : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %e47 = tensor.empty(%M, %N) : tensor<2x?x?xf32>
  %y48 = linalg.generic {indexing_maps = [affine_map<(h, m, n) -> (h, m, n)>, affine_map<(h, m, n) -> (h, m, n)>, affine_map<(h, m, n) -> (h, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p42, %p46 : tensor<2x?x?xf32>, tensor<2x?x?xf32>) outs(%e47 : tensor<2x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out0: f32):
    %t49 = arith.addf %in0, %in1 : f32
    %c50 = arith.constant 0.08838834764 : f32
    %t51 = arith.mulf %t49, %c50 : f32
    linalg.yield %t51 : f32
  } -> tensor<2x?x?xf32>
  return %y48 : tensor<2x?x?xf32>
}
