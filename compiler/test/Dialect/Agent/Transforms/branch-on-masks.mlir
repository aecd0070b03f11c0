// RUN: drawloom-opt %s --branch-on-masks | FileCheck %s

// The last column that a tile has, and the first one that isn't there: a
// comparison more says that the sum of 32 bits doesn't wrap around.
// CHECK-LABEL: tile.kernel @edge
// CHECK:       %[[J:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK:       %[[LAST:.*]] = arith.addi %c63_i64{{.*}}, %[[J64:.*]] : i64
// CHECK:       %[[INSIDE:.*]] = arith.cmpi slt, %[[LAST]], %{{.*}} : i64
// CHECK:       arith.cmpi sle, %{{.*}}, %c2147483647_i64
// CHECK:       scf.if
// CHECK-NEXT:    scf.yield %[[X:.*]] : tensor<128x64xf32>
// CHECK-NEXT:  } else {
// CHECK:         %[[MASK:.*]] = arith.cmpi slt
// CHECK:         %[[ROW:.*]] = tile.expand_dims %[[MASK]]
// CHECK:         %[[ALL:.*]] = tile.broadcast %[[ROW]]
// CHECK:         %[[Y:.*]] = arith.select %[[ALL]], %[[X]]
// CHECK-NEXT:    scf.yield %[[Y]]
tile.kernel @edge(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) {
  %none = arith.constant dense<0xFF800000> : tensor<128x64xf32>
  %n = tile.dim %x, 1 : !tile.view<?x?xf32>
  %n32 = arith.index_cast %n : index to i32
  %iota = tile.iota : tensor<64xi32>
  tile.for_each (%i, %j) tiles [128, 64] of %y : !tile.view<?x?xf32> {
    %a = tile.load %x[%i, %j] : !tile.view<?x?xf32> -> tensor<128x64xf32>
    %j32 = arith.index_cast %j : index to i32
    %begin = tensor.splat %j32 : tensor<64xi32>
    %columns = arith.addi %begin, %iota : tensor<64xi32>
    %size = tensor.splat %n32 : tensor<64xi32>
    %mask = arith.cmpi slt, %columns, %size : tensor<64xi32>
    %row = tile.expand_dims %mask axis 0 : tensor<64xi1> -> tensor<1x64xi1>
    %all = tile.broadcast %row : tensor<1x64xi1> -> tensor<128x64xi1>
    %b = arith.select %all, %a, %none : tensor<128x64xi1>, tensor<128x64xf32>
    tile.store %b, %y[%i, %j] : tensor<128x64xf32>, !tile.view<?x?xf32>
  }
}

// A triangle and an edge: both have to be set everywhere.
// CHECK-LABEL: tile.kernel @triangle
// CHECK:       %[[BELOW:.*]] = arith.cmpi sle, %{{.*}}, %{{.*}} : i64
// CHECK:       %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i64
// CHECK:       arith.andi
// CHECK:       scf.if %{{.*}} -> (tensor<128x64xf32>)
tile.kernel @triangle(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) {
  %none = arith.constant dense<0xFF800000> : tensor<128x64xf32>
  %n = tile.dim %x, 1 : !tile.view<?x?xf32>
  %n32 = arith.index_cast %n : index to i32
  %across = tile.iota : tensor<64xi32>
  %down = tile.iota : tensor<128xi32>
  tile.for_each (%i, %j) tiles [128, 64] of %y : !tile.view<?x?xf32> {
    %a = tile.load %x[%i, %j] : !tile.view<?x?xf32> -> tensor<128x64xf32>
    %i32 = arith.index_cast %i : index to i32
    %j32 = arith.index_cast %j : index to i32
    %top = tensor.splat %i32 : tensor<128xi32>
    %rows = arith.addi %top, %down : tensor<128xi32>
    %left = tensor.splat %j32 : tensor<64xi32>
    %columns = arith.addi %left, %across : tensor<64xi32>
    %rows1 = tile.expand_dims %rows axis 1 : tensor<128xi32> -> tensor<128x1xi32>
    %rows2 = tile.broadcast %rows1 : tensor<128x1xi32> -> tensor<128x64xi32>
    %columns1 = tile.expand_dims %columns axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %columns2 = tile.broadcast %columns1 : tensor<1x64xi32> -> tensor<128x64xi32>
    %below = arith.cmpi sge, %rows2, %columns2 : tensor<128x64xi32>
    %size = tensor.splat %n32 : tensor<128x64xi32>
    %in = arith.cmpi slt, %columns2, %size : tensor<128x64xi32>
    %mask = arith.andi %below, %in : tensor<128x64xi1>
    %b = arith.select %mask, %a, %none : tensor<128x64xi1>, tensor<128x64xf32>
    tile.store %b, %y[%i, %j] : tensor<128x64xf32>, !tile.view<?x?xf32>
  }
}

