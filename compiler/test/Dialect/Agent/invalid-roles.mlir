// What switches and roles refuse, with the words.
// RUN: drawloom-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics -o /dev/null

// Scopes.
func.func @f() {
  // expected-error@below {{pipe 'p' has scope(pair), but a cluster has one CTA; pairs need an even number}}
  %p = agent.pipe "p" slots(1) smem scope(pair) : (tensor<4xf32>)
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
  return
}

// -----

func.func @f() {
  // expected-error@below {{pipe 'p' has scope(pair), but a cluster has 3 CTAs; pairs need an even number}}
  %p = agent.pipe "p" slots(1) smem scope(pair) : (tensor<4xf32>)
  agent.switch cluster(3) {
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
  return
}

// -----

func.func @f() {
  // expected-error@below {{pipe 'p' joins @b, which acts for a cta, and @a, which acts for a pair; it needs scope(pair)}}
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch cluster(2) {
    agent.role @a warps(1) scope(pair) {
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
  return
}

// -----

func.func @f() {
  // expected-error@below {{pipe 'p' joins @a, which acts for a pair, and @b, which acts for a cluster; it needs scope(cluster)}}
  %p = agent.pipe "p" slots(1) smem scope(pair) : (tensor<4xf32>)
  agent.switch cluster(2) {
    agent.role @a warps(1) scope(pair) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
    }
    agent.role @b warps(1) scope(cluster) {
      agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
      }
    }
  }
  return
}

// -----

func.func @f() {
  agent.switch {
    // expected-error@below {{role @a acts for a pair, but a cluster has one CTA; pairs need an even number}}
    agent.role @a warps(1) scope(pair) {
    }
  }
  return
}

// -----

func.func @f() {
  // expected-error@below {{'agent.switch' op has items(pair), but a cluster of 3 CTAs; pairs need an even number}}
  agent.switch cluster(3) items(pair) {
  }
  return
}

// -----

// Switches and roles.
func.func @f() {
  // expected-error@below {{'agent.role' op expects parent op 'agent.switch'}}
  agent.role @a warps(1) {
  }
  return
}

// -----

func.func @f() {
  agent.switch {
    // expected-error@below {{'t.work' op is not a role; an 'agent.switch' holds roles only}}
    "t.work"() : () -> ()
  }
  return
}

// -----

func.func @f() {
  agent.switch {
    agent.role @a warps(1) {
      // expected-error@below {{'agent.switch' op is inside @a; a warp has one role at a time}}
      agent.switch {
      }
    }
  }
  return
}

// -----

func.func @f() {
  // expected-error@below {{'agent.switch' op has a cluster of 4 dimensions; a cluster has one to three}}
  agent.switch cluster(1, 1, 1, 1) {
  }
  return
}

// -----

func.func @f() {
  // expected-error@below {{'agent.switch' op has a cluster of 0 dimensions; a cluster has one to three}}
  agent.switch cluster() {
  }
  return
}

// -----

func.func @f() {
  // expected-error@below {{'agent.switch' op has a cluster with 0 CTAs along one dimension; it has 1 to 1024}}
  agent.switch cluster(2, 0) {
  }
  return
}

// -----

func.func @f() {
  agent.switch {
    // expected-note@below {{the other one is here}}
    agent.role @a warps(1) {
    }
    // expected-error@below {{role @a exists already}}
    agent.role @a warps(1) {
    }
  }
  return
}

// -----

func.func @f() {
  agent.switch {
    // expected-error@below {{role @b has 0 warps; a role has 1 to 32}}
    agent.role @b warps(0) {
    }
  }
  return
}

// -----

func.func @f() {
  agent.switch {
    // expected-error@below {{role @b has 33 warps; a role has 1 to 32}}
    agent.role @b warps(33) {
    }
  }
  return
}

// -----

func.func @f() {
  agent.switch {
    // expected-error@below {{role @b has 20 registers a thread; setmaxnreg takes 24 to 256 in steps of 8}}
    agent.role @b warps(4) registers(20) {
    }
  }
  return
}

// -----

func.func @f() {
  agent.switch {
    // expected-error@below {{role @b has 100 registers a thread; setmaxnreg takes 24 to 256 in steps of 8}}
    agent.role @b warps(4) registers(100) {
    }
  }
  return
}

// -----

func.func @f() {
  agent.switch {
    // expected-error@below {{role @b has 264 registers a thread; setmaxnreg takes 24 to 256 in steps of 8}}
    agent.role @b warps(4) registers(264) {
    }
  }
  return
}

// -----

func.func @f() {
  agent.switch {
    // expected-error@below {{role @b is at warp 30, but its 4 warps must be among warps 0 to 31}}
    agent.role @b warps(4) at(30) {
    }
  }
  return
}

// -----

func.func @f() {
  agent.switch {
    // expected-error@below {{role @b is at warp -1, but its 4 warps must be among warps 0 to 31}}
    agent.role @b warps(4) at(-1) {
    }
  }
  return
}

// -----

func.func @f() {
  // expected-error@below {{'agent.switch' op has roles with 36 warps together; a CTA has at most 32}}
  agent.switch {
    agent.role @a warps(32) {
    }
    agent.role @b warps(4) {
    }
  }
  return
}

// -----

func.func @f() {
  agent.switch {
    agent.role @a warps(4) at(0) {
    }
    // expected-error@below {{role @b has no place; either all roles of a switch have at(n), or none}}
    agent.role @b warps(4) {
    }
  }
  return
}

// -----

func.func @f() {
  agent.switch {
    agent.role @a warps(4) at(0) {
    }
    // expected-error@below {{roles @a on warps 0 to 3 and @b on warp 2 overlap}}
    agent.role @b warps(1) at(2) {
    }
  }
  return
}

// -----

func.func @f() {
  agent.switch {
    agent.role @a warps(1) registers(40) at(4) {
    }
    // expected-error@below {{roles @a and @b share warp group 1 (warps 4 to 7), but one has registers(40) and the other registers(24); setmaxnreg holds for the whole group}}
    agent.role @b warps(1) registers(24) at(5) {
    }
  }
  return
}

// -----

func.func @f() {
  agent.switch {
    agent.role @a warps(1) at(0) {
    }
    // expected-error@below {{roles @a and @b share warp group 0 (warps 0 to 3), but one has no registers(n) and the other registers(24); setmaxnreg holds for the whole group}}
    agent.role @b warps(1) registers(24) at(1) {
    }
  }
  return
}

// -----

// Barriers for more threads than a role has.
func.func @f(%c: i1) {
  agent.switch {
    agent.role @a warps(1) { // expected-note {{the role is here}}
      scf.if %c {
        // expected-error@below {{'gpu.barrier' waits for all threads of the cta, but only those of @a get here; move it out of the switch, or use a pipe or a named barrier with the role's own number of threads}}
        gpu.barrier
      }
    }
  }
  return
}

// -----

func.func @f(%c: i1) {
  agent.switch {
    agent.role @a warps(1) { // expected-note {{the role is here}}
      scf.if %c {
        // expected-error@below {{'nvvm.barrier0' waits for all threads of the cta, but only those of @a get here; move it out of the switch, or use a pipe or a named barrier with the role's own number of threads}}
        nvvm.barrier0
      }
    }
  }
  return
}

// -----

func.func @f(%c: i1) {
  agent.switch {
    agent.role @a warps(1) { // expected-note {{the role is here}}
      scf.if %c {
        // expected-error@below {{'nvvm.barrier' waits for all threads of the cta, but only those of @a get here; move it out of the switch, or use a pipe or a named barrier with the role's own number of threads}}
        nvvm.barrier
      }
    }
  }
  return
}

// -----

func.func @f(%c: i1) {
  agent.switch {
    agent.role @a warps(1) { // expected-note {{the role is here}}
      scf.if %c {
        // expected-error@below {{'nvvm.cluster.arrive' waits for all threads of the cluster, but only those of @a get here; move it out of the switch, or use a pipe or a named barrier with the role's own number of threads}}
        nvvm.cluster.arrive
      }
    }
  }
  return
}

// -----

func.func @f(%c: i1) {
  agent.switch {
    agent.role @a warps(1) { // expected-note {{the role is here}}
      scf.if %c {
        // expected-error@below {{'nvvm.cluster.arrive.relaxed' waits for all threads of the cluster, but only those of @a get here; move it out of the switch, or use a pipe or a named barrier with the role's own number of threads}}
        nvvm.cluster.arrive.relaxed
      }
    }
  }
  return
}

// -----

func.func @f(%c: i1) {
  agent.switch {
    agent.role @a warps(1) { // expected-note {{the role is here}}
      scf.if %c {
        // expected-error@below {{'nvvm.cluster.wait' waits for all threads of the cluster, but only those of @a get here; move it out of the switch, or use a pipe or a named barrier with the role's own number of threads}}
        nvvm.cluster.wait
      }
    }
  }
  return
}
