//===- Pipes.cpp - What travels between roles, and how --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pipes.h"
#include "Copies.h"
#include "Dataflow.h"
#include "OwnTransfers.h"
#include "StorePlaces.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Input/Suggest.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

namespace {

class PipeFinder {
public:
  PipeFinder(Item &item, const Owners &owners, ArrayRef<Part> parts,
             const tile::Schedule &schedule, const target::Architecture &arch)
      : item(item), owners(owners), parts(parts), schedule(schedule),
        arch(arch) {}

  MaybeRejection run(Pipes &pipes);

private:
  void findReaders();
  void join();
  Filler getFiller(Value value) const;
  void addPipe(ArrayRef<Value> values, Pipes &pipes);
  void shareColumns(Pipes &pipes) const;
  void nameIt(PipeSpec &pipe);
  void placeIt(PipeSpec &pipe);
  int64_t getLag(const PipeSpec &pipe, int role) const;
  bool isLoadedAhead(const PipeSpec &pipe) const;
  MaybeRejection countSlots(PipeSpec &pipe) const;
  MaybeRejection checkStores() const;
  void stageStores(Pipes &pipes);
  void findExchanges(Pipes &pipes);
  std::vector<std::string> getKnownNames(const Pipes &pipes) const;
  MaybeRejection checkNames(const Pipes &pipes) const;
  std::string getFreeName(StringRef name);
  bool readByMmas(const PipeSpec &pipe, bool asFirstOnly) const;
  bool isRescaled(const PipeSpec &pipe) const;

  Item &item;
  const Owners &owners;
  ArrayRef<Part> parts;
  const tile::Schedule &schedule;
  const target::Architecture &arch;

  /// What crosses, in the order of the program, and who reads it.
  llvm::MapVector<Value, SmallVector<int, 2>> readers;
  /// What roles pass to themselves.
  OwnTransfers own;
  llvm::EquivalenceClasses<void *> groups;
  /// Groups that the schedule or an operation made; others are alone.
  DenseMap<Value, Rule> joinedBy;
  llvm::StringSet<> names;
};

} // namespace

static void *key(Value value) { return value.getAsOpaquePointer(); }

//===----------------------------------------------------------------------===//
// What travels together
//===----------------------------------------------------------------------===//

void PipeFinder::findReaders() {
  SmallVector<Value> values;
  DenseMap<Value, SmallVector<int, 2>> found;
  for (auto [role, part] : llvm::enumerate(parts))
    for (Value value : part.crossing) {
      if (!found.contains(value))
        values.push_back(value);
      found[value].push_back(role);
    }
  if (arch.tensorMemory.columns != 0)
    own = findOwnTransfers(item, owners);
  for (Value value : own.values) {
    if (!found.contains(value))
      values.push_back(value);
    found[value].push_back(owners.of(value));
  }
  sortByProgram(item, values);
  for (Value value : values)
    readers[value] = found[value];
}

Filler PipeFinder::getFiller(Value value) const {
  int role = owners.of(value);
  if (own.results.contains(value))
    return Filler::Mma;
  if (value.getDefiningOp<tile::LoadOp>() &&
      ownsOnly(item, owners, role, llvm::IsaPred<tile::LoadOp>))
    return Filler::Load;
  if (isa<OpResult>(value) && arch.tensorMemory.columns != 0 &&
      ownsOnly(item, owners, role, llvm::IsaPred<tile::MmaOp>)) {
    // An accumulator that its own role goes on with has to be copied.
    bool readAtHome = false;
    forEachRead(value, role, owners, [&](OpOperand &use) {
      readAtHome |= getReader(use, owners) == role;
    });
    if (!readAtHome)
      return Filler::Mma;
  }
  return Filler::Computed;
}

