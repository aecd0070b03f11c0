// The tiles on and below the diagonal. How often the inner loops run depends on the
// outer ones, which the model of progress does not follow.
!tiles = !agent.pipe<smem, tensor<64x64xf32>>

tile.kernel @undecided(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %a, 0 : !tile.view<?x?xf32>
  %p = agent.pipe "tiles" slots(2) smem : (tensor<64x64xf32>)
  agent.switch {
    agent.role @load warps(1) {
      scf.for %i = %c0 to %M step %c64 {
        %end = arith.addi %i, %c1 : index
        scf.for %j = %c0 to %end step %c64 {
          agent.produce %p : !tiles {
            %x = tile.load %a[%i, %j] : !tile.view<?x?xf32> -> tensor<64x64xf32>
            agent.yield %x : tensor<64x64xf32>
          }
        }
      }
    }
    agent.role @compute warps(4) {
      scf.for %i = %c0 to %M step %c64 {
        %end = arith.addi %i, %c1 : index
        scf.for %j = %c0 to %end step %c64 {
          agent.consume %p as (%x) : !tiles {
            tile.store %x, %d[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32>
          }
        }
      }
    }
  }
}
