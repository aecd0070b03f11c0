//===- Tape.cpp - What a launch decides, as far as it is read -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tape.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace drawloom::protocol;

Tape::Answer Tape::read(unsigned reader, bool value) {
  auto answer = [](bool isSo) { return isSo ? Answer::Yes : Answer::No; };
  if (isInvariant) {
    if (trips == Unknown)
      trips = value ? Some : None;
    return answer(value == (trips == Some));
  }
  uint32_t bit = 1u << reader;
  if (starting & bit) {
    if (trips == Unknown)
      trips = value ? Some : None;
    if (value != (trips == Some))
      return Answer::No;
    if (!value)
      return Answer::Yes;
  }
  starting = value ? starting & ~bit : starting | bit;
  uint8_t &offset = offsets[reader];
  if (isLonger && value && offset == run())
    return Answer::Yes;
  if (offset < length) {
    bool written = values >> offset & 1;
    ++offset;
    return answer(written == value);
  }
  if (value && length == most && run() == most) {
    isLonger = true;
    return Answer::Yes;
  }
  if (length == limit)
    return Answer::TooFar;
  values |= uint64_t(value) << length++;
  ++offset;
  return Answer::Yes;
}

uint8_t Tape::run() const {
  return static_cast<uint8_t>(llvm::countr_one(values));
}

void Tape::trim() {
  uint8_t read =
      std::min(length, *std::min_element(offsets.begin(), offsets.end()));
  isLonger &= read <= run();
  values >>= read;
  length -= read;
  for (uint8_t &offset : offsets)
    if (offset != gone)
      offset -= read;
}

void Tape::appendKey(std::string &key) const {
  for (uint8_t byte : {uint8_t(trips), length, uint8_t(isLonger)})
    key.push_back(static_cast<char>(byte));
  key.append(reinterpret_cast<const char *>(&starting), sizeof(starting));
  key.append(reinterpret_cast<const char *>(&values), sizeof(values));
  key.append(offsets.begin(), offsets.end());
}
