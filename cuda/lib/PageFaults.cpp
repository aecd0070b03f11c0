//===- PageFaults.cpp - Accesses of the host to protected pages -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PageFaults.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>

using namespace drawloom;
using namespace drawloom::cuda;

namespace {
/// An address, shifted to have room for a bit: whether it is a write. 0 while
/// the handler hasn't written it yet.
using PageFault = std::atomic<uint64_t>;
} // namespace

static std::array<PageFault, 4096> noted;
static std::atomic<uint32_t> notedCount = 0;
static std::atomic<uint64_t> windowBegin = 0, windowEnd = 0;
static struct sigaction before;

static bool isWrite(const void *context) {
#ifdef __x86_64__
  auto *state = static_cast<const ucontext_t *>(context);
  return state->uc_mcontext.gregs[REG_ERR] & 2;
#else
  return false;
#endif
}

static void handle(int signal, siginfo_t *info, void *context) {
  int error = errno;
  auto address = reinterpret_cast<uint64_t>(info->si_addr);
  // Pages that aren't there at all are no business of ours.
  if (info->si_code == SEGV_ACCERR && address >= windowBegin &&
      address < windowEnd) {
    uint32_t index = notedCount.fetch_add(1);
    if (index < noted.size())
      noted[index] = address << 1 | isWrite(context);
    mprotect(reinterpret_cast<void *>(address & ~(page_faults::pageBytes - 1)),
             page_faults::pageBytes, PROT_READ | PROT_WRITE);
    errno = error;
    return;
  }
  errno = error;
  if (before.sa_flags & SA_SIGINFO)
    return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    return before.sa_handler(signal);
  // As if there were no handler: the access is made again, and ends the
  // process.
  sigaction(SIGSEGV, &before, nullptr);
}

void page_faults::watch(uint64_t begin, uint64_t end) {
  windowBegin = begin;
  windowEnd = end;
  static bool isInstalled = false;
  if (std::exchange(isInstalled, true))
    return;
  struct sigaction ours = {};
  ours.sa_sigaction = handle;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGSEGV, &ours, &before);
}

void page_faults::protect(uint64_t firstPage, uint64_t count, bool reads,
                          bool writes) {
  mprotect(reinterpret_cast<void *>(firstPage * pageBytes), count * pageBytes,
           writes  ? PROT_READ | PROT_WRITE
           : reads ? PROT_READ
                   : PROT_NONE);
}

void page_faults::take(llvm::function_ref<void(uint64_t, bool)> f) {
  if (!notedCount)
    return;
  uint32_t count = std::min<uint32_t>(notedCount, noted.size());
  for (uint32_t index = 0; index != count; ++index)
    if (uint64_t access = noted[index].exchange(0))
      f(access >> 1, access & 1);
  notedCount = 0;
}
