// What the model does not decide is named, with its place.
// RUN: drawloom-opt %s -assign-engines -prove-progress -split-input-file -verify-diagnostics -o %t
// RUN: FileCheck %s < %t
// RUN: not drawloom-opt %s -assign-engines -prove-progress=undecided-is-error -split-input-file 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: deadlock freedom of @branch is undecided: 'scf.if' around something that can block at
// CHECK: agent.switch attributes {verdict = #agent.verdict<undecided, because = "'scf.if' around something that can block at undecided.mlir:{{.*}}">}

!signal = !agent.pipe<message>

tile.kernel @branch(%n: index) {
  %c0 = arith.constant 0 : index
  %p = agent.pipe "p" slots(2) message : ()
  // expected-warning@below {{deadlock freedom of @branch is undecided: 'scf.if' around something that can block at undecided.mlir:}}
  agent.switch {
    agent.role @one warps(1) {
      %some = arith.cmpi ne, %n, %c0 : index
      // expected-note@below {{'scf.if' around something that can block is outside the progress model}}
      scf.if %some {
        agent.produce %p : !signal {
        }
      }
    }
    agent.role @two warps(1) {
      agent.consume %p : !signal {
      }
    }
  }
}

// -----

!signal = !agent.pipe<message>

// More bytes than a barrier can count.
!operands = !agent.pipe<smem, tensor<1024x512xbf16>>
tile.kernel @large(%a: !tile.view<?x?xbf16>) attributes {tile.target = "sm_90a"} {
  %p = agent.pipe "operands" slots(1) smem : (tensor<1024x512xbf16>)
  // expected-warning@below {{deadlock freedom of @large is undecided: pipe 'operands': 1048576 bytes for one slot; an mbarrier counts up to 1048575, so use smaller tiles or two pipes [unproved]}}
  agent.switch {
    agent.role @load warps(1) {
      // expected-note@below {{here}}
      agent.produce %p : !operands {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<1024x512xbf16>
        agent.yield %x : tensor<1024x512xbf16>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %p as (%x) : !operands {
      }
    }
  }
}

// -----

!signal = !agent.pipe<message>

tile.kernel @polls(%n: index) {
  %c0 = arith.constant 0 : index
  %p = agent.pipe "p" slots(2) message : ()
  // expected-warning@below {{deadlock freedom of @polls is undecided: 'scf.while', whose trip count is unknown before it runs at undecided.mlir:}}
  agent.switch {
    agent.role @one warps(1) {
      // expected-note@below {{'scf.while', whose trip count is unknown before it runs is outside the progress model}}
      scf.while : () -> () {
        %again = arith.cmpi ne, %n, %c0 : index
        scf.condition(%again)
      } do {
        scf.yield
      }
      agent.produce %p : !signal {
      }
    }
    agent.role @two warps(1) {
      agent.consume %p : !signal {
      }
    }
  }
}

// -----

!items = !agent.items<index>
!signal = !agent.pipe<message>

// A loop that gets longer with each iteration of another one.
tile.kernel @triangle(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = agent.pipe "p" slots(2) message : ()
  // expected-warning@below {{deadlock freedom of @triangle is undecided: a trip count that depends on the iteration of the loop at undecided.mlir:}}
  agent.switch {
    agent.role @one warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        // expected-note@below {{a trip count that depends on the iteration of the loop at undecided.mlir:}}
        scf.for %j = %c0 to %i step %c1 {
          agent.produce %p : !signal {
          }
        }
      }
    }
    agent.role @two warps(1) {
      agent.consume %p : !signal {
      }
    }
  }
}

// -----

!signal = !agent.pipe<message>

// What a function does, and on how many warps, is not known.
func.func private @helper()
tile.kernel @call() {
  %p = agent.pipe "p" slots(1) message : ()
  // expected-warning@below {{deadlock freedom of @call is undecided: 'func.call'}}
  agent.switch {
    agent.role @one warps(1) {
      // expected-note@below {{'func.call'}}
      func.call @helper() : () -> ()
      agent.produce %p : !signal {
      }
    }
    agent.role @two warps(4) {
      agent.consume %p : !signal {
      }
    }
  }
}
