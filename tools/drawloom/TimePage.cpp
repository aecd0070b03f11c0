//===- TimePage.cpp - Time in a page of drawloom explain ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimePage.h"
#include "drawloom/PrintPlan/Print.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>
#include <map>
#include <vector>

using namespace drawloom;
using llvm::formatv;
using llvm::StringRef;
using llvm::json::Object;
using plan::escapeForXml;

//===----------------------------------------------------------------------===//
// The timeline
//===----------------------------------------------------------------------===//

namespace {
struct Span {
  double begin, end; ///< Microseconds.
  std::string name;
};

/// What a warp or an engine does, from top to bottom of the drawing.
struct TimeRow {
  std::string name;
  bool isEngine = false;
  std::vector<Span> spans; ///< Of a warp: its life, then its waits.
};

/// A part of the run.
struct TimeWindow {
  double begin, end;
};
} // namespace

/// Spans of a row of the trace belong to the row of that name: the first warp
/// of a role, or an engine, of all that ask it. Empty for what isn't drawn. A
/// run without data has no MMAs, but the commits behind them.
static std::string chooseRow(StringRef name, bool &isEngine) {
  StringRef engine = name.split(" of ").first;
  isEngine = engine == "TMA" || engine == "bulk copies" || engine == "commits";
  if (engine == "commits")
    return "tensor core";
  if (isEngine)
    return engine.str();
  // "slot 2 of @operands"
  if (name.contains(" of ") || name.starts_with("mbarrier "))
    return "";
  return name.split(", warp ").first.str();
}

/// The rows of the trace's first process.
static std::vector<TimeRow> collectRows(const llvm::json::Array &events) {
  std::map<int64_t, size_t> rowOf; // By the number in the trace.
  std::vector<TimeRow> rows;
  for (const llvm::json::Value &value : events) {
    const Object &event = *value.getAsObject();
    if (event.getInteger("pid") != 0)
      continue;
    const int64_t number = event.getInteger("tid").value_or(0);
    if (event.getString("name") == "thread_name") {
      bool isEngine;
      std::string name =
          chooseRow(*event.getObject("args")->getString("name"), isEngine);
      auto known = llvm::find_if(
          rows, [&](const TimeRow &row) { return row.name == name; });
      if (name.empty() || (known != rows.end() && !isEngine))
        continue;
      rowOf[number] = known - rows.begin();
      if (known == rows.end())
        rows.push_back({name, isEngine, {}});
    } else if (event.getString("ph") == "X" && rowOf.count(number)) {
      const double begin = event.getNumber("ts").value_or(0);
      rows[rowOf[number]].spans.push_back(
          {begin, begin + event.getNumber("dur").value_or(0),
           event.getString("name")->str()});
    }
  }
  // Warps that have no role wait for the others to end.
  if (llvm::any_of(rows, [](const TimeRow &row) {
        return StringRef(row.name).starts_with("@");
      }))
    llvm::erase_if(rows, [](const TimeRow &row) {
      return !row.isEngine && !StringRef(row.name).starts_with("@");
    });
  std::vector<TimeRow> sorted;
  for (bool isEngine : {false, true})
    for (TimeRow &row : rows)
      if (row.isEngine == isEngine)
        sorted.push_back(std::move(row));
  return sorted;
}

/// The run, or its beginning and its end, so that no row has more than `most`
/// spans in one of them.
static std::vector<TimeWindow> chooseWindows(llvm::ArrayRef<TimeRow> rows,
                                             size_t most) {
  double begin = INFINITY, end = 0;
  for (const TimeRow &row : rows)
    for (const Span &span : row.spans) {
      begin = std::min(begin, span.begin);
      end = std::max(end, span.end);
    }
  double length = end - begin;
  for (const TimeRow &row : rows) {
    std::vector<double> ends;
    for (const Span &span : row.spans)
      ends.push_back(span.end);
    llvm::sort(ends);
    if (ends.size() > most)
      length = std::min(length, ends[most - 1] - begin);
  }
  if (2 * length >= end - begin)
    return {{begin, end}};
  return {{begin, begin + length}, {end - length, end}};
}

/// 1, 2 or 5 times a power of ten.
static double chooseStep(double length, double count) {
  const double power = std::pow(10, std::floor(std::log10(length / count)));
  for (double step : {1.0, 2.0, 5.0})
    if (step * power >= length / count)
      return step * power;
  return 10 * power;
}

static constexpr double width = 1380, left = 200, rowHeight = 26, top = 26;

