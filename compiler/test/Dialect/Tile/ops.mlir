// Every operation, through the custom and the generic syntax.
// RUN: drawloom-opt %s | drawloom-opt | FileCheck %s
// RUN: drawloom-opt %s --mlir-print-op-generic | drawloom-opt | FileCheck %s
// RUN: drawloom-opt %s --emit-bytecode | drawloom-opt | FileCheck %s

// CHECK: #[[LAYOUT:.*]] = #tile.layout<2x2, offset = {{\[\[}}0, 1], [1, 0]]>

// CHECK-LABEL: tile.kernel @kernel(
// CHECK-SAME:    %[[X:.*]]: !tile.view<?xf32>, %[[S:.*]]: f32 {tile.name = "kept"}, %{{.*}}: index, %{{.*}}: i32)
// CHECK-SAME:    attributes {other = 1 : i64} {
// CHECK-NOT:     tile.return
// CHECK:       }
tile.kernel @kernel(%x: !tile.view<?xf32>, %s: f32 {tile.name = "kept"}, %i: index, %j: i32)
    attributes {other = 1 : i64} {
  tile.return
}

// CHECK-LABEL: tile.kernel private @private() {
tile.kernel private @private() {
}

// CHECK-LABEL: tile.kernel @for_each(
tile.kernel @for_each(%d: !tile.view<?x8x?xf32>, %M: index, %N: index) {
  // CHECK: tile.for_each (%[[B:.*]], %[[M:.*]], %[[N:.*]]) tiles [1, 8, 128] of %{{.*}} : !tile.view<?x8x?xf32> attributes {note} {
  // CHECK-NOT: tile.return
  tile.for_each (%b, %m, %n) tiles [1, 8, 128] of %d : !tile.view<?x8x?xf32> attributes {note} {
    // CHECK: tile.for_each (%{{.*}}, %{{.*}}) tiles [64, 32] of [%{{.*}}, %{{.*}}] {
    tile.for_each (%i, %j) tiles [64, 32] of [%M, %N] {
      tile.return
    }
  }
}

// CHECK-LABEL: tile.kernel @views(
tile.kernel @views(%a: !tile.view<?x16xbf16>, %b: !tile.view<?x?xf8E4M3FN, strides = [?, 1]>,
                   %c: !tile.view<4x4x4xi8, strides = [64, 16, 4]>, %i: index) {
  // CHECK: tile.dim %{{.*}}, 0 : !tile.view<?x16xbf16>
  %0 = tile.dim %a, 0 : !tile.view<?x16xbf16>
  // CHECK: tile.subview %{{.*}}[%{{.*}}, 8] [%{{.*}}, 8] : !tile.view<?x16xbf16> -> !tile.view<?x8xbf16>
  %1 = tile.subview %a[%i, 8] [%0, 8] : !tile.view<?x16xbf16> -> !tile.view<?x8xbf16>
  // CHECK: tile.subview %{{.*}}[0, 0] [%{{.*}}, 64] : !tile.view<?x?xf8E4M3FN, strides = [?, 1]> -> !tile.view<?x64xf8E4M3FN, strides = [?, 1]>
  %2 = tile.subview %b[0, 0] [%i, 64] : !tile.view<?x?xf8E4M3FN, strides = [?, 1]> -> !tile.view<?x64xf8E4M3FN, strides = [?, 1]>
}

