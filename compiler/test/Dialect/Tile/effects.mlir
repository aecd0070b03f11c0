// What upstream's passes may do to tile programs, and what not.
// RUN: drawloom-opt %s --split-input-file --cse --canonicalize --loop-invariant-code-motion | FileCheck %s

// Nothing uses these, and nothing sees that they are gone.
// CHECK-LABEL: @dead
// CHECK-NEXT:  }
tile.kernel @dead(%v: !tile.view<?x?xf32>, %n: index) {
  %0 = tile.load %v[0, 0] : !tile.view<?x?xf32> -> tensor<4x4xf32>
  %1 = tile.reduce addf %0 axis 0 : tensor<4x4xf32> -> tensor<4xf32>
  %2 = tile.iota : tensor<4xi32>
  %3 = tile.subview %v[%n, %n] [%n, %n] : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  %4 = tile.dim %3, 0 : !tile.view<?x?xf32>
  %5 = tile.alloc : !tile.buffer<4x4xf32, smem>
  tile.for_each (%i) tiles [4] of [%n] {
    %6 = tile.load %v[%i, 0] : !tile.view<?x?xf32> -> tensor<4x4xf32>
  }
}

// -----

// Two loads of the same box with nothing between them are one.
// CHECK-LABEL: @same_load
// CHECK:         %[[X:.*]] = tile.load
// CHECK-NOT:     tile.load
// CHECK:         arith.addf %[[X]], %[[X]]
tile.kernel @same_load(%v: !tile.view<?xf32>, %o: !tile.view<?xf32>) {
  %0 = tile.load %v[0] : !tile.view<?xf32> -> tensor<4xf32>
  %1 = tile.load %v[0] : !tile.view<?xf32> -> tensor<4xf32>
  %2 = arith.addf %0, %1 : tensor<4xf32>
  tile.store %2, %o[0] : tensor<4xf32>, !tile.view<?xf32>
}

// -----

// A store between them may change what the second one reads. Stores stay, both
// of them.
// CHECK-LABEL: @store_between
// CHECK:         tile.load
// CHECK:         tile.store
// CHECK:         tile.load
// CHECK:         tile.store
tile.kernel @store_between(%v: !tile.view<?xf32>) {
  %0 = tile.load %v[0] : !tile.view<?xf32> -> tensor<4xf32>
  %1 = arith.addf %0, %0 : tensor<4xf32>
  tile.store %1, %v[0] : tensor<4xf32>, !tile.view<?xf32>
  %2 = tile.load %v[0] : !tile.view<?xf32> -> tensor<4xf32>
  tile.store %2, %v[4] : tensor<4xf32>, !tile.view<?xf32>
}

// -----

// The same for buffers; and a buffer that is written stays.
// CHECK-LABEL: @buffer
// CHECK:         tile.alloc
// CHECK:         tile.write
// CHECK:         tile.read
// CHECK:         tile.write
// CHECK:         tile.read
tile.kernel @buffer(%v: !tile.view<?xf32>) {
  %b = tile.alloc : !tile.buffer<4xf32, smem>
  %0 = tile.load %v[0] : !tile.view<?xf32> -> tensor<4xf32>
  tile.write %0, %b[0] : tensor<4xf32>, !tile.buffer<4xf32, smem>
  %1 = tile.read %b[0] : !tile.buffer<4xf32, smem> -> tensor<4xf32>
  %2 = arith.addf %0, %1 : tensor<4xf32>
  tile.write %2, %b[0] : tensor<4xf32>, !tile.buffer<4xf32, smem>
  %3 = tile.read %b[0] : !tile.buffer<4xf32, smem> -> tensor<4xf32>
  %4 = arith.addf %1, %3 : tensor<4xf32>
  tile.store %4, %v[4] : tensor<4xf32>, !tile.view<?xf32>
}

// -----

// Two buffers are two, though they have the same type.
// CHECK-LABEL: @two_buffers
// CHECK-COUNT-2: tile.alloc
tile.kernel @two_buffers(%v: !tile.view<?xf32>) {
  %a = tile.alloc : !tile.buffer<4xf32, smem>
  %b = tile.alloc : !tile.buffer<4xf32, smem>
  %0 = tile.load %v[0] : !tile.view<?xf32> -> tensor<4xf32>
  tile.write %0, %a[0] : tensor<4xf32>, !tile.buffer<4xf32, smem>
  tile.write %0, %b[0] : tensor<4xf32>, !tile.buffer<4xf32, smem>
}

// -----

// What is the same for every item leaves the work tiles, unless it reads.
// CHECK-LABEL: @invariant
// CHECK-SAME:    %[[V:.*]]: !tile.view<?xf32>, %[[S:.*]]: f32
// CHECK-DAG:     tensor.splat %[[S]]
// CHECK-DAG:     tile.dim %[[V]], 0
// CHECK:         tile.for_each
// CHECK-NEXT:      tile.load %[[V]][0]
tile.kernel @invariant(%v: !tile.view<?xf32>, %s: f32, %o: !tile.view<?xf32>) {
  tile.for_each (%i) tiles [4] of %o : !tile.view<?xf32> {
    %0 = tensor.splat %s : tensor<4xf32>
    %1 = tile.dim %v, 0 : !tile.view<?xf32>
    %2 = tile.load %v[0] : !tile.view<?xf32> -> tensor<4xf32>
    %3 = arith.addf %0, %2 : tensor<4xf32>
    tile.store %3, %o[%1] : tensor<4xf32>, !tile.view<?xf32>
  }
}
