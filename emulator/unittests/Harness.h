//===- Harness.h - Small kernels in tests -----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Harness is a device with one module of PTX text. `text` is what follows the
// .address_size line; version and target are those of the device.
//
//   Harness h("h100", R"(.visible .entry k(.param .u64 out) { ... })");
//   uint64_t out = h.allocate<uint32_t>(32);
//   ASSERT_TRUE(h.run("k", {1}, {32}, {out}));
//   EXPECT_EQ(h.read<uint32_t>(out, 32), expected);
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_HARNESS_H
#define DRAWLOOM_EMULATOR_HARNESS_H

#include "FormCoverage.h"
#include "MustFail.h"
#include "drawloom/Emulator/Launch.h"
#include "gtest/gtest.h"
#include <cstring>

class Harness {
public:
  Harness(llvm::StringRef device, const std::string &text);
  /// The same text on another device.
  void reload(const drawloom::emu::DeviceModel &model, const std::string &text);
  /// What is wrong with a whole module, version and target included.
  std::string loadError(const std::string &source);

  /// Whether the kernel runs to its end; if not, the failure says why.
  testing::AssertionResult run(llvm::StringRef kernel, drawloom::emu::Dim3 grid,
                               drawloom::emu::Dim3 block,
                               std::vector<uint64_t> arguments);
  /// The report of a kernel that must fail, as text; empty if it doesn't.
  std::string fail(llvm::StringRef kernel, drawloom::emu::Dim3 grid,
                   drawloom::emu::Dim3 block, std::vector<uint64_t> arguments);

  template <typename T>
  uint64_t allocate(size_t count) {
    return llvm::cantFail(device->memory().allocate(count * sizeof(T)));
  }
  template <typename T>
  uint64_t upload(const std::vector<T> &values) {
    uint64_t address = allocate<T>(values.size());
    memcpy(device->memory().translate(address, values.size() * sizeof(T)),
           values.data(), values.size() * sizeof(T));
    return address;
  }
  template <typename T>
  std::vector<T> read(uint64_t address, size_t count) {
    coverage.read();
    std::vector<T> values(count);
    memcpy(values.data(),
           device->memory().translate(address, count * sizeof(T)),
           count * sizeof(T));
    return values;
  }

  /// A kernel that is about to be launched; null, with a failure, if there is
  /// none of that name.
  const drawloom::emu::Kernel *kernel(llvm::StringRef name);
  drawloom::emu::RunResult launch(llvm::StringRef kernel,
                                  drawloom::emu::Dim3 grid,
                                  drawloom::emu::Dim3 block,
                                  std::vector<uint64_t> arguments);

  std::unique_ptr<drawloom::emu::Device> device;
  std::unique_ptr<drawloom::emu::LoadedModule> module;
  /// Whether devices count what they execute, from the next `reload` on.
  bool counts = false;
  /// For the next launches.
  drawloom::emu::RunOptions options;
  drawloom::emu::Dim3 cluster;
  uint32_t dynamicShared = 0;
  drawloom::emu::RunStatistics statistics; ///< Of the last launch.

private:
  FormCoverage coverage;
};

/// A kernel for one warp around `body`, which computes %o (32 bits) or %od (64
/// bits) in each lane. There are %p<16>, %h<16> (.b16), %r<32>, %rd<32>,
/// %f<16>, %d<16>, %q<4> (.b128), %lane, and 16 KiB of shared memory at `smem`,
/// aligned to 1024. `outside` stands in front of the kernel.
std::string perLaneKernel(const std::string &body,
                          const std::string &outside = "");

/// The values of %o or %od in the 32 lanes, as T has 4 or 8 bytes.
template <typename T>
std::vector<T> perLane(const std::string &body, const std::string &outside = "",
                       llvm::StringRef device = "b200") {
  Harness h(device, perLaneKernel(body, outside));
  uint64_t out = h.allocate<uint32_t>(32), outWide = h.allocate<uint64_t>(32);
  EXPECT_TRUE(h.run("k", {1}, {32}, {out, outWide}));
  return h.read<T>(sizeof(T) == 4 ? out : outWide, 32);
}

/// The report of a kernel around `body` that must fail.
std::string perLaneFailure(const std::string &body,
                           const std::string &outside = "",
                           llvm::StringRef device = "b200");

/// The values of a function of the lane.
template <typename T, typename F>
std::vector<T> lanes(F f) {
  std::vector<T> values;
  for (unsigned lane = 0; lane != 32; ++lane)
    values.push_back(static_cast<T>(f(lane)));
  return values;
}

#endif // DRAWLOOM_EMULATOR_HARNESS_H
