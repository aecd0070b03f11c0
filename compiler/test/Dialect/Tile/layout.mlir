// Layouts are printed in normal form, and passes can put them on tiles.
// RUN: drawloom-opt %s | drawloom-opt | FileCheck %s
// RUN: drawloom-opt %s --mlir-print-op-generic | drawloom-opt | FileCheck %s

// CHECK-DAG: #[[ROW:.*]] = #tile.layout<8x4, register = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}1, 0], [2, 0], [4, 0]]>
#row = #tile.layout<8x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0]]>
// CHECK-DAG: #[[COLUMN:.*]] = #tile.layout<8x4, register = {{\[\[}}1, 0], [2, 0]], lane = {{\[\[}}4, 0], [0, 1], [0, 2]]>
#column = #tile.layout<8x4, register = [[1, 0], [2, 0]], lane = [[4, 0], [0, 1], [0, 2]]>

// A digit of 6 is a bit and a digit of 3; bits go below.
// CHECK-DAG: #[[SIX:.*]] = #tile.layout<8x12, register = {{\[\[}}0, 1], [0, 2], [0, 4] by 3], lane = {{\[\[}}1, 0], [2, 0], [4, 0]]>
#six = #tile.layout<8x12, register = [[0, 1] by 3, [0, 3], [0, 6]], lane = [[1, 0], [2, 0], [4, 0]]>

// Bits may stand above an odd digit; and a layout may hold an element in several
// places.
// CHECK-DAG: #[[TWO:.*]] = #tile.layout<3x2, register = {{\[\[}}1, 0] by 3, [0, 1]], lane = {{\[\[}}0, 0]]>
#two = #tile.layout<3x2, register = [[1, 0] by 3, [0, 1]], lane = [[0, 0]]>

// Which CTA has which rows, and the same with the place inside the CTA. The
// digit of 3 of the rows is where neither says it is: below the CTA's bit.
// CHECK-DAG: #[[CTA:.*]] = #tile.layout<12x4, cta = {{\[\[}}6, 0]]>
#cta = #tile.layout<12x4, cta = [[6, 0]]>
// CHECK-DAG: #[[BOTH:.*]] = #tile.layout<12x4, register = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}1, 0], [2, 0] by 3], cta = {{\[\[}}6, 0]]>
#both = #tile.layout<12x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0] by 3], cta = [[6, 0]]>

// CHECK-LABEL: func.func @layouts
func.func @layouts(%x: tensor<8x4xf32, #row>, %y: tensor<8x12xf32, #six>, %z: tensor<3x2xf32, #two>) {
  // CHECK: tile.convert_layout %{{.*}} : tensor<8x4xf32, #[[ROW]]> -> tensor<8x4xf32, #[[COLUMN]]>
  %0 = tile.convert_layout %x : tensor<8x4xf32, #row> -> tensor<8x4xf32, #column>
  // CHECK: tile.convert_layout %{{.*}} : tensor<8x12xf32, #[[SIX]]> -> tensor<8x12xf32>
  %1 = tile.convert_layout %y : tensor<8x12xf32, #six> -> tensor<8x12xf32>
  // CHECK: tile.transpose %{{.*}} [1, 0] : tensor<8x4xf32, #[[ROW]]> -> tensor<4x8xf32>
  %2 = tile.transpose %x [1, 0] : tensor<8x4xf32, #row> -> tensor<4x8xf32>
  // CHECK: tile.reduce addf %{{.*}} axis 0 : tensor<3x2xf32, #[[TWO]]> -> tensor<2xf32>
  %3 = tile.reduce addf %z axis 0 : tensor<3x2xf32, #two> -> tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @cluster
func.func @cluster(%x: tensor<12x4xf32, #cta>) {
  // CHECK: tile.convert_layout %{{.*}} : tensor<12x4xf32, #[[CTA]]> -> tensor<12x4xf32, #[[BOTH]]>
  %0 = tile.convert_layout %x : tensor<12x4xf32, #cta> -> tensor<12x4xf32, #both>
  return
}

// CHECK-LABEL: func.func @attributes
// CHECK-SAME: {kind = #tile.reduction<maxsi>, where = #tile.space<tmem>}
func.func @attributes() attributes {kind = #tile.reduction<maxsi>, where = #tile.space<tmem>} {
  return
}
