// A staging pipe takes the bytes of another pipe only where every use of that
// one is over, in every run.
// RUN: drawloom-opt %s -pass-pipeline='builtin.module(tile.kernel(assign-engines,assign-layouts,place-memory))' | FileCheck %s

!items = !agent.items<index>
!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<128x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x128xf32>>
!staging = !agent.pipe<smem, tensor<128x128xbf16>>

// One item: @compute has released all operands before it stages the output.
// CHECK-LABEL: tile.kernel @one_item
tile.kernel @one_item(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>, %K: index) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  // CHECK: agent.pipe "operands"
  // CHECK-SAME: start = 0
  %ab = agent.pipe "operands" slots(2) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  // CHECK: agent.pipe "output"
  // CHECK-SAME: #agent.reason<"memory-reuse", "on the bytes of 'operands': a CTA takes one work tile, and @compute has released every slot of 'operands' in front of its first use of this one; its 4 warps synchronize in between, because one may be ahead
  // CHECK-SAME: start = 0, {{.*}}reuses = "operands"
  %out = agent.pipe "output" slots(1) smem : (tensor<128x128xbf16>)
  // CHECK: shared_bytes = 65584 : i64
  agent.switch attributes {verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) {
      scf.for %k = %c0 to %K step %c64 {
        agent.produce %ab : !operands {
          %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          agent.yield %x, %x : tensor<128x64xbf16>, tensor<128x64xbf16>
        }
      }
    }
    agent.role @compute warps(4) {
      %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<128x128xf32> {
        %t = agent.consume %ab as (%x, %y) lag(1) : !operands -> tensor<128x128xf32> {
          %u = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
          agent.yield %u : tensor<128x128xf32>
        }
        scf.yield %t : tensor<128x128xf32>
      }
      agent.produce %out : !staging {
        %o = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
        agent.yield %o : tensor<128x128xbf16>
      }
      agent.consume %out as (%o) : !staging {
        tile.store %o, %d[0, 0] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
      }
    }
  }
}

// Two outputs lie beside each other: one is filled while the other is stored.
// CHECK-LABEL: tile.kernel @two_outputs
tile.kernel @two_outputs(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>, %e: !tile.view<?x?xbf16>, %K: index) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  // CHECK: agent.pipe "operands"
  // CHECK-SAME: start = 0
  %ab = agent.pipe "operands" slots(2) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  // CHECK: agent.pipe "output"
  // CHECK-SAME: start = 0, {{.*}}reuses = "operands"
  %out = agent.pipe "output" slots(1) smem : (tensor<128x128xbf16>)
  // CHECK: agent.pipe "output_1"
  // CHECK-SAME: start = 32768, {{.*}}reuses = "operands"
  %more = agent.pipe "output_1" slots(1) smem : (tensor<128x128xbf16>)
  // What is left is too little for a third.
  // CHECK: agent.pipe "output_2"
  // CHECK-SAME: "bytes of its own: no other pipe has 32 KiB left"
  // CHECK-SAME: start = 65536
  %last = agent.pipe "output_2" slots(1) smem : (tensor<128x128xbf16>)
  agent.switch attributes {verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) {
      scf.for %k = %c0 to %K step %c64 {
        agent.produce %ab : !operands {
          %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          agent.yield %x, %x : tensor<128x64xbf16>, tensor<128x64xbf16>
        }
      }
    }
    agent.role @compute warps(4) {
      %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<128x128xf32> {
        %t = agent.consume %ab as (%x, %y) lag(1) : !operands -> tensor<128x128xf32> {
          %u = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
          agent.yield %u : tensor<128x128xf32>
        }
        scf.yield %t : tensor<128x128xf32>
      }
      agent.produce %out : !staging {
        %o = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
        agent.yield %o : tensor<128x128xbf16>
      }
      agent.consume %out as (%o) : !staging {
        tile.store %o, %d[0, 0] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
      }
      agent.produce %more : !staging {
        %o = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
        agent.yield %o : tensor<128x128xbf16>
      }
      agent.consume %more as (%o) : !staging {
        tile.store %o, %e[0, 0] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
      }
      agent.produce %last : !staging {
        %o = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
        agent.yield %o : tensor<128x128xbf16>
      }
      agent.consume %last as (%o) : !staging {
        tile.store %o, %e[0, 128] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
      }
    }
  }
}

