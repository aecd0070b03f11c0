//===- Mutants.cpp - A kernel with one thing changed ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutants.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Regex.h"
#include <set>

using namespace drawloom::mutate;
using llvm::StringRef;

namespace {

/// A statement of one line, taken apart.
struct Statement {
  std::string guard; ///< With a space behind it, or empty.
  std::string opcode;
  llvm::SmallVector<std::string> operands;

  std::string str() const {
    return guard + opcode + (operands.empty() ? "" : " ") +
           llvm::join(operands, ", ") + ";";
  }
};

/// What may be done to an instruction whose opcode matches.
struct Change {
  const char *category;
  const char *opcode;
  /// The operand that is changed, from the front or, if negative, from the end.
  int operand;
  /// What is done to it: "add 1", "sub 16", "xor 1".
  const char *edit;
  const char *type;
  /// How many operands it must have; 0 for any.
  unsigned operands;
};

} // namespace

static const char *const arrivals = "^mbarrier\\.arrive";
static const char *const waits = "^mbarrier\\.(try|test)_wait";
static const char *const parityWaits = "^mbarrier\\.(try|test)_wait.*\\.parity|"
                                       "^mbarrier\\.(try|test)_wait\\.parity";
static const char *const ctaBarriers =
    "^(bar|barrier)(\\.cta)?\\.(sync|arrive)";
static const char *const groupWaits =
    "^(wgmma\\.wait_group|cp\\.async\\.(bulk\\.)?wait_group)";

/// Instructions that are left out and doubled, and change places.
static const char *const synchronizing[] = {
    arrivals,
    "^mbarrier\\.expect_tx",
    "^tcgen05\\.(commit|wait|fence)",
    ctaBarriers,
    "^barrier\\.cluster\\.(arrive|wait)",
    "^wgmma\\.(commit_group|wait_group|fence)",
    "^cp\\.async\\.(bulk\\.)?(commit_group|wait_group|wait_all)",
    "^cp\\.async\\.mbarrier\\.arrive",
    "^fence|^membar",
    "^griddepcontrol",
    waits,
};

/// Instructions that do nothing the second time.
static const char *const idempotent =
    "^fence|^membar|^tcgen05\\.(fence|wait)|^wgmma\\.fence|wait_group|wait_all|"
    "_wait|^griddepcontrol";

static const Change changes[] = {
    {"count", "^mbarrier\\.init", 1, "add 1", "u32", 0},
    {"count", "^mbarrier\\.init", 1, "sub 1", "u32", 0},
    {"count", ctaBarriers, 1, "add 32", "u32", 2},
    {"count", ctaBarriers, 1, "sub 32", "u32", 2},
    {"count", groupWaits, 0, "add 1", "u32", 0},
    {"bytes", "^mbarrier\\.(arrive\\.)?expect_tx", -1, "add 16", "u32", 0},
    {"bytes", "^mbarrier\\.(arrive\\.)?expect_tx", -1, "sub 16", "u32", 0},
    {"phase", parityWaits, 2, "xor 1", "u32", 0},
    {"mask", "^tcgen05\\.commit.*multicast", -1, "xor 1", "u16", 0},
    {"mask", "^tcgen05\\.commit.*multicast", -1, "xor 2", "u16", 0},
    {"mask", "^cp\\.async\\.bulk\\.tensor.*multicast::cluster$", -1, "xor 1",
     "u16", 0},
    {"mask", "^cp\\.async\\.bulk\\.tensor.*multicast::cluster$", -1, "xor 2",
     "u16", 0},
    {"mask", "^(elect|shfl|vote|redux)", -1, "xor 1", "u32", 0},
};

static llvm::SmallVector<std::string> splitOperands(StringRef text) {
  llvm::SmallVector<std::string> parts;
  int depth = 0;
  size_t last = 0;
  for (size_t at = 0; at != text.size(); ++at) {
    depth += StringRef("[{(").contains(text[at]);
    depth -= StringRef("]})").contains(text[at]);
    if (text[at] == ',' && depth == 0) {
      parts.push_back(text.slice(last, at).trim().str());
      last = at + 1;
    }
  }
  if (!text.trim().empty())
    parts.push_back(text.substr(last).trim().str());
  return parts;
}

