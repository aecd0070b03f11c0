// A kernel that takes dynamic work tiles already stays as it is, and a remark says so.
// RUN: drawloom-opt %s --front-half 2>&1 | FileCheck %s --check-prefix=ONCE
// RUN: drawloom-opt %s --front-half -o %t.once
// RUN: drawloom-opt %t.once --front-half -o %t.twice 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: diff %t.once %t.twice

// ONCE-NOT: remark
// ONCE: agent.items dynamic
// ONCE: agent.role @scheduler
// REMARK: remark: @copy takes dynamic work tiles already; its roles stay as they are

tile.kernel @copy(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<persistent = dynamic>} {
  tile.for_each (%m, %n) tiles [64, 64] of %x : !tile.view<?x?xf32> {
    %t = tile.load %x[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    tile.store %t, %y[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}
