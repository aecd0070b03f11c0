// Ping-pong on Hopper with a ring of operands for each of the two compute roles. They
// take turns with the work tiles; neither sees a slot of the other one's.
// RUN: drawloom-opt %s | FileCheck %s
// RUN: drawloom-opt %s -o %t.first
// RUN: drawloom-opt %t.first -mlir-print-op-generic -mlir-print-debuginfo | drawloom-opt -o %t.second
// RUN: diff %t.first %t.second

// CHECK: agent.role @operand_load_0
// CHECK: agent.for_each_item ({{.*}}) in %items every 2 from 0 : !agent.items<index, index>
// CHECK: agent.produce %operands_0
// CHECK: agent.role @operand_load_1
// CHECK: agent.for_each_item ({{.*}}) in %items every 2 from 1 : !agent.items<index, index>
// CHECK: agent.produce %operands_1
// CHECK: agent.role @compute_0
// CHECK: agent.consume %operands_0
// CHECK: agent.role @compute_1
// CHECK: agent.consume %operands_1

!items = !agent.items<index, index>
!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>

tile.kernel @ping_pong(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,
                    %d: !tile.view<?x?xbf16>) attributes {tile.target = "sm_90a"} {
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
  %ab0 = agent.pipe "operands_0" slots(2) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
  %ab1 = agent.pipe "operands_1" slots(2) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
  agent.switch {
    agent.role @operand_load_0 warps(1) registers(40) {
      agent.for_each_item (%m, %n) in %items every 2 from 0 : !items {
        scf.for %k = %c0 to %K step %c64 {
          agent.produce %ab0 : !operands {
            %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
            %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
            agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
          }
        }
      }
    }
    agent.role @operand_load_1 warps(1) registers(40) {
      agent.for_each_item (%m, %n) in %items every 2 from 1 : !items {
        scf.for %k = %c0 to %K step %c64 {
          agent.produce %ab1 : !operands {
            %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
            %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
            agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
          }
        }
      }
    }
    agent.role @compute_0 warps(4) registers(240) {
      agent.for_each_item (%m, %n) in %items every 2 from 0 : !items {
        %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<128x256xf32> {
          %t = agent.consume %ab0 as (%x, %y) lag(1) : !operands -> tensor<128x256xf32> {
            %u = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
            agent.yield %u : tensor<128x256xf32>
          }
          scf.yield %t : tensor<128x256xf32>
        }
        %o = arith.truncf %sum : tensor<128x256xf32> to tensor<128x256xbf16>
        tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
      }
    }
    agent.role @compute_1 warps(4) registers(240) {
      agent.for_each_item (%m, %n) in %items every 2 from 1 : !items {
        %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<128x256xf32> {
          %t = agent.consume %ab1 as (%x, %y) lag(1) : !operands -> tensor<128x256xf32> {
            %u = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
            agent.yield %u : tensor<128x256xf32>
          }
          scf.yield %t : tensor<128x256xf32>
        }
        %o = arith.truncf %sum : tensor<128x256xf32> to tensor<128x256xbf16>
        tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
      }
    }
  }
}
