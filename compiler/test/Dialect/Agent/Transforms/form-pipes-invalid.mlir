// form-pipes takes what assign-roles leaves behind, and nothing else.
// RUN: drawloom-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(form-pipes))'

// expected-error @below {{kernel @none has no roles yet: run assign-roles before form-pipes [pass-order]}}
tile.kernel @none(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) attributes {tile.target = "sm_90a"} {
}

// -----

tile.kernel @owner(%x: !tile.view<?xf32>) attributes {
    tile.target = "sm_90a", agent.roles = [#agent.owner<name = "all", warps = 4, because = []>]} {
  // expected-error @below {{belongs to @missing, which is none of the kernel's roles [role-owner]}}
  %c0 = arith.constant {agent.owner = @missing} 0 : index
}

// -----

tile.kernel @count(%x: !tile.view<?xf32>) attributes {
    tile.target = "sm_90a", agent.roles = [#agent.owner<name = "all", warps = 4, because = []>]} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{names 2 owners for 1 carried values [role-owner]}}
  %0 = scf.for %i = %c0 to %c0 step %c0 iter_args(%s = %c0) -> index {
    scf.yield %s : index
  } {agent.owners = [@all, @all]}
}

// -----

tile.kernel @carried(%x: !tile.view<?xf32>) attributes {
    tile.target = "sm_90a", agent.roles = [#agent.owner<name = "all", warps = 4, because = []>]} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{carries a value of @missing, which is none of the kernel's roles [role-owner]}}
  %0 = scf.for %i = %c0 to %c0 step %c0 iter_args(%s = %c0) -> index {
    scf.yield %s : index
  } {agent.owners = [@missing]}
}

// -----

// assign-roles gives stores to one view to one role. By hand they may be of two.
tile.kernel @two_roles(%a: !tile.view<?x64xf32>, %d: !tile.view<?x64xf32>) attributes {
    tile.target = "sm_90a",
    agent.roles = [#agent.owner<name = "one", warps = 4, because = []>, #agent.owner<name = "other", warps = 4, because = []>]} {
  tile.for_each (%m, %n) tiles [64, 64] of %d : !tile.view<?x64xf32> {
    %x = tile.load %a[%m, %n] {agent.owner = @one} : !tile.view<?x64xf32> -> tensor<64x64xf32>
    // expected-note @+1 {{the other store is here}}
    tile.store %x, %d[%m, %n] {agent.owner = @one} : tensor<64x64xf32>, !tile.view<?x64xf32>
    %y = tile.load %a[%m, %n] {agent.owner = @other} : !tile.view<?x64xf32> -> tensor<64x64xf32>
    // expected-error @+1 {{stores to 'd' where another store may write, too: @other does this one and @one the other, side by side, so that nothing says which comes last; store each element once, or use 'roles = none' [store-race]}}
    tile.store %y, %d[%m, %n] {agent.owner = @other} : tensor<64x64xf32>, !tile.view<?x64xf32>
  }
}
