// Roles by hand in a cluster say who shares a tile, and are held to it.
// RUN: drawloom-opt %s --assign-engines --map-execution-units --assign-layouts --check-code --split-input-file --verify-diagnostics

// Rows of A are the same along dimension 1, rows of B along dimension 0.
!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<128x64xbf16>>

tile.kernel @right(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  %M = tile.dim %D, 0 : !tile.view<?x?xf32>
  %clusters = arith.ceildivui %M, %c256 : index
  %clusters4 = arith.muli %clusters, %c4 : index
  %items = agent.items static %i of %clusters4 -> (index, index) {
      %rest, %row = affine.delinearize_index %i into (2) : index, index
      %tile, %column = affine.delinearize_index %rest into (2) : index, index
      %r0 = arith.muli %tile, %c2 : index
      %r1 = arith.addi %r0, %row : index
      %m = arith.muli %r1, %c128 : index
      %n = arith.muli %column, %c128 : index
      agent.yield %m, %n : index, index
  }
  %p = agent.pipe "operands" slots(4) smem scope(cluster) : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  agent.switch cluster(2, 2) {
    agent.role @load warps(1) {
      agent.for_each_item (%m, %n) in %items : !agent.items<index, index> {
        scf.for %k = %c0 to %K step %c64 {
          agent.produce %p : !operands {
            %x = tile.load %A[%m, %k] multicast [1] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
            %y = tile.load %B[%n, %k] multicast [0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
            agent.yield %x, %y : tensor<128x64xbf16>, tensor<128x64xbf16>
          }
        }
      }
    }
    agent.role @compute warps(4) {
      agent.for_each_item (%m, %n) in %items : !agent.items<index, index> {
        %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
          %t = agent.consume %p as (%x, %y) : !operands -> tensor<128x128xf32> {
            %q = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
            agent.yield %q : tensor<128x128xf32>
          }
          scf.yield %t : tensor<128x128xf32>
        }
        tile.store %acc, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

// Rows of A differ along dimension 0.
!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<128x64xbf16>>

tile.kernel @other_rows(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  %M = tile.dim %D, 0 : !tile.view<?x?xf32>
  %clusters = arith.ceildivui %M, %c256 : index
  %clusters4 = arith.muli %clusters, %c4 : index
  %items = agent.items static %i of %clusters4 -> (index, index) {
      %rest, %row = affine.delinearize_index %i into (2) : index, index
      %tile, %column = affine.delinearize_index %rest into (2) : index, index
      %r0 = arith.muli %tile, %c2 : index
      %r1 = arith.addi %r0, %row : index
      %m = arith.muli %r1, %c128 : index
      %n = arith.muli %column, %c128 : index
      agent.yield %m, %n : index, index
  }
  %p = agent.pipe "operands" slots(4) smem scope(cluster) : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  agent.switch cluster(2, 2) {
    agent.role @load warps(1) {
      agent.for_each_item (%m, %n) in %items : !agent.items<index, index> {
        scf.for %k = %c0 to %K step %c64 {
          agent.produce %p : !operands {
            // expected-error @+1 {{has multicast [0], but nothing shows that the CTAs along dimension 0 of the cluster load the same tile of 'A', equally often: it depends on the number of the work tile, whose innermost digits are the places in the cluster; take these off with affine.delinearize_index, or leave multicast out [multicast]}}
            %x = tile.load %A[%m, %k] multicast [0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
            %y = tile.load %B[%n, %k] multicast [0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
            agent.yield %x, %y : tensor<128x64xbf16>, tensor<128x64xbf16>
          }
        }
      }
    }
    agent.role @compute warps(4) {
      agent.for_each_item (%m, %n) in %items : !agent.items<index, index> {
        %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
          %t = agent.consume %p as (%x, %y) : !operands -> tensor<128x128xf32> {
            %q = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
            agent.yield %q : tensor<128x128xf32>
          }
          scf.yield %t : tensor<128x128xf32>
        }
        tile.store %acc, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

// The digits of the number are not those of the cluster.
!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<128x64xbf16>>

tile.kernel @other_digits(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  %M = tile.dim %D, 0 : !tile.view<?x?xf32>
  %clusters = arith.ceildivui %M, %c256 : index
  %clusters4 = arith.muli %clusters, %c4 : index
  %items = agent.items static %i of %clusters4 -> (index, index) {
      %tile, %row, %column = affine.delinearize_index %i into (2, 2) : index, index, index
      %r0 = arith.muli %tile, %c2 : index
      %r1 = arith.addi %r0, %row : index
      %m = arith.muli %r1, %c128 : index
      %n = arith.muli %column, %c128 : index
      agent.yield %m, %n : index, index
  }
  %p = agent.pipe "operands" slots(4) smem scope(cluster) : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  agent.switch cluster(2, 2) {
    agent.role @load warps(1) {
      agent.for_each_item (%m, %n) in %items : !agent.items<index, index> {
        scf.for %k = %c0 to %K step %c64 {
          agent.produce %p : !operands {
            // expected-error @+1 {{has multicast [1], but nothing shows that the CTAs along dimension 1 of the cluster load the same tile of 'A', equally often: it depends on the number of the work tile, whose innermost digits are the places in the cluster; take these off with affine.delinearize_index, or leave multicast out [multicast]}}
            %x = tile.load %A[%m, %k] multicast [1] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
            %y = tile.load %B[%n, %k] multicast [0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
            agent.yield %x, %y : tensor<128x64xbf16>, tensor<128x64xbf16>
          }
        }
      }
    }
    agent.role @compute warps(4) {
      agent.for_each_item (%m, %n) in %items : !agent.items<index, index> {
        %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
          %t = agent.consume %p as (%x, %y) : !operands -> tensor<128x128xf32> {
            %q = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
            agent.yield %q : tensor<128x128xf32>
          }
          scf.yield %t : tensor<128x128xf32>
        }
        tile.store %acc, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

// Four CTAs that wait for each other, and any number of items.
!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<128x64xbf16>>

tile.kernel @any_number(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  %M = tile.dim %D, 0 : !tile.view<?x?xf32>
  %clusters = arith.ceildivui %M, %c256 : index
  %clusters4 = arith.muli %clusters, %c4 : index
  // expected-error @+1 {{numbers work tiles of which the 4 CTAs of a cluster take neighbors, and nothing shows that their number is a multiple of 4, so that some CTAs would wait for others that have none; round it up with arith.ceildivui, and multiply by 4 [cluster-items]}}
  %items = agent.items static %i of %M -> (index, index) {
      %rest, %row = affine.delinearize_index %i into (2) : index, index
      %tile, %column = affine.delinearize_index %rest into (2) : index, index
      %r0 = arith.muli %tile, %c2 : index
      %r1 = arith.addi %r0, %row : index
      %m = arith.muli %r1, %c128 : index
      %n = arith.muli %column, %c128 : index
      agent.yield %m, %n : index, index
  }
  %p = agent.pipe "operands" slots(4) smem scope(cluster) : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  agent.switch cluster(2, 2) {
    agent.role @load warps(1) {
      agent.for_each_item (%m, %n) in %items : !agent.items<index, index> {
        scf.for %k = %c0 to %K step %c64 {
          agent.produce %p : !operands {
            %x = tile.load %A[%m, %k] multicast [1] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
            %y = tile.load %B[%n, %k] multicast [0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
            agent.yield %x, %y : tensor<128x64xbf16>, tensor<128x64xbf16>
          }
        }
      }
    }
    agent.role @compute warps(4) {
      agent.for_each_item (%m, %n) in %items : !agent.items<index, index> {
        %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
          %t = agent.consume %p as (%x, %y) : !operands -> tensor<128x128xf32> {
            %q = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
            agent.yield %q : tensor<128x128xf32>
          }
          scf.yield %t : tensor<128x128xf32>
        }
        tile.store %acc, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
      }
    }
  }
}