// CHECK-LABEL: tile.kernel @load_store(
tile.kernel @load_store(%a: !tile.view<?x?x?xf32>, %o: !tile.view<?xi32>, %i: index) {
  // CHECK: %[[T:.*]] = tile.load %{{.*}}[%{{.*}}, 0, -1] : !tile.view<?x?x?xf32> -> tensor<4x4x4xf32>
  %0 = tile.load %a[%i, 0, -1] : !tile.view<?x?x?xf32> -> tensor<4x4x4xf32>
  // CHECK: %[[L:.*]] = tile.load %{{.*}}[%{{.*}}, 0, 0] : !tile.view<?x?x?xf32> -> tensor<4x4xf32>
  %1 = tile.load %a[%i, 0, 0] : !tile.view<?x?x?xf32> -> tensor<4x4xf32>
  // CHECK: %[[D:.*]] = tile.load %{{.*}}[%{{.*}}, 0, 0] dims [0, 2] pad(0xFF800000 : f32) : !tile.view<?x?x?xf32> -> tensor<4x4xf32>
  %2 = tile.load %a[%i, 0, 0] dims [0, 2] pad(0xFF800000 : f32) : !tile.view<?x?x?xf32> -> tensor<4x4xf32>
  // CHECK: tile.load %{{.*}}[%{{.*}}, 0, 0] multicast [0, 1] : !tile.view<?x?x?xf32> -> tensor<4x4xf32>
  %shared = tile.load %a[%i, 0, 0] multicast [0, 1] : !tile.view<?x?x?xf32> -> tensor<4x4xf32>
  // CHECK: tile.load %{{.*}}[%{{.*}}, 0, 0] multicast [0] halved 1 : !tile.view<?x?x?xf32> -> tensor<4x4xf32>
  %half = tile.load %a[%i, 0, 0] multicast [0] halved 1 : !tile.view<?x?x?xf32> -> tensor<4x4xf32>
  // CHECK: %[[S:.*]] = tile.load %{{.*}}[%{{.*}}] pad(-1 : i32) : !tile.view<?xi32> -> i32
  %3 = tile.load %o[%i] pad(-1 : i32) : !tile.view<?xi32> -> i32
  // CHECK: tile.store %[[T]], %{{.*}}[%{{.*}}, 0, 4] : tensor<4x4x4xf32>, !tile.view<?x?x?xf32>
  tile.store %0, %a[%i, 0, 4] : tensor<4x4x4xf32>, !tile.view<?x?x?xf32>
  // CHECK: tile.store %[[D]], %{{.*}}[%{{.*}}, 0, 4] dims [0, 1] : tensor<4x4xf32>, !tile.view<?x?x?xf32>
  tile.store %2, %a[%i, 0, 4] dims [0, 1] : tensor<4x4xf32>, !tile.view<?x?x?xf32>
  // CHECK: tile.store %[[S]], %{{.*}}[0] : i32, !tile.view<?xi32>
  tile.store %3, %o[0] : i32, !tile.view<?xi32>
}

// CHECK-LABEL: tile.kernel @buffers(
tile.kernel @buffers(%i: index) {
  // CHECK: %[[B:.*]] = tile.alloc : !tile.buffer<128x256xf32, tmem>
  %0 = tile.alloc : !tile.buffer<128x256xf32, tmem>
  // CHECK: tile.alloc : !tile.buffer<2x2xbf16, smem, #[[LAYOUT]]>
  %1 = tile.alloc : !tile.buffer<2x2xbf16, smem, <2x2, offset = [[0, 1], [1, 0]]>>
  // CHECK: tile.alloc at(16384) : !tile.buffer<128x64xbf16, smem>
  %placed = tile.alloc at(16384) : !tile.buffer<128x64xbf16, smem>
  // CHECK: %[[ROWS:.*]] = tile.alloc : !tile.buffer<64x128xbf16, smem, #tile.panels<128x2, swizzle 16>>
  %rows = tile.alloc : !tile.buffer<64x128xbf16, smem, #tile.panels<128x2, swizzle 16>>
  // CHECK: tile.transpose_view %[[ROWS]] : !tile.buffer<64x128xbf16, smem, #tile.panels<128x2, swizzle 16>> -> !tile.buffer<128x64xbf16, smem, #tile.panels<128x2, swizzle 16, transposed>>
  %columns = tile.transpose_view %rows : !tile.buffer<64x128xbf16, smem, #tile.panels<128x2, swizzle 16>> -> !tile.buffer<128x64xbf16, smem, #tile.panels<128x2, swizzle 16, transposed>>
  // CHECK: tile.alloc : !tile.buffer<4x12xf32, smem, #tile.panels<48x1>>
  %plain = tile.alloc : !tile.buffer<4x12xf32, smem, #tile.panels<48x1>>
  // CHECK: %[[X:.*]] = tile.read %[[B]][0, %{{.*}}] : !tile.buffer<128x256xf32, tmem> -> tensor<128x64xf32>
  %2 = tile.read %0[0, %i] : !tile.buffer<128x256xf32, tmem> -> tensor<128x64xf32>
  // CHECK: tile.write %[[X]], %[[B]][%{{.*}}, 192] : tensor<128x64xf32>, !tile.buffer<128x256xf32, tmem>
  tile.write %2, %0[%i, 192] : tensor<128x64xf32>, !tile.buffer<128x256xf32, tmem>
}

