//===- AgentTransferOps.td - Copies and MMAs --------- -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What is done to a slot while its barriers say that it is ours. A part of
// AgentProtocolOps.td.

#ifndef DRAWLOOM_DIALECT_AGENT_IR_AGENTTRANSFEROPS_TD
#define DRAWLOOM_DIALECT_AGENT_IR_AGENTTRANSFEROPS_TD

include "drawloom/Dialect/Agent/IR/AgentOpBase.td"
include "drawloom/Dialect/Tile/IR/TileTypes.td"

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

// A box of a view, as in tile.load: `dims` are the dimensions of the view that
// the tile has.
class Agent_CopyOp<string mnemonic, dag source, dag rest, list<Trait> traits>
    : Agent_Op<mnemonic, traits> {
  let arguments = !con(source, (ins
    Variadic<Index>:$offsets, DenseI64ArrayAttr:$static_offsets,
    DenseI64ArrayAttr:$dims, Agent_EngineAttr:$engine), rest);
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
    /// The tile that moves.
    ::mlir::RankedTensorType getTile();
  }];
  let hasVerifier = 1;
}

def Agent_SlotLoadOp : Agent_CopyOp<"load",
    (ins Arg<Tile_View, "the tensor to read", [MemRead]>:$view),
    (ins TypedAttrInterface:$pad,
         Arg<Tile_Buffer, "the slot to fill", [MemWrite]>:$buffer,
         Optional<Agent_Barrier>:$barrier, UnitAttr:$aligned,
         Optional<I32>:$place, Optional<I32>:$ctas,
         DefaultValuedAttr<Agent_Number, "1">:$parts),
    [AttrSizedOperandSegments]> {
  let summary = "copies a tile into a slot";
  let description = [{
    Starts a copy of the box of a view that begins at the offsets. What is
    outside the view becomes `pad`.

    | by | who copies | and then |
    |---|---|---|
    | `tma` | the engine, started by one thread | its bytes come to the barrier |
    | `cp_async` | all threads of the role, by cp.async where memory is aligned | the arrival by(cp_async), or a drain |

    `aligned` says that the rows of the box begin at multiples of 16 bytes:
    those of a view with a tensor map do, and so does the box's first column.

    ```mlir
    agent.load %a[%m, %k] dims [0, 1] pad(0.0 : bf16) to %x by(tma) tells %full
      : !tile.view<?x?xbf16>, !tile.buffer<128x64xbf16, smem>
    ```

    With `part`, the rows of the tile are cut into equal parts. One of them goes
    to the same place in all these CTAs (see `agent.peers`), and its bytes to the
    same barrier in each.

    ```mlir
    agent.load %b[%n, %k] dims [0, 1] pad(0.0 : bf16) to %y by(tma) tells %full part(%place of 2) in(%ctas)
      : !tile.view<?x?xbf16>, !tile.buffer<256x64xbf16, smem>
    ```

    | message | why |
    |---|---|
    | has 1 offsets for a view of rank 2 | |
    | has 1 dims for a tile of rank 2 in a view of rank 2 | |
    | is by(threads): copies are made by TMA or by cp.async | |
    | is by(tma) and tells no barrier; TMA brings its bytes to one, and threads arrive on their own | no waiting role would know when the tile is there |
    | pads with a number other than zero, which tensor maps can't; let threads copy it | |
    | is by(cp_async) in other CTAs; cp.async writes to its own | |
    | cuts a 'tensor<24x64xbf16>' into 4 parts; a part is a multiple of 8 rows | the swizzle of shared memory repeats after 8 rows |
  }];
  let assemblyFormat = [{
    $view `` custom<DynamicIndexList>($offsets, $static_offsets)
    `dims` $dims `pad` `(` $pad `)` `to` $buffer `` custom<Engine>($engine)
    (`tells` $barrier^)? (`aligned` $aligned^)?
    (`part` `(` $place^ `of` $parts `)` `in` `(` $ctas `)`)? attr-dict `:`
    qualified(type($view)) `,` qualified(type($buffer))
  }];
}

