// The CTAs of a cluster divide rows that are reduced.
// RUN: drawloom-opt %s --divide-tiles --split-input-file | FileCheck %s

// Loads, constants and stores of rows get shorter; the sums of the parts are
// gathered and added from the first to the last, and the first CTA stores them.
// CHECK-LABEL: tile.kernel @sums
// CHECK-SAME:    tile.reasons = ["divide-tiles: cluster-wide reduction through distributed shared memory (DSMEM): 4 CTAs along dimension 1 of the cluster divide rows of 1024 elements, 256 each, and exchange what they have reduced",
// CHECK-SAME:      "order: the order in which a row is reduced depends on the tile, on the warps and on the 4 CTAs, whose parts are combined from the first to the last; it does not depend on the number of rows, nor on the grid"]
// CHECK:         tile.for_each (%[[M:.*]], %[[N:.*]]) tiles [8, 256] of [%{{.*}}, %{{.*}}] {
// CHECK:           %[[X:.*]] = tile.load %X[%[[M]], %[[N]]] : !tile.view<?x1024xf32> -> tensor<8x256xf32>
// CHECK:           %[[TWICE:.*]] = arith.mulf %[[X]], %{{.*}} : tensor<8x256xf32>
// CHECK:           %[[PART:.*]] = tile.reduce addf %[[TWICE]] axis 1 : tensor<8x256xf32> -> tensor<8xf32>
// CHECK-NEXT:      %[[ALL:.*]]:4 = tile.all_gather %[[PART]] along 1 : tensor<8xf32> -> 4
// CHECK-NEXT:      %[[TWO:.*]] = arith.addf %[[ALL]]#0, %[[ALL]]#1
// CHECK-NEXT:      %[[THREE:.*]] = arith.addf %[[TWO]], %[[ALL]]#2
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[THREE]], %[[ALL]]#3
// CHECK:           tile.store %[[TWICE]], %Y[%[[M]], %[[N]]]
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq, %[[N]], %{{.*}}
// CHECK-NEXT:      %[[END:.*]] = tile.dim %S, 0
// CHECK-NEXT:      %[[AT:.*]] = arith.select %[[FIRST]], %[[M]], %[[END]]
// CHECK-NEXT:      tile.store %[[SUM]], %S[%[[AT]]]
tile.kernel @sums(%X: !tile.view<?x1024xf32>, %Y: !tile.view<?x1024xf32>, %S: !tile.view<?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 4]>} {
  %two = arith.constant dense<2.0> : tensor<8x1024xf32>
  %rows = tile.dim %X, 0 : !tile.view<?x1024xf32>
  tile.for_each (%m) tiles [8] of [%rows] {
    %x = tile.load %X[%m, 0] : !tile.view<?x1024xf32> -> tensor<8x1024xf32>
    %twice = arith.mulf %x, %two : tensor<8x1024xf32>
    %s = tile.reduce addf %twice axis 1 : tensor<8x1024xf32> -> tensor<8xf32>
    tile.store %twice, %Y[%m, 0] : tensor<8x1024xf32>, !tile.view<?x1024xf32>
    tile.store %s, %S[%m] : tensor<8xf32>, !tile.view<?xf32>
  }
}

// -----

