// Tiles that CTAs of a cluster share, in pipes that can't.
// RUN: drawloom-opt %s --split-input-file --verify-diagnostics

!tiles = !agent.pipe<smem, tensor<64x64xf32>>

tile.kernel @scope(%a: !tile.view<?x?xf32>) {
  // expected-error@+1 {{pipe 'p' holds a tile that CTAs of a cluster share; it needs scope(cluster)}}
  %p = agent.pipe "p" slots(2) smem : (tensor<64x64xf32>)
  agent.switch cluster(2) {
    agent.role @load warps(1) {
      agent.produce %p : !tiles {
        %x = tile.load %a[0, 0] multicast [0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
        agent.yield %x : tensor<64x64xf32>
      }
    }
    agent.role @use warps(4) {
      agent.consume %p as (%x) : !tiles {
      }
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<64x64xf32>>

tile.kernel @dimension(%a: !tile.view<?x?xf32>) {
  %p = agent.pipe "p" slots(2) smem scope(cluster) : (tensor<64x64xf32>)
  agent.switch cluster(2) {
    agent.role @load warps(1) {
      agent.produce %p : !tiles {
        // expected-error@+1 {{has multicast [1], but a cluster of 1 dimensions}}
        %x = tile.load %a[0, 0] multicast [1] : !tile.view<?x?xf32> -> tensor<64x64xf32>
        agent.yield %x : tensor<64x64xf32>
      }
    }
    agent.role @use warps(4) {
      agent.consume %p as (%x) : !tiles {
      }
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<64x64xf32>>

tile.kernel @disagree(%a: !tile.view<?x?xf32>) {
  // expected-error@+1 {{pipe 'p': value 0 of a slot is shared by different CTAs in different places; a slot goes back to one set of CTAs}}
  %p = agent.pipe "p" slots(2) smem scope(cluster) : (tensor<64x64xf32>)
  agent.switch cluster(2) {
    agent.role @load warps(1) {
      // expected-note@+1 {{one of them is here}}
      agent.produce %p : !tiles {
        %x = tile.load %a[0, 0] multicast [0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
        agent.yield %x : tensor<64x64xf32>
      }
      agent.produce %p : !tiles {
        %x = tile.load %a[0, 64] : !tile.view<?x?xf32> -> tensor<64x64xf32>
        agent.yield %x : tensor<64x64xf32>
      }
    }
    agent.role @use warps(4) {
      agent.consume %p as (%x) : !tiles {
      }
      agent.consume %p as (%x) : !tiles {
      }
    }
  }
}