def Agent_SlotStoreOp : Agent_CopyOp<"store",
    (ins Arg<Tile_Buffer, "the slot to store", [MemRead]>:$buffer,
         Arg<Tile_View, "the tensor to write", [MemWrite]>:$view),
    (ins), []> {
  let summary = "copies a tile out of a slot";
  let description = [{
    Starts a copy to the box of a view that begins at the offsets. What is
    outside the view is dropped.

    | by | who copies |
    |---|---|
    | `tma` | the engine, started by one thread; `agent.commit_stores` ends a group |
    | `threads` | all threads of the role |

    ```mlir
    agent.store %x to %d[%m, %n] dims [0, 1] by(tma) : !tile.buffer<128x64xbf16, smem>, !tile.view<?x?xbf16>
    ```

    | message | why |
    |---|---|
    | has 1 offsets for a view of rank 2 | |
    | has 1 dims for a tile of rank 2 in a view of rank 2 | |
    | is by(cp_async): slots are stored by TMA or by threads | |
  }];
  let assemblyFormat = [{
    $buffer `to` $view `` custom<DynamicIndexList>($offsets, $static_offsets)
    `dims` $dims `` custom<Engine>($engine) attr-dict `:`
    qualified(type($buffer)) `,` qualified(type($view))
  }];
}

def Agent_FitsOp : Agent_Op<"fits", [Pure]> {
  let summary = "whether a tensor map cuts a box where its view ends";
  let description = [{
    A tensor map knows the edges of an argument, not those of a part of it. True
    if the box is inside the part along all `dims`, or the part ends where
    the argument does.

    ```mlir
    %fits = agent.fits %part[%m, %k] dims [0, 1] of [128, 64] : !tile.view<?x?xbf16>
    ```

    | message | why |
    |---|---|
    | has 1 offsets for a view of rank 2 | |
    | has 1 dims for a tile of rank 2 in a view of rank 2 | |
  }];
  let arguments = (ins Tile_View:$view, Variadic<Index>:$offsets,
                       DenseI64ArrayAttr:$static_offsets,
                       DenseI64ArrayAttr:$dims, DenseI64ArrayAttr:$shape);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $view `` custom<DynamicIndexList>($offsets, $static_offsets)
    `dims` $dims `of` $shape attr-dict `:` qualified(type($view))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
  }];
}

//===----------------------------------------------------------------------===//
// MMAs and registers
//===----------------------------------------------------------------------===//

// A tile, or after `access-memory` the memory that it is in.
def Agent_Operand : AnyTypeOf<[Tile_Tile, Tile_Buffer],
                              "tile or buffer", "::mlir::ShapedType">;

class Agent_MmaOp<string mnemonic, list<Trait> traits = []>
    : Agent_Op<mnemonic, traits> {
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getM() { return getA().getType().getDimSize(0); }
    int64_t getN() { return getB().getType().getDimSize(0); }
    int64_t getK() { return getA().getType().getDimSize(1); }
  }];
}

def Agent_MultiplyOp : Agent_MmaOp<"multiply"> {
  let summary = "an MMA into tensor memory";
  let description = [{
    Issues `accumulator = accumulator + a * b`, or `accumulator = a * b` where `accumulate` is false.
    `a` and `b` are as in `tile.mma` and are in slots: tiles that were read, and
    after `access-memory` the buffers themselves. The tensor core does it on its
    own; `agent.arrive by(tensor_core)` tells when. With `negated` the MMA is
    subtracted.

    With `pair` it is issued for two CTAs: the slots and the accumulator are at
    the same place in both, and `b` is half of the columns, in each CTA its own.

    ```mlir
    agent.multiply %x, %y into %sum accumulate(%more)
      : tensor<128x64xbf16>, tensor<256x64xbf16>, !tile.buffer<128x256xf32, tmem>
    ```

    | message | why |
    |---|---|
    | multiplies 'tensor<128x64xbf16>' by 'tensor<256x32xbf16>' into '!tile.buffer<128x256xf32, tmem>'; k is the last size of both, and the accumulator is m by n | |
  }];
  let arguments = (ins Agent_Operand:$a, Agent_Operand:$b,
                       Arg<Tile_Buffer, "the accumulator", [MemRead, MemWrite]>:$accumulator,
                       I1:$accumulate, UnitAttr:$tf32, UnitAttr:$negated,
                       UnitAttr:$pair);
  let assemblyFormat = [{
    $a `,` $b `into` $accumulator `accumulate` `(` $accumulate `)` (`tf32` $tf32^)?
    (`negated` $negated^)? (`pair` $pair^)? attr-dict `:` type($a) `,` type($b) `,` qualified(type($accumulator))
  }];
}

