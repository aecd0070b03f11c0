//===- WarpMmaCase.h - An mma.sync against three loops ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One form of mma.sync with random operands. Which lane holds which element is
// written down from the PTX ISA's fragment tables (9.7.14.5.1 to 9.7.14.5.13):
// element i of a lane, where e elements share a register.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_WARPMMACASE_H
#define DRAWLOOM_EMULATOR_WARPMMACASE_H

#include "MatrixReference.h"
#include <string>

namespace mma {

/// An element type: how many bits it takes up, and its value.
struct Element {
  std::string name;
  unsigned bits;
  double (*value)(uint64_t bits);
};

extern const Element f16, bf16, tf32, e4m3, e5m2, s8, u8, s4, u4, b1, f64;
/// In bytes of their own.
extern const Element e3m2, e2m3, e2m1;
extern const Element denseE2M1;

/// Block scales, and where the lanes have them.
struct Scales {
  std::string type = {}; ///< "ue8m0" or "ue4m3"; empty if there are none.
  unsigned perRow = 0;
  unsigned byteA = 0, threadA = 0, byteB = 0, threadB = 0;
};

struct Case {
  unsigned m, k;
  Element a, b;
  std::string d, c;          ///< "f32", "f16", "s32" or "f64"
  std::string before, after; ///< Modifiers around the types.
  std::string sparse = {};   ///< ".sp" or ".sp::ordered_metadata"
  unsigned selector = 0;
  Scales scales = {};
};

/// Runs it on `device` and compares every element of D.
void check(const Case &c, const char *device = "b200");

} // namespace mma

#endif // DRAWLOOM_EMULATOR_WARPMMACASE_H
