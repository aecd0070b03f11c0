//===- AgentProtocolOps.td - The protocol, written out --- -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What `lower-pipes` makes of pipes, produces and consumes. Nothing here is
// decided: the numbers come from the plan, the order from who stands on each
// side of a pipe.

#ifndef DRAWLOOM_DIALECT_AGENT_IR_AGENTPROTOCOLOPS_TD
#define DRAWLOOM_DIALECT_AGENT_IR_AGENTPROTOCOLOPS_TD

include "drawloom/Dialect/Agent/IR/AgentOpBase.td"
include "drawloom/Dialect/Agent/IR/AgentTransferOps.td"
include "drawloom/Dialect/Agent/IR/AgentVariableOps.td"

//===----------------------------------------------------------------------===//
// Memory and barriers
//===----------------------------------------------------------------------===//

def Agent_SlotsOp : Agent_Op<"slots", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the memory of a pipe";
  let description = [{
    A ring of `count` slots. Slot i begins at `at + i * stride`, and its tiles
    `offsets` after that: bytes of shared memory, or columns of the allocation
    of tensor memory.

    ```mlir
    %operands = agent.slots "operands" count(4) at(0) stride(49152) offsets [0, 16384]
      : !agent.slots<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
    ```

    | message | why |
    |---|---|
    | has 1 offsets for 2 tiles | each tile has a place of its own |
    | has count(0); a ring has one slot or more | |
  }];
  let arguments = (ins StrAttr:$name, Agent_Number:$count, Agent_Number:$at,
                       Agent_Number:$stride, DenseI64ArrayAttr:$offsets);
  let results = (outs Res<Agent_Slots, "the ring", [MemAlloc]>:$slots);
  let assemblyFormat = [{
    $name `count` `(` $count `)` `at` `(` $at `)` `stride` `(` $stride `)`
    `offsets` $offsets attr-dict `:` qualified(type($slots))
  }];
  let hasVerifier = 1;
}

def Agent_BarriersOp : Agent_Op<"barriers", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "one end of a pipe: a barrier for each slot";
  let description = [{
    A ring of `count` mbarriers, 8 bytes apart in shared memory from `at` on.
    Every CTA has its own; `scope` says whose threads and engines may arrive at
    it. Only those of its own CTA wait for it. A phase is over after `arrivals` arrivals, and when all
    bytes have come that were expected.

    ```mlir
    %operands.full = agent.barriers "operands.full" count(4) arrivals(1) at(196608) : !agent.barriers
    ```

    Between CTAs, [`orders`](Agent.md#orderingattr) says which memory one side
    passes to the other, and with it which fences waits and arrivals need. It is
    `local` if nothing is said.

    ```mlir
    %result.empty = agent.barriers "result.empty" count(1) arrivals(8) at(65576) scope(pair) orders(execution) : !agent.barriers
    ```

    | message | why |
    |---|---|
    | has count(0); a ring has one barrier or more | |
    | has arrivals(0); a phase without arrivals never completes | |
  }];
  let arguments = (ins
    StrAttr:$name, Agent_Number:$count, Agent_Number:$arrivals,
    Agent_Number:$at,
    DefaultValuedAttr<Agent_ScopeAttr, "::drawloom::agent::Scope::cta">:$scope,
    DefaultValuedAttr<Agent_OrderingAttr,
                      "::drawloom::agent::Ordering::local">:$orders);
  let results = (outs Res<Agent_Barriers, "the ring", [MemAlloc]>:$barriers);
  let assemblyFormat = [{
    $name `count` `(` $count `)` `arrivals` `(` $arrivals `)` `at` `(` $at `)`
    `` custom<Scope>($scope) `` custom<Ordering>($orders) attr-dict `:`
    qualified(type($barriers))
  }];
  let hasVerifier = 1;
}

def Agent_SlotOp : Agent_Op<"slot", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>, Pure]> {
  let summary = "the memory of one tile of a slot";
  let description = [{
    Tile `value` of slot `index`.

    ```mlir
    %x = agent.slot %operands[%i], 0 : !agent.slots<smem, tensor<128x64xbf16>> -> !tile.buffer<128x64xbf16, smem>
    ```

    | message | why |
    |---|---|
    | is tile 1 of a slot that holds 1 | |
    | is a '!tile.buffer<64x64xbf16, smem>', but the slot holds 'tensor<128x64xbf16>' in smem | |
  }];
  let arguments = (ins Agent_Slots:$slots, I32:$index, Agent_Number:$value);
  let results = (outs Tile_Buffer:$buffer);
  let assemblyFormat = [{
    $slots `[` $index `]` `,` $value attr-dict `:` qualified(type($slots)) `->`
    qualified(type($buffer))
  }];
  let hasVerifier = 1;
}

