//===- ModuleBytes.cpp - A compiled module as bytes -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Every structure lists its fields once, in `visit`, for both directions. The
// bytes hold no names and no versions: they are read by the build that wrote
// them, since its identity is a part of the key.

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Session/Cached.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

using namespace drawloom;

namespace {
class Writer {
public:
  void number(uint64_t value) {
    char bytes[8];
    llvm::support::endian::write64le(bytes, value);
    text.append(bytes, sizeof(bytes));
  }
  template <typename Bytes>
  void raw(Bytes &bytes) {
    number(bytes.size());
    text.append(bytes.data(), bytes.size());
  }
  /// Calls `visit` for what is inside a structure that may hold itself.
  void nest(llvm::function_ref<void()> visit) { visit(); }
  void fail() {}

  static constexpr bool isReader = false;
  std::string text;
};

class Reader {
public:
  explicit Reader(llvm::StringRef text) : text(text) {}

  uint64_t number() {
    if (text.size() < 8) {
      fail();
      return 0;
    }
    uint64_t value = llvm::support::endian::read64le(text.data());
    text = text.drop_front(8);
    return value;
  }
  /// How many elements follow. Each takes a byte at least.
  size_t count() {
    uint64_t size = number();
    if (size > text.size())
      fail();
    return failed ? 0 : size;
  }
  template <typename Bytes>
  void raw(Bytes &bytes) {
    size_t size = count();
    bytes.assign(text.begin(), text.begin() + size);
    text = text.drop_front(size);
  }
  void nest(llvm::function_ref<void()> visit) {
    if (++depth > 64)
      fail();
    if (!failed)
      visit();
    --depth;
  }
  void fail() {
    failed = true;
    text = "";
  }
  bool hasFailed() const { return failed; }
  bool isDone() const { return !failed && text.empty(); }

