//===- Pipes.h - What travels between roles, and how ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A value that another role reads travels through a pipe. Values share a pipe
// only if one role makes them at one place of the program, so that a slot is
// filled as often as it is emptied, whatever the trip counts: every end of a
// pipe stands in the loops that its values are made in, and in no other.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PIPES_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PIPES_H

#include "Crossing.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::agent {

/// Who fills a slot, which decides where the produce stands.
enum class Filler : uint8_t {
  /// Copies that the role only starts: the produce holds the loads.
  Load,
  /// MMAs in tensor memory: the produce holds the MMA, or its loop.
  Mma,
  /// Values that the role has computed: the produce comes after them.
  Computed,
};

/// A pipe before it exists.
struct PipeSpec {
  std::string name;
  Filler filler;
  Memory memory = Memory::smem;
  /// Who fills the slots, where the producer's role says it: of loads.
  std::optional<Engine> engine;
  int producer;
  /// The roles that read, and how many slots each keeps for later.
  llvm::SmallVector<std::pair<int, int64_t>, 2> consumers;
  /// The values of a slot, made in one block.
  llvm::SmallVector<mlir::Value, 2> values;
  int64_t slots = 2;
  llvm::SmallVector<Reason> because;
  /// The number of an earlier pipe whose slot this one takes when it is read.
  /// Who reads this one releases the other with it.
  std::optional<size_t> shares = {};

  bool isReadBy(int role) const {
    return llvm::is_contained(llvm::make_first_range(consumers), role);
  }
};

/// A store that goes through a slot of its own, for TMA to take it from there.
struct StagedStore {
  tile::StoreOp store;
  std::string name;
  int role;
  int64_t slots = 2;
  llvm::SmallVector<Reason> because;
  /// The number of an earlier store whose slots this one uses, too.
  std::optional<size_t> shares = {};
};

/// A tile.all_gather: its parts travel through slots of all CTAs.
struct Exchange {
  mlir::Operation *gather;
  std::string name;
  int role;
  int64_t slots = 2;
  llvm::SmallVector<Reason> because;
};

struct Pipes {
  llvm::SmallVector<PipeSpec> pipes;
  llvm::SmallVector<StagedStore> stores;
  llvm::SmallVector<Exchange> exchanges;
};

/// Decides about every value that crosses and every store that is staged.
MaybeRejection findPipes(Item &item, const Owners &owners,
                         llvm::ArrayRef<Part> parts,
                         const tile::Schedule &schedule,
                         const target::Architecture &arch, Pipes &pipes);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PIPES_H
