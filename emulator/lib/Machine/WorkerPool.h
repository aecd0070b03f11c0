//===- WorkerPool.h - Host threads ------------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host threads of a run. The calling thread is one of them, so a pool of
// one starts none; the others start when a run turns out to be long enough to
// be worth it. `forEach` returns when all machines of its list have been run,
// each by one thread.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_WORKERPOOL_H
#define DRAWLOOM_EMULATOR_WORKERPOOL_H

#include "Machine/Machine.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace drawloom::emu {

class WorkerPool {
public:
  /// `threads` of them; 0 for as many as the host has processors.
  explicit WorkerPool(unsigned threads);
  ~WorkerPool();

  using Body = llvm::function_ref<void(Machine &, Worker &)>;
  /// `steps` is how long the run has been going on.
  void forEach(llvm::ArrayRef<Machine *> machines, uint64_t steps, Body body);
  /// That of the calling thread.
  Worker &first() { return firstField; }

private:
  void start();
  void serve();
  /// Takes machines off the list until there are none.
  void work(Worker &worker);

  unsigned threadCount;
  Worker firstField;
  std::vector<std::thread> threads;

  std::mutex mutex;
  std::condition_variable begun, finished;
  uint64_t round = 0;   ///< Guarded by the mutex, as are the next two.
  unsigned working = 0; ///< Threads that haven't finished the round.
  bool stopping = false;

  // Written between rounds only.
  llvm::ArrayRef<Machine *> list;
  const Body *current = nullptr;
  std::atomic<size_t> next = 0;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_WORKERPOOL_H
