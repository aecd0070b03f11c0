//===- PrintSvg.cpp - A plan as a drawing ---------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Roles are threads from top to bottom, and pipes go across them, as weft goes
// across warp:
//
//     [ @load ]      [ @mma ]      [ @epilogue ]
//         |   [operands]  |               |
//         |---[4 slots]-->|    [result]   |
//         |               |----[2 slots]->|
//
// So a pipe never runs through another one's words, roles that do the same
// stand beside each other, and no program has to lay it out. Below are the
// warps, the budgets and a legend.

#include "Budgets.h"
#include "Drawing.h"
#include "Labels.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/PrintPlan/Print.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <numeric>

using namespace drawloom;
using namespace drawloom::plan;
using llvm::StringRef;
using Anchor = Drawing::Anchor;

namespace {
constexpr int64_t left = 16;
constexpr int64_t titleSize = 15, nameSize = 13, wordSize = 11;
constexpr StringRef ink = "#0f172a", faint = "#64748b", pale = "#cbd5e1";

/// Where the slots of a pipe are is the first thing to see of it.
struct PipeLook {
  StringRef line, fill;
  bool isDashed;
};

PipeLook getLook(Pipe::Memory memory) {
  static constexpr PipeLook looks[] = {{"#334155", "#f1f5f9", false},
                                       {"#b45309", "#fffbeb", false},
                                       {"#6d28d9", "#f5f3ff", true}};
  return looks[static_cast<unsigned>(memory)];
}

/// The words of a pipe or a role in its box; the first line is its name.
struct Label {
  std::vector<std::string> lines;

  int64_t width() const {
    int64_t width = measureText(lines.front(), nameSize);
    for (const std::string &line : llvm::drop_begin(lines))
      width = std::max(width, measureText(line, wordSize));
    return width;
  }
};

class GraphDrawer {
public:
  explicit GraphDrawer(const Plan &plan) : plan(plan) {}

  void draw(llvm::raw_ostream &os);

private:
  /// The box of a pipe: between which columns, and where.
  struct Chip {
    Label label;
    /// Gaps between columns that it or its line takes: [first, end).
    unsigned first = 0, end = 0;
    /// The column beside it that its words are next to, to the left.
    unsigned column = 0;
    unsigned row = 0;
    int64_t width = 0, height = 0;
  };

  void orderRoles();
  void makeLabels();
  void placeChips();
  void placeColumns();
  void drawTitle();
  void drawRoles();
  void drawPipe(const Pipe &pipe, const Chip &chip, int64_t y);
  void drawPipes();
  void drawWarps();
  void drawBudgets();
  void drawLegend();

  const Plan &plan;
  Drawing drawing;
  /// The column of each role.
  std::vector<unsigned> columns;
  std::vector<Label> roles;
  std::vector<Chip> chips;
  /// The middle of each column.
  std::vector<int64_t> middles;
  int64_t roleHeight = 0;
  int64_t y = 0;
};
} // namespace

/// How far pipes go across roles in this order; those that go back count a
/// little more, so that work flows from left to right.
static unsigned measureOrder(const Plan &plan,
                             llvm::ArrayRef<unsigned> columns) {
  unsigned cost = 0;
  for (const Pipe &pipe : plan.pipes)
    for (const Consumer &consumer : pipe.consumers) {
      unsigned from = columns[pipe.producer], to = columns[consumer.role];
      cost += 8 * (from > to ? from - to : to - from) + (from > to ? 3 : 0);
    }
  return cost;
}

void GraphDrawer::orderRoles() {
  columns.resize(plan.roles.size());
  std::iota(columns.begin(), columns.end(), 0);
  // All orders of so many are tried in milliseconds. With more, the plan's.
  if (columns.size() > 7)
    return;
  std::vector<unsigned> order = columns;
  unsigned best = measureOrder(plan, columns);
  while (std::next_permutation(order.begin(), order.end()))
    if (unsigned cost = measureOrder(plan, order); cost < best) {
      best = cost;
      columns = order;
    }
}

