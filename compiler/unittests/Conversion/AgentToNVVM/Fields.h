//===- Fields.h - Words against tables of the PTX ISA -----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A descriptor is a word whose bits the PTX ISA lists in a table. A test states
// the rows of the table with the numbers that it wants; bits that no row has
// must be zero.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_UNITTESTS_CONVERSION_AGENTTONVVM_FIELDS_H
#define DRAWLOOM_UNITTESTS_CONVERSION_AGENTTONVVM_FIELDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

namespace drawloom::codegen {

struct Field {
  const char *name;
  unsigned first, last;
  uint64_t value;
};

inline void expectFields(uint64_t word, llvm::ArrayRef<Field> fields) {
  uint64_t listed = 0;
  for (const Field &field : fields) {
    unsigned size = field.last - field.first + 1;
    uint64_t mask = llvm::maskTrailingOnes<uint64_t>(size);
    EXPECT_EQ(word >> field.first & mask, field.value) << field.name;
    listed |= mask << field.first;
  }
  EXPECT_EQ(word & ~listed, 0u) << "bits that the table does not list";
}

} // namespace drawloom::codegen

#endif // DRAWLOOM_UNITTESTS_CONVERSION_AGENTTONVVM_FIELDS_H
