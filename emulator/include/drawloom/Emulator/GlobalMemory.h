//===- GlobalMemory.h - The device's memory ---------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One range of host memory, reserved but not committed, stands for the device's
// memory: a device address is a host address plus a constant. Every allocation
// starts on a page of its own, and a table says which allocation a page belongs
// to. So the check of an access is two loads and a compare, exact to the byte,
// and what lies behind an allocation's end is never another allocation's start.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_GLOBALMEMORY_H
#define DRAWLOOM_EMULATOR_GLOBALMEMORY_H

#include "drawloom/Emulator/AddressMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace drawloom::emu {

struct Allocation {
  uint64_t address = 0;
  uint64_t size = 0;
  std::string name;      ///< Of a variable; empty for plain memory.
  bool readOnly = false; ///< Kernels can't write to it.

  uint64_t end() const { return address + size; }
};

class GlobalMemory {
public:
  /// Reserves `bytes` of address space; nothing is committed.
  static llvm::Expected<std::unique_ptr<GlobalMemory>> create(uint64_t bytes);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory &) = delete;
  GlobalMemory &operator=(const GlobalMemory &) = delete;

  /// Memory of that size, filled with zeros; the address is a multiple of 4096.
  llvm::Expected<uint64_t> allocate(uint64_t size, llvm::StringRef name = "");
  /// Kernels can't write to what `allocate` gave; the host can.
  void protect(uint64_t address) {
    slots[pages[(address - globalBase) >> pageShift]].readOnly = true;
  }
  bool isReadOnly(uint64_t address) const {
    const Allocation *allocation = find(address);
    return allocation && allocation->readOnly;
  }
  /// Frees what `allocate` gave; an error if there is none at `address`.
  llvm::Error free(uint64_t address);

  /// How often memory was freed: a moment that freedSince looks back to. Work
  /// in flight remembers the one at which it was issued.
  size_t frees() const { return freed.size(); }
  /// Whether some of [address, address + size) was freed after that moment,
  /// even if it was allocated again.
  bool freedSince(size_t moment, uint64_t address, uint64_t size) const;
  /// Forgets all moments, when none is in use.
  void forgetFrees() { freed.clear(); }

  /// The host memory behind [address, address + size); null unless one
  /// allocation holds all of it.
  char *translate(uint64_t address, uint64_t size) {
    const Allocation *allocation = find(address);
    if (!allocation || address > allocation->end() ||
        size > allocation->end() - address)
      return nullptr;
    return host + (address - globalBase);
  }
  /// The allocation that holds `address`, perhaps one that ends before it on
  /// the same page; null if there is none.
  const Allocation *find(uint64_t address) const {
    uint64_t page = (address - globalBase) >> pageShift;
    if (page >= pageCount || !pages[page])
      return nullptr;
    return &slots[pages[page]];
  }
  /// What to add to an address of this memory to get a host address.
  uint64_t hostDelta() const {
    return reinterpret_cast<uint64_t>(host) - globalBase;
  }

  uint64_t capacity() const { return pageCount << pageShift; }
  uint64_t used() const { return usedBytes; }
  /// What lies around an address that no allocation holds, as text: "4 bytes
  /// past the end of 'table' (0x700000001000, 64 bytes)".
  std::string describe(uint64_t address) const;

private:
  static constexpr unsigned pageShift = 12;

  GlobalMemory() = default;

  char *host = nullptr;
  uint32_t *pages = nullptr; ///< Index into `slots`; 0 is no allocation.
  uint64_t pageCount = 0;
  uint64_t usedBytes = 0;
  std::vector<Allocation> slots;
  std::vector<uint32_t> freeSlots;
  std::vector<std::pair<uint64_t, uint64_t>> freed; ///< Begin and end.
  std::map<uint64_t, uint64_t> freePages; ///< First page of a hole, its length.
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_GLOBALMEMORY_H
