//===- TimePage.h - Time in a page of drawloom explain ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two drawings of a timed run, in SVG with the colors of the page's style, so
// that they can be read in light and in dark: when each role of the first CTA
// works and waits, and how far the kernel is from what its GPU can do.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_TIMEPAGE_H
#define DRAWLOOM_TOOLS_DRAWLOOM_TIMEPAGE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace drawloom {

/// Of the first CTA in a trace in Chrome's format: a row for each role, by its
/// first warp, and one for each engine. The run's beginning, and its end if
/// that is another part.
llvm::Error drawTimeline(llvm::StringRef trace, llvm::raw_ostream &os);

/// A kernel under the roofs of its GPU.
struct Roofline {
  std::string kernel, gpu;
  double peak = 0;      ///< FLOP/s of the tensor cores.
  double bandwidth = 0; ///< Bytes/s of DRAM.
  double reached = 0;   ///< FLOP/s.
  double bytes = 0;     ///< Bytes/s from and to DRAM.
};
void drawRoofline(const Roofline &roofline, llvm::raw_ostream &os);

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_TIMEPAGE_H
