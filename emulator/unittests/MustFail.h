//===- MustFail.h - Kernels that end in a report ----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tests whose suite ends in MustFail each break one rule of the ISA and
// expect the words that name it. EXPECT_CONTAINS notes every report that such a
// test looks at; when the program ends it prints them as a table, and last
//
//   must-fail: 150 kernels, 150 named
//
// A kernel counts once for each report. One that runs to its end, or whose
// report says something else, is not named, and its test fails.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_MUSTFAIL_H
#define DRAWLOOM_EMULATOR_MUSTFAIL_H

#include "gtest/gtest.h"
#include <string>

/// Whether `part` stands in `report`; notes it for the table.
testing::AssertionResult reportContains(const std::string &report,
                                        const std::string &part);

#define EXPECT_CONTAINS(text, part) EXPECT_TRUE(reportContains(text, part))

#endif // DRAWLOOM_EMULATOR_MUSTFAIL_H
