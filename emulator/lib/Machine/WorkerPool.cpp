//===- WorkerPool.cpp - Host threads -------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/WorkerPool.h"
#include "llvm/Support/Threading.h"

using namespace drawloom::emu;

/// Warp instructions after which other threads start: some milliseconds.
static constexpr uint64_t longEnough = 1 << 16;

WorkerPool::WorkerPool(unsigned threads)
    : threadCount(threads
                      ? threads
                      : llvm::hardware_concurrency().compute_thread_count()) {}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  begun.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void WorkerPool::start() {
  threads.reserve(threadCount - 1);
  while (threads.size() + 1 != threadCount)
    threads.emplace_back([this] { serve(); });
}

void WorkerPool::work(Worker &worker) {
  while (true) {
    size_t index = next.fetch_add(1, std::memory_order_relaxed);
    if (index >= list.size())
      return;
    (*current)(*list[index], worker);
  }
}

void WorkerPool::serve() {
  Worker worker;
  uint64_t seen = 0;
  std::unique_lock lock(mutex);
  while (true) {
    begun.wait(lock, [&] { return stopping || round != seen; });
    if (stopping)
      return;
    seen = round;
    lock.unlock();
    work(worker);
    lock.lock();
    if (--working == 0)
      finished.notify_one();
  }
}

void WorkerPool::forEach(llvm::ArrayRef<Machine *> machines, uint64_t steps,
                         Body body) {
  if (threadCount == 1 || machines.size() < 2 || steps < longEnough) {
    for (Machine *machine : machines)
      body(*machine, firstField);
    return;
  }
  if (threads.empty())
    start();
  list = machines;
  current = &body;
  next.store(0, std::memory_order_relaxed);
  {
    std::lock_guard lock(mutex);
    working = threads.size();
    ++round;
  }
  begun.notify_all();
  work(firstField);
  std::unique_lock lock(mutex);
  finished.wait(lock, [&] { return working == 0; });
}
