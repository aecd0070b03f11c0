//===- HostVisible.cpp - Memory that host and kernels share ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostVisible.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace drawloom;
using namespace drawloom::cuda;

/// Allocations have pages of their own.
static constexpr uint64_t pageBytes = 4096;

static uint64_t pagesOf(emu::GlobalMemory &memory, DevicePointer address) {
  return llvm::alignTo(memory.find(address)->size, pageBytes);
}

/// Pages that can be mapped more than once; -1 if there are none.
static int makePages(uint64_t bytes) {
  int file = memfd_create("drawloom", MFD_CLOEXEC);
  if (file >= 0 && ftruncate(file, off_t(bytes)) != 0) {
    close(file);
    return -1;
  }
  return file;
}

bool HostVisible::add(emu::GlobalMemory &memory, DevicePointer address,
                      Kind kind) {
  uint64_t bytes = pagesOf(memory, address);
  char *kept = memory.translate(address, 1);
  int file = makePages(bytes);
  if (file < 0)
    return false;
  auto map = [&](void *where, int flags) {
    void *place =
        mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | flags, file, 0);
    if (place == where)
      return true;
    // Kernels before 4.17 take MAP_FIXED_NOREPLACE for a wish.
    if (place != MAP_FAILED)
      munmap(place, bytes);
    return false;
  };
  void *shown = reinterpret_cast<void *>(address);
  bool done = map(shown, MAP_FIXED_NOREPLACE);
  if (done) {
    memcpy(shown, kept, bytes);
    done = map(kept, MAP_FIXED);
    if (!done)
      munmap(shown, bytes);
  }
  close(file); // The mappings keep the pages.
  if (!done)
    return false;
  kinds[address] = kind;
  mapped += bytes;
  return true;
}

void HostVisible::remove(emu::GlobalMemory &memory, DevicePointer address) {
  if (!kinds.erase(address))
    return;
  uint64_t bytes = pagesOf(memory, address);
  char *kept = memory.translate(address, 1);
  munmap(reinterpret_cast<void *>(address), bytes);
  // Pages like those of the rest of the device's memory.
  mmap(kept, bytes, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  madvise(kept, bytes, MADV_HUGEPAGE);
  mapped -= bytes;
}