static std::optional<Statement> parse(StringRef line) {
  line = line.split("//").first.trim();
  if (!line.consume_back(";") || line.contains(';') || line.starts_with("{"))
    return std::nullopt;
  Statement statement;
  if (line.starts_with("@")) {
    auto [guard, rest] = line.split(' ');
    if (auto tab = line.find('\t'); tab < guard.size()) {
      guard = line.take_front(tab);
      rest = line.substr(tab);
    }
    statement.guard = (guard + " ").str();
    line = rest.trim();
  }
  size_t end = line.find_first_of(" \t");
  statement.opcode = line.take_front(end).str();
  if (statement.opcode.empty() || !llvm::isAlpha(statement.opcode[0]) ||
      StringRef(statement.opcode).contains(':') !=
          StringRef(statement.opcode).contains("::"))
    return std::nullopt;
  if (end != StringRef::npos)
    statement.operands = splitOperands(line.substr(end));
  return statement;
}

static bool matches(StringRef opcode, const char *pattern) {
  return llvm::Regex(pattern).match(opcode);
}

/// Whether it computes from registers what it puts into its first operand, and
/// does nothing else.
static bool isArithmetic(StringRef opcode) {
  static const char *const pattern =
      "^(mov|add|sub|mul|mad|fma|neg|abs|min|max|and|or|xor|not|shl|shr|lop3|"
      "bfe|bfi|prmt|set|setp|selp|cvt|cvta|mapa)(\\.|$)";
  return matches(opcode, pattern);
}

/// The registers of an operand: "%r1", "P1"; of all, with the guard.
static std::set<std::string> registersOf(StringRef text) {
  std::set<std::string> registers;
  while (!text.empty()) {
    StringRef word = text.take_while([](char c) {
      return llvm::isAlnum(c) || StringRef("%_$").contains(c);
    });
    if (!word.empty() && !llvm::isDigit(word[0]))
      registers.insert(word.str());
    text = text.drop_front(std::max<size_t>(word.size(), 1));
  }
  return registers;
}

static std::set<std::string> registersOf(const Statement &statement) {
  return registersOf(statement.guard + llvm::join(statement.operands, " "));
}

/// Whether the kernel is the same if they change places: the second touches
/// registers only, and neither writes what the other uses.
static bool areIndependent(const Statement &one, const Statement &other) {
  if (!isArithmetic(other.opcode) || other.operands.empty())
    return false;
  auto writes = [](const Statement &writer, const Statement &user) {
    StringRef target;
    if (!writer.operands.empty())
      target = writer.operands[0];
    std::set<std::string> used = registersOf(user);
    return !target.starts_with("[") &&
           llvm::any_of(registersOf(target), [&](const std::string &name) {
             return name != "_" && used.contains(name);
           });
  };
  return !writes(one, other) && !writes(other, one);
}

/// The statement with an operand changed; empty if it can't be.
static std::string edit(Statement statement, const Change &change) {
  size_t count = statement.operands.size();
  size_t index = change.operand < 0 ? count + change.operand : change.operand;
  if (index >= count || (change.operands && change.operands != count))
    return "";
  std::string &operand = statement.operands[index];
  auto [operation, amountText] = StringRef(change.edit).split(' ');
  int64_t amount = 0, value = 0;
  amountText.getAsInteger(10, amount);
  StringRef number = operand;
  number.consume_back("U");
  if (!number.getAsInteger(0, value)) {
    value = operation == "add"   ? value + amount
            : operation == "sub" ? value - amount
                                 : value ^ amount;
    if (value < 0 && operation == "sub")
      return "";
    if (StringRef(change.type) == "u16")
      value &= 0xffff;
    operand = std::to_string(value);
    return statement.str();
  }
  if (!StringRef(operand).starts_with("%"))
    return "";
  std::string suffix = operation == "xor"
                           ? StringRef(change.type) == "u16" ? "b16" : "b32"
                           : "s32";
  std::string before = llvm::formatv(".reg .{0} %mutant; {1}.{2} %mutant, {3}, "
                                     "{4};",
                                     suffix == "s32" ? "b32" : suffix,
                                     operation.str(), suffix, operand, amount);
  operand = "%mutant";
  return "{ " + before + " " + statement.str() + " }";
}

