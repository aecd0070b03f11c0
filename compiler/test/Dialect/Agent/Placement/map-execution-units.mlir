// RUN: drawloom-opt %s -pass-pipeline='builtin.module(tile.kernel(assign-engines,map-execution-units))' | FileCheck %s

!signal = !agent.pipe<message>

// Small roles share a warp group, the others start at a multiple of four.
// CHECK-LABEL: tile.kernel @small_roles_share
tile.kernel @small_roles_share() attributes {tile.target = "sm_100a"} {
  %p = agent.pipe "p" slots(1) message : ()
  // CHECK: agent.switch
  // CHECK-SAME: holes = array<i64: 2, 3>
  // CHECK-SAME: warps = 8 : i64
  agent.switch {
    // CHECK: agent.role @load warps(1) at(0)
    // CHECK-SAME: #agent.reason<"execution-unit", "warp 0 in warp group 0, which small roles share
    agent.role @load warps(1) {
      agent.produce %p : !signal {
      }
    }
    // CHECK: agent.role @epilogue warps(4) at(4)
    // CHECK-SAME: #agent.reason<"execution-unit", "warps 4 to 7, from a multiple of four
    agent.role @epilogue warps(4) {
      agent.consume %p : !signal {
      }
    }
    // CHECK: agent.role @mma warps(1) at(1)
    agent.role @mma warps(1) {
      agent.consume %p : !signal {
      }
    }
  }
}

// A role of two or three warps stays in one group; the total is padded.
// CHECK-LABEL: tile.kernel @no_role_straddles
tile.kernel @no_role_straddles() attributes {tile.target = "sm_90a"} {
  %p = agent.pipe "p" slots(1) message : ()
  // CHECK: agent.switch
  // CHECK-SAME: holes = array<i64: 3, 6, 7>
  // CHECK-SAME: warps = 8 : i64
  agent.switch {
    // CHECK: agent.role @a warps(3) at(0)
    agent.role @a warps(3) {
      agent.produce %p : !signal {
      }
    }
    // CHECK: agent.role @b warps(2) at(4)
    agent.role @b warps(2) {
      agent.consume %p : !signal {
      }
    }
  }
}

// Roles of three warps come first, and those of one fill the holes: two groups,
// where the order of the program would take three. Equals keep their order.
// CHECK-LABEL: tile.kernel @holes_are_filled
tile.kernel @holes_are_filled() attributes {tile.target = "sm_90a"} {
  %p = agent.pipe "p" slots(1) message : ()
  // CHECK: agent.switch
  // CHECK-SAME: holes = array<i64>
  // CHECK-SAME: warps = 8 : i64
  agent.switch {
    // CHECK: agent.role @a warps(1) at(3)
    agent.role @a warps(1) {
      agent.produce %p : !signal {
      }
    }
    // CHECK: agent.role @b warps(3) at(0)
    agent.role @b warps(3) {
      agent.consume %p : !signal {
      }
    }
    // CHECK: agent.role @c warps(1) at(7)
    agent.role @c warps(1) {
      agent.consume %p : !signal {
      }
    }
    // CHECK: agent.role @d warps(3) at(4)
    agent.role @d warps(3) {
      agent.consume %p : !signal {
      }
    }
  }
}

// A role of eight warps starts at the next group, whatever its number: twelve
// warps, not sixteen.
// CHECK-LABEL: tile.kernel @eight_warps
tile.kernel @eight_warps() attributes {tile.target = "sm_90a"} {
  %p = agent.pipe "p" slots(1) message : ()
  // CHECK: agent.switch
  // CHECK-SAME: holes = array<i64: 1, 2, 3>
  // CHECK-SAME: warps = 12 : i64
  agent.switch {
    // CHECK: agent.role @load warps(1) at(0)
    agent.role @load warps(1) {
      agent.produce %p : !signal {
      }
    }
    // CHECK: agent.role @compute warps(8) at(4)
    agent.role @compute warps(8) {
      agent.consume %p : !signal {
      }
    }
  }
}

// setmaxnreg holds for a whole group: other budgets, other groups.
// CHECK-LABEL: tile.kernel @budgets_divide_groups
tile.kernel @budgets_divide_groups() attributes {tile.target = "sm_90a"} {
  %p = agent.pipe "p" slots(1) message : ()
  // CHECK: agent.switch
  // CHECK-SAME: holes = array<i64: 2, 3, 5, 6, 7>
  agent.switch {
    // CHECK: agent.role @a warps(1) registers(40) at(0)
    agent.role @a warps(1) registers(40) {
      agent.produce %p : !signal {
      }
    }
    // CHECK: agent.role @b warps(1) registers(56) at(4)
    agent.role @b warps(1) registers(56) {
      agent.consume %p : !signal {
      }
    }
    // CHECK: agent.role @c warps(1) registers(40) at(1)
    agent.role @c warps(1) registers(40) {
      agent.consume %p : !signal {
      }
    }
  }
}

// Places by hand are kept.
// CHECK-LABEL: tile.kernel @by_hand
tile.kernel @by_hand() attributes {tile.target = "sm_90a"} {
  %p = agent.pipe "p" slots(1) message : ()
  // CHECK: agent.switch
  // CHECK-SAME: holes = array<i64: 0, 1, 3>
  // CHECK-SAME: warps = 8 : i64
  agent.switch {
    // CHECK: agent.role @a warps(1) at(2)
    // CHECK-SAME: #agent.reason<"execution-unit", "warp 2, as the program says
    agent.role @a warps(1) at(2) {
      agent.produce %p : !signal {
      }
    }
    // CHECK: agent.role @b warps(4) at(4)
    agent.role @b warps(4) at(4) {
      agent.consume %p : !signal {
      }
    }
  }
}
