//===- Image.h - What a program gives the loader ----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program hands the driver a pointer, and the first bytes say what is there:
// PTX text that ends with a NUL, a fat binary, nvcc's wrapper around one, or a
// cubin. The emulator runs PTX, so that is what it looks for.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_IMAGE_H
#define DRAWLOOM_CUDA_IMAGE_H

#include "Driver.h"

namespace drawloom::cuda {

/// The buffers that a caller gives for what the loader has to say.
class JitLog {
public:
  JitLog(unsigned count, const int *options, void **values);

  /// Writes to the error log, or to standard error if there is none.
  void error(llvm::StringRef text);

private:
  /// The size of a log comes back where the size of its buffer stood.
  void writeSize(JitOption option, size_t size);

  unsigned count;
  const int *options;
  void **values;
};

/// The PTX in an image that `device` runs.
Result findPtx(std::string &text, const void *image, ptx::Target device,
               JitLog &log);

/// Parses the PTX in an image.
Result parseImage(std::unique_ptr<ptx::Module> &module, std::string &text,
                  const void *image, ptx::Target device, JitLog &log);

/// Reads a file that holds an image. The loader gets a pointer to it, so a fat
/// binary that is cut short is rejected here.
Result readImage(std::string &image, const char *path, JitLog &log);

} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_IMAGE_H
