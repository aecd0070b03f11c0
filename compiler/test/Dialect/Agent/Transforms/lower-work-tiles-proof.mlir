// What runs is what was proved. Without a proof there is code only for those who ask by name.
// RUN: drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(assign-engines,map-execution-units,assign-layouts,budget-registers,place-memory,lower-work-tiles,assign-slot-phase,lower-pipes))' --split-input-file --verify-diagnostics
// RUN: drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(assign-engines,map-execution-units,assign-layouts,budget-registers,place-memory,lower-work-tiles{unproved},assign-slot-phase,lower-pipes))' --split-input-file | FileCheck %s

!tiles = !agent.pipe<smem, tensor<128x64xf32>>

// CHECK: tile.kernel @not_asked
tile.kernel @not_asked(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %p = agent.pipe "tiles" slots(2) smem : (tensor<128x64xf32>)
  // expected-error@+1 {{has no verdict on deadlock freedom: code is generated after 'prove-progress'; pass --unproved to compile it anyway}}
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %p : !tiles {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
        agent.yield %x : tensor<128x64xf32>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %p as (%x) : !tiles {
        tile.store %x, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<128x64xf32>>

// CHECK: tile.kernel @undecided
tile.kernel @undecided(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %p = agent.pipe "tiles" slots(2) smem : (tensor<128x64xf32>)
  // expected-error@+1 {{is not proved deadlock-free: undecided, 'scf.while', whose trip count is unknown before it runs at k.mlir:3; pass --unproved to compile it anyway}}
  agent.switch attributes {verdict = #agent.verdict<undecided, because = "'scf.while', whose trip count is unknown before it runs at k.mlir:3">} {
    agent.role @load warps(1) {
      agent.produce %p : !tiles {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
        agent.yield %x : tensor<128x64xf32>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %p as (%x) : !tiles {
        tile.store %x, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<128x64xf32>>

// How often the loop runs is in memory.
// CHECK: tile.kernel @loaded
tile.kernel @loaded(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>, %table: !tile.view<?xi32>) attributes {tile.target = "sm_90a"} {
  %p = agent.pipe "tiles" slots(2) smem : (tensor<128x64xf32>)
  // expected-error@+1 {{is deadlock-free only if table[0] >= 1, which depends on tensor contents and can't be checked at launch; pass --unproved to compile it anyway [unproved]}}
  agent.switch attributes {verdict = #agent.verdict<proved_if, words = "table[0] >= 1",
      condition = [[#agent.bound<size = 0, min = 1>]], sizes = [#agent.size<name = "table[0]">]>} {
    agent.role @load warps(1) {
      agent.produce %p : !tiles {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
        agent.yield %x : tensor<128x64xf32>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %p as (%x) : !tiles {
        tile.store %x, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}
