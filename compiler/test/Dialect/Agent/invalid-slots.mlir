// What produce, consume and yield refuse, with the words.
// RUN: drawloom-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics -o /dev/null

// Produce and consume.
func.func @f(%p: !agent.pipe<smem, tensor<4xf32>>) {
  // expected-error@below {{'agent.produce' op expects the result of an 'agent.pipe' in front of it}}
  agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
    %x = "t.load"() : () -> tensor<4xf32>
    agent.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%p: !agent.pipe<smem, tensor<4xf32>>) {
  // expected-error@below {{'agent.consume' op expects the result of an 'agent.pipe' in front of it}}
  agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
  }
  return
}

// -----

func.func @f() {
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  // expected-error@below {{'agent.produce' op of pipe 'p' is not inside an 'agent.role'}}
  agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
    %x = "t.load"() : () -> tensor<4xf32>
    agent.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @f() {
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  // expected-error@below {{'agent.consume' op of pipe 'p' is not inside an 'agent.role'}}
  agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
  }
  return
}

// -----

func.func @f() {
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      // expected-note@below {{the other one is here}}
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        // expected-error@below {{'agent.produce' op of pipe 'p' is inside another one; slots are filled in order, one at a time}}
        agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
          %x = "t.load"() : () -> tensor<4xf32>
          agent.yield %x : tensor<4xf32>
        }
        %y = "t.load"() : () -> tensor<4xf32>
        agent.yield %y : tensor<4xf32>
      }
    }
    agent.role @b warps(1) {
      agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
      }
    }
  }
  return
}

// -----

func.func @f(%c: i1) {
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
    }
    agent.role @b warps(1) {
      // expected-note@below {{the other one is here}}
      agent.consume %p as (%y) : !agent.pipe<smem, tensor<4xf32>> {
        scf.if %c {
          // expected-error@below {{'agent.consume' op of pipe 'p' is inside another one; slots are released in order, one at a time}}
          agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
          }
        }
      }
    }
  }
  return
}

// -----

func.func @f() {
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
    }
    agent.role @b warps(1) {
      // expected-error@below {{'agent.consume' op names pipe 'p' twice}}
      agent.consume %p, %p as (%x, %y) : !agent.pipe<smem, tensor<4xf32>>, !agent.pipe<smem, tensor<4xf32>> {
      }
    }
  }
  return
}

// -----

func.func @f() {
  agent.switch {
    agent.role @b warps(1) {
      // expected-error@below {{'agent.consume' op needs at least one pipe}}
      "agent.consume"() ({
        agent.yield
      }) : () -> ()
    }
  }
  return
}

// -----

func.func @f() {
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
    }
    agent.role @b warps(1) {
      // expected-error@below {{names 2 values, but the slots hold (tensor<4xf32>)}}
      agent.consume %p as (%x, %y) : !agent.pipe<smem, tensor<4xf32>> {
      }
    }
  }
  return
}

// -----

func.func @f() {
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
    }
    agent.role @b warps(1) {
      // expected-error@below {{'agent.consume' op has block arguments (tensor<8xf32>), but the slots hold (tensor<4xf32>)}}
      "agent.consume"(%p) <{operandSegmentSizes = array<i32: 1, 0>}> ({
      ^bb0(%x: tensor<8xf32>):
        agent.yield
      }) : (!agent.pipe<smem, tensor<4xf32>>) -> ()
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %p = agent.pipe "p" slots(2) smem : (tensor<4xf32>) // expected-note {{the pipe is here}}
  agent.switch {
    agent.role @a warps(1) {
      scf.for %k = %n to %n step %n {
        agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
          %x = "t.load"() : () -> tensor<4xf32>
          agent.yield %x : tensor<4xf32>
        }
      }
    }
    agent.role @b warps(1) {
      scf.for %k = %n to %n step %n {
        // expected-error@below {{'agent.consume' op of pipe 'p' holds lag + 1 = 2 + 1 = 3 slots at once, but the pipe has 2; use slots(3) or a lag below 2}}
        agent.consume %p as (%x) lag(2) : !agent.pipe<smem, tensor<4xf32>> {
        }
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      scf.for %k = %n to %n step %n {
        agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
          %x = "t.load"() : () -> tensor<4xf32>
          agent.yield %x : tensor<4xf32>
        }
      }
    }
    agent.role @b warps(1) {
      scf.for %k = %n to %n step %n {
        // expected-error@below {{'agent.consume' op has a lag of -1; a lag is 0 or more}}
        agent.consume %p as (%x) lag(-1) : !agent.pipe<smem, tensor<4xf32>> {
        }
      }
    }
  }
  return
}