/// Words in lines of about `width` characters, at most `most` of them.
static void wrap(StringRef text, size_t width, size_t most,
                 std::vector<std::string> &lines) {
  size_t begun = lines.size();
  std::string line;
  llvm::SmallVector<StringRef> words;
  text.split(words, ' ', -1, false);
  for (StringRef word : words) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      if (lines.size() - begun + 1 == most) {
        lines.push_back(StringRef(line).rtrim(',').str() + " …");
        return;
      }
      lines.push_back(std::move(line));
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word.str();
  }
  if (!line.empty())
    lines.push_back(std::move(line));
}

void GraphDrawer::makeLabels() {
  for (const Role &role : plan.roles) {
    Label &label = roles.emplace_back();
    label.lines.push_back("@" + role.name);
    std::string units = describeWarps(role);
    if (role.registers)
      units += ", " + std::to_string(*role.registers) + " registers";
    label.lines.push_back(units);
    if (role.scope != Scope::cta)
      label.lines.push_back("one for the " + stringifyScope(role.scope).str());
    wrap(role.does, 26, 3, label.lines);
    if (!role.units.empty())
      label.lines.push_back("by " + joinUnits(role.units));
    roleHeight = std::max<int64_t>(roleHeight, label.lines.size() * 15 + 15);
  }
  for (const Pipe &pipe : plan.pipes) {
    Chip &chip = chips.emplace_back();
    std::vector<std::string> &lines = chip.label.lines;
    lines.push_back(pipe.name);
    std::string ring =
        std::to_string(pipe.slots) + " × " + plan::describeSlot(pipe);
    if (pipe.memory != Pipe::Memory::Message)
      ring += " " + toString(pipe.memory).str();
    lines.push_back(ring);
    if (pipe.scope != Scope::cta)
      lines.push_back("across the " + stringifyScope(pipe.scope).str());
    for (const Tensor &tensor : pipe.tensors) {
      Pipe one;
      one.tensors = {tensor};
      lines.push_back(describeTensors(one));
    }
    int64_t lag = 0;
    for (const Consumer &consumer : pipe.consumers)
      lag = std::max(lag, consumer.lag);
    if (lag)
      lines.push_back("free " + std::to_string(lag) +
                      (lag == 1 ? " slot later" : " slots later"));
    chip.width = chip.label.width() + 20;
    chip.height = lines.size() * 14 + 28;
  }
}

/// "output" of "output_1".
static StringRef baseName(StringRef name) {
  StringRef base = name.rtrim("0123456789");
  return base.size() < name.size() && base.consume_back("_") ? base : name;
}

void GraphDrawer::placeChips() {
  // Each row: the gaps that are taken.
  std::vector<std::vector<bool>> rows;
  for (auto [pipe, chip] : llvm::zip_equal(plan.pipes, chips)) {
    unsigned from = columns[pipe.producer], low = from, high = from;
    unsigned nearestRight = ~0u, nearestLeft = ~0u;
    for (const Consumer &consumer : pipe.consumers) {
      unsigned to = columns[consumer.role];
      low = std::min(low, to);
      high = std::max(high, to);
      if (to > from)
        nearestRight = std::min(nearestRight, to - from);
      if (to < from)
        nearestLeft = std::min(nearestLeft, from - to);
    }
    // The words are next to the producer, in the direction of the nearest
    // consumer; behind it, if it is the only one.
    chip.column = nearestLeft < nearestRight ? from - 1 : from;
    chip.first = low;
    chip.end = std::max(high, low + 1);
    auto fits = [&](const std::vector<bool> &row) {
      return std::none_of(row.begin() + chip.first, row.begin() + chip.end,
                          [](bool isTaken) { return isTaken; });
    };
    // Beside its twin, if there is room: "output_1" is one of "output".
    chip.row = llvm::find_if(rows, fits) - rows.begin();
    for (auto [twin, other] : llvm::zip(plan.pipes, chips))
      if (&other < &chip && fits(rows[other.row]) &&
          baseName(twin.name) == baseName(pipe.name))
        chip.row = other.row;
    if (chip.row == rows.size())
      rows.emplace_back(plan.roles.size() + 1);
    std::fill(rows[chip.row].begin() + chip.first,
              rows[chip.row].begin() + chip.end, true);
  }
}

