//===- AgentRoleOps.td - Roles side by side -------------- -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_IR_AGENTROLEOPS_TD
#define DRAWLOOM_DIALECT_AGENT_IR_AGENTROLEOPS_TD

include "drawloom/Dialect/Agent/IR/AgentOpBase.td"

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
    agent.switch cluster(2, 1) items(pair) {
      agent.role @operand_load warps(1) { ... }
      agent.role @mma warps(1) scope(pair) { ... }
      agent.role @epilogue warps(4) { ... }
    }
    ```

    `cluster` is the number of CTAs of a cluster along each dimension of the
    work tiles; CTAs next to each other along the first dimension have
    neighboring ranks. Without `cluster` there is one CTA. `items` says who
    takes a work tile, and a tile in the roles is the tile of those:

    | `items` | who takes an item | a CTA holds |
    |---|---|---|
    | `cta`, or left out | each CTA its own; those of a cluster take neighbors | the tile |
    | `pair` | two CTAs together | half of it |
    | `cluster` | all CTAs together | an equal part |

    CTAs that take items of their own may still share what they load: see
    `multicast` of `tile.load`.

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
    | `next_tile` | where the hardware's answer about the next work tile is put: 16 bytes, then its barrier | place-memory |
    | `verdict` | whether the roles end | prove-progress |

    Places in shared memory are bytes from its start.

    | message | why |
    |---|---|
    | has shared_bytes = -1; places and sizes are 0 or more | |
    | has warps = 6; a CTA has whole warp groups, up to 32 warps in steps of four | setmaxnreg and wgmma take four warps together |
    | has warp 9 as a hole, but 8 warps | |
    | has items(pair), but a cluster of 1 CTA; pairs need an even number | |
  }];
  let arguments = (ins
    OptionalAttr<DenseI64ArrayAttr>:$cluster,
    DefaultValuedAttr<Agent_ScopeAttr, "::drawloom::agent::Scope::cta">:$items,
    OptionalAttr<Agent_Number>:$warps,
    OptionalAttr<DenseI64ArrayAttr>:$holes,
    OptionalAttr<Agent_Number>:$entry_registers,
    OptionalAttr<Agent_Number>:$shared_bytes,
    OptionalAttr<Agent_Number>:$tensor_columns,
    OptionalAttr<Agent_Number>:$tensor_address,
    OptionalAttr<Agent_Number>:$next_tile,
    OptionalAttr<Agent_VerdictAttr>:$verdict);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$cluster,
                                 "::drawloom::agent::BodyBuilder":$body)>];
  let skipDefaultBuilders = 1;
  let assemblyFormat = [{
    `` custom<Cluster>($cluster) `` custom<Items>($items)
    attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    auto getRoles() { return getBody().getOps<RoleOp>(); }
    /// The CTAs of a cluster: 1 without `cluster`.
    int64_t getClusterSize();
    /// The CTAs that take a work tile together.
    int64_t getCtasOfItem();
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

    The region sees the values from outside the switch. What it computes can
    reach another role through a pipe only. A barrier for all threads of the CTA
    or of the cluster (`gpu.barrier`, `nvvm.barrier` without a number of threads,
    `nvvm.cluster.wait` and others) cannot be inside a role: the other roles
    never arrive.

    | message | why |
    |---|---|
    | 'gpu.barrier' waits for all threads of the cta, but only those of @a get here; move it out of the switch, or use a pipe or a named barrier with the role's own number of threads | it would hang |
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
    OptionalAttr<Agent_NamedBarrierAttr>:$named_barrier,
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

#endif // DRAWLOOM_DIALECT_AGENT_IR_AGENTROLEOPS_TD
