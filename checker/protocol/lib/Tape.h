//===- Tape.h - What a launch decides, as far as it is read ---- -*- C++
//-*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The values of one condition, one after the other. That of a loop is 1 for
// each iteration and 0 where it ends, and it has as many iterations each time;
// of these it is remembered whether there are any.
//
//   1 1 0 1 1 0 1
//   ^   ^         ^
//   |   |         the fastest reader, who writes
//   |   another
//   the slowest: what was before is forgotten
//
// If a reader gets further ahead than `most` iterations of one loop, they
// aren't counted any more: who has read the ones that the tape begins with may
// read more of them.

#ifndef DRAWLOOM_PROTOCOL_TAPE_H
#define DRAWLOOM_PROTOCOL_TAPE_H

#include <cstdint>
#include <string>
#include <vector>

namespace drawloom::protocol {

class Tape {
public:
  enum class Answer { No, Yes, TooFar };

  Tape(bool isInvariant, unsigned readers)
      : isInvariant(isInvariant), offsets(readers, 0) {}

  /// Whether the next value for a reader may be this one; it then is.
  Answer read(unsigned reader, bool value);
  /// It won't read any more.
  void leave(unsigned reader) { offsets[reader] = gone; }
  /// Forgets what all have read.
  void trim();
  void appendKey(std::string &key) const;

private:
  static constexpr uint8_t gone = 0xff;
  static constexpr uint8_t most = 12, limit = 60;
  enum Trips : uint8_t { Unknown, None, Some };

  /// How many iterations the tape begins with.
  uint8_t run() const;

  bool isInvariant;
  Trips trips = Unknown;
  /// Readers that come to the loop next, not to another iteration of it.
  uint32_t starting = ~0u;
  uint8_t length = 0;
  bool isLonger = false;
  uint64_t values = 0;
  std::vector<uint8_t> offsets;
};

} // namespace drawloom::protocol

#endif // DRAWLOOM_PROTOCOL_TAPE_H
