//===- AgentMessageOps.td - Messages and work tiles ------ -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// How roles learn about work tiles that are found at run time. `lower-work-tiles`
// makes the first four of pipes, and `lower-pipes` the others of these.

#ifndef DRAWLOOM_DIALECT_AGENT_IR_AGENTMESSAGEOPS_TD
#define DRAWLOOM_DIALECT_AGENT_IR_AGENTMESSAGEOPS_TD

include "drawloom/Dialect/Agent/IR/AgentOpBase.td"

//===----------------------------------------------------------------------===//
// Between work tiles and their protocol
//===----------------------------------------------------------------------===//

def Agent_PublishOp : Agent_Op<"publish", [
    AttrSizedOperandSegments,
    RangedTypesMatchWith<"values of a message", "pipe", "values",
                         "::llvm::cast<PipeType>($_self).getPayload()">]> {
  let summary = "tells other roles whether there is a work tile";
  let description = [{
    Waits for the next slot of the pipe to be empty, and fills it with a work
    tile. `there` is false in the last message: the stream has ended, and the
    values mean nothing.

    ```mlir
    agent.publish %work there(%there) values(%m, %n) : !agent.pipe<message, index, index>
    ```

    `at` is the variable of the next slot, as that of `agent.produce`.

    | message | why |
    |---|---|
    | is of pipe 'p' in smem; work tiles travel in a message | |
    | of pipe 'p' is not inside an 'agent.role' | |
  }];
  let arguments = (ins Arg<Agent_Pipe, "the next slot", [MemWrite]>:$pipe,
                       I1:$there, Variadic<AnyType>:$values,
                       Optional<Agent_Variable>:$at);
  let assemblyFormat = [{
    $pipe (`at` `(` $at^ `)`)? `there` `(` $there `)` `values` `(` $values `)`
    attr-dict `:` qualified(type($pipe))
  }];
  let hasVerifier = 1;
}

def Agent_ReceiveOp : Agent_Op<"receive", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    RangedTypesMatchWith<"values of a message", "pipe", "values",
                         "::llvm::cast<PipeType>($_self).getPayload()">]> {
  let summary = "learns whether there is a work tile";
  let description = [{
    What `agent.publish` says in the next slot of the pipe. The message is in
    registers then, and the slot is released.

    ```mlir
    %there, %m, %n = agent.receive %work : !agent.pipe<message, index, index>
    ```

    `at` is the variable of the next slot, as that of `agent.consume`.

    The messages are those of `agent.publish`.
  }];
  let arguments = (ins Arg<Agent_Pipe, "the next slot", [MemRead, MemWrite]>:$pipe,
                       Optional<Agent_Variable>:$at);
  let results = (outs I1:$there, Variadic<AnyType>:$values);
  let assemblyFormat = [{
    $pipe (`at` `(` $at^ `)`)? attr-dict `:` qualified(type($pipe))
  }];
  let hasVerifier = 1;
}

def Agent_NextTileOp : Agent_Op<"next_tile", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the number of the next work tile of a dynamic stream";
  let description = [{
    The number of a work tile that no CTA has taken, after the one with this
    `number`. If it is not below `count`, there is none. The CTAs of a cluster
    take neighbors.

    ```mlir
    %next = agent.next_tile after %number of %count
    ```

    `at` is the variable of the barrier that an answer comes to.
  }];
  let arguments = (ins Index:$number, Index:$count,
                       Optional<Agent_Variable>:$at);
  let results = (outs Index:$next);
  let assemblyFormat =
      "`after` $number `of` $count (`at` `(` $at^ `)`)? attr-dict";
  let hasVerifier = 1;
}

