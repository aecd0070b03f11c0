// RUN: drawloom-opt %s -pass-pipeline='builtin.module(tile.kernel(assign-engines,assign-layouts,place-memory))' | FileCheck %s

!items = !agent.items<index>
!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!scales = !agent.pipe<smem, tensor<128xf32>>
!result = !agent.pipe<tmem, tensor<128x64xf32>>
!middle = !agent.pipe<tmem, tensor<128x64xbf16>>
!work = !agent.pipe<message, index>
!signal = !agent.pipe<message>
!staging = !agent.pipe<smem, tensor<128x64xf32>>

// Slots in the order of their alignment, then messages, then barriers.
// CHECK-LABEL: tile.kernel @order
tile.kernel @order(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,
                   %s: !tile.view<?xf32>) attributes {tile.target = "sm_100a"} {
  // 2 × 512 bytes at a multiple of 128, behind the operands.
  // CHECK: agent.pipe "scales"
  // CHECK-SAME: place = #agent.place<start = 98304, stride = 512, full = 99328, empty = 99344>
  %ps = agent.pipe "scales" slots(2) smem : (tensor<128xf32>)
  // CHECK: agent.pipe "operands"
  // CHECK-SAME: place = #agent.place<start = 0, stride = 49152, full = 99360, empty = 99376>
  %ab = agent.pipe "operands" slots(2) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
  // A bare signal takes no bytes but those of its barriers.
  // CHECK: agent.pipe "go"
  // CHECK-SAME: place = #agent.place<start = 99328, stride = 0, full = 99392, empty = 99400>
  %go = agent.pipe "go" slots(1) message : ()
  // CHECK: agent.switch
  // CHECK-SAME: shared_bytes = 99408 : i64
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %ab : !operands {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %y = tile.load %b[0, 0] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
        agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
      }
      agent.produce %ps : !scales {
        %x = tile.load %s[0] : !tile.view<?xf32> -> tensor<128xf32>
        agent.yield %x : tensor<128xf32>
      }
      agent.produce %go : !signal {
      }
    }
    agent.role @compute warps(4) {
      agent.consume %ab, %ps, %go as (%x, %y, %z) : !operands, !scales, !signal {
      }
    }
  }
}

// Columns of 32 bits; an allocation is a power of two and at least 32. Operands
// that are constants take 6 KiB of shared memory.
// CHECK-LABEL: tile.kernel @columns
tile.kernel @columns() attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = arith.constant dense<1.0> : tensor<128x16xbf16>
  %y = arith.constant dense<1.0> : tensor<64x16xbf16>
  // CHECK: agent.pipe "result"
  // CHECK-SAME: place = #agent.place<start = 0, stride = 64, full = 6144, empty = 6160>
  %acc = agent.pipe "result" slots(2) tmem : (tensor<128x64xf32>)
  // CHECK: agent.pipe "middle"
  // CHECK-SAME: place = #agent.place<start = 128, stride = 32, full = 6176, empty = 6184>
  %mid = agent.pipe "middle" slots(1) tmem : (tensor<128x64xbf16>)
  // CHECK: agent.switch
  // CHECK-SAME: shared_bytes = 6196 : i64
  // CHECK-SAME: tensor_address = 6192 : i64
  // CHECK-SAME: tensor_columns = 256 : i64
  agent.switch {
    agent.role @mma warps(1) {
      agent.produce %acc : !result {
        %t = tile.mma %x, %y, %zero : tensor<128x16xbf16>, tensor<64x16xbf16> -> tensor<128x64xf32>
        agent.yield %t : tensor<128x64xf32>
      }
      agent.consume %mid as (%t) : !middle {
      }
    }
    agent.role @compute warps(4) {
      agent.consume %acc as (%t) : !result {
        agent.produce %mid : !middle {
          %c = arith.truncf %t : tensor<128x64xf32> to tensor<128x64xbf16>
          agent.yield %c : tensor<128x64xbf16>
        }
      }
    }
  }
}

// The hardware's answer about the next item, its barrier, and the messages.
// CHECK-LABEL: tile.kernel @dynamic
tile.kernel @dynamic(%n: index) attributes {tile.target = "sm_100a"} {
  %items = agent.items dynamic %i of %n -> (index) {
    agent.yield %i : index
  }
  // CHECK: agent.pipe "work"
  // CHECK-SAME: place = #agent.place<start = 0, stride = 16, full = 56, empty = 72>
  %work = agent.pipe "work" slots(2) message : (index)
  // CHECK: agent.switch
  // CHECK-SAME: next_tile = 32 : i64
  // CHECK-SAME: shared_bytes = 88 : i64
  agent.switch {
    agent.role @scheduler warps(1) {
      agent.for_each_item (%i) in %items publish %work : !items, !work {
      }
    }
    agent.role @compute warps(4) {
      agent.for_each_item (%i) in %work : !work {
      }
    }
  }
}

// A cluster is answered in shared memory on every GPU; a CTA alone is not where a
// counter gives the numbers.
// CHECK-LABEL: tile.kernel @counted_for_a_cluster
tile.kernel @counted_for_a_cluster(%n: index) attributes {tile.target = "sm_90a"} {
  %items = agent.items dynamic %i of %n -> (index) {
    agent.yield %i : index
  }
  // CHECK: agent.pipe "work"
  // CHECK-SAME: place = #agent.place<start = 0, stride = 16, full = 64, empty = 80>
  %work = agent.pipe "work" slots(2) message : (index)
  // CHECK: agent.switch
  // CHECK-SAME: next_tile = 32 : i64
  agent.switch cluster(2) {
    agent.role @scheduler warps(1) {
      agent.for_each_item (%i) in %items publish %work : !items, !work {
      }
    }
    agent.role @compute warps(4) {
      agent.for_each_item (%i) in %work : !work {
      }
    }
  }
}

// CHECK-LABEL: tile.kernel @counted
tile.kernel @counted(%n: index) attributes {tile.target = "sm_90a"} {
  %items = agent.items dynamic %i of %n -> (index) {
    agent.yield %i : index
  }
  // CHECK: agent.pipe "work"
  // CHECK-SAME: place = #agent.place<start = 0, stride = 16, full = 32, empty = 48>
  %work = agent.pipe "work" slots(2) message : (index)
  // CHECK: agent.switch
  // CHECK-NOT: next_tile =
  agent.switch {
    agent.role @scheduler warps(1) {
      agent.for_each_item (%i) in %items publish %work : !items, !work {
      }
    }
    agent.role @compute warps(4) {
      agent.for_each_item (%i) in %work : !work {
      }
    }
  }
}

// Each of two CTAs holds half of every tile.
// CHECK-LABEL: tile.kernel @pair
tile.kernel @pair(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  // CHECK: agent.pipe "operands"
  // CHECK-SAME: stride = 24576,
  %ab = agent.pipe "operands" slots(2) smem scope(pair) : (tensor<128x64xbf16>, tensor<256x64xbf16>)
  agent.switch cluster(2) items(pair) {
    agent.role @load warps(1) {
      agent.produce %ab : !operands {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %y = tile.load %b[0, 0] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
        agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
      }
    }
    agent.role @mma warps(1) scope(pair) {
      agent.consume %ab as (%x, %y) : !operands {
      }
    }
  }
}
