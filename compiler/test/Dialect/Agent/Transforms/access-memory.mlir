// RUN: drawloom-opt %s --access-memory --split-input-file | FileCheck %s

#rows = #tile.layout<128x32, register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>

// Columns of tensor memory are offsets, read anew for each use.

// CHECK-LABEL: tile.kernel @tensor_memory
// CHECK: %[[SLOT:.*]] = agent.slot %
// CHECK: %[[X:.*]] = tile.read %[[SLOT]][0, 32] : !tile.buffer<128x64xf32, tmem> -> tensor<128x32xf32, #{{.*}}>
// CHECK: %[[Y:.*]] = tile.read %[[SLOT]][0, 32]
// CHECK: arith.addf %[[X]], %[[Y]]
tile.kernel @tensor_memory(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %i0 = arith.constant 0 : i32
  %sums = agent.slots "sum" count(1) at(0) stride(64) offsets [0] : !agent.slots<tmem, tensor<128x64xf32>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @epilogue warps(4) at(0) {
      %s = agent.slot %sums[%i0], 0 : !agent.slots<tmem, tensor<128x64xf32>> -> !tile.buffer<128x64xf32, tmem>
      %t = tile.read %s[0, 0] : !tile.buffer<128x64xf32, tmem> -> tensor<128x64xf32>
      %p = tensor.extract_slice %t[0, 32] [128, 32] [1, 1] : tensor<128x64xf32> to tensor<128x32xf32>
      %x = tile.convert_layout %p : tensor<128x32xf32> -> tensor<128x32xf32, #rows>
      %y = tile.convert_layout %p : tensor<128x32xf32> -> tensor<128x32xf32, #rows>
      %z = arith.addf %x, %y : tensor<128x32xf32, #rows>
      tile.store %z, %d[0, 0] : tensor<128x32xf32, #rows>, !tile.view<?x?xf32>
    }
  }
}

// -----

#rows = #tile.layout<32x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
!x = !tile.buffer<8x32xf32, smem, #tile.panels<128x1, swizzle 16>>

// Shared memory is read once, also what lies there across.

// CHECK-LABEL: tile.kernel @shared_memory
// CHECK: %[[SLOT:.*]] = agent.slot %
// CHECK: %[[ACROSS:.*]] = tile.transpose_view %[[SLOT]] : {{.*}} -> !tile.buffer<32x8xf32, smem, #tile.panels<128x1, swizzle 16, transposed>>
// CHECK: %[[X:.*]] = tile.read %[[ACROSS]][0, 0]
// CHECK-NOT: tile.read
// CHECK: arith.addf %[[X]], %[[X]]
tile.kernel @shared_memory(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %i0 = arith.constant 0 : i32
  %slots = agent.slots "x" count(1) at(0) stride(1024) offsets [0] : !agent.slots<smem, tensor<8x32xf32>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %s = agent.slot %slots[%i0], 0 : !agent.slots<smem, tensor<8x32xf32>> -> !x
      %t = tile.read %s[0, 0] : !x -> tensor<8x32xf32>
      %u = tile.transpose %t [1, 0] : tensor<8x32xf32> -> tensor<32x8xf32>
      %x = tile.convert_layout %u : tensor<32x8xf32> -> tensor<32x8xf32, #rows>
      %y = tile.convert_layout %u : tensor<32x8xf32> -> tensor<32x8xf32, #rows>
      %z = arith.addf %x, %y : tensor<32x8xf32, #rows>
      tile.store %z, %d[0, 0] : tensor<32x8xf32, #rows>, !tile.view<?x?xf32>
    }
  }
}

// -----

#sum = #tile.layout<64x64, register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!x = !tile.buffer<64x64xbf16, smem, #tile.panels<128x1, swizzle 16>>

// An MMA takes buffers. B that threads have goes to scratch memory: wait, meet, write, fence, meet. A stays in registers.

