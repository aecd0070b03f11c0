// Messages, and the numbers of work tiles that are found at run time.
// RUN: drawloom-opt %s --convert-agent-to-nvvm --split-input-file | FileCheck %s

!work = !agent.slots<message, index, f32>

// CHECK-LABEL: llvm.func @messages
tile.kernel @messages(%i: i32, %there: i1, %m: index, %f: f32) attributes {tile.target = "sm_90a"} {
  %work = agent.slots "work" count(2) at(32) stride(16) offsets [4, 8] : !work
  agent.switch attributes {warps = 4 : i64} {
    agent.role @r warps(1) at(0) {
      // One thread of the role writes.
      // CHECK: %[[FIRST:.*]] = llvm.getelementptr %{{.*}}[32]
      // CHECK-NEXT: %[[SLOT:.*]] = llvm.getelementptr %[[FIRST]][%
      // CHECK: %[[WORD:.*]] = arith.extui %{{.*}} : i1 to i32
      // CHECK-NEXT: llvm.store %[[WORD]], %[[SLOT]] : i32
      // CHECK: llvm.getelementptr %[[SLOT]][4]
      // CHECK-NEXT: llvm.store %{{.*}} : i32
      // CHECK: llvm.getelementptr %[[SLOT]][8]
      // CHECK-NEXT: llvm.store %{{.*}} : f32
      agent.write_message %work[%i] there(%there) values(%m, %f) : !work
      // What decides where the warp goes is the same in all lanes.
      // CHECK: %[[READ:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i32
      // CHECK: %[[SAME:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[READ]]
      // CHECK: arith.cmpi ne, %[[SAME]]
      // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
      // CHECK: nvvm.shfl.sync idx
      // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
      %more, %values:2 = agent.read_message %work[%i] : !work
      agent.write_message %work[%i] there(%more) values(%values#0, %values#1) : !work
    }
  }
}

// -----

// CHECK-LABEL: llvm.func @dynamic
// CHECK-NOT: workspace_bytes
tile.kernel @dynamic() attributes {tile.target = "sm_100a"} {
  %next_full = agent.barriers "next_tile.full" count(1) arrivals(1) at(48) : !agent.barriers
  agent.switch attributes {shared_bytes = 56 : i64, warps = 4 : i64} {
    agent.role @r warps(1) at(0) {
      %c0 = arith.constant 0 : i32
      // CHECK: %[[BARRIER:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}]
      %b = agent.barrier %next_full[%c0]
      // CHECK: %[[TO:.*]] = llvm.getelementptr %{{.*}}[32]
      // CHECK-NEXT: nvvm.clusterlaunchcontrol.try.cancel %[[TO]], %[[BARRIER]]
      agent.clc_try_cancel to(32) tells %b
      // CHECK: %[[ANSWER:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> i128
      // CHECK-NEXT: %[[CANCELED:.*]] = nvvm.clusterlaunchcontrol.query.cancel query = is_canceled, %[[ANSWER]] : i1
      // A failed query has no number.
      // CHECK-NEXT: %[[NUMBER:.*]] = scf.if %[[CANCELED]] -> (i32)
      // CHECK-NEXT: nvvm.clusterlaunchcontrol.query.cancel query = get_first_cta_id_x, %[[ANSWER]] : i32
      // CHECK: } else {
      // CHECK-NEXT: arith.constant -1 : i32
      // CHECK: nvvm.shfl.sync idx %{{.*}}, %[[NUMBER]]
      %number = agent.clc_query from(32)
    }
  }
}

// -----

// CHECK-LABEL: llvm.func @counted
// CHECK-SAME: (%{{.*}}: i32, %[[COUNTER:.*]]: !llvm.ptr<1>)
// CHECK-SAME: agent.parameters = [#agent.parameter<scalar, argument = 0>]
// CHECK-SAME: agent.workspace_bytes = 4 : i64
tile.kernel @counted(%n: i32) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @r warps(1) at(0) {
      // CHECK: scf.if
      // CHECK: llvm.atomicrmw add %[[COUNTER]], %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, i32
      // CHECK: nvvm.shfl.sync idx
      %drawn = agent.atomic_next_tile
    }
  }
}

// -----

// A number for each CTA of the cluster: lane r writes to that of rank r.

// CHECK-LABEL: llvm.func @broadcast
// CHECK-SAME: (%{{.*}}: i32, %[[CTAS:.*]]: i32)
tile.kernel @broadcast(%n: index, %ctas: i32) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {shared_bytes = 36 : i64, warps = 4 : i64} {
    agent.role @r warps(1) at(0) {
      // CHECK: %[[BITS:.*]] = arith.shrui %[[CTAS]], %[[LANE:.*]] : i32
      // CHECK-NEXT: %[[MINE:.*]] = arith.trunci %[[BITS]] : i32 to i1
      // CHECK-NEXT: scf.if %[[MINE]] {
      // CHECK-NEXT: %[[TO:.*]] = llvm.getelementptr %{{.*}}[32]
      // CHECK-NEXT: %[[THERE:.*]] = nvvm.mapa %[[TO]], %[[LANE]]
      // CHECK-NEXT: llvm.store %{{.*}}, %[[THERE]] : i32, !llvm.ptr<7>
      // CHECK-NEXT: }
      agent.cluster_broadcast %n to(32) in(%ctas)
      // CHECK: %[[OWN:.*]] = llvm.getelementptr %{{.*}}[32]
      // CHECK-NEXT: %[[READ:.*]] = llvm.load %[[OWN]] : !llvm.ptr<3> -> i32
      // CHECK: nvvm.shfl.sync idx %{{.*}}, %[[READ]]
      %received = agent.cluster_receive from(32)
      agent.cluster_broadcast %received to(32) in(%ctas)
    }
  }
}
