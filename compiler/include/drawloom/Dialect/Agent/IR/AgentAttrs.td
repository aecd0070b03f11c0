//===- AgentAttrs.td - What passes decide about a kernel - -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_IR_AGENTATTRS_TD
#define DRAWLOOM_DIALECT_AGENT_IR_AGENTATTRS_TD

include "drawloom/Dialect/Agent/IR/AgentTypes.td"

class Agent_Attr<string name, string attrMnemonic>
    : AttrDef<Agent_Dialect, name> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

def Agent_PlaceAttr : Agent_Attr<"Place", "place"> {
  let summary = "where the slots and barriers of a pipe are";
  let description = [{
    Set by `place-memory`. `start` is where the first slot begins: bytes from
    the start of the CTA's shared memory, or, for a pipe in tensor memory, a
    column of the allocation. `stride` is the distance from one slot to the
    next, in the same unit. `full` and `empty` are the first barriers of each
    kind, in bytes of shared memory; those of the other slots follow, 8 bytes
    apart. `reuses` names the pipe whose bytes these are, if they had another
    use before.

    ```mlir
    #agent.place<start = 0, stride = 49152, full = 212992, empty = 213024>
    #agent.place<start = 0, stride = 16384, full = 213056, empty = 213072, reuses = "operands">
    ```
  }];
  let parameters = (ins
    "int64_t":$start, "int64_t":$stride, "int64_t":$full, "int64_t":$empty,
    OptionalParameter<"::mlir::StringAttr">:$reuses);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Agent_ScratchAttr : Agent_Attr<"Scratch", "scratch"> {
  let summary = "room of a role beside the pipes";
  let description = [{
    Set by `place-memory` for what a role keeps in no pipe: `bytes` of shared
    memory from `offset`, and `columns` of tensor memory from `column`.

    ```mlir
    #agent.scratch<offset = 65536, bytes = 1024, column = 0, columns = 0>
    ```
  }];
  let parameters = (ins
    "int64_t":$offset, "int64_t":$bytes, "int64_t":$column,
    "int64_t":$columns);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Agent_NamedBarrierAttr : Agent_Attr<"NamedBarrier", "named_barrier"> {
  let summary = "the named barrier of a role";
  let description = [{
    Set by `access-memory` for roles whose warps hand something to each other:
    the number of their named barrier, and where in shared memory they put what
    a reduction combines.

    ```mlir
    #agent.named_barrier<barrier = 1, parts = 65536>
    ```

    | message | why |
    |---|---|
    | barrier 16; a CTA has 15 named ones, from 1 on | 0 is the whole CTA's |
  }];
  let parameters = (ins "int64_t":$barrier, "int64_t":$parts);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Reasons
//===----------------------------------------------------------------------===//

def Agent_ReasonAttr : Agent_Attr<"Reason", "reason"> {
  let summary = "why a role or a pipe is as it is";
  let description = [{
    A rule that fired (see [Roles and pipes](../Roles.md)), and what it did, in
    the program's own names.

    ```mlir
    #agent.reason<"slots-by-kind", "2 slots: one is filled while the other is read">
    ```
  }];
  let parameters = (ins "::drawloom::agent::Rule":$rule,
                        StringRefParameter<"what the rule did">:$sentence);
  let assemblyFormat = "`<` custom<Rule>($rule) `,` $sentence `>`";
  let extraClassDeclaration = [{
    /// "slots-by-kind: 2 slots: ...".
    std::string str() const;
  }];
}

def Agent_ReasonArrayAttr : TypedArrayAttrBase<Agent_ReasonAttr, "reasons">;

//===----------------------------------------------------------------------===//
// The verdict on progress
//===----------------------------------------------------------------------===//

def Agent_VerdictKind : I32Enum<"VerdictKind", "a verdict", [
    I32EnumCase<"proved", 0>,
    I32EnumCase<"proved_if", 1>,
    I32EnumCase<"deadlock", 2>,
    I32EnumCase<"undecided", 3>]> {
  let cppNamespace = "::drawloom::agent";
}

def Agent_SizeAttr : Agent_Attr<"Size", "size"> {
  let summary = "a size that a verdict speaks of";
  let description = [{
    How often a loop runs. `value` is an affine map of `of`: each entry is the
    number of a kernel's argument and, for a view, one of its dimensions. A
    number below zero counts as zero. Without `value` it is a size that no
    launch knows, such as the number of work tiles that a cluster takes. A size
    that is `per_item` may differ from one item to the next.

    ```mlir
    #agent.size<name = "ceil(dim 1 of a / 64)", of = [array<i64: 0, 1>], value = affine_map<()[s0] -> (s0 ceildiv 64)>>
    #agent.size<name = "work tiles">
    ```
  }];
  let parameters = (ins
    "::mlir::StringAttr":$name,
    OptionalParameter<"::mlir::UnitAttr">:$per_item,
    OptionalParameter<"::mlir::ArrayAttr">:$of,
    OptionalParameter<"::mlir::AffineMapAttr">:$value);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Agent_BoundAttr : Agent_Attr<"Bound", "bound"> {
  let summary = "an interval that a size is in";
  let description = [{
    `size` is an index into the sizes of the verdict; `min` and `max` belong to
    the interval.

    ```mlir
    #agent.bound<size = 1, min = 1, max = 4>
    ```
  }];
  let parameters = (ins
    "int64_t":$size,
    OptionalParameter<"std::optional<int64_t>">:$min,
    OptionalParameter<"std::optional<int64_t>">:$max);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Agent_VerdictAttr : Agent_Attr<"Verdict", "verdict"> {
  let summary = "whether the roles of a switch end";
  let description = [{
    Set by `prove-progress`.

    | verdict | what comes with it |
    |---|---|
    | `proved` | |
    | `proved_if` | `words`, and the same as data: the `condition` holds if all bounds of one of its cases do, over `sizes` |
    | `deadlock` | |
    | `undecided` | `because`: what the model has no word for |

    `assumes` lists what the proof relies on and doesn't check.

    ```mlir
    #agent.verdict<proved>
    #agent.verdict<proved_if, words = "ceil(dim 0 of k / 128) >= 1",
                   condition = [[#agent.bound<size = 1, min = 1>], [#agent.bound<size = 0, max = 0>]],
                   sizes = [#agent.size<name = "work tiles">,
                            #agent.size<name = "ceil(dim 0 of k / 128)", of = [array<i64: 1, 0>], value = affine_map<()[s0] -> (s0 ceildiv 128)>>]>
    #agent.verdict<undecided, because = "'scf.while', whose trip count is unknown before it runs">
    ```
  }];
  let parameters = (ins
    EnumParameter<Agent_VerdictKind>:$kind,
    OptionalParameter<"::mlir::ArrayAttr">:$assumes,
    OptionalParameter<"::mlir::StringAttr">:$because,
    OptionalParameter<"::mlir::StringAttr">:$words,
    OptionalParameter<"::mlir::ArrayAttr">:$condition,
    OptionalParameter<"::mlir::ArrayAttr">:$sizes);
  let assemblyFormat = [{
    `<` $kind (`,` struct($assumes, $because, $words, $condition, $sizes)^)? `>`
  }];
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Between passes, and for the launch
//===----------------------------------------------------------------------===//

def Agent_OwnerAttr : Agent_Attr<"Owner", "owner"> {
  let summary = "a role that operations can belong to";
  let description = [{
    Between `assign-roles` and `form-pipes` the kernel lists its roles in
    `agent.roles`, and each operation names the one it belongs to.

    `loads` says who copies what the role loads into its slots: the role's
    threads (`cp_async`) unless it says `tma`.

    ```mlir
    #agent.owner<name = "operand_load", warps = 1, loads = tma, because = [#agent.reason<"tma-load", "...">]>
    #agent.owner<name = "mma", warps = 1, because = [#agent.reason<"one-thread-issues", "...">]>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$warps,
                        DefaultValuedParameter<"::drawloom::agent::Engine",
                            "::drawloom::agent::Engine::cp_async">:$loads,
                        "::mlir::ArrayAttr":$because);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Agent_ParameterKind : I32Enum<"ParameterKind", "a kind of parameter", [
    I32EnumCase<"map", 0>,
    I32EnumCase<"pointer", 1>,
    I32EnumCase<"stride", 2>,
    I32EnumCase<"size", 3>,
    I32EnumCase<"scalar", 4>]> {
  let cppNamespace = "::drawloom::agent";
}

def Agent_ParameterAttr : Agent_Attr<"Parameter", "parameter"> {
  let summary = "what a parameter of a compiled kernel is";
  let description = [{
    A function that code was generated to lists in `agent.parameters` what it is
    called with. `argument` is the number of the tile program's argument.

    | kind | what the launch passes | what comes with it |
    |---|---|---|
    | `map` | a tensor map | `box`, innermost first; `swizzle` in bytes, 0 for none; `atom`, the bytes that the swizzle moves together |
    | `pointer` | the address of the first element | |
    | `stride` | a stride in elements | `dimension` |
    | `size` | a size | `dimension` |
    | `scalar` | the argument itself | |

    ```mlir
    #agent.parameter<map, argument = 0, box = [64, 128], swizzle = 128, atom = 16>
    #agent.parameter<size, argument = 0, dimension = 1>
    ```
  }];
  let parameters = (ins
    EnumParameter<Agent_ParameterKind>:$kind, "int64_t":$argument,
    OptionalParameter<"std::optional<int64_t>">:$dimension,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$box,
    OptionalParameter<"std::optional<int64_t>">:$swizzle,
    OptionalParameter<"std::optional<int64_t>">:$atom);
  let assemblyFormat = [{
    `<` $kind `,` struct($argument, $dimension, $box, $swizzle, $atom) `>`
  }];
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Words of the protocol
//===----------------------------------------------------------------------===//

def Agent_Fence : I32Enum<"Fence", "a fence", [
    I32EnumCase<"async", 0>,
    I32EnumCase<"tensor_before", 1>,
    I32EnumCase<"tensor_after", 2>]> {
  let cppNamespace = "::drawloom::agent";
}

def Agent_FenceAttr : EnumAttr<Agent_Dialect, Agent_Fence, "fence"> {
  let assemblyFormat = "$value";
}

def Agent_Work : I32Enum<"Work", "a kind of work", [
    I32EnumCase<"cp_async", 0>,
    I32EnumCase<"stores", 1>,
    I32EnumCase<"tensor_stores", 2>,
    I32EnumCase<"wgmma", 3>]> {
  let cppNamespace = "::drawloom::agent";
}

def Agent_WorkAttr : EnumAttr<Agent_Dialect, Agent_Work, "work"> {
  let assemblyFormat = "$value";
}

def Agent_Participants : I32Enum<"Participants", "a set of threads", [
    I32EnumCase<"warp", 0>,
    I32EnumCase<"role", 1>,
    I32EnumCase<"cta", 2>,
    I32EnumCase<"cluster", 3>]> {
  let cppNamespace = "::drawloom::agent";
}

def Agent_ParticipantsAttr : EnumAttr<Agent_Dialect, Agent_Participants, "participants"> {
  let assemblyFormat = "$value";
}

def Agent_Ordering : I32Enum<"Ordering", "an order between CTAs", [
    I32EnumCase<"local", 0>,
    I32EnumCase<"remote", 1>,
    I32EnumCase<"execution", 2>]> {
  let cppNamespace = "::drawloom::agent";
}

def Agent_OrderingAttr : EnumAttr<Agent_Dialect, Agent_Ordering, "ordering"> {
  let description = [{
    What a barrier orders between the CTAs that arrive and the one that waits.

    | ordering | what it orders | of which slots |
    |---|---|---|
    | `local` | shared memory: what engines have written, and what threads have accessed in their own CTA | those that engines fill, and those that threads empty |
    | `remote` | shared memory: also what threads have written in other CTAs | those that threads fill for other CTAs |
    | `execution` | no memory: what comes before the arrival is over | those in tensor memory, which `agent.fence` orders, and those that tcgen05 MMAs empty and TMA fills |
  }];
  let assemblyFormat = "`<` $value `>`";
}

#endif // DRAWLOOM_DIALECT_AGENT_IR_AGENTATTRS_TD
