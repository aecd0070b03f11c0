//===- Support.h - What the tests of the C API share ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_C_UNITTESTS_SUPPORT_H
#define DRAWLOOM_C_UNITTESTS_SUPPORT_H

#include "drawloom-c/Drawloom.h"
#include "gtest/gtest.h"
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

namespace drawloom::capi {

/// What the error says, which is gone then; "" if there is none.
inline std::string words(DrawloomError *error) {
  std::string text = error ? drawloomErrorText(error) : "";
  drawloomErrorDestroy(error);
  return text;
}

inline std::string take(DrawloomBytes bytes) {
  std::string text(bytes.data, bytes.size);
  drawloomBytesDestroy(bytes);
  return text;
}

/// A program of examples/.
inline std::string readExample(const std::string &name) {
  std::ifstream file(EXAMPLES "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct DestroyProgram {
  void operator()(DrawloomProgram *program) { drawloomProgramDestroy(program); }
};
using Program = std::unique_ptr<DrawloomProgram, DestroyProgram>;

inline DrawloomCompileOptions forArch(const char *arch) {
  DrawloomCompileOptions options = {};
  options.structSize = sizeof(options);
  options.arch = arch;
  options.noCache = 1;
  return options;
}

inline DrawloomError *compile(const std::string &text,
                              const DrawloomCompileOptions &options,
                              Program &program) {
  DrawloomProgram *made = nullptr;
  DrawloomError *error =
      drawloomCompile(text.data(), text.size(), &options, &made);
  program.reset(made);
  return error;
}

/// The gemm of examples/, for Blackwell.
inline Program compileGemm(const char *arch = "sm_100a") {
  Program program;
  EXPECT_EQ(words(compile(readExample("gemm.mlir"), forArch(arch), program)),
            "");
  return program;
}

#define EXPECT_SAYS(error, text)                                               \
  EXPECT_NE(drawloom::capi::words(error).find(text), std::string::npos)

} // namespace drawloom::capi

#endif // DRAWLOOM_C_UNITTESTS_SUPPORT_H
