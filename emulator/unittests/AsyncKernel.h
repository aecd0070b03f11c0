//===- AsyncKernel.h - Kernels for asynchronous instructions ----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An AsyncKernel is a body of PTX with what such bodies need around it:
//
//   %p<16>, %h<16> (.b16), %r<64>, %rd<32>   registers
//   %thread, %warp, %rank                    in the CTA, of the CTA
//   %in, %data, %map                         generic addresses: what is read,
//                                            what is written, the tensor map
//   %leader                                  thread 0 of the CTA
//   smem                                     32 KiB, at a multiple of 1024
//   bars                                     eight mbarriers
//   %o                                       what a thread hands out
//
// CTAs are one cluster. `values` runs the body under every policy, and the
// results must be the same.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_ASYNCKERNEL_H
#define DRAWLOOM_EMULATOR_ASYNCKERNEL_H

#include "Harness.h"
#include "drawloom/Emulator/TensorMap.h"

struct AsyncKernel {
  std::string body = "";
  unsigned threads = 32;
  unsigned ctas = 1;
  std::string device = "b200";
  std::string directives = "";
  std::vector<uint8_t> input = {};
  size_t dataBytes = 16;
  std::vector<uint8_t> dataBefore = {}; ///< Zeros if empty.
  /// Of the input; its address is filled in, or that of the data.
  std::optional<drawloom::emu::TensorMap> map = std::nullopt;
  bool mapsData = false;
  drawloom::emu::Listener *listener = nullptr;

  /// What the threads hand out. Adds a failure if the kernel fails, or if its
  /// results differ between policies.
  std::vector<uint32_t> values();
  /// The report under a policy; empty if the kernel runs to its end.
  std::string
  failure(drawloom::emu::Policy policy = drawloom::emu::Policy::Deterministic,
          uint64_t seed = 0);

  /// After `values`: the data of the last run.
  std::vector<uint8_t> data = {};

private:
  std::string run(drawloom::emu::Policy policy, uint64_t seed,
                  std::vector<uint32_t> &out);
};

/// "Wait until the phase of that parity is over", for %p15 and any thread.
std::string waitFor(const std::string &barrier, unsigned parity);
/// The leader initializes `bars` + 8 * i with counts[i]; all wait for that, in
/// the whole cluster.
std::string initBarriers(std::initializer_list<unsigned> counts);

/// Bytes 0, 1, 2, ... and never the same twice in one row of 251.
std::vector<uint8_t> pattern(size_t bytes);

#endif // DRAWLOOM_EMULATOR_ASYNCKERNEL_H
