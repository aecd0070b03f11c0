// Rules for other programs than a plain MMA. `unspecialized` is in
// assign-roles-invalid.mlir, next to what it saves from a refusal.
// RUN: drawloom-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(assign-roles{remarks=true},form-pipes{remarks=true}))' -o %t 2> %t.remarks
// RUN: FileCheck %s --input-file %t
// RUN: FileCheck %s --input-file %t.remarks --check-prefix=RULE

// A sum that does not start at zero, and one that is scaled between MMAs.
// RULE-DAG: starts-at-zero: the accumulator starts at zero, and what it began with is added after the loop
// RULE-DAG: from-zero: the MMA starts from zero and is added afterwards, because more than the MMAs of its role makes its accumulator
// RULE-DAG: operand-in-tensor-memory: MMAs can read their first operand from tensor memory, so it stays there
// RULE-DAG: runs-ahead: @mma_1 issues the MMAs that need what became of @mma's results, so that @mma runs ahead as far as its slots go
// RULE-DAG: nested-levels: @operand_load loads q and k: the loops of one hold the other, so one role loads both in order
// RULE-DAG: sibling-loops: @operand_load_1 loads k in another loop than @operand_load, so that it need not wait for the end of that one
// CHECK-LABEL: tile.kernel @accumulators
tile.kernel @accumulators(%q: !tile.view<?x?xbf16>, %k: !tile.view<?x?xbf16>, %c: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %half = arith.constant dense<0.5> : tensor<128x64xf32>
  %K = tile.dim %k, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 64] of %d : !tile.view<?x?xf32> {
    %x = tile.load %q[%m, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %first = tile.load %c[%m, %n] : !tile.view<?x?xf32> -> tensor<128x64xf32>
    %sum = scf.for %i = %c0 to %K step %c64 iter_args(%s = %first) -> (tensor<128x64xf32>) {
      %y = tile.load %k[%n, %i] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      scf.yield %t : tensor<128x64xf32>
    }
    %p = arith.truncf %sum : tensor<128x64xf32> to tensor<128x64xbf16>
    %scaled = scf.for %i = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
      %y = tile.load %k[%n, %i] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %old = arith.mulf %s, %half : tensor<128x64xf32>
      %t = tile.mma %p, %y, %old : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      scf.yield %t : tensor<128x64xf32>
    }
    tile.store %scaled, %d[%m, %n] : tensor<128x64xf32>, !tile.view<?x?xf32>
  }
}

// -----