void GraphDrawer::placeColumns() {
  std::vector<int64_t> widths(roles.size());
  for (auto [column, label] : llvm::zip_equal(columns, roles))
    widths[column] = label.width() + 24;
  middles.assign(roles.size(), 0);
  for (unsigned i = 0; i < roles.size(); ++i) {
    if (i == 0) {
      middles[0] = left + widths[0] / 2;
      continue;
    }
    int64_t gap = (widths[i - 1] + widths[i]) / 2 + 24;
    for (const Chip &chip : chips)
      if (chip.column == i - 1)
        gap = std::max(gap, chip.width + 2 * 34);
    middles[i] = middles[i - 1] + gap;
  }
}

void GraphDrawer::drawTitle() {
  std::string text = describePlan(plan);
  auto [name, rest] = StringRef(text).split(": ");
  y = left + titleSize;
  drawing.text(left, y, name, {.size = titleSize, .isBold = true});
  drawing.text(left, y + 20, rest, {.size = wordSize, .color = faint});
  std::string verdict = describeVerdict(plan);
  drawing.text(left, y + 36, "deadlock-free: " + verdict,
               {.size = wordSize,
                .color = StringRef(verdict).starts_with("proved")
                             ? StringRef("#15803d")
                             : StringRef("#b91c1c"),
                .isBold = true});
  y += 58;
}

static void drawLabel(Drawing &drawing, const Label &label, int64_t x,
                      int64_t y, int64_t pitch, StringRef color) {
  drawing.text(x, y, label.lines.front(),
               {.size = nameSize,
                .color = color,
                .isBold = true,
                .anchor = Anchor::Middle});
  for (const std::string &line : llvm::drop_begin(label.lines))
    drawing.text(
        x, y += pitch, line,
        {.size = wordSize, .color = "#334155", .anchor = Anchor::Middle});
}

void GraphDrawer::drawRoles() {
  for (auto [role, column, label] :
       llvm::zip_equal(plan.roles, columns, roles)) {
    Colors colors = getColors(role.kind);
    int64_t width = label.width() + 20, x = middles[column];
    drawing.beginGroup(
        "@" + role.name + ": " + role.does +
        (role.because.empty() ? "" : "\n" + llvm::join(role.because, "\n")));
    drawing.rectangle(x - width / 2, y, width, roleHeight,
                      {colors.fill, colors.line, 14, false, 6});
    drawLabel(drawing, label, x, y + 19, 15, ink);
    drawing.endGroup();
  }
}

void GraphDrawer::drawPipe(const Pipe &pipe, const Chip &chip, int64_t y) {
  PipeLook look = getLook(pipe.memory);
  Drawing::Look line = {"none", look.line, 16, look.isDashed};
  unsigned from = columns[pipe.producer];
  int64_t middle = y + chip.height / 2, start = middles[from];
  // After the last column there is no other one to be half-way to.
  bool isLast = chip.column + 1 >= middles.size();
  int64_t x =
      isLast
          ? middles[chip.column] + 34
          : (middles[chip.column] + middles[chip.column + 1] - chip.width) / 2;
  drawing.beginGroup(
      pipe.name + ": full after " + describeFull(pipe) + ", empty after " +
      describeEmpty(pipe) +
      (pipe.because.empty() ? "" : "\n" + llvm::join(pipe.because, "\n")));
  for (const Consumer &consumer : pipe.consumers) {
    int64_t end = middles[columns[consumer.role]];
    if (consumer.role == pipe.producer) {
      // Out and back.
      drawing.line(start, middle - 8, x, middle - 8, line);
      drawing.arrow(x, middle + 8, start + 4, line);
    } else {
      drawing.arrow(start, middle, end > start ? end - 4 : end + 4, line);
    }
  }
  drawing.rectangle(x, y, chip.width, chip.height,
                    {look.fill, look.line, 12, look.isDashed, 4});
  drawLabel(drawing, chip.label, x + chip.width / 2, y + 17, 14, look.line);
  // The slots, as many as there is room for.
  int64_t count = std::min<int64_t>(pipe.slots, (chip.width - 12) / 12);
  int64_t at = x + (chip.width - count * 12 + 3) / 2;
  for (int64_t slot = 0; slot < count; ++slot)
    drawing.rectangle(at + slot * 12, y + chip.height - 15, 9, 9,
                      {look.line, "none", 0, false, 1});
  drawing.endGroup();
}

