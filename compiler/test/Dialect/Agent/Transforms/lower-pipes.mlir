// RUN: drawloom-opt %s --assign-layouts --lower-work-tiles --assign-slot-phase --lower-pipes --split-input-file | FileCheck %s
// One CTA: nothing of a cluster.
// RUN: drawloom-opt %s --assign-layouts --lower-work-tiles --assign-slot-phase --lower-pipes --split-input-file | not grep -E "cluster|agent.peers"
// What lower-pipes says is understood again.
// RUN: drawloom-opt %s --assign-layouts --lower-work-tiles --assign-slot-phase --lower-pipes --split-input-file | drawloom-opt --split-input-file | FileCheck %s

// TMA fills operands, the tensor core multiplies them into tensor memory, and threads read the sum: the GEMM of Blackwell.

!items = !agent.items<index>
!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x256xf32>>

// CHECK-LABEL: tile.kernel @blackwell
// CHECK-SAME: %[[A:.*]]: !tile.view<?x?xbf16>, %[[B:.*]]: !tile.view<?x?xbf16>
tile.kernel @blackwell(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  // Memory, and the barriers of both ends: one thread arrives for TMA, one commit for MMAs, four warps for the epilogue.
  // CHECK-NEXT: %[[OPERANDS:.*]] = agent.slots "operands" count(4) at(0) stride(49152) offsets [0, 16384]
  // CHECK-NEXT: %[[FULL:.*]] = agent.barriers "operands.full" count(4) arrivals(1) at(196608) : !agent.barriers
  // CHECK-NEXT: %[[EMPTY:.*]] = agent.barriers "operands.empty" count(4) arrivals(1) at(196640)
  // CHECK-NEXT: %[[RESULT:.*]] = agent.slots "result" count(2) at(0) stride(256) offsets [0] : !agent.slots<tmem, tensor<128x256xf32>>
  // CHECK-NEXT: %[[DONE:.*]] = agent.barriers "result.full" count(2) arrivals(1) at(196672)
  // CHECK-NEXT: %[[READ:.*]] = agent.barriers "result.empty" count(2) arrivals(4) at(196688)
  // CHECK-NEXT: agent.init_barriers %[[FULL]], %[[EMPTY]], %[[DONE]], %[[READ]]
  // CHECK-NEXT: agent.alloc_tensor columns(512) to(196704) by_warp(7)
  // CHECK-NEXT: agent.fence tensor_before
  // CHECK-NEXT: agent.sync cta
  // CHECK-NEXT: agent.fence tensor_after
  // CHECK-NEXT: %[[TENSOR:.*]] = agent.tensor_address from(196704)
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  // CHECK: %[[K:.*]] = tile.dim %[[A]], 1
  %k = tile.dim %a, 1 : !tile.view<?x?xbf16>
  // CHECK: %[[M:.*]] = tile.dim %[[A]], 0
  %count = tile.dim %a, 0 : !tile.view<?x?xbf16>
  // CHECK-NOT: agent.items
  // CHECK-NOT: agent.pipe
  %items = agent.items static %i of %count -> (index) {
    %m = arith.muli %i, %c128 : index
    agent.yield %m : index
  }
  %ab = agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
    {place = #agent.place<start = 0, stride = 49152, full = 196608, empty = 196640>}
  %acc = agent.pipe "result" slots(2) tmem : (tensor<128x256xf32>)
    {place = #agent.place<start = 0, stride = 256, full = 196672, empty = 196688>}
  // CHECK: agent.switch
  agent.switch attributes {warps = 8 : i64, tensor_columns = 512 : i64, tensor_address = 196704 : i64, verdict = #agent.verdict<proved>} {
    // CHECK-NEXT: agent.role @load warps(1) at(0)
    agent.role @load warps(1) at(0) {
      // CHECK-NEXT: %[[ONE:.*]] = agent.elect warp
      // CHECK: %[[I0:.*]] = arith.constant 0 : i32
      // CHECK-NEXT: %[[I1:.*]] = arith.constant 1 : i32
      // CHECK-NEXT: %[[CTA:.*]] = gpu.block_id x
      // CHECK-NEXT: %[[CTAS:.*]] = gpu.grid_dim x
      // A new barrier takes the phase before the first one for complete, so the role that fills starts with parity 1.
      // CHECK-NEXT: scf.for %[[ITEM:.*]] = %[[CTA]] to %[[M]] step %[[CTAS]] iter_args(%[[S0:.*]] = %[[I0]], %[[P0:.*]] = %[[I1]]) -> (i32, i32)
      agent.for_each_item (%m) in %items : !items {
        // CHECK-NEXT: %[[ROW:.*]] = arith.muli %[[ITEM]]
        // CHECK-NEXT: scf.for %[[AT:.*]] = %{{.*}} to %[[K]] step %{{.*}} iter_args(%[[S:.*]] = %[[S0]], %[[P:.*]] = %[[P0]])
        scf.for %j = %c0 to %k step %c64 {
          // CHECK-NEXT: %[[FULL_S:.*]] = agent.barrier %[[FULL]][%[[S]]]
          // CHECK-NEXT: %[[EMPTY_S:.*]] = agent.barrier %[[EMPTY]][%[[S]]]
          // CHECK-NEXT: agent.wait %[[EMPTY_S]] parity(%[[P]])
          // CHECK-NEXT: %[[NEXT:.*]], %[[FLIP:.*]] = agent.advance %[[S]], %[[P]] of 4
          // CHECK-NEXT: %[[BYTES:.*]] = arith.constant 49152 : i32
          // CHECK-NEXT: scf.if %[[ONE]] {
          // CHECK-NEXT:   agent.expect %[[FULL_S]] bytes(%[[BYTES]])
          // CHECK-NEXT:   %[[X:.*]] = agent.slot %[[OPERANDS]][%[[S]]], 0
          // CHECK-NEXT:   agent.load %[[A]][%[[ROW]], %[[AT]]] dims [0, 1] pad(0.000000e+00 : bf16) to %[[X]] by(tma) tells %[[FULL_S]]
          // CHECK-NEXT:   %[[Y:.*]] = agent.slot %[[OPERANDS]][%[[S]]], 1
          // CHECK-NEXT:   agent.load %[[B]][0, %[[AT]]] dims [0, 1] pad(0.000000e+00 : bf16) to %[[Y]] by(tma) tells %[[FULL_S]]
          // CHECK-NEXT: }
          // CHECK-NEXT: scf.yield %[[NEXT]], %[[FLIP]]
          agent.produce %ab by(tma) : !operands {
            %x = tile.load %a[%m, %j] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
            %y = tile.load %b[0, %j] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
            agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
          }
        }
      }
    }
    // CHECK: agent.role @mma
    agent.role @mma warps(1) at(1) {
      // Operands are read from slot 0 with parity 0, sums written from slot 0 with parity 1.
      // CHECK: scf.for {{.*}} iter_args(%[[S0:.*]] = %c0_i32{{.*}}, %[[P0:.*]] = %c0_i32{{.*}}, %[[T:.*]] = %c0_i32{{.*}}, %[[Q:.*]] = %c1_i32{{.*}}) -> (i32, i32, i32, i32)
      agent.for_each_item (%m) in %items : !items {
        // CHECK: %[[DONE_T:.*]] = agent.barrier %[[DONE]][%[[T]]]
        // CHECK-NEXT: %[[READ_T:.*]] = agent.barrier %[[READ]][%[[T]]]
        // CHECK-NEXT: agent.wait %[[READ_T]] parity(%[[Q]])
        // CHECK-NEXT: %[[NEXT_T:.*]], %[[FLIP_Q:.*]] = agent.advance %[[T]], %[[Q]] of 2
        // CHECK-NEXT: agent.fence tensor_after
        // CHECK-NEXT: %[[SUM:.*]] = agent.slot %[[RESULT]][%[[T]]], 0
        agent.produce %acc by(tensor_core) : !result {
          // The sum stays where it is; the loop carries whether there is one.
          // CHECK-NEXT: %[[NONE:.*]] = arith.constant false
          // CHECK-NEXT: %[[LOOP:.*]]:3 = scf.for {{.*}} iter_args(%[[S:.*]] = %[[S0]], %[[P:.*]] = %[[P0]], %[[MORE:.*]] = %[[NONE]]) -> (i32, i32, i1)
          %sum = scf.for %j = %c0 to %k step %c64 iter_args(%s = %zero) -> tensor<128x256xf32> {
            // CHECK-NEXT: %[[FULL_S:.*]] = agent.barrier %[[FULL]][%[[S]]]
            // CHECK-NEXT: agent.wait %[[FULL_S]] parity(%[[P]])
            // CHECK-NEXT: %[[NEXT:.*]], %[[FLIP:.*]] = agent.advance %[[S]], %[[P]] of 4
            // CHECK-NEXT: %[[XS:.*]] = agent.slot %[[OPERANDS]][%[[S]]], 0
            // CHECK-NEXT: %[[YS:.*]] = agent.slot %[[OPERANDS]][%[[S]]], 1
            // CHECK-NEXT: agent.fence tensor_after
            // CHECK-NEXT: %[[X:.*]] = tile.read %[[XS]][0, 0]
            // CHECK-NEXT: %[[Y:.*]] = tile.read %[[YS]][0, 0]
            // CHECK-NEXT: agent.multiply %[[X]], %[[Y]] into %[[SUM]] accumulate(%[[MORE]])
            // CHECK-NEXT: %[[TRUE:.*]] = arith.constant true
            // CHECK-NEXT: %[[EMPTY_S:.*]] = agent.barrier %[[EMPTY]][%[[S]]]
            // CHECK-NEXT: agent.arrive %[[EMPTY_S]] by(tensor_core)
            // CHECK-NEXT: scf.yield %[[NEXT]], %[[FLIP]], %[[TRUE]]
            %t = agent.consume %ab as (%x, %y) by(tensor_core) : !operands -> tensor<128x256xf32> {
              %u = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
              agent.yield %u : tensor<128x256xf32>
            }
            scf.yield %t : tensor<128x256xf32>
          }
          agent.yield %sum : tensor<128x256xf32>
        }
        // CHECK: agent.arrive %[[DONE_T]] by(tensor_core)
        // CHECK-NEXT: scf.yield %[[LOOP]]#0, %[[LOOP]]#1, %[[NEXT_T]], %[[FLIP_Q]]
      }
    }
    // CHECK: agent.role @epilogue
    agent.role @epilogue warps(4) at(4) {
      // CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}})
      agent.for_each_item (%m) in %items : !items {
        // CHECK: %[[DONE_T:.*]] = agent.barrier %[[DONE]][%[[T]]]
        // CHECK-NEXT: agent.wait %[[DONE_T]] parity(%[[Q]])
        // A sum of no MMAs is not in its slot: threads write zeros there.
        // CHECK: %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %[[K]]
        // CHECK: agent.fence tensor_after
        // CHECK: %[[IDLE:.*]] = arith.xori %[[RUNS]], %{{.*}} : i1
        // CHECK-NEXT: scf.if %[[IDLE]] {
        // CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<128x32xf32, #{{.*}}>
        // CHECK-COUNT-8: tile.write %[[ZEROS]], %{{.*}}[0, {{[0-9]+}}]
        // CHECK-NOT: tile.write
        // CHECK: agent.drain tensor_stores
        // CHECK-NEXT: agent.fence tensor_before
        // CHECK-NEXT: agent.sync role
        // CHECK-NEXT: agent.fence tensor_after
        // CHECK-NEXT: }
        // CHECK-NOT: agent.or_zero
        // CHECK: %[[SUM:.*]] = tile.read
        // CHECK-NEXT: %[[ROWS:.*]] = tile.convert_layout %[[SUM]]
        // The slot goes back when it is read, before the store.
        // CHECK-NEXT: %[[READ_T:.*]] = agent.barrier %[[READ]][%[[T]]]
        // CHECK-NEXT: agent.fence tensor_before
        // CHECK-NEXT: agent.arrive %[[READ_T]] by(threads)
        // CHECK-NEXT: tile.store %[[ROWS]]
        agent.consume %acc as (%r) by(threads) : !result {
          tile.store %r, %d[%m, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
        }
      }
    }
  }
  // CHECK: agent.fence tensor_before
  // CHECK-NEXT: agent.sync cta
  // CHECK-NEXT: agent.fence tensor_after
  // CHECK-NEXT: agent.free_tensor %[[TENSOR]] columns(512) by_warp(7)
}

// -----

// On Hopper warp groups multiply and arrive themselves. With a lag one slot is kept while the next MMA is in flight; what is
// left goes back after the loop.

!operands = !agent.pipe<smem, tensor<64x64xbf16>>

// CHECK-LABEL: tile.kernel @lag
tile.kernel @lag(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %k = tile.dim %a, 1 : !tile.view<?x?xbf16>
  // CHECK: %[[EMPTY:.*]] = agent.barriers "operands.empty" count(3) arrivals(4)
  // CHECK: agent.init_barriers
  // CHECK-NEXT: agent.sync cta
  %ab = agent.pipe "operands" slots(3) smem : (tensor<64x64xbf16>)
    {place = #agent.place<start = 0, stride = 8192, full = 24576, empty = 24600>}
  agent.switch attributes {warps = 8 : i64, verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) at(0) {
      scf.for %j = %c0 to %k step %c64 {
        agent.produce %ab by(tma) : !operands {
          %x = tile.load %a[0, %j] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
          agent.yield %x : tensor<64x64xbf16>
        }
      }
    }
    // CHECK: agent.role @compute
    agent.role @compute warps(4) at(4) {
      // CHECK: %[[NO_SLOT:.*]] = arith.constant -1 : i32
      // CHECK-NEXT: %[[LOOP:.*]]:4 = scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}, %[[OLD:.*]] = %[[NO_SLOT]], %[[ACC:.*]] = %{{.*}}) -> (i32, i32, i32, tensor<64x64xf32, #{{.*}}>)
      %sum = scf.for %j = %c0 to %k step %c64 iter_args(%s = %zero) -> tensor<64x64xf32> {
        // CHECK: agent.wait %{{.*}} parity(%[[P]])
        // CHECK: %[[NEXT:.*]], %[[FLIP:.*]] = agent.advance %[[S]], %[[P]] of 3
        // CHECK: %[[X:.*]] = tile.read
        // CHECK-NEXT: %[[SUM:.*]] = tile.mma %[[X]], %[[X]], %[[ACC]]
        // The MMA of this slot may go on, the one before it is done.
        // CHECK-NEXT: agent.drain wgmma pending(1)
        // CHECK: %[[IS:.*]] = arith.cmpi sge, %[[OLD]], %{{.*}}
        // CHECK-NEXT: scf.if %[[IS]] {
        // CHECK-NEXT:   %[[EMPTY_OLD:.*]] = agent.barrier %[[EMPTY]][%[[OLD]]]
        // CHECK-NEXT:   agent.arrive %[[EMPTY_OLD]] by(threads)
        // CHECK-NEXT: }
        // CHECK-NEXT: scf.yield %[[NEXT]], %[[FLIP]], %[[S]], %[[SUM]]
        %t = agent.consume %ab as (%x) lag(1) by(threads) : !operands -> tensor<64x64xf32> {
          %u = tile.mma %x, %x, %s : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
          agent.yield %u : tensor<64x64xf32>
        }
        scf.yield %t : tensor<64x64xf32>
      }
      // CHECK: agent.drain wgmma{{$}}
      // CHECK: %[[IS:.*]] = arith.cmpi sge, %[[LOOP]]#2, %{{.*}}
      // CHECK-NEXT: scf.if %[[IS]] {
      // CHECK-NEXT:   %[[LAST:.*]] = agent.barrier %[[EMPTY]][%[[LOOP]]#2]
      // CHECK-NEXT:   agent.arrive %[[LAST]] by(threads)
      // CHECK-NEXT: }
      // CHECK-NEXT: tile.store %[[LOOP]]#3
      tile.store %sum, %d[0, 0] : tensor<64x64xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// Threads fill by cp.async what TMA can't, threads write what bulk stores take, and a tile that outlives its slot is kept. Two roles
// take turns.

!items = !agent.items<index>
!input = !agent.pipe<smem, tensor<128x64xf32>>

// CHECK-LABEL: tile.kernel @staged
// CHECK-SAME: %[[A:.*]]: !tile.view<?x?xf32>, %[[D:.*]]: !tile.view<?x?xf32>
tile.kernel @staged(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %count = tile.dim %a, 0 : !tile.view<?x?xf32>
  %items = agent.items static %i of %count -> (index) {
    agent.yield %i : index
  }
  // Every warp arrives, and its copies hold the phase open.
  // CHECK: agent.barriers "input.full" count(2) arrivals(2)
  %in = agent.pipe "input" slots(2) smem : (tensor<128x64xf32>)
    {place = #agent.place<start = 0, stride = 32768, full = 131072, empty = 131088>}
  %out = agent.pipe "output" slots(2) smem : (tensor<128x64xf32>)
    {place = #agent.place<start = 65536, stride = 32768, full = 131104, empty = 131120>}
  agent.switch attributes {warps = 8 : i64, verdict = #agent.verdict<proved>} {
    // CHECK: agent.role @load
    agent.role @load warps(2) at(0) {
      // CHECK: %[[CTA:.*]] = gpu.block_id x
      // CHECK-NEXT: %[[CTAS:.*]] = gpu.grid_dim x
      // CHECK-NEXT: %[[FROM:.*]] = arith.constant 1 : index
      // CHECK-NEXT: %[[EVERY:.*]] = arith.constant 2 : index
      // CHECK-NEXT: %[[SKIPPED:.*]] = arith.muli %[[CTAS]], %[[FROM]]
      // CHECK-NEXT: %[[FIRST:.*]] = arith.addi %[[CTA]], %[[SKIPPED]]
      // CHECK-NEXT: %[[STEP:.*]] = arith.muli %[[CTAS]], %[[EVERY]]
      // CHECK-NEXT: scf.for %[[M:.*]] = %[[FIRST]] to %{{.*}} step %[[STEP]]
      agent.for_each_item (%m) in %items every 2 from 1 : !items {
        // CHECK: %[[FULL:.*]] = agent.barrier
        // CHECK: %[[X:.*]] = agent.slot
        // CHECK-NEXT: agent.load %[[A]][%[[M]], 0] dims [0, 1] pad(1.000000e+00 : f32) to %[[X]] by(cp_async) :
        // CHECK-NEXT: agent.arrive %[[FULL]] by(cp_async)
        agent.produce %in by(cp_async) : !input {
          %x = tile.load %a[%m, 0] pad(1.0 : f32) : !tile.view<?x?xf32> -> tensor<128x64xf32>
          agent.yield %x : tensor<128x64xf32>
        }
      }
    }
    // CHECK: agent.role @compute
    agent.role @compute warps(4) at(4) {
      // CHECK: %[[ONE:.*]] = agent.elect role
      agent.for_each_item (%m) in %items every 2 from 1 : !items {
        // CHECK: agent.wait
        // No thread could fence where cp.async completed.
        // CHECK: agent.fence async
        // CHECK-NEXT: %[[IN:.*]] = tile.read
        // CHECK-NEXT: %[[KEPT:.*]] = tile.convert_layout %[[IN]]
        // CHECK: agent.arrive %{{.*}} by(threads)
        %x = agent.consume %in as (%x) by(threads) : !input -> tensor<128x64xf32> {
          agent.yield %x : tensor<128x64xf32>
        }
        // One role fills a slot and stores from it: it synchronizes with the thread
        // that stores, and waits for no mbarrier.
        // CHECK-NOT: agent.wait
        // CHECK: scf.if %[[ONE]] {
        // CHECK-NEXT:   agent.drain stores pending(1)
        // CHECK-NEXT: }
        // CHECK-NEXT: agent.sync role
        // CHECK-NEXT: %[[OUT:.*]] = agent.slot
        // CHECK-NEXT: tile.write %[[KEPT]], %[[OUT]][0, 0]
        // CHECK-NEXT: agent.fence async
        // CHECK-NEXT: agent.sync role
        agent.produce %out by(threads) : !input {
          agent.yield %x : tensor<128x64xf32>
        }
        // CHECK-NOT: agent.wait
        // CHECK: %[[STAGED:.*]] = agent.slot
        // CHECK-NEXT: scf.if %[[ONE]] {
        // CHECK-NEXT:   agent.store %[[STAGED]] to %[[D]][%{{.*}}, 0] dims [0, 1] by(tma)
        // CHECK-NEXT: }
        // CHECK-NEXT: scf.if %[[ONE]] {
        // CHECK-NEXT:   agent.commit_stores
        // CHECK-NEXT: }
        agent.consume %out as (%y) by(tma) : !input {
          tile.store %y, %d[%m, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
        }
        // CHECK-NOT: agent.arrive
        // CHECK: scf.yield
      }
      // CHECK: scf.if %[[ONE]] {
      // CHECK-NEXT:   agent.drain stores{{$}}
    }
  }
}

// -----

// A tensor map does not know where a part of a view ends. There the threads of the warp copy the tile, and fewer bytes are expected.

!input = !agent.pipe<smem, tensor<128x64xf32>>

// CHECK-LABEL: tile.kernel @part
tile.kernel @part(%a: !tile.view<?x?xf32>, %rows: index, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  // CHECK: %[[PART:.*]] = tile.subview
  %part = tile.subview %a[0, 0] [%rows, %rows] : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  %in = agent.pipe "input" slots(2) smem : (tensor<128x64xf32>)
    {place = #agent.place<start = 0, stride = 32768, full = 131072, empty = 131088>}
  agent.switch attributes {warps = 8 : i64, verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) at(0) {
      // CHECK: %[[ONE:.*]] = agent.elect warp
      // CHECK: %[[ALL:.*]] = arith.constant 32768 : i32
      // CHECK-NEXT: %[[FITS:.*]] = agent.fits %[[PART]][0, 0] dims [0, 1] of [128, 64]
      // CHECK: %[[LESS:.*]] = arith.subi %[[ALL]], %{{.*}} : i32
      // CHECK-NEXT: %[[BYTES:.*]] = arith.select %[[FITS]], %[[ALL]], %[[LESS]]
      // CHECK: %[[CLIPPED:.*]] = arith.xori %[[FITS]], %{{.*}}
      // CHECK-NEXT: scf.if %[[CLIPPED]] {
      // CHECK: agent.load %[[PART]][0, 0] {{.*}} by(cp_async) aligned
      // CHECK-NEXT: agent.drain cp_async
      // CHECK-NEXT: agent.fence async
      // CHECK-NEXT: agent.sync warp
      // CHECK: scf.if %[[ONE]] {
      // CHECK-NEXT: agent.expect %{{.*}} bytes(%[[BYTES]])
      // CHECK-NEXT: scf.if %[[FITS]] {
      // CHECK: agent.load %[[PART]][0, 0] {{.*}} by(tma)
      agent.produce %in by(tma) : !input {
        %x = tile.load %part[0, 0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
        agent.yield %x : tensor<128x64xf32>
      }
    }
    agent.role @compute warps(4) at(4) {
      agent.consume %in as (%x) by(threads) : !input {
        tile.store %x, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

// Threads fill tensor memory.

!middle = !agent.pipe<tmem, tensor<128x32xf32>>

// CHECK-LABEL: tile.kernel @middle
tile.kernel @middle(%a: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %p = agent.pipe "middle" slots(1) tmem : (tensor<128x32xf32>)
    {place = #agent.place<start = 0, stride = 32, full = 0, empty = 8>}
  agent.switch attributes {warps = 8 : i64, tensor_columns = 32 : i64, tensor_address = 16 : i64, verdict = #agent.verdict<proved>} {
    agent.role @convert warps(4) at(0) {
      // CHECK: agent.wait
      // CHECK: agent.fence tensor_after
      // CHECK: tile.write
      // CHECK-NEXT: agent.drain tensor_stores
      // CHECK-NEXT: agent.fence tensor_before
      // CHECK-NEXT: agent.arrive %{{.*}} by(threads)
      agent.produce %p by(threads) : !middle {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<128x32xf32>
        agent.yield %x : tensor<128x32xf32>
      }
    }
    agent.role @read warps(4) at(4) {
      agent.consume %p as (%x) by(threads) : !middle {
        tile.store %x, %a[0, 0] : tensor<128x32xf32>, !tile.view<?x?xf32>
      }
    }
  }
}
