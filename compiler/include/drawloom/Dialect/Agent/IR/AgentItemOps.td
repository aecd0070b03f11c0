//===- AgentItemOps.td - Work tiles ---------------------- -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_IR_AGENTITEMOPS_TD
#define DRAWLOOM_DIALECT_AGENT_IR_AGENTITEMOPS_TD

include "drawloom/Dialect/Agent/IR/AgentOpBase.td"

//===----------------------------------------------------------------------===//
// agent.items
//===----------------------------------------------------------------------===//

def Agent_ItemsOp : Agent_Op<"items", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    Pure, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "the work tiles of a kernel, in order";
  let description = [{
    Numbers the work tiles from 0 to `count` and says, in one place for all
    roles, what an item is: the region maps the number to the item's values.

    ```mlir
    %items = agent.items static %i of %count -> (index, index) {
      %mn:2 = affine.delinearize_index %i into (%tiles_m, %tiles_n) : index, index
      %m = arith.muli %mn#0, %c128 : index
      %n = arith.muli %mn#1, %c256 : index
      agent.yield %m, %n : index, index
    }
    ```

    The order in which tiles are visited, the slices of a split k and the groups
    of a grouped MMA are all arithmetic in this region. Memory that it reads
    must not change while the kernel runs.

    With `static` every cluster knows its items from its own number. With
    `dynamic` the hardware hands them out at run time; then one role asks for
    them and publishes them through a pipe, so that all roles see the same
    answer (see `agent.for_each_item`).
  }];
  let arguments = (ins Agent_StreamAttr:$stream, Index:$count);
  let results = (outs Agent_ItemStream:$items);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::drawloom::agent::Stream":$stream,
                                 "::mlir::Value":$count, "::mlir::TypeRange":$item,
                                 "::drawloom::agent::BodyBuilder":$body)>];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// agent.for_each_item
//===----------------------------------------------------------------------===//

def Agent_ForEachItemOp : Agent_RegionOp<"for_each_item", [
    DeclareOpInterfaceMethods<LoopLikeOpInterface, ["getLoopInductionVars"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "runs a role's body for each work tile";
  let description = [{
    Runs the region once for each work tile that the cluster takes, in order,
    with the item's values as block arguments. No value is carried from one item
    to the next.

    ```mlir
    agent.for_each_item (%m, %n) in %items : !agent.items<index, index> { ... }
    agent.for_each_item (%m, %n) in %items every 2 from 1 : !agent.items<index, index> { ... }
    ```

    `every p from r` takes the items with the numbers r, r + p, r + 2p, … of
    those that the cluster takes, counted from 0. Two roles with `every 2 from 0`
    and `every 2 from 1` take turns.

    Items can also come out of a pipe. One role, the scheduler, loops over the
    stream and publishes each item before it runs its own body for it, and after
    the last item the end of the stream. The other roles loop over the pipe;
    each of them takes every message, the end too.

    ```mlir
    agent.role @scheduler warps(1) scope(cluster) {
      agent.for_each_item (%m, %n) in %tiles publish %work : !agent.items<index, index>, !agent.pipe<message, index, index> {
        agent.consume %throttle : !agent.pipe<message> {
        }
      }
    }
    agent.role @mma warps(1) {
      agent.for_each_item (%m, %n) in %work : !agent.pipe<message, index, index> { ... }
    }
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[Agent_ItemStream, Agent_Pipe], "stream of work tiles or pipe">:$source,
    Optional<Agent_Pipe>:$publish,
    DefaultValuedAttr<Agent_Number, "1">:$every,
    DefaultValuedAttr<Agent_Number, "0">:$from);
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$publish,
                                 "::drawloom::agent::BodyBuilder":$body)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The stream that the items come from in the end: the source itself, or,
    /// for a pipe, what its publisher takes. Null if there is no publisher.
    ::mlir::Value getStream();
  }];
}

#endif // DRAWLOOM_DIALECT_AGENT_IR_AGENTITEMOPS_TD
