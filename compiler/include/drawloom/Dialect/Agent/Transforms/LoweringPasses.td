//===- LoweringPasses.td - From a plan to what code needs -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Passes over kernels that are proved and placed. A part of Passes.td.

#ifndef DRAWLOOM_DIALECT_AGENT_TRANSFORMS_LOWERINGPASSES_TD
#define DRAWLOOM_DIALECT_AGENT_TRANSFORMS_LOWERINGPASSES_TD

include "mlir/Pass/PassBase.td"

def LowerWorkTiles : Pass<"lower-work-tiles", "tile::KernelOp"> {
  let summary = "loops over work tiles become loops over numbers";
  let description = [{
    A role that knows its work tiles beforehand counts: CTA c of C takes the
    numbers c, c + C, ... What `agent.items` says of a number stands in the loop.

    ```mlir
    agent.role @load warps(1) at(0) {                                    // before
      agent.for_each_item (%m) in %items : !agent.items<index> {
        agent.produce %operands by(tma) : !agent.pipe<smem, tensor<128x64xbf16>> { ... }
      }
    }

    agent.role @load warps(1) at(0) {                                    // after
      %cta = gpu.block_id x
      %ctas = gpu.grid_dim x
      scf.for %i = %cta to %count step %ctas {
        %m = arith.muli %i, %c128 : index
        agent.produce %operands by(tma) : !agent.pipe<smem, tensor<128x64xbf16>> { ... }
      }
    }
    ```

    Where work tiles are found at run time, the loop is an `scf.while` that asks
    whether there is one. The role that finds them publishes them, the end too;
    the others receive them, and take theirs if roles take turns.

    ```mlir
    scf.while (%number = %cta) : (index) -> (index, index) {
      %there = arith.cmpi ult, %number, %count : index
      %m = scf.if %there -> (index) { ... }
      agent.publish %work there(%there) values(%m) : !agent.pipe<message, index>
      scf.condition(%there) %number, %m : index, index
    } do {
    ^bb0(%number: index, %m: index):
      ...
      %next = agent.next_tile after %number of %count
      agent.sync warp
      scf.yield %next : index
    }
    ```

    With the work tiles goes what roles know from having the same ones, and from
    taking only one. So two things are said here. A role that reads an
    accumulator of MMAs computes from its own work tile whether the mainloop ran,
    and takes zeros if it did not; check-code has asked whether it can:

    ```mlir
    agent.consume %result as (%r) by(threads) : !agent.pipe<tmem, tensor<128x256xf32>> {
      %runs = arith.cmpi slt, %c0, %k : index
      %sum = agent.or_zero %r if(%runs) : tensor<128x256xf32>
      ...
    }
    ```

    And the warps of a role synchronize before they write to the bytes of a pipe
    that they have read, which `place-memory` has given to another one.

    What runs is what was proved: a switch that `prove-progress` has not proved
    deadlock-free is rejected, unless `unproved` asks for its code. A condition
    that the sizes of a launch decide goes into the description of the kernel,
    and the launch checks it.

    It refuses, besides what has no code yet, by name:

    | message | why |
    |---|---|
    | has no verdict on deadlock freedom: code is generated after 'prove-progress'; pass --unproved to compile it anyway | |
    | is not proved deadlock-free: undecided, 'scf.if' around something that can block at ... | |
    | is deadlock-free only if ceil(table[0] / 64) >= 1, which depends on tensor contents and can't be checked at launch | the condition is on what is loaded, or differs between items |
    | takes dynamic work tiles in @compute, of 4 warps; one warp asks, and publishes the answers to the others | |
    | has no place for the answer about the next work tile: code is generated after 'place-memory' | |
    | reads an accumulator, and @epilogue can't know whether the mainloop ran: its trip count depends on more than the tile index, and may be 0; make it depend on the tile index only, or peel one MMA | an accumulator of no MMAs is not in its slot |
  }];
  let options = [
    Option<"unproved", "unproved", "bool", "false",
           "lower roles that are not proved deadlock-free">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect",
    "::mlir::scf::SCFDialect",
  ];
}

