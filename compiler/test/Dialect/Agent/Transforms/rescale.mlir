// An accumulator whose rows a loop scales between two MMAs stays in tensor
// memory. A role of its own, the correction, gives it to the role that issues the
// MMAs and gets it back, by two pipes over the same columns.
// RUN: drawloom-opt %s --front-half | FileCheck %s --check-prefix=PIPES
// RUN: drawloom-opt %s --front-half --lower-work-tiles --assign-slot-phase --lower-pipes | FileCheck %s --check-prefix=CODE

// RUN: drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(assign-roles{remarks=true},form-pipes{remarks=true}))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=RULE

// RULE-DAG: correction: @correction scales accumulators in tensor memory, where rows have another factor than 1, and computes what becomes of them: the roles that compute the factors go on
// RULE-DAG: rescaled-in-tensor-memory: MMAs add to it where it is, so it stays in the columns of their result
// RULE-DAG: one-slot-goes-on: 1 slot: the next MMA adds to what this one has left in it
// RULE-DAG: columns-shared: 1 slot: 'middle' takes the columns of 'result' when that is read

// PIPES-LABEL: tile.kernel @decay
// PIPES: %rescaled = agent.pipe "rescaled" slots(1) tmem : (tensor<128x64xf32>) {{.*}}start = [[AT:[0-9]+]],
// PIPES: %[[RESULT:result.*]] = agent.pipe {{.*}} slots(1) tmem : (tensor<128x64xf32>) {{.*}}start = [[AT]],{{.*}}reuses = "rescaled"
// PIPES: agent.role @mma_1
// PIPES:   agent.consume %rescaled, %{{.*}} as (%[[OLD:.*]], %{{.*}}) by(tensor_core, tensor_core)
// PIPES:     agent.produce %[[RESULT]] by(tensor_core)
// PIPES:       tile.mma %{{.*}}, %{{.*}}, %[[OLD]] :
// PIPES: agent.role @correction warps(4)
// PIPES:   %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<128x64xf32>)
// PIPES:     %[[READ:.*]] = tile.convert_layout %[[ACC]]
// PIPES:     %[[SCALED:.*]] = arith.mulf %[[READ]]
// PIPES:     agent.produce %rescaled by(threads)
// PIPES:       agent.yield %[[SCALED]]
// PIPES:     %[[NEW:.*]] = agent.consume %[[RESULT]] as (%[[TILE:.*]]) by(threads)
// PIPES:       agent.yield %[[TILE]]
// PIPES:     scf.yield %[[NEW]]