def Agent_IssueOp : Agent_MmaOp<"issue"> {
  let summary = "an MMA of warp groups, started";
  let description = [{
    Starts `acc + a * b`, or `a * b` without `acc`, by wgmma, and closes a group
    with it. MMAs of one accumulator are done in order, so it may go on with an accumulator
    that is in flight. With `negated` the MMA is subtracted. If `a` is in registers, they belong to the MMA until
    it is done.

    ```mlir
    %t = agent.issue %x, %y onto %s
      : tensor<64x64xbf16>, tensor<256x64xbf16>, !agent.in_flight<tensor<64x256xf32>> -> !agent.in_flight<tensor<64x256xf32>>
    ```

    | message | why |
    |---|---|
    | multiplies 'tensor<64x64xbf16>' by 'tensor<256x32xbf16>' into 'tensor<64x256xf32>'; k is the last size of both, and the accumulator is m by n | |
    | goes on with a 'tensor<64x128xf32>', but makes a 'tensor<64x256xf32>' | |
  }];
  let arguments = (ins Agent_Operand:$a, Agent_Operand:$b,
                       Optional<AnyTypeOf<[Tile_Tile, Agent_InFlight]>>:$acc,
                       UnitAttr:$tf32, UnitAttr:$negated);
  let results = (outs Agent_InFlight:$accumulator);
  let assemblyFormat = [{
    $a `,` $b (`onto` $acc^)? (`tf32` $tf32^)? (`negated` $negated^)? attr-dict `:` type($a) `,`
    type($b) (`,` type($acc)^)? `->` qualified(type($accumulator))
  }];
}

def Agent_AddMmaOp : Agent_MmaOp<"add_mma", [
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "an MMA whose accumulator threads add";
  let description = [{
    `acc + a * b` by wgmma, done when the operation is over. Accumulators of 8-bit
    MMAs keep some 14 bits only (PTX does not say how many), so each
    MMA is an accumulator of its own that threads add to `acc`, `columns` columns at
    a time. With `negated` they are subtracted.

    ```mlir
    %t = agent.add_mma %x, %y onto %s columns(128)
      : !tile.buffer<64x128xf8E4M3FN, smem, #tile.panels<128x1, swizzle 16>>, !tile.buffer<256x128xf8E4M3FN, smem, #tile.panels<128x1, swizzle 16>>
      -> tensor<64x256xf32>
    ```

    | message | why |
    |---|---|
    | multiplies ... by ... into ...; k is the last size of both, and the accumulator is m by n | |
    | adds 48 columns at a time, but has 256 | |
  }];
  let arguments = (ins Agent_Operand:$a, Agent_Operand:$b, Tile_Tile:$acc,
                       Agent_Number:$columns, UnitAttr:$negated);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $a `,` $b `onto` $acc `columns` `(` $columns `)` (`negated` $negated^)?
    attr-dict `:` type($a) `,` type($b) `->` type($result)
  }];
}

def Agent_AsInFlightOp : Agent_Op<"as_in_flight", [
    Pure, TypesMatchWith<"the accumulator has the type of the tile", "tile", "accumulator",
        "InFlightType::get($_self.getContext(), "
        "::llvm::cast<::mlir::RankedTensorType>($_self))">]> {
  let summary = "an accumulator that is done, as one that may be in flight";
  let description = [{
    No instruction: a loop carries an accumulator in flight, and this is what it starts
    with.

    ```mlir
    %s = agent.as_in_flight %zero : tensor<64x256xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$tile);
  let results = (outs Agent_InFlight:$accumulator);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
}

def Agent_AwaitOp : Agent_Op<"await"> {
  let summary = "waits for MMAs, and gives their accumulators";
  let description = [{
    Waits until at most the `pending` newest groups of MMAs are not done.
    The accumulators that are listed belong to older ones. Without accumulators it is for a slot
    that MMAs have read.

    ```mlir
    %t = agent.await %s pending(1) : !agent.in_flight<tensor<64x256xf32>> -> tensor<64x256xf32>
    ```

    | message | why |
    |---|---|
    | takes 2 accumulators and gives 1 tiles; each accumulator gives its tile | |
  }];
  let arguments = (ins Variadic<Agent_InFlight>:$accumulators,
                       DefaultValuedAttr<Agent_Number, "0">:$pending);
  let results = (outs Variadic<Tile_Tile>:$tiles);
  let assemblyFormat = [{
    ($accumulators^)? (`pending` `(` $pending^ `)`)? attr-dict
    (`:` qualified(type($accumulators))^ `->` type($tiles))?
  }];
  let hasVerifier = 1;
}

def Agent_OrZeroOp : Agent_Op<"or_zero", [
    Pure, AllTypesMatch<["tile", "result"]>]> {
  let summary = "an accumulator of MMAs, or zeros if there are none";
  let description = [{
    An accumulator of no MMAs is not in its slot: no MMA wrote it. `filled` is false
    then. `lower-pipes` has threads write zeros there.

    ```mlir
    %sum = agent.or_zero %t if(%filled) : tensor<128x256xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$tile, I1:$filled);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$tile `if` `(` $filled `)` attr-dict `:` type($tile)";
}

#endif // DRAWLOOM_DIALECT_AGENT_IR_AGENTTRANSFEROPS_TD