// -----

// Yields.
func.func @f() {
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        // expected-error@below {{'agent.yield' op gives (), but a slot holds (tensor<4xf32>)}}
        agent.yield
      }
    }
    agent.role @b warps(1) {
      agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
      }
    }
  }
  return
}

// -----

func.func @f() {
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
    }
    agent.role @b warps(1) {
      %r = agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> -> f32 {
        // expected-error@below {{'agent.yield' op gives (tensor<4xf32>), but the results are (f32)}}
        agent.yield %x : tensor<4xf32>
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index, index) {
    // expected-error@below {{'agent.yield' op gives (index), but a work tile is (index, index)}}
    agent.yield %i : index
  }
  return
}

// -----

func.func @f(%n: index) {
  agent.switch {
    agent.role @a warps(1) {
      // expected-error@below {{'agent.yield' op gives (index), but 'agent.role' passes on ()}}
      agent.yield %n : index
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  agent.switch {
    agent.role @a warps(1) {
      agent.for_each_item (%i) in %items : !agent.items<index> {
        // expected-error@below {{'agent.yield' op gives (index), but 'agent.for_each_item' passes on ()}}
        agent.yield %i : index
      }
    }
  }
  return
}

// -----

func.func @f() {
  // expected-error@below {{'agent.yield' op expects parent op to be one of 'agent.consume, agent.for_each_item, agent.items, agent.produce, agent.role'}}
  "agent.yield"() : () -> ()
}

// -----

func.func @f() {
  %p = agent.pipe "p" slots(1) message : ()
  %q = agent.pipe "q" slots(1) message : ()
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %p : !agent.pipe<message> {
      }
      agent.produce %q : !agent.pipe<message> {
      }
    }
    agent.role @b warps(1) {
      %at = agent.variable "p.empties" [0, 0]
      // expected-error@below {{'agent.consume' op has 1 variables for 2 pipes; each pipe has a next slot of its own}}
      agent.consume %p, %q at(%at) : !agent.pipe<message>, !agent.pipe<message> {
      }
    }
  }
  return
}

// -----

func.func @f() {
  %p = agent.pipe "p" slots(1) message : ()
  agent.switch {
    agent.role @a warps(1) {
      %at = agent.variable "p.fills" [0]
      // expected-error@below {{'agent.produce' op is at 'p.fills', which has 1 numbers; a slot and a phase are two}}
      agent.produce %p at(%at) : !agent.pipe<message> {
      }
    }
    agent.role @b warps(1) {
      agent.consume %p : !agent.pipe<message> {
      }
    }
  }
  return
}

// -----

func.func @f(%n: index, %at: !agent.variable) {
  // expected-error@below {{'agent.next_tile' op expects the result of an 'agent.variable' in front of it}}
  %next = agent.next_tile after %n of %n at(%at)
  return
}

// -----

func.func @f(%at: !agent.variable) {
  // expected-error@below {{'agent.get' op expects the result of an 'agent.variable' in front of it}}
  %slot = agent.get %at : i32
  return
}

// -----

func.func @f(%slot: i32) {
  %at = agent.variable "p.fills" [0, 1]
  // expected-error@below {{'agent.set' op has 1 values, but 'p.fills' has 2}}
  agent.set %at, %slot : i32
  return
}
