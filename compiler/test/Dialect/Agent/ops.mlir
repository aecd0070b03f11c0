// Every operation and type, through the custom and the generic syntax.
// RUN: drawloom-opt %s -allow-unregistered-dialect | drawloom-opt -allow-unregistered-dialect | FileCheck %s
// RUN: drawloom-opt %s -allow-unregistered-dialect -mlir-print-op-generic | drawloom-opt -allow-unregistered-dialect | FileCheck %s
// RUN: drawloom-opt %s -allow-unregistered-dialect -emit-bytecode | drawloom-opt -allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: func private @types(
// CHECK-SAME: !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16, "layout">>
// CHECK-SAME: !agent.pipe<tmem, tensor<128x256xf32>>
// CHECK-SAME: !agent.pipe<message, index, i32, f32>
// CHECK-SAME: !agent.pipe<message>
// CHECK-SAME: !agent.items<index, index>
func.func private @types(
  !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16, "layout">>,
  !agent.pipe<tmem, tensor<128x256xf32>>,
  !agent.pipe<message, index, i32, f32>,
  !agent.pipe<message>,
  !agent.items<index, index>)

// CHECK-LABEL: func @attributes
// CHECK-NEXT: "t.scopes"() {all = [#agent.scope<cta>, #agent.scope<pair>, #agent.scope<cluster>]}
// CHECK-NEXT: "t.streams"() {all = [#agent.stream<static>, #agent.stream<dynamic>]}
func.func @attributes() {
  "t.scopes"() {all = [#agent.scope<cta>, #agent.scope<pair>, #agent.scope<cluster>]} : () -> ()
  "t.streams"() {all = [#agent.stream<static>, #agent.stream<dynamic>]} : () -> ()
  return
}

// CHECK-LABEL: func @pipe
func.func @pipe() {
  // CHECK-NEXT: %operands = agent.pipe "operands" slots(4) smem : (tensor<8x4xbf16>, tensor<16x4xbf16>)
  %0 = agent.pipe "operands" slots(4) smem : (tensor<8x4xbf16>, tensor<16x4xbf16>)
  // CHECK-NEXT: %result = agent.pipe "result" slots(2) tmem scope(pair) : (tensor<8x16xf32>)
  %1 = agent.pipe "result" slots(2) tmem scope(pair) : (tensor<8x16xf32>)
  // CHECK-NEXT: %work = agent.pipe "work" slots(1) message scope(cluster) : (index, i1)
  %2 = agent.pipe "work" slots(1) message scope(cluster) : (index, i1)
  // CHECK-NEXT: %two_words = agent.pipe "two words" slots(1) message : () {note}
  %3 = agent.pipe "two words" slots(1) message scope(cta) : () {note}
  agent.switch cluster(2) {
    agent.role @both warps(1) {
      agent.produce %0 : !agent.pipe<smem, tensor<8x4xbf16>, tensor<16x4xbf16>> {
        %x, %y = "t.load"() : () -> (tensor<8x4xbf16>, tensor<16x4xbf16>)
        agent.yield %x, %y : tensor<8x4xbf16>, tensor<16x4xbf16>
      }
      agent.produce %1 : !agent.pipe<tmem, tensor<8x16xf32>> {
        %x = "t.mma"() : () -> tensor<8x16xf32>
        agent.yield %x : tensor<8x16xf32>
      }
      agent.produce %2 : !agent.pipe<message, index, i1> {
        %i, %last = "t.next"() : () -> (index, i1)
        agent.yield %i, %last : index, i1
      }
      agent.produce %3 : !agent.pipe<message> {
      }
      agent.consume %0, %1, %2, %3 as (%x, %y, %r, %i, %last) : !agent.pipe<smem, tensor<8x4xbf16>, tensor<16x4xbf16>>,
          !agent.pipe<tmem, tensor<8x16xf32>>, !agent.pipe<message, index, i1>, !agent.pipe<message> {
      }
    }
  }
  return
}

// CHECK-LABEL: func @produce_and_consume
func.func @produce_and_consume(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = agent.pipe "a" slots(2) smem : (tensor<4xf32>, tensor<8xf32>)
  %b = agent.pipe "b" slots(2) smem : (tensor<4xf32>)
  %go = agent.pipe "go" slots(2) message : ()
  agent.switch {
    agent.role @producer warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        // CHECK: agent.produce %a : !agent.pipe<smem, tensor<4xf32>, tensor<8xf32>> {
        // CHECK-NEXT: %[[XY:.+]]:2 = "t.load"
        // CHECK-NEXT: agent.yield %[[XY]]#0, %[[XY]]#1 : tensor<4xf32>, tensor<8xf32>
        // CHECK-NEXT: }
        agent.produce %a : !agent.pipe<smem, tensor<4xf32>, tensor<8xf32>> {
          %x, %y = "t.load"() : () -> (tensor<4xf32>, tensor<8xf32>)
          agent.yield %x, %y : tensor<4xf32>, tensor<8xf32>
        }
        agent.produce %b : !agent.pipe<smem, tensor<4xf32>> {
          %x = "t.load"() : () -> tensor<4xf32>
          agent.yield %x : tensor<4xf32>
        }
        // CHECK: agent.produce %go attributes {note} : !agent.pipe<message> {
        // CHECK-NEXT: }
        agent.produce %go attributes {note} : !agent.pipe<message> {
        }
      }
    }
    agent.role @consumer warps(4) {
      scf.for %i = %c0 to %n step %c1 {
        // CHECK: %[[R:.+]]:2 = agent.consume %a as (%[[X:.+]], %[[Y:.+]]) lag(1) attributes {note} : !agent.pipe<smem, tensor<4xf32>, tensor<8xf32>> -> (tensor<4xf32>, f32) {
        // CHECK-NEXT: %[[S:.+]] = "t.sum"(%[[Y]])
        // CHECK-NEXT: agent.yield %[[X]], %[[S]] : tensor<4xf32>, f32
        // CHECK-NEXT: }
        %r:2 = agent.consume %a as (%x, %y) lag(1) attributes {note} : !agent.pipe<smem, tensor<4xf32>, tensor<8xf32>> -> (tensor<4xf32>, f32) {
          %s = "t.sum"(%y) : (tensor<8xf32>) -> f32
          agent.yield %x, %s : tensor<4xf32>, f32
        }
        // CHECK: agent.consume %b, %go as (%[[Z:.+]]) : !agent.pipe<smem, tensor<4xf32>>, !agent.pipe<message> {
        // CHECK-NEXT: "t.store"(%[[Z]], %[[R]]#0, %[[R]]#1)
        // CHECK-NEXT: }
        agent.consume %b, %go as (%z) lag(0) : !agent.pipe<smem, tensor<4xf32>>, !agent.pipe<message> {
          "t.store"(%z, %r#0, %r#1) : (tensor<4xf32>, tensor<4xf32>, f32) -> ()
        }
      }
    }
  }
  return
}

// CHECK-LABEL: func @switch_and_role
func.func @switch_and_role() {
  // CHECK-NEXT: agent.switch {
  // CHECK-NEXT: agent.role @plain warps(1) {
  // CHECK-NEXT: "t.work"
  // CHECK-NEXT: }
  // CHECK-NEXT: }
  agent.switch {
    agent.role @plain warps(1) scope(cta) {
      "t.work"() : () -> ()
    }
  }
  // CHECK-NEXT: agent.switch cluster(2, 1) items(cluster) attributes {note} {
  // CHECK-NEXT: agent.role @a warps(1) registers(40) at(0) scope(pair) attributes {note} {
  // CHECK-NEXT: }
  // CHECK-NEXT: agent.role @"b c" warps(8) registers(232) at(4) scope(cluster) {
  // CHECK-NEXT: }
  // CHECK-NEXT: }
  agent.switch cluster(2, 1) items(cluster) attributes {note} {
    agent.role @a warps(1) registers(40) at(0) scope(pair) attributes {note} {
    }
    agent.role @"b c" warps(8) registers(232) at(4) scope(cluster) {
    }
  }
  // CHECK-NEXT: agent.switch {
  // CHECK-NEXT: }
  agent.switch {
  }
  return
}

// CHECK-LABEL: func @items
func.func @items(%count: index, %table: memref<?xindex>) {
  // CHECK-NEXT: %items = agent.items static %[[I:.+]] of %{{.+}} -> (index) {
  // CHECK-NEXT: agent.yield %[[I]] : index
  // CHECK-NEXT: }
  %all = agent.items static %i of %count -> (index) {
    agent.yield %i : index
  }
  // CHECK-NEXT: %items_0 = agent.items dynamic %[[I:.+]] of %{{.+}} attributes {note} -> (index, i32) {
  // CHECK-NEXT: %[[X:.+]] = memref.load %{{.+}}[%[[I]]]
  // CHECK-NEXT: %[[Y:.+]] = arith.index_cast %[[X]]
  // CHECK-NEXT: agent.yield %[[X]], %[[Y]] : index, i32
  // CHECK-NEXT: }
  %tiles = agent.items dynamic %i of %count attributes {note} -> (index, i32) {
    %x = memref.load %table[%i] : memref<?xindex>
    %y = arith.index_cast %x : index to i32
    agent.yield %x, %y : index, i32
  }
  %work = agent.pipe "work" slots(2) message : (index, i32)
  agent.switch {
    agent.role @a warps(1) {
      // CHECK: agent.for_each_item (%[[I:.+]]) in %items every 2 from 1 : !agent.items<index> {
      // CHECK-NEXT: "t.use"(%[[I]])
      // CHECK-NEXT: }
      agent.for_each_item (%i) in %all every 2 from 1 : !agent.items<index> {
        "t.use"(%i) : (index) -> ()
      }
      // CHECK-NEXT: agent.for_each_item (%{{.+}}) in %items attributes {note} : !agent.items<index> {
      agent.for_each_item (%i) in %all every 1 from 0 attributes {note} : !agent.items<index> {
      }
    }
    agent.role @scheduler warps(1) {
      // CHECK: agent.for_each_item (%[[X:.+]], %[[Y:.+]]) in %items_0 publish %work : !agent.items<index, i32>, !agent.pipe<message, index, i32> {
      // CHECK-NEXT: "t.use"(%[[X]], %[[Y]])
      agent.for_each_item (%x, %y) in %tiles publish %work : !agent.items<index, i32>, !agent.pipe<message, index, i32> {
        "t.use"(%x, %y) : (index, i32) -> ()
      }
    }
    agent.role @b warps(1) {
      // CHECK: agent.for_each_item (%{{.+}}, %{{.+}}) in %work every 3 from 2 : !agent.pipe<message, index, i32> {
      agent.for_each_item (%x, %y) in %work every 3 from 2 : !agent.pipe<message, index, i32> {
      }
    }
  }
  return
}

// Work tiles that are numbers.
// CHECK-LABEL: func @messages
// CHECK-SAME: (%[[N:.*]]: index, %[[THERE:.*]]: i1, %[[X:.*]]: i32)
func.func @messages(%n: index, %there: i1, %x: i32) {
  %work = agent.pipe "work" slots(2) message : (index, i32)
  agent.switch cluster(2) {
    agent.role @a warps(1) {
      // CHECK: agent.publish %work there(%[[THERE]]) values(%[[N]], %[[X]]) : !agent.pipe<message, index, i32>
      agent.publish %work there(%there) values(%n, %x) : !agent.pipe<message, index, i32>
      // CHECK: %next = agent.next_tile after %[[N]] of %[[N]]
      %next = agent.next_tile after %n of %n
    }
    agent.role @b warps(1) scope(pair) {
      // CHECK: %there:3 = agent.receive %work : !agent.pipe<message, index, i32>
      %more, %values:2 = agent.receive %work : !agent.pipe<message, index, i32>
      // CHECK: %leads = agent.leads
      %leads = agent.leads
    }
  }
  return
}

// Variables, and what reads and advances them.
// CHECK-LABEL: func @variables
func.func @variables(%n: index, %there: i1, %x: i32) {
  %work = agent.pipe "work" slots(2) message : (index, i32)
  %go = agent.pipe "go" slots(2) message : ()
  agent.switch {
    agent.role @a warps(1) {
      // CHECK: %work.fills = agent.variable "work.fills" [0, 1]
      %fills = agent.variable "work.fills" [0, 1]
      // CHECK-NEXT: %go.fills = agent.variable "go.fills" [0, 1]
      %go_fills = agent.variable "go.fills" [0, 1]
      // CHECK-NEXT: %{{.*}}:2 = agent.get %work.fills : i32, i32
      %slot, %phase = agent.get %fills : i32, i32
      // CHECK-NEXT: agent.set %work.fills, %{{.*}}#1, %{{.*}}#0 : i32, i32
      agent.set %fills, %phase, %slot : i32, i32
      // CHECK-NEXT: agent.publish %work at(%work.fills) there(%{{.*}}) values(%{{.*}}, %{{.*}}) : !agent.pipe<message, index, i32>
      agent.publish %work at(%fills) there(%there) values(%n, %x) : !agent.pipe<message, index, i32>
      // CHECK-NEXT: agent.produce %go at(%go.fills) by(threads) : !agent.pipe<message> {
      agent.produce %go at(%go_fills) by(threads) : !agent.pipe<message> {
      }
      // CHECK: agent.next_tile after %{{.*}} of %{{.*}} at(%go.fills)
      %next = agent.next_tile after %n of %n at(%go_fills)
    }
    agent.role @b warps(1) {
      %empties = agent.variable "work.empties" [0, 0]
      %go_empties = agent.variable "go.empties" [0, 0]
      // CHECK: agent.receive %work at(%work.empties) : !agent.pipe<message, index, i32>
      %more, %values:2 = agent.receive %work at(%empties) : !agent.pipe<message, index, i32>
      // CHECK-NEXT: agent.consume %go at(%go.empties) lag(1) by(threads) : !agent.pipe<message> {
      agent.consume %go at(%go_empties) lag(1) by(threads) : !agent.pipe<message> {
      }
    }
  }
  return
}

// The names of roles are for their switch only: a role can still call a
// function.
func.func private @helper()

// CHECK-LABEL: func @call
func.func @call() {
  agent.switch {
    agent.role @helper warps(1) {
      // CHECK: call @helper() : () -> ()
      func.call @helper() : () -> ()
    }
  }
  return
}

// A barrier that names its threads can be one role's own, and outside the
// switch all threads arrive.
// CHECK-LABEL: func @barriers
func.func @barriers(%id: i32, %threads: i32) {
  gpu.barrier
  agent.switch {
    agent.role @a warps(4) {
      // CHECK: nvvm.barrier id = %{{.+}} number_of_threads = %{{.+}}
      nvvm.barrier id = %id number_of_threads = %threads
    }
  }
  nvvm.barrier0
  return
}
