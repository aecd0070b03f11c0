// What the barriers of a slot count follows from who stands on each side.
// RUN: drawloom explain %s | FileCheck %s

// Two CTAs: the scheduler of the cluster, a load role in each CTA, one @mma for
// both, four warps of an epilogue in each: 2 + 1 + 8 arrivals empty 'work'. The CTA
// of @mma announces the bytes of both.
// RUN: drawloom explain %S/../../Dialect/Agent/Plans/blackwell-pair-dynamic.mlir --arch sm_100a | FileCheck %s --check-prefix=PAIR
// PAIR: @pair on sm_100a: 4 warp roles, 4 pipelines, 256 threads in each of 2 CTAs, dynamic persistent
// PAIR-NEXT: (cluster launch control), 2-CTA MMA (cta_group::2)
// PAIR: mbarriers of each stage
// PAIR: work      1 arrival by threads             11 arrivals by threads
// PAIR: throttle  2 arrivals by threads            1 arrival by threads
// PAIR: operands  1 arrival by TMA + 65536 bytes  1 arrival by tensor core
// PAIR: result    1 arrival by tensor core         8 arrivals by threads

!items = !agent.items<index>
!tiles = !agent.pipe<smem, tensor<128x64xf32>>

// Four warps that copy: each arrives, and its copies hold the phase open.
// CHECK-LABEL: @copied_by_threads on sm_90a
// CHECK: @load {{.*}} cp.async
// CHECK: tiles  4 arrivals by cp.async  4 arrivals by threads
tile.kernel @copied_by_threads(%a: !tile.view<?x?xf32, strides = [?, 1]>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a"} {
  %p = agent.pipe "tiles" slots(2) smem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @load warps(4) {
      agent.produce %p by(cp_async) : !tiles {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32, strides = [?, 1]> -> tensor<128x64xf32>
        agent.yield %x : tensor<128x64xf32>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %p as (%x) : !tiles {
        %y = math.exp %x : tensor<128x64xf32>
        tile.store %y, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// Two roles that take turns: a slot is for one of them.
// CHECK-LABEL: @in_turns on sm_90a
// CHECK: tiles {{ *}}4  smem {{ *}}32 KiB  @load → @even
// CHECK: → @odd
// CHECK: tiles  1 arrival by TMA + 32768 bytes  4 arrivals by threads
tile.kernel @in_turns(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>, %n: index)
    attributes {tile.target = "sm_90a"} {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  %p = agent.pipe "tiles" slots(4) smem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @load warps(1) {
      agent.for_each_item (%i) in %items : !items {
        agent.produce %p : !tiles {
          %x = tile.load %a[%i, 0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
          agent.yield %x : tensor<128x64xf32>
        }
      }
    }
    agent.role @even warps(4) {
      agent.for_each_item (%i) in %items every 2 from 0 : !items {
        agent.consume %p as (%x) : !tiles {
          tile.store %x, %d[%i, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
        }
      }
    }
    agent.role @odd warps(4) {
      agent.for_each_item (%i) in %items every 2 from 1 : !items {
        agent.consume %p as (%x) : !tiles {
          tile.store %x, %d[%i, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
        }
      }
    }
  }
}

// Two roles that both read every slot: it is empty when both have released it.
// CHECK-LABEL: @for_both on sm_90a
// CHECK: tiles  1 arrival by TMA + 32768 bytes  12 arrivals by threads
tile.kernel @for_both(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>, %e: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a"} {
  %p = agent.pipe "tiles" slots(1) smem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %p : !tiles {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
        agent.yield %x : tensor<128x64xf32>
      }
    }
    agent.role @one warps(4) {
      agent.consume %p as (%x) : !tiles {
        tile.store %x, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
    agent.role @two warps(8) {
      agent.consume %p as (%x) : !tiles {
        tile.store %x, %e[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}
