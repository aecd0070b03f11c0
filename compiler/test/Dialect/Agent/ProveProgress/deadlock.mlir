// Plans that hang, each by one mistake: the smallest sizes that show it, the waits
// that are part of it, and what would help.
// RUN: drawloom-opt %s -assign-engines -prove-progress -split-input-file -verify-diagnostics

!items = !agent.items<index>
!signal = !agent.pipe<message>

// One warp loads the residual before the operands: four subtiles, two slots.
tile.kernel @too_few_slots(%a: !tile.view<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xf32>
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  %operands = agent.pipe "operands" slots(4) message : ()
  // expected-note@below {{with slots(4) for 'residual' it is proved}}
  %residual = agent.pipe "residual" slots(2) message : ()
  // expected-error@below {{deadlock in @too_few_slots with work tiles = 1, ceil(dim 1 of a / 64) = 1 [deadlock]}}
  agent.switch {
    agent.role @load warps(1) {
      agent.for_each_item (%i) in %items : !items {
        scf.for %j = %c0 to %c256 step %c64 {
          // expected-note@below {{@load waits for slot 0 of 'residual' to be empty (phase 0), work tile 0: @compute must release it}}
          agent.produce %residual : !signal {
          }
        }
        scf.for %k = %c0 to %K step %c64 {
          agent.produce %operands : !signal {
          }
        }
      }
    }
    agent.role @compute warps(4) {
      agent.for_each_item (%i) in %items : !items {
        scf.for %k = %c0 to %K step %c64 {
          // expected-note@below {{@compute waits for slot 0 of 'operands' to be full (phase 0), work tile 0: @load must fill it}}
          agent.consume %operands : !signal {
          }
        }
        scf.for %j = %c0 to %c256 step %c64 {
          agent.consume %residual : !signal {
          }
        }
      }
    }
  }
}

// -----

!items = !agent.items<index>
!signal = !agent.pipe<message>

// Three blocks of keys are loaded before the first block of values. @compute keeps a
// key for an MMA that is still reading it, and waits for its values.
tile.kernel @lag_too_large(%n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c192 = arith.constant 192 : index
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  // expected-note@below {{with slots(3) for 'keys' it is proved}}
  %keys = agent.pipe "keys" slots(2) message : ()
  %values = agent.pipe "values" slots(2) message : ()
  // expected-error@below {{deadlock in @lag_too_large with work tiles = 1}}
  agent.switch {
    agent.role @load warps(1) {
      agent.for_each_item (%i) in %items : !items {
        scf.for %j = %c0 to %c192 step %c64 {
          // expected-note@below {{@load waits for slot 0 of 'keys' to be empty (phase 0), work tile 0: @compute must release it}}
          agent.produce %keys : !signal {
          }
        }
        scf.for %j = %c0 to %c192 step %c64 {
          agent.produce %values : !signal {
          }
        }
      }
    }
    agent.role @compute warps(4) {
      agent.for_each_item (%i) in %items : !items {
        scf.for %j = %c0 to %c192 step %c64 {
          // expected-note@below {{with lag(0) for 'keys' it is proved}}
          agent.consume %keys lag(1) : !signal {
          }
          // expected-note@below {{@compute waits for slot 0 of 'values' to be full (phase 0), work tile 0: @load must fill it}}
          agent.consume %values : !signal {
          }
        }
      }
    }
  }
}

// -----

!items = !agent.items<index>
!signal = !agent.pipe<message>

// The second MMA of a block is issued before the first: no number of slots
// helps, and none is offered.
tile.kernel @cycle_without_a_slot(%k: !tile.view<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = tile.dim %k, 0 : !tile.view<?x64xf32>
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  %scores = agent.pipe "scores" slots(2) message : ()
  %weights = agent.pipe "weights" slots(2) message : ()
  // expected-error@below {{deadlock in @cycle_without_a_slot with work tiles = 1, ceil(dim 0 of k / 64) = 1}}
  agent.switch {
    agent.role @mma warps(1) {
      agent.for_each_item (%i) in %items : !items {
        scf.for %j = %c0 to %K step %c64 {
          // expected-note@below {{@mma waits for slot 0 of 'weights' to be full (phase 0), work tile 0: @softmax must fill it}}
          agent.consume %weights : !signal {
          }
          agent.produce %scores : !signal {
          }
        }
      }
    }
    agent.role @softmax warps(4) {
      agent.for_each_item (%i) in %items : !items {
        scf.for %j = %c0 to %K step %c64 {
          // expected-note@below {{@softmax waits for slot 0 of 'scores' to be full (phase 0), work tile 0: @mma must fill it}}
          agent.consume %scores : !signal {
            agent.produce %weights : !signal {
            }
          }
        }
      }
    }
  }
}

