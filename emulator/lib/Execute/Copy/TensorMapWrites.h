//===- TensorMapWrites.h - Maps that a kernel has changed -------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor map is read through a proxy of its own. What a kernel changes in one
// reaches a copy only across two fences (PTX ISA, section 9.7.13.4):
//
//   tensormap.replace                           written
//   fence.proxy.tensormap::generic.release      released    tensormap
//   fence.proxy.tensormap::generic.acquire      as before     .cp_fenceproxy
//                                                             does both
//
// Memory is coherent here, so a copy would see the change anyway; it asks this
// first. A cluster knows what it has written itself. Which of its threads
// execute the fences, and how they synchronize, isn't looked at.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TENSORMAPWRITES_H
#define DRAWLOOM_EMULATOR_TENSORMAPWRITES_H

#include "Decode/Program.h"
#include "Machine/Extension.h"
#include "Machine/Grid.h"
#include "llvm/ADT/DenseMap.h"

namespace drawloom::emu {

class TensorMapWrites : public Extension {
public:
  static constexpr ExtensionSlot slot = ExtensionSlot::TensorMaps;
  static TensorMapWrites &of(Cluster &cluster) {
    return cluster.extensions.get<TensorMapWrites>();
  }

  /// `inst` has written the map at `host`, and released it or not.
  void write(const char *host, const Inst *inst, bool released) {
    writes[host] = {inst, released};
  }
  void release() {
    for (auto &[host, write] : writes)
      write.released = true;
  }
  void acquire(const char *host) {
    if (auto it = writes.find(host); it != writes.end() && it->second.released)
      writes.erase(it);
  }
  /// What a copy must not be started for; null if the map may be used.
  struct Write {
    const Inst *inst;
    bool released;
  };
  const Write *find(const char *host) const {
    auto it = writes.find(host);
    return it == writes.end() ? nullptr : &it->second;
  }

private:
  llvm::DenseMap<const char *, Write> writes;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_TENSORMAPWRITES_H
