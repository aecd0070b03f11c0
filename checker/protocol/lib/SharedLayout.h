//===- SharedLayout.h - Where shared variables are ------------- -*- C++
//-*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX doesn't say where shared variables are; this is the emulator's choice, so
// that what the walk says can be compared with a run. An address has the CTA's
// rank above its byte, as hardware has it: kernels for pairs mask it away.
//
//   bit 24...   the CTA's rank in its cluster
//   byte 1024   the first static variable; the system has what is before it
//   then        dynamic shared memory, all of whose names are one address

#ifndef DRAWLOOM_PROTOCOL_SHAREDLAYOUT_H
#define DRAWLOOM_PROTOCOL_SHAREDLAYOUT_H

#include "drawloom/PTX/Module.h"

namespace drawloom::protocol {

class SharedLayout {
public:
  static constexpr uint64_t start = 1024;
  static constexpr unsigned rankShift = 24;

  SharedLayout(const ptx::Function &kernel, unsigned rank);

  std::optional<uint64_t> find(const ptx::Variable *variable) const {
    auto found = addresses.find(variable);
    if (found == addresses.end())
      return std::nullopt;
    return found->second;
  }
  static unsigned rankOf(uint64_t address) {
    return static_cast<uint32_t>(address) >> rankShift;
  }
  /// From where shared memory starts for the kernel.
  static int64_t offsetOf(uint64_t address) {
    return static_cast<int64_t>(address & ((1u << rankShift) - 1)) -
           static_cast<int64_t>(start);
  }

private:
  llvm::DenseMap<const ptx::Variable *, uint64_t> addresses;
};

} // namespace drawloom::protocol

#endif // DRAWLOOM_PROTOCOL_SHAREDLAYOUT_H
