// Who fills and empties the slots, from the values and the architecture.
// RUN: sed 's/TARGET/sm_100a/' %s | drawloom-opt -pass-pipeline='builtin.module(tile.kernel(assign-engines))' -split-input-file | FileCheck %s --check-prefixes=CHECK,BLACKWELL
// RUN: sed 's/TARGET/sm_90a/; s/tmem/smem/' %s | drawloom-opt -pass-pipeline='builtin.module(tile.kernel(assign-engines))' -split-input-file | FileCheck %s --check-prefixes=CHECK,HOPPER
// A second run finds what the first one said.
// RUN: sed 's/TARGET/sm_100a/' %s | drawloom-opt -pass-pipeline='builtin.module(tile.kernel(assign-engines,assign-engines))' -split-input-file | FileCheck %s --check-prefixes=CHECK,BLACKWELL

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<128x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x128xf32>>
!staging = !agent.pipe<smem, tensor<128x128xf32>>
!signal = !agent.pipe<message>

// CHECK-LABEL: tile.kernel @gemm
tile.kernel @gemm(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,
                  %d: !tile.view<?x?xf32>) attributes {tile.target = "TARGET"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %operands = agent.pipe "operands" slots(2) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  %result = agent.pipe "result" slots(1) tmem : (tensor<128x128xf32>)
  %output = agent.pipe "output" slots(1) smem : (tensor<128x128xf32>)
  %go = agent.pipe "go" slots(1) message : ()
  agent.switch {
    // One warp loads both tiles.
    agent.role @load warps(1) {
      // CHECK: agent.produce %operands by(tma) :
      agent.produce %operands : !operands {
        %x = tile.load %a[%c0, %c0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %y = tile.load %b[%c0, %c0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        agent.yield %x, %y : tensor<128x64xbf16>, tensor<128x64xbf16>
      }
      // CHECK: agent.produce %go by(threads) :
      agent.produce %go : !signal {
      }
    }
    agent.role @mma warps(1) {
      // The MMA is made inside a consume, and a signal comes with it.
      // BLACKWELL: agent.produce %result by(tensor_core) :
      // HOPPER: agent.produce %result by(threads) :
      agent.produce %result : !result {
        // BLACKWELL: agent.consume %operands, %go as (%{{.*}}, %{{.*}}) by(tensor_core, threads) :
        // HOPPER: agent.consume %operands, %go as (%{{.*}}, %{{.*}}) by(threads, threads) :
        %t = agent.consume %operands, %go as (%x, %y) : !operands, !signal -> tensor<128x128xf32> {
          %u = tile.mma %x, %y, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
          agent.yield %u : tensor<128x128xf32>
        }
        agent.yield %t : tensor<128x128xf32>
      }
    }
    agent.role @epilogue warps(4) {
      // CHECK: agent.consume %result as (%{{.*}}) by(threads) :
      agent.consume %result as (%r) : !result {
        // CHECK: agent.produce %output by(threads) :
        agent.produce %output : !staging {
          agent.yield %r : tensor<128x128xf32>
        }
      }
      // CHECK: agent.consume %output as (%{{.*}}) by(tma) :
      agent.consume %output as (%o) : !staging {
        tile.store %o, %d[%c0, %c0] : tensor<128x128xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<128x64xbf16>>

// Several warps copy what they load; a tile that is computed is written by
// threads, and so is one that is loaded in front of the produce.
// CHECK-LABEL: tile.kernel @copies
tile.kernel @copies(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>) attributes {tile.target = "TARGET"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %one = agent.pipe "one" slots(1) smem : (tensor<128x64xbf16>)
  %two = agent.pipe "two" slots(1) smem : (tensor<128x64xbf16>)
  %three = agent.pipe "three" slots(1) smem : (tensor<128x64xbf16>)
  agent.switch {
    agent.role @load warps(4) {
      // CHECK: agent.produce %one by(cp_async) :
      agent.produce %one by(cp_async) : !tiles {
        %x = tile.load %a[%c0, %c0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        agent.yield %x : tensor<128x64xbf16>
      }
      // CHECK: agent.produce %two by(threads) :
      agent.produce %two : !tiles {
        %x = tile.load %a[%c0, %c0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %y = arith.negf %x : tensor<128x64xbf16>
        agent.yield %y : tensor<128x64xbf16>
      }
      %z = tile.load %a[%c0, %c0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      // CHECK: agent.produce %three by(threads) :
      agent.produce %three : !tiles {
        agent.yield %z : tensor<128x64xbf16>
      }
    }
    agent.role @compute warps(4) {
      // CHECK: agent.consume %one, %two, %three as (%{{.*}}, %{{.*}}, %{{.*}}) by(threads, threads, tma) :
      agent.consume %one, %two, %three as (%x, %y, %z) : !tiles, !tiles, !tiles {
        %s = arith.addf %x, %y : tensor<128x64xbf16>
        tile.store %s, %d[%c0, %c64] : tensor<128x64xbf16>, !tile.view<?x?xbf16>
        tile.store %z, %d[%c0, %c0] : tensor<128x64xbf16>, !tile.view<?x?xbf16>
      }
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<128x64xbf16>>

// What the program says stays.
// CHECK-LABEL: tile.kernel @said
tile.kernel @said(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>) attributes {tile.target = "TARGET"} {
  %c0 = arith.constant 0 : index
  %one = agent.pipe "one" slots(1) smem : (tensor<128x64xbf16>)
  agent.switch {
    agent.role @load warps(1) {
      // CHECK: agent.produce %one by(cp_async) :
      agent.produce %one by(cp_async) : !tiles {
        %x = tile.load %a[%c0, %c0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        agent.yield %x : tensor<128x64xbf16>
      }
    }
    agent.role @compute warps(4) {
      // CHECK: agent.consume %one as (%{{.*}}) by(threads) :
      agent.consume %one as (%x) by(threads) : !tiles {
        tile.store %x, %d[%c0, %c0] : tensor<128x64xbf16>, !tile.view<?x?xbf16>
      }
    }
  }
}

// -----

// TMA doesn't move rows of 8 bytes: threads store what the slot holds.

!narrow = !agent.pipe<smem, tensor<16x4xbf16>>

// CHECK-LABEL: tile.kernel @short_rows
tile.kernel @short_rows(%a: !tile.view<16x?xbf16>, %d: !tile.view<16x?xbf16>) attributes {tile.target = "TARGET"} {
  %c0 = arith.constant 0 : index
  %rows = agent.pipe "rows" slots(2) smem : (tensor<16x4xbf16>)
  agent.switch {
    agent.role @load warps(4) {
      // CHECK: agent.produce %rows by(cp_async) :
      agent.produce %rows by(cp_async) : !narrow {
        %x = tile.load %a[%c0, %c0] : !tile.view<16x?xbf16> -> tensor<16x4xbf16>
        agent.yield %x : tensor<16x4xbf16>
      }
    }
    agent.role @store warps(4) {
      // CHECK: agent.consume %rows as (%{{.*}}) by(threads) :
      agent.consume %rows as (%x) : !narrow {
        tile.store %x, %d[%c0, %c0] : tensor<16x4xbf16>, !tile.view<16x?xbf16>
      }
    }
  }
}