// CHECK-LABEL: tile.kernel @values(
tile.kernel @values(%v: !tile.view<?x?xf32>, %i: index) {
  %x = tile.load %v[%i, %i] : !tile.view<?x?xf32> -> tensor<128x64xf32>
  // CHECK: %[[R:.*]] = tile.reduce maximumf %{{.*}} axis 1 : tensor<128x64xf32> -> tensor<128xf32>
  %0 = tile.reduce maximumf %x axis 1 : tensor<128x64xf32> -> tensor<128xf32>
  // CHECK: tile.reduce addf %[[R]] axis 0 : tensor<128xf32> -> f32
  %1 = tile.reduce addf %0 axis 0 : tensor<128xf32> -> f32
  // CHECK: tile.scan addf %{{.*}} axis 1 : tensor<128x64xf32>
  %scanned = tile.scan addf %x axis 1 : tensor<128x64xf32>
  // CHECK: %[[E:.*]] = tile.expand_dims %[[R]] axis 1 : tensor<128xf32> -> tensor<128x1xf32>
  %2 = tile.expand_dims %0 axis 1 : tensor<128xf32> -> tensor<128x1xf32>
  // CHECK: tile.broadcast %[[E]] : tensor<128x1xf32> -> tensor<128x64xf32>
  %3 = tile.broadcast %2 : tensor<128x1xf32> -> tensor<128x64xf32>
  // CHECK: tile.transpose %{{.*}} [1, 0] : tensor<128x64xf32> -> tensor<64x128xf32>
  %4 = tile.transpose %x [1, 0] : tensor<128x64xf32> -> tensor<64x128xf32>
  // CHECK: tile.extract_slice %{{.*}} [64, 32] : tensor<128x64xf32> -> tensor<64x32xf32>
  %5 = tile.extract_slice %x [64, 32] : tensor<128x64xf32> -> tensor<64x32xf32>
  // CHECK: tile.iota : tensor<64xi32>
  %6 = tile.iota : tensor<64xi32>
}

// CHECK-LABEL: tile.kernel @reduce_kinds(
tile.kernel @reduce_kinds(%f: !tile.view<8xf32>, %i: !tile.view<8xi32>) {
  %x = tile.load %f[0] : !tile.view<8xf32> -> tensor<8xf32>
  %y = tile.load %i[0] : !tile.view<8xi32> -> tensor<8xi32>
  // CHECK: tile.reduce addf %
  %0 = tile.reduce addf %x axis 0 : tensor<8xf32> -> f32
  // CHECK: tile.reduce mulf %
  %1 = tile.reduce mulf %x axis 0 : tensor<8xf32> -> f32
  // CHECK: tile.reduce maximumf %
  %2 = tile.reduce maximumf %x axis 0 : tensor<8xf32> -> f32
  // CHECK: tile.reduce minimumf %
  %3 = tile.reduce minimumf %x axis 0 : tensor<8xf32> -> f32
  // CHECK: tile.reduce maxnumf %
  %4 = tile.reduce maxnumf %x axis 0 : tensor<8xf32> -> f32
  // CHECK: tile.reduce minnumf %
  %5 = tile.reduce minnumf %x axis 0 : tensor<8xf32> -> f32
  // CHECK: tile.reduce addi %
  %6 = tile.reduce addi %y axis 0 : tensor<8xi32> -> i32
  // CHECK: tile.reduce muli %
  %7 = tile.reduce muli %y axis 0 : tensor<8xi32> -> i32
  // CHECK: tile.reduce maxsi %
  %8 = tile.reduce maxsi %y axis 0 : tensor<8xi32> -> i32
  // CHECK: tile.reduce minsi %
  %9 = tile.reduce minsi %y axis 0 : tensor<8xi32> -> i32
  // CHECK: tile.reduce maxui %
  %10 = tile.reduce maxui %y axis 0 : tensor<8xi32> -> i32
  // CHECK: tile.reduce minui %
  %11 = tile.reduce minui %y axis 0 : tensor<8xi32> -> i32
  // CHECK: tile.reduce andi %
  %12 = tile.reduce andi %y axis 0 : tensor<8xi32> -> i32
  // CHECK: tile.reduce ori %
  %13 = tile.reduce ori %y axis 0 : tensor<8xi32> -> i32
  // CHECK: tile.reduce xori %
  %14 = tile.reduce xori %y axis 0 : tensor<8xi32> -> i32
}

// CHECK-LABEL: tile.kernel @gathers(
tile.kernel @gathers(%v: !tile.view<?xf32>, %d: !tile.view<?xf32>) {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  tile.for_each (%m, %n) tiles [8, 1] of [%c8, %c4] {
    // CHECK: %[[PART:.*]] = tile.load
    %part = tile.load %v[%n] : !tile.view<?xf32> -> tensor<8xf32>
    // CHECK-NEXT: %[[ALL:.*]]:4 = tile.all_gather %[[PART]] along 1 : tensor<8xf32> -> 4
    %all:4 = tile.all_gather %part along 1 : tensor<8xf32> -> 4
    // CHECK-NEXT: tile.store %[[ALL]]#3
    tile.store %all#3, %d[%m] : tensor<8xf32>, !tile.view<?xf32>
    // CHECK-NEXT: tile.all_gather %[[PART]], %[[ALL]]#0, %[[ALL]]#1, %[[ALL]]#2 along 1 : tensor<8xf32> -> 4
    %own:4 = tile.all_gather %part, %all#0, %all#1, %all#2 along 1 : tensor<8xf32> -> 4
    tile.store %own#3, %d[%m] : tensor<8xf32>, !tile.view<?xf32>
  }
}