// A mask that is data may be anything, and so may one of unsigned comparisons.
// CHECK-LABEL: tile.kernel @data
// CHECK-NOT:   scf.if
tile.kernel @data(%x: !tile.view<?x?xf32>, %m: !tile.view<?x?xi32>, %y: !tile.view<?x?xf32>) {
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %zero = arith.constant dense<0> : tensor<128x64xi32>
  %iota = tile.iota : tensor<64xi32>
  tile.for_each (%i, %j) tiles [128, 64] of %y : !tile.view<?x?xf32> {
    %a = tile.load %x[%i, %j] : !tile.view<?x?xf32> -> tensor<128x64xf32>
    %b = tile.load %m[%i, %j] : !tile.view<?x?xi32> -> tensor<128x64xi32>
    %set = arith.cmpi sgt, %b, %zero : tensor<128x64xi32>
    %c = arith.select %set, %a, %none : tensor<128x64xi1>, tensor<128x64xf32>
    %iota1 = tile.expand_dims %iota axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %iota2 = tile.broadcast %iota1 : tensor<1x64xi32> -> tensor<128x64xi32>
    %above = arith.cmpi ugt, %iota2, %zero : tensor<128x64xi32>
    %d = arith.select %above, %c, %none : tensor<128x64xi1>, tensor<128x64xf32>
    tile.store %d, %y[%i, %j] : tensor<128x64xf32>, !tile.view<?x?xf32>
  }
}

// What computes a mask may use the same tile twice, directly and through others:
// each is erased once. A chain that doubles is given up, and stays.
// CHECK-LABEL: tile.kernel @shared
// CHECK:       scf.if
// CHECK-NOT:   scf.if
// CHECK:       tile.store
tile.kernel @shared(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) {
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %limit = arith.constant dense<1000> : tensor<128x64xi32>
  tile.for_each (%i, %j) tiles [128, 64] of %y : !tile.view<?x?xf32> {
    %a = tile.load %x[%i, %j] : !tile.view<?x?xf32> -> tensor<128x64xf32>
    %j32 = arith.index_cast %j : index to i32
    %p0 = tensor.splat %j32 : tensor<128x64xi32>
    %twice = arith.addi %p0, %p0 : tensor<128x64xi32>
    %thrice = arith.addi %p0, %twice : tensor<128x64xi32>
    %near = arith.cmpi slt, %thrice, %limit : tensor<128x64xi32>
    %b = arith.select %near, %a, %none : tensor<128x64xi1>, tensor<128x64xf32>
    %p1 = arith.addi %p0, %p0 : tensor<128x64xi32>
    %p2 = arith.addi %p1, %p1 : tensor<128x64xi32>
    %p3 = arith.addi %p2, %p2 : tensor<128x64xi32>
    %p4 = arith.addi %p3, %p3 : tensor<128x64xi32>
    %p5 = arith.addi %p4, %p4 : tensor<128x64xi32>
    %p6 = arith.addi %p5, %p5 : tensor<128x64xi32>
    %p7 = arith.addi %p6, %p6 : tensor<128x64xi32>
    %p8 = arith.addi %p7, %p7 : tensor<128x64xi32>
    %p9 = arith.addi %p8, %p8 : tensor<128x64xi32>
    %p10 = arith.addi %p9, %p9 : tensor<128x64xi32>
    %p11 = arith.addi %p10, %p10 : tensor<128x64xi32>
    %p12 = arith.addi %p11, %p11 : tensor<128x64xi32>
    %p13 = arith.addi %p12, %p12 : tensor<128x64xi32>
    %p14 = arith.addi %p13, %p13 : tensor<128x64xi32>
    %p15 = arith.addi %p14, %p14 : tensor<128x64xi32>
    %p16 = arith.addi %p15, %p15 : tensor<128x64xi32>
    %p17 = arith.addi %p16, %p16 : tensor<128x64xi32>
    %p18 = arith.addi %p17, %p17 : tensor<128x64xi32>
    %p19 = arith.addi %p18, %p18 : tensor<128x64xi32>
    %p20 = arith.addi %p19, %p19 : tensor<128x64xi32>
    %p21 = arith.addi %p20, %p20 : tensor<128x64xi32>
    %p22 = arith.addi %p21, %p21 : tensor<128x64xi32>
    %p23 = arith.addi %p22, %p22 : tensor<128x64xi32>
    %p24 = arith.addi %p23, %p23 : tensor<128x64xi32>
    %p25 = arith.addi %p24, %p24 : tensor<128x64xi32>
    %p26 = arith.addi %p25, %p25 : tensor<128x64xi32>
    %p27 = arith.addi %p26, %p26 : tensor<128x64xi32>
    %p28 = arith.addi %p27, %p27 : tensor<128x64xi32>
    %p29 = arith.addi %p28, %p28 : tensor<128x64xi32>
    %p30 = arith.addi %p29, %p29 : tensor<128x64xi32>
    %far = arith.cmpi slt, %p30, %limit : tensor<128x64xi32>
    %c = arith.select %far, %b, %none : tensor<128x64xi1>, tensor<128x64xf32>
    tile.store %c, %y[%i, %j] : tensor<128x64xf32>, !tile.view<?x?xf32>
  }
}
