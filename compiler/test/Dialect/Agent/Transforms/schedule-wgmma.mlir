// RUN: drawloom-opt %s --schedule-wgmma --split-input-file | FileCheck %s
// What it says is understood again.
// RUN: drawloom-opt %s --schedule-wgmma --split-input-file | drawloom-opt --split-input-file | FileCheck %s



// A loop carries its sum in flight. A slot goes back while the newest MMA may still run; the sum is read after the loop.

// CHECK-LABEL: tile.kernel @gemm
tile.kernel @gemm(%d: !tile.view<?x?xf32>, %n: index) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %slots = agent.slots "operands" count(1) at(0) stride(16384) offsets [0, 8192] : !agent.slots<smem, tensor<64x64xbf16>, tensor<64x64xbf16>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      %x = agent.slot %slots[%i0], 0 : !agent.slots<smem, tensor<64x64xbf16>, tensor<64x64xbf16>> -> !tile.buffer<64x64xbf16, smem>
      %y = agent.slot %slots[%i0], 1 : !agent.slots<smem, tensor<64x64xbf16>, tensor<64x64xbf16>> -> !tile.buffer<64x64xbf16, smem>
      // CHECK: %[[START:.*]] = agent.as_in_flight %[[ZERO]] : tensor<64x64xf32>
      // CHECK-NEXT: %[[FLYING:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %[[START]]) -> (!agent.in_flight<tensor<64x64xf32>>) {
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
        // CHECK-NEXT: %[[A:.*]] = tile.read
        // CHECK-NEXT: %[[B:.*]] = tile.read
        %a = tile.read %x[0, 0] : !tile.buffer<64x64xbf16, smem> -> tensor<64x64xbf16>
        %b = tile.read %y[0, 0] : !tile.buffer<64x64xbf16, smem> -> tensor<64x64xbf16>
        // CHECK-NEXT: %[[T:.*]] = agent.issue %[[A]], %[[B]] onto %[[S]] : {{.*}}, !agent.in_flight<tensor<64x64xf32>> -> !agent.in_flight<tensor<64x64xf32>>
        %t = tile.mma %a, %b, %s : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
        // CHECK-NEXT: agent.await pending(1)
        agent.drain wgmma pending(1)
        // CHECK-NEXT: scf.yield %[[T]] : !agent.in_flight<tensor<64x64xf32>>
        scf.yield %t : tensor<64x64xf32>
      }
      // CHECK: %[[SUM:.*]] = agent.await %[[FLYING]] : !agent.in_flight<tensor<64x64xf32>> -> tensor<64x64xf32>
      agent.drain wgmma
      // CHECK-NOT: await
      // CHECK: tile.store %[[SUM]]
      tile.store %sum, %d[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// An MMA that takes A from registers waits for the sum that A is computed from; an independent one runs on.

// CHECK-LABEL: tile.kernel @attention
tile.kernel @attention(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %slots = agent.slots "operands" count(1) at(0) stride(16384) offsets [0, 8192] : !agent.slots<smem, tensor<64x64xbf16>, tensor<64x64xbf16>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      %x = agent.slot %slots[%i0], 0 : !agent.slots<smem, tensor<64x64xbf16>, tensor<64x64xbf16>> -> !tile.buffer<64x64xbf16, smem>
      %y = agent.slot %slots[%i0], 1 : !agent.slots<smem, tensor<64x64xbf16>, tensor<64x64xbf16>> -> !tile.buffer<64x64xbf16, smem>
      %a = tile.read %x[0, 0] : !tile.buffer<64x64xbf16, smem> -> tensor<64x64xbf16>
      %b = tile.read %y[0, 0] : !tile.buffer<64x64xbf16, smem> -> tensor<64x64xbf16>
      // CHECK: %[[S:.*]] = agent.issue %[[A:.*]], %[[B:.*]] : tensor<64x64xbf16>, tensor<64x64xbf16> ->
      // CHECK-NEXT: %[[O:.*]] = agent.issue %[[B]], %[[A]] :
      %s = tile.mma %a, %b, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %o = tile.mma %b, %a, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      // CHECK-NEXT: %[[TILE:.*]] = agent.await %[[S]] pending(1) :
      // CHECK-NEXT: %[[P:.*]] = arith.truncf %[[TILE]]
      %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
      // CHECK-NEXT: %[[Q:.*]] = agent.issue %[[P]], %[[B]] onto %[[O]] :
      %q = tile.mma %p, %b, %o : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      // The registers of the last A belong to its MMA.
      // CHECK-NEXT: %[[DONE:.*]] = agent.await %[[Q]] :
      // CHECK-NEXT: %[[R:.*]] = agent.issue %[[P]], %[[A]] onto %[[DONE]] : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32> ->
      %r = tile.mma %p, %a, %q : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      // CHECK-NEXT: %[[LAST:.*]] = agent.await %[[R]] :
      // CHECK-NEXT: tile.store %[[LAST]]
      tile.store %r, %d[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// A sum with two readers is done before either: in flight it has one name.

// CHECK-LABEL: tile.kernel @two_readers
tile.kernel @two_readers(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %slots = agent.slots "operands" count(1) at(0) stride(8192) offsets [0] : !agent.slots<smem, tensor<64x64xbf16>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      %x = agent.slot %slots[%i0], 0 : !agent.slots<smem, tensor<64x64xbf16>> -> !tile.buffer<64x64xbf16, smem>
      %a = tile.read %x[0, 0] : !tile.buffer<64x64xbf16, smem> -> tensor<64x64xbf16>
      // CHECK: %[[S:.*]] = agent.issue
      // CHECK-NEXT: %[[TILE:.*]] = agent.await %[[S]] :
      // CHECK-NEXT: %[[T:.*]] = agent.issue %{{.*}} onto %[[TILE]] :
      // CHECK-NEXT: tile.store %[[TILE]]
      %s = tile.mma %a, %a, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %t = tile.mma %a, %a, %s : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      tile.store %s, %d[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
      // CHECK-NEXT: %[[SECOND:.*]] = agent.await %[[T]] :
      // CHECK-NEXT: tile.store %[[SECOND]]
      tile.store %t, %d[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// MMAs are done before a branch of the program and in it; a branch that is only for the protocol leaves them alone.

// CHECK-LABEL: tile.kernel @branches
tile.kernel @branches(%d: !tile.view<?x?xf32>, %more: i1) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %slots = agent.slots "operands" count(1) at(0) stride(8192) offsets [0] : !agent.slots<smem, tensor<64x64xbf16>>
  %empty = agent.barriers "operands.empty" count(1) arrivals(1) at(8192) : !agent.barriers
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      %x = agent.slot %slots[%i0], 0 : !agent.slots<smem, tensor<64x64xbf16>> -> !tile.buffer<64x64xbf16, smem>
      %a = tile.read %x[0, 0] : !tile.buffer<64x64xbf16, smem> -> tensor<64x64xbf16>
      %one = agent.elect warp
      %e = agent.barrier %empty[%i0]
      // CHECK: %[[S:.*]] = agent.issue
      // CHECK-NEXT: scf.if
      // CHECK-NEXT: agent.arrive
      %s = tile.mma %a, %a, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.if %one {
        agent.arrive %e by(threads)
      }
      // CHECK: %[[TILE:.*]] = agent.await %[[S]] :
      // CHECK-NEXT: %[[IF:.*]] = scf.if %{{.*}} -> (tensor<64x64xf32>)
      // CHECK-NEXT: %[[T:.*]] = agent.issue %{{.*}} onto %[[TILE]] :
      // CHECK-NEXT: %[[DONE:.*]] = agent.await %[[T]] :
      // CHECK-NEXT: scf.yield %[[DONE]]
      // CHECK: scf.yield %[[TILE]]
      %r = scf.if %more -> (tensor<64x64xf32>) {
        %t = tile.mma %a, %a, %s : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
        scf.yield %t : tensor<64x64xf32>
      } else {
        scf.yield %s : tensor<64x64xf32>
      }
      // CHECK: tile.store %[[IF]]
      tile.store %r, %d[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// A loop whose MMA starts anew has other registers in each iteration: nothing is in flight at its end.

// CHECK-LABEL: tile.kernel @anew
tile.kernel @anew(%d: !tile.view<?x?xf32>, %n: index) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %slots = agent.slots "operands" count(1) at(0) stride(8192) offsets [0] : !agent.slots<smem, tensor<64x64xbf16>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      %x = agent.slot %slots[%i0], 0 : !agent.slots<smem, tensor<64x64xbf16>> -> !tile.buffer<64x64xbf16, smem>
      // CHECK: scf.for {{.*}} -> (tensor<64x64xf32>)
      %last = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
        %a = tile.read %x[0, 0] : !tile.buffer<64x64xbf16, smem> -> tensor<64x64xbf16>
        // CHECK: %[[T:.*]] = agent.issue
        // CHECK-NEXT: %[[DONE:.*]] = agent.await %[[T]] :
        // CHECK-NEXT: scf.yield %[[DONE]]
        %t = tile.mma %a, %a, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
        scf.yield %t : tensor<64x64xf32>
      }
      // CHECK-NOT: agent.await
      tile.store %last, %d[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// Threads add up MMAs of 8 bits, so they are done when the operation is over.

// CHECK-LABEL: tile.kernel @promoted
tile.kernel @promoted(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %slots = agent.slots "operands" count(1) at(0) stride(8192) offsets [0] : !agent.slots<smem, tensor<64x128xf8E4M3FN>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      %x = agent.slot %slots[%i0], 0 : !agent.slots<smem, tensor<64x128xf8E4M3FN>> -> !tile.buffer<64x128xf8E4M3FN, smem>
      %a = tile.read %x[0, 0] : !tile.buffer<64x128xf8E4M3FN, smem> -> tensor<64x128xf8E4M3FN>
      // CHECK: %[[S:.*]] = tile.mma
      // CHECK-NEXT: tile.store %[[S]]
      %s = tile.mma %a, %a, %zero : tensor<64x128xf8E4M3FN>, tensor<64x128xf8E4M3FN> -> tensor<64x64xf32>
      agent.drain wgmma
      tile.store %s, %d[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// Work tiles that come at run time: the MMAs of one are done before the next.

// CHECK-LABEL: tile.kernel @items
tile.kernel @items(%d: !tile.view<?x?xf32>, %n: index) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %slots = agent.slots "operands" count(1) at(0) stride(16384) offsets [0, 8192] : !agent.slots<smem, tensor<64x64xbf16>, tensor<64x64xbf16>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      // CHECK: scf.while (%[[I:.*]] = %{{.*}}) : (index) -> index {
      %last = scf.while (%i = %c0) : (index) -> index {
        // CHECK-NEXT: %[[THERE:.*]] = arith.cmpi ult, %[[I]]
        %there = arith.cmpi ult, %i, %n : index
        // CHECK-NEXT: scf.condition(%[[THERE]]) %[[I]] : index
        scf.condition(%there) %i : index
      } do {
      // CHECK: ^bb0(%[[ITEM:.*]]: index):
      ^bb0(%i: index):
        %x = agent.slot %slots[%i0], 0 : !agent.slots<smem, tensor<64x64xbf16>, tensor<64x64xbf16>> -> !tile.buffer<64x64xbf16, smem>
        %y = agent.slot %slots[%i0], 1 : !agent.slots<smem, tensor<64x64xbf16>, tensor<64x64xbf16>> -> !tile.buffer<64x64xbf16, smem>
        %a = tile.read %x[0, 0] : !tile.buffer<64x64xbf16, smem> -> tensor<64x64xbf16>
        %b = tile.read %y[0, 0] : !tile.buffer<64x64xbf16, smem> -> tensor<64x64xbf16>
        // CHECK: %[[FLYING:.*]] = agent.issue
        %t = tile.mma %a, %b, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
        // CHECK: %[[SUM:.*]] = agent.await %[[FLYING]]
        // CHECK: tile.store %[[SUM]], %{{.*}}[%[[ITEM]],
        tile.store %t, %d[%i, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
        %next = arith.addi %i, %c1 : index
        // CHECK: scf.yield
        scf.yield %next : index
      }
    }
  }
}
