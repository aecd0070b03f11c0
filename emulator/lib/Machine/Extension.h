//===- Extension.h - State that a family keeps ------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family of instructions may need state for each warp, CTA, cluster or SM:
// tensor memory, groups of copies in flight, barrier objects. Machine
// doesn't know what it is. A family derives from Extension, gives its class a
// slot, and asks for it where it is needed; it is made at the first use:
//
//   class CopyGroups : public Extension {
//   public:
//     static constexpr ExtensionSlot slot = ExtensionSlot::Copies;
//     explicit CopyGroups(Warp &warp);
//   };
//   CopyGroups &groups = warp.extensions.get<CopyGroups>(warp);
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_EXTENSION_H
#define DRAWLOOM_EMULATOR_EXTENSION_H

#include <cstdint>
#include <memory>

namespace drawloom::emu {

class CTA;
class Warp;

/// One for each class that derives from Extension.
enum class ExtensionSlot : uint8_t {
  Barriers,     ///< mbarriers of a CTA
  Copies,       ///< cp.async and bulk groups of a warp
  ClusterSync,  ///< The barrier of a cluster
  RegisterPool, ///< setmaxnreg, of a CTA
  WarpGroup,    ///< wgmma, of a warp group's CTA
  TensorCore,   ///< tcgen05's work of a CTA
  TensorMemory, ///< Tensor memory of an SM
  Launches,     ///< Launch control and grid dependencies, of a grid
  TensorMaps,   ///< Tensor maps that a cluster has changed
  MatrixUnit,   ///< The arithmetic of matrix instructions, of a host thread
  SharedUses,   ///< Work in flight on the shared memory of a CTA
};
inline constexpr unsigned extensionSlotCount = 11;

class Extension {
public:
  virtual ~Extension();
  /// Lanes of a warp in this scope have exited; they won't come to any barrier.
  virtual void lanesExited(Warp &warp, uint32_t lanes) {}
  /// All warps of a CTA in this scope have exited. The place to report work
  /// that is still in flight, or what was not freed.
  virtual void ctaExited(CTA &cta) {}
};

class ExtensionSet {
public:
  template <typename T, typename... Args>
  T &get(Args &&...args) {
    std::unique_ptr<Extension> &entry = entries[static_cast<unsigned>(T::slot)];
    if (!entry)
      entry = std::make_unique<T>(std::forward<Args>(args)...);
    return static_cast<T &>(*entry);
  }
  /// Null if it wasn't asked for yet.
  template <typename T>
  T *find() {
    return static_cast<T *>(entries[static_cast<unsigned>(T::slot)].get());
  }
  void lanesExited(Warp &warp, uint32_t lanes) {
    for (std::unique_ptr<Extension> &entry : entries)
      if (entry)
        entry->lanesExited(warp, lanes);
  }
  void ctaExited(CTA &cta) {
    for (std::unique_ptr<Extension> &entry : entries)
      if (entry)
        entry->ctaExited(cta);
  }

private:
  std::unique_ptr<Extension> entries[extensionSlotCount];
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_EXTENSION_H
