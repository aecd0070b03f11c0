//===- HostVisible.h - Memory that host and kernels share -------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pinned and managed memory have one address for the host and for kernels. Such
// an allocation is one of the device's memory whose pages are mapped twice:
//
//   where the emulator keeps the device's memory  ─┐
//                                                  ├─ the same pages
//   at the device's own address                   ─┘
//
// The host has nothing at the other device addresses: a program that looks into
// plain device memory ends with a page fault, as on hardware.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_HOSTVISIBLE_H
#define DRAWLOOM_CUDA_HOSTVISIBLE_H

#include "DriverApi.h"
#include "drawloom/Emulator/GlobalMemory.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace drawloom::cuda {

class HostVisible {
public:
  enum class Kind : uint8_t { Host, Managed };

  /// Shows the allocation that starts at `address` to the host, with what is
  /// in it. False if the host's address space has no room for it there.
  bool add(emu::GlobalMemory &memory, DevicePointer address, Kind kind);
  /// Hides it again, which comes before it is freed. What isn't visible is left
  /// alone.
  void remove(emu::GlobalMemory &memory, DevicePointer address);

  /// What the allocation is that starts at `address`; none if the host doesn't
  /// see it.
  std::optional<Kind> kindOf(DevicePointer address) const {
    auto found = kinds.find(address);
    return found == kinds.end() ? std::nullopt : std::optional(found->second);
  }
  /// All of it. It isn't the device's, though its addresses are.
  uint64_t bytes() const { return mapped; }

private:
  llvm::DenseMap<DevicePointer, Kind> kinds;
  uint64_t mapped = 0;
};

} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_HOSTVISIBLE_H
