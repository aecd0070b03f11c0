//===- Passes.td - Passes over the 'agent' dialect ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_TRANSFORMS_PASSES_TD
#define DRAWLOOM_DIALECT_AGENT_TRANSFORMS_PASSES_TD

include "drawloom/Dialect/Agent/Transforms/LoweringPasses.td"
include "mlir/Pass/PassBase.td"

def PlanCta : Pass<"plan-cta", "tile::KernelOp"> {
  let summary = "find the tiles that the CTAs of a cluster share";
  let description = [{
    With `cluster = [m, n]` in the schedule, m x n CTAs take as many work tiles,
    neighbors along the dimensions of the items. A tile whose offsets do not
    depend on a dimension is the same for the CTAs along it. If it is nothing but
    an operand of MMAs, each of these CTAs loads a part and hands it to all:

    ```mlir
    tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xbf16> {
      ...
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
    ```

    becomes, with `cluster = [2, 1]`,

    ```mlir
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] multicast [0] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
    ```

    No value changes. What depends on an offset is found forward, through loops,
    to a fixed point; what MMAs take, backward from them. CTAs that share a
    tile must do the same steps, so nothing is shared along a dimension that a
    loop's bounds or a branch depend on. A kernel of one CTA is not changed.

    **Pairs.** With `cta_group = 2`, two CTAs along the first dimension with
    several multiply together: all MMAs say `pair`, and each CTA loads half of
    B, by rows, or by columns where B is transposed. With `cluster = [2, 1]` the
    loop becomes

    ```mlir
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] halved 0 : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s pair : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
    ```

    In larger clusters, CTAs at the same place of their pairs have the same half
    and load it for each other.

    Each decision is a line in `tile.reasons`: "plan-cta: the 2 CTAs along
    dimension 0 of the cluster share each tile of 'b': each loads 128 of 256 rows
    for all".

    | message | why |
    |---|---|
    | cluster: 1 × 1 × 2 has 2 CTAs along dimension 2, but the work tiles of @f have 2 dimensions; a cluster takes neighboring items, so use 1 there | |
    | cluster: 2 × 1 has 2 CTAs along dimension 0, but they would share no tile that MMAs take; use 1 there | there would be nothing to gain |
    | cluster: 4 CTAs share the 24 rows of a tile of 'b', and a part is a multiple of 8 rows: 24 % (4 x 8) = 24; use fewer CTAs, or a larger tile | the swizzle of shared memory repeats after 8 rows |
    | cluster: 2 CTAs would share the tile of 'b', but TMA cannot load it, because it is padded with a number that is not zero; leave the cluster out | threads write to their own CTA |
    | kernel @f has roles already, and what CTAs share is found while a load is a load: run plan-cta before assign-roles | |
    | gathers parts of 2 work tiles along dimension 1, where the cluster has 4 CTAs; use 2 there | each CTA of the cluster gives a part |
    | gathers parts of 2 work tiles along dimension 1, which do not do the same steps; gather outside it | one would wait for what the other never gives |
    | cta_group = 2, but the two CTAs of a pair do not do the same steps; use cta_group = 1 | one of them issues for both |
    | cta_group = 2, but B of this MMA is not the same in both CTAs, because it depends on dimension 0 of the work tiles; use cta_group = 1 | |
    | 2-CTA MMA (cta_group = 2): B of this MMA is not a tile that is loaded for MMAs only; use cta_group = 1 | the tensor core reads it in both CTAs as TMA has put it there |
    | 2-CTA MMA (cta_group = 2) needs TMA for 'b', but the tile is of a subview, whose edge tiles are copied with cp.async; use cta_group = 1 | the leader announces the bytes of both CTAs |
  }];
}

