//===- Drawing.cpp - Shapes and text as SVG -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Drawing.h"
#include "TextLayout.h"
#include "drawloom/PrintPlan/Print.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace drawloom::plan;
using llvm::StringRef;

static constexpr int64_t border = 16;

std::string drawloom::plan::escapeForXml(StringRef text) {
  std::string result;
  for (char c : text) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result +=
          llvm::isPrint(c) || c == '\n' || static_cast<unsigned char>(c) >= 0x80
              ? c
              : ' ';
    }
  }
  return result;
}

/// In tenths of a pixel.
static int64_t measureTenths(StringRef text, int64_t size) {
  return measureColumns(text) * size * 6;
}

int64_t drawloom::plan::measureText(StringRef text, int64_t size) {
  return (measureTenths(text, size) + 9) / 10;
}

void Drawing::reach(int64_t x, int64_t y) {
  right = std::max(right, x);
  bottom = std::max(bottom, y);
}

static void printLook(const Drawing::Look &look, llvm::raw_ostream &os) {
  os << " fill=\"" << look.fill << '"';
  if (look.line != "none")
    os << " stroke=\"" << look.line << "\" stroke-width=\"" << look.width / 10
       << '.' << look.width % 10 << '"';
  if (look.isDashed)
    os << " stroke-dasharray=\"5 3\"";
}

void Drawing::rectangle(int64_t x, int64_t y, int64_t width, int64_t height,
                        const Look &look) {
  os << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << width
     << "\" height=\"" << height << '"';
  if (look.radius)
    os << " rx=\"" << look.radius << '"';
  printLook(look, os);
  os << "/>\n";
  reach(x + width, y + height);
}

void Drawing::line(int64_t x1, int64_t y1, int64_t x2, int64_t y2,
                   const Look &look) {
  os << "<path d=\"M" << x1 << ' ' << y1 << 'L' << x2 << ' ' << y2 << '"';
  printLook(look, os);
  os << "/>\n";
  reach(std::max(x1, x2), std::max(y1, y2));
}

void Drawing::arrow(int64_t x1, int64_t y, int64_t x2, const Look &look) {
  int64_t back = x2 > x1 ? -7 : 7;
  line(x1, y, x2 + back, y, look);
  os << "<path d=\"M" << x2 << ' ' << y << 'l' << back << " -4v8z\" fill=\""
     << look.line << "\"/>\n";
  reach(std::max(x1, x2), y + 4);
}

void Drawing::text(int64_t x, int64_t y, StringRef words, const Font &font) {
  if (words.empty())
    return;
  int64_t tenths = measureTenths(words, font.size);
  int64_t width = measureText(words, font.size);
  os << "<text x=\"" << x << "\" y=\"" << y << "\" font-size=\"" << font.size
     << "\" fill=\"" << font.color << '"';
  if (font.isBold)
    os << " font-weight=\"bold\"";
  if (font.anchor != Anchor::Start)
    os << " text-anchor=\""
       << (font.anchor == Anchor::Middle ? "middle" : "end") << '"';
  os << " textLength=\"" << tenths / 10 << '.' << tenths % 10
     << "\" lengthAdjust=\"spacingAndGlyphs\">" << escapeForXml(words)
     << "</text>\n";
  int64_t end = font.anchor == Anchor::Start    ? x + width
                : font.anchor == Anchor::Middle ? x + width / 2
                                                : x;
  reach(end, y + font.size / 4);
}

void Drawing::beginGroup(StringRef words) {
  os << "<g>";
  if (!words.empty())
    os << "<title>" << escapeForXml(words) << "</title>";
  os << '\n';
}

void Drawing::endGroup() { os << "</g>\n"; }

void Drawing::print(StringRef title, llvm::raw_ostream &out) const {
  int64_t width = right + border, height = bottom + border;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width
      << "\" height=\"" << height << "\" viewBox=\"0 0 " << width << ' '
      << height << "\" font-family=\"monospace\" role=\"img\">\n"
      << "<title>" << escapeForXml(title) << "</title>\n"
      << "<rect width=\"" << width << "\" height=\"" << height
      << "\" fill=\"#ffffff\"/>\n"
      << shapes << "</svg>\n";
}