static void drawSpan(const Span &span, const TimeWindow &window, StringRef kind,
                     double y, double height, llvm::raw_ostream &os) {
  const double begin = std::max(span.begin, window.begin);
  const double end = std::min(span.end, window.end);
  if (begin >= end)
    return;
  const double scale = (width - left) / (window.end - window.begin);
  os << formatv("<rect class=\"{0}\" x=\"{1:f2}\" y=\"{2:f1}\" "
                "width=\"{3:f2}\" height=\"{4:f1}\">"
                "<title>{5}: {6:f3} us from {7:f3} us on</title></rect>\n",
                kind, left + (begin - window.begin) * scale, y,
                std::max(0.3, (end - begin) * scale), height,
                escapeForXml(span.name), span.end - span.begin, span.begin);
}

static void drawWindow(llvm::ArrayRef<TimeRow> rows, const TimeWindow &window,
                       llvm::raw_ostream &os) {
  const double height = top + rowHeight * rows.size() + 8;
  os << formatv("<svg class=\"timed\" viewBox=\"0 0 {0} {1}\" "
                "role=\"img\" aria-label=\"timeline\">\n",
                width + 10, height);
  const double scale = (width - left) / (window.end - window.begin);
  const double step = chooseStep(window.end - window.begin, 12);
  for (double at = std::ceil(window.begin / step) * step; at <= window.end;
       at += step) {
    const double x = left + (at - window.begin) * scale;
    os << formatv("<line class=\"grid\" x1=\"{0:f1}\" y1=\"{1}\" "
                  "x2=\"{0:f1}\" y2=\"{2}\"/>\n"
                  "<text class=\"axis\" x=\"{0:f1}\" y=\"14\" "
                  "text-anchor=\"middle\">{3} us</text>\n",
                  x, top - 6, height - 8,
                  formatv(step < 1 ? "{0:f1}" : "{0:f0}", at).str());
  }
  for (const auto &[index, row] : llvm::enumerate(rows)) {
    const double y = top + rowHeight * index;
    os << formatv("<text x=\"{0}\" y=\"{1}\" text-anchor=\"end\">{2}</text>\n",
                  left - 10, y + 16, escapeForXml(row.name));
    for (const auto &[number, span] : llvm::enumerate(row.spans)) {
      StringRef kind = row.name == "tensor core" ? "multiplies"
                       : row.isEngine            ? "moves"
                       : number == 0             ? "works"
                                                 : "waits";
      drawSpan(span, window, kind, y + 3, rowHeight - 6, os);
    }
  }
  os << "</svg>\n";
}