void PipeFinder::join() {
  auto unite = [&](Value a, Value b, Rule rule) {
    if (a == b || owners.of(a) != owners.of(b) ||
        a.getParentBlock() != b.getParentBlock())
      return;
    groups.unionSets(key(a), key(b));
    joinedBy.try_emplace(a, rule);
    joinedBy.try_emplace(b, rule);
  };
  for (auto &[value, roles] : readers)
    groups.insert(key(value));
  // As the schedule asks.
  for (const std::vector<std::string> &group : schedule.together) {
    Value first;
    for (auto &[value, roles] : readers) {
      auto load = value.getDefiningOp<tile::LoadOp>();
      if (!load || !llvm::is_contained(group, getViewName(load.getView())))
        continue;
      if (first)
        unite(first, value, Rule::AskedTogether);
      else
        first = value;
    }
  }
  // As operations read them.
  DenseMap<Operation *, SmallVector<Value>> readBy;
  for (auto &[value, roles] : readers) {
    if (getFiller(value) == Filler::Load)
      for (int role : roles)
        forEachRead(value, role, owners, [&, v = value](OpOperand &use) {
          Operation *reader = use.getOwner();
          if (isa<scf::ForOp>(reader) ||
              reader->hasTrait<OpTrait::IsTerminator>())
            return;
          for (Value other : readBy[reader])
            unite(other, v, Rule::ReadTogether);
          readBy[reader].push_back(v);
        });
    // One operation has one produce around it.
    if (auto result = dyn_cast<OpResult>(value))
      for (Value other : result.getOwner()->getResults())
        if (other != value && readers.contains(other))
          unite(value, other, Rule::OneLoop);
  }
}

//===----------------------------------------------------------------------===//
// One pipe
//===----------------------------------------------------------------------===//

std::string PipeFinder::getFreeName(StringRef name) {
  std::string candidate = name.str();
  for (unsigned i = 1; !names.insert(candidate).second; ++i)
    candidate = (name + "_" + Twine(i)).str();
  return candidate;
}

/// Whether MMAs read the values, and nothing else where it matters:
/// `asFirstOnly` asks for the first operand as it is.
bool PipeFinder::readByMmas(const PipeSpec &pipe, bool asFirstOnly) const {
  bool any = false, all = true;
  for (Value value : pipe.values)
    for (auto [role, lag] : pipe.consumers)
      forEachRead(value, role, owners, [&](OpOperand &use) {
        if (owners.of(use.getOwner()) != role)
          return;
        auto mma = dyn_cast<tile::MmaOp>(use.getOwner());
        any |= isOperandOfMma(use);
        all &= mma && &use == &mma.getAMutable() && use.get() == value;
      });
  return any && (all || !asFirstOnly);
}

/// Whether a role gives an MMA what it adds to.
static bool isStart(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    auto mma = dyn_cast<tile::MmaOp>(use.getOwner());
    return mma && &use == &mma.getAccMutable();
  });
}

/// Whether a pipe is one of the two between which an accumulator that is
/// rescaled goes to and fro.
bool PipeFinder::isRescaled(const PipeSpec &pipe) const {
  Value value = pipe.values.front();
  auto mma = value.getDefiningOp<tile::MmaOp>();
  return (pipe.filler == Filler::Computed && isStart(value)) ||
         (pipe.filler == Filler::Mma && mma && readers.contains(mma.getAcc()));
}

void PipeFinder::nameIt(PipeSpec &pipe) {
  switch (pipe.filler) {
  case Filler::Mma:
    pipe.name = getFreeName("result");
    break;
  case Filler::Computed:
    pipe.name = getFreeName(isRescaled(pipe) ? "rescaled" : "middle");
    break;
  case Filler::Load: {
    auto load = pipe.values.front().getDefiningOp<tile::LoadOp>();
    bool operands = pipe.values.size() > 1 && readByMmas(pipe, false);
    pipe.name =
        getFreeName(operands ? "operands" : getViewName(load.getView()));
  }
  }
}

/// Whether tiles use all lanes of tensor memory.
static bool fillLanes(ArrayRef<Value> tiles, const target::Architecture &arch) {
  return llvm::all_of(tiles, [&](Value tile) {
    return cast<ShapedType>(tile.getType()).getDimSize(0) %
               arch.tensorMemory.lanes ==
           0;
  });
}

