// Roles run side by side: what two of them store to one place has no order.
// RUN: drawloom-opt %s --assign-engines --map-execution-units --assign-layouts --check-code --split-input-file --verify-diagnostics

!tiles = !agent.pipe<smem, tensor<64x64xf32>>

tile.kernel @two_stores(%a: !tile.view<?x64xf32>, %d: !tile.view<?x64xf32>) attributes {tile.target = "sm_90a"} {
  %c64 = arith.constant 64 : index
  %M = tile.dim %d, 0 : !tile.view<?x64xf32>
  %count = arith.ceildivui %M, %c64 : index
  %items = agent.items static %i of %count -> (index) {
    %m = arith.muli %i, %c64 : index
    agent.yield %m : index
  }
  agent.switch {
    agent.role @one warps(4) {
      agent.for_each_item (%m) in %items : !agent.items<index> {
        %x = tile.load %a[%m, 0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
        // expected-note @+1 {{the other store is here}}
        tile.store %x, %d[%m, 0] : tensor<64x64xf32>, !tile.view<?x64xf32>
      }
    }
    agent.role @other warps(4) {
      agent.for_each_item (%m) in %items : !agent.items<index> {
        %x = tile.load %a[%m, 0] : !tile.view<?x64xf32> -> tensor<64x32xf32>
        // expected-error @+1 {{writes to the same elements of 'd' as a store of @one, and nothing says whether @one or @other comes last; store from one role, or hand something over in between [store-race]}}
        tile.store %x, %d[%m, 32] : tensor<64x32xf32>, !tile.view<?x64xf32>
      }
    }
  }
}

// -----

// Other rows, other columns, or other work tiles: not an error.

tile.kernel @apart(%a: !tile.view<?x64xf32>, %d: !tile.view<?x128xf32>) attributes {tile.target = "sm_90a"} {
  %c64 = arith.constant 64 : index
  %M = tile.dim %d, 0 : !tile.view<?x128xf32>
  %count = arith.ceildivui %M, %c64 : index
  %items = agent.items static %i of %count -> (index) {
    %m = arith.muli %i, %c64 : index
    agent.yield %m : index
  }
  agent.switch {
    agent.role @one warps(4) {
      agent.for_each_item (%m) in %items : !agent.items<index> {
        %x = tile.load %a[%m, 0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
        tile.store %x, %d[%m, 0] : tensor<64x64xf32>, !tile.view<?x128xf32>
      }
    }
    agent.role @right warps(4) {
      agent.for_each_item (%m) in %items : !agent.items<index> {
        %x = tile.load %a[%m, 0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
        tile.store %x, %d[%m, 64] : tensor<64x64xf32>, !tile.view<?x128xf32>
      }
    }
  }
}

// -----

!token = !agent.pipe<message, index>

// One role has stored when it signals the other.
tile.kernel @in_order(%a: !tile.view<?x64xf32>, %d: !tile.view<?x64xf32>) attributes {tile.target = "sm_90a"} {
  %c64 = arith.constant 64 : index
  %M = tile.dim %d, 0 : !tile.view<?x64xf32>
  %count = arith.ceildivui %M, %c64 : index
  %items = agent.items static %i of %count -> (index) {
    %m = arith.muli %i, %c64 : index
    agent.yield %m : index
  }
  %done = agent.pipe "done" slots(2) message : (index)
  agent.switch {
    agent.role @one warps(4) {
      agent.for_each_item (%m) in %items : !agent.items<index> {
        %x = tile.load %a[%m, 0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
        tile.store %x, %d[%m, 0] : tensor<64x64xf32>, !tile.view<?x64xf32>
        agent.produce %done : !token {
          agent.yield %m : index
        }
      }
    }
    agent.role @other warps(4) {
      agent.for_each_item (%m) in %items : !agent.items<index> {
        agent.consume %done as (%at) : !token {
        }
        %x = tile.load %a[%m, 0] : !tile.view<?x64xf32> -> tensor<64x32xf32>
        tile.store %x, %d[%m, 32] : tensor<64x32xf32>, !tile.view<?x64xf32>
      }
    }
  }
}