// The same over three roles: the result is full after the last read.
// CHECK-LABEL: tile.kernel @by_a_witness
tile.kernel @by_a_witness(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>, %K: index) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %ab = agent.pipe "operands" slots(2) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  %acc = agent.pipe "result" slots(1) tmem : (tensor<128x128xf32>)
  // CHECK: agent.pipe "output"
  // CHECK-SAME: and @epilogue has waited for 'result', which is full after the last read of 'operands'
  // CHECK-SAME: reuses = "operands"
  %out = agent.pipe "output" slots(1) smem : (tensor<128x128xbf16>)
  agent.switch attributes {verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) {
      scf.for %k = %c0 to %K step %c64 {
        agent.produce %ab : !operands {
          %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          agent.yield %x, %x : tensor<128x64xbf16>, tensor<128x64xbf16>
        }
      }
    }
    agent.role @mma warps(1) {
      agent.produce %acc : !result {
        %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<128x128xf32> {
          %t = agent.consume %ab as (%x, %y) : !operands -> tensor<128x128xf32> {
            %u = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
            agent.yield %u : tensor<128x128xf32>
          }
          scf.yield %t : tensor<128x128xf32>
        }
        agent.yield %sum : tensor<128x128xf32>
      }
    }
    agent.role @epilogue warps(4) {
      agent.consume %acc as (%sum) : !result {
        agent.produce %out : !staging {
          %o = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
          agent.yield %o : tensor<128x128xbf16>
        }
        agent.consume %out as (%o) : !staging {
          tile.store %o, %d[0, 0] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
        }
      }
    }
  }
}

// More than one item: the next item's operands may be on their way.
// CHECK-LABEL: tile.kernel @persistent
tile.kernel @persistent(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>, %n: index) attributes {tile.target = "sm_90a"} {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  %ab = agent.pipe "operands" slots(2) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  // CHECK: agent.pipe "output"
  // CHECK-SAME: #agent.reason<"memory-reuse", "bytes of its own: a CTA takes more than one work tile, so slots of 'operands' may be in flight for the next one
  // CHECK-SAME: start = 65536
  %out = agent.pipe "output" slots(1) smem : (tensor<128x128xbf16>)
  agent.switch attributes {verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) {
      agent.for_each_item (%m) in %items : !items {
        agent.produce %ab : !operands {
          %x = tile.load %a[%m, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          agent.yield %x, %x : tensor<128x64xbf16>, tensor<128x64xbf16>
        }
      }
    }
    agent.role @compute warps(4) {
      agent.for_each_item (%m) in %items : !items {
        agent.consume %ab as (%x, %y) : !operands {
        }
        agent.produce %out by(cp_async) : !staging {
          %o = tile.load %a[%m, 0] : !tile.view<?x?xbf16> -> tensor<128x128xbf16>
          agent.yield %o : tensor<128x128xbf16>
        }
        agent.consume %out as (%o) : !staging {
          tile.store %o, %d[%m, 0] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
        }
      }
    }
  }
}

// Without a proof, nothing says that every slot is consumed.
// CHECK-LABEL: tile.kernel @not_proved
tile.kernel @not_proved(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>) attributes {tile.target = "sm_90a"} {
  %ab = agent.pipe "operands" slots(2) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  // CHECK: agent.pipe "output"
  // CHECK-SAME: #agent.reason<"memory-reuse", "bytes of its own: progress is not proved, so slots of 'operands' may never be consumed
  %out = agent.pipe "output" slots(1) smem : (tensor<128x128xbf16>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %ab : !operands {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        agent.yield %x, %x : tensor<128x64xbf16>, tensor<128x64xbf16>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %ab as (%x, %y) : !operands {
      }
      agent.produce %out by(cp_async) : !staging {
        %o = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x128xbf16>
        agent.yield %o : tensor<128x128xbf16>
      }
      agent.consume %out as (%o) : !staging {
        tile.store %o, %d[0, 0] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
      }
    }
  }
}