def AssignSlotPhase : Pass<"assign-slot-phase", "tile::KernelOp"> {
  let summary = "give each end of a pipe a variable for its next slot";
  let description = [{
    The role that fills a pipe, and each role that empties it, goes round its
    slots. Where it is, slot and phase, becomes a variable of the role, which
    whatever takes a slot reads and advances. So slots are counted and never
    computed from the number of an iteration, and loops don't know of them.

    ```mlir
    agent.role @mma warps(1) at(1) {                                     // before
      agent.produce %result by(tensor_core) : !agent.pipe<tmem, tensor<128x256xf32>> {
        %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
          %t = agent.consume %operands as (%x, %y) by(tensor_core) : ... { ... }
          scf.yield %t : tensor<128x256xf32>
        }
        agent.yield %sum : tensor<128x256xf32>
      }
    }

    agent.role @mma warps(1) at(1) {                                     // after
      %operands.empties = agent.variable "operands.empties" [0, 0]
      %result.fills = agent.variable "result.fills" [0, 1]
      agent.produce %result at(%result.fills) by(tensor_core) : !agent.pipe<tmem, tensor<128x256xf32>> {
        %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
          %t = agent.consume %operands as (%x, %y) at(%operands.empties) by(tensor_core) : ... { ... }
          scf.yield %t : tensor<128x256xf32>
        }
        agent.yield %sum : tensor<128x256xf32>
      }
    }
    ```

    | message | why |
    |---|---|
    | has work tiles: slots are assigned after 'lower-work-tiles' | its messages take slots, too |
  }];
}

