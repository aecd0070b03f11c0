//===- HostWatch.cpp - What streams and the host do, for the checker ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostWatch.h"
#include "Driver.h"
#include "PageFaults.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <atomic>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

using namespace drawloom;
using namespace drawloom::cuda;
using checker::HostOperationRef;
using checker::HostOrder;
using checker::MemoryUse;
using page_faults::pageBytes;
using Allowed = HostOrder::Allowed;
using StreamKind = HostOrder::StreamKind;

/// No more bytes and pieces than this are hashed for operations that are in
/// flight at a time; the oldest pieces are forgotten.
static constexpr uint64_t mostKept = uint64_t(64) << 20, mostSnapshots = 256;

HostWatch::HostWatch(Driver &driver, Check &check)
    : driver(driver), check(check), order(*check.listener().host()) {}

HostWatch::~HostWatch() { synchronizeAll(nullptr); }

void HostWatch::begin() {
  takePageFaults(nullptr);
  check.tellNew();
}

void HostWatch::end() {
  std::unique_lock lock(driver.mutex, std::try_to_lock);
  if (!lock)
    return;
  takePageFaults(nullptr);
  compare();
  check.tellNew();
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

namespace {
/// Numbers of threads; the system gives its own out again.
struct ThreadNumber {
  ThreadNumber() {
    static std::atomic<uint64_t> last = 0;
    number = ++last;
  }
  ~ThreadNumber() {
    // Not for as long as a kernel of another thread runs.
    Driver &driver = Driver::get();
    std::unique_lock lock(driver.mutex, std::try_to_lock);
    if (lock && driver.watch)
      driver.watch->ended(number);
  }
  uint64_t number;
};
} // namespace

static uint64_t numberOfThread() {
  static thread_local ThreadNumber thread;
  return thread.number;
}

uint32_t HostWatch::actorOf(ContextState &context, StreamState *stream) {
  uintptr_t number = reinterpret_cast<uintptr_t>(stream);
  if (number == 0 && nullStreamIsPerThread())
    number = perThreadStream;
  if (number == 0 || number == legacyStream) {
    if (!context.legacyActor)
      context.legacyActor = order.addStream(&context, StreamKind::Legacy,
                                            "the legacy default stream");
    return context.legacyActor;
  }
  auto nextName = [&] { return "stream " + llvm::utostr(++streams); };
  if (number == perThreadStream) {
    for (uint64_t thread : std::exchange(endedThreads, {}))
      for (ContextState *other : driver.contexts)
        if (auto it = other->threadActors.find(thread);
            it != other->threadActors.end()) {
          order.removeStream(it->second);
          other->threadActors.erase(it);
        }
    uint32_t &actor = context.threadActors[numberOfThread()];
    if (!actor)
      actor = order.addStream(&context, StreamKind::Blocking,
                              "a thread's default stream (" + nextName() + ")");
    return actor;
  }
  if (!stream->actor)
    stream->actor = order.addStream(&context,
                                    stream->flags & streamNonBlocking
                                        ? StreamKind::NonBlocking
                                        : StreamKind::Blocking,
                                    nextName());
  return stream->actor;
}

void HostWatch::destroyed(StreamState &stream) {
  if (stream.actor)
    order.removeStream(stream.actor);
}

void HostWatch::destroyed(ContextState &context) {
  synchronizeAll(&context);
  for (StreamState *stream : context.streams)
    destroyed(*stream);
  if (context.legacyActor)
    order.removeStream(context.legacyActor);
  for (auto [thread, actor] : context.threadActors)
    order.removeStream(actor);
  context.legacyActor = 0;
  context.threadActors.clear();
}

void HostWatch::record(ContextState &context, StreamState *stream,
                       EventState &event) {
  event.clock = order.record(actorOf(context, stream));
}

void HostWatch::wait(ContextState &context, StreamState *stream,
                     const EventState &event) {
  order.wait(actorOf(context, stream), event.clock);
}

void HostWatch::synchronize(const EventState &event) {
  compare();
  order.synchronize(event.clock.known);
  waited();
}

void HostWatch::synchronize(ContextState &context, StreamState *stream) {
  compare();
  order.synchronizeStream(actorOf(context, stream));
  waited();
}

void HostWatch::synchronizeAll(ContextState *context) {
  compare();
  order.synchronizeContext(context);
  waited();
}

void HostWatch::waited() {
  llvm::erase_if(snapshots, [&](const Snapshot &snapshot) {
    return order.isOver(*snapshot.operation);
  });
  if (guarded.empty())
    return;
  std::vector<uint64_t> pages;
  for (auto [page, allowed] : guarded)
    pages.push_back(page);
  protect(std::move(pages));
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

HostOperationRef HostWatch::launch(ContextState &context, StreamState *stream,
                                   const emu::Kernel &kernel) {
  return order.launch(actorOf(context, stream), kernel);
}

/// Whether it has accesses at the scope of the system, which see and show what
/// the host does meanwhile.
static bool mayMeetHost(const emu::Kernel &kernel) {
  for (uint32_t i = 0, count = kernel.instructionCount(); i != count; ++i)
    if (const ptx::Instruction *parsed = kernel.parsed(i))
      for (ptx::Modifier modifier : parsed->variant->modifiers)
        if (modifier == ptx::Modifier::Sys ||
            modifier == ptx::Modifier::Volatile)
          return true;
  return false;
}

bool HostWatch::runsAtOnce(const FunctionState &function,
                           const emu::Launch &launch) {
  bool sees = !function.module->managed.empty();
  const std::vector<char> &parameters = launch.parameters;
  for (size_t at = 0; at + 8 <= parameters.size() && !sees; at += 8) {
    uint64_t word;
    memcpy(&word, parameters.data() + at, 8);
    const emu::Allocation *allocation = driver.device->memory().find(word);
    sees = allocation && driver.visible.kindOf(allocation->address);
  }
  return sees && !mayMeetHost(*launch.kernel);
}

void HostWatch::runStarts(size_t launches) {
  check.listener().expect(launches);
  compare();
}

void HostWatch::runEnded(llvm::ArrayRef<HostOperationRef> operations) {
  auto isVisible = [&](uint64_t page) {
    const emu::Allocation *allocation =
        driver.device->memory().find(page * pageBytes);
    return allocation && driver.visible.kindOf(allocation->address);
  };
  std::vector<uint64_t> shown;
  for (auto [index, operation] : llvm::enumerate(operations)) {
    checker::TouchedMemory &touched = check.listener().touched(index);
    operation->meetsHost = llvm::any_of(touched.systemPages(), isVisible);
    order.use(operation, touched);
    if (driver.visible.bytes())
      for (uint64_t page : touched.pageNumbers())
        if (isVisible(page))
          shown.push_back(page);
  }
  llvm::erase_if(snapshots, [&](const Snapshot &snapshot) {
    return llvm::is_contained(shown, snapshot.address / pageBytes);
  });
  protect(std::move(shown));
  check.listener().expect(0);
}

//===----------------------------------------------------------------------===//
// Copies, fills and host functions
//===----------------------------------------------------------------------===//

std::optional<uint64_t> HostWatch::deviceAddress(const char *memory) const {
  emu::GlobalMemory &device = driver.device->memory();
  uint64_t address = reinterpret_cast<uint64_t>(memory) - device.hostDelta();
  return address - emu::globalBase < device.capacity() ? std::optional(address)
                                                       : std::nullopt;
}

HostWatch::Side HostWatch::sideOf(const char *memory) const {
  if (std::optional<uint64_t> address = deviceAddress(memory)) {
    const emu::Allocation *allocation = driver.device->memory().find(*address);
    auto kind =
        allocation ? driver.visible.kindOf(allocation->address) : std::nullopt;
    return !kind                              ? Side::Device
           : *kind == HostVisible::Kind::Host ? Side::Pinned
                                              : Side::Managed;
  }
  auto address = reinterpret_cast<uint64_t>(memory);
  const std::map<uint64_t, size_t> &registered = driver.registered;
  auto it = registered.upper_bound(address);
  return it != registered.begin() &&
                 address - std::prev(it)->first < std::prev(it)->second
             ? Side::Registered
             : Side::Pageable;
}

void HostWatch::use(const HostOperationRef &operation, const char *memory,
                    size_t bytes, MemoryUse use) {
  std::optional<uint64_t> address = deviceAddress(memory);
  if (!address) {
    if (sideOf(memory) == Side::Registered)
      keep(operation, use, memory, bytes);
    return;
  }
  order.use(operation, *address, bytes, use);
  if (sideOf(memory) == Side::Device)
    return;
  std::vector<uint64_t> pages;
  uint64_t first = *address / pageBytes,
           last = (*address + bytes - 1) / pageBytes;
  for (uint64_t page = first; page <= last; ++page)
    pages.push_back(page);
  protect(std::move(pages));
  // What isn't protected at the edges.
  auto keepPart = [&](uint64_t page) {
    if (guarded.count(page))
      return;
    uint64_t begin = std::max(*address, page * pageBytes);
    uint64_t end = std::min(*address + bytes, (page + 1) * pageBytes);
    keep(operation, use, memory + (begin - *address), end - begin);
  };
  keepPart(first);
  if (last != first)
    keepPart(last);
}

void HostWatch::copy(ContextState &context, StreamState *stream, bool isAsync,
                     const char *to, const char *from, size_t bytes,
                     llvm::function_ref<void()> f) {
  Side toSide = sideOf(to), fromSide = sideOf(from);
  auto isHost = [](Side side) { return side >= Side::Pinned; };
  bool isOnHost = isHost(toSide) && isHost(fromSide);
  uint32_t actor = actorOf(context, stream);
  // The stream is waited for before pageable memory is staged.
  bool isStaged = !isAsync && fromSide == Side::Pageable && !isHost(toSide);
  if (isStaged)
    synchronize(context, stream);
  HostOperationRef operation = order.enqueue(
      actor, std::string(isOnHost           ? "copy on the host"
                         : isHost(toSide)   ? "copy to the host"
                         : isHost(fromSide) ? "copy to the device"
                                            : "copy on the device") +
                 (isAsync ? " (cudaMemcpyAsync)" : " (cudaMemcpy)"));
  operation->returnsEarly = isStaged;
  compareAndForget(to, bytes);
  f();
  use(operation, from, bytes, MemoryUse::Read);
  use(operation, to, bytes, MemoryUse::Write);
  if (fromSide == Side::Device && isHost(toSide))
    driver.check->listener().copiedToHost(*operation, *deviceAddress(from),
                                          bytes);
  bool isManaged = toSide == Side::Managed || fromSide == Side::Managed;
  bool waits = isOnHost ||
               (isAsync ? toSide == Side::Pageable
                        : isHost(toSide) || isManaged ||
                              (isHost(fromSide) && fromSide != Side::Pageable));
  if (waits)
    synchronize(context, stream);
}

void HostWatch::fill(ContextState &context, StreamState *stream, bool isAsync,
                     const char *to, size_t bytes,
                     llvm::function_ref<void()> f) {
  HostOperationRef operation =
      order.enqueue(actorOf(context, stream),
                    isAsync ? "fill (cudaMemsetAsync)" : "fill (cudaMemset)");
  operation->returnsEarly = !isAsync;
  compareAndForget(to, bytes);
  f();
  use(operation, to, bytes, MemoryUse::Write);
  if (!isAsync && sideOf(to) != Side::Device)
    synchronize(context, stream);
}

HostOperationRef HostWatch::hostFunctionStarts(ContextState &context,
                                               StreamState *stream) {
  compare();
  HostOperationRef operation = order.enqueue(
      actorOf(context, stream), "host function (cudaLaunchHostFunc)");
  // What it is ordered after, it may write to.
  llvm::erase_if(snapshots, [&](const Snapshot &snapshot) {
    return operation->known.knows(snapshot.operation->actor,
                                  snapshot.operation->value);
  });
  return operation;
}

void HostWatch::hostFunctionEnded(const checker::HostOperation &operation) {
  takePageFaults(&operation);
  // It may have woken a thread that waited for it, which the checker can't see.
  compare();
  order.synchronize(operation.known);
  waited();
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

void HostWatch::allocated(DevicePointer address, size_t bytes) {
  order.allocated(address, bytes);
}

void HostWatch::allocatedInStream(ContextState &context, StreamState *stream,
                                  DevicePointer address) {
  HostOperationRef operation =
      order.enqueue(actorOf(context, stream), "allocation (cudaMallocAsync)");
  order.use(operation, address, driver.device->memory().find(address)->size,
            MemoryUse::Write);
}

void HostWatch::freedInStream(ContextState &context, StreamState *stream,
                              DevicePointer address) {
  order.freed(address,
              order.enqueue(actorOf(context, stream), "free (cudaFreeAsync)"));
}

void HostWatch::freed(DevicePointer address, bool waits) {
  if (waits && order.isAllocated(address))
    synchronizeAll(nullptr);
  order.freed(address);
  const emu::Allocation *allocation = driver.device->memory().find(address);
  guarded.erase(
      guarded.lower_bound(address / pageBytes),
      guarded.lower_bound((allocation->end() + pageBytes - 1) / pageBytes));
}

void HostWatch::unregistered(const void *pointer, size_t bytes) {
  compareAndForget(static_cast<const char *>(pointer), bytes);
}

//===----------------------------------------------------------------------===//
// What the host does
//===----------------------------------------------------------------------===//

void HostWatch::protect(std::vector<uint64_t> pages) {
  if (pages.empty())
    return;
  emu::GlobalMemory &memory = driver.device->memory();
  page_faults::watch(emu::globalBase, emu::globalBase + memory.capacity());
  llvm::sort(pages);
  pages.erase(llvm::unique(pages), pages.end());
  // Pages side by side that are to be the same are set together.
  uint64_t first = 0, count = 0;
  Allowed same = Allowed::All;
  auto set = [&] {
    if (count)
      page_faults::protect(first, count, same != Allowed::Nothing,
                           same == Allowed::All);
    count = 0;
  };
  for (uint64_t page : pages) {
    const emu::Allocation *allocation = memory.find(page * pageBytes);
    uint64_t begin = page * pageBytes;
    uint64_t end = std::min(begin + pageBytes, allocation->end());
    Allowed wanted = order.allowed(page, 0, end - begin);
    auto it = guarded.find(page);
    if (wanted == (it == guarded.end() ? Allowed::All : it->second)) {
      set();
      continue;
    }
    if (wanted == Allowed::All)
      guarded.erase(it);
    else
      guarded[page] = wanted;
    if (count && (page != first + count || wanted != same))
      set();
    if (!count)
      first = page;
    same = wanted;
    ++count;
  }
  set();
}

void HostWatch::takePageFaults(const checker::HostOperation *operation) {
  page_faults::take([&](uint64_t address, bool writes) {
    auto it = guarded.find(address / pageBytes);
    if (it != guarded.end()) {
      writes |= it->second == Allowed::Reads;
      guarded.erase(it); // The handler has opened it.
    }
    order.useByHost(address, writes, operation);
  });
}

/// A hash of the program's own memory, which it may have unmapped; none if it
/// can't be read.
static std::optional<uint64_t> hashOf(const char *memory, uint64_t bytes) {
  uint64_t hash = 0;
  for (uint64_t at = 0; at < bytes; at += pageBytes) {
    char page[pageBytes + 8];
    iovec local = {page, std::min(pageBytes, bytes - at)};
    iovec remote = {const_cast<char *>(memory) + at, local.iov_len};
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) !=
        ssize_t(local.iov_len))
      return std::nullopt;
    memcpy(page + local.iov_len, &hash, 8);
    hash = llvm::xxh3_64bits(llvm::StringRef(page, local.iov_len + 8));
  }
  return hash;
}

void HostWatch::keep(const HostOperationRef &operation, MemoryUse use,
                     const char *memory, size_t bytes) {
  if (snapshots.size() == mostSnapshots)
    snapshots.erase(snapshots.begin());
  uint64_t kept = 0;
  for (const Snapshot &snapshot : snapshots)
    kept += snapshot.bytes;
  if (bytes > mostKept - std::min(kept, mostKept))
    return;
  uint64_t address =
      deviceAddress(memory).value_or(reinterpret_cast<uint64_t>(memory));
  if (std::optional<uint64_t> hash = hashOf(memory, bytes))
    snapshots.push_back({operation, use, memory, address, bytes, *hash});
}

bool HostWatch::isChanged(const Snapshot &snapshot) {
  std::optional<uint64_t> hash = hashOf(snapshot.memory, snapshot.bytes);
  if (hash == snapshot.hash)
    return false;
  if (hash && !order.isOver(*snapshot.operation))
    order.changedByHost(snapshot.operation, snapshot.use, snapshot.address,
                        snapshot.bytes);
  return true;
}

void HostWatch::compare() {
  llvm::erase_if(snapshots,
                 [&](const Snapshot &one) { return isChanged(one); });
}

void HostWatch::compareAndForget(const char *memory, size_t bytes) {
  llvm::erase_if(snapshots, [&](const Snapshot &snapshot) {
    if (memory >= snapshot.memory + snapshot.bytes ||
        snapshot.memory >= memory + bytes)
      return false;
    isChanged(snapshot);
    return true;
  });
}
