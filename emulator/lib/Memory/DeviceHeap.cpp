//===- DeviceHeap.cpp - malloc and free of kernels -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/DeviceHeap.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom::emu;

uint64_t DeviceHeap::allocate(uint64_t size) {
  if (size > limit || size > memory.capacity() || used > limit ||
      taken(size) > limit - used)
    return 0;
  auto memoryAddress =
      memory.allocate(headerBytes + size, "a heap block behind its header");
  if (!memoryAddress) {
    llvm::consumeError(memoryAddress.takeError());
    return 0;
  }
  uint64_t address = *memoryAddress + headerBytes;
  used += taken(size);
  blocks[address] = size;
  // What was freed here is no longer reported.
  auto first = freed.upper_bound(*memoryAddress);
  if (first != freed.begin() &&
      std::prev(first)->first + std::prev(first)->second > *memoryAddress)
    --first;
  freed.erase(first, freed.upper_bound(address + size));
  return address;
}

llvm::Error DeviceHeap::free(uint64_t address) {
  auto block = blocks.find(address);
  if (block == blocks.end()) {
    std::string before = describeFreed(address);
    return llvm::createStringError(before.empty() ? "malloc gave no such block"
                                                  : before);
  }
  llvm::cantFail(memory.free(address - headerBytes));
  used -= taken(block->second);
  freed.insert(*block);
  blocks.erase(block);
  return llvm::Error::success();
}

DeviceHeap::~DeviceHeap() {
  for (auto [address, size] : blocks)
    llvm::cantFail(memory.free(address - headerBytes));
}

std::string DeviceHeap::describeFreed(uint64_t address) const {
  auto next = freed.upper_bound(address);
  if (next == freed.begin() || memory.find(address))
    return "";
  auto [start, size] = *std::prev(next);
  if (address >= start + std::max<uint64_t>(size, 1))
    return "";
  return "in a block of " + llvm::utostr(size) + " bytes at 0x" +
         llvm::utohexstr(start, true) + " that was freed";
}
