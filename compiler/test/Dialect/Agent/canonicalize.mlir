// RUN: drawloom-opt %s -allow-unregistered-dialect -canonicalize | FileCheck %s

// Results that are not used, that are the same value twice, or that come from
// outside the region.
// CHECK-LABEL: func @results
// CHECK-SAME: (%[[N:.+]]: index)
func.func @results(%n: index) {
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
        %x = "t.load"() : () -> tensor<4xf32>
        agent.yield %x : tensor<4xf32>
      }
    }
    agent.role @b warps(1) {
      // CHECK: %[[R:.+]] = agent.consume %p as (%[[X:.+]]) : !agent.pipe<smem, tensor<4xf32>> -> f32 {
      // CHECK-NEXT: %[[S:.+]] = "t.sum"(%[[X]])
      // CHECK-NEXT: agent.yield %[[S]] : f32
      // CHECK-NEXT: }
      // CHECK-NEXT: "t.use"(%[[R]], %[[R]], %[[N]])
      %unused, %sum, %same, %outer = agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> -> (tensor<4xf32>, f32, f32, index) {
        %s = "t.sum"(%x) : (tensor<4xf32>) -> f32
        agent.yield %x, %s, %s, %n : tensor<4xf32>, f32, f32, index
      }
      "t.use"(%sum, %same, %outer) : (f32, f32, index) -> ()
    }
  }
  return
}

// The lag and the order of the pipes survive.
// CHECK-LABEL: func @lag
func.func @lag(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = agent.pipe "p" slots(2) smem : (tensor<4xf32>)
  %q = agent.pipe "q" slots(2) message : (index)
  agent.switch {
    agent.role @a warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
          %x = "t.load"() : () -> tensor<4xf32>
          agent.yield %x : tensor<4xf32>
        }
        agent.produce %q : !agent.pipe<message, index> {
          agent.yield %i : index
        }
        // CHECK: agent.consume %q, %p as (%{{.+}}, %{{.+}}) lag(1) : !agent.pipe<message, index>, !agent.pipe<smem, tensor<4xf32>> {
        // CHECK-NEXT: }
        %unused = agent.consume %q, %p as (%i2, %x) lag(1) : !agent.pipe<message, index>, !agent.pipe<smem, tensor<4xf32>> -> index {
          agent.yield %i2 : index
        }
      }
    }
  }
  return
}

// A loop of one iteration folds. A lag needs no loop to be valid.
// CHECK-LABEL: func @one_iteration
func.func @one_iteration(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = agent.pipe "p" slots(2) message : (index)
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %p : !agent.pipe<message, index> {
        agent.yield %n : index
      }
    }
    // CHECK: agent.role @b
    // CHECK-NEXT: agent.consume %p as (%{{.+}}) lag(1)
    agent.role @b warps(1) {
      scf.for %i = %c0 to %c1 step %c1 {
        agent.consume %p as (%x) lag(1) : !agent.pipe<message, index> {
        }
      }
    }
  }
  return
}

// A consume is a step of the protocol even if nothing looks at the slot; a loop
// over a pipe takes its messages.
// CHECK-LABEL: func @protocol_stays
func.func @protocol_stays(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  %go = agent.pipe "go" slots(1) message : ()
  %work = agent.pipe "work" slots(1) message : (index)
  agent.switch {
    // CHECK: agent.role @a
    agent.role @a warps(1) {
      // CHECK-NEXT: agent.produce %go
      agent.produce %go : !agent.pipe<message> {
      }
      // CHECK: agent.for_each_item (%{{.+}}) in %items publish %work
      agent.for_each_item (%i) in %items publish %work : !agent.items<index>, !agent.pipe<message, index> {
      }
    }
    // CHECK: agent.role @b
    agent.role @b warps(1) {
      // CHECK-NEXT: agent.consume %go
      agent.consume %go : !agent.pipe<message> {
      }
      // CHECK: agent.for_each_item (%{{.+}}) in %work
      agent.for_each_item (%i) in %work : !agent.pipe<message, index> {
      }
    }
  }
  return
}

// A role that does nothing goes. So does the loop over a stream, if its body
// does nothing, and then the stream.
// CHECK-LABEL: func @empty_roles
// CHECK-NEXT: agent.switch {
// CHECK-NEXT: agent.role @busy warps(1) {
// CHECK-NEXT: "t.work"
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @empty_roles(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  agent.switch {
    agent.role @idle warps(4) {
    }
    agent.role @busy warps(1) {
      "t.work"() : () -> ()
    }
    agent.role @idle_for_each_item warps(4) {
      agent.for_each_item (%i) in %items : !agent.items<index> {
        %twice = arith.addi %i, %i : index
      }
    }
  }
  return
}

// CHECK-LABEL: func @empty_switch
// CHECK-NEXT: return
func.func @empty_switch() {
  agent.switch cluster(2) {
    agent.role @idle warps(4) {
    }
  }
  return
}
