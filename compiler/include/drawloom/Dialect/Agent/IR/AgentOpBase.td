//===- AgentOpBase.td - What the operations share -------- -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_IR_AGENTOPBASE_TD
#define DRAWLOOM_DIALECT_AGENT_IR_AGENTOPBASE_TD

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

#endif // DRAWLOOM_DIALECT_AGENT_IR_AGENTOPBASE_TD