def Agent_BarrierOp : Agent_Op<"barrier", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>, Pure]> {
  let summary = "the barrier of one slot";
  let description = [{
    ```mlir
    %full = agent.barrier %operands.full[%slot]
    ```

    With `in(%cta)` it is that of another CTA of the cluster, by its rank. Copies
    may arrive at it, if that CTA is the other one of a pair; no thread of this
    CTA waits for it.

    ```mlir
    %full = agent.barrier %operands.full[%slot] in(%leader)
    ```
  }];
  let arguments = (ins Agent_Barriers:$barriers, I32:$index,
                       Optional<I32>:$cta);
  let results = (outs Agent_Barrier:$barrier);
  let assemblyFormat =
      "$barriers `[` $index `]` (`in` `(` $cta^ `)`)? attr-dict";
}

def Agent_AdvanceOp : Agent_Op<"advance", [
    Pure, AllTypesMatch<["slot", "phase", "next", "next_phase"]>]> {
  let summary = "the next slot of a ring, and its phase";
  let description = [{
    After the last of `count` slots comes slot 0, and the phase flips.

    ```mlir
    %next, %flipped = agent.advance %slot, %phase of 4
    ```
  }];
  let arguments = (ins I32:$slot, I32:$phase, Agent_Number:$count);
  let results = (outs I32:$next, I32:$next_phase);
  let assemblyFormat = "$slot `,` $phase `of` $count attr-dict";
}

//===----------------------------------------------------------------------===//
// Waiting and arriving
//===----------------------------------------------------------------------===//

def Agent_WaitOp : Agent_Op<"wait"> {
  let summary = "waits for a phase of a barrier";
  let description = [{
    All threads of the warp go on when the phase with this parity is over. What
    the arrivals of that phase released is visible then, as far as the scope of
    the barriers reaches; of other CTAs, what the barriers order.

    ```mlir
    agent.wait %full parity(%phase)
    ```
  }];
  let arguments = (ins Agent_Barrier:$barrier, I32:$parity);
  let assemblyFormat = "$barrier `parity` `(` $parity `)` attr-dict";
}