// -----

!items = !agent.items<index>
!signal = !agent.pipe<message>

// @load leaves the last item out.
tile.kernel @skips_an_item(%n: index) {
  %c1 = arith.constant 1 : index
  %fewer = arith.subi %n, %c1 : index
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  %all_but_one = agent.items static %i of %fewer -> (index) {
    agent.yield %i : index
  }
  %p = agent.pipe "operands" slots(2) message : ()
  // expected-error-re@below {{deadlock in @skips_an_item with work tiles = 0, work tiles of the stream at deadlock.mlir:{{.*}} = 1}}
  agent.switch {
    agent.role @load warps(1) {
      agent.for_each_item (%i) in %all_but_one : !items {
        agent.produce %p : !signal {
        }
      }
    }
    agent.role @compute warps(4) {
      agent.for_each_item (%i) in %items : !items {
        // expected-note@below {{@compute waits for slot 0 of 'operands' to be full (phase 0), work tile 0: @load must fill it, but has ended}}
        agent.consume %p : !signal {
        }
      }
    }
  }
}

// -----

!signal = !agent.pipe<message>

// 256 threads enter with 128 registers each. @load and the warps beside it give
// 4 * 32 * (128 - 40) = 11,264, and @compute asks for 4 * 32 * (232 - 128) = 13,312.
tile.kernel @registers_above_the_pool() {
  %p = agent.pipe "operands" slots(2) message : ()
  // expected-error@below {{deadlock in @registers_above_the_pool}}
  agent.switch attributes {entry_registers = 128 : i64} {
    agent.role @load warps(1) registers(40) at(0) {
      agent.produce %p : !signal {
      }
    }
    // expected-note@below {{@compute waits for registers: asks for 13312, 11264 are free}}
    agent.role @compute warps(4) registers(232) at(4) {
      agent.consume %p : !signal {
      }
    }
  }
}

// -----

!items = !agent.items<index>
!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<128x64xbf16>>

// The slot has room for two tiles and its barrier counts the bytes of two, but only
// one is loaded.
tile.kernel @bytes(%a: !tile.view<?x64xbf16>, %n: index) attributes {tile.target = "sm_90a"} {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  %p = agent.pipe "operands" slots(2) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  // expected-error@below {{deadlock in @bytes with work tiles = 1}}
  agent.switch {
    agent.role @load warps(1) {
      agent.for_each_item (%i) in %items : !items {
        agent.produce %p : !operands {
          %x = tile.load %a[%i, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
          agent.yield %x, %x : tensor<128x64xbf16>, tensor<128x64xbf16>
        }
      }
    }
    agent.role @compute warps(4) {
      agent.for_each_item (%i) in %items : !items {
        // expected-note@below {{@compute waits for slot 0 of 'operands' to be full (phase 0), work tile 0: @load announces 32768 bytes, delivers 16384}}
        agent.consume %p as (%x, %y) : !operands {
        }
      }
    }
  }
}

// -----

!signal = !agent.pipe<message>

// A barrier of six warps, at which the four of one role arrive.
tile.kernel @barrier() {
  %id = arith.constant 1 : i32
  %threads = arith.constant 192 : i32
  %p = agent.pipe "operands" slots(2) message : ()
  // expected-error@below {{deadlock in @barrier}}
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %p : !signal {
      }
    }
    agent.role @compute warps(4) {
      agent.consume %p : !signal {
      }
      // expected-note@below {{@compute waits for barrier '1' (phase 0): the barrier counts 6 warps, 4 arrive}}
      nvvm.barrier id = %id number_of_threads = %threads
    }
  }
}