void GraphDrawer::drawPipes() {
  unsigned rows = 0;
  for (const Chip &chip : chips)
    rows = std::max(rows, chip.row + 1);
  std::vector<int64_t> tops(rows + 1, y + roleHeight + 18);
  for (unsigned row = 0; row < rows; ++row) {
    int64_t height = 0;
    for (const Chip &chip : chips)
      if (chip.row == row)
        height = std::max(height, chip.height);
    tops[row + 1] = tops[row] + height + 14;
  }
  for (auto [role, column] : llvm::zip_equal(plan.roles, columns))
    drawing.line(middles[column], y + roleHeight, middles[column], tops[rows],
                 {"none", getColors(role.kind).line, 30});
  for (auto [pipe, chip] : llvm::zip_equal(plan.pipes, chips)) {
    int64_t height = tops[chip.row + 1] - tops[chip.row] - 14;
    drawPipe(pipe, chip, tops[chip.row] + (height - chip.height) / 2);
  }
  y = tops[rows] + 24;
}

/// The budgets' names, bars and words are below each other.
static constexpr int64_t barStart = left + 110, barWidth = 460, barHeight = 18;

/// Whether a part of a bar has room for its name.
static bool hasRoom(int64_t start, int64_t end, StringRef name) {
  return measureText(name, 10) + 4 <= end - start;
}

/// A part of a bar, with its name if there is room.
static void drawPart(Drawing &drawing, int64_t start, int64_t end, int64_t y,
                     StringRef name, StringRef words,
                     const Drawing::Look &look) {
  drawing.beginGroup(words);
  drawing.rectangle(start, y, std::max<int64_t>(1, end - start), barHeight,
                    look);
  if (hasRoom(start, end, name))
    drawing.text((start + end) / 2, y + 13, name,
                 {.size = 10, .color = ink, .anchor = Anchor::Middle});
  drawing.endGroup();
}

void GraphDrawer::drawWarps() {
  if (!plan.warps || *plan.warps == 0)
    return;
  auto at = [&](int64_t warp) {
    return barStart + barWidth * warp / *plan.warps;
  };
  drawing.text(left, y + 13, "warps", {.size = wordSize, .color = ink});
  std::vector<const Role *> roles;
  for (const Role &role : plan.roles)
    if (role.at)
      roles.push_back(&role);
  // Names without room are below the bar. From the right on, so that no line
  // to a name crosses another one.
  llvm::sort(roles,
             [](const Role *a, const Role *b) { return *a->at > *b->at; });
  constexpr int64_t pitch = 13;
  /// Where the leftmost name of each row starts.
  std::vector<int64_t> rows;
  for (const Role *role : roles) {
    Colors colors = getColors(role->kind);
    int64_t start = at(*role->at), end = at(*role->at + role->warps);
    std::string name = "@" + role->name;
    drawPart(drawing, start, end, y, name, name + ", " + describeWarps(*role),
             {colors.fill, colors.line, 10});
    if (hasRoom(start, end, name))
      continue;
    size_t row =
        llvm::find_if(rows,
                      [&](int64_t taken) {
                        return start + measureText(name, 10) + 12 <= taken;
                      }) -
        rows.begin();
    if (row == rows.size())
      rows.push_back(start);
    rows[row] = start;
    int64_t foot = y + barHeight + int64_t(row + 1) * pitch;
    drawing.line(start + 2, y + barHeight, start + 2, foot,
                 {"none", colors.line, 10});
    drawing.text(start + 6, foot, name, {.size = 10, .color = ink});
  }
  for (int64_t hole : plan.holes)
    drawPart(drawing, at(hole), at(hole + 1), y, "idle",
             "warp " + std::to_string(hole) + " has no role",
             {"#ffffff", pale, 10, true});
  drawing.text(barStart + barWidth + 10, y + 13,
               std::to_string(*plan.warps) + " warps" +
                   (plan.holes.empty()
                        ? ""
                        : ", " + std::to_string(plan.holes.size()) + " idle"),
               {.size = wordSize, .color = faint});
  y += barHeight + int64_t(rows.size()) * pitch + 8;
}

