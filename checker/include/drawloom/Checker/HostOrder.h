//===- HostOrder.h - Order between streams and the host ---------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulator runs calls in program order, whatever their stream. Hardware
// doesn't: two operations are ordered only if a stream, an event or a
// synchronization orders them. HostOrder keeps this happens-before relation.
//
// Each stream is an actor, and so is the host, all threads of it together. An
// actor counts its operations, and has a vector clock that says up to which
// operation of each other actor it is ordered after.
//
//   enqueue in s           s learns what the host knows, and counts one more
//   record e in s          e holds what s knows
//   s waits for e          s learns what e holds
//   the host waits for s   the host learns what s knows
//   legacy default stream  learns from the blocking streams of its context at
//                          each operation, and they from it
//
// Memory is in pages of 4 KiB. A page has a record for each operation that used
// it and that the host doesn't know to be over, with a bit for each byte, or
// none if it is the whole page. Two uses of one byte by operations that aren't
// ordered are a finding if one of them writes. What the host knows comes before
// everything that is enqueued later, so its records are dropped.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_HOSTORDER_H
#define DRAWLOOM_CHECKER_HOSTORDER_H

#include "drawloom/Emulator/Device.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace drawloom::checker {

struct Access;
struct Finding;

/// Up to which operation each actor is known.
class StreamClock {
public:
  bool knows(uint32_t actor, uint64_t value) const {
    return actor < values.size() && values[actor] >= value;
  }
  uint64_t of(uint32_t actor) const {
    return actor < values.size() ? values[actor] : 0;
  }
  void raise(uint32_t actor, uint64_t value);
  void join(const StreamClock &other);

private:
  llvm::SmallVector<uint64_t, 8> values;
};

/// A launch, a copy, a fill, an allocation or a host function.
struct HostOperation : llvm::RefCountedBase<HostOperation> {
  uint32_t actor = 0;
  uint64_t value = 0;
  StreamClock known;  ///< When it starts, itself included.
  std::string name;   ///< "kernel 'scale'"
  std::string stream; ///< "stream 2"
  uint64_t number = 0;
  const emu::Kernel *kernel = nullptr; ///< Of a launch.
  /// It is a copy from pageable memory, or a fill, by a call that isn't called
  /// asynchronous, and yet returns before its work is done.
  bool returnsEarly = false;
  bool frees = false; ///< Memory, in the order of its stream.
  /// It communicates with the host through memory while it runs, so what is
  /// ordered between the two isn't known here.
  bool meetsHost = false;
};
using HostOperationRef = llvm::IntrusiveRefCntPtr<HostOperation>;

/// What is over when an event is, and the stream that it was recorded in.
struct StreamEvent {
  StreamClock known;
  uint32_t stream = 0;
};

/// How memory is used. Strong accesses at the scope of the GPU don't race with
/// each other.
enum class MemoryUse : uint8_t { Read, Write, StrongRead, StrongWrite };
inline constexpr unsigned memoryUseCount = 4;

/// Bytes of a page.
class PageBytes {
public:
  static constexpr uint64_t size = 4096;

  bool empty() const { return !isWhole && !words; }
  /// From `begin` to `end`, which is at most `size`.
  void add(uint64_t begin, uint64_t end);
  void add(const PageBytes &other);
  void remove(const PageBytes &other);
  bool covers(uint64_t begin, uint64_t end) const;
  /// The first run of bytes that both have; none if it is empty.
  std::pair<uint64_t, uint64_t> overlap(const PageBytes &other) const;
  PageBytes copy() const;

private:
  using Words = std::array<uint64_t, size / 64>;
  bool isWhole = false;
  std::unique_ptr<Words> words;
};

/// The global memory that one launch has used.
class TouchedMemory {
public:
  void add(const Access &access);
  bool empty() const { return pages.empty(); }
  std::vector<uint64_t> pageNumbers() const;
  /// Pages with accesses at the scope of the system, which aren't judged.
  llvm::ArrayRef<uint64_t> systemPages() const { return system.getArrayRef(); }

private:
  friend class HostOrder;
  static constexpr uint32_t none = ~0u, several = ~0u - 1;
  struct Page {
    std::array<PageBytes, memoryUseCount> bytes;
    /// Which instruction it was, if it was always the same.
    std::array<uint32_t, memoryUseCount> instruction = {none, none, none, none};
  };
  Page &pageAt(uint64_t number);

  llvm::DenseMap<uint64_t, std::unique_ptr<Page>> pages;
  uint64_t lastNumber = ~uint64_t(0);
  Page *last = nullptr;
  llvm::SmallSetVector<uint64_t, 4> system;
};

