// RUN: drawloom-opt %s --hoist-invariants | FileCheck %s

func.func private @copy(i32)
func.func private @read(i32) -> vector<64xf32>
func.func private @write(vector<64xf32>, i32)

// No tiles: what does not change is computed once, in front of both loops.
// CHECK-LABEL: func.func @copies
// CHECK:         %[[SUM:.*]] = arith.addi %arg0, %arg0
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-NOT:         arith.addi
// CHECK:             call @copy(%[[SUM]])
func.func @copies(%at: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %k = %c0 to %n step %c1 {
      %sum = arith.addi %at, %at : i32
      func.call @copy(%sum) : (i32) -> ()
    }
  }
  return
}

// Tiles, and as many iterations as it takes: no register more.
// CHECK-LABEL: func.func @softmax
// CHECK:         scf.for
// CHECK:           %[[SUM:.*]] = arith.addi %arg0, %arg0
// CHECK:           call @read(%[[SUM]])
func.func @softmax(%at: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %sum = arith.addi %at, %at : i32
    %tile = func.call @read(%sum) : (i32) -> vector<64xf32>
    func.call @write(%tile, %sum) : (vector<64xf32>, i32) -> ()
  }
  return
}

// Four subtiles of an epilogue, in a loop over work tiles: once for a work tile.
// CHECK-LABEL: func.func @epilogue
// CHECK:         scf.for
// CHECK:           %[[SUM:.*]] = arith.addi %arg0, %arg0
// CHECK:           scf.for
// CHECK-NEXT:        call @read(%[[SUM]])
func.func @epilogue(%at: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %sum = arith.addi %at, %at : i32
      %tile = func.call @read(%sum) : (i32) -> vector<64xf32>
      func.call @write(%tile, %sum) : (vector<64xf32>, i32) -> ()
    }
  }
  return
}