  static constexpr bool isReader = true;

private:
  llvm::StringRef text;
  unsigned depth = 0;
  bool failed = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// What structures are made of
//===----------------------------------------------------------------------===//

template <typename Archive, std::integral Number>
static void visit(Archive &archive, Number &value) {
  if constexpr (Archive::isReader) {
    uint64_t number = archive.number();
    value = static_cast<Number>(number);
    if (static_cast<uint64_t>(value) != number)
      archive.fail();
  } else {
    archive.number(static_cast<uint64_t>(value));
  }
}

/// An enumeration from 0 to `last`.
template <typename Archive, typename Enum>
static void visitChoice(Archive &archive, Enum &value, Enum last) {
  if constexpr (Archive::isReader) {
    uint64_t number = archive.number();
    if (number > static_cast<uint64_t>(last))
      return archive.fail();
    value = static_cast<Enum>(number);
  } else {
    archive.number(static_cast<uint64_t>(value));
  }
}

template <typename Archive>
static void visit(Archive &archive, std::string &text) {
  archive.raw(text);
  // Code that prints it as JSON relies on that.
  if (Archive::isReader && !llvm::json::isUTF8(text))
    archive.fail();
}

template <typename Archive>
static void visit(Archive &archive, std::vector<char> &bytes) {
  archive.raw(bytes);
}

/// An enumeration of a dialect.
template <typename Archive, typename Enum>
static void visitSymbol(Archive &archive, Enum &value,
                        std::optional<Enum> (*symbolize)(uint32_t)) {
  if constexpr (Archive::isReader) {
    uint64_t number = archive.number();
    std::optional<Enum> known;
    if (number <= UINT32_MAX)
      known = symbolize(static_cast<uint32_t>(number));
    if (!known)
      return archive.fail();
    value = *known;
  } else {
    archive.number(static_cast<uint64_t>(value));
  }
}

template <typename Archive>
static void visit(Archive &archive, agent::Engine &engine) {
  visitSymbol(archive, engine, agent::symbolizeEngine);
}
template <typename Archive>
static void visit(Archive &archive, agent::Scope &scope) {
  visitSymbol(archive, scope, agent::symbolizeScope);
}
template <typename Archive>
static void visit(Archive &archive, plan::Unit &unit) {
  visitChoice(archive, unit, plan::Unit::AtomicCounter);
}

template <typename Archive, typename Element>
static void visit(Archive &archive, std::optional<Element> &value);
template <typename Archive, typename Element>
static void visit(Archive &archive, std::vector<Element> &list);

//===----------------------------------------------------------------------===//
// Structures
//===----------------------------------------------------------------------===//

/// The fields of a structure, in order.
template <typename Archive, typename... Fields>
static void visitAll(Archive &archive, Fields &...fields);

template <typename Archive>
static void visit(Archive &archive, plan::Step &step) {
  visitChoice(archive, step.kind, plan::Step::Kind::Work);
  visitAll(archive, step.pipes, step.publishes, step.trips, step.offset,
           step.lag, step.every, step.from, step.work);
  archive.nest([&] { visit(archive, step.body); });
}

template <typename Archive>
static void visit(Archive &archive, plan::Role &role) {
  visitChoice(archive, role.kind, plan::Role::Kind::Schedule);
  visitAll(archive, role.name, role.warps, role.at, role.registers, role.scope,
           role.units, role.does, role.column, role.columns, role.produces,
           role.consumes, role.because, role.program);
}

template <typename Archive>
static void visit(Archive &archive, plan::Tensor &tensor) {
  visitAll(archive, tensor.name, tensor.type, tensor.bytes, tensor.offset,
           tensor.multicast, tensor.isHalved);
}

template <typename Archive>
static void visit(Archive &archive, plan::Consumer &consumer) {
  visitAll(archive, consumer.role, consumer.engine, consumer.lag);
}

template <typename Archive>
static void visit(Archive &archive, plan::PlacedPipe &place) {
  visitAll(archive, place.start, place.full, place.empty, place.reuses);
}

template <typename Archive>
static void visit(Archive &archive, plan::Pipe &pipe) {
  visitChoice(archive, pipe.memory, plan::Pipe::Memory::Message);
  visitAll(archive, pipe.name, pipe.slots, pipe.scope, pipe.tensors,
           pipe.slotSize, pipe.producer, pipe.producerEngine, pipe.consumers,
           pipe.fullArrivals, pipe.fullBytes, pipe.emptyArrivals,
           pipe.impliedBy, pipe.place, pipe.because);
}

template <typename Archive>
static void visit(Archive &archive, plan::MemoryRange &range) {
  visitAll(archive, range.name, range.offset, range.bytes);
}

/// By its name; a plan always has one.
template <typename Archive>
static void visit(Archive &archive, const target::Architecture *&arch) {
  std::string name;
  if constexpr (!Archive::isReader)
    name = arch->name.str();
  archive.raw(name);
  if constexpr (Archive::isReader) {
    llvm::Expected<const target::Architecture *> found =
        target::findArchitecture(name);
    if (found) {
      arch = *found;
    } else {
      llvm::consumeError(found.takeError());
      archive.fail();
    }
  }
}

namespace {
/// Whether everything that a plan names by its number is there, and no number
/// is beyond what the architecture or a barrier has: who prints a plan counts
/// up to them, adds, multiplies and divides.
class PlanCheck {
public:
  explicit PlanCheck(const plan::Plan &plan)
      : plan(plan), warps(plan.arch->maxThreadsPerCta / plan.arch->warpSize),
        registers(plan.arch->maxRegistersPerThread),
        bytes(plan.arch->maxSharedMemoryPerCta),
        columns(plan.arch->tensorMemory.columns) {}

