// RUN: drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(check-code))' --verify-diagnostics --split-input-file | FileCheck %s

!items = !agent.items<index>

// Two roles take turns, and no work tile is left out.
// CHECK-LABEL: tile.kernel @turns
tile.kernel @turns(%d: !tile.view<?x?xf32>, %x: f32) attributes {tile.target = "sm_90a"} {
  %count = tile.dim %d, 0 : !tile.view<?x?xf32>
  %items = agent.items static %i of %count -> (index) {
    agent.yield %i : index
  }
  agent.switch attributes {warps = 8 : i64} {
    agent.role @even warps(4) at(0) {
      agent.for_each_item (%i) in %items every 2 from 0 : !items {
        tile.store %x, %d[%i, 0] : f32, !tile.view<?x?xf32>
      }
    }
    agent.role @odd warps(4) at(4) {
      agent.for_each_item (%i) in %items every 2 from 1 : !items {
        tile.store %x, %d[%i, 0] : f32, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

!items = !agent.items<index>

// The n-th work tile of a CTA is another one in another grid.
tile.kernel @rest(%d: !tile.view<?x?xf32>, %x: f32) attributes {tile.target = "sm_90a"} {
  %count = tile.dim %d, 0 : !tile.view<?x?xf32>
  %items = agent.items static %i of %count -> (index) {
    agent.yield %i : index
  }
  agent.switch attributes {warps = 8 : i64} {
    agent.role @first warps(4) at(0) {
      // expected-error @below {{takes every 3 from 0, and no role takes those from 2: which work tiles are computed would depend on the number of CTAs; add a role for them [tiles-left-out]}}
      agent.for_each_item (%i) in %items every 3 from 0 : !items {
        tile.store %x, %d[%i, 0] : f32, !tile.view<?x?xf32>
      }
    }
    agent.role @second warps(4) at(4) {
      agent.for_each_item (%i) in %items every 3 from 1 : !items {
        tile.store %x, %d[%i, 0] : f32, !tile.view<?x?xf32>
      }
    }
  }
}