// The loop carries no tile: what it starts with is written, rows that have
// another factor than 1 are scaled where they are, and the rest stays.
// CODE-LABEL: tile.kernel @decay
// CODE: agent.role @mma_1
// CODE:   %[[MORE:.*]] = arith.constant true
// CODE:   agent.multiply {{.*}} accumulate(%[[MORE]])
// CODE: agent.role @correction
// CODE:   %[[SLOT:.*]] = agent.slot %result{{.*}}, 0
// CODE:   %[[ZEROS:.*]] = arith.constant dense<0.0{{.*}} : tensor<128x32xf32
// CODE:   tile.write %[[ZEROS]], %[[SLOT]][0, 0]
// CODE:   tile.write %[[ZEROS]], %[[SLOT]][0, 32]
// CODE:   agent.drain tensor_stores
// CODE:   scf.for
// CODE-NOT: tensor<128x64xf32{{.*}} -> (
// CODE:     %[[DIFFER:.*]] = arith.cmpf une
// CODE:     %[[ANY:.*]] = agent.any %[[DIFFER]]
// CODE:     scf.if %[[ANY]] {
// CODE:       tile.read %{{.*}}[0, 0]
// CODE:       arith.mulf
// CODE:       tile.write %{{.*}}[0, 0]
// CODE:       tile.read %{{.*}}[0, 32]
// CODE:       arith.mulf
// CODE:       tile.write %{{.*}}[0, 32]
// CODE:       agent.drain tensor_stores
// CODE:     }
// CODE:     agent.fence tensor_before
// CODE:     agent.arrive
// CODE:     agent.wait
tile.kernel @decay(%q: !tile.view<?x64xbf16>, %k: !tile.view<?x64xbf16>, %d: !tile.view<?x64xf32>) attributes {tile.schedule = #tile.schedule<interleave = 1>, tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : tensor<128x64xf32>
  %rows = tile.dim %q, 0 : !tile.view<?x64xbf16>
  %keys = tile.dim %k, 0 : !tile.view<?x64xbf16>
  tile.for_each (%m) tiles [128] of [%rows] {
    %x = tile.load %q[%m, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %sum = scf.for %j = %c0 to %keys step %c64 iter_args(%acc = %zeros) -> (tensor<128x64xf32>) {
      %y = tile.load %k[%j, 0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16>
      %s = tile.mma %x, %y, %zeros : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      %largest = tile.reduce maximumf %s axis 1 : tensor<128x64xf32> -> tensor<128xf32>
      %factor = math.exp2 %largest : tensor<128xf32>
      %column = tile.expand_dims %factor axis 1 : tensor<128xf32> -> tensor<128x1xf32>
      %factors = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x64xf32>
      %old = arith.mulf %acc, %factors : tensor<128x64xf32>
      %p = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xbf16>
      %yt = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
      %new = tile.mma %p, %yt, %old : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      scf.yield %new : tensor<128x64xf32>
    }
    tile.store %sum, %d[%m, 0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  }
}

// Parts are equally large: no part of 32 columns ends where 80 do.
// CODE-LABEL: tile.kernel @decay_of_80
// CODE: agent.role @correction
// CODE:   tile.write {{.*}}[0, 48] : tensor<128x16xf32
// CODE:   tile.write {{.*}}[0, 64] : tensor<128x16xf32
// CODE-NOT: [0, 80]
tile.kernel @decay_of_80(%q: !tile.view<?x64xbf16>, %k: !tile.view<?x64xbf16>, %v: !tile.view<80x?xbf16>, %d: !tile.view<?x80xf32>) attributes {tile.schedule = #tile.schedule<interleave = 1>, tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<128x80xf32>
  %rows = tile.dim %q, 0 : !tile.view<?x64xbf16>
  %keys = tile.dim %k, 0 : !tile.view<?x64xbf16>
  tile.for_each (%m) tiles [128] of [%rows] {
    %x = tile.load %q[%m, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %sum = scf.for %j = %c0 to %keys step %c64 iter_args(%acc = %none) -> (tensor<128x80xf32>) {
      %y = tile.load %k[%j, 0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16>
      %s = tile.mma %x, %y, %zeros : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      %largest = tile.reduce maximumf %s axis 1 : tensor<128x64xf32> -> tensor<128xf32>
      %factor = math.exp2 %largest : tensor<128xf32>
      %column = tile.expand_dims %factor axis 1 : tensor<128xf32> -> tensor<128x1xf32>
      %factors = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x80xf32>
      %old = arith.mulf %acc, %factors : tensor<128x80xf32>
      %p = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xbf16>
      %yt = tile.load %v[0, %j] : !tile.view<80x?xbf16> -> tensor<80x64xbf16>
      %new = tile.mma %p, %yt, %old : tensor<128x64xbf16>, tensor<80x64xbf16> -> tensor<128x80xf32>
      scf.yield %new : tensor<128x80xf32>
    }
    tile.store %sum, %d[%m, 0] : tensor<128x80xf32>, !tile.view<?x80xf32>
  }
}

// A factor for each column, and a sum that the next scores depend on: threads
// hold these.
// PIPES-LABEL: tile.kernel @columns
// PIPES-NOT: @correction
tile.kernel @columns(%q: !tile.view<?x64xbf16>, %k: !tile.view<?x64xbf16>, %d: !tile.view<?x64xf32>) attributes {tile.schedule = #tile.schedule<interleave = 1>, tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : tensor<128x64xf32>
  %rows = tile.dim %q, 0 : !tile.view<?x64xbf16>
  %keys = tile.dim %k, 0 : !tile.view<?x64xbf16>
  tile.for_each (%m) tiles [128] of [%rows] {
    %x = tile.load %q[%m, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %sum = scf.for %j = %c0 to %keys step %c64 iter_args(%acc = %zeros) -> (tensor<128x64xf32>) {
      %y = tile.load %k[%j, 0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16>
      %s = tile.mma %x, %y, %zeros : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      %largest = tile.reduce maximumf %s axis 0 : tensor<128x64xf32> -> tensor<64xf32>
      %row = tile.expand_dims %largest axis 0 : tensor<64xf32> -> tensor<1x64xf32>
      %factors = tile.broadcast %row : tensor<1x64xf32> -> tensor<128x64xf32>
      %old = arith.mulf %acc, %factors : tensor<128x64xf32>
      %p = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xbf16>
      %yt = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
      %new = tile.mma %p, %yt, %old : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      scf.yield %new : tensor<128x64xf32>
    }
    tile.store %sum, %d[%m, 0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  }
}

// Scores of 256 columns, weights of 128 and a sum of 256 are more than there are.
// The weights take the columns of the scores, which the role has read: who reads
// the weights releases both.
// PIPES-LABEL: tile.kernel @shared
// PIPES: agent.pipe "result" slots(1) tmem : (tensor<128x256xf32>) {{.*}}#agent.reason<"columns-shared", "1 slot: 'middle' takes the columns of 'result' when that is read">{{.*}}start = 0,
// PIPES: agent.pipe "middle" slots(1) tmem : (tensor<128x256xbf16>) {{.*}}start = 0,{{.*}}reuses = "result"
// PIPES: agent.role @mma_1
// PIPES: agent.consume %middle, %result, %{{.*}} as (%[[P:.*]], %{{.*}}, %{{.*}}) by(tensor_core, tensor_core, tensor_core)
// PIPES:   tile.mma %[[P]],
tile.kernel @shared(%q: !tile.view<?x64xbf16>, %k: !tile.view<?x64xbf16>, %v: !tile.view<256x?xbf16>, %d: !tile.view<?x256xf32>) attributes {tile.schedule = #tile.schedule<interleave = 1>, tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %zeros = arith.constant dense<0.0> : tensor<128x256xf32>
  %rows = tile.dim %q, 0 : !tile.view<?x64xbf16>
  %keys = tile.dim %k, 0 : !tile.view<?x64xbf16>
  tile.for_each (%m) tiles [128] of [%rows] {
    %x = tile.load %q[%m, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %sum = scf.for %j = %c0 to %keys step %c256 iter_args(%acc = %zeros) -> (tensor<128x256xf32>) {
      %y = tile.load %k[%j, 0] : !tile.view<?x64xbf16> -> tensor<256x64xbf16>
      %s = tile.mma %x, %y, %zeros : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      %p = arith.truncf %s : tensor<128x256xf32> to tensor<128x256xbf16>
      %z = tile.load %v[0, %j] : !tile.view<256x?xbf16> -> tensor<256x256xbf16>
      %new = tile.mma %p, %z, %acc : tensor<128x256xbf16>, tensor<256x256xbf16> -> tensor<128x256xf32>
      scf.yield %new : tensor<128x256xf32>
    }
    tile.store %sum, %d[%m, 0] : tensor<128x256xf32>, !tile.view<?x256xf32>
  }
}
