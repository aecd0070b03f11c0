// Targets, schedules and the names of arguments.
// RUN: drawloom-opt %s | FileCheck %s
// RUN: drawloom-opt %s | drawloom-opt | FileCheck %s
// RUN: drawloom-opt %s --mlir-print-op-generic --mlir-print-debuginfo | drawloom-opt | FileCheck %s

// Every field, in the order in which they are printed. Names need no quotes
// where they are words.
// CHECK-LABEL: tile.kernel @all(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>)
// CHECK-SAME: tile.schedule = #tile.schedule<tile = [128, 256, 64], persistent = static, roles = multi, fallback = error, slots = {operands = 4, bias = 2, "two words" = 1}, together = {{\[}}[a, b]], cluster = [2, 1, 1], warps = 8, epilogue_tile = 64>
// CHECK-SAME: tile.target = "sm_100a"
tile.kernel @all(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>) attributes {
    tile.target = "sm_100a",
    tile.schedule = #tile.schedule<
      epilogue_tile = 64, warps = 8, cluster = [2, 1, 1], together = [["a", b]],
      slots = {operands = 4, "bias" = 2, "two words" = 1}, fallback = error,
      roles = multi, persistent = static, tile = [128, 256, 64]>} {
}

// CHECK-LABEL: tile.kernel @none(%{{.*}}: !tile.view<?xf32>)
// CHECK-SAME: tile.schedule = #tile.schedule<>
tile.kernel @none(%0: !tile.view<?xf32>) attributes {tile.schedule = #tile.schedule<>} {
}

// CHECK-LABEL: tile.kernel @words
// CHECK-SAME: #tile.schedule<persistent = dynamic, roles = single, fallback = unspecialized>
tile.kernel @words(%x: !tile.view<?xf32>) attributes {
    tile.schedule = #tile.schedule<persistent = dynamic, roles = single, fallback = unspecialized>} {
}

// CHECK-LABEL: tile.kernel @open_cluster
// CHECK-SAME: #tile.schedule<cluster = auto, fallback_cluster = [1, 1], epilogue_tile = 32>
tile.kernel @open_cluster(%x: !tile.view<?xf32>) attributes {
    tile.schedule = #tile.schedule<epilogue_tile = 32, fallback_cluster = [1, 1], cluster = auto>} {
}

// CHECK-LABEL: tile.kernel @approximate
// CHECK-SAME: #tile.schedule<epilogue_tile = 32, fast_math = true>
tile.kernel @approximate(%x: !tile.view<?xf32>) attributes {
    tile.schedule = #tile.schedule<fast_math = true, epilogue_tile = 32>} {
}

// CHECK-LABEL: tile.kernel @accurate
// CHECK-SAME: #tile.schedule<fast_math = false>
tile.kernel @accurate(%x: !tile.view<?xf32>) attributes {
    tile.schedule = #tile.schedule<fast_math = false>} {
}

// CHECK-LABEL: tile.kernel @hints
// CHECK-SAME: #tile.schedule<hints = {x = evict_first, "two words" = evict_last}>
tile.kernel @hints(%x: !tile.view<?xf32>) attributes {
    tile.schedule = #tile.schedule<hints = {x = evict_first, "two words" = evict_last}>} {
}

// CHECK-LABEL: tile.kernel @pragmas
// CHECK-SAME: #tile.schedule<epilogue_tile = 32, pragmas = {entry = "nounroll", sync = "a = 1"}>
tile.kernel @pragmas(%x: !tile.view<?xf32>) attributes {
    tile.schedule = #tile.schedule<pragmas = {"entry" = "nounroll", sync = "a = 1"}, epilogue_tile = 32>} {
}

// A number is no name, and a name may stand in the location.
// CHECK-LABEL: tile.kernel @names(%arg0: f32, %bias: f32, %scale: f32)
tile.kernel @names(%7: f32, %bias: f32, %y: f32 loc("scale")) {
}

// CHECK-LABEL: func.func @tensors(%arg0: tensor<4xf32> {tile.name = "x"}) -> (tensor<4xf32> {tile.name = "y"})
func.func @tensors(%arg0: tensor<4xf32> {tile.name = "x"}) -> (tensor<4xf32> {tile.name = "y"})
    attributes {tile.target = "sm_90a"} {
  return %arg0 : tensor<4xf32>
}
