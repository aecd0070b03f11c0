//===- IssueSlots.cpp - The table of issue slots as text ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/IssueSlots.h"
#include "drawloom/Input/Printable.h"
#include "drawloom/Input/Read.h"
#include "drawloom/PTX/Printer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <map>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::StringRef;
using llvm::Twine;

const llvm::StringLiteral emu::issueSlotsHeader = "drawloom issue slots 1";

static constexpr StringRef membar = "+membar";

/// Instructions by their line, those of a line in the order of the text.
using Lines =
    std::map<uint32_t, std::vector<std::pair<const ptx::Function *, uint32_t>>>;

static Lines findLines(const ptx::Module &module) {
  Lines lines;
  for (const ptx::Function *function : module.functions)
    for (auto [index, inst] : llvm::enumerate(function->instructions))
      lines[inst.line].emplace_back(function, index);
  return lines;
}

/// Of what the module says, and on which lines.
static std::string nameOf(const ptx::Module &module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ptx::print(module, os);
  for (const auto &[line, instructions] : findLines(module))
    os << line << ' ' << instructions.size() << '\n';
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true,
                         /*Width=*/16);
}

std::string emu::printIssueSlots(const IssueSlots &slots,
                                 const ptx::Module &module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "module " << nameOf(module) << '\n';
  for (const auto &[line, instructions] : findLines(module)) {
    os << line << ':';
    for (auto [function, index] : instructions) {
      const IssueCount &count = slots.find(function)->second[index];
      os << ' ' << count.slots << (count.hasMembar ? membar : "");
    }
    os << '\n';
  }
  return text;
}

namespace {
class Reader {
public:
  Reader(const ptx::Module &module)
      : name(nameOf(module)), lines(findLines(module)) {
    for (const ptx::Function *function : module.functions)
      slots[function].resize(function->instructions.size());
  }

  llvm::Expected<IssueSlots> read(StringRef text);

private:
  llvm::Error readLine(StringRef text);
  llvm::Error readCounts(uint32_t line, StringRef text);
  static llvm::Expected<IssueCount> readCount(StringRef word);

  const std::string name;
  const Lines lines;
  IssueSlots slots;
  bool hasModule = false; ///< Some module has begun.
  bool isHere = false;    ///< It is this one.
  size_t known = 0;       ///< Lines of this one.
  uint32_t last = 0;
};
} // namespace

llvm::Expected<IssueCount> Reader::readCount(StringRef word) {
  IssueCount count;
  StringRef digits = word;
  count.hasMembar = digits.consume_back(membar);
  if (digits.getAsInteger(10, count.slots) || count.slots > IssueCount::most)
    return llvm::createStringError(
        "'" + input::makePrintable(word) + "' is no number of slots: 0 to " +
        Twine(IssueCount::most) + ", perhaps with '+membar'");
  return count;
}

llvm::Error Reader::readCounts(uint32_t line, StringRef text) {
  std::vector<IssueCount> counts;
  for (StringRef rest = text.ltrim(' '); !rest.empty();) {
    auto [word, behind] = rest.split(' ');
    rest = behind.ltrim(' ');
    llvm::Expected<IssueCount> count = readCount(word);
    if (!count)
      return count.takeError();
    counts.push_back(*count);
  }
  if (!isHere)
    return llvm::Error::success();
  auto found = lines.find(line);
  const size_t there = found == lines.end() ? 0 : found->second.size();
  if (counts.size() != there)
    return llvm::createStringError("line " + Twine(line) + " of the PTX has " +
                                   Twine(there) + " instructions, not " +
                                   Twine(counts.size()));
  for (auto [place, count] : llvm::zip_equal(found->second, counts))
    slots[place.first][place.second] = count;
  ++known;
  return llvm::Error::success();
}

llvm::Error Reader::readLine(StringRef text) {
  if (text.consume_front("module ")) {
    if (isHere && known != lines.size())
      return llvm::createStringError(
          "the module before has " + Twine(known) + " lines, and its PTX " +
          Twine(lines.size()) + " with instructions");
    hasModule = true;
    isHere = text == name;
    known = last = 0;
    return llvm::Error::success();
  }
  uint32_t line;
  if (!hasModule || text.consumeInteger(10, line) || !text.consume_front(":") ||
      line <= last)
    return llvm::createStringError(
        "expected 'module NAME', or behind one a line of PTX after line " +
        Twine(last) + " and the slots of its instructions: '87: 1 2'");
  last = line;
  return readCounts(line, text);
}

llvm::Expected<IssueSlots> Reader::read(StringRef text) {
  size_t number = 0;
  bool isKnown = false;
  auto fail = [&](llvm::Error error) {
    return llvm::createStringError("line " + Twine(number) + " of the table: " +
                                   llvm::toString(std::move(error)));
  };
  do {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (++number != 1) {
      if (llvm::Error error = readLine(line))
        return fail(std::move(error));
      isKnown |= isHere;
    } else if (line != issueSlotsHeader) {
      return fail(llvm::createStringError("it isn't '" + issueSlotsHeader +
                                          "'; 'drawloom slots' makes one"));
    }
  } while (!text.empty());
  // The last module is as long as its PTX, too.
  ++number;
  if (llvm::Error error = readLine("module "))
    return fail(std::move(error));
  return isKnown ? std::move(slots) : IssueSlots();
}

llvm::Expected<IssueSlots> emu::parseIssueSlots(StringRef text,
                                                const ptx::Module &module) {
  return Reader(module).read(text);
}

llvm::Expected<IssueSlots> emu::readIssueSlots(StringRef path,
                                               const ptx::Module &module) {
  auto text = input::readText(path);
  if (!text)
    return text.takeError();
  llvm::Expected<IssueSlots> slots =
      parseIssueSlots((*text)->getBuffer(), module);
  if (!slots)
    return llvm::createStringError("'" + path +
                                   "': " + llvm::toString(slots.takeError()));
  return slots;
}
