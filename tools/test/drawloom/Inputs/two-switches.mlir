tile.kernel @two(%d: !tile.view<?xf32>) {
  %x = arith.constant dense<1.0> : tensor<64xf32>
  agent.switch {
    agent.role @first warps(4) {
      tile.store %x, %d[0] : tensor<64xf32>, !tile.view<?xf32>
    }
  }
  agent.switch {
    agent.role @second warps(4) {
      tile.store %x, %d[64] : tensor<64xf32>, !tile.view<?xf32>
    }
  }
}