def Agent_ArriveOp : Agent_Op<"arrive"> {
  let summary = "arrives at a barrier";
  let description = [{
    | by | who arrives | when |
    |---|---|---|
    | `threads` | one thread, for its warp | when all lanes have got here; it releases what they did |
    | `cp_async` | every warp | at once, and the phase stays open until the cp.async of its threads have landed |
    | `tensor_core` | the tensor core | when the MMAs that this warp has issued are done |

    ```mlir
    agent.arrive %empty by(tensor_core)
    ```

    The barrier is that of the own CTA. With `in`, it is the same one in every CTA
    whose rank is a bit of the number: an arrival in each.

    ```mlir
    %ctas, %place = agent.peers of [2, 1] along [0]
    agent.arrive %empty by(tensor_core) in(%ctas)
    ```

    | message | why |
    |---|---|
    | is by(tma), which arrives with its bytes; use agent.expect | |
    | is by(cp_async) in other CTAs; cp.async arrives in its own | |
  }];
  let arguments = (ins Agent_Barrier:$barrier, Agent_EngineAttr:$engine,
                       Optional<I32>:$ctas);
  let builders = [OpBuilder<(ins "::mlir::Value":$barrier,
                                 "::drawloom::agent::Engine":$engine), [{
    build($_builder, $_state, barrier, engine, ::mlir::Value());
  }]>];
  let assemblyFormat = [{
    $barrier `` custom<Engine>($engine) (`in` `(` $ctas^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Agent_SendOp : Agent_Op<"send"> {
  let summary = "writes a tile to a slot of CTAs of a cluster";
  let description = [{
    A slot holds a tile of each CTA that hands one on, `stride` bytes after each
    other, and the buffer is that of the first one. This CTA's tile is the
    `place`th; the threads write it to the slot of each of these CTAs, their own
    among them. The CTAs are those whose rank is a bit of the number in `in`, and
    their ranks are `every` apart.

    ```mlir
    %ctas, %place = agent.peers of [1, 2] along [1]
    agent.send %part to %buffer at(%place) stride(128) in(%ctas) count(2) every(1) : tensor<8xf32>, !tile.buffer<8xf32, smem, #tile.panels<32x1>>
    ```

    | message | why |
    |---|---|
    | is sent to 0 CTAs; a cluster has 1 to 16 | |
    | is a 'tensor<8xf32>', but the slot has room for '!tile.buffer<4xf32, smem>' | |
    | has stride(16), and a part has 32 bytes | parts would overlap |
  }];
  let arguments = (ins Tile_Tile:$part,
                       Arg<Tile_Buffer, "the first part of the slot", [MemWrite]>:$buffer,
                       I32:$place, Agent_Number:$stride, I32:$ctas,
                       Agent_Number:$count, Agent_Number:$every);
  let assemblyFormat = [{
    $part `to` $buffer `at` `(` $place `)` `stride` `(` $stride `)` `in` `(`
    $ctas `)` `count` `(` $count `)` `every` `(` $every `)` attr-dict `:`
    type($part) `,` qualified(type($buffer))
  }];
  let hasVerifier = 1;
}

def Agent_ExpectOp : Agent_Op<"expect"> {
  let summary = "arrives, and says how many bytes are still to come";
  let description = [{
    One thread arrives. The phase is over when `bytes` bytes have come, too: the
    copies that the same thread starts next.

    ```mlir
    agent.expect %full bytes(%bytes)
    ```
  }];
  let arguments = (ins Agent_Barrier:$barrier, I32:$bytes);
  let assemblyFormat = "$barrier `bytes` `(` $bytes `)` attr-dict";
}

def Agent_FenceOp : Agent_Op<"fence"> {
  let summary = "orders accesses of different proxies";
  let description = [{
    | fence | what it orders |
    |---|---|
    | `async` | what threads have written to shared memory, and what engines will do there |
    | `tensor_before` | accesses of tensor memory, and the arrival that comes next |
    | `tensor_after` | the wait that came before, and accesses of tensor memory |

    ```mlir
    agent.fence async
    ```
  }];
  let arguments = (ins Agent_FenceAttr:$fence);
  let assemblyFormat = "`` $fence attr-dict";
}

def Agent_DrainOp : Agent_Op<"drain"> {
  let summary = "waits for work that these threads have started";
  let description = [{
    Waits until at most the `pending` newest groups of this work go on.

    | work | a group | done means |
    |---|---|---|
    | `cp_async` | all cp.async so far | they are in shared memory |
    | `stores` | what `agent.commit_stores` ends | their slots are read |
    | `tensor_stores` | all tcgen05.st so far | they are in tensor memory |
    | `wgmma` | one `tile.mma` of a warp group | its operands are read, its accumulator is in registers |

    ```mlir
    agent.drain stores pending(1)
    ```

    | message | why |
    |---|---|
    | has pending(1), but cp_async have no groups | |
  }];
  let arguments = (ins Agent_WorkAttr:$work,
                       DefaultValuedAttr<Agent_Number, "0">:$pending);
  let assemblyFormat = "`` $work (`pending` `(` $pending^ `)`)? attr-dict";
  let hasVerifier = 1;
}

def Agent_CommitStoresOp : Agent_Op<"commit_stores"> {
  let summary = "the bulk stores so far are a group";
  let description = [{
    The bulk stores that this thread has started since the last time are one
    group, which `agent.drain stores` counts.

    ```mlir
    agent.commit_stores
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

def Agent_ElectOp : Agent_Op<"elect", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>, Pure]> {
  let summary = "whether this is the one thread that acts for others";
  let description = [{
    True in one thread of each warp, or of the role. It is always the same one,
    so it can wait for what it has started.

    ```mlir
    %one = agent.elect warp
    ```

    | message | why |
    |---|---|
    | elects a thread of the cta; roles act for a warp or for themselves | |
  }];
  let arguments = (ins Agent_ParticipantsAttr:$participants);
  let results = (outs I1:$elected);
  let assemblyFormat = "`` $participants attr-dict";
  let hasVerifier = 1;
}

def Agent_AnyOp : Agent_Op<"any", [Pure]> {
  let summary = "whether an element of a warp's is set";
  let description = [{
    True in a warp if one of its threads has an element that is set. What
    follows may depend on the part of the tile that the warp has, and on nothing
    else.

    ```mlir
    %grown = agent.any %differ : tensor<128xi1>
    ```
  }];
  let arguments = (ins Tile_Tile:$tile);
  let results = (outs I1:$any);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
}

def Agent_SyncOp : Agent_Op<"sync"> {
  let summary = "waits for all threads of a warp, a role, the CTA or the cluster";
  let description = [{
    The warps of a role synchronize at the named barrier that is the role's own, see
    `#agent.named_barrier`.

    ```mlir
    agent.sync cta
    ```
  }];
  let arguments = (ins Agent_ParticipantsAttr:$participants);
  let assemblyFormat = "`` $participants attr-dict";
}

def Agent_PeersOp : Agent_Op<"peers", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>, Pure]> {
  let summary = "the CTAs of the cluster along some of its dimensions";
  let description = [{
    `ctas` has a bit for each CTA of the cluster that differs from this one only
    along these dimensions, this one among them: bit r is the CTA of rank r. They
    are numbered, the first dimension first, and `place` is the number of this
    one. `cluster` is the CTAs of the cluster along each dimension; ranks count
    the first dimension first, too.

    ```mlir
    %ctas, %place = agent.peers of [4, 2] along [1]
    ```

    | message | why |
    |---|---|
    | is along [2], but a cluster of 2 dimensions | |
    | is of [8, 4] CTAs; a number of 16 bits names them | |
  }];
  let arguments = (ins DenseI64ArrayAttr:$cluster, DenseI64ArrayAttr:$along);
  let results = (outs I32:$ctas, I32:$place);
  let assemblyFormat = "`of` $cluster `along` $along attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Set-up and end
//===----------------------------------------------------------------------===//

def Agent_InitBarriersOp : Agent_Op<"init_barriers"> {
  let summary = "sets up barriers";
  let description = [{
    One thread of the CTA sets up all barriers of these rings, and makes them
    visible to the engines. Other threads see them after a sync of the CTA, and
    other CTAs after one of the cluster.

    ```mlir
    agent.init_barriers %operands.full, %operands.empty
    ```
  }];
  let arguments = (ins Variadic<Agent_Barriers>:$barriers);
  let assemblyFormat = "$barriers attr-dict";
}

def Agent_AllocTensorOp : Agent_Op<"alloc_tensor"> {
  let summary = "allocates tensor memory";
  let description = [{
    Warp `warp` allocates `columns` columns, puts their address at byte `to` of
    shared memory, and lets the next CTA of the SM allocate.

    ```mlir
    agent.alloc_tensor columns(512) to(213096) by_warp(7)
    ```
  }];
  let arguments = (ins Agent_Number:$columns, Agent_Number:$to, Agent_Number:$warp);
  let assemblyFormat = [{
    `columns` `(` $columns `)` `to` `(` $to `)` `by_warp` `(` $warp `)` attr-dict
  }];
}

def Agent_TensorAddressOp : Agent_Op<"tensor_address"> {
  let summary = "where the allocation of tensor memory is";
  let description = [{
    What `agent.alloc_tensor` has put at byte `from` of shared memory, after a
    sync of the CTA. Slots in tensor memory are columns from there on.

    ```mlir
    %tensor = agent.tensor_address from(213096)
    ```
  }];
  let arguments = (ins Agent_Number:$from);
  let results = (outs I32:$address);
  let assemblyFormat = "`from` `(` $from `)` attr-dict";
}

def Agent_FreeTensorOp : Agent_Op<"free_tensor"> {
  let summary = "gives tensor memory back";
  let description = [{
    ```mlir
    agent.free_tensor %tensor columns(512) by_warp(7)
    ```
  }];
  let arguments = (ins I32:$address, Agent_Number:$columns, Agent_Number:$warp);
  let assemblyFormat = [{
    $address `columns` `(` $columns `)` `by_warp` `(` $warp `)` attr-dict
  }];
}

#endif // DRAWLOOM_DIALECT_AGENT_IR_AGENTPROTOCOLOPS_TD
