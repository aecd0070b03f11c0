//===- Suggest.cpp - What a misspelled name may have meant
//------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Input/Suggest.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;

std::string input::suggest(llvm::StringRef word,
                           llvm::ArrayRef<llvm::StringRef> names,
                           llvm::ArrayRef<ForeignWord> foreign) {
  for (const ForeignWord &known : foreign)
    if (word.equals_insensitive(known.word))
      return ("; did you mean '" + known.name + "'" +
              (known.gloss.empty() ? "" : " (" + known.gloss + ")") + "?")
          .str();
  // A third of the characters wrong is still a typing error; more is another
  // word, and so is a single character.
  unsigned limit = word.size() < 2 ? 0 : llvm::divideCeil(word.size(), 3);
  llvm::StringRef nearest;
  unsigned distance = limit + 1;
  for (llvm::StringRef name : names) {
    unsigned candidate = word.edit_distance(name, true, distance);
    if (candidate < distance) {
      nearest = name;
      distance = candidate;
    }
  }
  return nearest.empty() ? "" : ("; did you mean '" + nearest + "'?").str();
}
