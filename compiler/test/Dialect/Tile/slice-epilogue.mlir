// An epilogue is computed in parts of the schedule's columns.
// RUN: drawloom-opt %s --slice-epilogue --split-input-file | FileCheck %s

// A residual and a bias for each column are loaded in parts. A scale for each row
// is loaded once.

// CHECK-LABEL: tile.kernel @residual
// CHECK-SAME: tile.reasons = ["slice-epilogue: tile.store of 'd' in 4 parts of 64 columns"]
// CHECK: tile.for_each (%[[M:.*]], %[[N:.*]]) tiles
// CHECK: %[[ACC:.*]] = scf.for
// CHECK-NOT: tensor<128x256xbf16>
// CHECK: %[[SCALE:.*]] = tile.load %scale[%[[M]]] : !tile.view<?xf32> -> tensor<128xf32>
// CHECK: %[[COLUMN:.*]] = tile.expand_dims %[[SCALE]] axis 1
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[END:.*]] step %[[STEP:.*]] {
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[ACC]][0, %[[J]]] [128, 64] [1, 1]
// CHECK: %[[SCALES:.*]] = tile.broadcast %[[COLUMN]] : tensor<128x1xf32> -> tensor<128x64xf32>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[PART]], %[[SCALES]] : tensor<128x64xf32>
// CHECK: %[[NJ:.*]] = arith.addi %[[N]], %[[J]] : index
// CHECK: %[[BIAS:.*]] = tile.load %bias[%[[NJ]]] : !tile.view<?xf32> -> tensor<64xf32>
// CHECK: %[[ROW:.*]] = tile.expand_dims %[[BIAS]] axis 0 : tensor<64xf32> -> tensor<1x64xf32>
// CHECK: %[[ROWS:.*]] = tile.broadcast %[[ROW]] : tensor<1x64xf32> -> tensor<128x64xf32>
// CHECK: %[[BIASED:.*]] = arith.addf %[[SCALED]], %[[ROWS]]
// CHECK: %[[C:.*]] = tile.load %c[%[[M]], %[[NJ]]] pad(1.000000e+00 : bf16) : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
// CHECK: %[[E:.*]] = arith.extf %[[C]] : tensor<128x64xbf16> to tensor<128x64xf32>
// CHECK: %[[F:.*]] = arith.addf %[[BIASED]], %[[E]]
// CHECK: %[[O:.*]] = arith.truncf %[[F]] : tensor<128x64xf32> to tensor<128x64xbf16>
// CHECK: tile.store %[[O]], %d[%[[M]], %[[NJ]]] : tensor<128x64xbf16>, !tile.view<?x?xbf16>
tile.kernel @residual(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %scale: !tile.view<?xf32>,
                      %bias: !tile.view<?xf32>, %c: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>)
    attributes {tile.schedule = #tile.schedule<epilogue_tile = 64>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %s = tile.load %scale[%m] : !tile.view<?xf32> -> tensor<128xf32>
    %column = tile.expand_dims %s axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %scales = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x256xf32>
    %scaled = arith.mulf %acc, %scales : tensor<128x256xf32>
    %v = tile.load %bias[%n] : !tile.view<?xf32> -> tensor<256xf32>
    %row = tile.expand_dims %v axis 0 : tensor<256xf32> -> tensor<1x256xf32>
    %rows = tile.broadcast %row : tensor<1x256xf32> -> tensor<128x256xf32>
    %biased = arith.addf %scaled, %rows : tensor<128x256xf32>
    %r = tile.load %c[%m, %n] pad(1.0 : bf16) : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
    %e = arith.extf %r : tensor<128x256xbf16> to tensor<128x256xf32>
    %f = arith.addf %biased, %e : tensor<128x256xf32>
    %o = arith.truncf %f : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}

// -----

// Two MMAs and one store: one loop takes a part of each.

