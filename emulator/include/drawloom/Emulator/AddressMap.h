//===- AddressMap.h - The generic address space -----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the state spaces lie in the generic address space. Addresses are the
// same in every run, so a report can be compared with the last one.
//
//   window   base             what the offset is
//   shared   0x0100'0000'0000 rank << 24 | byte: the CTA's rank in its cluster
//   local    0x0200'0000'0000 CTA << 30 | thread << 20 | byte of its memory
//   param    0x0400'0000'0000 byte of the kernel's parameters
//   code     0x0500'0000'0000 number of a function, times 16
//   global   0x7000'0000'0000 byte of the device's memory; constants are there
//                             too, in an allocation of their own
//
// The address of a shared variable in its own space is the offset: it carries
// the rank already, so an address in shared::cta is one in shared::cluster, and
// mapa is arithmetic. A window's base has zeros in its low 40 bits.
//
// The address of a local variable in its own space is the byte alone. A generic
// one carries the thread and the low bits of the CTA's number, so a thread that
// follows another's pointer is found: hardware would show it its own memory.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_ADDRESSMAP_H
#define DRAWLOOM_EMULATOR_ADDRESSMAP_H

#include <cstdint>

namespace drawloom::emu {

inline constexpr unsigned windowShift = 40;
inline constexpr uint64_t sharedWindow = 0x0100'0000'0000;
inline constexpr uint64_t localWindow = 0x0200'0000'0000;
inline constexpr uint64_t paramWindow = 0x0400'0000'0000;
inline constexpr uint64_t codeWindow = 0x0500'0000'0000;
inline constexpr uint64_t globalBase = 0x7000'0000'0000;
inline constexpr uint64_t windowMask = (uint64_t(1) << windowShift) - 1;

/// Where the rank stands in a shared address, and what it leaves.
inline constexpr unsigned sharedRankShift = 24;
inline constexpr uint32_t sharedOffsetMask = (1u << sharedRankShift) - 1;
/// The most CTAs in a cluster.
inline constexpr unsigned maxClusterSize = 16;
/// An address has room for ranks that no cluster has: mapa makes them, and they
/// are reported where they are used. The highest stands for all above it.
inline constexpr uint32_t highestRank = 255;
inline constexpr uint64_t sharedWindowSize = uint64_t(highestRank + 1)
                                             << sharedRankShift;
/// Local memory of a thread (PTX ISA and CUDA: 512 KiB).
inline constexpr uint64_t localWindowSize = 512 << 10;
/// Where thread and CTA stand in a generic address of it.
inline constexpr unsigned localThreadShift = 20;
inline constexpr unsigned localCtaShift = 30;
inline constexpr uint64_t localByteMask = (uint64_t(1) << localThreadShift) - 1;
inline constexpr uint32_t localThreadMask =
    (1u << (localCtaShift - localThreadShift)) - 1;
/// Kernel parameters (32,764 bytes since PTX 8.1).
inline constexpr uint64_t paramWindowSize = 32764;

inline bool isShared(uint64_t address) {
  return address - sharedWindow < sharedWindowSize;
}
/// The rank, in its cluster, of the CTA that an address of the shared window
/// belongs to.
inline uint32_t getRank(uint64_t address) {
  return (address - sharedWindow) >> sharedRankShift;
}
inline bool isLocal(uint64_t address) {
  return address >> windowShift == localWindow >> windowShift;
}

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_ADDRESSMAP_H
