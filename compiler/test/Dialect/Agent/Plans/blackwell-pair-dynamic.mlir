// Two CTAs of a Blackwell cluster share each 256 by 256 tile (cta_group::2), and the
// hardware hands out the work tiles. The scheduler of the cluster asks for them,
// once, and tells everyone; the throttle keeps it from running ahead.
// RUN: drawloom-opt %s | FileCheck %s
// RUN: drawloom-opt %s -o %t.first
// RUN: drawloom-opt %t.first -mlir-print-op-generic -mlir-print-debuginfo | drawloom-opt -o %t.second
// RUN: diff %t.first %t.second

// CHECK: %items = agent.items dynamic
// CHECK: %work = agent.pipe "work" slots(2) message scope(cluster) : (index, index)
// CHECK: %throttle = agent.pipe "throttle" slots(2) message scope(cluster) : ()
// CHECK: agent.switch cluster(2, 1) items(pair) {
// CHECK: agent.role @scheduler warps(1) scope(cluster)
// CHECK: agent.for_each_item ({{.*}}) in %items publish %work
// CHECK: agent.consume %throttle
// CHECK: agent.role @operand_load warps(1) {
// CHECK: agent.for_each_item ({{.*}}) in %work
// CHECK: agent.role @mma warps(1) scope(pair)
// CHECK: agent.role @epilogue warps(4) {

!items = !agent.items<index, index>
!work = !agent.pipe<message, index, index>
!throttle = !agent.pipe<message>
!operands = !agent.pipe<smem, tensor<256x64xbf16>, tensor<256x64xbf16>>
!result = !agent.pipe<tmem, tensor<256x256xf32>>

tile.kernel @pair(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,
                  %d: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %M = tile.dim %a, 0 : !tile.view<?x?xbf16>
  %N = tile.dim %b, 0 : !tile.view<?x?xbf16>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %rows = arith.ceildivui %M, %c256 : index
  %columns = arith.ceildivui %N, %c256 : index
  %count = arith.muli %rows, %columns : index
  %tiles = agent.items dynamic %i of %count -> (index, index) {
    %rc:2 = affine.delinearize_index %i into (%rows, %columns) : index, index
    %m = arith.muli %rc#0, %c256 : index
    %n = arith.muli %rc#1, %c256 : index
    agent.yield %m, %n : index, index
  }
  %work = agent.pipe "work" slots(2) message scope(cluster) : (index, index)
  %throttle = agent.pipe "throttle" slots(2) message scope(cluster) : ()
  %ab = agent.pipe "operands" slots(4) smem scope(pair) : (tensor<256x64xbf16>, tensor<256x64xbf16>)
  %acc = agent.pipe "result" slots(2) tmem scope(pair) : (tensor<256x256xf32>)
  agent.switch cluster(2, 1) items(pair) {
    agent.role @scheduler warps(1) scope(cluster) {
      agent.for_each_item (%m, %n) in %tiles publish %work : !items, !work {
        agent.consume %throttle : !throttle {
        }
      }
    }
    agent.role @operand_load warps(1) {
      agent.for_each_item (%m, %n) in %work : !work {
        agent.produce %throttle : !throttle {
        }
        scf.for %k = %c0 to %K step %c64 {
          agent.produce %ab : !operands {
            %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
            %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
            agent.yield %x, %y : tensor<256x64xbf16>, tensor<256x64xbf16>
          }
        }
      }
    }
    agent.role @mma warps(1) scope(pair) {
      agent.for_each_item (%m, %n) in %work : !work {
        agent.produce %acc : !result {
          %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<256x256xf32> {
            %t = agent.consume %ab as (%x, %y) : !operands -> tensor<256x256xf32> {
              %u = tile.mma %x, %y, %s : tensor<256x64xbf16>, tensor<256x64xbf16> -> tensor<256x256xf32>
              agent.yield %u : tensor<256x256xf32>
            }
            scf.yield %t : tensor<256x256xf32>
          }
          agent.yield %sum : tensor<256x256xf32>
        }
      }
    }
    agent.role @epilogue warps(4) {
      agent.for_each_item (%m, %n) in %work : !work {
        agent.consume %acc as (%sum) : !result {
          %o = arith.truncf %sum : tensor<256x256xf32> to tensor<256x256xbf16>
          tile.store %o, %d[%m, %n] : tensor<256x256xbf16>, !tile.view<?x?xbf16>
        }
      }
    }
  }
}
