//===- VariantText.h - Every variant of a form as text ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes down a form of the instruction table as instructions: one for every
// choice of its modifiers, with and without its optional operands. They stand
// in a kernel by `variantKernel`, which has the registers, labels and functions
// that they name.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_VARIANTTEXT_H
#define DRAWLOOM_EMULATOR_VARIANTTEXT_H

#include "drawloom/PTX/InstructionTable.h"
#include <string>
#include <vector>

/// The instructions of a form, without semicolons: "add.s32 %r0, %r1, %r2".
std::vector<std::string> variantsOf(const drawloom::ptx::Form &form);

/// A kernel `name` around instructions. Its first line is its own, the others
/// are the body's.
std::string variantKernel(const std::string &name, const std::string &body);

/// What the kernels need in front of them, once in a module.
std::string variantPrelude();

#endif // DRAWLOOM_EMULATOR_VARIANTTEXT_H
