//===- PairMeeting.h - What a pair of CTAs does together --------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With cta_group::2, tensor memory is allocated and freed by a warp of each CTA
// of a pair together. PTX allows that the first one waits for the second; here
// it always does, so a kernel that relies on not waiting is found (PTX ISA,
// table 48).
//
// The second warp does the work for both and leaves an answer for the first.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_PAIRMEETING_H
#define DRAWLOOM_EMULATOR_PAIRMEETING_H

#include "Machine/AsyncOp.h"
#include "Machine/WaitObject.h"
#include <optional>

namespace drawloom::emu {

class PairMeeting : public WaitObject {
public:
  struct Arrival {
    IssuePoint issue;
    uint32_t columns = 0, column = 0;
  };

  /// WaitObject: that the peer is missing.
  std::string describe(const Fragment &waiter) const override;

  /// Notes that a warp has come. Null if it has to wait: its peer isn't there,
  /// or another warp of its CTA is.
  const Arrival *meet(const Arrival &arrival);
  /// The peer has done it for both: its result.
  std::optional<uint32_t> takeAnswer(const IssuePoint &issue);
  /// It is done, for `issue` and its peer, which wakes up to take the answer.
  void finish(const IssuePoint &issue, uint32_t answer);

private:
  std::optional<Arrival> arrivals[2]; ///< Of the even and the odd CTA.
  std::optional<uint32_t> answers[2];
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_PAIRMEETING_H
