// RUN: drawloom-opt %s --lower-work-tiles --assign-slot-phase --lower-pipes --split-input-file --verify-diagnostics

// expected-error@+1 {{has no roles: code is generated after 'form-pipes' [pass-order]}}
tile.kernel @no_roles(%D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
}

// -----

// expected-error@+1 {{has no target: code is generated after 'choose-schedule' [pass-order]}}
tile.kernel @no_target(%D: !tile.view<?x?xf32>) {
  agent.switch {
    agent.role @epilogue warps(4) {
    }
  }
}

// -----

tile.kernel @not_placed(%D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  // expected-error@+1 {{is not placed: code is generated after 'place-memory' [pass-order]}}
  agent.switch {
    agent.role @epilogue warps(4) {
    }
  }
}

// -----

tile.kernel @two_switches(%D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  // expected-note@+1 {{the first one is here}}
  agent.switch attributes {warps = 4 : i64} {
    agent.role @first warps(4) at(0) {
    }
  }
  // expected-error@+1 {{kernel @two_switches has 2 switches, and its warps take their roles once}}
  agent.switch attributes {warps = 4 : i64} {
    agent.role @second warps(4) at(0) {
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<128x64xf32>>

tile.kernel @no_place(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  // expected-error@+1 {{has no place: code is generated after 'place-memory' [pass-order]}}
  %p = agent.pipe "tiles" slots(2) smem : (tensor<128x64xf32>)
  agent.switch attributes {warps = 8 : i64, verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) at(0) {
      agent.produce %p by(tma) : !tiles {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
        agent.yield %x : tensor<128x64xf32>
      }
    }
    agent.role @compute warps(4) at(4) {
      agent.consume %p as (%x) by(threads) : !tiles {
        tile.store %x, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

tile.kernel @no_warps(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 8 : i64, verdict = #agent.verdict<proved>} {
    // expected-error@+1 {{has no warps: code is generated after 'map-execution-units' [pass-order]}}
    agent.role @compute warps(4) {
    }
  }
}

// -----

tile.kernel @together(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  // expected-error@+1 {{has items(pair): CTAs that take a work tile together have no code yet; let each take its own [unsupported-scope]}}
  agent.switch cluster(2, 1) items(pair) attributes {warps = 8 : i64, verdict = #agent.verdict<proved>} {
    agent.role @compute warps(4) at(0) {
    }
  }
}

// -----

tile.kernel @for_a_pair(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch cluster(2, 1) attributes {warps = 8 : i64, verdict = #agent.verdict<proved>} {
    // expected-error@+1 {{acts for a pair, which has no code yet; use a role of each CTA}}
    agent.role @compute warps(4) at(0) scope(pair) {
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<64x64xf32>>

tile.kernel @by_threads(%a: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  // expected-error@+1 {{holds tiles that CTAs of a cluster share and is filled by(cp_async); only TMA writes to other CTAs}}
  %p = agent.pipe "p" slots(2) smem scope(cluster) : (tensor<64x64xf32>)
  agent.switch cluster(2) attributes {warps = 8 : i64, verdict = #agent.verdict<proved>} {
    agent.role @load warps(4) at(0) {
      agent.produce %p by(cp_async) : !tiles {
        %x = tile.load %a[0, 0] multicast [0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
        agent.yield %x : tensor<64x64xf32>
      }
    }
    agent.role @use warps(4) at(4) {
      agent.consume %p as (%x) by(threads) : !tiles {
      }
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<24x64xf32>>

tile.kernel @small_parts(%a: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  // expected-error@+1 {{holds a 'tensor<24x64xf32>' that 2 CTAs share; a part is a multiple of 8 rows, and 24 % (2 x 8) = 8 [pipe-scope]}}
  %p = agent.pipe "p" slots(2) smem scope(cluster) : (tensor<24x64xf32>)
  agent.switch cluster(2) attributes {warps = 8 : i64, verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) at(0) {
      agent.produce %p by(tma) : !tiles {
        %x = tile.load %a[0, 0] multicast [0] : !tile.view<?x?xf32> -> tensor<24x64xf32>
        agent.yield %x : tensor<24x64xf32>
      }
    }
    agent.role @use warps(4) at(4) {
      agent.consume %p as (%x) by(threads) : !tiles {
      }
    }
  }
}

// -----

tile.kernel @message(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  // expected-error@+1 {{has scope(cluster), and only tiles that are loaded with multicast, that a pair multiplies, or that are gathered, have code for it [pipe-scope]}}
  %p = agent.pipe "p" slots(1) message scope(cluster) : ()
  agent.switch cluster(2, 1) attributes {warps = 4 : i64, verdict = #agent.verdict<proved>} {
    agent.role @a warps(1) at(0) {
      agent.produce %p by(threads) : !agent.pipe<message> {
      }
    }
    agent.role @b warps(1) at(1) {
      agent.consume %p by(threads) : !agent.pipe<message> {
      }
    }
  }
}

// -----

tile.kernel @dynamic(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %count = tile.dim %d, 0 : !tile.view<?x?xf32>
  %items = agent.items dynamic %i of %count -> (index) {
    agent.yield %i : index
  }
  agent.switch attributes {warps = 4 : i64, verdict = #agent.verdict<proved>} {
    agent.role @compute warps(4) at(0) {
      // expected-error@+1 {{takes dynamic work tiles in @compute, of 4 warps; one warp asks, and publishes the answers to the others [dynamic-items]}}
      agent.for_each_item (%m) in %items : !agent.items<index> {
      }
    }
  }
}

// -----

tile.kernel @no_answer(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %count = tile.dim %d, 0 : !tile.view<?x?xf32>
  %items = agent.items dynamic %i of %count -> (index) {
    agent.yield %i : index
  }
  agent.switch attributes {warps = 4 : i64, verdict = #agent.verdict<proved>} {
    agent.role @compute warps(1) at(0) {
      // expected-error@+1 {{has no place for the answer about the next work tile: code is generated after 'place-memory' [pass-order]}}
      agent.for_each_item (%m) in %items : !agent.items<index> {
      }
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<128x64xf32>>

// The one who loads sees all slots, the two who compute every other one: the phase of a slot would not tell them apart.
tile.kernel @turns(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %count = tile.dim %a, 0 : !tile.view<?x?xf32>
  %items = agent.items static %i of %count -> (index) {
    agent.yield %i : index
  }
  %p = agent.pipe "tiles" slots(2) smem : (tensor<128x64xf32>)
    {place = #agent.place<start = 0, stride = 32768, full = 65536, empty = 65552>}
  agent.switch attributes {warps = 12 : i64, verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) at(0) {
      agent.for_each_item (%m) in %items : !agent.items<index> {
        agent.produce %p by(tma) : !tiles {
          %x = tile.load %a[%m, 0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
          agent.yield %x : tensor<128x64xf32>
        }
      }
    }
    agent.role @even warps(4) at(4) {
      // expected-error@+1 {{takes one work tile in 2 and shares 'tiles' with a role that takes others; give each of these roles a pipe of its own [dynamic-items]}}
      agent.for_each_item (%m) in %items every 2 from 0 : !agent.items<index> {
        agent.consume %p as (%x) by(threads) : !tiles {
          tile.store %x, %d[%m, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
        }
      }
    }
    agent.role @odd warps(4) at(8) {
      agent.for_each_item (%m) in %items every 2 from 1 : !agent.items<index> {
        agent.consume %p as (%x) by(threads) : !tiles {
          tile.store %x, %d[%m, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
        }
      }
    }
  }
}

// -----

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x256xf32>>

tile.kernel @starts_with_one(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant dense<1.0> : tensor<128x256xf32>
  %k = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %ab = agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
    {place = #agent.place<start = 0, stride = 49152, full = 196608, empty = 196640>}
  %acc = agent.pipe "result" slots(2) tmem : (tensor<128x256xf32>)
    {place = #agent.place<start = 0, stride = 256, full = 196672, empty = 196688>}
  agent.switch attributes {warps = 8 : i64, tensor_columns = 512 : i64, tensor_address = 196704 : i64, verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) at(0) {
      scf.for %j = %c0 to %k step %c64 {
        agent.produce %ab by(tma) : !operands {
          %x = tile.load %a[0, %j] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          %y = tile.load %b[0, %j] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
          agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
        }
      }
    }
    agent.role @mma warps(1) at(1) {
      agent.produce %acc by(tensor_core) : !result {
        // expected-error@+1 {{starts an accumulator in tensor memory with a tile that is not zero, which has no code yet; start with zero and add the tile after the MMAs}}
        %sum = scf.for %j = %c0 to %k step %c64 iter_args(%s = %one) -> tensor<128x256xf32> {
          %t = agent.consume %ab as (%x, %y) by(tensor_core) : !operands -> tensor<128x256xf32> {
            %u = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
            agent.yield %u : tensor<128x256xf32>
          }
          scf.yield %t : tensor<128x256xf32>
        }
        agent.yield %sum : tensor<128x256xf32>
      }
    }
    agent.role @epilogue warps(4) at(4) {
      agent.consume %acc as (%r) by(threads) : !result {
        tile.store %r, %d[0, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x256xf32>>

tile.kernel @odd(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %ab = agent.pipe "operands" slots(2) smem scope(pair) : (tensor<128x64xbf16>, tensor<256x64xbf16>)
  %acc = agent.pipe "result" slots(1) tmem scope(pair) : (tensor<128x256xf32>)
    // expected-error@+1 {{has pairs in a cluster of [3, 2]; they are neighbors along the first dimension that has several CTAs, so it needs an even number [cta-pair]}}
  agent.switch cluster(3, 2) attributes {warps = 8 : i64, verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) at(0) {
      agent.produce %ab by(tma) : !operands {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %y = tile.load %b[0, 0] halved 0 : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
        agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
      }
    }
    agent.role @mma warps(1) at(1) scope(pair) {
      agent.produce %acc by(tensor_core) : !result {
        %next = agent.consume %ab as (%x, %y) by(tensor_core) : !operands -> tensor<128x256xf32> {
          %t = tile.mma %x, %y, %zero pair : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
          agent.yield %t : tensor<128x256xf32>
        }
        agent.yield %next : tensor<128x256xf32>
      }
    }
    agent.role @epilogue warps(4) at(4) {
      agent.consume %acc as (%r) by(threads) : !result {
      }
    }
  }
}

// -----

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x256xf32>>

tile.kernel @alone_in_a_pair(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %ab = agent.pipe "operands" slots(2) smem scope(pair) : (tensor<128x64xbf16>, tensor<256x64xbf16>)
  %acc = agent.pipe "result" slots(1) tmem scope(pair) : (tensor<128x256xf32>)
  agent.switch cluster(2, 1) attributes {warps = 8 : i64, verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) at(0) {
      agent.produce %ab by(tma) : !operands {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %y = tile.load %b[0, 0] halved 0 : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
        agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
      }
    }
    agent.role @mma warps(1) at(1) scope(pair) {
      agent.produce %acc by(tensor_core) : !result {
        %next = agent.consume %ab as (%x, %y) by(tensor_core) : !operands -> tensor<128x256xf32> {
    // expected-error@+1 {{is of one CTA, but @mma acts for a pair; say 'pair' here as well}}
          %t = tile.mma %x, %y, %zero : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
          agent.yield %t : tensor<128x256xf32>
        }
        agent.yield %next : tensor<128x256xf32>
      }
    }
    agent.role @epilogue warps(4) at(4) {
      agent.consume %acc as (%r) by(threads) : !result {
      }
    }
  }
}

// -----

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x256xf32>>

tile.kernel @pair_alone(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %ab = agent.pipe "operands" slots(2) smem scope(cta) : (tensor<128x64xbf16>, tensor<256x64xbf16>)
  %acc = agent.pipe "result" slots(1) tmem scope(cta) : (tensor<128x256xf32>)
  agent.switch cluster(2, 1) attributes {warps = 8 : i64, verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) at(0) {
      agent.produce %ab by(tma) : !operands {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %y = tile.load %b[0, 0] halved 0 : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
        agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
      }
    }
    agent.role @mma warps(1) at(1) {
      agent.produce %acc by(tensor_core) : !result {
        %next = agent.consume %ab as (%x, %y) by(tensor_core) : !operands -> tensor<128x256xf32> {
    // expected-error@+1 {{is of a pair, but @mma acts for a cta; give the role scope(pair)}}
          %t = tile.mma %x, %y, %zero pair : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
          agent.yield %t : tensor<128x256xf32>
        }
        agent.yield %next : tensor<128x256xf32>
      }
    }
    agent.role @epilogue warps(4) at(4) {
      agent.consume %acc as (%r) by(threads) : !result {
      }
    }
  }
}

// -----

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x256xf32>>

tile.kernel @whole(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %ab = agent.pipe "operands" slots(2) smem scope(pair) : (tensor<128x64xbf16>, tensor<256x64xbf16>)
  %acc = agent.pipe "result" slots(1) tmem scope(pair) : (tensor<128x256xf32>)
  agent.switch cluster(2, 1) attributes {warps = 8 : i64, verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) at(0) {
      agent.produce %ab by(tma) : !operands {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %y = tile.load %b[0, 0] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
        agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
      }
    }
    agent.role @mma warps(1) at(1) scope(pair) {
      agent.produce %acc by(tensor_core) : !result {
        %next = agent.consume %ab as (%x, %y) by(tensor_core) : !operands -> tensor<128x256xf32> {
    // expected-error@+1 {{is of a pair, whose CTAs each hold all rows and columns of A, and half of the rows of B; its loads say something else by 'halved'}}
          %t = tile.mma %x, %y, %zero pair : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
          agent.yield %t : tensor<128x256xf32>
        }
        agent.yield %next : tensor<128x256xf32>
      }
    }
    agent.role @epilogue warps(4) at(4) {
      agent.consume %acc as (%r) by(threads) : !result {
      }
    }
  }
}

// -----

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x256xf32>>

tile.kernel @half(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %ab = agent.pipe "operands" slots(2) smem scope(cta) : (tensor<128x64xbf16>, tensor<256x64xbf16>)
  %acc = agent.pipe "result" slots(1) tmem scope(cta) : (tensor<128x256xf32>)
  agent.switch cluster(2, 1) attributes {warps = 8 : i64, verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) at(0) {
      agent.produce %ab by(tma) : !operands {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %y = tile.load %b[0, 0] halved 0 : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
        agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
      }
    }
    agent.role @mma warps(1) at(1) {
      agent.produce %acc by(tensor_core) : !result {
        %next = agent.consume %ab as (%x, %y) by(tensor_core) : !operands -> tensor<128x256xf32> {
    // expected-error@+1 {{is of one CTA, which holds all of A and B; its loads say something else by 'halved'}}
          %t = tile.mma %x, %y, %zero : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
          agent.yield %t : tensor<128x256xf32>
        }
        agent.yield %next : tensor<128x256xf32>
      }
    }
    agent.role @epilogue warps(4) at(4) {
      agent.consume %acc as (%r) by(threads) : !result {
      }
    }
  }
}

// -----

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x256xf32>>

tile.kernel @part(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  %c64 = arith.constant 64 : index
  %part = tile.subview %b[0, 0] [%c64, %c64] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %ab = agent.pipe "operands" slots(2) smem scope(pair) : (tensor<128x64xbf16>, tensor<256x64xbf16>)
  %acc = agent.pipe "result" slots(1) tmem scope(pair) : (tensor<128x256xf32>)
  agent.switch cluster(2, 1) attributes {warps = 8 : i64, verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) at(0) {
      agent.produce %ab by(tma) : !operands {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        // expected-error@+1 {{is for a CTA pair and loads a subview, whose edge tiles are copied with cp.async; the leader expects the bytes of both CTAs, so TMA has to load them [pipe-scope]}}
        %y = tile.load %part[0, 0] halved 0 : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
        agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
      }
    }
    agent.role @mma warps(1) at(1) scope(pair) {
      agent.produce %acc by(tensor_core) : !result {
        %next = agent.consume %ab as (%x, %y) by(tensor_core) : !operands -> tensor<128x256xf32> {
          %t = tile.mma %x, %y, %zero pair : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
          agent.yield %t : tensor<128x256xf32>
        }
        agent.yield %next : tensor<128x256xf32>
      }
    }
    agent.role @epilogue warps(4) at(4) {
      agent.consume %acc as (%r) by(threads) : !result {
      }
    }
  }
}

// -----

tile.kernel @no_place_for_answers(%there: i1) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  agent.switch attributes {verdict = #agent.verdict<proved>, warps = 4 : i64} {
    agent.role @ask warps(1) at(0) {
      // expected-error@+1 {{has no place for the answer about the next work tile: the protocol is written out after 'place-memory' [pass-order]}}
      %next = agent.next_tile after %c0 of %c0
    }
  }
}
