//===- AgentPipeOps.td - Pipes and their slots ----------- -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_IR_AGENTPIPEOPS_TD
#define DRAWLOOM_DIALECT_AGENT_IR_AGENTPIPEOPS_TD

include "drawloom/Dialect/Agent/IR/AgentOpBase.td"

//===----------------------------------------------------------------------===//
// agent.pipe
//===----------------------------------------------------------------------===//

def Agent_PipeOp : Agent_Op<"pipe", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a bounded channel from one role to one or more others";
  let description = [{
    Makes a ring of `slots` slots. One role produces into them in order, one or
    more roles consume them in the same order. The name is what messages and
    drawings call the pipe.

    ```mlir
    %ab = agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
    %acc = agent.pipe "result" slots(2) tmem scope(pair) : (tensor<256x256xf32>)
    %work = agent.pipe "work" slots(2) message scope(cluster) : (index, index)
    %go = agent.pipe "throttle" slots(1) message : ()
    ```

    A pipe stands in the same block as the one `agent.switch` whose roles use
    it. Several consumers each see every slot, and a slot is free again when all
    of them have released it. Roles that take a part of the work tiles
    (`every 2 from 1` in `agent.for_each_item`) see the slots of their own items
    only. Every item must then have the same number of consumers.

    A role may consume what it produces itself, for instance to stage an output
    tile that a bulk copy stores.

    `scope` says which CTAs of a cluster share the handshake of a slot. It must
    reach from one side to the other: a role that acts for a pair and one that
    every CTA has need a pipe with `scope(pair)` between them, unless it carries
    messages: a role takes those in every CTA. A pipe whose tiles
    are loaded with `multicast` has `scope(cluster)`: a CTA fills a slot when all
    CTAs that it loads for have given it back.

    It refuses, for instance:

    | message | why |
    |---|---|
    | pipe 'p' is produced by @a and @b; a pipe has one producer | two writers have no common order |
    | pipe 'p' is never produced; @b would deadlock | a pipe without a producer is a mistake, not dead code |
    | pipe 'p' is never consumed; @a would deadlock waiting for an empty slot | the same on the other side |
    | pipe 'p' joins @a, which acts for a cta, and @b, which acts for a pair; it needs scope(pair) | the handshake must reach both |
    | pipe 'p' holds a tile that CTAs of a cluster share; it needs scope(cluster) | the same |
    | pipe 'p': value 0 of a slot is shared by different CTAs in different places; a slot goes back to one set of CTAs | its empty barrier counts them |
    | pipe 'p': @a produces item 1 of every 2, which no role consumes | the roles that divide the items left one out |
    | pipe 'p': @a fills its slots by(tma) and by(threads); the barrier of a slot counts the arrivals of one engine | the count could be right for one of them only |
  }];
  let arguments = (ins
    StrAttr:$name,
    Agent_Number:$slots,
    DefaultValuedAttr<Agent_ScopeAttr, "::drawloom::agent::Scope::cta">:$scope,
    OptionalAttr<Agent_PlaceAttr>:$place,
    OptionalAttr<Agent_ReasonArrayAttr>:$because);
  let results = (outs Res<Agent_Pipe, "the ring", [MemAlloc]>:$pipe);
  let assemblyFormat = [{
    $name `slots` `(` $slots `)` custom<SlotKind>($scope, type($pipe)) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The switch whose roles use this pipe.
    SwitchOp getSwitch();
    /// The roles that produce into this pipe or consume from it, each once, in
    /// the order of the switch. A verified pipe has one producer.
    ::llvm::SmallVector<RoleOp, 4> getProducers();
    ::llvm::SmallVector<RoleOp, 4> getConsumers();
    /// Who fills the slots, and who empties them for a role. Nothing if the
    /// program doesn't say; messages are written and read by threads.
    std::optional<Engine> getProducerEngine();
    std::optional<Engine> getConsumerEngine(RoleOp consumer);
  }];
}

//===----------------------------------------------------------------------===//
// agent.produce
//===----------------------------------------------------------------------===//

