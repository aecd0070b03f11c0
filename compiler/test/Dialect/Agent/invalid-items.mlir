// What work tiles and their loops refuse, with the words.
// RUN: drawloom-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics -o /dev/null

// Roles that divide the work tiles.
func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  // expected-error@below {{pipe 'p': @a produces item 1 of every 2, which no role consumes}}
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      agent.for_each_item (%i) in %items : !agent.items<index> {
        agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
          %x = "t.load"() : () -> tensor<4xf32>
          agent.yield %x : tensor<4xf32>
        }
      }
    }
    agent.role @b warps(1) {
      agent.for_each_item (%i) in %items every 2 from 0 : !agent.items<index> {
        agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
        }
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  // expected-error@below {{pipe 'p': @a produces item 0 of every 1000000000000, which no role consumes}}
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      agent.for_each_item (%i) in %items : !agent.items<index> {
        agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
          %x = "t.load"() : () -> tensor<4xf32>
          agent.yield %x : tensor<4xf32>
        }
      }
    }
    agent.role @b warps(1) {
      agent.for_each_item (%i) in %items every 1000000000000 from 7 : !agent.items<index> {
        agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
        }
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  // expected-error@below {{pipe 'p': @b would consume item 1 of every 2, which @a does not produce}}
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      agent.for_each_item (%i) in %items every 2 from 0 : !agent.items<index> {
        agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
          %x = "t.load"() : () -> tensor<4xf32>
          agent.yield %x : tensor<4xf32>
        }
      }
    }
    agent.role @b warps(1) {
      agent.for_each_item (%i) in %items : !agent.items<index> {
        agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
        }
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  // expected-error@below {{pipe 'p': of every 2 items, item 0 goes to @b and @c and item 1 to @b; each item needs the same number of consumers}}
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      agent.for_each_item (%i) in %items : !agent.items<index> {
        agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
          %x = "t.load"() : () -> tensor<4xf32>
          agent.yield %x : tensor<4xf32>
        }
      }
    }
    agent.role @b warps(1) {
      agent.for_each_item (%i) in %items : !agent.items<index> {
        agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
        }
      }
    }
    agent.role @c warps(1) {
      agent.for_each_item (%i) in %items every 2 from 0 : !agent.items<index> {
        agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
        }
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  // expected-error@below {{pipe 'p': @b takes one of every 2 items and @c one of every 3; roles that share a pipe divide the items by the same number}}
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      agent.for_each_item (%i) in %items : !agent.items<index> {
        agent.produce %p : !agent.pipe<smem, tensor<4xf32>> {
          %x = "t.load"() : () -> tensor<4xf32>
          agent.yield %x : tensor<4xf32>
        }
      }
    }
    agent.role @b warps(1) {
      agent.for_each_item (%i) in %items every 2 from 0 : !agent.items<index> {
        agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
        }
      }
    }
    agent.role @c warps(1) {
      agent.for_each_item (%i) in %items every 3 from 0 : !agent.items<index> {
        agent.consume %p as (%x) : !agent.pipe<smem, tensor<4xf32>> {
        }
      }
    }
  }
  return
}

// -----

// Work tiles.
func.func @f(%n: index) {
  // expected-error@below {{'agent.items' op expects a region with one argument, the number of the work tile, of type index}}
  %items = "agent.items"(%n) <{stream = #agent.stream<static>}> ({
    agent.yield %n : index
  }) : (index) -> !agent.items<index>
  return
}

// -----

func.func @f(%n: index) {
  // expected-error@below {{'agent.items' op gives its items to 't.use'; only agent.for_each_item takes them}}
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  // expected-note@below {{the user is here}}
  "t.use"(%items) : (!agent.items<index>) -> ()
  return
}

// -----