// CHECK-LABEL: tile.kernel @two_products
// CHECK: %[[ACC:.*]]:2 = scf.for
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
// CHECK-DAG: tensor.extract_slice %[[ACC]]#0[0, %[[J]]] [128, 32] [1, 1]
// CHECK-DAG: tensor.extract_slice %[[ACC]]#1[0, %[[J]]] [128, 32] [1, 1]
// CHECK: arith.mulf {{.*}} : tensor<128x32xf32>
// CHECK: tile.store {{.*}} : tensor<128x32xf32>
// CHECK-NOT: scf.for
tile.kernel @two_products(%a: !tile.view<?x64xbf16>, %b: !tile.view<?x64xbf16>, %c: !tile.view<?x64xbf16>,
                          %d: !tile.view<?x?xf32>) attributes {tile.schedule = #tile.schedule<epilogue_tile = 32>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  tile.for_each (%m, %n) tiles [128, 64] of %d : !tile.view<?x?xf32> {
    %acc:2 = scf.for %k = %c0 to %c64 step %c32 iter_args(%s = %zero, %t = %zero) -> (tensor<128x64xf32>, tensor<128x64xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x64xbf16> -> tensor<128x32xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x64xbf16> -> tensor<64x32xbf16>
      %z = tile.load %c[%n, %k] : !tile.view<?x64xbf16> -> tensor<64x32xbf16>
      %u = tile.mma %x, %y, %s : tensor<128x32xbf16>, tensor<64x32xbf16> -> tensor<128x64xf32>
      %v = tile.mma %x, %z, %t : tensor<128x32xbf16>, tensor<64x32xbf16> -> tensor<128x64xf32>
      scf.yield %u, %v : tensor<128x64xf32>, tensor<128x64xf32>
    }
    %p = arith.mulf %acc#0, %acc#1 : tensor<128x64xf32>
    tile.store %p, %d[%m, %n] : tensor<128x64xf32>, !tile.view<?x?xf32>
  }
}

// -----

// A sum along the columns is carried by the loop that stores the tile. What is
// made of it follows the loop. A maximum along the rows is cut like the tile.