// A loop does nothing with a part but add it, so the total is gathered when it
// is over. Numbers along a row begin where this CTA's part begins, and a vector
// that is added to each row is divided, too.
// CHECK-LABEL: tile.kernel @loops
// CHECK:         tile.for_each (%[[M:.*]], %[[N:.*]]) tiles [8, 256]
// CHECK:           %[[TOTAL:.*]] = scf.for %[[K:[^ ]*]] = {{.*}} -> (tensor<8xf32>) {
// CHECK:             %[[COLUMN:.*]] = arith.addi %[[K]], %[[N]]
// CHECK:             tile.load %X[%[[M]], %[[COLUMN]]] : !tile.view<?x?xf32> -> tensor<8x256xf32>
// CHECK-NOT:         tile.all_gather
// CHECK:             scf.yield
// CHECK:           %[[ALL:.*]]:2 = tile.all_gather %[[TOTAL]] along 1
// CHECK:           scf.for %[[K:[^ ]*]] =
// CHECK:             %[[COLUMN:.*]] = arith.addi %[[K]], %[[N]]
// CHECK:             tile.load %W[%[[COLUMN]]] : !tile.view<?xf32> -> tensor<256xf32>
// CHECK:             %[[IOTA:.*]] = tile.iota
// CHECK:             %[[STARTS:.*]] = tensor.splat %{{.*}} : tensor<256xi32>
// CHECK:             arith.addi %[[IOTA]], %[[STARTS]]
// CHECK:             %[[COLUMN:.*]] = arith.addi %[[K]], %[[N]]
// CHECK:             tile.store %{{.*}}, %Y[%[[M]], %[[COLUMN]]] : tensor<8x256xf32>
tile.kernel @loops(%X: !tile.view<?x?xf32>, %W: !tile.view<?xf32>, %Y: !tile.view<?x?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 2]>} {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %rows = tile.dim %X, 0 : !tile.view<?x?xf32>
  %N = tile.dim %X, 1 : !tile.view<?x?xf32>
  tile.for_each (%m) tiles [8] of [%rows] {
    %sum = scf.for %n = %c0 to %N step %c512 iter_args(%s = %zero) -> (tensor<8xf32>) {
      %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<8x512xf32>
      %part = tile.reduce addf %x axis 1 : tensor<8x512xf32> -> tensor<8xf32>
      %t = arith.addf %s, %part : tensor<8xf32>
      scf.yield %t : tensor<8xf32>
    }
    %column = tile.expand_dims %sum axis 1 : tensor<8xf32> -> tensor<8x1xf32>
    %sums = tile.broadcast %column : tensor<8x1xf32> -> tensor<8x512xf32>
    scf.for %n = %c0 to %N step %c512 {
      %w = tile.load %W[%n] : !tile.view<?xf32> -> tensor<512xf32>
      %i = tile.iota : tensor<512xi32>
      %f = arith.sitofp %i : tensor<512xi32> to tensor<512xf32>
      %v = arith.addf %w, %f : tensor<512xf32>
      %row = tile.expand_dims %v axis 0 : tensor<512xf32> -> tensor<1x512xf32>
      %vs = tile.broadcast %row : tensor<1x512xf32> -> tensor<8x512xf32>
      %y = arith.addf %vs, %sums : tensor<8x512xf32>
      tile.store %y, %Y[%m, %n] : tensor<8x512xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// What the loop makes of a part is more than a sum, so it is gathered there.
// CHECK-LABEL: tile.kernel @running
// CHECK:         scf.for
// CHECK:           %[[PART:.*]] = tile.reduce maxnumf
// CHECK-NEXT:      %[[ALL:.*]]:2 = tile.all_gather %[[PART]] along 1
// CHECK-NEXT:      %[[MAX:.*]] = arith.maxnumf %[[ALL]]#0, %[[ALL]]#1
// CHECK-NEXT:      math.exp %[[MAX]]
tile.kernel @running(%X: !tile.view<?x?xf32>, %Y: !tile.view<?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 2]>} {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %rows = tile.dim %X, 0 : !tile.view<?x?xf32>
  %N = tile.dim %X, 1 : !tile.view<?x?xf32>
  tile.for_each (%m) tiles [8] of [%rows] {
    %sum = scf.for %n = %c0 to %N step %c512 iter_args(%s = %zero) -> (tensor<8xf32>) {
      %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<8x512xf32>
      %part = tile.reduce maxnumf %x axis 1 : tensor<8x512xf32> -> tensor<8xf32>
      %e = math.exp %part : tensor<8xf32>
      %t = arith.addf %s, %e : tensor<8xf32>
      scf.yield %t : tensor<8xf32>
    }
    tile.store %sum, %Y[%m] : tensor<8xf32>, !tile.view<?xf32>
  }
}

// -----

// The columns of an MMA are divided as rows of B; A is the same in all CTAs, and so are rows of B along the first
// dimension of the cluster.
// CHECK-LABEL: tile.kernel @product
// CHECK:         tile.for_each (%[[M:.*]], %[[N:.*]]) tiles [128, 256]
// CHECK:           %[[ACC:.*]] = scf.for %[[K:[^ ]*]] = {{.*}} -> (tensor<128x256xf32>)
// CHECK-NEXT:        %[[A:.*]] = tile.load %{{.*}}[%[[M]], %[[K]]] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
// CHECK-NEXT:        %[[B:.*]] = tile.load %{{.*}}[%[[N]], %[[K]]] : !tile.view<512x?xbf16> -> tensor<256x64xbf16>
// CHECK-NEXT:        tile.mma %[[A]], %[[B]], %{{.*}} -> tensor<128x256xf32>
// CHECK:           %[[PART:.*]] = tile.reduce addf %[[ACC]] axis 1
// CHECK-NEXT:      %[[ALL:.*]]:2 = tile.all_gather %[[PART]] along 1
// CHECK-NEXT:      arith.addf %[[ALL]]#0, %[[ALL]]#1
// CHECK:           tile.store %{{.*}}, %{{.*}}[%[[M]], %[[N]]] : tensor<128x256xf32>, !tile.view<?x512xf32>
tile.kernel @product(%A: !tile.view<?x?xbf16>, %B: !tile.view<512x?xbf16>, %D: !tile.view<?x512xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [2, 2]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x512xf32>
  %M = tile.dim %A, 0 : !tile.view<?x?xbf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m) tiles [128] of [%M] {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x512xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[0, %k] : !tile.view<512x?xbf16> -> tensor<512x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<512x64xbf16> -> tensor<128x512xf32>
      scf.yield %t : tensor<128x512xf32>
    }
    %sum = tile.reduce addf %acc axis 1 : tensor<128x512xf32> -> tensor<128xf32>
    %column = tile.expand_dims %sum axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %sums = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x512xf32>
    %d = arith.divf %acc, %sums : tensor<128x512xf32>
    tile.store %d, %D[%m, 0] : tensor<128x512xf32>, !tile.view<?x512xf32>
  }
}

