//===- HostOrder.cpp - Order between streams and the host -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/HostOrder.h"
#include "drawloom/Checker/RaceChecker.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include <cstdlib>

using namespace drawloom;
using namespace drawloom::checker;
using llvm::utostr;

static bool writes(MemoryUse use) {
  return use == MemoryUse::Write || use == MemoryUse::StrongWrite;
}
static bool isStrong(MemoryUse use) { return use >= MemoryUse::StrongRead; }
static bool conflict(MemoryUse x, MemoryUse y) {
  return (writes(x) || writes(y)) && !(isStrong(x) && isStrong(y));
}

void StreamClock::raise(uint32_t actor, uint64_t value) {
  if (values.size() <= actor)
    values.resize(actor + 1);
  values[actor] = std::max(values[actor], value);
}

void StreamClock::join(const StreamClock &other) {
  if (values.size() < other.values.size())
    values.resize(other.values.size());
  for (auto [mine, theirs] : llvm::zip(values, other.values))
    mine = std::max(mine, theirs);
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

uint32_t HostOrder::addStream(const void *context, StreamKind kind,
                              std::string name) {
  // The work of a stream that was destroyed may still be in flight.
  auto isOver = [&](uint32_t actor) {
    return known(host).knows(actor, actors[actor].value);
  };
  auto it = llvm::find_if(unused, isOver);
  uint32_t actor = actors.size();
  if (it == unused.end()) {
    actors.emplace_back();
  } else {
    actor = *it;
    unused.erase(it);
    actors[actor].known = StreamClock();
    waits.remove_if([&](const std::pair<uint32_t, uint32_t> &wait) {
      return wait.first == actor || wait.second == actor;
    });
  }
  Actor &stream = actors[actor];
  stream.context = context;
  stream.kind = kind;
  stream.name = std::move(name);
  return actor;
}

void HostOrder::removeStream(uint32_t stream) { unused.push_back(stream); }

const StreamClock &HostOrder::reached(uint32_t stream) {
  Actor &actor = actors[stream];
  actor.known.join(known(host));
  auto learnFrom = [&](StreamKind kind) {
    for (const Actor &other : actors)
      if (&other != &actor && other.context == actor.context &&
          other.kind == kind)
        actor.known.join(other.known);
  };
  if (actor.kind == StreamKind::Legacy)
    learnFrom(StreamKind::Blocking);
  else if (actor.kind == StreamKind::Blocking)
    learnFrom(StreamKind::Legacy);
  return actor.known;
}

HostOperationRef HostOrder::launch(uint32_t stream, const emu::Kernel &kernel) {
  std::string name = kernel.function->name.str();
  llvm::ItaniumPartialDemangler demangler;
  if (!demangler.partialDemangle(name.c_str())) {
    char *demangled = demangler.getFunctionName(nullptr, nullptr);
    if (demangled)
      name = demangled;
    std::free(demangled);
  }
  HostOperationRef operation = enqueue(stream, "kernel '" + name + "'");
  operation->kernel = &kernel;
  return operation;
}

HostOperationRef HostOrder::enqueue(uint32_t stream, std::string name) {
  reached(stream);
  Actor &actor = actors[stream];
  actor.known.raise(stream, ++actor.value);
  HostOperationRef operation(new HostOperation);
  operation->actor = stream;
  operation->value = actor.value;
  operation->known = actor.known;
  operation->name = std::move(name);
  operation->stream = actor.name;
  operation->number = ++operations;
  return operation;
}

StreamEvent HostOrder::record(uint32_t stream) {
  return {reached(stream), stream};
}

void HostOrder::wait(uint32_t stream, const StreamEvent &event) {
  reached(stream);
  known(stream).join(event.known);
  if (event.stream)
    waits.insert({stream, event.stream});
}

void HostOrder::synchronize(const StreamClock &event) {
  known(host).join(event);
  bool isIdle = true;
  for (uint32_t actor = 1; actor != actors.size(); ++actor)
    isIdle &= known(host).knows(actor, actors[actor].value);
  if (isIdle)
    pages.clear();
}

void HostOrder::synchronizeContext(const void *context) {
  StreamClock all;
  for (const Actor &actor : actors)
    if (!context || actor.context == context)
      all.join(actor.known);
  synchronize(all);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Calls f(page, begin, end) for the pages of a range.
template <typename F>
static void forEachPage(uint64_t address, uint64_t bytes, F f) {
  for (uint64_t end = address + bytes; address < end;) {
    uint64_t page = address / PageBytes::size;
    uint64_t next = std::min(end, (page + 1) * PageBytes::size);
    f(page, address % PageBytes::size, next - page * PageBytes::size);
    address = next;
  }
}

void HostOrder::use(const HostOperationRef &operation, uint64_t address,
                    uint64_t bytes, MemoryUse use) {
  forEachPage(address, bytes, [&](uint64_t page, uint64_t begin, uint64_t end) {
    PageBytes touched;
    touched.add(begin, end);
    usePage(operation, page, std::move(touched), use, TouchedMemory::none);
  });
}

void HostOrder::use(const HostOperationRef &operation,
                    const TouchedMemory &memory) {
  // Kernels may pass a flag on by strong accesses. Which accesses that orders
  // isn't followed here: the one that reads comes after the one that wrote.
  const auto read = unsigned(MemoryUse::StrongRead);
  for (const auto &[number, touched] : memory.pages) {
    auto it = pages.find(number);
    if (it == pages.end() || touched->bytes[read].empty())
      continue;
    for (const Record &record : it->second)
      if (record.use == MemoryUse::StrongWrite &&
          record.bytes.overlap(touched->bytes[read]).second)
        operation->known.join(record.operation->known);
  }
  known(operation->actor).join(operation->known);
  for (const auto &[number, touched] : memory.pages)
    for (unsigned use = 0; use != memoryUseCount; ++use)
      if (!touched->bytes[use].empty())
        usePage(operation, number, touched->bytes[use].copy(), MemoryUse(use),
                touched->instruction[use]);
}

void HostOrder::dropKnown(Page &page) {
  llvm::erase_if(page, [&](const Record &record) {
    return record.bytes.empty() || isOver(*record.operation);
  });
}

void HostOrder::usePage(const HostOperationRef &operation, uint64_t number,
                        PageBytes &&bytes, MemoryUse use,
                        uint32_t instruction) {
  Page &page = pages[number];
  dropKnown(page);
  judge(page, *operation, number, bytes, use, instruction);
  Record *own = nullptr;
  for (Record &record : page) {
    if (record.operation == operation) {
      if (record.use == use)
        own = &record;
      continue;
    }
    // A write takes the place of what it covers: what it is ordered after is
    // known wherever the write is, and what it races with has been found.
    // So does a read that is ordered after an earlier one.
    if (writes(use) ||
        (record.use == use && operation->known.knows(record.operation->actor,
                                                     record.operation->value)))
      record.bytes.remove(bytes);
  }
  if (own) {
    own->bytes.add(bytes);
    return;
  }
  page.push_back({operation, use, std::move(bytes), instruction});
  if (page.size() > mostRecords)
    page.erase(page.begin());
}

void HostOrder::judge(const Page &page, const HostOperation &operation,
                      uint64_t number, const PageBytes &bytes, MemoryUse use,
                      uint32_t instruction) {
  llvm::SmallVector<const Record *, 2> races;
  for (const Record &record : page) {
    const HostOperation &before = *record.operation;
    if (&before == &operation || !conflict(record.use, use) ||
        operation.known.knows(before.actor, before.value) ||
        !record.bytes.overlap(bytes).second)
      continue;
    auto same = llvm::find_if(races, [&](const Record *other) {
      return other->operation->actor == before.actor;
    });
    if (same == races.end())
      races.push_back(&record);
    else if ((*same)->operation->value < before.value)
      *same = &record;
  }
  for (const Record *record : races) {
    auto [begin, end] = record->bytes.overlap(bytes);
    find(*record, &operation, number * PageBytes::size + begin, end - begin,
         use, instruction);
  }
}

void HostOrder::useByHost(uint64_t address, bool writes,
                          const HostOperation *operation) {
  auto it = pages.find(address / PageBytes::size);
  if (it == pages.end())
    return;
  dropKnown(it->second);
  PageBytes byte;
  byte.add(address % PageBytes::size, address % PageBytes::size + 1);
  MemoryUse use = writes ? MemoryUse::Write : MemoryUse::Read;
  for (const Record &record : it->second)
    if (conflict(record.use, use) && !record.operation->meetsHost &&
        record.bytes.overlap(byte).second &&
        !(operation && operation->known.knows(record.operation->actor,
                                              record.operation->value)))
      find(record, operation, address, 1, use, TouchedMemory::none);
}

void HostOrder::changedByHost(const HostOperationRef &operation, MemoryUse use,
                              uint64_t address, uint64_t bytes) {
  Record record{operation, use, {}, TouchedMemory::none};
  find(record, nullptr, address, bytes, MemoryUse::Write, TouchedMemory::none);
}

void HostOrder::allocated(uint64_t address, uint64_t bytes) {
  allocations[address] = bytes;
}

void HostOrder::freed(uint64_t address, const HostOperationRef &operation) {
  auto it = allocations.find(address);
  if (it == allocations.end())
    return;
  HostOperationRef by = operation;
  if (!by) {
    by = HostOperationRef(new HostOperation);
    by->known = known(host);
    by->name = "free";
    by->stream = "the host";
    by->number = ++operations;
  }
  by->frees = true;
  use(by, address, it->second, MemoryUse::Write);
  forEachPage(address, it->second,
              [&](uint64_t page, uint64_t, uint64_t) { pages.erase(page); });
  allocations.erase(it);
}

HostOrder::Allowed HostOrder::allowed(uint64_t page, uint64_t begin,
                                      uint64_t end) {
  auto it = pages.find(page);
  if (it == pages.end())
    return Allowed::All;
  PageBytes written, used;
  for (const Record &record : it->second) {
    if (isOver(*record.operation) || record.operation->meetsHost)
      continue;
    if (writes(record.use))
      written.add(record.bytes);
    used.add(record.bytes);
  }
  return written.covers(begin, end) ? Allowed::Nothing
         : used.covers(begin, end)  ? Allowed::Reads
                                    : Allowed::All;
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

/// "kernel 'scale', operation 3 in stream 2"
static Site siteOf(const HostOperation &operation, bool isWrite,
                   uint32_t instruction) {
  Site site;
  site.writes = isWrite;
  site.operation = operation.name + ", operation " + utostr(operation.number) +
                   (operation.actor ? " in " : " by ") + operation.stream;
  if (!operation.kernel || instruction >= operation.kernel->instructionCount())
    return site;
  emu::InstructionPlace place = operation.kernel->place(instruction);
  site.line = place.line;
  site.source = std::move(place.source);
  if (const ptx::Instruction *parsed = operation.kernel->parsed(instruction))
    site.instruction = parsed->variant->mnemonic();
  return site;
}

static std::string operationOf(const HostOperation &operation) {
  return "operation " + utostr(operation.number);
}

std::string HostOrder::describe(uint64_t address, uint64_t bytes) const {
  auto it = allocations.upper_bound(address);
  if (it == allocations.begin())
    return "";
  auto [start, size] = *std::prev(it);
  if (address >= start + size)
    return "";
  return (bytes == 1 ? "byte " + utostr(address - start)
                     : "bytes " + utostr(address - start) + " to " +
                           utostr(address - start + bytes - 1)) +
         " of the " + utostr(size) + " bytes allocated at 0x" +
         llvm::utohexstr(start, true);
}

void HostOrder::copiedUnwritten(const HostOperation &operation,
                                uint64_t address, uint64_t bytes) {
  Finding finding;
  finding.rule = Rule::UninitializedCopy;
  finding.severity = severityOf(finding.rule, isStrict);
  finding.space = Finding::Global;
  finding.address = address;
  finding.first = siteOf(operation, false, TouchedMemory::none);
  finding.array = describe(address, bytes);
  finding.why = operationOf(operation) + " copies " + utostr(bytes) +
                " bytes to the host that no kernel, copy or fill has written "
                "since they were allocated";
  finding.advice = "a grid that covers every element (round the division up), "
                   "or a copy of the bytes that were written";
  report(std::move(finding));
}

/// `now` is null for the host itself.
void HostOrder::find(const Record &before, const HostOperation *now,
                     uint64_t address, uint64_t bytes, MemoryUse use,
                     uint32_t instruction) {
  const HostOperation &first = *before.operation;
  Finding finding;
  finding.space = Finding::Global;
  finding.address = address;
  finding.first = siteOf(first, writes(before.use), before.instruction);
  if (now)
    finding.second = siteOf(*now, writes(use), instruction);
  else
    finding.second.operation = "the host";
  finding.second.writes = writes(use);
  const emu::Kernel *kernel = now && now->kernel ? now->kernel : first.kernel;
  if (kernel)
    finding.kernel = llvm::demangle(kernel->function->name);
  finding.array = describe(address, bytes);
  const std::string mine = operationOf(first), theirs = first.stream;
  if (!now) {
    finding.rule = Rule::HostOrder;
    std::string verb = writes(use) ? "writes" : "reads";
    finding.why = "the host " + verb + " it without having waited for " + mine +
                  ", which may still be running: the call returns before " +
                  "its work is done";
    finding.advice = "cudaStreamSynchronize of " + theirs +
                     ", cudaDeviceSynchronize, or cudaEventSynchronize of an "
                     "event that is recorded after " +
                     mine + ", before the host " + verb + " it";
  } else {
    const std::string stream = now->stream;
    if (now->frees && !now->actor)
      finding.why = "the host frees it without having waited for " + mine;
    else if (waits.contains({now->actor, first.actor}))
      finding.why = stream + " waits for an event of " + theirs +
                    ", but it was recorded before " + mine +
                    " and doesn't cover it";
    else if (first.actor && (actors[first.actor].kind == StreamKind::Legacy) !=
                                (actors[now->actor].kind == StreamKind::Legacy))
      finding.why =
          "no event orders " + operationOf(*now) + " after " + mine +
          ", and a stream that was created with cudaStreamNonBlocking doesn't "
          "synchronize with the legacy default stream";
    else
      finding.why = "no event, and no synchronization by the host, orders " +
                    operationOf(*now) + " in " + stream + " after " + mine +
                    " in " + theirs;
    std::string event = "cudaEventRecord in " + theirs + " after " + mine +
                        " and cudaStreamWaitEvent in " + stream + " before " +
                        operationOf(*now);
    if (now->frees && !now->actor) {
      finding.rule = Rule::FreedInFlight;
      finding.advice = "cudaFreeAsync in " + theirs +
                       ", or cudaStreamSynchronize of " + theirs +
                       " before the memory is freed";
    } else if (now->frees) {
      finding.rule = Rule::FreedInFlight;
      finding.advice = "cudaFreeAsync in " + theirs + " instead, or " + event;
    } else if (first.returnsEarly) {
      finding.rule = Rule::EarlyReturn;
      finding.why = "cudaMemset of device memory is asynchronous with respect "
                    "to the host, and cudaMemcpy from pageable memory returns "
                    "once the memory is staged; " +
                    stream + " doesn't wait for " + theirs;
      finding.advice = "cudaMemsetAsync or cudaMemcpyAsync in " + stream +
                       ", or cudaStreamSynchronize of " + theirs + " after " +
                       mine;
    } else {
      finding.rule = Rule::StreamOrder;
      finding.advice = event + ", or both operations in one stream";
    }
  }
  finding.severity = severityOf(finding.rule, isStrict);
  report(std::move(finding));
}
