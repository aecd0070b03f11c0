!tiles = !agent.pipe<smem, tensor<128x64xf32>>

tile.kernel @with_roles(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) {
  %p = agent.pipe "tiles" slots(2) smem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %p : !tiles {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
        agent.yield %x : tensor<128x64xf32>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %p as (%x) : !tiles {
        tile.store %x, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

tile.kernel @without(%X: !tile.view<?x32xf32>, %Y: !tile.view<?x32xf32>) {
  %M = tile.dim %X, 0 : !tile.view<?x32xf32>
  tile.for_each (%m) tiles [64] of [%M] {
    %x = tile.load %X[%m, 0] : !tile.view<?x32xf32> -> tensor<64x32xf32>
    tile.store %x, %Y[%m, 0] : tensor<64x32xf32>, !tile.view<?x32xf32>
  }
}

func.func @from_linalg(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %empty = tensor.empty(%m) : tensor<?x64xf32>
  %sum = linalg.add ins(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %sum : tensor<?x64xf32>
}

tile.kernel @with_roles_too(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) {
  %p = agent.pipe "tiles" slots(1) smem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %p : !tiles {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
        agent.yield %x : tensor<128x64xf32>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %p as (%x) : !tiles {
        tile.store %x, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}