std::string Mutant::str() const {
  return llvm::formatv("line {0}: {1}{2}{3}: {4}", line, category,
                       edit.empty() ? "" : " ", edit, opcode);
}

static std::string replaceLines(StringRef text, unsigned line, unsigned count,
                                StringRef with) {
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  std::string result;
  for (size_t i = 0; i != lines.size(); ++i) {
    if (i + 1 == line)
      result += with;
    else if (i + 1 < line || i + 1 >= line + count)
      result += lines[i];
    result += '\n';
  }
  return result;
}

std::string Mutant::apply(StringRef text) const {
  return replaceLines(text, line, lines, statement);
}

/// The names of labels: "$L__BB0_3".
static std::vector<std::string> findLabels(llvm::ArrayRef<StringRef> lines) {
  std::vector<std::string> labels;
  for (StringRef line : lines) {
    line = line.split("//").first.trim();
    if (line.consume_back(":") && !line.empty() &&
        line.find_first_of(" \t,") == StringRef::npos)
      labels.push_back(line.str());
  }
  return labels;
}

using AddMutant = llvm::function_ref<void(
    const char *category, const Statement &with, const llvm::Twine &edit)>;

static void changeGuard(const Statement &statement, AddMutant add) {
  StringRef guard = statement.guard;
  if (!guard.consume_front("@"))
    return;
  Statement other = statement;
  other.guard = guard.starts_with("!") ? ("@" + guard.drop_front()).str()
                                       : ("@!" + guard).str();
  add("guard", other, "opposite");
  other.guard.clear();
  add("guard", other, "none");
}

/// Another label, near the one that it goes to.
static void changeTarget(const Statement &statement,
                         llvm::ArrayRef<std::string> labels, AddMutant add) {
  if (!StringRef(statement.opcode).starts_with("bra"))
    return;
  const auto *at = llvm::find(labels, statement.operands[0]);
  if (at == labels.end())
    return;
  Statement other = statement;
  for (int step : {-2, -1, 1, 2})
    if (int to = int(at - labels.begin()) + step;
        to >= 0 && to < int(labels.size())) {
      other.operands[0] = labels[to];
      add("target", other, labels[to]);
    }
}

static void changeComparison(const Statement &statement, AddMutant add) {
  static const std::pair<const char *, const char *> others[] = {
      {".lt.", ".le."}, {".le.", ".lt."}, {".gt.", ".ge."}, {".ge.", ".gt."},
      {".eq.", ".ne."}, {".ne.", ".eq."}, {".ge.", ".lt."}, {".lt.", ".ge."}};
  if (!StringRef(statement.opcode).starts_with("setp."))
    return;
  for (auto [one, other] : others)
    if (size_t at = statement.opcode.find(one); at != std::string::npos) {
      Statement changed = statement;
      changed.opcode.replace(at, StringRef(one).size(), other);
      add("compare", changed, other);
    }
}

static void changeNumbers(const Statement &statement, AddMutant add) {
  bool isBarrier = matches(statement.opcode, ctaBarriers);
  for (size_t i = 0; i != statement.operands.size(); ++i) {
    int64_t value = 0;
    if (StringRef(statement.operands[i]).getAsInteger(0, value))
      continue;
    for (int64_t with : {value + 1, value - 1, 2 * value, int64_t(0)}) {
      if (with == value || with < -1)
        continue;
      Statement other = statement;
      other.operands[i] = std::to_string(with);
      add(isBarrier ? "barrier" : "number", other,
          llvm::Twine(i) + " is " + llvm::Twine(with));
    }
  }
}