  bool isSound() const {
    int64_t ctas = 1, warpsOfRoles = 0;
    for (int64_t dimension : plan.cluster) {
      if (!isWithin(dimension, 1, plan.arch->maxClusterSize))
        return false;
      ctas *= dimension;
      if (ctas > plan.arch->maxClusterSize)
        return false;
    }
    for (const plan::Role &role : plan.roles) {
      if (!isSound(role))
        return false;
      warpsOfRoles += role.warps;
    }
    return warpsOfRoles <= warps && areUpTo(warps, plan.warps) &&
           areUpTo(registers, plan.entryRegisters) &&
           areUpTo(bytes, plan.sharedBytes) &&
           areUpTo(columns, plan.tensorColumns) &&
           llvm::all_of(plan.holes,
                        [&](int64_t hole) { return areUpTo(warps, hole); }) &&
           llvm::all_of(plan.memory,
                        [&](const plan::MemoryRange &range) {
                          return !range.name.empty() &&
                                 areUpTo(bytes, range.offset, range.bytes);
                        }) &&
           llvm::all_of(plan.pipes,
                        [&](const plan::Pipe &pipe) { return isSound(pipe); });
  }

private:
  /// Of arrivals and of bytes, at a barrier.
  static constexpr int64_t mostOfABarrier = (1 << 20) - 1;
  /// A trip count is a difference of two numbers up to 2^40.
  static constexpr int64_t mostTrips = int64_t(1) << 41;
  /// The full and the empty barrier of a slot.
  static constexpr int64_t barrierBytes = 16;

  static bool isWithin(int64_t value, int64_t first, int64_t last) {
    return first <= value && value <= last;
  }
  template <typename... Values>
  static bool areUpTo(int64_t last, const Values &...values) {
    return (isWithin(std::optional<int64_t>(values).value_or(0), 0, last) &&
            ...);
  }
  static bool areIn(const auto &list, llvm::ArrayRef<unsigned> numbers) {
    return llvm::all_of(numbers,
                        [&](unsigned number) { return number < list.size(); });
  }

  bool isSound(const plan::Step &step) const {
    bool usesSlots = step.kind == plan::Step::Kind::Produce ||
                     step.kind == plan::Step::Kind::Consume;
    return areIn(plan.pipes, step.pipes) &&
           !(usesSlots && step.pipes.empty()) &&
           areUpTo(mostTrips, step.trips) &&
           isWithin(step.offset, -mostTrips, mostTrips) &&
           areUpTo(bytes / barrierBytes, step.lag) && step.every >= 1 &&
           isWithin(step.from, 0, step.every - 1) &&
           llvm::all_of(step.body, [&](const plan::Step &inner) {
             return isSound(inner);
           });
  }

  bool isSound(const plan::Role &role) const {
    return isWithin(role.warps, 1, warps) && areUpTo(warps, role.at) &&
           areUpTo(registers, role.registers) &&
           areUpTo(columns, role.column, role.columns) &&
           areIn(plan.pipes, role.produces) &&
           areIn(plan.pipes, role.consumes) &&
           llvm::all_of(role.program,
                        [&](const plan::Step &step) { return isSound(step); });
  }

  bool isSound(const plan::Pipe &pipe) const {
    bool inColumns = pipe.memory == plan::Pipe::Memory::Tensor;
    return isWithin(pipe.slots, 1, bytes / barrierBytes) &&
           areUpTo(inColumns ? columns : bytes, pipe.slotSize) &&
           areUpTo(mostOfABarrier, pipe.fullArrivals, pipe.fullBytes,
                   pipe.emptyArrivals) &&
           (!pipe.place || areUpTo(bytes, pipe.place->start, pipe.place->full,
                                   pipe.place->empty)) &&
           areIn(plan.roles, pipe.producer) &&
           llvm::all_of(pipe.tensors,
                        [&](const plan::Tensor &tensor) {
                          return areUpTo(bytes, tensor.bytes, tensor.offset);
                        }) &&
           llvm::all_of(pipe.consumers, [&](const plan::Consumer &consumer) {
             return areIn(plan.roles, consumer.role) &&
                    areUpTo(pipe.slots, consumer.lag);
           });
  }

