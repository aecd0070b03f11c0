//===- Arc4Random.cpp - Random numbers of older systems -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one function that LLVM's archives take from glibc 2.36. With this one in
// its place, what is shipped starts on glibc 2.34.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdlib>
#include <unistd.h>

extern "C" __attribute__((visibility("hidden"))) uint32_t
arc4random() noexcept {
  uint32_t number;
  if (getentropy(&number, sizeof(number)) != 0)
    abort();
  return number;
}