// CHECK-LABEL: tile.kernel @reductions
// CHECK: %[[ACC:.*]] = tile.mma
// CHECK: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : tensor<128xf32>
// CHECK: %[[SUM:.*]] = scf.for %[[J:.*]] = %{{.*}} iter_args(%[[SO_FAR:.*]] = %[[ZERO]]) -> (tensor<128xf32>) {
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[ACC]][0, %[[J]]] [128, 32] [1, 1]
// CHECK: %[[E:.*]] = math.exp %[[PART]] : tensor<128x32xf32>
// CHECK: %[[SUM_PART:.*]] = tile.reduce addf %[[E]] axis 1 : tensor<128x32xf32> -> tensor<128xf32>
// CHECK: %[[NEXT:.*]] = arith.addf %[[SO_FAR]], %[[SUM_PART]] : tensor<128xf32>
// CHECK: %[[MAX:.*]] = tile.reduce maximumf %[[E]] axis 0 : tensor<128x32xf32> -> tensor<32xf32>
// CHECK: tile.store %[[MAX]], %maxima[%[[J]]] : tensor<32xf32>
// CHECK: tile.store %[[E]], %d[0, %[[J]]] : tensor<128x32xf32>
// CHECK: scf.yield %[[NEXT]]
// CHECK: }
// CHECK: %[[LOG:.*]] = math.log %[[SUM]] : tensor<128xf32>
// CHECK: tile.store %[[LOG]], %logs[0]
tile.kernel @reductions(%a: !tile.view<128x32xbf16>, %b: !tile.view<64x32xbf16>, %logs: !tile.view<128xf32>,
                        %maxima: !tile.view<64xf32>, %d: !tile.view<128x64xf32>)
    attributes {tile.schedule = #tile.schedule<epilogue_tile = 32>} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = tile.load %a[0, 0] : !tile.view<128x32xbf16> -> tensor<128x32xbf16>
  %y = tile.load %b[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %acc = tile.mma %x, %y, %zero : tensor<128x32xbf16>, tensor<64x32xbf16> -> tensor<128x64xf32>
  %e = math.exp %acc : tensor<128x64xf32>
  %sum = tile.reduce addf %e axis 1 : tensor<128x64xf32> -> tensor<128xf32>
  %log = math.log %sum : tensor<128xf32>
  tile.store %log, %logs[0] : tensor<128xf32>, !tile.view<128xf32>
  %max = tile.reduce maximumf %e axis 0 : tensor<128x64xf32> -> tensor<64xf32>
  tile.store %max, %maxima[0] : tensor<64xf32>, !tile.view<64xf32>
  tile.store %e, %d[0, 0] : tensor<128x64xf32>, !tile.view<128x64xf32>
}

// -----

// The tile is divided by a sum over all of its columns: two loops, the second
// reads the MMA once more.

// CHECK-LABEL: tile.kernel @two_stages
// CHECK: %[[ACC:.*]] = tile.mma
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args
// CHECK: tensor.extract_slice %[[ACC]]
// CHECK: tile.reduce addf
// CHECK: scf.yield
// CHECK: %[[COLUMN:.*]] = tile.expand_dims %[[SUM]] axis 1
// CHECK: scf.for
// CHECK: tensor.extract_slice %[[ACC]]
// CHECK: %[[WIDE:.*]] = tile.broadcast %[[COLUMN]] : tensor<128x1xf32> -> tensor<128x32xf32>
// CHECK: arith.divf %{{.*}}, %[[WIDE]]
// CHECK: tile.store
tile.kernel @two_stages(%a: !tile.view<128x32xbf16>, %b: !tile.view<64x32xbf16>, %d: !tile.view<128x64xf32>)
    attributes {tile.schedule = #tile.schedule<epilogue_tile = 32>} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = tile.load %a[0, 0] : !tile.view<128x32xbf16> -> tensor<128x32xbf16>
  %y = tile.load %b[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %acc = tile.mma %x, %y, %zero : tensor<128x32xbf16>, tensor<64x32xbf16> -> tensor<128x64xf32>
  %e = math.exp %acc : tensor<128x64xf32>
  %sum = tile.reduce addf %e axis 1 : tensor<128x64xf32> -> tensor<128xf32>
  %column = tile.expand_dims %sum axis 1 : tensor<128xf32> -> tensor<128x1xf32>
  %wide = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x64xf32>
  %o = arith.divf %e, %wide : tensor<128x64xf32>
  tile.store %o, %d[0, 0] : tensor<128x64xf32>, !tile.view<128x64xf32>
}

// -----

// A transposed store is cut along its rows; masks made of iota are shifted;
// constants and splats are made in the part's size; `dims` and subviews stay.

// CHECK-LABEL: tile.kernel @shapes
// CHECK: %[[V:.*]] = tile.subview %d
// CHECK: %[[ACC:.*]] = tile.mma
// CHECK: scf.for %[[J:.*]] = %{{.*}} to
// CHECK: %[[J32:.*]] = arith.index_cast %[[J]] : index to i32
// CHECK: %[[JS:.*]] = tensor.splat %[[J32]] : tensor<32xi32>
// CHECK: %[[IOTA:.*]] = tile.iota : tensor<32xi32>
// CHECK: arith.addi %[[IOTA]], %[[JS]] : tensor<32xi32>
// CHECK: tensor.splat %n : tensor<32xi32>
// CHECK: arith.cmpi slt, {{.*}} : tensor<32xi32>
// CHECK: tensor.extract_slice %[[ACC]][0, %[[J]]] [128, 32] [1, 1]
// CHECK: arith.constant dense<1.000000e+00> : tensor<128x32xf32>
// CHECK: arith.select {{.*}} : tensor<128x32xi1>, tensor<128x32xf32>
// CHECK: tile.transpose {{.*}} : tensor<128x32xf32> -> tensor<32x128xf32>
// CHECK: %[[OFFSET:.*]] = arith.addi %{{.*}}, %[[J]] : index
// CHECK: tile.store %{{.*}}, %[[V]][%[[OFFSET]], 3, 0] dims [0, 2] : tensor<32x128xf32>
tile.kernel @shapes(%a: !tile.view<128x32xbf16>, %b: !tile.view<64x32xbf16>, %n: i32, %d: !tile.view<?x8x128xf32>)
    attributes {tile.schedule = #tile.schedule<epilogue_tile = 32>} {
  %c5 = arith.constant 5 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %one = arith.constant dense<1.0> : tensor<128x64xf32>
  %iota = tile.iota : tensor<64xi32>
  %view = tile.subview %d[%c5, 0, 0] [60, 8, 128] : !tile.view<?x8x128xf32> -> !tile.view<60x8x128xf32>
  %x = tile.load %a[0, 0] : !tile.view<128x32xbf16> -> tensor<128x32xbf16>
  %y = tile.load %b[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %acc = tile.mma %x, %y, %zero : tensor<128x32xbf16>, tensor<64x32xbf16> -> tensor<128x64xf32>
  %ns = tensor.splat %n : tensor<64xi32>
  %inside = arith.cmpi slt, %iota, %ns : tensor<64xi32>
  %row = tile.expand_dims %inside axis 0 : tensor<64xi1> -> tensor<1x64xi1>
  %mask = tile.broadcast %row : tensor<1x64xi1> -> tensor<128x64xi1>
  %o = arith.select %mask, %acc, %one : tensor<128x64xi1>, tensor<128x64xf32>
  %t = tile.transpose %o [1, 0] : tensor<128x64xf32> -> tensor<64x128xf32>
  tile.store %t, %view[%c5, 3, 0] dims [0, 2] : tensor<64x128xf32>, !tile.view<60x8x128xf32>
}

// -----

// Without columns, and with tiles that fit into one part, nothing changes.

// CHECK-LABEL: tile.kernel @whole
// CHECK-NOT: scf.for
// CHECK: tile.store %{{.*}}, %d[0, 0] : tensor<128x64xf32>
// CHECK-LABEL: tile.kernel @narrow
// CHECK-NOT: scf.for
// CHECK: tile.store %{{.*}}, %d[0, 0] : tensor<128x64xf32>
tile.kernel @whole(%a: !tile.view<128x32xbf16>, %b: !tile.view<64x32xbf16>, %d: !tile.view<128x64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = tile.load %a[0, 0] : !tile.view<128x32xbf16> -> tensor<128x32xbf16>
  %y = tile.load %b[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %acc = tile.mma %x, %y, %zero : tensor<128x32xbf16>, tensor<64x32xbf16> -> tensor<128x64xf32>
  tile.store %acc, %d[0, 0] : tensor<128x64xf32>, !tile.view<128x64xf32>
}
tile.kernel @narrow(%a: !tile.view<128x32xbf16>, %b: !tile.view<64x32xbf16>, %d: !tile.view<128x64xf32>)
    attributes {tile.schedule = #tile.schedule<epilogue_tile = 64>} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = tile.load %a[0, 0] : !tile.view<128x32xbf16> -> tensor<128x32xbf16>
  %y = tile.load %b[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %acc = tile.mma %x, %y, %zero : tensor<128x32xbf16>, tensor<64x32xbf16> -> tensor<128x64xf32>
  tile.store %acc, %d[0, 0] : tensor<128x64xf32>, !tile.view<128x64xf32>
}

// -----

// 160 columns in parts of 64: two, and one of 32 after the loop, which goes on
// with the sum that the loop has carried.

// CHECK-LABEL: tile.kernel @residual
// CHECK-SAME: slice-epilogue: tile.store of 'd' in 2 parts of 64 columns and one of 32
// CHECK: %[[ACC:.*]] = tile.mma
// CHECK: %[[END:.*]] = arith.constant 128 : index
// CHECK: %[[SUM:.*]] = scf.for %[[J:.*]] = %{{.*}} to %[[END]] step %{{.*}} iter_args
// CHECK:   tensor.extract_slice %[[ACC]][0, %[[J]]] [128, 64] [1, 1]
// CHECK:   tile.store %{{.*}}, %d[0, %[[J]]] : tensor<128x64xf32>
// CHECK:   scf.yield
// CHECK: %[[AT:.*]] = arith.constant 128 : index
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[ACC]][0, %[[AT]]] [128, 32] [1, 1]
// CHECK: %[[E:.*]] = math.exp %[[PART]] : tensor<128x32xf32>
// CHECK: %[[MORE:.*]] = tile.reduce addf %[[E]] axis 1 : tensor<128x32xf32> -> tensor<128xf32>
// CHECK: %[[ALL:.*]] = arith.addf %[[SUM]], %[[MORE]] : tensor<128xf32>
// CHECK: tile.store %[[E]], %d[0, %[[AT]]] : tensor<128x32xf32>
// CHECK: tile.store %[[ALL]], %sums[0]
tile.kernel @residual(%a: !tile.view<128x32xbf16>, %b: !tile.view<160x32xbf16>, %d: !tile.view<128x160xf32>, %sums: !tile.view<128xf32>)
    attributes {tile.schedule = #tile.schedule<epilogue_tile = 64>} {
  %zero = arith.constant dense<0.0> : tensor<128x160xf32>
  %x = tile.load %a[0, 0] : !tile.view<128x32xbf16> -> tensor<128x32xbf16>
  %y = tile.load %b[0, 0] : !tile.view<160x32xbf16> -> tensor<160x32xbf16>
  %acc = tile.mma %x, %y, %zero : tensor<128x32xbf16>, tensor<160x32xbf16> -> tensor<128x160xf32>
  %e = math.exp %acc : tensor<128x160xf32>
  %sum = tile.reduce addf %e axis 1 : tensor<128x160xf32> -> tensor<128xf32>
  tile.store %e, %d[0, 0] : tensor<128x160xf32>, !tile.view<128x160xf32>
  tile.store %sum, %sums[0] : tensor<128xf32>, !tile.view<128xf32>
}
