//===- ExplainTime.h - drawloom explain --time ------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_EXPLAINTIME_H
#define DRAWLOOM_TOOLS_DRAWLOOM_EXPLAINTIME_H

#include "ExitStatus.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace drawloom {

/// With the arguments of the verb, --time among them.
ExitStatus runExplainTime(llvm::ArrayRef<llvm::StringRef> arguments);

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_EXPLAINTIME_H
