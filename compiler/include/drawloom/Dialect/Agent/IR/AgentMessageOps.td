//===- AgentMessageOps.td - Messages and work items ------ -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The part of the protocol by which roles learn about work items that are found
// at run time. `lower-pipes` makes it.

#ifndef DRAWLOOM_DIALECT_AGENT_IR_AGENTMESSAGEOPS_TD
#define DRAWLOOM_DIALECT_AGENT_IR_AGENTMESSAGEOPS_TD

include "drawloom/Dialect/Agent/IR/AgentOpBase.td"

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

def Agent_AskOp : Agent_Op<"ask"> {
  let summary = "asks the machine for the next work item";
  let description = [{
    Asks for the work of a CTA that has not started, which will not start then
    (cluster launch control). The answer, 16 bytes, comes to byte `to` of shared
    memory, through the asynchronous proxy, and counts as bytes at the barrier.
    Nobody asks again after a refusal.

    ```mlir
    agent.ask to(213072) tells %told
    ```

    In a cluster the work of a whole cluster is granted. With `multicast`, one CTA
    asks for all: the answer comes to the same byte of every CTA, and counts at
    the same barrier there.

    ```mlir
    agent.ask to(213072) tells %told multicast
    ```
  }];
  let arguments = (ins Agent_Number:$to, Agent_Barrier:$barrier,
                       UnitAttr:$multicast);
  let assemblyFormat =
      "`to` `(` $to `)` `tells` $barrier (`multicast` $multicast^)? attr-dict";
}

def Agent_AnswerOp : Agent_Op<"answer", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the machine's answer about the next work item";
  let description = [{
    The number of the CTA whose work is granted, from what `agent.ask` has got, of
    a cluster that of its first CTA; the largest number of 32 bits, which is no item, for a refusal.

    ```mlir
    %number = agent.answer from(213072)
    ```
  }];
  let arguments = (ins Agent_Number:$from);
  let results = (outs Index:$number);
  let assemblyFormat = "`from` `(` $from `)` attr-dict";
}

def Agent_DrawOp : Agent_Op<"draw", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "draws a number from the counter of the launch";
  let description = [{
    0, 1, 2, …: each number is drawn once in a launch. The counter is in the
    kernel's workspace, which is zero when the launch begins. All threads of the
    warp get the same number.

    ```mlir
    %number = agent.draw
    ```
  }];
  let results = (outs Index:$number);
  let assemblyFormat = "attr-dict";
}

def Agent_DealOp : Agent_Op<"deal"> {
  let summary = "gives a number to CTAs of the cluster";
  let description = [{
    Writes a number that `agent.draw` has drawn to byte `to` of shared memory of
    each CTA of `ctas`, a bit for each rank: lane r writes to the CTA of rank r. An
    arrival in these CTAs tells that it is there.

    ```mlir
    agent.deal %number to(213072) in(%ctas)
    agent.arrive %told by(threads) in(%ctas)
    ```
  }];
  let arguments = (ins Index:$number, Agent_Number:$to, I32:$ctas);
  let assemblyFormat =
      "$number `to` `(` $to `)` `in` `(` $ctas `)` attr-dict";
}

def Agent_DealtOp : Agent_Op<"dealt", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the number that a CTA of the cluster has given to this one";
  let description = [{
    What `agent.deal` has written to byte `from` of shared memory. All threads of
    the warp get the same number.

    ```mlir
    %number = agent.dealt from(213072)
    ```
  }];
  let arguments = (ins Agent_Number:$from);
  let results = (outs Index:$number);
  let assemblyFormat = "`from` `(` $from `)` attr-dict";
}

#endif // DRAWLOOM_DIALECT_AGENT_IR_AGENTMESSAGEOPS_TD
