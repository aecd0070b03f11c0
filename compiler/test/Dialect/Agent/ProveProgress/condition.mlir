// Plans that end at some sizes: the condition in the program's words, what happens
// otherwise, and the same as data.
// The second time, nothing new is said.
// RUN: drawloom-opt %s -prove-progress -prove-progress -split-input-file -verify-diagnostics | FileCheck %s

!items = !agent.items<index>
!signal = !agent.pipe<message>

// The first iteration is peeled on one side only.
// CHECK: tile.kernel @one_trip
// CHECK: condition = {{\[\[}}#agent.bound<size = 1, min = 1>], [#agent.bound<size = 0, max = 0>]]
tile.kernel @one_trip(%a: !tile.view<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xf32>
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  %p = agent.pipe "operands" slots(3) message : ()
  // expected-remark@below {{@one_trip is proved deadlock-free if ceil(dim 1 of a / 64) >= 1; otherwise: deadlock with work tiles = 1, ceil(dim 1 of a / 64) = 0}}
  agent.switch {
    agent.role @load warps(1) {
      agent.for_each_item (%i) in %items : !items {
        scf.for %k = %c0 to %K step %c64 {
          agent.produce %p : !signal {
          }
        }
      }
    }
    agent.role @compute warps(4) {
      agent.for_each_item (%i) in %items : !items {
        // expected-note@below {{@compute waits for slot 0 of 'operands' to be full (phase 0), work tile 0: @load must fill it, but has ended}}
        agent.consume %p : !signal {
        }
        scf.for %k = %c64 to %K step %c64 {
          agent.consume %p : !signal {
          }
        }
      }
    }
  }
}

// -----

!items = !agent.items<index>
!signal = !agent.pipe<message>

// All of a row's blocks are loaded before its scales, so there must be room for them.
// How many there are differs from item to item: it is loaded.
// CHECK: tile.kernel @different_for_each_item
// CHECK: verdict = #agent.verdict<proved_if, {{.*}}condition = {{\[\[}}#agent.bound<size = 0, max = 0>], [#agent.bound<size = 1, max = 2>]]
// CHECK-SAME: #agent.size<name = "ceil(table[value 0 of the work tile] / 64)", per_item = unit>
tile.kernel @different_for_each_item(%table: !tile.view<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  %blocks = agent.pipe "blocks" slots(2) message : ()
  %scales = agent.pipe "scales" slots(1) message : ()
  // expected-remark@below {{@different_for_each_item is proved deadlock-free if ceil(table[value 0 of the work tile] / 64) <= 2 in every work tile; otherwise: deadlock with work tiles = 1, ceil(table[value 0 of the work tile] / 64) = 3}}
  agent.switch {
    agent.role @load warps(1) {
      agent.for_each_item (%i) in %items : !items {
        %t = tile.load %table[%i] : !tile.view<?xi32> -> i32
        %k = arith.index_cast %t : i32 to index
        scf.for %j = %c0 to %k step %c64 {
          // expected-note@below {{@load waits for slot 0 of 'blocks' to be empty (phase 0), work tile 0: @compute must release it}}
          agent.produce %blocks : !signal {
          }
        }
        agent.produce %scales : !signal {
        }
      }
    }
    agent.role @compute warps(4) {
      agent.for_each_item (%i) in %items : !items {
        %t = tile.load %table[%i] : !tile.view<?xi32> -> i32
        %k = arith.index_cast %t : i32 to index
        // expected-note@below {{@compute waits for slot 0 of 'scales' to be full (phase 0), work tile 0: @load must fill it}}
        agent.consume %scales : !signal {
          scf.for %j = %c0 to %k step %c64 {
            agent.consume %blocks : !signal {
            }
          }
        }
      }
    }
  }
}
