//===- AgentOps.td - Roles, pipes and work items --------- -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_IR_AGENTOPS_TD
#define DRAWLOOM_DIALECT_AGENT_IR_AGENTOPS_TD

include "drawloom/Dialect/Agent/IR/AgentAttrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Agent_Op<string mnemonic, list<Trait> traits = []>
    : Op<Agent_Dialect, mnemonic, traits>;

// A number that a verifier checks: signed, so that a negative one is seen.
def Agent_Number : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit number">;

// A region of one block that `agent.yield` ends; upstream analyses see how
// control and values flow through it.
class Agent_RegionOp<string mnemonic, list<Trait> traits = []>
    : Agent_Op<mnemonic, traits # [
        DeclareOpInterfaceMethods<RegionBranchOpInterface,
                                  ["getRegionInvocationBounds"]>,
        RecursiveMemoryEffects,
        SingleBlockImplicitTerminator<"YieldOp">]> {
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
}

// A region that runs once: control enters it and leaves to the results.
class Agent_OnceOp<string mnemonic, list<Trait> traits = []>
    : Agent_RegionOp<mnemonic, traits> {
  let extraClassDefinition = [{
    void $cppClass::getSuccessorRegions(
        ::mlir::RegionBranchPoint point,
        ::llvm::SmallVectorImpl<::mlir::RegionSuccessor> &regions) {
      if (point.isParent())
        regions.push_back(::mlir::RegionSuccessor(&getBody()));
      else
        regions.push_back(
            ::mlir::RegionSuccessor(*this, (*this)->getResults()));
    }

    void $cppClass::getRegionInvocationBounds(
        ::llvm::ArrayRef<::mlir::Attribute>,
        ::llvm::SmallVectorImpl<::mlir::InvocationBounds> &bounds) {
      bounds.emplace_back(1, 1);
    }
  }];
}

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
    of them have released it. Roles that take a part of the work items
    (`every 2 from 1` in `agent.for_each_item`) see the slots of their own items
    only. Every item must then have the same number of consumers.

    A role may consume what it produces itself, for instance to stage an output
    tile that a bulk copy stores.

    `scope` says which CTAs of a cluster share the handshake of a slot. It must
    reach from one side to the other: a role that acts for a pair and one that
    every CTA has need a pipe with `scope(pair)` between them.

    It refuses, for instance:

    | message | why |
    |---|---|
    | pipe 'p' is produced by @a and @b; a pipe has one producer | two writers have no common order |
    | pipe 'p' is never produced; @b would wait for ever | a pipe without a producer is a mistake, not dead code |
    | pipe 'p' is never consumed; @a would wait for ever for an empty slot | the same on the other side |
    | pipe 'p' joins @a, which acts for a cta, and @b, which acts for a pair; it needs scope(pair) | the handshake must reach both |
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

    The slot is handed over when the values have arrived in it. For copies and
    matrix products that run on their own engine, that is when the engine has
    finished; the role does not wait for it.

    The region may be as long as the slot takes to fill: an accumulator's
    produce holds the whole loop over k. It may hold other produces and
    consumes, but not another produce of the same pipe: slots are filled in
    order.

    `by` says who fills the slot. It may be left out; `assign-engines` adds what
    follows from the values and the architecture.

    ```mlir
    agent.produce %ab by(tma) : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> { ... }
    ```

    | message | why |
    |---|---|
    | of pipe 'p' is by(tma), but value 0 of a slot is not a tile that is loaded here | TMA and cp.async copy what a tile.load of the region names, and nothing else |
    | of pipe 'p' is by(tensor_core), but value 0 of a slot is not a product | the tensor core leaves results of products |
    | of pipe 'p' is by(tma), but its slots are in tmem; only threads and the tensor core write there | |
  }];
  let arguments = (ins Agent_Pipe:$pipe, OptionalAttr<Agent_EngineAttr>:$engine);
  let builders = [OpBuilder<(ins "::mlir::Value":$pipe,
                                 "::drawloom::agent::BodyBuilder":$body)>];
  let assemblyFormat = [{
    $pipe `` custom<Engine>($engine) attr-dict-with-keyword `:`
    qualified(type($pipe)) $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// agent.consume
//===----------------------------------------------------------------------===//

def Agent_ConsumeOp : Agent_OnceOp<"consume", [
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

    | message | why |
    |---|---|
    | of pipe 'p' is by(tensor_core), but value 0 of a slot goes to more than products | the slot would be free before the threads have read it |
    | of pipe 'p' is by(tma), but no value of a slot is stored as it is | TMA stores what a tile.store of the region names |
    | of pipe 'p' is by(copies), which only fill slots | |
    | of pipe 'p' holds lag + 1 = 2 + 1 = 3 slots at once, but the pipe has 2; use slots(3) or a lag below 2 | the role would wait for a slot that only it can release |
    | of pipe 'p' is inside another one; slots are released in order, one at a time | the inner region ends first |
  }];
  let arguments = (ins
    Variadic<Agent_Pipe>:$pipes,
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

//===----------------------------------------------------------------------===//
// agent.switch
//===----------------------------------------------------------------------===//

def Agent_SwitchOp : Agent_Op<"switch", [
    NoRegionArguments, NoTerminator, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "the roles of a kernel, side by side";
  let description = [{
    Every warp of the CTA runs the one role that it belongs to; a warp without a
    role has nothing to do. All roles run at the same time. Control goes on
    after the switch when all of them have ended. A kernel that is placed has one
    switch, and does nothing after it.

    ```mlir
    agent.switch cluster(2, 1) {
      agent.role @operand_load warps(1) { ... }
      agent.role @mma warps(1) scope(pair) { ... }
      agent.role @epilogue warps(4) { ... }
    }
    ```

    `cluster` is the number of CTAs of a cluster in x, y and z. The CTAs of a
    cluster take every work item together, and a tile in the roles is the tile
    of the whole cluster. Which CTA holds which part of it is the tile's layout.
    Without `cluster` there is one CTA.

    The order of the roles means nothing.

    What passes decide about the CTA stands on the switch:

    | attribute | meaning | set by |
    |---|---|---|
    | `warps` | warps of a CTA, a multiple of four | map-execution-units |
    | `holes` | warps without a role | map-execution-units |
    | `entry_registers` | registers of a thread when the kernel starts | budget-registers |
    | `shared_bytes` | shared memory of a CTA | place-memory |
    | `tensor_columns` | columns of tensor memory that are allocated | place-memory |
    | `tensor_address` | where in shared memory the allocation's address is put | place-memory |
    | `grant` | where the hardware's answer about the next work item is put: 16 bytes, then its barrier | place-memory |
    | `verdict` | whether the roles end | prove-progress |

    Places in shared memory are bytes from its start.

    | message | why |
    |---|---|
    | has shared_bytes = -1; places and sizes are 0 or more | |
    | has warps = 6; a CTA has whole warp groups, up to 32 warps in steps of four | setmaxnreg and wgmma take four warps together |
    | has warp 9 as a hole, but 8 warps | |
  }];
  let arguments = (ins
    OptionalAttr<DenseI64ArrayAttr>:$cluster,
    OptionalAttr<Agent_Number>:$warps,
    OptionalAttr<DenseI64ArrayAttr>:$holes,
    OptionalAttr<Agent_Number>:$entry_registers,
    OptionalAttr<Agent_Number>:$shared_bytes,
    OptionalAttr<Agent_Number>:$tensor_columns,
    OptionalAttr<Agent_Number>:$tensor_address,
    OptionalAttr<Agent_Number>:$grant,
    OptionalAttr<Agent_VerdictAttr>:$verdict);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$cluster,
                                 "::drawloom::agent::BodyBuilder":$body)>];
  let skipDefaultBuilders = 1;
  let assemblyFormat = "`` custom<Cluster>($cluster) attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    auto getRoles() { return getBody().getOps<RoleOp>(); }
    /// The CTAs of a cluster: 1 without `cluster`.
    int64_t getClusterSize();
  }];
}

