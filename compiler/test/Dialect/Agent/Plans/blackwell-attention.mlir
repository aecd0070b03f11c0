// Attention on Blackwell: two chained matrix products that one role issues, with a
// softmax between them, are a cycle of roles (@mma -> @softmax -> @mma). The scores
// of the next block are issued before this block's probabilities are waited for.
// RUN: drawloom-opt %s | FileCheck %s
// RUN: drawloom-opt %s -o %t.first
// RUN: drawloom-opt %t.first -mlir-print-op-generic -mlir-print-debuginfo | drawloom-opt -o %t.second
// RUN: diff %t.first %t.second

// CHECK: %scores = agent.pipe "scores" slots(2) tmem
// CHECK: %probabilities = agent.pipe "probabilities" slots(2) tmem
// CHECK: agent.role @mma
// CHECK: agent.consume %query
// CHECK: agent.consume %keys
// CHECK: agent.produce %scores
// CHECK: agent.consume %probabilities, %values
// CHECK: agent.produce %partial
// CHECK: agent.role @softmax
// CHECK: agent.consume %scores
// CHECK: agent.produce %probabilities
// CHECK: agent.role @correction
// CHECK: agent.consume %partial, %scales

!items = !agent.items<index>
!query = !agent.pipe<smem, tensor<128x64xbf16>>
!keys = !agent.pipe<smem, tensor<128x64xbf16>>
!scores = !agent.pipe<tmem, tensor<128x128xf32>>
!probabilities = !agent.pipe<tmem, tensor<128x128xbf16>>
!partial = !agent.pipe<tmem, tensor<128x64xf32>>
!scales = !agent.pipe<smem, tensor<128xf32>, tensor<128xf32>>

