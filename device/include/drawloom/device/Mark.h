//===- Mark.h - Where items and steps begin, for the proof --------------- ===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_MARK_H
#define DRAWLOOM_DEVICE_MARK_H

namespace drawloom::device {

/// Marks for `drawloom check`, which ptxas drops: here a work tile begins, or
/// here a K tile ends. At its beginning, the mark would cost instructions.
__device__ inline void markItem() {
  asm volatile("{\n\t.reg .b32 drawloom_item;\n\t"
               "mov.b32 drawloom_item, 0;\n\t}");
}
__device__ inline void markStep() {
  asm volatile("{\n\t.reg .b32 drawloom_step;\n\t"
               "mov.b32 drawloom_step, 0;\n\t}");
}

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_MARK_H
