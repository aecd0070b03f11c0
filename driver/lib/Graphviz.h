//===- Graphviz.h - Drawings by Graphviz ---------------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DRIVER_GRAPHVIZ_H
#define DRAWLOOM_DRIVER_GRAPHVIZ_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace drawloom {

/// The drawing that `dot` on the PATH makes of a graph, as SVG.
llvm::Expected<std::string> renderSvg(llvm::StringRef graph);

} // namespace drawloom

#endif // DRAWLOOM_DRIVER_GRAPHVIZ_H