// Strides that TMA refuses: threads copy the tile.
// RULE-DAG: plain-load: @load loads a ahead of the operations that read it
// RULE-DAG: non-tma-load: @load loads a with cp.async instead of TMA: the stride of dimension 0 of 'a' is only known at the launch
// RULE-DAG: plain-load: @load_1 loads b ahead of the operations that read it
// RULE-DAG: non-tma-load: @load_1 loads b with cp.async instead of TMA: stride 0 of 'b' is 1001 x 32 bits = 4004 bytes, no multiple of 16
// CHECK-LABEL: tile.kernel @strides
// CHECK:         agent.role @load warps(4)
// CHECK:         agent.role @load_1 warps(4)
tile.kernel @strides(%a: !tile.view<?x?xf32, strides = [?, 1]>, %b: !tile.view<?x1000xf32, strides = [1001, 1]>, %d: !tile.view<?x?xf32>, %N: index)
    attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.for_each (%m) tiles [64] of [%N] {
    scf.for %k = %c0 to %N step %c64 {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xf32, strides = [?, 1]> -> tensor<64x64xf32>
      tile.store %x, %d[%m, %k] : tensor<64x64xf32>, !tile.view<?x?xf32>
    }
    scf.for %k = %c0 to %N step %c64 {
      %x = tile.load %b[%m, %k] : !tile.view<?x1000xf32, strides = [1001, 1]> -> tensor<64x64xf32>
      tile.store %x, %d[%m, %k] : tensor<64x64xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// What a kernel also stores to is loaded in order, by the role that stores.
// RULE-DAG: reads-its-output: @compute loads d itself and in order, because it stores to d too
// CHECK-LABEL: tile.kernel @in_place
// CHECK:         agent.role @compute
// CHECK-NOT:     agent.produce
// CHECK:           tile.load %d
// CHECK-NOT:     agent.produce
// CHECK:           tile.store {{.*}}, %d
tile.kernel @in_place(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  tile.for_each (%m, %n) tiles [64, 64] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %y = tile.load %d[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %z = arith.addf %x, %y : tensor<64x64xf32>
    tile.store %z, %d[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// -----

// Specialization is switched off: one role, no pipes.
// RULE-DAG: no-roles: @compute does everything, as the schedule asks
// CHECK-LABEL: tile.kernel @off
// CHECK-NOT:     agent.pipe
// CHECK:         agent.role @compute warps(8)
// CHECK-NOT:     agent.role
tile.kernel @off(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<roles = none, warps = 8>} {
  tile.for_each (%m, %n) tiles [64, 64] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    tile.store %x, %d[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// -----

// Work tiles from cluster launch control, for a cluster of two CTAs; views that the
// schedule joins.
// RULE-DAG: asked-together: a and b travel together, as the schedule asks
// RULE-DAG: slots-by-schedule: 3 slots, set by the schedule for 'a'
// RULE-DAG: one-scheduler: @scheduler gets the next tile by cluster launch control (clusterlaunchcontrol.try_cancel) and broadcasts it to all other roles
// RULE-DAG: throttle: @load signals when it starts a tile, so that @scheduler requests no tile that it can't hand on yet
// CHECK-LABEL: tile.kernel @dynamic
// CHECK:         %items = agent.items dynamic
// CHECK:         %work = agent.pipe "work" slots(3) message : (index, index)
// CHECK:         %throttle = agent.pipe "throttle" slots(2) message : ()
// CHECK:         agent.pipe "a" slots(3) smem : (tensor<64x64xf32>, tensor<64x64xf32>)
// CHECK:         agent.switch cluster(2, 1, 1)
// CHECK:         agent.role @scheduler warps(1) attributes
// CHECK:           agent.for_each_item ({{.*}}) in %items publish %work
// CHECK:             agent.consume %throttle
// CHECK:         agent.role @load
// CHECK:           agent.for_each_item ({{.*}}) in %work
// CHECK:             agent.produce %throttle
// CHECK:         agent.role @compute
// CHECK:           agent.for_each_item ({{.*}}) in %work
tile.kernel @dynamic(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<
      persistent = dynamic, slots = {a = 3, work = 3}, together = [[a, b]], cluster = [2, 1, 1]>} {
  tile.for_each (%m, %n) tiles [64, 64] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %y = tile.load %b[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %e = math.exp %y : tensor<64x64xf32>
    %z = arith.addf %x, %e : tensor<64x64xf32>
    tile.store %z, %d[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// -----

// Two results of one loop travel together. A kernel without a loop over items is
// one item.
// RULE-DAG: one-loop: 2 tiles travel together: one loop makes them
// CHECK-LABEL: tile.kernel @one_item
// CHECK:         agent.items static %{{.*}} of %c1{{.*}} -> (index)
// CHECK:         agent.pipe "result" slots(2) tmem : (tensor<128x256xf32>, tensor<128x256xf32>)
tile.kernel @one_item(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %c: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %x, %y = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero, %r = %zero) -> (tensor<128x256xf32>, tensor<128x256xf32>) {
    %p = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %q = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
    %o = tile.load %c[0, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
    %t = tile.mma %p, %q, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
    %u = tile.mma %p, %o, %r : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
    scf.yield %t, %u : tensor<128x256xf32>, tensor<128x256xf32>
  }
  %z = arith.mulf %x, %y : tensor<128x256xf32>
  tile.store %z, %d[0, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
}

// -----

// On Blackwell the role that computes hands itself the accumulator, and with no
// other role the operands, too.
// RULE-DAG: first-warp-issues: on sm_100a one thread issues tcgen05.mma: one of @compute's first warp, and @compute passes operands and results to itself through slots
// RULE-DAG: slots-by-kind: 1 slot: the role that fills it reads it before it goes on
// CHECK-LABEL: tile.kernel @single
// CHECK:         agent.pipe "operands" slots(4) smem
// CHECK:         %[[RESULT:.*]] = agent.pipe "result" slots(1) tmem
// CHECK:         agent.role @operand_load warps(1)
// CHECK:         agent.role @compute warps(4)
// CHECK:           agent.produce %[[RESULT]]
// CHECK:             %[[SUM:.*]] = scf.for
// CHECK:               agent.consume %operands
// CHECK:                 tile.mma
// CHECK:             agent.yield %[[SUM]]
// CHECK:           agent.consume %[[RESULT]] as (%[[TILE:.*]]) :
// CHECK:             arith.truncf %[[TILE]]
// CHECK-LABEL: tile.kernel @none
// CHECK:         %[[RIGHT:.*]] = agent.pipe "middle" slots(1) smem
// CHECK:         %[[LEFT:.*]] = agent.pipe "middle_1" slots(1) smem
// CHECK:         %[[SUMS:.*]] = agent.pipe "result" slots(1) tmem
// CHECK:         agent.role @compute warps(4)
// CHECK-NOT:     agent.role
// CHECK:           agent.produce %[[SUMS]]
// CHECK:             scf.for
// CHECK:               %[[Y:.*]] = tile.load %b
// CHECK:               agent.produce %[[RIGHT]]
// CHECK-NEXT:            agent.yield %[[Y]]
// CHECK:               %[[X:.*]] = tile.load %a
// CHECK:               agent.produce %[[LEFT]]
// CHECK-NEXT:            agent.yield %[[X]]
// CHECK:               agent.consume %[[LEFT]] as (%[[A:.*]]) :
// CHECK:                 tile.mma %[[A]]
// CHECK:           agent.consume %[[SUMS]]
tile.kernel @single(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<roles = single, warps = 4>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 64] of %d : !tile.view<?x?xbf16> {
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      scf.yield %t : tensor<128x64xf32>
    }
    %o = arith.truncf %sum : tensor<128x64xf32> to tensor<128x64xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x64xbf16>, !tile.view<?x?xbf16>
  }
}

tile.kernel @none(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<roles = none, warps = 4>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 64] of %d : !tile.view<?x?xf32> {
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
      %y = tile.load %b[%k, %n] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %yt = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %yt, %s : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      scf.yield %t : tensor<128x64xf32>
    }
    tile.store %sum, %d[%m, %n] : tensor<128x64xf32>, !tile.view<?x?xf32>
  }
}

// -----

// What a CTA has reduced goes to all, and what all have comes from them.
// RULE-DAG: exchange: @compute sends its part to all 2 CTAs of the cluster through distributed shared memory (DSMEM), and receives theirs
// RULE-DAG: slots-by-kind: 2 slots: one is filled while other CTAs read the other
// CHECK-LABEL: tile.kernel @exchange
// CHECK:         %[[PIPE:.*]] = agent.pipe "exchange" slots(2) smem scope(cluster) : (tensor<8xf32>, tensor<8xf32>)
// CHECK:         agent.role @compute
// CHECK:           agent.produce %[[PIPE]]
// CHECK-NEXT:        %[[ALL:.*]]:2 = tile.all_gather %{{.*}} along 1 : tensor<8xf32> -> 2
// CHECK-NEXT:        agent.yield %[[ALL]]#0, %[[ALL]]#1
// CHECK:           %[[GOT:.*]]:2 = agent.consume %[[PIPE]] as (%[[A:.*]], %[[B:.*]]) :
// CHECK-NEXT:        agent.yield %[[A]], %[[B]]
// CHECK:           arith.addf %[[GOT]]#0, %[[GOT]]#1
tile.kernel @exchange(%x: !tile.view<?x1024xf32>, %s: !tile.view<?xf32>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<cluster = [1, 2]>} {
  %c1024 = arith.constant 1024 : index
  %rows = tile.dim %x, 0 : !tile.view<?x1024xf32>
  tile.for_each (%m, %n) tiles [8, 512] of [%rows, %c1024] {
    %tile = tile.load %x[%m, %n] : !tile.view<?x1024xf32> -> tensor<8x512xf32>
    %part = tile.reduce addf %tile axis 1 : tensor<8x512xf32> -> tensor<8xf32>
    %all:2 = tile.all_gather %part along 1 : tensor<8xf32> -> 2
    %sum = arith.addf %all#0, %all#1 : tensor<8xf32>
    tile.store %sum, %s[%m] : tensor<8xf32>, !tile.view<?xf32>
  }
}