def LowerPipes : Pass<"lower-pipes", "tile::KernelOp"> {
  let summary = "write the protocol of the pipes out";
  let description = [{
    Pipes become memory and barriers. A produce or consume becomes what is done
    to them: waits, arrivals and fences, in the order that the engines on both
    sides ask for. The variables of slots and phases become values that loops
    carry. What happens before the roles start and after they have ended is said.
    After this pass there are no pipes, produces and consumes.

    ```mlir
    agent.role @load warps(1) at(0) {                                    // before
      %operands.fills = agent.variable "operands.fills" [0, 1]
      scf.for %i = %first to %count step %step {
        %m = arith.muli %i, %c128 : index
        agent.produce %operands at(%operands.fills) by(tma) : !agent.pipe<smem, tensor<128x64xbf16>> {
          %x = tile.load %a[%m, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
          agent.yield %x : tensor<128x64xbf16>
        }
      }
    }

    agent.role @load warps(1) at(0) {                                    // after
      %one = agent.elect warp
      %0:2 = scf.for %i = %first to %count step %step iter_args(%slot = %c0, %phase = %c1) -> (i32, i32) {
        %m = arith.muli %i, %c128 : index
        %full = agent.barrier %operands.full[%slot]
        %empty = agent.barrier %operands.empty[%slot]
        agent.wait %empty parity(%phase)
        %next, %next_phase = agent.advance %slot, %phase of 4
        scf.if %one {
          agent.expect %full bytes(%c16384)
          %x = agent.slot %operands[%slot], 0 : !agent.slots<smem, tensor<128x64xbf16>> -> !tile.buffer<128x64xbf16, smem>
          agent.load %a[%m, 0] dims [0, 1] pad(0.0 : bf16) to %x by(tma) tells %full
            : !tile.view<?x64xbf16>, !tile.buffer<128x64xbf16, smem>
        }
        scf.yield %next, %next_phase : i32, i32
      }
    }
    ```

    The role that finds work tiles at run time tells all others; here with
    cluster launch control:

    ```mlir
    agent.publish %work at(%work.fills) there(%there) values(%m) : !agent.pipe<message, index>   // before
    %next = agent.next_tile after %number of %count at(%next_tile)

    agent.wait %empty parity(%phase)                                                             // after
    agent.write_message %work[%slot] there(%there) values(%m) : !agent.slots<message, index>
    agent.arrive %full by(threads)

    scf.if %one {
      agent.expect %answer bytes(%c16)
      agent.clc_try_cancel to(213072) tells %answer
    }
    agent.wait %answer parity(%answer_phase)
    %next = agent.clc_query from(213072)
    agent.fence async
    ```

    An accumulator that no MMA has written is zeroed where MMAs would have
    written it, once, so that no read of it asks again:

    ```mlir
    %t = tile.read %acc[0, 0] : !tile.buffer<128x256xf32, tmem> -> tensor<128x256xf32>   // before
    %sum = agent.or_zero %t if(%runs) : tensor<128x256xf32>

    %empty = arith.xori %runs, %true : i1                                                // after
    scf.if %empty {
      tile.write %zeros, %acc[0, 0] : tensor<128x32xf32, #rows>, !tile.buffer<128x256xf32, tmem>
      ...
      agent.drain tensor_stores
      agent.fence tensor_before
      agent.sync role
      agent.fence tensor_after
    }
    %sum = tile.read %acc[0, 0] : !tile.buffer<128x256xf32, tmem> -> tensor<128x256xf32>
    ```

    [CodeGeneration](../CodeGeneration.md#slots-and-barriers) has the table of
    who waits for what and tells whom. If the last thing that the tensor core
    does for a role is to release a slot, the role that fills the slot ends with
    a wait for it: a kernel must not leave while an arrival is on its way.

    It refuses, besides what has no code yet, by name:

    | message | why |
    |---|---|
    | has no slot: the protocol is written out after 'assign-slot-phase' | |
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect",
    "::mlir::scf::SCFDialect",
  ];
}

def ScheduleWgmma : Pass<"schedule-wgmma", "tile::KernelOp"> {
  let summary = "say which MMAs of warp groups are in flight where";
  let description = [{
    MMAs of wgmma run on while the threads go on. After this pass an MMA
    gives an accumulator in flight, which no operation can read: `agent.await`
    gives the tile, where it is read, where a loop can't carry it in flight, or
    where a slot is released that the MMA reads. MMAs on tcgen05 have been made
    `agent.multiply` before, and are unchanged.

    ```mlir
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<64x256xf32>) {   // before
      %t = tile.mma %x, %y, %s : tensor<64x64xbf16>, tensor<256x64xbf16> -> tensor<64x256xf32>
      agent.drain wgmma pending(1)
      scf.yield %t : tensor<64x256xf32>
    }
    agent.drain wgmma

    %start = agent.as_in_flight %zero : tensor<64x256xf32>                                            // after
    %flying = scf.for %k = %c0 to %K step %c64 iter_args(%s = %start) -> (!agent.in_flight<tensor<64x256xf32>>) {
      %t = agent.issue %x, %y onto %s
        : tensor<64x64xbf16>, tensor<256x64xbf16>, !agent.in_flight<tensor<64x256xf32>> -> !agent.in_flight<tensor<64x256xf32>>
      agent.await pending(1)
      scf.yield %t : !agent.in_flight<tensor<64x256xf32>>
    }
    %sum = agent.await %flying : !agent.in_flight<tensor<64x256xf32>> -> tensor<64x256xf32>
    ```

    MMAs of 8 bits, whose accumulators threads add up, stay `tile.mma`: they are
    done when the operation is over.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def UnrollSlices : Pass<"unroll-slices", "tile::KernelOp"> {
  let summary = "unroll loops that cut tiles in registers";
  let description = [{
    Registers can't be indexed at run time. A loop that cuts a tile in registers
    at its own count becomes its iterations, one after the other, each with the
    count as a constant. Loops over columns of tensor memory stay: those are
    addresses. So do loops whose bounds are data, or that have more steps than
    a tile has registers: their slices go through memory.

    ```mlir
    scf.for %j = %c0 to %c64 step %c32 {                                                // before
      %x = tensor.extract_slice %sum[0, %j] [128, 32] [1, 1]
        : tensor<128x64xf32, #layout> to tensor<128x32xf32, #layout1>
      tile.store %x, %d[%m, %j] : tensor<128x32xf32, #layout1>, !tile.view<?x?xf32>
    }

    %j0 = arith.constant 0 : index                                                      // after
    %x0 = tensor.extract_slice %sum[0, %j0] [128, 32] [1, 1]
      : tensor<128x64xf32, #layout> to tensor<128x32xf32, #layout1>
    tile.store %x0, %d[%m, %j0] : tensor<128x32xf32, #layout1>, !tile.view<?x?xf32>
    %j1 = arith.constant 32 : index
    %x1 = tensor.extract_slice %sum[0, %j1] [128, 32] [1, 1]
      : tensor<128x64xf32, #layout> to tensor<128x32xf32, #layout1>
    tile.store %x1, %d[%m, %j1] : tensor<128x32xf32, #layout1>, !tile.view<?x?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def BranchOnMasks : Pass<"branch-on-masks", "tile::KernelOp"> {
  let summary = "compute masks of positions for edge tiles only";
  let description = [{
    A mask that compares positions with sizes is set everywhere in most tiles.
    The positions of a tile lie between two sums of scalars; where these say that
    the mask is set, neither it nor the choice is computed.

    ```mlir
    %mask = arith.cmpi slt, %positions, %sizes : tensor<128x64xi32>                     // before
    %0 = arith.select %mask, %x, %y : tensor<128x64xi1>, tensor<128x64xf32>

    %last = arith.addi %j, %c63 : i64                                                   // after
    %inside = arith.cmpi slt, %last, %size : i64
    %0 = scf.if %inside -> (tensor<128x64xf32>) {
      scf.yield %x : tensor<128x64xf32>
    } else {
      %mask = arith.cmpi slt, %positions, %sizes : tensor<128x64xi32>
      %1 = arith.select %mask, %x, %y : tensor<128x64xi1>, tensor<128x64xf32>
      scf.yield %1 : tensor<128x64xf32>
    }
    ```

    Positions are `tile.iota` plus and minus scalars; masks are signed comparisons
    of such sums of 32 bits, their conjunctions and disjunctions. The condition
    includes that no sum wraps around. Masks of which a thread has less than 64
    elements are left as they are.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def BranchOnFactors : Pass<"branch-on-factors", "tile::KernelOp"> {
  let summary = "scale an accumulator only where a factor isn't 1";
  let description = [{
    An online softmax scales the rows of its accumulator between two MMAs by
    factors that are 1 unless the running maximum has grown. Each warp looks at
    the factors of its rows, and multiplies where one of them isn't 1.

    ```mlir
    %sums = agent.await %flight : !agent.in_flight<tensor<128x128xf32>> -> tensor<128x128xf32>   // before
    %all = tile.broadcast %factors : tensor<128x1xf32> -> tensor<128x128xf32>
    %0 = arith.mulf %sums, %all : tensor<128x128xf32>

    %differ = arith.cmpf une, %factors, %ones : tensor<128x1xf32>                                // after
    %any = agent.any %differ : tensor<128x1xi1>
    %0 = scf.if %any -> (tensor<128x128xf32>) {
      %all = tile.broadcast %factors : tensor<128x1xf32> -> tensor<128x128xf32>
      %1 = arith.mulf %sums, %all : tensor<128x128xf32>
      scf.yield %1 : tensor<128x128xf32>
    } else {
      scf.yield %sums : tensor<128x128xf32>
    }
    ```

    That is for accumulators in registers, which `agent.await` gives, on their
    way to the next MMAs. Those in tensor memory are scaled by `lower-pipes`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def AccessMemory : Pass<"access-memory", "tile::KernelOp"> {
  let summary = "say where threads read memory, and what MMAs read";
  let description = [{
    After this pass every tile is in registers, and memory is buffers: threads
    read a buffer where they need the elements, and an MMA takes the buffer
    that its operand is in.

    ```mlir
    %x = tile.read %slot[0, 0] : !tile.buffer<128x64xf32, tmem> -> tensor<128x64xf32>   // before
    %0 = tile.convert_layout %x : tensor<128x64xf32> -> tensor<128x64xf32, #layout>

    %0 = tile.read %slot[0, 0] : !tile.buffer<128x64xf32, tmem> -> tensor<128x64xf32, #layout>  // after
    ```

    | before | after |
    |---|---|
    | a transpose of what an MMA reads | `tile.transpose_view` of the buffer |
    | columns of a tile in tensor memory | offsets of the read |
    | an operand that threads have | they write it to scratch memory: wait for the MMAs that read it before, synchronize, write, fence, synchronize |
    | an MMA whose accumulator threads add | `agent.add_mma`, with how many columns at a time |

    A tile in shared memory is read once where one read is enough, one in tensor
    memory anew for each use: loads are cheaper than all of its columns in
    registers.

    Roles whose warps synchronize get an `#agent.named_barrier`.

    | message | why |
    |---|---|
    | multiplies what takes 4 KiB of scratch memory; it has 0 B: run 'place-memory' | |
    | multiplies a 'tensor<128x64xbf16, #layout>' that is neither in memory nor has scratch memory to go to | |
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "tile::TileDialect"
  ];
}

def StageConversions : Pass<"stage-conversions", "::mlir::ModuleOp"> {
  let summary = "layouts that are more than one step apart, step by step";
  let description = [{
    A conversion in which elements change warps goes through scratch: shared
    memory in a layout without bank conflicts on either side, chosen by the two
    layouts (docs/Layouts.md has the arithmetic). So does a slice of a
    tile in registers whose elements are in other threads. The warps synchronize
    before it is read, and again before a thread may write to it, at the role's
    `#agent.named_barrier`.

    ```mlir
    %1 = tile.convert_layout %0 : tensor<128x64xf32, #a> -> tensor<128x64xf32, #b>                    // before

    %scratch = tile.alloc at(65536) : !tile.buffer<128x64xf32, smem, #swizzled>                       // after
    tile.write %0, %scratch[0, 0] : tensor<128x64xf32, #a>, !tile.buffer<128x64xf32, smem, #swizzled>
    agent.sync role
    %1 = tile.read %scratch[0, 0] : !tile.buffer<128x64xf32, smem, #swizzled> -> tensor<128x64xf32, #b>
    agent.sync role
    ```

    What stays in its warp stays a `tile.convert_layout`. Scratch is where the
    role's named barrier has its parts.

    | message | why |
    |---|---|
    | needs 32768 bytes of scratch to convert a 'tensor<...>', but has 1024 from byte 65536 on | |
    | has layouts that nothing leads between: the layouts are of different tiles | |
  }];
  let dependentDialects = ["tile::TileDialect"];
}

#endif // DRAWLOOM_DIALECT_AGENT_TRANSFORMS_LOWERINGPASSES_TD