// CHECK-LABEL: tile.kernel @operands
// CHECK: agent.role @a {{.*}}named_barrier = #agent.named_barrier<barrier = 1, parts = 16384>
// CHECK: %[[X:.*]] = agent.slot %
// CHECK: %[[Y:.*]] = arith.constant dense<1.000000e+00>
// CHECK: %[[ROOM:.*]] = tile.alloc at(8192) : !tile.buffer<64x64xbf16, smem, #tile.panels<128x1, swizzle 16>>
// CHECK-NEXT: agent.await
// CHECK-NEXT: agent.sync role
// CHECK-NEXT: tile.write %[[Y]], %[[ROOM]][0, 0]
// CHECK-NEXT: agent.fence async
// CHECK-NEXT: agent.sync role
// CHECK-NEXT: agent.issue %[[X]], %[[ROOM]] :
// CHECK: %[[ACROSS:.*]] = tile.transpose_view %[[X]]
// CHECK-NEXT: agent.issue %[[Y]], %[[ACROSS]] :
tile.kernel @operands(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %i0 = arith.constant 0 : i32
  %slots = agent.slots "x" count(1) at(0) stride(8192) offsets [0] : !agent.slots<smem, tensor<64x64xbf16>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) attributes {scratch = #agent.scratch<offset = 8192, bytes = 8192, column = 0, columns = 0>} {
      %s = agent.slot %slots[%i0], 0 : !agent.slots<smem, tensor<64x64xbf16>> -> !x
      %x = tile.read %s[0, 0] : !x -> tensor<64x64xbf16>
      %y = arith.constant dense<1.0> : tensor<64x64xbf16, #sum>
      %p = agent.issue %x, %y : tensor<64x64xbf16>, tensor<64x64xbf16, #sum> -> !agent.in_flight<tensor<64x64xf32, #sum>>
      %t = tile.transpose %x [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
      %q = agent.issue %y, %t : tensor<64x64xbf16, #sum>, tensor<64x64xbf16> -> !agent.in_flight<tensor<64x64xf32, #sum>>
    }
  }
}

// -----

#sum = #tile.layout<64x256, register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!x = !tile.buffer<64x128xf8E4M3FN, smem, #tile.panels<128x1, swizzle 16>>
!y = !tile.buffer<256x128xf8E4M3FN, smem, #tile.panels<128x1, swizzle 16>>

// Threads add the sums of 8-bit MMAs: 128 registers of the total leave room for 32 of a part, 64 columns.

// CHECK-LABEL: tile.kernel @promoted
// CHECK: agent.add_mma %{{.*}}, %{{.*}} onto %{{.*}} columns(64)
tile.kernel @promoted(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %i0 = arith.constant 0 : i32
  %slots = agent.slots "x" count(1) at(0) stride(40960) offsets [0, 8192] : !agent.slots<smem, tensor<64x128xf8E4M3FN>, tensor<256x128xf8E4M3FN>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %a = agent.slot %slots[%i0], 0 : !agent.slots<smem, tensor<64x128xf8E4M3FN>, tensor<256x128xf8E4M3FN>> -> !x
      %b = agent.slot %slots[%i0], 1 : !agent.slots<smem, tensor<64x128xf8E4M3FN>, tensor<256x128xf8E4M3FN>> -> !y
      %x = tile.read %a[0, 0] : !x -> tensor<64x128xf8E4M3FN>
      %y = tile.read %b[0, 0] : !y -> tensor<256x128xf8E4M3FN>
      %zero = arith.constant dense<0.0> : tensor<64x256xf32, #sum>
      %s = tile.mma %x, %y, %zero : tensor<64x128xf8E4M3FN>, tensor<256x128xf8E4M3FN> -> tensor<64x256xf32, #sum>
      tile.store %s, %d[0, 0] : tensor<64x256xf32, #sum>, !tile.view<?x?xf32>
    }
  }
}