// A condition that every launch checks is as good as a proof.
// CHECK-LABEL: tile.kernel @checked_at_launch
tile.kernel @checked_at_launch(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>) attributes {tile.target = "sm_90a"} {
  %ab = agent.pipe "operands" slots(2) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  // CHECK: agent.pipe "output"
  // CHECK-SAME: #agent.reason<"memory-reuse", "on the bytes of 'operands'
  %out = agent.pipe "output" slots(1) smem : (tensor<128x128xbf16>)
  agent.switch attributes {verdict = #agent.verdict<proved_if, words = "dim 1 of a >= 1", condition = [[#agent.bound<size = 0, min = 1>]],
    sizes = [#agent.size<name = "dim 1 of a", of = [array<i64: 0, 1>], value = affine_map<()[s0] -> (s0)>>]>} {
    agent.role @load warps(1) {
      agent.produce %ab : !operands {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        agent.yield %x, %x : tensor<128x64xbf16>, tensor<128x64xbf16>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %ab as (%x, %y) : !operands {
      }
      agent.produce %out by(cp_async) : !staging {
        %o = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x128xbf16>
        agent.yield %o : tensor<128x128xbf16>
      }
      agent.consume %out as (%o) : !staging {
        tile.store %o, %d[0, 0] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
      }
    }
  }
}

// One that no launch can check is none.
// CHECK-LABEL: tile.kernel @not_checkable
tile.kernel @not_checkable(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>) attributes {tile.target = "sm_90a"} {
  %ab = agent.pipe "operands" slots(2) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  // CHECK: agent.pipe "output"
  // CHECK-SAME: #agent.reason<"memory-reuse", "bytes of its own: progress is not proved, so slots of 'operands' may never be consumed
  %out = agent.pipe "output" slots(1) smem : (tensor<128x128xbf16>)
  agent.switch attributes {verdict = #agent.verdict<proved_if, words = "table[0] >= 1", condition = [[#agent.bound<size = 0, min = 1>]],
    sizes = [#agent.size<name = "table[0]">]>} {
    agent.role @load warps(1) {
      agent.produce %ab : !operands {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        agent.yield %x, %x : tensor<128x64xbf16>, tensor<128x64xbf16>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %ab as (%x, %y) : !operands {
      }
      agent.produce %out by(cp_async) : !staging {
        %o = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x128xbf16>
        agent.yield %o : tensor<128x128xbf16>
      }
      agent.consume %out as (%o) : !staging {
        tile.store %o, %d[0, 0] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
      }
    }
  }
}

// The output is staged while operands still come: no.
// CHECK-LABEL: tile.kernel @in_one_loop
tile.kernel @in_one_loop(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>, %K: index) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %ab = agent.pipe "operands" slots(2) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  // CHECK: agent.pipe "output"
  // CHECK-SAME: #agent.reason<"memory-reuse", "bytes of its own: nothing that @compute waits for is after the last read of 'operands'
  %out = agent.pipe "output" slots(1) smem : (tensor<128x128xbf16>)
  agent.switch attributes {verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) {
      scf.for %k = %c0 to %K step %c64 {
        agent.produce %ab : !operands {
          %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          agent.yield %x, %x : tensor<128x64xbf16>, tensor<128x64xbf16>
        }
      }
    }
    agent.role @compute warps(4) {
      scf.for %k = %c0 to %K step %c64 {
        agent.consume %ab as (%x, %y) : !operands {
        }
        agent.produce %out by(cp_async) : !staging {
          %o = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x128xbf16>
          agent.yield %o : tensor<128x128xbf16>
        }
        agent.consume %out as (%o) : !staging {
          tile.store %o, %d[0, %k] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
        }
      }
    }
  }
}

// With a lag and no loop around it, a slot is kept until the role ends: no.
// CHECK-LABEL: tile.kernel @kept_by_a_lag
tile.kernel @kept_by_a_lag(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>) attributes {tile.target = "sm_90a"} {
  %ab = agent.pipe "operands" slots(2) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  // CHECK: agent.pipe "output"
  // CHECK-SAME: #agent.reason<"memory-reuse", "bytes of its own
  %out = agent.pipe "output" slots(1) smem : (tensor<128x128xbf16>)
  agent.switch attributes {verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) {
      agent.produce %ab : !operands {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        agent.yield %x, %x : tensor<128x64xbf16>, tensor<128x64xbf16>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %ab as (%x, %y) lag(1) : !operands {
      }
      agent.produce %out by(cp_async) : !staging {
        %o = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x128xbf16>
        agent.yield %o : tensor<128x128xbf16>
      }
      agent.consume %out as (%o) : !staging {
        tile.store %o, %d[0, 0] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
      }
    }
  }
}
