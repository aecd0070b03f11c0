//===- Messages.h - Messages and dynamic work tiles ----------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_MESSAGES_H
#define DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_MESSAGES_H

#include "Patterns.h"

namespace drawloom::codegen {

/// Messages, and the numbers of dynamic work tiles: a part of the protocol.
void addMessages(PatternList &list);

} // namespace drawloom::codegen

#endif // DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_MESSAGES_H