tile.kernel @attention(%q: !tile.view<?x64xbf16>, %k: !tile.view<?x64xbf16>,
                       %v: !tile.view<?x64xbf16>, %o: !tile.view<?x64xbf16>)
    attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %no_scores = arith.constant dense<0.0> : tensor<128x128xf32>
  %no_output = arith.constant dense<0.0> : tensor<128x64xf32>
  %no_sum = arith.constant dense<0.0> : tensor<128xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<128xf32>
  %rows = tile.dim %q, 0 : !tile.view<?x64xbf16>
  %keys = tile.dim %k, 0 : !tile.view<?x64xbf16>
  %count = arith.ceildivui %rows, %c128 : index
  %items = agent.items static %i of %count -> (index) {
    %m = arith.muli %i, %c128 : index
    agent.yield %m : index
  }
  %pq = agent.pipe "query" slots(1) smem : (tensor<128x64xbf16>)
  %pk = agent.pipe "keys" slots(2) smem : (tensor<128x64xbf16>)
  %pv = agent.pipe "values" slots(2) smem : (tensor<128x64xbf16>)
  %ps = agent.pipe "scores" slots(2) tmem : (tensor<128x128xf32>)
  %pp = agent.pipe "probabilities" slots(2) tmem : (tensor<128x128xbf16>)
  %po = agent.pipe "partial" slots(2) tmem : (tensor<128x64xf32>)
  %pc = agent.pipe "scales" slots(2) smem : (tensor<128xf32>, tensor<128xf32>)
  agent.switch {
    agent.role @load warps(1) {
      agent.for_each_item (%m) in %items : !items {
        agent.produce %pq : !query {
          %t = tile.load %q[%m, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
          agent.yield %t : tensor<128x64xbf16>
        }
        scf.for %j = %c0 to %keys step %c128 {
          agent.produce %pk : !keys {
            %t = tile.load %k[%j, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
            agent.yield %t : tensor<128x64xbf16>
          }
          agent.produce %pv : !keys {
            %t = tile.load %v[%j, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
            agent.yield %t : tensor<128x64xbf16>
          }
        }
      }
    }
    agent.role @mma warps(1) {
      agent.for_each_item (%m) in %items : !items {
        agent.consume %pq as (%qt) : !query {
          agent.consume %pk as (%kt) : !keys {
            agent.produce %ps : !scores {
              %s = tile.mma %qt, %kt, %no_scores : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
              agent.yield %s : tensor<128x128xf32>
            }
          }
          scf.for %j = %c128 to %keys step %c128 {
            agent.consume %pk as (%kt) : !keys {
              agent.produce %ps : !scores {
                %s = tile.mma %qt, %kt, %no_scores : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
                agent.yield %s : tensor<128x128xf32>
              }
            }
            agent.consume %pp, %pv as (%p, %vt) : !probabilities, !keys {
              agent.produce %po : !partial {
                %vk = tile.transpose %vt [1, 0] : tensor<128x64xbf16> -> tensor<64x128xbf16>
                %t = tile.mma %p, %vk, %no_output : tensor<128x128xbf16>, tensor<64x128xbf16> -> tensor<128x64xf32>
                agent.yield %t : tensor<128x64xf32>
              }
            }
          }
          agent.consume %pp, %pv as (%p, %vt) : !probabilities, !keys {
            agent.produce %po : !partial {
              %vk = tile.transpose %vt [1, 0] : tensor<128x64xbf16> -> tensor<64x128xbf16>
              %t = tile.mma %p, %vk, %no_output : tensor<128x128xbf16>, tensor<64x128xbf16> -> tensor<128x64xf32>
              agent.yield %t : tensor<128x64xf32>
            }
          }
        }
      }
    }
    agent.role @softmax warps(4) {
      agent.for_each_item (%m) in %items : !items {
        %last = scf.for %j = %c0 to %keys step %c128 iter_args(%max = %lowest) -> tensor<128xf32> {
          %next = agent.consume %ps as (%s) : !scores -> tensor<128xf32> {
            %row = tile.reduce maximumf %s axis 1 : tensor<128x128xf32> -> tensor<128xf32>
            %new = arith.maximumf %max, %row : tensor<128xf32>
            %column = tile.expand_dims %new axis 1 : tensor<128xf32> -> tensor<128x1xf32>
            %wide = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x128xf32>
            %shifted = arith.subf %s, %wide : tensor<128x128xf32>
            %e = math.exp %shifted : tensor<128x128xf32>
            agent.produce %pp : !probabilities {
              %p = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
              agent.yield %p : tensor<128x128xbf16>
            }
            agent.produce %pc : !scales {
              %step = arith.subf %max, %new : tensor<128xf32>
              %scale = math.exp %step : tensor<128xf32>
              %sum = tile.reduce addf %e axis 1 : tensor<128x128xf32> -> tensor<128xf32>
              agent.yield %scale, %sum : tensor<128xf32>, tensor<128xf32>
            }
            agent.yield %new : tensor<128xf32>
          }
          scf.yield %next : tensor<128xf32>
        }
      }
    }
    agent.role @correction warps(4) {
      agent.for_each_item (%m) in %items : !items {
        %out:2 = scf.for %j = %c0 to %keys step %c128
            iter_args(%acc = %no_output, %sum = %no_sum) -> (tensor<128x64xf32>, tensor<128xf32>) {
          %next:2 = agent.consume %po, %pc as (%t, %scale, %add) : !partial, !scales -> (tensor<128x64xf32>, tensor<128xf32>) {
            %column = tile.expand_dims %scale axis 1 : tensor<128xf32> -> tensor<128x1xf32>
            %wide = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x64xf32>
            %old = arith.mulf %acc, %wide : tensor<128x64xf32>
            %new = arith.addf %old, %t : tensor<128x64xf32>
            %old_sum = arith.mulf %sum, %scale : tensor<128xf32>
            %new_sum = arith.addf %old_sum, %add : tensor<128xf32>
            agent.yield %new, %new_sum : tensor<128x64xf32>, tensor<128xf32>
          }
          scf.yield %next#0, %next#1 : tensor<128x64xf32>, tensor<128xf32>
        }
        %column = tile.expand_dims %out#1 axis 1 : tensor<128xf32> -> tensor<128x1xf32>
        %wide = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x64xf32>
        %scaled = arith.divf %out#0, %wide : tensor<128x64xf32>
        %t = arith.truncf %scaled : tensor<128x64xf32> to tensor<128x64xbf16>
        tile.store %t, %o[%m, 0] : tensor<128x64xbf16>, !tile.view<?x64xbf16>
      }
    }
  }
}