def AssignRoles : Pass<"assign-roles", "tile::KernelOp"> {
  let summary = "give every operation of a work tile to a role";
  let description = [{
    Decides who does what, by rules that have names (see
    [Roles and pipes](../Roles.md)). The kernel stays a tile program; the answer
    is in attributes: `agent.roles` on the kernel, with each role's warps and
    whether TMA or its threads copy what it loads, `agent.owner` on operations,
    and `agent.owners` on loops for the values that they carry. What has no owner
    is repeated by every role that needs it: scalars, constants, masks, vectors
    that are loaded in place, transposes of operands.

    Before:

    ```mlir
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    ```

    After, for sm_100a:

    ```mlir
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] {agent.owner = @operand_load} : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] {agent.owner = @operand_load} : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s {agent.owner = @mma} : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    } {agent.owners = [@mma]}
    ```

    Where accumulators are in tensor memory, an MMA whose accumulator is not
    made by MMAs alone is taken from zero, and the rest is added after it
    (rules `starts-at-zero` and `from-zero`). Sums are then rounded in another
    order; nothing else changes what is computed.

    A program that cannot have the roles of its schedule is refused. With
    `fallback = unspecialized`, those marked below are compiled with one role
    instead, and a remark says why.

    | message | why | or one role |
    |---|---|---|
    | MMA tile is M×N×K = 96×100×40, but tcgen05.mma needs M to be a multiple of 128; use M = 128 | the tile is no multiple of an instruction that there is code for | |
    | MMA tile is M×N×K = 128×128×64 of f4E2M1FN and f4E2M1FN into f32, which wgmma on sm_90a does not have; cast the operands to a type that it has | | |
    | 'scf.if' operates on tiles, so it can't be split into warp roles | roles would have to agree before they know | yes |
    | MMA inside 'scf.if' is unsupported | without roles, too, operands in front of tensor memory need slots | |
    | 'tile.alloc' has side effects, or may have some | only loads and stores have an order | |
    | @load needs this index, which @compute computes from tiles | only tiles travel | yes |
    | an operand of this MMA is the result of another one | an accumulator is no operand | yes |
    | no role can load 'a' | TMA refuses the strides, and elements are no whole bytes | |
    | 'a' and 'c' cannot travel together | their loop levels differ | yes |
    | the number of work tiles depends on a tile that is loaded here | no role could load it | |
    | kernel @k stores nothing | there is nothing to do | |
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                       "say which rule took each decision">];
}

def FormPipes : Pass<"form-pipes", "tile::KernelOp"> {
  let summary = "cut a kernel into its roles, with a pipe for what travels between them";
  let description = [{
    Takes what assign-roles decided and cuts the kernel: each role gets its own
    copy of the item's program, without what is not its part, and every value
    that one role makes and another reads travels through a pipe. See
    [Roles and pipes](../Roles.md) for the rules about pipes.

    The example of `assign-roles` becomes:

    ```mlir
    %operands = agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
    %result = agent.pipe "result" slots(2) tmem : (tensor<128x256xf32>)
    agent.switch {
      agent.role @operand_load warps(1) {
        agent.for_each_item (%m, %n) in %items : !agent.items<index, index> {
          scf.for %k = %c0 to %K step %c64 {
            agent.produce %operands by(tma) : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> {
              %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
              %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
              agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
            }
          }
        }
      }
      agent.role @mma warps(1) {
        agent.for_each_item (%m, %n) in %items : !agent.items<index, index> {
          agent.produce %result : !agent.pipe<tmem, tensor<128x256xf32>> {
            %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
              %t = agent.consume %operands as (%x, %y) : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> -> tensor<128x256xf32> {
                %u = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
                agent.yield %u : tensor<128x256xf32>
              }
              scf.yield %t : tensor<128x256xf32>
            }
            agent.yield %acc : tensor<128x256xf32>
          }
        }
      }
      ...
    }
    ```

    The produce of a role's loads has the engine that `assign-roles` chose:
    `by(tma)`, or `by(cp_async)` if the role's threads copy. The other engines
    follow from the values (`assign-engines`).

    The loops over items become one `agent.items`. Reasons stay as `because` on
    roles and pipes.

    | message | why |
    |---|---|
    | kernel @k has no roles yet: run assign-roles before form-pipes | |
    | the schedule gives 3 slots for 'a' and 4 for 'b', but they travel in one pipe | a slot holds both |
    | slots: unknown pipe 'opearnds' on sm_100a; known: output, operands, a, b, result; did you mean 'operands'? | a name that means nothing is a mistake |
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                       "say which rule took each decision">];
}

def IssueAhead : Pass<"issue-ahead", "tile::KernelOp"> {
  let summary = "issue an MMA one iteration before its result is computed on";
  let description = [{
    On Hopper the warps that compute issue the MMAs themselves. If a loop
    computes an operand of one MMA from the result of another, the tensor
    core would wait for the threads and the threads for the tensor core. This
    pass issues the first MMA of the next iteration before the second one of
    this iteration, and the threads compute while that runs:

    ```mlir
    scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zero) -> ... {
      %s = agent.consume %K as (%k) : ... { tile.mma %q, %k, %none }
      %p = ... %s ...
      %next = agent.consume %V as (%v) lag(1) : ... { tile.mma %p, %v, %acc }
      scf.yield %next : ...
    }
    ```

    becomes

    ```mlir
    %a0, %p0 = scf.for %j = %c0 to min(%n, %c64) step %c64 iter_args(...) -> ... { the first MMA, and what is computed with it }
    %a1, %p1 = scf.for %j = %c0 to %n - %c64 step %c64 iter_args(%acc = %a0, %p = %p0) -> ... {
      %s = agent.consume %K as (%k) lag(1) : ... { tile.mma %q, %k, %none }
      %next = agent.consume %V as (%v) lag(1) : ... { tile.mma %p, %v, %acc }
      %later = ... %s ...
      scf.yield %next, %later : ...
    }
    %end = scf.for %j = %c0 to min(%n, %c64) step %c64 iter_args(%acc = %a1) -> ... { tile.mma %p1, %v, %acc }
    ```

    Every value is computed from the same operands in the same way. A pipe with
    one slot leaves no room for it, and the loop stays as it is. On Blackwell
    there is nothing to do: the role that issues the first MMA runs ahead by
    itself.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let options = [Option<"remarks", "remarks", "bool", "false",
                       "say which roles issue ahead">];
}

def AssignEngines : Pass<"assign-engines", "tile::KernelOp"> {
  let summary = "say who fills and empties the slots";
  let description = [{
    Adds `by(...)` to every `agent.produce` and `agent.consume`: which engine
    fills a slot, and which empties it (see `#agent.engine`). Barrier counts,
    bytes, the proof, the plan and the code read it from there. The passes after
    this one refuse a kernel in which an end of a pipe doesn't say it.

    | who | is chosen for | when |
    |---|---|---|
    | `tensor_core` | a produce | tcgen05 MMAs make all values of the slot, which is in tensor memory |
    | `tma` | a produce | the region loads all values; loads that TMA rejects are `by(cp_async)`, which `form-pipes` writes |
    | `tensor_core` | a consume | all values that are read go to tcgen05 MMAs and nowhere else |
    | `tma` | a consume | the region stores a value of the slot as it is |
    | `threads` | either | nothing of the above |

    All produces of a pipe have the same engine, and so have all consumes of a
    pipe in one role: a barrier counts the arrivals of one engine.

    Before:

    ```mlir
    agent.produce %ab : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> { ... }
    %t = agent.consume %ab as (%x, %y) : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> -> tensor<128x256xf32> { ... }
    ```

    After, for sm_100a:

    ```mlir
    agent.produce %ab by(tma) : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> { ... }
    %t = agent.consume %ab as (%x, %y) by(tensor_core) : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> -> tensor<128x256xf32> { ... }
    ```

    What the program specifies is kept, if the hardware can do it.

    | message | why |
    |---|---|
    | of pipe 'p' is by(tensor_core), but the warp groups of sm_90a issue MMAs and arrive themselves; use by(threads) | wgmma has no commit to an mbarrier |
    | of pipe 'p' is by(tma), but one warp starts what fills a slot, and @load has 4; use warps(1), or by(cp_async) | the code elects one thread of the role's only warp |
  }];
}

def CheckCode : Pass<"check-code", "tile::KernelOp"> {
  let summary = "refuse what there is no code for";
  let description = [{
    Asks whether there is code for every operation of a role, given where its
    tiles are, which their types say after `assign-layouts`: in slots of shared
    or tensor memory, or in registers. It changes nothing. What passes is placed, proved, and compiles; code generation asks
    the same question again of a kernel that comes to it another way.

    What doesn't depend on roles, such as types and functions, is refused before
    that, by `choose-schedule`.

    Before and after:

    ```mlir
    %part = tile.extract_slice %x [0, 64] : tensor<32x128xf32> -> tensor<32x64xf32>
    ```

    Refused, with the words:

    | what | words |
    |---|---|
    | elements without an address that would have to change threads | `takes a 'tensor<32x64xi4>' out of a 'tensor<32x128xi4>' in the registers of @compute, where elements would have to change threads: elements of 4 bits have no address; convert them to i8 first` |
    | an operand of wgmma that lies across k, of a type that has not 16 bits | `reads b, of 'f8E4M3FN', across its rows in memory; wgmma does that for 16-bit types only, so lay it out along k` |
    | rows that no bulk copy moves | `moves rows of 'tensor<1x264xf32>', which TMA can't cut into boxes of at most 256 elements that begin at a multiple of 128 bytes; use shorter rows, or a multiple of 128 bytes` |
    | a tile of more elements than a thread can have | `works on a 'tensor<128x1024xf32>', of which each thread of the 4 warps of @compute has 1024 elements, more than twice its registers: 1024 > 512; use a smaller tile` |
    | an accumulator on a tensor core of which no slot is | `is an accumulator that no slot of tensor memory is for: its loop computes more than MMAs, in a role that does, too; let MMAs have a role of their own with 'roles = multi', or in roles by hand make it in an agent.produce of a pipe in tmem` |
  }];
}

def ProveProgress : Pass<"prove-progress", "tile::KernelOp"> {
  let summary = "prove that the roles end, or refuse the plan";
  let description = [{
    Decides for all sizes that the kernel can be launched with whether its roles
    end, by the model of [ProgressModel.md](../ProgressModel.md), and leaves the
    verdict on the `agent.switch`. It changes nothing else, and may run as often
    as one likes: without register budgets it speaks of slots and lags, with them
    of registers, and after placement of tensor memory too.

    ```mlir
    agent.switch {                                // before
    agent.switch attributes {verdict = #agent.verdict<proved>} {
    ```

    A condition on the sizes is data that a launch checks: an `or` of `and`s of
    intervals, and for each size how it follows from the shapes of the arguments
    (argument 0, dimension 1).

    ```mlir
    verdict = #agent.verdict<proved_if, words = "ceil(dim 0 of k / 128) >= 1",
      condition = [[#agent.bound<size = 1, min = 1>], [#agent.bound<size = 0, max = 0>]],
      sizes = [#agent.size<name = "work tiles">,
               #agent.size<name = "ceil(dim 0 of k / 128)", of = [array<i64: 1, 0>],
                           value = affine_map<()[s0] -> (s0 ceildiv 128)>>]>
    ```

    | verdict | what happens |
    |---|---|
    | proved | the attribute |
    | proved if | the attribute, and a remark with the condition and what happens otherwise |
    | deadlock | an error with the smallest sizes that show it, a note at each wait that is part of it, and what would help: `with slots(4) for 'residual' it is proved` |
    | undecided | a warning that names the construct, or with `undecided-is-error` an error |

    ```
    error: deadlock in @linear with work tiles = 1, ceil(dim 1 of a / 64) = 1
    note: @load waits for slot 0 of 'residual' to be empty (phase 0), work tile 0: @compute must release it
    note: @compute waits for slot 0 of 'operands' to be full (phase 0), work tile 0: @load must fill it
    ```
  }];
  let options = [
    Option<"undecidedIsError", "undecided-is-error", "bool", "false",
           "refuse what the model does not decide">,
    Option<"onlyTensorMemory", "only-tensor-memory", "bool", "false",
           "only kernels that allocate tensor memory, which can block">,
  ];
}

def MapExecutionUnits : Pass<"map-execution-units", "tile::KernelOp"> {
  let summary = "give each role its warps";
  let description = [{
    Roles of less than four warps, which issue copies and MMAs, share warp
    groups; the others start at a multiple of four, because setmaxnreg, wgmma and
    the lanes of tensor memory go by groups of four warps. Small roles with
    different `registers` get different groups. Of the others, those of three
    and two warps are placed first, and each goes to the first group with room,
    so that the holes are as few as can be. The total is padded to four, and
    the warps that are left over are recorded.

    ```mlir
    agent.switch {
      agent.role @load warps(1) { ... }
      agent.role @mma warps(1) { ... }
      agent.role @epilogue warps(4) { ... }
    }
    ```
    becomes
    ```mlir
    agent.switch attributes {holes = array<i64: 2, 3>, warps = 8 : i64} {
      agent.role @load warps(1) at(0) { ... }
      agent.role @mma warps(1) at(1) { ... }
      agent.role @epilogue warps(4) at(4) { ... }
    }
    ```

    Places that the program gives are kept and checked. It refuses:

    | message | why |
    |---|---|
    | role @epilogue has 2 warps, but a warp accesses 32 of the 128 lanes of tensor memory, from lane 32 * (warp mod 4) on; use warps(4) | some lanes would be out of reach |
    | role @compute starts at warp 2, but wgmma is issued by the four warps of a warp group together; it must start at a multiple of four: use at(4) or leave all places out | |
    | kernel @two has 2 switches, and its warps take their roles once; put the roles of both into one switch, or each switch into a kernel of its own | the second one would not run |
    | the roles of kernel @k are inside 'scf.for', and its warps take their roles once; put the loop or the branch into the roles | |
    | 'tile.store' comes after the roles of kernel @k, and nothing runs when they have ended; put it into a role, or into a kernel of its own | what has no effect may stand there |
    | the roles take 30 warps, 40 with the holes that warp groups leave: 40 × 32 = 1280 threads > 1024 of a CTA on sm_100a; give the roles fewer warps | |
  }];
}

def AssignLayouts : Pass<"assign-layouts", "tile::KernelOp"> {
  let summary = "say which thread has which element of each tile";
  let description = [{
    A tile in registers gets a layout as a part of its type; a tile in a slot
    has none. Where threads read a slot, there is a `tile.convert_layout` after
    this pass. Constants, splats and iotas stand where they are used, a load
    once for each layout that a use needs, and tiles that are made before the
    roles in each role that uses them. Layouts from an earlier run are made
    anew.

    ```mlir
    agent.consume %sum as (%x) by(threads) : !sum {                          // before
      %y = arith.truncf %x : tensor<128x64xf32> to tensor<128x64xbf16>

    agent.consume %sum as (%x) by(threads) : !sum {                          // after
      %0 = tile.convert_layout %x : tensor<128x64xf32> -> tensor<128x64xf32, #layout>
      %y = arith.truncf %0 : tensor<128x64xf32, #layout> to tensor<128x64xbf16, #layout>
    ```

    | of which roles | the layouts |
    |---|---|
    | whose warp groups issue MMAs | the accumulator of a wgmma |
    | that read or write tensor memory | rows of tcgen05.ld: a lane has a row |
    | all others | 16 bytes in a thread, then lanes and warps along the rows of the largest tile |

    | message | why |
    |---|---|
    | works on a 'tensor<4x4x4xf32>' in @compute: a tile of rank 3 has no layout in registers | |
    | works on a 'tensor<128x32xf32>' in @epilogue: 12 warps cannot share 128 rows: neither is a multiple of 3 | |
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
}

def SizePipes : Pass<"size-pipes", "tile::KernelOp"> {
  let summary = "give each pipe as many slots as memory holds";
  let description = [{
    `form-pipes` gives a pipe the slots of its kind. Here it is known what a slot
    takes, and what roles keep in shared and tensor memory beside the pipes; and
    each pipe that the schedule leaves open gets what fits:

    ```mlir
    %ab = agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
    %out = agent.pipe "output" slots(2) smem : (tensor<128x32xf32>)
    ```
    becomes
    ```mlir
    %ab = agent.pipe "operands" slots(6) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
    %out = agent.pipe "output" slots(2) smem : (tensor<128x32xf32>)
    ```

    | memory | pipes | slots |
    |---|---|---|
    | tensor memory | all | the slots of their kind; if these don't fit, one, and results of MMAs two as far as they fit, in the order of the program, unless two tiles are interleaved |
    | shared memory | loaded ahead: by a loop, but for one over subtiles, or in a kernel without MMAs | what the others leave, the same number for all, up to eight |
    | | loaded once for a work tile | two; where loads ahead would get fewer than four slots otherwise, one, and two if memory is left |
    | | others | the slots of their kind |

    Where that does not fit, every open pipe has one slot, and `place-memory` has
    the numbers. A consumer keeps no slot (`lag`) of a pipe that has only one. A
    plan whose loads run less than four slots ahead is planned again with narrower
    subtiles or a smaller tile, if the program leaves them open (`fit-plans`).
  }];
}

def BudgetRegisters : Pass<"budget-registers", "tile::KernelOp"> {
  let summary = "divide the registers among the warp groups";
  let description = [{
    Roles that compute no tile get 40 registers a thread, or less where the
    others need it; those that compute get what their tiles take and an equal
    share of the rest. What a tile takes, its layout says: a vector along columns
    may be whole in every thread. The sum stays within what the CTA enters with, and that
    number is recorded: it belongs into the kernel's header (`.maxnreg`), without
    which ptxas ignores setmaxnreg. It is large enough for the widest instruction,
    too, as ptxas demands. Budgets that the program gives are kept and checked.

    ```mlir
    agent.switch {
      agent.role @load warps(1) at(0) { ... }
      agent.role @compute warps(8) at(4) { ... }
    }
    ```
    becomes
    ```mlir
    agent.switch attributes {entry_registers = 168 : i64} {
      agent.role @load warps(1) registers(40) at(0) { ... }
      agent.role @compute warps(8) registers(232) at(4) { ... }
    }
    ```

    It warns where a budget of the program is below the tiles that the role
    holds, and refuses:

    | message | why |
    |---|---|
    | role @compute carries tiles through its loops that take 256 registers in each of its 128 threads, the largest 'tensor<128x256xf32>'; with 104 for addresses and work in progress that is 360 > 248; use warps(8) or a smaller tile | an accumulator of wgmma stays in registers |
    | registers: @load 40 × 128 threads + @compute 248 × 256 threads = 68608 > 168 × 384 = 64512, the most that 384 threads can enter with on sm_90a; setmaxnreg.inc would deadlock: lower a budget, or leave registers(n) out | |
    | role @compute has an instruction of 128 registers, with which each thread has to enter with 160: 160 × 512 threads = 81920 > 65536 on sm_90a; give the roles fewer warps, or use a tile of fewer columns | ptxas compiles it with no less (C7602) |
    | role @load has no warps yet; budgets go by warp groups, so run map-execution-units first | |
  }];
}

def PlaceMemory : Pass<"place-memory", "tile::KernelOp"> {
  let summary = "place slots and barriers in shared and tensor memory";
  let description = [{
    Gives every pipe its slots, and every slot its full and its empty barrier;
    and a role room for operands and results of its MMAs that are in no pipe
    (`#agent.scratch`). Tiles start where the pattern of their swizzle starts. A staging pipe, which
    one role fills and stores from, lies on the bytes of another pipe only where
    that one is provably no longer used; the pipe's reasons say why or why not.

    ```mlir
    %ab = agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
    %acc = agent.pipe "result" slots(2) tmem : (tensor<128x256xf32>)
    ```
    becomes
    ```mlir
    %ab = agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
      {place = #agent.place<start = 0, stride = 49152, full = 196608, empty = 196640>}
    %acc = agent.pipe "result" slots(2) tmem : (tensor<128x256xf32>)
      {place = #agent.place<start = 0, stride = 256, full = 196672, empty = 196688>}
    ```

    It refuses:

    | message | why |
    |---|---|
    | shared memory: operands: 4 slots × 48 KiB + bias: 2 slots × 16 KiB + output: 2 slots × 16 KiB + barriers and messages: 164 B = 256.2 KiB > 227 KiB on sm_100a; 3 slots of operands fit | |
    | tensor memory: result: 3 slots × 256 columns = 768 > 512 columns on sm_100a; 2 slots of result fit | |
    | pipe 'result' is in tensor memory, which sm_90a does not have; use smem | |
    | role @compute keeps 384 KiB of its MMAs' operands in shared memory > 227 KiB on sm_90a; use a smaller tile | a role that loads operands itself needs room for them |
    | role @compute keeps 1024 columns of its MMAs' results in tensor memory > 512 on sm_100a; use a smaller tile | the same for results that go into no pipe |
    | 16 roles reduce tiles across their warps, each with a named barrier of its own: 16 + 1 of the CTA = 17 > 16 on sm_90a; reduce in fewer roles, or in roles of one warp | the warps of a role synchronize at one |
    | operands outside pipes and barriers take 256 KiB > 227 KiB on sm_90a; use a smaller tile or fewer slots | the same of several roles |
  }];
}

#endif // DRAWLOOM_DIALECT_AGENT_TRANSFORMS_PASSES_TD