class HostOrder {
public:
  enum class StreamKind : uint8_t { Legacy, Blocking, NonBlocking };
  static constexpr uint32_t host = 0;

  /// `report` takes what is found.
  HostOrder(bool isStrict, std::function<void(Finding)> report)
      : isStrict(isStrict), report(std::move(report)), actors(1) {}

  /// A stream of a context. Its number is that of the actor; numbers of
  /// streams that were destroyed are given out again.
  uint32_t addStream(const void *context, StreamKind kind, std::string name);
  void removeStream(uint32_t stream);

  HostOperationRef enqueue(uint32_t stream, std::string name);
  HostOperationRef launch(uint32_t stream, const emu::Kernel &kernel);
  void use(const HostOperationRef &operation, uint64_t address, uint64_t bytes,
           MemoryUse use);
  void use(const HostOperationRef &operation, const TouchedMemory &memory);
  /// The host uses a byte. In a host function it does so for `operation`.
  void useByHost(uint64_t address, bool writes,
                 const HostOperation *operation = nullptr);
  /// The host changed memory while `operation` may have been using it so.
  void changedByHost(const HostOperationRef &operation, MemoryUse use,
                     uint64_t address, uint64_t bytes);

  /// A copy to the host has read bytes that nothing has written.
  void copiedUnwritten(const HostOperation &operation, uint64_t address,
                       uint64_t bytes);

  StreamEvent record(uint32_t stream);
  void wait(uint32_t stream, const StreamEvent &event);
  /// The host waits: for an event, a stream, or all streams of a context (of
  /// all contexts if it is null).
  void synchronize(const StreamClock &event);
  void synchronizeStream(uint32_t stream) { synchronize(reached(stream)); }
  void synchronizeContext(const void *context);
  /// Whether the host knows that it is over.
  bool isOver(const HostOperation &operation) const {
    return known(host).knows(operation.actor, operation.value);
  }

  void allocated(uint64_t address, uint64_t bytes);
  bool isAllocated(uint64_t address) const {
    return allocations.count(address);
  }
  /// The allocation at an address is freed, by an operation of a stream or by
  /// the host.
  void freed(uint64_t address, const HostOperationRef &operation = nullptr);

  /// What the host may do with bytes of one page without a race.
  enum class Allowed : uint8_t { Nothing, Reads, All };
  Allowed allowed(uint64_t page, uint64_t begin, uint64_t end);

private:
  struct Record {
    HostOperationRef operation;
    MemoryUse use;
    PageBytes bytes;
    uint32_t instruction;
  };
  using Page = llvm::SmallVector<Record, 2>;
  struct Actor {
    const void *context = nullptr;
    StreamKind kind = StreamKind::NonBlocking;
    std::string name;
    StreamClock known;
    uint64_t value = 0;
    bool isAlive = true;
  };

  StreamClock &known(uint32_t actor) { return actors[actor].known; }
  const StreamClock &known(uint32_t actor) const { return actors[actor].known; }
  /// What a stream knows once its next operation may start.
  const StreamClock &reached(uint32_t stream);
  void usePage(const HostOperationRef &operation, uint64_t number,
               PageBytes &&bytes, MemoryUse use, uint32_t instruction);
  void dropKnown(Page &page);
  /// Reports races with what `operation` isn't ordered after: the last
  /// operation of each stream, which what orders it orders the others by.
  void judge(const Page &page, const HostOperation &operation, uint64_t number,
             const PageBytes &bytes, MemoryUse use, uint32_t instruction);
  /// "bytes 16 to 31 of the 64 bytes allocated at 0x..."; empty if there is no
  /// allocation.
  std::string describe(uint64_t address, uint64_t bytes) const;
  void find(const Record &before, const HostOperation *now, uint64_t address,
            uint64_t bytes, MemoryUse use, uint32_t instruction);

  /// A page forgets its oldest records beyond this many.
  static constexpr unsigned mostRecords = 16;

  const bool isStrict;
  std::function<void(Finding)> report;
  std::vector<Actor> actors; ///< The host first.
  std::vector<uint32_t> unused;
  llvm::DenseMap<uint64_t, Page> pages;
  std::map<uint64_t, uint64_t> allocations; ///< Address and size.
  uint64_t operations = 0;
  /// Streams that have waited for events of others, for reports.
  llvm::SmallSetVector<std::pair<uint32_t, uint32_t>, 4> waits;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_HOSTORDER_H
