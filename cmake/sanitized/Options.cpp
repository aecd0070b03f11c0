//===- Options.cpp - What the address sanitizer may ask of a process ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM and MLIR are not instrumented, and two checks need both sides to be:
//
//   container overflow   we mark what a vector has beyond its end, they push to
//                        it silently
//   user poisoning       our copies of LLVM's allocators lock a slab, theirs
//                        hand it out without unlocking it
//
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options();

const char *__asan_default_options() {
  return "detect_container_overflow=0:allow_user_poisoning=0";
}
