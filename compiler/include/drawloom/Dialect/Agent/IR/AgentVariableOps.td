//===- AgentVariableOps.td - Slots and phases ------------ -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where each end of a pipe is, until `lower-pipes` makes values of it. A part
// of AgentProtocolOps.td.

#ifndef DRAWLOOM_DIALECT_AGENT_IR_AGENTVARIABLEOPS_TD
#define DRAWLOOM_DIALECT_AGENT_IR_AGENTVARIABLEOPS_TD

include "drawloom/Dialect/Agent/IR/AgentOpBase.td"

def Agent_VariableOp : Agent_Op<"variable", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "numbers that a role changes as it goes";
  let description = [{
    Of an end of a pipe they are its next slot, and the phase of that slot's
    barrier: 0 for the role that empties the slots, 1 for the one that fills
    them, because a new barrier takes the phase before the first one for
    complete.

    ```mlir
    %operands.fills = agent.variable "operands.fills" [0, 1]
    ```

    What takes a slot names it, and says:

    | message | why |
    |---|---|
    | is at 'operands.fills', which has 1 numbers; a slot and a phase are two | |
    | expects the result of an 'agent.variable' in front of it | |
  }];
  let arguments = (ins StrAttr:$name, DenseI32ArrayAttr:$initial);
  let results = (outs Res<Agent_Variable, "the numbers", [MemAlloc]>:$variable);
  let assemblyFormat = "$name $initial attr-dict";
}

def Agent_GetOp : Agent_Op<"get"> {
  let summary = "reads a variable";
  let description = [{
    ```mlir
    %slot, %phase = agent.get %operands.fills : i32, i32
    ```

    | message | why |
    |---|---|
    | has 1 values, but 'operands.fills' has 2 | |
  }];
  let arguments = (ins Arg<Agent_Variable, "the numbers", [MemRead]>:$variable);
  let results = (outs Variadic<I32>:$values);
  let assemblyFormat = "$variable attr-dict `:` type($values)";
  let hasVerifier = 1;
}

def Agent_SetOp : Agent_Op<"set"> {
  let summary = "sets a variable";
  let description = [{
    ```mlir
    agent.set %operands.fills, %next, %next_phase : i32, i32
    ```

    | message | why |
    |---|---|
    | has 1 values, but 'operands.fills' has 2 | |
  }];
  let arguments = (ins Arg<Agent_Variable, "the numbers", [MemWrite]>:$variable,
                       Variadic<I32>:$values);
  let assemblyFormat = "$variable `,` $values attr-dict `:` type($values)";
  let hasVerifier = 1;
}

#endif // DRAWLOOM_DIALECT_AGENT_IR_AGENTVARIABLEOPS_TD
