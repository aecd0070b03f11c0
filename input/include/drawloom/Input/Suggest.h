//===- Suggest.h - What a misspelled name may have meant ----------*- C++
//-*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_INPUT_SUGGEST_H
#define DRAWLOOM_INPUT_SUGGEST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace drawloom::input {

/// What other systems call something: `num_stages` for `slots`, which are
/// "pipeline stages".
struct ForeignWord {
  llvm::StringLiteral word, name, gloss;
};

/// The end of a message about an unknown `word`: "; did you mean 'slots'
/// (pipeline stages)?" if another system calls it so, "; did you mean 'warps'?"
/// if one of `names` is near enough to be a typing error, else nothing.
std::string suggest(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> names,
                    llvm::ArrayRef<ForeignWord> foreign = {});

} // namespace drawloom::input

#endif // DRAWLOOM_INPUT_SUGGEST_H