  const plan::Plan &plan;
  const int64_t warps, registers, bytes, columns;
};
} // namespace

template <typename Archive>
static void visit(Archive &archive, plan::Plan &plan) {
  visitChoice(archive, plan.items, plan::Items::Dynamic);
  visitChoice(archive, plan.verdict, plan::Verdict::Undecided);
  visitAll(archive, plan.kernel, plan.arch, plan.cluster, plan.roles,
           plan.pipes, plan.warps, plan.holes, plan.entryRegisters,
           plan.sharedBytes, plan.tensorColumns, plan.memory, plan.verdictWords,
           plan.reasons);
  if (!plan.arch || !PlanCheck(plan).isSound())
    archive.fail();
}

/// As the JSON that is written next to code: its reader checks every number.
template <typename Archive>
static void visit(Archive &archive, runtime::KernelInfo &info) {
  std::string json;
  if constexpr (!Archive::isReader) {
    llvm::raw_string_ostream os(json);
    runtime::writeJson(info, os);
  }
  archive.raw(json);
  if constexpr (Archive::isReader) {
    llvm::Expected<runtime::KernelInfo> read = runtime::readKernelInfo(json);
    if (read) {
      info = std::move(*read);
    } else {
      llvm::consumeError(read.takeError());
      archive.fail();
    }
  }
}

template <typename Archive>
static void visit(Archive &archive, CompiledKernel &kernel) {
  visitAll(archive, kernel.plan, kernel.info, kernel.fallback);
}

template <typename Archive>
static void visit(Archive &archive, target::FunctionResources &function) {
  visitAll(archive, function.name, function.isKernel, function.registers,
           function.barriers, function.stackBytes, function.spillStoreBytes,
           function.spillLoadBytes, function.sharedBytes,
           function.constantBytes);
}

template <typename Archive>
static void visit(Archive &archive, target::PtxasMessage &message) {
  visitChoice(archive, message.severity, target::Severity::Error);
  visitAll(archive, message.code, message.line, message.function, message.text);
}

template <typename Archive>
static void visit(Archive &archive, Message &message) {
  visitChoice(archive, message.severity, mlir::DiagnosticSeverity::Remark);
  visitAll(archive, message.file, message.line, message.column, message.text);
  archive.nest([&] { visit(archive, message.notes); });
}

template <typename Archive>
static void visit(Archive &archive, CompiledModule &module) {
  visitAll(archive, module.kernels, module.text, module.ptx, module.cubin,
           module.report.functions, module.report.messages, module.messages);
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

template <typename Archive, typename Element>
static void visit(Archive &archive, std::optional<Element> &value) {
  bool isThere = value.has_value();
  visit(archive, isThere);
  if (!isThere)
    return;
  if constexpr (Archive::isReader)
    value.emplace();
  visit(archive, *value);
}

template <typename Archive, typename Element>
static void visit(Archive &archive, std::vector<Element> &list) {
  if constexpr (Archive::isReader) {
    // One by one: a number that promises many takes no memory for them.
    for (size_t left = archive.count(); left != 0 && !archive.hasFailed();
         --left)
      visit(archive, list.emplace_back());
  } else {
    archive.number(list.size());
    for (Element &element : list)
      visit(archive, element);
  }
}

template <typename Archive, typename... Fields>
static void visitAll(Archive &archive, Fields &...fields) {
  (visit(archive, fields), ...);
}

std::string drawloom::writeModule(const CompiledModule &module) {
  Writer writer;
  // A writer changes nothing; a reader does, and both are one function.
  visit(writer, const_cast<CompiledModule &>(module));
  return std::move(writer.text);
}

llvm::Expected<CompiledModule> drawloom::readModule(llvm::StringRef bytes) {
  Reader reader(bytes);
  CompiledModule module;
  visit(reader, module);
  if (!reader.isDone())
    return llvm::createStringError(
        "these bytes are no compiled module [module-bytes]");
  return module;
}