void PipeFinder::placeIt(PipeSpec &pipe) {
  if (pipe.filler == Filler::Mma) {
    pipe.memory = Memory::tmem;
    pipe.because.push_back(fire(Rule::ResultInTensorMemory));
  } else if (isRescaled(pipe)) {
    pipe.memory = Memory::tmem;
    pipe.because.push_back(fire(Rule::RescaledInTensorMemory));
  } else if (pipe.filler == Filler::Computed &&
             arch.tensorMemory.columns != 0 && readByMmas(pipe, true) &&
             fillLanes(pipe.values, arch) &&
             llvm::all_of(pipe.consumers, [&](auto consumer) {
               return ownsOnly(item, owners, consumer.first,
                               llvm::IsaPred<tile::MmaOp>);
             })) {
    pipe.memory = Memory::tmem;
    pipe.because.push_back(fire(Rule::OperandInTensorMemory));
  } else {
    int64_t bytes = 0;
    for (Value value : pipe.values) {
      auto type = cast<RankedTensorType>(value.getType());
      auto load = value.getDefiningOp<tile::LoadOp>();
      bytes += plan::getTileBytes(type, load && load.getHalved() ? 2 : 1);
    }
    pipe.because.push_back(fire(Rule::InSharedMemory, bytes));
  }
}

/// An MMA in registers still reads its operands when its iteration is over,
/// if nothing but the next iteration waits for the accumulator.
int64_t PipeFinder::getLag(const PipeSpec &pipe, int role) const {
  Value first = pipe.values.front();
  if (arch.tensorMemory.columns != 0 || pipe.slots < 2 ||
      first.getParentBlock() == item.body)
    return 0;
  bool any = false, all = true;
  for (Value value : pipe.values)
    forEachRead(value, role, owners, [&](OpOperand &use) {
      auto mma = dyn_cast<tile::MmaOp>(use.getOwner());
      any = true;
      all &= mma && !plan::isPromoted(mma, arch) &&
             mma->getBlock() == value.getParentBlock() &&
             mma.getResult().hasOneUse() &&
             isa<scf::YieldOp>(*mma->user_begin());
    });
  return any && all ? 1 : 0;
}