def Agent_ProduceOp : Agent_OnceOp<"produce", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, NoRegionArguments]> {
  let summary = "owns the next slot of a pipe and fills it";
  let description = [{
    Waits for the next slot to be empty, runs the region, and passes the values
    that the region yields on to the consumers. Nothing else can put a value
    into a slot.

    ```mlir
    agent.produce %ab : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
    }
    ```

    The slot is full when the values have arrived in it. For copies and MMAs
    that run on their own engine, that is when the engine has finished; the role
    does not wait for it.

    The region may be as long as the slot takes to fill: an accumulator's
    produce holds the whole loop over k. It may hold other produces and
    consumes, but not another produce of the same pipe: slots are filled in
    order.

    `by` says who fills the slot. It may be left out; `assign-engines` adds what
    follows from the values and the architecture.

    ```mlir
    agent.produce %ab by(tma) : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> { ... }
    ```

    `at` is the variable that says which slot is the next one, and advances. It
    is there after `assign-slot-phase`.

    ```mlir
    agent.produce %ab at(%ab.fills) by(tma) : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> { ... }
    ```

    | message | why |
    |---|---|
    | of pipe 'p' is by(tma), but value 0 of a slot is not a tile that is loaded here | TMA and cp.async copy what a tile.load of the region names, and nothing else |
    | of pipe 'p' is by(tensor_core), but value 0 of a slot is not an MMA | the tensor core leaves results of MMAs |
    | of pipe 'p' is by(tma), but its slots are in tmem; only threads and the tensor core write there | |
  }];
  let arguments = (ins Agent_Pipe:$pipe, Optional<Agent_Variable>:$at,
                       OptionalAttr<Agent_EngineAttr>:$engine);
  let builders = [OpBuilder<(ins "::mlir::Value":$pipe,
                                 "::drawloom::agent::BodyBuilder":$body)>];
  let assemblyFormat = [{
    $pipe (`at` `(` $at^ `)`)? `` custom<Engine>($engine) attr-dict-with-keyword `:`
    qualified(type($pipe)) $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// agent.consume
//===----------------------------------------------------------------------===//

def Agent_ConsumeOp : Agent_OnceOp<"consume", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "owns the next full slot of one or more pipes";
  let description = [{
    Waits for the next slot of each pipe to be full, in the order of the
    operands, and runs the region with the values of these slots as block
    arguments. At the end of the region the slots are released. What the region
    yields are the results.

    ```mlir
    %t = agent.consume %ab as (%x, %y) lag(1) : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> -> tensor<128x256xf32> {
      %u = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      agent.yield %u : tensor<128x256xf32>
    }
    agent.consume %acc, %res as (%r, %c) : !agent.pipe<tmem, tensor<128x64xf32>>, !agent.pipe<smem, tensor<128x64xf32>> {
      %o = arith.addf %r, %c : tensor<128x64xf32>
      tile.store %o, %d[%m, %n] : tensor<128x64xf32>, !tile.view<?x?xf32>
    }
    ```

    With `lag(n)` the role keeps the newest n slots of these pipes when the
    region ends, and releases the older ones: in a loop, a slot is released n
    iterations after it was acquired. Leaving the innermost loop around the
    consume, or the role if there is none, releases what is left. This is for
    matrix products that are still reading when the region ends: on Hopper,
    `lag(1)` keeps one wgmma in flight. While it waits for the next slot the role
    holds n others, so a pipe must have more slots than the lag.

    A consume cannot be inside another consume of the same pipe: slots are
    released in order.

    `by` says who empties the slots, one engine for each pipe. It may be left
    out; `assign-engines` adds what follows from the body and the architecture.

    ```mlir
    agent.consume %ab as (%x, %y) by(tensor_core) : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> { ... }
    ```

    `at` has a variable for each pipe, as that of `agent.produce`.

    ```mlir
    agent.consume %ab as (%x, %y) at(%ab.empties) by(tensor_core) : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> { ... }
    ```

    | message | why |
    |---|---|
    | of pipe 'p' is by(tensor_core), but value 0 of a slot goes to more than MMAs | the slot would be free before the threads have read it |
    | of pipe 'p' is by(tma), but no value of a slot is stored as it is | TMA stores what a tile.store of the region names |
    | of pipe 'p' is by(cp_async), which only fill slots | |
    | of pipe 'p' holds lag + 1 = 2 + 1 = 3 slots at once, but the pipe has 2; use slots(3) or a lag below 2 | the role would wait for a slot that only it can release |
    | of pipe 'p' is inside another one; slots are released in order, one at a time | the inner region ends first |
    | has 1 variables for 2 pipes; each pipe has a next slot of its own | |
  }];
  let arguments = (ins
    Variadic<Agent_Pipe>:$pipes,
    Variadic<Agent_Variable>:$at,
    DefaultValuedAttr<Agent_Number, "0">:$lag,
    OptionalAttr<Agent_EngineArrayAttr>:$engines);
  let results = (outs Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results,
                                 "::mlir::ValueRange":$pipes, "int64_t":$lag,
                                 "::drawloom::agent::BodyBuilder":$body)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// Who empties the slots of the pipe with this number, if the program says.
    std::optional<Engine> getEngine(unsigned pipe);
    /// The block arguments that are the values of the pipe with this number.
    ::mlir::Block::BlockArgListType getSlotArguments(unsigned pipe);
  }];
}

#endif // DRAWLOOM_DIALECT_AGENT_IR_AGENTPIPEOPS_TD