func.func @f(%n: index) {
  // expected-error@below {{'agent.items' op has two roles, @a and @b, that fetch tiles from the dynamic scheduler; exactly one may, and it must publish them through a pipe}}
  %items = agent.items dynamic %i of %n -> (index) {
    agent.yield %i : index
  }
  agent.switch {
    agent.role @a warps(1) {
      agent.for_each_item (%i) in %items : !agent.items<index> {
      }
    }
    agent.role @b warps(1) {
      agent.for_each_item (%i) in %items : !agent.items<index> {
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %items = agent.items dynamic %i of %n -> (index) {
    agent.yield %i : index
  }
  agent.switch cluster(2, 2) items(cluster) {
    agent.role @a warps(1) {
      // expected-error@below {{'agent.for_each_item' op takes dynamic items of a cluster of 4 CTAs in @a, which acts for a cta; it needs scope(cluster)}}
      agent.for_each_item (%i) in %items : !agent.items<index> {
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  // expected-error@below {{'agent.for_each_item' op is not inside an 'agent.role'}}
  agent.for_each_item (%i) in %items : !agent.items<index> {
  }
  return
}

// -----

func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  agent.switch {
    agent.role @a warps(1) {
      // expected-note@below {{the other one is here}}
      agent.for_each_item (%i) in %items : !agent.items<index> {
        // expected-error@below {{'agent.for_each_item' op is inside another one; a role takes one item at a time}}
        agent.for_each_item (%j) in %items : !agent.items<index> {
        }
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  agent.switch {
    agent.role @a warps(1) {
      // expected-error@below {{'agent.for_each_item' op takes every 0 from 0; the first item is below the period, and the period is at least 1}}
      agent.for_each_item (%i) in %items every 0 from 0 : !agent.items<index> {
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  agent.switch {
    agent.role @a warps(1) {
      // expected-error@below {{'agent.for_each_item' op takes every 2 from 2; the first item is below the period, and the period is at least 1}}
      agent.for_each_item (%i) in %items every 2 from 2 : !agent.items<index> {
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  agent.switch {
    agent.role @a warps(1) {
      // expected-error@below {{'agent.for_each_item' op takes every 2 from -1; the first item is below the period, and the period is at least 1}}
      agent.for_each_item (%i) in %items every 2 from -1 : !agent.items<index> {
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  %w = agent.pipe "w" slots(2) message : (index)
  agent.switch {
    agent.role @s warps(1) {
      // expected-error@below {{'agent.for_each_item' op publishes only every 2 items; who publishes a stream takes all of it}}
      agent.for_each_item (%i) in %items publish %w every 2 from 0 : !agent.items<index>, !agent.pipe<message, index> {
      }
    }
    agent.role @a warps(1) {
      agent.for_each_item (%i) in %w : !agent.pipe<message, index> {
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  agent.switch {
    agent.role @a warps(1) {
      // expected-error@below {{names 2 values, but an item is (index)}}
      agent.for_each_item (%i, %j) in %items : !agent.items<index> {
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  agent.switch {
    agent.role @a warps(1) {
      // expected-error@below {{'agent.for_each_item' op has block arguments (), but an item is (index)}}
      "agent.for_each_item"(%items) ({
        agent.yield
      }) : (!agent.items<index>) -> ()
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  agent.switch {
    agent.role @a warps(1) {
      // expected-error@below {{expects a stream of work tiles or a pipe, not 'index'}}
      agent.for_each_item (%i) in %n : index {
      }
    }
  }
  return
}

// -----

func.func @f(%w: !agent.pipe<message, index>) {
  agent.switch {
    agent.role @a warps(1) {
      // expected-error@below {{'agent.for_each_item' op expects the result of an 'agent.pipe' in front of it}}
      agent.for_each_item (%i) in %w : !agent.pipe<message, index> {
      }
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  %w = agent.pipe "w" slots(2) message : (index, index)
  agent.switch {
    agent.role @s warps(1) {
      // expected-error@below {{'agent.for_each_item' op publishes items (index), but pipe 'w' carries (index, index)}}
      agent.for_each_item (%i) in %items publish %w : !agent.items<index>, !agent.pipe<message, index, index> {
      }
    }
    agent.role @a warps(1) {
      agent.for_each_item (%i, %j) in %w : !agent.pipe<message, index, index> {
      }
    }
  }
  return
}

// -----

func.func @f() {
  %s = agent.pipe "s" slots(2) smem : (tensor<4xf32>)
  %t = agent.pipe "t" slots(2) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      // expected-error@below {{'agent.for_each_item' op uses pipe 's' in smem; work tiles travel in a message}}
      agent.for_each_item (%i) in %s publish %t : !agent.pipe<smem, tensor<4xf32>>, !agent.pipe<smem, tensor<4xf32>> {
      }
      agent.for_each_item (%i) in %t publish %s : !agent.pipe<smem, tensor<4xf32>>, !agent.pipe<smem, tensor<4xf32>> {
      }
    }
  }
  return
}

// -----

func.func @f(%there: i1, %x: tensor<4xf32>) {
  %p = agent.pipe "p" slots(1) smem : (tensor<4xf32>)
  agent.switch {
    agent.role @a warps(1) {
      // expected-error@below {{'agent.publish' op is of pipe 'p' in smem; work tiles travel in a message}}
      agent.publish %p there(%there) values(%x) : !agent.pipe<smem, tensor<4xf32>>
    }
    agent.role @b warps(1) {
      %more, %y = agent.receive %p : !agent.pipe<smem, tensor<4xf32>>
    }
  }
  return
}

// -----

func.func @f() {
  %p = agent.pipe "p" slots(1) message : (index)
  // expected-error@below {{'agent.receive' op of pipe 'p' is not inside an 'agent.role'}}
  %there, %i = agent.receive %p : !agent.pipe<message, index>
  return
}

// -----

func.func @f() {
  agent.switch cluster(2) {
    agent.role @a warps(1) {
      // expected-error@below {{'agent.leads' op is not inside an 'agent.role' with scope(pair)}}
      %leads = agent.leads
    }
  }
  return
}
