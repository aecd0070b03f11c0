// RUN: drawloom-opt %s --front-half | FileCheck %s

// Attention over latents: one role loads the operands of both MMAs of the
// scores, and the warp groups that multiply take the second before they are done
// with the first. With the slots that fit best no role would go on, so the proof
// says how many it takes, and these are planned.
// CHECK-LABEL: tile.kernel @mla_t64
// CHECK-SAME:  "fit-plans: {{[^"]*}}{{[0-9]+}} slots for operands_1, because what was chosen first
// CHECK:       agent.switch{{.*}}proved
func.func @mla_t64(%qc: tensor<2x128x256xbf16> {tile.name = "qc"},
    %c: tensor<2x256x256xbf16> {tile.name = "c"},
    %qr: tensor<2x128x64xbf16> {tile.name = "qr"},
    %kr: tensor<2x256x64xbf16> {tile.name = "kr"})
    -> (tensor<2x128x256xbf16> {tile.name = "o"}) attributes {tile.target = "sm_90a"} {
  %e1 = tensor.empty() : tensor<2x128x256xf32>
  %c2 = arith.constant 0.0 : f32
  %f3 = linalg.fill ins(%c2 : f32) outs(%e1 : tensor<2x128x256xf32>) -> tensor<2x128x256xf32>
  %p4 = linalg.contract indexing_maps = [affine_map<(b, h, t, c) -> (b, h, c)>, affine_map<(b, h, t, c) -> (b, t, c)>, affine_map<(b, h, t, c) -> (b, h, t)>] ins(%qc, %c : tensor<2x128x256xbf16>, tensor<2x256x256xbf16>) outs(%f3 : tensor<2x128x256xf32>) -> tensor<2x128x256xf32>
  %e5 = tensor.empty() : tensor<2x128x256xf32>
  %c6 = arith.constant 0.0 : f32
  %f7 = linalg.fill ins(%c6 : f32) outs(%e5 : tensor<2x128x256xf32>) -> tensor<2x128x256xf32>
  %p8 = linalg.contract indexing_maps = [affine_map<(b, h, t, r) -> (b, h, r)>, affine_map<(b, h, t, r) -> (b, t, r)>, affine_map<(b, h, t, r) -> (b, h, t)>] ins(%qr, %kr : tensor<2x128x64xbf16>, tensor<2x256x64xbf16>) outs(%f7 : tensor<2x128x256xf32>) -> tensor<2x128x256xf32>
  %e9 = tensor.empty() : tensor<2x128x256xf32>
  %y10 = linalg.generic {indexing_maps = [affine_map<(b, h, t) -> (b, h, t)>, affine_map<(b, h, t) -> (b, h, t)>, affine_map<(b, h, t) -> (b, h, t)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p4, %p8 : tensor<2x128x256xf32>, tensor<2x128x256xf32>) outs(%e9 : tensor<2x128x256xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out0: f32):
    %t11 = arith.addf %in0, %in1 : f32
    linalg.yield %t11 : f32
  } -> tensor<2x128x256xf32>
  %e12 = tensor.empty() : tensor<2x128xf32>
  %c13 = arith.constant 0xFF800000 : f32
  %f14 = linalg.fill ins(%c13 : f32) outs(%e12 : tensor<2x128xf32>) -> tensor<2x128xf32>
  %r15 = linalg.generic {indexing_maps = [affine_map<(b, h, t) -> (b, h, t)>, affine_map<(b, h, t) -> (b, h)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y10 : tensor<2x128x256xf32>) outs(%f14 : tensor<2x128xf32>) {
  ^bb0(%in0: f32, %acc: f32):
    %t16 = arith.maximumf %acc, %in0 : f32
    linalg.yield %t16 : f32
  } -> tensor<2x128xf32>
  %e17 = tensor.empty() : tensor<2x128x256xf32>
  %y18 = linalg.generic {indexing_maps = [affine_map<(b, h, t) -> (b, h, t)>, affine_map<(b, h, t) -> (b, h)>, affine_map<(b, h, t) -> (b, h, t)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y10, %r15 : tensor<2x128x256xf32>, tensor<2x128xf32>) outs(%e17 : tensor<2x128x256xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out0: f32):
    %t19 = arith.subf %in0, %in1 : f32
    %t20 = math.exp %t19 : f32
    linalg.yield %t20 : f32
  } -> tensor<2x128x256xf32>
  %e21 = tensor.empty() : tensor<2x128xf32>
  %c22 = arith.constant 0.0 : f32
  %f23 = linalg.fill ins(%c22 : f32) outs(%e21 : tensor<2x128xf32>) -> tensor<2x128xf32>
  %r24 = linalg.generic {indexing_maps = [affine_map<(b, h, t) -> (b, h, t)>, affine_map<(b, h, t) -> (b, h)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y18 : tensor<2x128x256xf32>) outs(%f23 : tensor<2x128xf32>) {
  ^bb0(%in0: f32, %acc: f32):
    %t25 = arith.addf %acc, %in0 : f32
    linalg.yield %t25 : f32
  } -> tensor<2x128xf32>
  %e26 = tensor.empty() : tensor<2x128x256xf32>
  %y27 = linalg.generic {indexing_maps = [affine_map<(b, h, t) -> (b, h, t)>, affine_map<(b, h, t) -> (b, h)>, affine_map<(b, h, t) -> (b, h, t)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y18, %r24 : tensor<2x128x256xf32>, tensor<2x128xf32>) outs(%e26 : tensor<2x128x256xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out0: f32):
    %t28 = arith.divf %in0, %in1 : f32
    linalg.yield %t28 : f32
  } -> tensor<2x128x256xf32>
  %w29 = arith.truncf %y27 : tensor<2x128x256xf32> to tensor<2x128x256xbf16>
  %e30 = tensor.empty() : tensor<2x128x256xf32>
  %c31 = arith.constant 0.0 : f32
  %f32 = linalg.fill ins(%c31 : f32) outs(%e30 : tensor<2x128x256xf32>) -> tensor<2x128x256xf32>
  %p33 = linalg.contract indexing_maps = [affine_map<(b, h, c, t) -> (b, h, t)>, affine_map<(b, h, c, t) -> (b, t, c)>, affine_map<(b, h, c, t) -> (b, h, c)>] ins(%w29, %c : tensor<2x128x256xbf16>, tensor<2x256x256xbf16>) outs(%f32 : tensor<2x128x256xf32>) -> tensor<2x128x256xf32>
  %w34 = arith.truncf %p33 : tensor<2x128x256xf32> to tensor<2x128x256xbf16>
  return %w34 : tensor<2x128x256xbf16>
}
