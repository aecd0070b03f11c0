// D = bf16(A B^T + C) on Blackwell with four roles. The accumulator is a pipe of its
// own in tensor memory, so the epilogue of one item overlaps the next item's
// MMAs.
// RUN: drawloom-opt %s | FileCheck %s
// RUN: drawloom-opt %s -o %t.first
// RUN: drawloom-opt %t.first -mlir-print-op-generic -mlir-print-debuginfo | drawloom-opt -o %t.second
// RUN: diff %t.first %t.second

// CHECK: %operands = agent.pipe "operands" slots(4) smem
// CHECK: %result = agent.pipe "result" slots(2) tmem
// CHECK: %residual = agent.pipe "residual" slots(2) smem
// CHECK: agent.role @operand_load warps(1) registers(40) at(0)
// CHECK: agent.produce %operands
// CHECK: agent.role @epilogue_load warps(1) registers(40) at(1)
// CHECK: agent.produce %residual
// CHECK: agent.role @mma warps(1) registers(40) at(2)
// CHECK: agent.produce %result
// CHECK: agent.consume %operands
// CHECK: agent.role @epilogue warps(4) registers(232) at(4)
// CHECK: agent.consume %result
// CHECK: agent.consume %residual

!items = !agent.items<index, index>
!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x256xf32>>
!residual = !agent.pipe<smem, tensor<128x64xbf16>>
!staging = !agent.pipe<smem, tensor<128x64xbf16>>

tile.kernel @linear(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,
                    %c: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>)
    attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %M = tile.dim %a, 0 : !tile.view<?x?xbf16>
  %N = tile.dim %b, 0 : !tile.view<?x?xbf16>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %rows = arith.ceildivui %M, %c128 : index
  %columns = arith.ceildivui %N, %c256 : index
  %count = arith.muli %rows, %columns : index
  %items = agent.items static %i of %count -> (index, index) {
    %rc:2 = affine.delinearize_index %i into (%rows, %columns) : index, index
    %m = arith.muli %rc#0, %c128 : index
    %n = arith.muli %rc#1, %c256 : index
    agent.yield %m, %n : index, index
  }
  %ab = agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
  %acc = agent.pipe "result" slots(2) tmem : (tensor<128x256xf32>)
  %res = agent.pipe "residual" slots(2) smem : (tensor<128x64xbf16>)
  %out = agent.pipe "output" slots(2) smem : (tensor<128x64xbf16>)
  agent.switch {
    agent.role @operand_load warps(1) registers(40) at(0) {
      agent.for_each_item (%m, %n) in %items : !items {
        scf.for %k = %c0 to %K step %c64 {
          agent.produce %ab : !operands {
            %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
            %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
            agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
          }
        }
      }
    }
    agent.role @epilogue_load warps(1) registers(40) at(1) {
      agent.for_each_item (%m, %n) in %items : !items {
        scf.for %j = %c0 to %c256 step %c64 {
          agent.produce %res : !residual {
            %nj = arith.addi %n, %j : index
            %r = tile.load %c[%m, %nj] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
            agent.yield %r : tensor<128x64xbf16>
          }
        }
      }
    }
    agent.role @mma warps(1) registers(40) at(2) {
      agent.for_each_item (%m, %n) in %items : !items {
        agent.produce %acc : !result {
          %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<128x256xf32> {
            %t = agent.consume %ab as (%x, %y) : !operands -> tensor<128x256xf32> {
              %u = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
              agent.yield %u : tensor<128x256xf32>
            }
            scf.yield %t : tensor<128x256xf32>
          }
          agent.yield %sum : tensor<128x256xf32>
        }
      }
    }
    agent.role @epilogue warps(4) registers(232) at(4) {
      agent.for_each_item (%m, %n) in %items : !items {
        agent.consume %acc as (%sum) : !result {
          scf.for %j = %c0 to %c256 step %c64 {
            %nj = arith.addi %n, %j : index
            %part = tensor.extract_slice %sum[0, %j] [128, 64] [1, 1] : tensor<128x256xf32> to tensor<128x64xf32>
            agent.produce %out : !staging {
              %o = agent.consume %res as (%r) : !residual -> tensor<128x64xbf16> {
                %e = arith.extf %r : tensor<128x64xbf16> to tensor<128x64xf32>
                %f = arith.addf %part, %e : tensor<128x64xf32>
                %v = arith.truncf %f : tensor<128x64xf32> to tensor<128x64xbf16>
                agent.yield %v : tensor<128x64xbf16>
              }
              agent.yield %o : tensor<128x64xbf16>
            }
            agent.consume %out as (%o) lag(1) : !staging {
              tile.store %o, %d[%m, %nj] : tensor<128x64xbf16>, !tile.view<?x?xbf16>
            }
          }
        }
      }
    }
  }
}