def Agent_LeadsOp : Agent_Op<"leads", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>, Pure]> {
  let summary = "whether this CTA does the role's part for its pair";
  let description = [{
    True in the first CTA of a pair. The other one takes the same messages.

    ```mlir
    %leads = agent.leads
    ```

    | message | why |
    |---|---|
    | is not inside an 'agent.role' with scope(pair) | |
  }];
  let results = (outs I1:$leads);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The protocol
//===----------------------------------------------------------------------===//

def Agent_WriteMessageOp : Agent_Op<"write_message", [
    RangedTypesMatchWith<"values of a message", "slots", "values",
                         "::llvm::cast<SlotsType>($_self).getPayload()">]> {
  let summary = "puts a message into a slot";
  let description = [{
    One thread of the role writes whether there is an item, and its values.
    Without one they mean nothing: the stream of items has ended.

    ```mlir
    agent.write_message %work[%slot] there(%there) values(%m, %n) : !agent.slots<message, index, index>
    ```

    | message | why |
    |---|---|
    | writes to slots in smem, which hold tiles; a message is in slots of its own | |
  }];
  let arguments = (ins Agent_Slots:$slots, I32:$index, I1:$there,
                       Variadic<AnyType>:$values);
  let assemblyFormat = [{
    $slots `[` $index `]` `there` `(` $there `)` `values` `(` $values `)`
    attr-dict `:` qualified(type($slots))
  }];
  let hasVerifier = 1;
}

def Agent_ReadMessageOp : Agent_Op<"read_message", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    RangedTypesMatchWith<"values of a message", "slots", "values",
                         "::llvm::cast<SlotsType>($_self).getPayload()">]> {
  let summary = "reads a message from a slot";
  let description = [{
    What `agent.write_message` has put there. All threads get the same.

    ```mlir
    %there, %m, %n = agent.read_message %work[%slot] : !agent.slots<message, index, index>
    ```

    | message | why |
    |---|---|
    | reads slots in smem, which hold tiles; a message is in slots of its own | |
  }];
  let arguments = (ins Agent_Slots:$slots, I32:$index);
  let results = (outs I1:$there, Variadic<AnyType>:$values);
  let assemblyFormat = [{
    $slots `[` $index `]` attr-dict `:` qualified(type($slots))
  }];
  let hasVerifier = 1;
}

def Agent_ClcTryCancelOp : Agent_Op<"clc_try_cancel"> {
  let summary = "requests the next tile (cluster launch control)";
  let description = [{
    Asks for the work of a CTA that has not started, which will not start then
    (cluster launch control). The answer, 16 bytes, comes to byte `to` of shared
    memory, through the asynchronous proxy, and counts as bytes at the barrier.
    After a request that failed there is no other.

    ```mlir
    agent.clc_try_cancel to(213072) tells %full
    ```

    In a cluster a whole cluster is canceled. With `multicast`, one CTA
    asks for all: the answer comes to the same byte of every CTA, and counts at
    the same barrier there.

    ```mlir
    agent.clc_try_cancel to(213072) tells %full multicast
    ```
  }];
  let arguments = (ins Agent_Number:$to, Agent_Barrier:$barrier,
                       UnitAttr:$multicast);
  let assemblyFormat =
      "`to` `(` $to `)` `tells` $barrier (`multicast` $multicast^)? attr-dict";
}

def Agent_ClcQueryOp : Agent_Op<"clc_query", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the response about the next tile";
  let description = [{
    The number of the CTA that was canceled, from what `agent.clc_try_cancel` has got, of
    a cluster that of its first CTA; the largest number of 32 bits, which is no item, if the request failed.

    ```mlir
    %number = agent.clc_query from(213072)
    ```
  }];
  let arguments = (ins Agent_Number:$from);
  let results = (outs Index:$number);
  let assemblyFormat = "`from` `(` $from `)` attr-dict";
}

def Agent_AtomicNextTileOp : Agent_Op<"atomic_next_tile", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the next number of the launch's atomic counter";
  let description = [{
    0, 1, 2, …: each number comes once in a launch. The counter is in the
    kernel's workspace, which is zero when the launch begins. All threads of the
    warp get the same number.

    ```mlir
    %number = agent.atomic_next_tile
    ```
  }];
  let results = (outs Index:$number);
  let assemblyFormat = "attr-dict";
}

def Agent_ClusterBroadcastOp : Agent_Op<"cluster_broadcast"> {
  let summary = "writes a number to CTAs of the cluster";
  let description = [{
    Writes a number that `agent.atomic_next_tile` has got to byte `to` of shared memory of
    each CTA of `ctas`, a bit for each rank: lane r writes to the CTA of rank r. An
    arrival in these CTAs tells that it is there.

    ```mlir
    agent.cluster_broadcast %number to(213072) in(%ctas)
    agent.arrive %full by(threads) in(%ctas)
    ```
  }];
  let arguments = (ins Index:$number, Agent_Number:$to, I32:$ctas);
  let assemblyFormat =
      "$number `to` `(` $to `)` `in` `(` $ctas `)` attr-dict";
}

def Agent_ClusterReceiveOp : Agent_Op<"cluster_receive", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the number that a CTA of the cluster has written to this one";
  let description = [{
    What `agent.cluster_broadcast` has written to byte `from` of shared memory. All threads of
    the warp get the same number.

    ```mlir
    %number = agent.cluster_receive from(213072)
    ```
  }];
  let arguments = (ins Agent_Number:$from);
  let results = (outs Index:$number);
  let assemblyFormat = "`from` `(` $from `)` attr-dict";
}

#endif // DRAWLOOM_DIALECT_AGENT_IR_AGENTMESSAGEOPS_TD
