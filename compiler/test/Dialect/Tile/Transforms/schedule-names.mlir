// Names of views that are nearly right get a hint.
// RUN: drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule))' --verify-diagnostics --split-input-file

!mat = !tile.view<?x?xf32>

// expected-error @below {{together: unknown view 'inputs'; known: input, bias, y; did you mean 'input'?}}
tile.kernel @group(%input: !mat, %bias: !mat, %y: !mat) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<together = [[inputs, bias]]>} {
  %a = tile.load %input[0, 0] : !mat -> tensor<64x64xf32>
  %b = tile.load %bias[0, 0] : !mat -> tensor<64x64xf32>
  %x = arith.addf %a, %b : tensor<64x64xf32>
  tile.store %x, %y[0, 0] : tensor<64x64xf32>, !mat
}

// -----

!mat = !tile.view<?x?xf32>

// expected-error @below {{hints: unknown view 'bais'; known: bias, y; did you mean 'bias'?}}
tile.kernel @hint(%bias: !mat, %y: !mat) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<hints = {bais = evict_first}>} {
  %x = tile.load %bias[0, 0] : !mat -> tensor<64x64xf32>
  tile.store %x, %y[0, 0] : tensor<64x64xf32>, !mat
}