void GraphDrawer::drawBudgets() {
  for (const Budget &budget : listBudgets(plan)) {
    auto at = [&](int64_t value) {
      return barStart + barWidth * std::min(value, budget.limit) /
                            std::max<int64_t>(budget.limit, 1);
    };
    drawing.text(left, y + 13, budget.name, {.size = wordSize, .color = ink});
    drawing.rectangle(barStart, y, barWidth, barHeight, {"#f8fafc", pale, 10});
    if (budget.parts.empty())
      drawPart(drawing, barStart, at(budget.used), y, "", budget.words,
               {"#cbd5e1", faint, 10});
    for (const BudgetPart &part : budget.parts) {
      Drawing::Look look = {"#e2e8f0", "#475569", 10};
      if (budget.name == "tensor memory")
        look = {"#fef3c7", "#b45309", 10};
      int64_t start = at(part.start), end = at(part.start + part.size);
      drawPart(drawing, start, end, y, part.name, part.name + ": " + part.words,
               look);
    }
    drawing.text(barStart + barWidth + 10, y + 13, budget.words,
                 {.size = wordSize, .color = faint});
    y += barHeight + 8;
  }
}

void GraphDrawer::drawLegend() {
  int64_t x = left;
  y += 10;
  auto add = [&](StringRef words, llvm::function_ref<void()> sign) {
    sign();
    x += 28;
    drawing.text(x, y + 10, words, {.size = 10, .color = faint});
    x += measureText(words, 10) + 18;
  };
  static constexpr llvm::StringLiteral kinds[] = {"loads", "issues MMAs",
                                                  "computes", "schedules"};
  for (auto [index, words] : llvm::enumerate(kinds)) {
    auto kind = static_cast<Role::Kind>(index);
    if (llvm::none_of(plan.roles,
                      [&](const Role &role) { return role.kind == kind; }))
      continue;
    Colors colors = getColors(kind);
    add(words, [&] {
      drawing.rectangle(x, y, 22, 12, {colors.fill, colors.line, 12, false, 3});
    });
  }
  static constexpr llvm::StringLiteral memories[] = {
      "stages in shared memory", "stages in tensor memory", "messages"};
  for (auto [index, words] : llvm::enumerate(memories)) {
    auto memory = static_cast<Pipe::Memory>(index);
    if (llvm::none_of(plan.pipes,
                      [&](const Pipe &pipe) { return pipe.memory == memory; }))
      continue;
    PipeLook look = getLook(memory);
    add(words, [&] {
      drawing.arrow(x, y + 6, x + 22, {"none", look.line, 16, look.isDashed});
    });
  }
  if (!plan.pipes.empty())
    add("a stage", [&] {
      drawing.rectangle(x + 7, y + 2, 9, 9, {"#334155", "none", 0, false, 1});
    });
}

void GraphDrawer::draw(llvm::raw_ostream &os) {
  orderRoles();
  makeLabels();
  placeChips();
  placeColumns();
  drawTitle();
  drawRoles();
  drawPipes();
  drawWarps();
  drawBudgets();
  drawLegend();
  drawing.print("The plan of " + describePlan(plan), os);
}

void plan::printSvg(const Plan &plan, llvm::raw_ostream &os) {
  GraphDrawer(plan).draw(os);
}
