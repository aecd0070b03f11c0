//===- AgentOps.td - The operations of the agent dialect - -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_IR_AGENTOPS_TD
#define DRAWLOOM_DIALECT_AGENT_IR_AGENTOPS_TD

include "drawloom/Dialect/Agent/IR/AgentPipeOps.td"
include "drawloom/Dialect/Agent/IR/AgentRoleOps.td"
include "drawloom/Dialect/Agent/IR/AgentItemOps.td"

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
