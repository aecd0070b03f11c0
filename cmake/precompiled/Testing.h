//===- Testing.h - GoogleTest beside LLVM's support library ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PRECOMPILED_TESTING_H
#define DRAWLOOM_PRECOMPILED_TESTING_H

#include "Support.h"
#include "gtest/gtest.h"

#endif // DRAWLOOM_PRECOMPILED_TESTING_H
