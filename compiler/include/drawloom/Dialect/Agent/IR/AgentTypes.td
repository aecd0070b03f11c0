//===- AgentTypes.td - Pipes and streams of work tiles --- -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_IR_AGENTTYPES_TD
#define DRAWLOOM_DIALECT_AGENT_IR_AGENTTYPES_TD

include "drawloom/Dialect/Agent/IR/AgentDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

def Agent_Memory : I32Enum<"Memory", "the memory of a pipe", [
    I32EnumCase<"smem", 0>,
    I32EnumCase<"tmem", 1>,
    I32EnumCase<"message", 2>]> {
  let cppNamespace = "::drawloom::agent";
}

def Agent_Scope : I32Enum<"Scope", "a scope", [
    I32EnumCase<"cta", 0>,
    I32EnumCase<"pair", 1>,
    I32EnumCase<"cluster", 2>]> {
  let cppNamespace = "::drawloom::agent";
}

def Agent_ScopeAttr : EnumAttr<Agent_Dialect, Agent_Scope, "scope"> {
  let description = [{
    How many CTAs of a cluster a role acts for, or a pipe reaches.

    | scope | on a role | on a pipe |
    |---|---|---|
    | `cta` | every CTA has this role | slots are filled and emptied inside one CTA |
    | `pair` | one CTA of each pair has it and acts for both | slots of the two CTAs of a pair are handled together |
    | `cluster` | one CTA of the cluster has it and acts for all | slots of all CTAs of the cluster are handled together |
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Agent_Stream : I32Enum<"Stream", "a kind of stream", [
    I32EnumCase<"fixed", 0, "static">,
    I32EnumCase<"dynamic", 1>]> {
  let cppNamespace = "::drawloom::agent";
}

def Agent_StreamAttr : EnumAttr<Agent_Dialect, Agent_Stream, "stream"> {
  let description = [{
    | stream | who takes which item |
    |---|---|
    | `static` | cluster c of C takes the items c, c + C, c + 2C, … |
    | `dynamic` | a cluster starts with the item of its own number and asks for the next one at run time (cluster launch control, or a counter) |
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Agent_Engine : I32Enum<"Engine", "an engine", [
    I32EnumCase<"threads", 0>,
    I32EnumCase<"cp_async", 1>,
    I32EnumCase<"tma", 2>,
    I32EnumCase<"tensor_core", 3>]> {
  let cppNamespace = "::drawloom::agent";
}

def Agent_EngineAttr : EnumAttr<Agent_Dialect, Agent_Engine, "engine"> {
  let description = [{
    Who fills a slot, or empties it. From that follow the numbers that a person
    would otherwise write by hand, and get wrong: how many arrivals complete the
    full and the empty barrier of a slot, and how many bytes.

    | engine | fills a slot | the full barrier gets | empties a slot | the empty barrier gets |
    |---|---|---|---|---|
    | `threads` | the role's threads write tiles from registers | one arrival of every warp, when its lanes are done | they read tiles, or multiply them by wgmma | one arrival of every warp, when its lanes are done |
    | `cp_async` | the role's threads start cp.async | one arrival of every warp; its copies hold the phase open until they have landed | – | – |
    | `tma` | one thread starts bulk copies | one arrival of that thread, and the bytes of the copies | one thread starts bulk stores | one arrival of every warp, when the stores have read |
    | `tensor_core` | one thread issues tcgen05 MMAs into the slot | one arrival by tcgen05.commit, when the MMAs are done | one thread issues tcgen05 MMAs that read it | one arrival by tcgen05.commit, when the MMAs are done |

    A warp arrives once for its 32 lanes: fewer arrivals than one for each
    thread, and every warp that waits also arrives, which is what makes a pair
    of barriers a slot (docs/ProgressModel.md).
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Agent_EngineArrayAttr
    : TypedArrayAttrBase<Agent_EngineAttr, "an engine for each pipe">;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Agent_Type<string name, string typeMnemonic>
    : TypeDef<Agent_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Agent_Pipe : Agent_Type<"Pipe", "pipe"> {
  let summary = "pipe";
  let description = [{
    What travels through a pipe and where it lives: the memory that the slots
    are in, then the values of one slot.

    | memory | what a slot holds |
    |---|---|
    | `smem` | tiles in shared memory: one or more tensors of static shape |
    | `tmem` | tiles in tensor memory: one or more tensors of static shape |
    | `message` | a few scalars, in shared memory; with none of them it is a bare signal |

    ```mlir
    !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
    !agent.pipe<tmem, tensor<128x256xf32>>
    !agent.pipe<message, index, index>
    !agent.pipe<message>
    ```

    A tensor's encoding says where in the slot its elements are. A layout that
    gives two CTAs the same element, in a pipe with `scope(cluster)`, is a
    multicast.
  }];
  let parameters = (ins
    EnumParameter<Agent_Memory>:$memory,
    OptionalArrayRefParameter<"::mlir::Type", "the values of one slot">:$payload);
  let assemblyFormat = "`<` $memory (`,` $payload^)? `>`";
  let genVerifyDecl = 1;
}

def Agent_ItemStream : Agent_Type<"Items", "items"> {
  let summary = "stream of work tiles";
  let description = [{
    The scalars that describe one work tile, for instance the offsets of its
    output tile.

    ```mlir
    !agent.items<index, index>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::Type", "the values of one item">:$item);
  let assemblyFormat = "`<` $item `>`";
  let genVerifyDecl = 1;
}

def Agent_Slots : Agent_Type<"Slots", "slots"> {
  let summary = "memory of a ring of slots";
  let description = [{
    The memory behind a pipe once its protocol is written out: the same tiles,
    without the promise that accesses wait.

    ```mlir
    !agent.slots<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
    ```
  }];
  let parameters = (ins
    EnumParameter<Agent_Memory>:$memory,
    ArrayRefParameter<"::mlir::Type", "the tiles of one slot">:$payload);
  let assemblyFormat = "`<` $memory `,` $payload `>`";
  let genVerifyDecl = 1;
}

def Agent_Barriers : Agent_Type<"Barriers", "barriers"> {
  let summary = "a ring of mbarriers";
  let description = [{
    One mbarrier for each slot of a pipe.

    ```mlir
    !agent.barriers
    ```
  }];
}

def Agent_Barrier : Agent_Type<"Barrier", "barrier"> {
  let summary = "one mbarrier of a ring";
  let description = [{
    ```mlir
    !agent.barrier
    ```
  }];
}

def Agent_Variable : Agent_Type<"Variable", "variable"> {
  let summary = "numbers of 32 bits that a role changes";
  let description = [{
    What `agent.variable` makes. A role reads and sets it, in loops and branches,
    too.

    ```mlir
    !agent.variable
    ```
  }];
}

def Agent_InFlight : Agent_Type<"InFlight", "in_flight"> {
  let summary = "an accumulator that MMAs may be writing";
  let description = [{
    A tile in registers that no thread may access yet. `agent.await` gives the
    tile; an MMA can go on with it, and a loop can carry it.

    ```mlir
    !agent.in_flight<tensor<128x256xf32>>
    ```
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tile);
  let assemblyFormat = "`<` $tile `>`";
}

#endif // DRAWLOOM_DIALECT_AGENT_IR_AGENTTYPES_TD
