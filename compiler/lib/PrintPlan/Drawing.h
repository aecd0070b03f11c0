//===- Drawing.h - Shapes and text as SVG --------------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A drawing is a list of shapes, and as large as they need. A viewer may have
// other fonts: so a piece of text carries its width, and the viewer fits it in.
// A character is six tenths of the font's size wide, as in most monospaced
// fonts.

#ifndef DRAWLOOM_LIB_ANALYSIS_PRINTPLAN_DRAWING_H
#define DRAWLOOM_LIB_ANALYSIS_PRINTPLAN_DRAWING_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <string>

namespace drawloom::plan {

/// How wide text is, rounded up.
int64_t measureText(llvm::StringRef text, int64_t size);

class Drawing {
public:
  enum class Anchor { Start, Middle, End };

  struct Look {
    llvm::StringRef fill = "none";
    llvm::StringRef line = "none";
    /// Tenths of a pixel.
    int64_t width = 12;
    bool isDashed = false;
    int64_t radius = 0;
  };

  struct Font {
    int64_t size = 12;
    llvm::StringRef color = "#0f172a";
    bool isBold = false;
    Anchor anchor = Anchor::Start;
  };

  void rectangle(int64_t x, int64_t y, int64_t width, int64_t height,
                 const Look &look);
  void line(int64_t x1, int64_t y1, int64_t x2, int64_t y2, const Look &look);
  /// A level line with a head at its end.
  void arrow(int64_t x1, int64_t y, int64_t x2, const Look &look);
  /// `y` is the line that the letters stand on.
  void text(int64_t x, int64_t y, llvm::StringRef words, const Font &font);

  /// Shapes between these belong together; a viewer shows `words` where the
  /// mouse rests on them.
  void beginGroup(llvm::StringRef words);
  void endGroup();

  /// The whole drawing, with a border; `title` is for those who can't see it.
  void print(llvm::StringRef title, llvm::raw_ostream &os) const;

  int64_t getRight() const { return right; }
  int64_t getBottom() const { return bottom; }

private:
  void reach(int64_t x, int64_t y);

  std::string shapes;
  llvm::raw_string_ostream os{shapes};
  int64_t right = 0, bottom = 0;
};

} // namespace drawloom::plan

#endif // DRAWLOOM_LIB_ANALYSIS_PRINTPLAN_DRAWING_H
