// RUN: drawloom-opt %s --convert-agent-to-nvvm --split-input-file --verify-diagnostics

// expected-error@+1 {{has no roles: code is generated behind 'form-pipes'}}
tile.kernel @no_roles(%D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
}

// -----

// expected-error@+1 {{has no target: code is generated behind 'choose-schedule'}}
tile.kernel @no_target(%D: !tile.view<?x?xf32>) {
  agent.switch {
    agent.role @epilogue warps(4) {
    }
  }
}

// -----

tile.kernel @not_placed(%D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  // expected-error@+1 {{is not placed: code is generated behind 'place-memory'}}
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