static bool hasMma(Operation *op) {
  return op->walk([](tile::MmaOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Whether a loop goes over parts of a tile that is there before it, as the
/// loops of an epilogue in subtiles do.
static bool goesOverParts(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  return !hasMma(op) && loop &&
         llvm::any_of(
             loop.getInductionVar().getUsers(),
             llvm::IsaPred<tensor::ExtractSliceOp, tile::ExtractSliceOp>);
}

/// Whether a pipe is refilled all the time: by loads in a loop, or in a kernel
/// that only loads, computes and stores.
bool PipeFinder::isLoadedAhead(const PipeSpec &pipe) const {
  if (pipe.filler != Filler::Load)
    return false;
  if (!hasMma(item.kernel))
    return true;
  Value first = pipe.values.front();
  for (Block *block = first.getParentBlock(); block != item.body;
       block = block->getParentOp()->getBlock())
    if (!goesOverParts(block->getParentOp()))
      return true;
  return false;
}

MaybeRejection PipeFinder::countSlots(PipeSpec &pipe) const {
  SmallVector<std::string> views;
  for (Value value : pipe.values)
    if (auto load = value.getDefiningOp<tile::LoadOp>())
      views.push_back(getViewName(load.getView()));
  if (isRescaled(pipe)) {
    pipe.slots = 1;
    pipe.because.push_back(fire(Rule::OneSlotGoesOn));
    return std::nullopt;
  }
  std::string asked;
  std::optional<int64_t> ofPipe = schedule.getSlots(pipe.name);
  bool byPipe = ofPipe && !llvm::is_contained(views, pipe.name);
  if (byPipe) {
    asked = pipe.name;
    pipe.slots = *ofPipe;
  }
  for (const std::string &view : views) {
    std::optional<int64_t> slots = schedule.getSlots(view);
    if (!slots || byPipe)
      continue;
    if (!asked.empty() && *slots != pipe.slots)
      return Rejection{
          pipe.values.front().getLoc(),
          llvm::formatv(
              "the schedule gives {0} slots for '{1}' and {2} for "
              "'{3}', but they travel in one pipe, '{4}', whose "
              "slots hold both; give them one number [schedule-slots]",
              pipe.slots, asked, *slots, view, pipe.name)
              .str(),
          {},
          /*hasFallback=*/false};
    asked = view;
    pipe.slots = *slots;
  }
  if (!asked.empty()) {
    pipe.because.push_back(
        fire(Rule::SlotsBySchedule, plan::countSlots(pipe.slots), asked));
    return std::nullopt;
  }
  if (isLoadedAhead(pipe)) {
    pipe.slots = plan::wantedAhead;
    pipe.because.push_back(
        fire(Rule::SlotsAhead, plan::countSlots(pipe.slots), plan::mostAhead));
    return std::nullopt;
  }
  bool isOwn = pipe.isReadBy(pipe.producer);
  pipe.slots = isOwn ? 1 : 2;
  pipe.because.push_back(
      fire(Rule::SlotsByKind, plan::countSlots(pipe.slots),
           isOwn ? "the role that fills it reads it before it goes on"
                 : "one is filled while the other is read"));
  return std::nullopt;
}

void PipeFinder::addPipe(ArrayRef<Value> values, Pipes &pipes) {
  PipeSpec pipe;
  pipe.filler = getFiller(values.front());
  pipe.producer = owners.of(values.front());
  if (pipe.filler == Filler::Load)
    pipe.engine = owners.roles[pipe.producer].loads;
  pipe.values.assign(values.begin(), values.end());
  llvm::SmallSetVector<int, 2> roles;
  for (Value value : values)
    roles.insert(readers[value].begin(), readers[value].end());
  for (int role : roles)
    pipe.consumers.emplace_back(role, 0);
  nameIt(pipe);
  SmallVector<std::string> what;
  for (Value value : values)
    if (auto load = value.getDefiningOp<tile::LoadOp>();
        load && !llvm::is_contained(what, getViewName(load.getView())))
      what.push_back(getViewName(load.getView()));
  if (values.size() == 1)
    pipe.because.push_back(
        fire(Rule::Alone,
             pipe.filler == Filler::Mma ? "the result"
             : what.empty()             ? "the tile"
                                        : what.front(),
             owners.roles[pipe.consumers.front().first].name));
  else if (Rule rule = joinedBy.lookup(values.front()); rule == Rule::OneLoop)
    pipe.because.push_back(fire(rule, values.size()));
  else
    pipe.because.push_back(fire(rule, listNames(what)));
  placeIt(pipe);
  pipes.pipes.push_back(std::move(pipe));
}

/// Columns of a slot in tensor memory, before there are layouts.
static int64_t countColumns(const PipeSpec &pipe,
                            const target::Architecture &arch) {
  int64_t columns = 0;
  for (Value value : pipe.values)
    columns += plan::getTileColumns(cast<RankedTensorType>(value.getType()),
                                    /*ctas=*/1, arch);
  return columns;
}

static bool isByKind(const Reason &reason) {
  return reason.rule == Rule::SlotsByKind;
}

/// Where tensor memory does not hold one slot of each pipe, operands that a
/// role computes from an accumulator take its columns: the role has read it by
/// then. The next MMA of these columns waits for the one that reads the
/// operand.
void PipeFinder::shareColumns(Pipes &pipes) const {
  int64_t columns = 0;
  for (PipeSpec &pipe : pipes.pipes)
    if (pipe.memory == Memory::tmem &&
        !(pipe.filler == Filler::Mma && isRescaled(pipe)))
      columns += countColumns(pipe, arch);
  if (columns <= int64_t(arch.tensorMemory.columns))
    return;
  auto mayShare = [&](const PipeSpec &pipe) {
    return pipe.memory == Memory::tmem && pipe.consumers.size() == 1 &&
           llvm::any_of(pipe.because, isByKind);
  };
  for (PipeSpec &pipe : pipes.pipes) {
    if (pipe.filler != Filler::Computed || !mayShare(pipe))
      continue;
    for (auto [number, other] : llvm::enumerate(pipes.pipes)) {
      if (other.filler != Filler::Mma || !mayShare(other) ||
          !other.isReadBy(pipe.producer) ||
          other.values.front().getParentBlock() !=
              pipe.values.front().getParentBlock() ||
          countColumns(pipe, arch) > countColumns(other, arch))
        continue;
      pipe.shares = number;
      for (PipeSpec *one : {&pipe, &other}) {
        one->slots = 1;
        llvm::erase_if(one->because, isByKind);
        one->because.push_back(
            fire(Rule::ColumnsShared, pipe.name, other.name));
      }
      break;
    }
  }
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// A part of shared memory that is worth a staged store.
static constexpr int64_t stagingShare = 4;

/// Roles run side by side, so that stores of two of them have no order.
MaybeRejection PipeFinder::checkStores() const {
  SmallVector<tile::StoreOp> stores;
  item.body->walk([&](tile::StoreOp store) { stores.push_back(store); });
  for (auto [number, b] : llvm::enumerate(stores))
    for (tile::StoreOp a : ArrayRef(stores).take_front(number)) {
      int one = owners.of(a), other = owners.of(b);
      if (one == other || one == Owners::noRole || other == Owners::noRole ||
          getArgument(a.getView()) != getArgument(b.getView()) ||
          !mayMeet(a, b))
        continue;
      return Rejection{
          b.getLoc(),
          llvm::formatv("stores to '{0}' where another store may write, too: "
                        "@{1} does this one and @{2} the other, side by side, "
                        "so that nothing says which comes last; store each "
                        "element once, or use 'roles = none' [store-race]",
                        getViewName(b.getView()), owners.roles[other].name,
                        owners.roles[one].name)
              .str()}
          .note(a.getLoc(), "the other store is here");
    }
  return std::nullopt;
}

void PipeFinder::stageStores(Pipes &pipes) {
  if (owners.roles.size() < 2)
    return;
  DenseSet<Value> loaded;
  bool loadsAnywhere = false;
  item.body->walk([&](tile::LoadOp load) {
    BlockArgument argument = getArgument(load.getView());
    loadsAnywhere |= !argument;
    if (argument)
      loaded.insert(argument);
  });
  item.body->walk([&](tile::StoreOp store) {
    auto type = dyn_cast<RankedTensorType>(store.getValue().getType());
    BlockArgument argument = getArgument(store.getView());
    if (!type || type.getRank() < 2 || loadsAnywhere || !argument ||
        loaded.contains(argument) || !whyNotTma(store, arch.tma).empty() ||
        owners.of(store) == Owners::noRole || !isTile(type) ||
        // Threads store in the order of the program.
        needsOrder(store))
      return;
    int64_t bytes =
        plan::multiply(plan::countElements(type),
                       plan::getElementBits(type.getElementType())) /
        8;
    if (plan::multiply(bytes, stagingShare) >
        int64_t(arch.maxSharedMemoryPerCta))
      return;
    StagedStore staged;
    staged.store = store;
    staged.role = owners.of(store);
    // A role stores one tile after the other.
    for (auto [number, other] : llvm::enumerate(pipes.stores))
      if (!other.shares && other.role == staged.role &&
          other.store.getView() == store.getView() &&
          other.store.getValue().getType() == type)
        staged.shares = number;
    if (staged.shares) {
      pipes.stores.push_back(std::move(staged));
      return;
    }
    staged.name = getFreeName("output");
    std::string view = getViewName(store.getView());
    staged.because.push_back(
        fire(Rule::StagedStore, owners.roles[staged.role].name, view));
    std::string asked = schedule.getSlots(staged.name) ? staged.name : view;
    if (std::optional<int64_t> slots = schedule.getSlots(asked)) {
      staged.slots = *slots;
      staged.because.push_back(
          fire(Rule::SlotsBySchedule, plan::countSlots(*slots), asked));
    } else {
      staged.because.push_back(fire(Rule::SlotsByKind,
                                    plan::countSlots(staged.slots),
                                    "one is filled while the other is stored"));
    }
    pipes.stores.push_back(std::move(staged));
  });
}

void PipeFinder::findExchanges(Pipes &pipes) {
  item.body->walk([&](tile::AllGatherOp gather) {
    Exchange exchange;
    exchange.gather = gather;
    exchange.name = getFreeName("exchange");
    exchange.role = owners.of(gather.getOperation());
    exchange.because.push_back(fire(Rule::Exchange,
                                    owners.roles[exchange.role].name,
                                    gather.getParts().size()));
    if (std::optional<int64_t> slots = schedule.getSlots(exchange.name)) {
      exchange.slots = *slots;
      exchange.because.push_back(
          fire(Rule::SlotsBySchedule, plan::countSlots(*slots), exchange.name));
    } else {
      // Parts of accumulators are large, and there are none until the next
      // work tile is multiplied.
      bool isMatrix = gather.getPartType().getRank() > 1;
      exchange.slots = isMatrix ? 1 : 2;
      exchange.because.push_back(
          fire(Rule::SlotsByKind, plan::countSlots(exchange.slots),
               isMatrix ? "the next parts come with the next work tile"
                        : "one is filled while other CTAs read the other"));
    }
    pipes.exchanges.push_back(std::move(exchange));
  });
}

/// What a schedule may give slots for: pipes, and views that travel through
/// them, or would where more were left to roles and to TMA.
std::vector<std::string> PipeFinder::getKnownNames(const Pipes &pipes) const {
  std::vector<std::string> known;
  auto add = [&](std::string name) {
    if (!llvm::is_contained(known, name))
      known.push_back(std::move(name));
  };
  auto isMatrix = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() > 1;
  };
  item.body->walk([&](tile::StoreOp store) {
    if (isMatrix(store.getValue().getType()))
      add("output");
  });
  for (const PipeSpec &pipe : pipes.pipes)
    add(pipe.name);
  item.body->walk([&](tile::LoadOp load) {
    if (isMatrix(load.getResult().getType()))
      add(getViewName(load.getView()));
  });
  for (const Exchange &exchange : pipes.exchanges)
    add(exchange.name);
  if (schedule.persistent == tile::Persistence::Dynamic) {
    add("work");
    add("throttle");
  }
  return known;
}

/// A name that means nothing is a mistake in the schedule.
MaybeRejection PipeFinder::checkNames(const Pipes &pipes) const {
  if (schedule.roles == tile::Roles::None)
    return std::nullopt;
  std::vector<std::string> known = getKnownNames(pipes);
  // Kinds of pipes: a schedule may be for both architectures, of which one has
  // no pipe of the kind.
  static constexpr StringLiteral kinds[] = {"operands", "result", "middle",
                                            "rescaled", "output", "exchange"};
  for (const auto &[name, slots] : schedule.slots) {
    // The second pipe of a kind has a number after its name.
    auto [kind, number] = StringRef(name).rsplit('_');
    unsigned count;
    if (llvm::is_contained(known, name) || llvm::is_contained(kinds, name) ||
        (llvm::to_integer(number, count) &&
         (llvm::is_contained(known, kind) || llvm::is_contained(kinds, kind))))
      continue;
    return Rejection{
        item.kernel.getLoc(),
        llvm::formatv("slots: unknown pipe '{0}' on {1}{2}{3}{4} "
                      "[schedule-slots]",
                      name, arch.name,
                      known.empty() ? "; the kernel has none" : "; known: ",
                      llvm::join(known, ", "),
                      input::suggest(name, SmallVector<StringRef>(known.begin(),
                                                                  known.end())))
            .str(),
        {},
        /*hasFallback=*/false};
  }
  return std::nullopt;
}

MaybeRejection PipeFinder::run(Pipes &pipes) {
  findReaders();
  join();
  DenseSet<void *> done;
  for (auto &[value, roles] : readers) {
    void *leader = groups.getLeaderValue(key(value));
    if (!done.insert(leader).second)
      continue;
    SmallVector<Value> members;
    for (auto &[other, otherRoles] : readers)
      if (groups.getLeaderValue(key(other)) == leader)
        members.push_back(other);
    addPipe(members, pipes);
  }
  for (PipeSpec &pipe : pipes.pipes) {
    if (MaybeRejection rejection = countSlots(pipe))
      return rejection;
    for (auto &[role, lag] : pipe.consumers) {
      lag = getLag(pipe, role);
      if (lag != 0)
        pipe.because.push_back(fire(Rule::InFlight, owners.roles[role].name));
    }
  }
  shareColumns(pipes);
  if (MaybeRejection rejection = checkStores())
    return rejection;
  stageStores(pipes);
  findExchanges(pipes);
  return checkNames(pipes);
}

MaybeRejection drawloom::agent::findPipes(Item &item, const Owners &owners,
                                          ArrayRef<Part> parts,
                                          const tile::Schedule &schedule,
                                          const target::Architecture &arch,
                                          Pipes &pipes) {
  return PipeFinder(item, owners, parts, schedule, arch).run(pipes);
}
