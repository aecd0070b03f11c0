//===- HostWatch.h - What streams and the host do, for the checker -*- C++ -*-//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With the checker on, calls of the API tell it which operation goes into which
// stream, what it uses and what waits for what (Checker/HostOrder.h). What the
// host does to memory that it shares with the device is no call:
//
//   pinned, managed    Pages that an operation in flight uses are protected:
//                      from all accesses if it writes them, from writes if it
//                      reads them. A page fault is noted; the page is opened. A
//                      page is protected only if all bytes of its allocation in
//                      it are in flight, so a program without a race never
//                      meets a protected page, not even in a system call.
//   the edges of       What is there is hashed, and compared before the host
//   these, registered  waits: if it is another, the host has written.
//
// Reads of registered memory, and of parts of a page, aren't seen.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_HOSTWATCH_H
#define DRAWLOOM_CUDA_HOSTWATCH_H

#include "Check.h"
#include "DriverApi.h"
#include "drawloom/Emulator/Launch.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace drawloom::cuda {

class Driver;

class HostWatch {
public:
  HostWatch(Driver &driver, Check &check);
  ~HostWatch();

  /// Before anything else in a call: takes what the host has done since the
  /// last one, and tells what is found.
  void begin();

  /// The program exits, or asks for what was found.
  void end();

  /// What the actor of a stream is, which is a handle of the context or stands
  /// for a default stream.
  uint32_t actorOf(ContextState &context, StreamState *stream);
  void destroyed(StreamState &stream);
  void destroyed(ContextState &context);
  /// The thread of that number has ended.
  void ended(uint64_t thread) { endedThreads.push_back(thread); }

  checker::HostOperationRef launch(ContextState &context, StreamState *stream,
                                   const emu::Kernel &kernel);
  /// Whether a launch uses memory that the host sees, and doesn't communicate
  /// with it. It runs at once, so that it is known what it uses.
  bool runsAtOnce(const FunctionState &function, const emu::Launch &launch);
  /// Before and after a run of the emulator.
  void runStarts(size_t launches);
  void runEnded(llvm::ArrayRef<checker::HostOperationRef> operations);

  /// A copy or a fill, which `f` makes. Memory is where this process has it.
  void copy(ContextState &context, StreamState *stream, bool isAsync,
            const char *to, const char *from, size_t bytes,
            llvm::function_ref<void()> f);
  void fill(ContextState &context, StreamState *stream, bool isAsync,
            const char *to, size_t bytes, llvm::function_ref<void()> f);
  /// What the host does in between, it does for the stream.
  checker::HostOperationRef hostFunctionStarts(ContextState &context,
                                               StreamState *stream);
  void hostFunctionEnded(const checker::HostOperation &operation);

  void allocated(DevicePointer address, size_t bytes);
  void allocatedInStream(ContextState &context, StreamState *stream,
                         DevicePointer address);
  void freedInStream(ContextState &context, StreamState *stream,
                     DevicePointer address);
  /// By the host, after `waits`: plain memory is freed when the device is idle.
  void freed(DevicePointer address, bool waits);
  void unregistered(const void *pointer, size_t bytes);

  void record(ContextState &context, StreamState *stream, EventState &event);
  void wait(ContextState &context, StreamState *stream,
            const EventState &event);
  void synchronize(const EventState &event);
  void synchronize(ContextState &context, StreamState *stream);
  /// All streams; of all contexts if it is null.
  void synchronizeAll(ContextState *context);

private:
  enum class Side : uint8_t { Device, Managed, Pinned, Registered, Pageable };
  /// Bytes that an operation in flight uses, and what they were.
  struct Snapshot {
    checker::HostOperationRef operation;
    checker::MemoryUse use;
    const char *memory;
    uint64_t address; ///< As the program has it.
    uint64_t bytes, hash;
  };

  /// The device's address of what is behind a host address; none if it is the
  /// program's own.
  std::optional<uint64_t> deviceAddress(const char *memory) const;
  Side sideOf(const char *memory) const;
  void use(const checker::HostOperationRef &operation, const char *memory,
           size_t bytes, checker::MemoryUse use);
  /// Protects pages as far as what is in flight asks for it.
  void protect(std::vector<uint64_t> pages);
  /// Keeps a hash of the edges of a range, or all of it.
  void keep(const checker::HostOperationRef &operation, checker::MemoryUse use,
            const char *memory, size_t bytes);
  /// Whether the host has written there; if it has, that is a finding.
  bool isChanged(const Snapshot &snapshot);
  /// Looks at all that was kept.
  void compare();
  /// Looks at what was kept of a range that the device is about to write.
  void compareAndForget(const char *memory, size_t bytes);
  /// The host has waited for something.
  void waited();
  void takePageFaults(const checker::HostOperation *operation);

  Driver &driver;
  Check &check;
  checker::HostOrder &order;
  /// Pages that are protected, and what is allowed there.
  std::map<uint64_t, checker::HostOrder::Allowed> guarded;
  std::vector<Snapshot> snapshots;
  std::vector<uint64_t> endedThreads;
  unsigned streams = 0; ///< That have had a name.
};

} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_HOSTWATCH_H
