// What a pipe and its type refuse, with the words.
// RUN: drawloom-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics -o /dev/null

// A slot has a fixed size.
// expected-error@below {{a slot in smem cannot hold 'tensor<?x64xbf16>'; it has a fixed size and holds tensors of static shape with rank one or more}}
func.func private @f(!agent.pipe<smem, tensor<?x64xbf16>>)

// -----

// expected-error@below {{a slot in tmem cannot hold 'f32'; it has a fixed size and holds tensors of static shape with rank one or more}}
func.func private @f(!agent.pipe<tmem, f32>)

// -----

// expected-error@below {{a slot in smem cannot hold 'tensor<f32>'; it has a fixed size and holds tensors of static shape with rank one or more}}
func.func private @f(!agent.pipe<smem, tensor<f32>>)

// -----

// expected-error@below {{a slot in smem holds at least one tile; use a message for a bare signal}}
func.func private @f(!agent.pipe<smem>)

// -----

// expected-error@below {{a message cannot hold 'tensor<4xf32>'; it holds index, integer and float scalars}}
func.func private @f(!agent.pipe<message, tensor<4xf32>>)

// -----

// expected-error@below {{a work tile cannot hold 'tensor<4xf32>'; it holds index, integer and float scalars}}
func.func private @f(!agent.items<index, tensor<4xf32>>)

// -----

func.func @f() {
  // expected-error@below {{a slot in smem cannot hold 'index'; it has a fixed size and holds tensors of static shape with rank one or more}}
  %p = agent.pipe "p" slots(1) smem : (index)
  return
}

// -----

// Pipes.
func.func @f() {
  // expected-error@below {{'agent.pipe' op needs a name}}
  %p = agent.pipe "" slots(1) smem : (tensor<4xf32>)
  return
}

// -----

func.func @f() {
  // expected-error@below {{pipe 'p' has 0 slots; it needs at least one}}
  %p = agent.pipe "p" slots(0) smem : (tensor<4xf32>)
  return
}

// -----

func.func @f() {
  // expected-error@below {{pipe 'p' has -2 slots; it needs at least one}}
  %p = agent.pipe "p" slots(-2) smem : (tensor<4xf32>)
  return
}

// -----

func.func @f() {
  agent.switch {
    agent.role @a warps(1) {
      // expected-error@below {{pipe 'p' is inside @a; a pipe stands in front of the switch whose roles it joins}}
      %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
    }
  }
  return
}

// -----

func.func @f() {
  // expected-error@below {{pipe 'p' is an operand of 't.use'; only agent.produce, agent.consume and agent.for_each_item use pipes}}
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  // expected-note@below {{the user is here}}
  "t.use"(%p) : (!agent.pipe<smem, tensor<4xf32>>) -> ()
  return
}

// -----

func.func @f() {
  // expected-error@below {{pipe 'p' is used in two switches; it belongs to the roles of one}}
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  // expected-note@below {{another one is here}}
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
    }
  }
  // expected-note@below {{one is here}}
  agent.switch {
    agent.role @b warps(1) {
      agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  // expected-error@below {{pipe 'p' must be in the same block as the switch whose roles use it}}
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  scf.for %i = %n to %n step %n {
    // expected-note@below {{the switch is here}}
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
    }
    agent.role @b warps(1) {
      agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
      }
    }
  }
  }
  return
}

// -----

func.func @f() {
  // expected-error@below {{pipe 'p' is neither produced nor consumed}}
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  return
}

// -----

func.func @f() {
  // expected-error@below {{pipe 'p' is never produced; @b would deadlock}}
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @b warps(1) {
      agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
      }
    }
  }
  return
}

// -----

func.func @f() {
  // expected-error@below {{pipe 'p' is never consumed; @a would deadlock waiting for an empty slot}}
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
    }
  }
  return
}

// -----

func.func @f() {
  // expected-error@below {{pipe 'p' is produced by @a and @b; a pipe has one producer}}
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
    }
    agent.role @b warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
    }
    agent.role @c warps(1) {
      agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
      }
    }
  }
  return
}

// -----

func.func @f() {
  // expected-error@below {{pipe 'p' is produced by @a, @b and @c; a pipe has one producer}}
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
      agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
      }
    }
    agent.role @b warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
    }
    agent.role @c warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
    }
  }
  return
}

// -----

func.func @f() {
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>) // expected-note {{the other one is here}}
  // expected-error@below {{pipe 'p' exists already}}
  %q = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
      agent.produce %q : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
    }
    agent.role @b warps(1) {
      agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
      }
      agent.consume %q as (%x) : !agent.pipe<smem, tensor<4xf32>> {
      }
    }
  }
  return
}

// -----

// Pipes that carry work tiles.
func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  // expected-error@below {{pipe 'w' is published, but consumed outside an agent.for_each_item, which cannot tell the end of the stream}}
  %w = agent.pipe "w" slots(2) message : (index)
  agent.switch {
    agent.role @s warps(1) {
      agent.for_each_item (%i) in %items publish %w : !agent.items<index>, !agent.pipe<message, index> {
      }
    }
    agent.role @a warps(1) {
      // expected-note@below {{in @a here}}
      agent.consume %w as (%i) : !agent.pipe<message, index> {
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  // expected-error@below {{pipe 'w' carries work tiles, but is filled by agent.produce, which never says that there are no more; use publish}}
  %w = agent.pipe "w" slots(2) message : (index)
  agent.switch {
    agent.role @s warps(1) {
      // expected-note@below {{in @s here}}
      agent.produce %w : !agent.pipe<message, index> {
        agent.yield %n : index
      }
    }
    agent.role @a warps(1) {
      agent.for_each_item (%i) in %w : !agent.pipe<message, index> {
      }
    }
  }
  return
}

// -----

// Words that do not exist.
func.func @f() {
  // expected-error@below {{custom op 'agent.pipe' expected one of [smem, tmem, message] for the memory of a pipe, got: gmem}}
  %p = agent.pipe "p" slots(1) gmem : (tensor<4xf32>)
  return
}

// -----

func.func @f() {
  // expected-error@below {{custom op 'agent.pipe' expected one of [cta, pair, cluster] for a scope, got: grid}}
  %p = agent.pipe "p" slots(1) smem scope(grid) : (tensor<4xf32>)
  return
}

// -----

func.func @f(%n: index) {
  // expected-error@below {{custom op 'agent.items' expected one of [static, dynamic] for a kind of stream, got: sometimes}}
  %items = agent.items sometimes %i of %n -> (index) {
    agent.yield %i : index
  }
  return
}
