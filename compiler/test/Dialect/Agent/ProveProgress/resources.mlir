// Registers and tensor memory of roles that have a place.
// RUN: drawloom-opt %s -assign-engines -prove-progress -split-input-file -verify-diagnostics | FileCheck %s

!signal = !agent.pipe<message>

// Two CTAs, and each releases exactly what it has: 4 * 32 * (128 - 40) = 11,264
// from the warps of the first group to 4 * 32 * (216 - 128) = 11,264 for @compute.
// CHECK: tile.kernel @exactly_enough
// CHECK: agent.switch cluster(2, 1) attributes {entry_registers = 128 : i64, verdict = #agent.verdict<proved>}
tile.kernel @exactly_enough() {
  %p = agent.pipe "operands" slots(2) message scope(cluster) : ()
  agent.switch cluster(2, 1) attributes {entry_registers = 128 : i64} {
    agent.role @load warps(1) registers(40) at(0) scope(cluster) {
      agent.produce %p : !signal {
      }
    }
    agent.role @compute warps(4) registers(216) at(4) {
      agent.consume %p : !signal {
      }
    }
  }
}

// -----

!signal = !agent.pipe<message>

// Without a number of registers at entry, it is what 256 threads can have: 248.
// CHECK: tile.kernel @nothing_to_take
// CHECK: agent.switch attributes {verdict = #agent.verdict<proved>}
tile.kernel @nothing_to_take() {
  %p = agent.pipe "operands" slots(2) message : ()
  agent.switch {
    agent.role @load warps(1) registers(40) at(0) {
      agent.produce %p : !signal {
      }
    }
    agent.role @compute warps(4) registers(240) at(4) {
      agent.consume %p : !signal {
      }
    }
  }
}

// -----

!signal = !agent.pipe<message>

// Budgets without places are not part of the proof, and it says so.
// CHECK: tile.kernel @no_place
// CHECK: verdict = #agent.verdict<proved, assumes = ["the register budgets fit: the roles have no place yet"]>
tile.kernel @no_place() {
  %p = agent.pipe "operands" slots(2) message : ()
  agent.switch {
    agent.role @load warps(1) registers(40) {
      agent.produce %p : !signal {
      }
    }
    agent.role @compute warps(4) registers(240) {
      agent.consume %p : !signal {
      }
    }
  }
}

// -----

!result = !agent.pipe<tmem, tensor<128x256xf32>>

// CHECK: tile.kernel @columns
// CHECK: verdict = #agent.verdict<proved, assumes = ["other CTAs release what they hold of columns of tensor memory"]>
tile.kernel @columns(%a: !tile.view<128x256xf32>) attributes {tile.target = "sm_100a"} {
  %p = agent.pipe "result" slots(2) tmem : (tensor<128x256xf32>)
  agent.switch attributes {tensor_columns = 512 : i64} {
    agent.role @mma warps(1) {
      agent.produce %p : !result {
        %x = tile.load %a[0, 0] : !tile.view<128x256xf32> -> tensor<128x256xf32>
        agent.yield %x : tensor<128x256xf32>
      }
    }
    agent.role @epilogue warps(4) {
      agent.consume %p as (%x) : !result {
      }
    }
  }
}

// -----

!result = !agent.pipe<tmem, tensor<128x256xf32>>

tile.kernel @too_many_columns(%a: !tile.view<128x256xf32>) attributes {tile.target = "sm_100a"} {
  %p = agent.pipe "result" slots(4) tmem : (tensor<128x256xf32>)
  // expected-error@below {{deadlock in @too_many_columns}}
  agent.switch attributes {tensor_columns = 1024 : i64} {
    // expected-note@below {{@mma waits for columns of tensor memory: asks for 1024, 512 are free}}
    agent.role @mma warps(1) {
      agent.produce %p : !result {
        %x = tile.load %a[0, 0] : !tile.view<128x256xf32> -> tensor<128x256xf32>
        agent.yield %x : tensor<128x256xf32>
      }
    }
    agent.role @epilogue warps(4) {
      agent.consume %p as (%x) : !result {
      }
    }
  }
}

// -----

!result = !agent.pipe<tmem, tensor<128x256xf32>>
!signal = !agent.pipe<message>

// Two roles take what the role with the tensor memory gives; it gives before it
// waits for anything.
// CHECK: tile.kernel @both
// CHECK: verdict = #agent.verdict<proved{{.*}}>
tile.kernel @both(%a: !tile.view<128x256xf32>) attributes {tile.target = "sm_100a"} {
  %p = agent.pipe "result" slots(2) tmem : (tensor<128x256xf32>)
  %q = agent.pipe "sums" slots(2) message : ()
  agent.switch attributes {tensor_columns = 512 : i64, entry_registers = 168 : i64} {
    agent.role @mma warps(4) registers(104) at(0) {
      agent.produce %p : !result {
        %x = tile.load %a[0, 0] : !tile.view<128x256xf32> -> tensor<128x256xf32>
        agent.yield %x : tensor<128x256xf32>
      }
    }
    agent.role @compute warps(4) registers(200) at(4) {
      agent.consume %p as (%x) : !result {
        agent.produce %q : !signal {
        }
      }
    }
    agent.role @epilogue warps(4) registers(200) at(8) {
      agent.consume %q : !signal {
      }
    }
  }
}

// -----

// A switch without roles has no registers to divide.
// CHECK: tile.kernel @no_roles
// CHECK: agent.switch attributes {verdict = #agent.verdict<proved>, warps = 4 : i64}
tile.kernel @no_roles() {
  agent.switch attributes {warps = 4 : i64} {
  }
}
