//===- DeviceHeap.h - malloc and free of kernels ----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels allocate lives on when they end, until some kernel frees it. A
// block is an allocation of the device's memory like any other, so an access
// past its end, or after it was freed, is noticed as any other. The sizes of
// all blocks together don't pass the limit (cudaLimitMallocHeapSize).
//
// A block has a header, as on hardware: `new T[n]` of nvcc's keeps n in the
// last 8 bytes in front of what malloc gave it, and asks for no room for that.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_DEVICEHEAP_H
#define DRAWLOOM_EMULATOR_DEVICEHEAP_H

#include "drawloom/Emulator/GlobalMemory.h"

namespace drawloom::emu {

class DeviceHeap {
public:
  /// As on hardware unless a program asks for another.
  static constexpr uint64_t defaultLimit = 8 << 20;

  explicit DeviceHeap(GlobalMemory &memory) : memory(memory) {}
  ~DeviceHeap();
  DeviceHeap(const DeviceHeap &) = delete;
  DeviceHeap &operator=(const DeviceHeap &) = delete;

  void setLimit(uint64_t bytes) { limit = bytes; }
  /// The address of a block; 0 if the heap has no room for it.
  uint64_t allocate(uint64_t size);
  /// Gives a block back; an error if there is none at `address`.
  llvm::Error free(uint64_t address);
  /// "in a block of 64 bytes at 0x... that was freed"; empty if there was none.
  std::string describeFreed(uint64_t address) const;

private:
  static constexpr uint64_t headerBytes = 16;

  /// What a block takes: sizes are multiples of 16.
  static uint64_t taken(uint64_t size) {
    return size ? (size + 15) / 16 * 16 : 16;
  }

  GlobalMemory &memory;
  uint64_t limit = defaultLimit;
  uint64_t used = 0;
  std::map<uint64_t, uint64_t> blocks; ///< By address: the size.
  std::map<uint64_t, uint64_t> freed;  ///< Those whose place wasn't taken.
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_DEVICEHEAP_H
