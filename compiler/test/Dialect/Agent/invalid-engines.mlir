// What no engine of any machine can do.
// RUN: drawloom-opt %s -split-input-file -verify-diagnostics

!tiles = !agent.pipe<smem, tensor<128x64xbf16>>

func.func @not_loaded(%t: tensor<128x64xbf16>) {
  %one = agent.pipe "one" slots(1) smem : (tensor<128x64xbf16>)
  agent.switch {
    agent.role @load warps(1) {
      // expected-error@below {{'agent.produce' op of pipe 'one' is by(tma), but value 0 of a slot is not a tile that is loaded here}}
      agent.produce %one by(tma) : !tiles {
        agent.yield %t : tensor<128x64xbf16>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %one as (%x) : !tiles {
      }
    }
  }
  return
}

// -----

!tiles = !agent.pipe<tmem, tensor<128x64xf32>>

func.func @not_there(%a: !tile.view<?x?xf32>, %c: index) {
  %one = agent.pipe "one" slots(1) tmem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @load warps(1) {
      // expected-error@below {{of pipe 'one' is by(cp_async), but its slots are in tmem; only threads and the tensor core write there}}
      agent.produce %one by(cp_async) : !tiles {
        %x = tile.load %a[%c, %c] : !tile.view<?x?xf32> -> tensor<128x64xf32>
        agent.yield %x : tensor<128x64xf32>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %one as (%x) : !tiles {
      }
    }
  }
  return
}

// -----

!tiles = !agent.pipe<tmem, tensor<128x64xf32>>

func.func @not_product(%t: tensor<128x64xf32>) {
  %one = agent.pipe "one" slots(1) tmem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @mma warps(1) {
      // expected-error@below {{of pipe 'one' is by(tensor_core), but value 0 of a slot is not an MMA}}
      agent.produce %one by(tensor_core) : !tiles {
        agent.yield %t : tensor<128x64xf32>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %one as (%x) : !tiles {
      }
    }
  }
  return
}

// -----

!tiles = !agent.pipe<smem, tensor<128x64xf32>>

func.func @not_tensor_memory(%t: tensor<128x64xf32>) {
  %one = agent.pipe "one" slots(1) smem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @mma warps(1) {
      // expected-error@below {{of pipe 'one' is by(tensor_core), but its slots are in smem; the tensor core writes to tmem}}
      agent.produce %one by(tensor_core) : !tiles {
        agent.yield %t : tensor<128x64xf32>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %one as (%x) : !tiles {
      }
    }
  }
  return
}

// -----

!signal = !agent.pipe<message>

func.func @written_message() {
  %go = agent.pipe "go" slots(1) message : ()
  agent.switch {
    agent.role @a warps(1) {
      // expected-error@below {{of pipe 'go' is by(tma), but its slots are messages, which threads write}}
      agent.produce %go by(tma) : !signal {
      }
    }
    agent.role @b warps(1) {
      agent.consume %go : !signal {
      }
    }
  }
  return
}

// -----

!signal = !agent.pipe<message>

func.func @read_message() {
  %go = agent.pipe "go" slots(1) message : ()
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %go : !signal {
      }
    }
    agent.role @b warps(1) {
      // expected-error@below {{of pipe 'go' is by(tensor_core), but its slots are messages, which threads read}}
      agent.consume %go by(tensor_core) : !signal {
      }
    }
  }
  return
}

// -----

!tiles = !agent.pipe<smem, tensor<128x64xf32>>

func.func @copied_out(%t: tensor<128x64xf32>) {
  %one = agent.pipe "one" slots(1) smem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @a warps(4) {
      agent.produce %one : !tiles {
        agent.yield %t : tensor<128x64xf32>
      }
    }
    agent.role @b warps(4) {
      // expected-error@below {{'agent.consume' op of pipe 'one' is by(cp_async), which only fill slots}}
      agent.consume %one as (%x) by(cp_async) : !tiles {
      }
    }
  }
  return
}

// -----

!tiles = !agent.pipe<smem, tensor<128x64xf32>>

func.func @not_stored(%t: tensor<128x64xf32>) {
  %one = agent.pipe "one" slots(1) smem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @a warps(4) {
      agent.produce %one : !tiles {
        agent.yield %t : tensor<128x64xf32>
      }
    }
    agent.role @b warps(4) {
      // expected-error@below {{of pipe 'one' is by(tma), but no value of a slot is stored as it is}}
      agent.consume %one as (%x) by(tma) : !tiles {
        %y = arith.negf %x : tensor<128x64xf32>
      }
    }
  }
  return
}

// -----

!tiles = !agent.pipe<tmem, tensor<128x64xf32>>

func.func @not_stored_from_there(%t: tensor<128x64xf32>) {
  %one = agent.pipe "one" slots(1) tmem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @a warps(4) {
      agent.produce %one : !tiles {
        agent.yield %t : tensor<128x64xf32>
      }
    }
    agent.role @b warps(4) {
      // expected-error@below {{of pipe 'one' is by(tma), but its slots are in tmem; only threads and the tensor core read there}}
      agent.consume %one as (%x) by(tma) : !tiles {
      }
    }
  }
  return
}

// -----

!tiles = !agent.pipe<smem, tensor<128x64xf32>>

func.func @not_only_products(%t: tensor<128x64xf32>) {
  %one = agent.pipe "one" slots(1) smem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @a warps(4) {
      agent.produce %one : !tiles {
        agent.yield %t : tensor<128x64xf32>
      }
    }
    agent.role @b warps(4) {
      // expected-error@below {{of pipe 'one' is by(tensor_core), but value 0 of a slot goes to more than MMAs}}
      agent.consume %one as (%x) by(tensor_core) : !tiles {
        %y = arith.negf %x : tensor<128x64xf32>
      }
    }
  }
  return
}

// -----

!tiles = !agent.pipe<smem, tensor<128x64xf32>>

func.func @too_many(%t: tensor<128x64xf32>) {
  %one = agent.pipe "one" slots(1) smem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @a warps(4) {
      agent.produce %one : !tiles {
        agent.yield %t : tensor<128x64xf32>
      }
    }
    agent.role @b warps(4) {
      // expected-error@below {{'agent.consume' op names 2 engines for 1 pipes; by(...) has one for each}}
      agent.consume %one as (%x) by(threads, threads) : !tiles {
      }
    }
  }
  return
}

// -----

!tiles = !agent.pipe<smem, tensor<128x64xbf16>>

func.func @two_minds(%a: !tile.view<?x?xbf16>, %c: index) {
  // expected-error@below {{pipe 'one': @load fills its slots by(cp_async) and by(tma); the barrier of a slot counts the arrivals of one engine}}
  %one = agent.pipe "one" slots(1) smem : (tensor<128x64xbf16>)
  agent.switch {
    agent.role @load warps(1) {
      // expected-note@below {{by(tma) is here}}
      agent.produce %one by(tma) : !tiles {
        %x = tile.load %a[%c, %c] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        agent.yield %x : tensor<128x64xbf16>
      }
      // expected-note@below {{by(cp_async) is here}}
      agent.produce %one by(cp_async) : !tiles {
        %x = tile.load %a[%c, %c] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        agent.yield %x : tensor<128x64xbf16>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %one as (%x) : !tiles {
      }
      agent.consume %one as (%x) : !tiles {
      }
    }
  }
  return
}