/// What may decide where a warp goes, and for which barrier it waits.
static void changeAnything(const Statement &statement,
                           llvm::ArrayRef<std::string> labels, AddMutant add) {
  static const char *const deciding =
      "^(bra|setp|selp|mov\\.(b|u|s)(32|64)|mov\\.pred|add|sub|mul\\.lo|"
      "mad\\.lo|and|or|xor|not|shl|shr|min|max|elect|shfl|ld\\.param|bar|"
      "barrier|mbarrier|tcgen05\\.(commit|alloc)|setmaxnreg|cp\\.async\\.bulk|"
      "ret|exit)(\\.|$)";
  if (!matches(statement.opcode, deciding) ||
      StringRef(statement.opcode).contains(".f"))
    return;
  changeGuard(statement, add);
  changeTarget(statement, labels, add);
  changeComparison(statement, add);
  changeNumbers(statement, add);
  Statement twice = statement;
  twice.operands.clear();
  twice.guard.clear();
  twice.opcode = statement.str() + " " + statement.str();
  twice.opcode.pop_back();
  add("repeat", twice, "");
}

std::vector<Mutant> drawloom::mutate::makeMutants(StringRef text, Draw draw) {
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  std::vector<std::string> labels = findLabels(lines);
  std::vector<Mutant> mutants;
  for (unsigned number = 1; number <= lines.size(); ++number) {
    std::optional<Statement> statement = parse(lines[number - 1]);
    if (!statement)
      continue;
    StringRef opcode = statement->opcode;
    auto add = [&](const char *category, std::string with, unsigned count = 1) {
      mutants.push_back(
          {number, category, opcode.str(), std::move(with), count});
    };
    if (draw == Draw::Everything) {
      changeAnything(*statement, labels,
                     [&](const char *category, const Statement &with,
                         const llvm::Twine &edit) {
                       add(category, with.str());
                       mutants.back().edit = edit.str();
                     });
      if (!matches(opcode, waits))
        add("lose", "");
    }
    if (llvm::any_of(synchronizing, [&](const char *pattern) {
          return matches(opcode, pattern);
        })) {
      bool isWait = matches(opcode, waits);
      std::string succeeded;
      if (isWait && !statement->operands.empty())
        succeeded = statement->guard + "setp.eq.u32 " +
                    StringRef(statement->operands[0]).split('|').first.str() +
                    ", 0, 0;";
      add("drop", succeeded);
      if (!matches(opcode, idempotent))
        add("double", statement->str() + " " + statement->str());
      if (number < lines.size())
        if (std::optional<Statement> next = parse(lines[number]))
          if (next->opcode != statement->opcode &&
              !StringRef(next->opcode).starts_with("bra") &&
              !StringRef(next->opcode).starts_with("ret") &&
              !areIndependent(*statement, *next))
            add("swap", next->str() + " " + statement->str(), 2);
    }
    for (const Change &change : changes)
      if (matches(opcode, change.opcode))
        if (std::string with = edit(*statement, change); !with.empty()) {
          add(change.category, with);
          mutants.back().edit = change.edit;
        }
    if (opcode.starts_with("mbarrier") || opcode.starts_with("fence") ||
        opcode.starts_with("tcgen05.commit")) {
      const StringRef wide = ".cluster";
      size_t at = opcode.find(wide);
      // Not the name of a state space or a group.
      if (at != StringRef::npos &&
          !opcode.substr(at + wide.size()).starts_with("_")) {
        Statement other = *statement;
        other.opcode.replace(at, wide.size(), ".cta");
        add("scope", other.str());
      }
      bool isWait = matches(opcode, waits);
      bool hasState = matches(opcode, arrivals);
      size_t index = isWait || hasState ? 1 : 0;
      if (opcode.starts_with("mbarrier") &&
          index < statement->operands.size() &&
          StringRef(statement->operands[index]).starts_with("[") &&
          !StringRef(statement->operands[index]).contains('+')) {
        Statement other = *statement;
        std::string &address = other.operands[index];
        address.insert(address.size() - 1, "+8");
        add("slot", other.str());
      }
    }
  }
  return mutants;
}
