// A staging pipe on the bytes of another pipe: the role has read that one, but
// each warp knows so of itself only. They meet before one of them writes.
// RUN: drawloom-opt %s --front-half --lower-work-tiles --assign-slot-phase --lower-pipes | FileCheck %s
// RUN: drawloom-opt %s --front-half | sed 's/persistent = none/persistent = static/' \
// RUN:   | not drawloom-opt --assign-layouts --lower-work-tiles --assign-slot-phase --lower-pipes 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: drawloom-opt %s --front-half | sed 's/reuses = "x"/reuses = "z"/' \
// RUN:   | not drawloom-opt --assign-layouts --lower-work-tiles --assign-slot-phase --lower-pipes 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: agent.slots "x" {{.*}} at(0)
// CHECK: agent.slots "output" {{.*}} at(0)
// CHECK: agent.role @compute warps(4)
// CHECK: tile.read %x
// CHECK: agent.arrive %empty by(threads)
// CHECK: agent.sync role
// CHECK: tile.write {{.*}}, %output
// MANY: 'agent.pipe' op takes the bytes of 'x', but a CTA takes more than one work tile, so slots of 'x' may be in flight for the next one; run 'place-memory'
// NONE: 'agent.pipe' op takes the bytes of 'z', but only a pipe that one role fills and empties can, of a pipe that is there; run 'place-memory'

tile.kernel @negate(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<persistent = none>} {
  tile.for_each (%m, %n) tiles [64, 64] of %x : !tile.view<?x?xf32> {
    %t = tile.load %x[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %u = arith.negf %t : tensor<64x64xf32>
    tile.store %u, %y[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}
