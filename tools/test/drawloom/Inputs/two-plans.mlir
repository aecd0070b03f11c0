// Two kernels with the same roles: a tile is loaded by one and stored by the
// other.
!tiles = !agent.pipe<smem, tensor<128x64xf32>>

tile.kernel @first(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) {
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
        %y = math.exp %x : tensor<128x64xf32>
        tile.store %y, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

tile.kernel @second(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) {
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
        %y = math.absf %x : tensor<128x64xf32>
        tile.store %y, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}
