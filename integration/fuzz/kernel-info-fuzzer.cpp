//===- kernel-info-fuzzer.cpp - Descriptions of kernels, mutated ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the description of a kernel says, reading it ends with a kernel or
// an error, and so does making a launch for it.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Runtime/Launch.h"

using namespace drawloom::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto kernel = readKernelInfo(
      llvm::StringRef(reinterpret_cast<const char *>(data), size));
  if (!kernel) {
    llvm::consumeError(kernel.takeError());
    return 0;
  }
  std::vector<Argument> arguments;
  for (const ArgumentInfo &info : kernel->arguments) {
    llvm::SmallVector<int64_t, 4> shape = info.shape;
    for (int64_t &extent : shape)
      if (extent == dynamicSize)
        extent = 1000;
    arguments.push_back({Tensor::packed(info.type, shape, 4096)});
  }
  for (const Parameter &parameter : kernel->parameters)
    if (parameter.kind == Parameter::Kind::TensorMap)
      llvm::consumeError(makeTensorMap(kernel->arguments[parameter.argument],
                                       parameter,
                                       arguments[parameter.argument].tensor)
                             .takeError());
  llvm::consumeError(countCtas(*kernel, arguments, 132).takeError());
  llvm::consumeError(checkCondition(*kernel, arguments));
  return 0;
}