llvm::Error drawloom::drawTimeline(StringRef trace, llvm::raw_ostream &os) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(trace);
  if (!parsed)
    return parsed.takeError();
  std::vector<TimeRow> rows =
      collectRows(*parsed->getAsObject()->getArray("traceEvents"));
  os << "<h2>Timeline</h2>\n<p class=\"lead\">CTA 0, on SM 0, by the modeled "
        "clock. <span class=\"key works\"></span> works, or waits for other "
        "warps "
        "<span class=\"key waits\"></span> waits for an mbarrier "
        "<span class=\"key moves\"></span> copies in flight "
        "<span class=\"key multiplies\"></span> MMAs, from their "
        "commit to completion</p>\n";
  constexpr size_t most = 160;
  for (const TimeWindow &window : chooseWindows(rows, most)) {
    os << "<div class=\"picture\">\n";
    drawWindow(rows, window, os);
    os << "</div>\n";
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The roofline
//===----------------------------------------------------------------------===//

namespace {
/// Both axes are logarithmic.
struct Axes {
  double x0, x1, y0, y1; ///< Powers of ten.
  static constexpr double left = 90, right = 880, top = 24, bottom = 380;

  double x(double value) const {
    return left + (std::log10(value) - x0) / (x1 - x0) * (right - left);
  }
  double y(double value) const {
    return bottom - (std::log10(value) - y0) / (y1 - y0) * (bottom - top);
  }
};
} // namespace

static std::string nameRate(double perSecond, StringRef unit) {
  for (auto [factor, prefix] :
       {std::pair(1e15, "P"), std::pair(1e12, "T"), std::pair(1e9, "G")})
    if (perSecond >= 0.9995 * factor)
      return formatv("{0} {1}{2}",
                     formatv(perSecond < 10 * factor ? "{0:f2}" : "{0:f0}",
                             perSecond / factor)
                         .str(),
                     prefix, unit);
  return formatv("{0:f1} M{1}", perSecond / 1e6, unit);
}

static void drawGrid(const Axes &axes, llvm::raw_ostream &os) {
  for (double power = axes.x0; power <= axes.x1; ++power) {
    const double x = axes.x(std::pow(10, power));
    os << formatv("<line class=\"grid\" x1=\"{0:f1}\" y1=\"{1}\" x2=\"{0:f1}\" "
                  "y2=\"{2}\"/>\n<text class=\"axis\" x=\"{0:f1}\" y=\"{3}\" "
                  "text-anchor=\"middle\">{4:f0}</text>\n",
                  x, Axes::top, Axes::bottom, Axes::bottom + 18,
                  std::pow(10, power));
  }
  for (double power = axes.y0; power <= axes.y1; ++power) {
    const double y = axes.y(std::pow(10, power));
    os << formatv("<line class=\"grid\" x1=\"{0}\" y1=\"{1:f1}\" x2=\"{2}\" "
                  "y2=\"{1:f1}\"/>\n<text class=\"axis\" x=\"{3}\" "
                  "y=\"{4:f1}\" text-anchor=\"end\">{5}</text>\n",
                  Axes::left, y, Axes::right, Axes::left - 8, y + 4,
                  nameRate(std::pow(10, power), "FLOP/s"));
  }
  os << formatv("<text class=\"axis\" x=\"{0}\" y=\"{1}\" "
                "text-anchor=\"middle\">FLOP for each byte from and to "
                "DRAM</text>\n",
                (Axes::left + Axes::right) / 2, Axes::bottom + 38);
}

void drawloom::drawRoofline(const Roofline &roof, llvm::raw_ostream &os) {
  const double ridge = roof.peak / roof.bandwidth;
  const double intensity = roof.reached / std::max(1.0, roof.bytes);
  const double bound = std::min(roof.peak, intensity * roof.bandwidth);
  const Axes axes = {
      0, std::ceil(std::log10(4 * std::max(ridge, intensity))),
      std::floor(std::log10(std::min(roof.bandwidth, roof.reached / 2))),
      std::ceil(std::log10(1.5 * roof.peak))};
  os << formatv("<h2>Roofline</h2>\n<p class=\"lead\">@{0} reaches {1}, "
                "{2:f1} % of what {3} allows at {4:f0} FLOP for each byte from "
                "and to DRAM, where {5} {6} the limit.</p>\n"
                "<div class=\"picture\">\n<svg class=\"timed\" "
                "viewBox=\"0 0 1000 430\" style=\"max-width: 1000px\" "
                "role=\"img\" aria-label=\"roofline\">\n",
                escapeForXml(roof.kernel), nameRate(roof.reached, "FLOP/s"),
                100 * roof.reached / bound, escapeForXml(roof.gpu), intensity,
                intensity < ridge ? "DRAM" : "tensor cores",
                intensity < ridge ? "is" : "are");
  drawGrid(axes, os);
  const double flat = axes.y(roof.peak), end = axes.x(std::pow(10, axes.x1));
  // DRAM's roof starts where it enters the drawing.
  const double low = std::max(1.0, std::pow(10, axes.y0) / roof.bandwidth);
  os << formatv("<polyline class=\"roof\" points=\"{0:f1},{1:f1} {2:f1},{3:f1} "
                "{4:f1},{3:f1}\"/>\n",
                axes.x(low), axes.y(low * roof.bandwidth), axes.x(ridge), flat,
                end);
  os << formatv("<text x=\"{0:f1}\" y=\"{1:f1}\" text-anchor=\"end\">tensor "
                "cores: {2}</text>\n",
                end - 6, flat - 8, nameRate(roof.peak, "FLOP/s"));
  const double middle = std::sqrt(low * ridge);
  os << formatv("<text x=\"{0:f1}\" y=\"{1:f1}\" text-anchor=\"end\">DRAM: "
                "{2}</text>\n",
                axes.x(middle) - 12, axes.y(middle * roof.bandwidth) - 6,
                nameRate(roof.bandwidth, "B/s"));
  const double x = axes.x(intensity), y = axes.y(roof.reached);
  os << formatv(
      "<line class=\"below\" x1=\"{0:f1}\" y1=\"{1:f1}\" "
      "x2=\"{0:f1}\" y2=\"{2:f1}\"/>\n"
      "<circle class=\"point\" cx=\"{0:f1}\" cy=\"{1:f1}\" r=\"6\"/>\n"
      "<text x=\"{3:f1}\" y=\"{4:f1}\">@{5}: {6}</text>\n",
      x, y, axes.y(bound), x + 10, y + 18, escapeForXml(roof.kernel),
      nameRate(roof.reached, "FLOP/s"));
  os << "</svg>\n</div>\n";
}
