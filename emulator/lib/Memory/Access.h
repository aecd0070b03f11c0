//===- Access.h - From addresses to host memory -----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction that touches memory has up to 32 addresses. `resolve` turns
// them into host pointers, or ends the launch with a report that says which
// lane's address is wrong and what lies there. Most warps access one allocation
// or their own CTA's shared memory; that is checked once for the lowest and the
// highest address. Otherwise each lane is looked at.
//
// `translate` does the same for a single generic address, for the engines that
// copy memory. An engine does so again when it copies: what was there when the
// work was issued may have been freed.
//
// The invariant: no pointer leaves this folder but for bytes that an allocation
// of the kernel's holds, all of them, and every sum that was compared for that
// is one that can't wrap (docs/Emulator.md, "What a kernel can reach").
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_ACCESS_H
#define DRAWLOOM_EMULATOR_ACCESS_H

#include "Decode/Decoder.h"
#include "Machine/AsyncOp.h"
#include "Machine/Warp.h"
#include "drawloom/Emulator/Events.h"

namespace drawloom::emu {

class Cluster;

/// What an access needs beside its address, for Inst::extra. Filled in by
/// `decodeAccess`.
struct AccessInfo {
  using Resolve = bool (*)(Warp &warp, const Inst *inst, uint32_t mask,
                           const AccessInfo &info, char **host);
  Resolve resolve = nullptr;
  /// Fills in the generic addresses of all lanes.
  void (*addresses)(Warp &warp, const AccessInfo &info,
                    uint64_t *addresses) = nullptr;
  Reg base = 0;
  int64_t offset = 0;
  uint32_t bytes = 0;     ///< At each address.
  uint32_t alignment = 1; ///< Of each address.
  Space space = Space::Generic;
  AccessKind kind = AccessKind::Read;
  /// A place in a variable of the frame: no address can be wrong.
  bool inFrame = false;
  /// Listeners get it later, from the function that resolves it.
  bool reportedLater = false;
  ptx::StateSpace declared = ptx::StateSpace::Generic;
  Order order = Order::Weak;
  Scope scope = Scope::None;
  bool nonCoherent = false;
};

/// Describes the access of `bytes` at each address of operand `index`. The
/// state space is that of the instruction's slot `space`.
AccessInfo decodeAccess(Decoder &decoder, unsigned index, uint32_t bytes,
                        AccessKind kind, ptx::Slot space = ptx::Slot::Space);

/// Fills in `host` for the lanes of `mask`. If it answers false, the launch has
/// failed, and the handler returns Inst::leave(). Tells the listener, unless
/// the access is `reportedLater`.
inline bool resolve(Warp &warp, const Inst *inst, uint32_t mask,
                    const AccessInfo &info, char **host) {
  return info.resolve(warp, inst, mask, info, host);
}

/// Tells the listener, which is there, about an access that was resolved.
/// No thread writes to parameters, so these aren't reported. `failed`: of a
/// compare-and-swap, the lanes that don't write.
void tellResolved(Warp &warp, const Inst *inst, uint32_t mask,
                  const AccessInfo &info, uint32_t failed = 0,
                  uint32_t unchanged = 0, uint32_t lost = 0);

/// Tells the listener, if there is one, about a store that is `reportedLater`,
/// when it goes out of scope: by then it is known whether anything has changed.
class StoreReport {
public:
  StoreReport(Warp &warp, const Inst *inst, uint32_t mask,
              const AccessInfo &info, char *const *host)
      : warp(warp), inst(inst), mask(mask), info(info), host(host) {
    if (warp.listener()) [[unlikely]]
      keep();
  }
  ~StoreReport() {
    if (before) [[unlikely]]
      tellStore();
  }
  bool isWanted() const { return before != nullptr; }
  /// A lane's value isn't in memory, though it was stored.
  void lose(unsigned lane) { lost |= 1u << lane; }

  StoreReport(const StoreReport &) = delete;
  StoreReport &operator=(const StoreReport &) = delete;

private:
  void keep();
  void tellStore();

  Warp &warp;
  const Inst *inst;
  const uint32_t mask;
  const AccessInfo &info;
  char *const *host;
  std::unique_ptr<char[]> before; ///< What was there, by lane.
  uint32_t lost = 0;
};

/// The space that a generic address is in; Generic if it is in none.
Space spaceOf(uint64_t address);

/// Host memory behind [address, address + bytes), a generic address as seen
/// from `lane` of `warp`. Null if there is none, or not all of it.
char *translate(Warp &warp, unsigned lane, uint64_t address, uint64_t bytes);
/// The same as seen from a cluster, for addresses in global or shared memory
/// and in the kernel's parameters.
char *translate(Cluster &cluster, uint64_t address, uint64_t bytes);

/// The same for work of an engine, at the time when it is done. Memory that was
/// freed since the work was issued isn't there, even if it was allocated again,
/// and constants aren't for work that writes.
char *translate(const IssuePoint &issue, AccessKind kind, uint64_t address,
                uint64_t bytes);
/// And fails with the reason where there is nothing.
char *translateOrFail(const IssuePoint &issue, AccessKind kind,
                      uint64_t address, uint64_t bytes);
/// What is wrong with an address that it gave nothing for.
std::string describeAddress(const IssuePoint &issue, AccessKind kind,
                            uint64_t address, uint64_t bytes);

/// What is wrong with an address that `translate` gave nothing for, as text:
/// "0x7000...: 4 bytes past the end of 'table'".
std::string describeAddress(Cluster &cluster, uint64_t address, uint64_t bytes);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_ACCESS_H