// -----

// No row is reduced, so the CTAs take the steps of the sum in turns. Each adds up its own columns, and all that
// follows has only these; the zeros that the sum begins with stay whole.
// CHECK-LABEL: tile.kernel @steps
// CHECK-DAG:     %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
// CHECK-DAG:     %[[PART_ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
// CHECK:         tile.for_each (%[[M:.*]], %[[N:.*]], %[[PART:.*]]) tiles [128, 128, 64]
// CHECK:           %[[PLACE:.*]] = arith.divui %[[PART]]
// CHECK:           %[[FIRST:.*]] = arith.muli %[[PLACE]]
// CHECK:           %[[TWO_STEPS:.*]] = arith.constant 128 : index
// CHECK:           %[[ACC:.*]] = scf.for %[[K:[^ ]*]] = %{{.*}} step %[[TWO_STEPS]] iter_args(%{{.*}} = %[[ZEROS]])
// CHECK-NEXT:        %[[OWN:.*]] = arith.addi %[[K]], %[[FIRST]]
// CHECK-NEXT:        tile.load %{{.*}}[%[[M]], %[[OWN]]]
// CHECK-NEXT:        tile.load %{{.*}}[%[[N]], %[[OWN]]]
// CHECK:           %[[LEFT:.*]] = tile.extract_slice %[[ACC]] [0, 0] : tensor<128x128xf32> -> tensor<128x64xf32>
// CHECK-NEXT:      %[[RIGHT:.*]] = tile.extract_slice %[[ACC]] [0, 64]
// CHECK-NEXT:      %[[ALL:.*]]:2 = tile.all_gather %[[LEFT]], %[[RIGHT]] along 2 : tensor<128x64xf32> -> 2
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[ALL]]#0, %[[ALL]]#1
// CHECK-NEXT:      %[[COLUMN:.*]] = arith.addi %[[N]], %[[PART]]
// CHECK-NEXT:      tile.load %{{.*}}[%[[COLUMN]]] : !tile.view<?xf32> -> tensor<64xf32>
// CHECK:           %[[MORE:.*]] = arith.addf %[[SUM]]
// CHECK:           arith.maxnumf %[[MORE]], %[[PART_ZEROS]]
// CHECK:           tile.store %{{.*}}[%[[M]], %{{.*}}] : tensor<128x64xf32>
tile.kernel @steps(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?xf32>, %D: !tile.view<?x?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 1, 2]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %c = tile.load %C[%n] : !tile.view<?xf32> -> tensor<128xf32>
    %row = tile.expand_dims %c axis 0 : tensor<128xf32> -> tensor<1x128xf32>
    %bias = tile.broadcast %row : tensor<1x128xf32> -> tensor<128x128xf32>
    %more = arith.addf %acc, %bias : tensor<128x128xf32>
    %relu = arith.maxnumf %more, %zero : tensor<128x128xf32>
    tile.store %relu, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// One CTA divides nothing.
// CHECK-LABEL: tile.kernel @one
// CHECK:         tile.for_each (%{{.*}}) tiles [8]
// CHECK-NOT:     tile.all_gather
tile.kernel @one(%X: !tile.view<?x1024xf32>, %S: !tile.view<?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 1]>} {
  %rows = tile.dim %X, 0 : !tile.view<?x1024xf32>
  tile.for_each (%m) tiles [8] of [%rows] {
    %x = tile.load %X[%m, 0] : !tile.view<?x1024xf32> -> tensor<8x1024xf32>
    %s = tile.reduce addf %x axis 1 : tensor<8x1024xf32> -> tensor<8xf32>
    tile.store %s, %S[%m] : tensor<8xf32>, !tile.view<?xf32>
  }
}