//===----------------------------------------------------------------------===//
// agent.role
//===----------------------------------------------------------------------===//

def Agent_RoleOp : Agent_OnceOp<"role", [HasParent<"SwitchOp">, NoRegionArguments]> {
  let summary = "what a set of warps does";
  let description = [{
    `warps` warps of each CTA run the region. The name is a symbol that is
    unique in the switch.

    ```mlir
    agent.role @epilogue warps(4) registers(232) at(4) { ... }
    ```

    | clause | meaning |
    |---|---|
    | `warps(n)` | how many warps of a CTA have this role |
    | `registers(n)` | registers for each thread while the role runs, set by setmaxnreg: 24 to 256 in steps of 8 |
    | `at(n)` | the first warp of the role, once it is placed; all roles of a switch are placed, or none |
    | `scope(s)` | how many CTAs one instance of the role acts for |

    setmaxnreg holds for a whole warp group, so placed roles that share a group
    of four warps must have the same budget.

    The region sees the values from outside of the switch. What it computes can
    reach another role through a pipe only. A barrier for all threads of the CTA
    or of the cluster (`gpu.barrier`, `nvvm.barrier` without a number of threads,
    `nvvm.cluster.wait` and others) cannot be inside a role: the other roles
    never arrive.

    | message | why |
    |---|---|
    | 'gpu.barrier' waits for all threads of the cta, but only those of @a get here; move it out of the switch, or use a pipe or a barrier with the role's own number of threads | it would hang |
    | roles @a and @b share warp group 1 (warps 4 to 7), but one has registers(40) and the other registers(24); setmaxnreg holds for the whole group | |
    | roles @a on warps 0 to 3 and @b on warp 2 overlap | |
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    Agent_Number:$warps,
    OptionalAttr<Agent_Number>:$registers,
    OptionalAttr<Agent_Number>:$at,
    DefaultValuedAttr<Agent_ScopeAttr, "::drawloom::agent::Scope::cta">:$scope,
    OptionalAttr<Agent_ScratchAttr>:$scratch,
    OptionalAttr<Agent_ReasonArrayAttr>:$because);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "int64_t":$warps,
                                 "::drawloom::agent::BodyBuilder":$body)>];
  let assemblyFormat = [{
    $sym_name `warps` `(` $warps `)` (`registers` `(` $registers^ `)`)?
    (`at` `(` $at^ `)`)? `` custom<Scope>($scope) attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// agent.items
//===----------------------------------------------------------------------===//

def Agent_ItemsOp : Agent_Op<"items", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    Pure, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "the work items of a kernel, in order";
  let description = [{
    Numbers the work items from 0 to `count` and says, in one place for all
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
    of a grouped product are all arithmetic in this region. Memory that it reads
    must not change while the kernel runs.

    With `static` every cluster knows its items from its own number. With
    `granted` the hardware hands them out at run time; then one role asks for
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
  let summary = "runs a role's body for each work item";
  let description = [{
    Runs the region once for each work item that the cluster takes, in order,
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
      agent.for_each_item (%m, %n) in %grants publish %work : !agent.items<index, index>, !agent.pipe<message, index, index> {
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
    AnyTypeOf<[Agent_ItemStream, Agent_Pipe], "stream of work items or pipe">:$source,
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

//===----------------------------------------------------------------------===//
// agent.yield
//===----------------------------------------------------------------------===//

def Agent_YieldOp : Agent_Op<"yield", [
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface>,
    ParentOneOf<["ConsumeOp", "ForEachItemOp", "ItemsOp", "ProduceOp", "RoleOp"]>,
    Pure, Terminator]> {
  let summary = "ends a region and passes values on";
  let description = [{
    | in | where the values go |
    |---|---|
    | `agent.produce` | into the slot |
    | `agent.consume` | to the results |
    | `agent.items` | they are the item |
    | `agent.role`, `agent.for_each_item` | no values |

    A yield without values is not printed.

    ```mlir
    agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let hasVerifier = 1;
}

#endif // DRAWLOOM_DIALECT_AGENT_IR_AGENTOPS_TD
