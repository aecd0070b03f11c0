// Only roles whose warps synchronize have a named barrier, so one after many others has
// the first: a CTA has 16.
// RUN: drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(prove-progress,map-execution-units,assign-layouts,budget-registers,place-memory,lower-work-tiles,assign-slot-phase,lower-pipes,schedule-wgmma,unroll-slices,access-memory),convert-agent-to-nvvm)' | FileCheck %s

// CHECK-LABEL: llvm.func @late(
// MLIR names a constant by its value.
// CHECK:       nvvm.barrier id = %c1_i32{{(_[0-9]+)?}} number_of_threads = %c128_i32{{(_[0-9]+)?}}
// CHECK-NOT:   nvvm.barrier id = %c{{[^1]}}
tile.kernel @late(%a: !tile.view<?x?xf32>, %d: !tile.view<?xf32>) attributes {tile.target = "sm_90a"} {
  %x = arith.constant dense<1.0> : tensor<64xf32>
  agent.switch {
    agent.role @r0 warps(1) {
      tile.store %x, %d[0] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r1 warps(1) {
      tile.store %x, %d[64] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r2 warps(1) {
      tile.store %x, %d[128] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r3 warps(1) {
      tile.store %x, %d[192] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r4 warps(1) {
      tile.store %x, %d[256] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r5 warps(1) {
      tile.store %x, %d[320] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r6 warps(1) {
      tile.store %x, %d[384] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r7 warps(1) {
      tile.store %x, %d[448] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r8 warps(1) {
      tile.store %x, %d[512] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r9 warps(1) {
      tile.store %x, %d[576] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r10 warps(1) {
      tile.store %x, %d[640] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r11 warps(1) {
      tile.store %x, %d[704] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r12 warps(1) {
      tile.store %x, %d[768] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r13 warps(1) {
      tile.store %x, %d[832] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r14 warps(1) {
      tile.store %x, %d[896] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r15 warps(1) {
      tile.store %x, %d[960] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @reduce warps(4) {
      %t = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %t axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[1024] : tensor<64xf32>, !tile.view<?xf32>
    }
  }
}
