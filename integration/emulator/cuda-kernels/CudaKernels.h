//===- CudaKernels.h - Kernels that nvcc compiled ---------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tests run kernels of the .cu files of this folder, which nvcc has
// compiled to <folder>/<name>-<target>.ptx; the folder is in
// DRAWLOOM_CUDA_KERNELS. Each test runs once for each device and compares with
// what the host computes, bit for bit.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_INTEGRATION_CUDAKERNELS_H
#define DRAWLOOM_INTEGRATION_CUDAKERNELS_H

#include "drawloom/Emulator/Launch.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>

/// The parameter is a device: h100 or b200.
class CudaKernels : public testing::TestWithParam<const char *> {
protected:
  /// Loads the module of a .cu file.
  void load(const std::string &file);

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
    std::vector<T> values(count);
    memcpy(values.data(),
           device->memory().translate(address, count * sizeof(T)),
           count * sizeof(T));
    return values;
  }

  /// Launches a kernel; its arguments are as in C++.
  template <typename... Ts>
  drawloom::emu::RunResult launch(const char *kernel, drawloom::emu::Dim3 grid,
                                  drawloom::emu::Dim3 block,
                                  const Ts &...arguments) {
    return launchWith(
        kernel, grid, block,
        {llvm::ArrayRef<char>(reinterpret_cast<const char *>(&arguments),
                              sizeof(arguments))...});
  }
  template <typename... Ts>
  void run(const char *kernel, drawloom::emu::Dim3 grid,
           drawloom::emu::Dim3 block, const Ts &...arguments) {
    drawloom::emu::RunResult result = launch(kernel, grid, block, arguments...);
    EXPECT_TRUE(result.ok()) << result.report->str();
  }

  drawloom::emu::RunResult
  launchWith(const char *kernel, drawloom::emu::Dim3 grid,
             drawloom::emu::Dim3 block,
             llvm::ArrayRef<llvm::ArrayRef<char>> arguments);

  std::unique_ptr<drawloom::emu::Device> device;
  std::unique_ptr<drawloom::emu::LoadedModule> module;
  drawloom::emu::RunOptions options;
  drawloom::emu::Dim3 cluster;
  uint32_t dynamicShared = 0;
};

/// Words that are the same in every run.
inline std::vector<uint32_t> randomWords(size_t count, uint32_t seed = 1) {
  std::mt19937 generator(seed);
  std::vector<uint32_t> words(count);
  for (uint32_t &word : words)
    word = generator();
  return words;
}

#endif // DRAWLOOM_INTEGRATION_CUDAKERNELS_H
