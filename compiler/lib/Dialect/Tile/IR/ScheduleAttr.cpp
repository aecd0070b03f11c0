//===- ScheduleAttr.cpp - The text and the rules of #tile.schedule --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/TileAttrs.h"
#include "drawloom/Dialect/Tile/IR/TileDialect.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Dialect/Tile/OpenStrides.h"
#include "drawloom/Input/Suggest.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

using Delimiter = AsmParser::Delimiter;

static ParseResult parseSizes(AsmParser &parser, Schedule &schedule,
                              SmallVector<int64_t, 3> Schedule::*field) {
  return parser.parseCommaSeparatedList(Delimiter::Square, [&] {
    return parser.parseInteger((schedule.*field).emplace_back());
  });
}

static ParseResult parseNumber(AsmParser &parser, Schedule &schedule,
                               std::optional<int64_t> Schedule::*field) {
  return parser.parseInteger((schedule.*field).emplace());
}

/// What other systems call fields of a schedule, and values of `persistent`.
static constexpr input::ForeignWord foreignFields[] = {
    {"stages", "slots", "pipeline stages"},
    {"num_stages", "slots", "pipeline stages"},
    {"stage_count", "slots", "pipeline stages"},
    {"pipeline_stages", "slots", "pipeline stages"},
    {"num_buffers", "slots", "pipeline stages"},
    {"num_warps", "warps", "of each role that computes"},
    {"num_consumer_groups", "warps", "of each role that computes"},
    {"num_warpgroups", "warps", "of each role that computes"},
    {"2cta", "cta_group", "cta_group = 2: a 2-CTA MMA"},
    {"2sm", "cta_group", "cta_group = 2: a 2-CTA MMA"},
    {"two_ctas", "cta_group", "cta_group = 2: a 2-CTA MMA"},
    {"use_2cta", "cta_group", "cta_group = 2: a 2-CTA MMA"},
    {"use_2cta_instrs", "cta_group", "cta_group = 2: a 2-CTA MMA"},
    {"num_ctas", "cluster", "CTAs in each dimension"},
    {"cluster_shape", "cluster", "CTAs in each dimension"},
    {"cluster_shape_mn", "cluster", "CTAs in each dimension"},
    {"cluster_size", "cluster", "CTAs in each dimension"},
    {"cluster_dims", "cluster", "CTAs in each dimension"},
    {"cga", "cluster", "CTAs in each dimension"},
    {"epilogue_subtile", "epilogue_tile", ""},
    {"subtile", "epilogue_tile", ""},
    {"clc", "persistent", "persistent = dynamic: cluster launch control"},
    {"tile_scheduler", "persistent", "static, dynamic or none"},
    {"scheduler", "persistent", "static, dynamic or none"},
    {"use_fast_math", "fast_math", "true or false"},
    {"pingpong", "interleave", "tiles of one CTA in flight at once"},
    {"ping_pong", "interleave", "tiles of one CTA in flight at once"},
    {"tile_shape", "tile", "M, N and K of a tile"},
    {"tile_size", "tile", "M, N and K of a tile"},
    {"tile_shape_mnk", "tile", "M, N and K of a tile"},
    {"block_m", "tile", "M, N and K of a tile"},
    {"block_n", "tile", "M, N and K of a tile"},
    {"block_k", "tile", "M, N and K of a tile"},
    {"block_size_m", "tile", "M, N and K of a tile"},
    {"cta_tile", "tile", "M, N and K of a tile"},
    {"mma_tiler", "tile", "M, N and K of a tile"},
    {"mma_tiler_mn", "tile", "M, N and K of a tile"},
    {"warp_specialize", "roles", "multi, single or none"},
    {"warp_specialization", "roles", "multi, single or none"},
    {"eviction_policy", "hints", "evict_first or evict_last, by view"},
    {"cache_hint", "hints", "evict_first or evict_last, by view"},
};

static constexpr input::ForeignWord foreignValues[] = {
    {"clc", "dynamic", "cluster launch control"},
    {"true", "static", "or dynamic"},
    {"false", "none", ""},
};

/// What may have been meant instead of one of `words`, a list in a sentence.
static std::string suggestOf(StringRef word, StringRef words) {
  SmallVector<StringRef> names;
  llvm::SplitString(words, names, ", ");
  llvm::erase(names, "or");
  return input::suggest(word, names, foreignValues);
}

/// A word of an enumeration; `words` lists them for the message.
template <typename Enum>
static ParseResult parseWord(AsmParser &parser, Schedule &schedule,
                             std::optional<Enum> Schedule::*field,
                             StringRef words) {
  SMLoc loc = parser.getCurrentLocation();
  std::string word;
  if (parser.parseKeywordOrString(&word))
    return failure();
  schedule.*field = symbolizeEnum<Enum>(word);
  if (!(schedule.*field))
    return parser.emitError(loc)
           << "unknown value '" << word << "'; expected " << words
           << suggestOf(word, words) << " [schedule-syntax]";
  return success();
}

static ParseResult parseFlag(AsmParser &parser, Schedule &schedule,
                             std::optional<bool> Schedule::*field) {
  SMLoc loc = parser.getCurrentLocation();
  std::string word;
  if (parser.parseKeywordOrString(&word))
    return failure();
  if (word != "true" && word != "false")
    return parser.emitError(loc)
           << "unknown value '" << word << "'; expected true or false"
           << " [schedule-syntax]";
  schedule.*field = word == "true";
  return success();
}

static ParseResult parseSlots(AsmParser &parser, Schedule &schedule) {
  return parser.parseCommaSeparatedList(
      Delimiter::Braces, [&]() -> ParseResult {
        auto &[name, count] = schedule.slots.emplace_back();
        return failure(parser.parseKeywordOrString(&name) ||
                       parser.parseEqual() || parser.parseInteger(count));
      });
}

static ParseResult parseTogether(AsmParser &parser, Schedule &schedule) {
  return parser.parseCommaSeparatedList(Delimiter::Square, [&] {
    std::vector<std::string> &group = schedule.together.emplace_back();
    return parser.parseCommaSeparatedList(Delimiter::Square, [&] {
      return parser.parseKeywordOrString(&group.emplace_back());
    });
  });
}

/// Sizes, or the word for those that the planner chooses.
static ParseResult parseCluster(AsmParser &parser, Schedule &schedule) {
  if (succeeded(parser.parseOptionalKeyword("auto"))) {
    schedule.clusterIsOpen = true;
    return success();
  }
  return parseSizes(parser, schedule, &Schedule::cluster);
}

static ParseResult parseHints(AsmParser &parser, Schedule &schedule) {
  return parser.parseCommaSeparatedList(
      Delimiter::Braces, [&]() -> ParseResult {
        std::string name, word;
        SMLoc loc;
        if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
            parser.getCurrentLocation(&loc) ||
            parser.parseKeywordOrString(&word))
          return failure();
        constexpr StringLiteral evictions = "evict_first or evict_last";
        std::optional<Eviction> eviction = symbolizeEnum<Eviction>(word);
        if (!eviction)
          return parser.emitError(loc)
                 << "unknown value '" << word << "'; expected " << evictions
                 << suggestOf(word, evictions) << " [schedule-syntax]";
        schedule.hints.emplace_back(name, *eviction);
        return success();
      });
}

static ParseResult parsePragmas(AsmParser &parser, Schedule &schedule) {
  return parser.parseCommaSeparatedList(
      Delimiter::Braces, [&]() -> ParseResult {
        auto &[place, text] = schedule.pragmas.emplace_back();
        return failure(parser.parseKeywordOrString(&place) ||
                       parser.parseEqual() || parser.parseString(&text));
      });
}

/// The fields by name, in the order in which they are printed.
struct Field {
  StringLiteral name;
  ParseResult (*parse)(AsmParser &, Schedule &);
};

static constexpr Field fields[] = {
    {"tile",
     [](AsmParser &parser, Schedule &schedule) {
       return parseSizes(parser, schedule, &Schedule::tile);
     }},
    {"persistent",
     [](AsmParser &parser, Schedule &schedule) {
       return parseWord(parser, schedule, &Schedule::persistent,
                        "static, dynamic or none");
     }},
    {"roles",
     [](AsmParser &parser, Schedule &schedule) {
       return parseWord(parser, schedule, &Schedule::roles,
                        "multi, single or none");
     }},
    {"fallback",
     [](AsmParser &parser, Schedule &schedule) {
       return parseWord(parser, schedule, &Schedule::fallback,
                        "error or unspecialized");
     }},
    {"slots", parseSlots},
    {"together", parseTogether},
    {"cluster", parseCluster},
    {"fallback_cluster",
     [](AsmParser &parser, Schedule &schedule) {
       return parseSizes(parser, schedule, &Schedule::fallbackCluster);
     }},
    {"cta_group",
     [](AsmParser &parser, Schedule &schedule) {
       return parseNumber(parser, schedule, &Schedule::ctaGroup);
     }},
    {"warps",
     [](AsmParser &parser, Schedule &schedule) {
       return parseNumber(parser, schedule, &Schedule::warps);
     }},
    {"epilogue_tile",
     [](AsmParser &parser, Schedule &schedule) {
       return parseNumber(parser, schedule, &Schedule::epilogueTile);
     }},
    {"interleave",
     [](AsmParser &parser, Schedule &schedule) {
       return parseNumber(parser, schedule, &Schedule::interleave);
     }},
    {"fast_math",
     [](AsmParser &parser, Schedule &schedule) {
       return parseFlag(parser, schedule, &Schedule::fastMath);
     }},
    {"hints", parseHints},
    {"pragmas", parsePragmas},
};

/// The name of a field. `2cta` is none, and can't be lexed as one word.
static ParseResult parseFieldName(AsmParser &parser, std::string &name) {
  uint64_t number = 0;
  StringRef word;
  if (OptionalParseResult digits = parser.parseOptionalInteger(number);
      digits.has_value()) {
    (void)parser.parseOptionalKeyword(&word);
    name = (Twine(number) + word).str();
    return *digits;
  }
  if (parser.parseKeyword(&word))
    return failure();
  name = word.str();
  return success();
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  Schedule schedule;
  SmallVector<StringRef> seen;
  auto parseField = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    std::string name;
    if (parseFieldName(parser, name) || parser.parseEqual())
      return failure();
    const Field *field =
        llvm::find_if(fields, [&](const Field &f) { return f.name == name; });
    if (field == std::end(fields)) {
      auto names = llvm::map_to_vector(
          fields, [](const Field &f) { return StringRef(f.name); });
      return parser.emitError(loc)
             << "a schedule has no field '" << name << "'; the fields are "
             << llvm::join(names, ", ")
             << input::suggest(name, names, foreignFields)
             << " [schedule-syntax]";
    }
    if (llvm::is_contained(seen, name))
      return parser.emitError(loc)
             << "the field '" << name << "' is given twice [schedule-syntax]";
    seen.push_back(field->name);
    return field->parse(parser, schedule);
  };
  if (parser.parseCommaSeparatedList(Delimiter::LessGreater, parseField))
    return {};
  return parser.getChecked<ScheduleAttr>(start, parser.getContext(), schedule);
}

namespace {
/// Prints the fields that have a value, with commas between them.
class FieldPrinter {
public:
  explicit FieldPrinter(AsmPrinter &printer)
      : printer(printer), os(printer.getStream()) {}

  /// "field = ", where there is a value to print.
  raw_ostream &start(StringRef field) {
    return os << separator << field << " = ";
  }
  void printSizes(StringRef field, ArrayRef<int64_t> values) {
    if (values.empty())
      return;
    start(field) << '[';
    llvm::interleaveComma(values, os);
    os << ']';
  }
  template <typename EnumT>
  void printWord(StringRef field, std::optional<EnumT> value) {
    if (value)
      start(field) << stringifyEnum(*value);
  }
  void printNumber(StringRef field, std::optional<int64_t> value) {
    if (value)
      start(field) << *value;
  }
  void printFlag(StringRef field, std::optional<bool> value) {
    if (value)
      start(field) << (*value ? "true" : "false");
  }
  void printGroups(StringRef field, ArrayRef<std::vector<std::string>> groups) {
    if (groups.empty())
      return;
    start(field) << '[';
    llvm::interleaveComma(groups, os, [&](ArrayRef<std::string> names) {
      os << '[';
      llvm::interleaveComma(names, os, [&](StringRef name) {
        printer.printKeywordOrString(name);
      });
      os << ']';
    });
    os << ']';
  }
  /// Values by name, each printed by `printValue`.
  template <typename ListT, typename PrintT>
  void printNamed(StringRef field, const ListT &list, PrintT printValue) {
    if (list.empty())
      return;
    start(field) << '{';
    llvm::interleaveComma(list, os, [&](const auto &entry) {
      printer.printKeywordOrString(entry.first);
      os << " = ";
      printValue(entry.second);
    });
    os << '}';
  }

private:
  AsmPrinter &printer;
  raw_ostream &os;
  llvm::ListSeparator separator;
};
} // namespace

void ScheduleAttr::print(AsmPrinter &printer) const {
  const Schedule &schedule = getSchedule();
  raw_ostream &os = printer.getStream();
  FieldPrinter out(printer);
  os << '<';
  out.printSizes("tile", schedule.tile);
  out.printWord("persistent", schedule.persistent);
  out.printWord("roles", schedule.roles);
  out.printWord("fallback", schedule.fallback);
  out.printNamed("slots", schedule.slots, [&](int64_t count) { os << count; });
  out.printGroups("together", schedule.together);
  out.printSizes("cluster", schedule.cluster);
  if (schedule.clusterIsOpen)
    out.start("cluster") << "auto";
  out.printSizes("fallback_cluster", schedule.fallbackCluster);
  out.printNumber("cta_group", schedule.ctaGroup);
  out.printNumber("warps", schedule.warps);
  out.printNumber("epilogue_tile", schedule.epilogueTile);
  out.printNumber("interleave", schedule.interleave);
  out.printFlag("fast_math", schedule.fastMath);
  out.printNamed("hints", schedule.hints,
                 [&](Eviction eviction) { os << stringifyEnum(eviction); });
  out.printNamed("pragmas", schedule.pragmas,
                 [&](StringRef text) { os << '"' << text << '"'; });
  os << '>';
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Schedule schedule) {
  std::string error = schedule.findError();
  return error.empty() ? success()
                       : emitError() << error << " [schedule-syntax]";
}

//===----------------------------------------------------------------------===//
// Where the attributes may stand
//===----------------------------------------------------------------------===//

static LogicalResult verifyTarget(Operation *op, Attribute value) {
  auto name = dyn_cast<StringAttr>(value);
  if (!name)
    return op->emitOpError() << "'tile.target' is " << value
                             << ": write the name of an architecture, such as "
                                "\"sm_100a\"";
  llvm::Expected<const target::Architecture *> arch =
      target::findArchitecture(name);
  if (!arch)
    return op->emitOpError()
           << "'tile.target': " << llvm::toString(arch.takeError());
  return success();
}

static LogicalResult verifySchedule(Operation *op, Attribute value) {
  if (isa<ScheduleAttr>(value))
    return success();
  return op->emitOpError() << "'tile.schedule' is " << value
                           << ": write a '#tile.schedule<...>'";
}

static LogicalResult verifyReasons(Operation *op, Attribute value) {
  auto reasons = dyn_cast<ArrayAttr>(value);
  if (reasons && llvm::all_of(reasons, llvm::IsaPred<StringAttr>))
    return success();
  return op->emitOpError() << "'tile.reasons' is " << value
                           << ": reasons are an array of strings";
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  struct Known {
    StringLiteral name;
    LogicalResult (*verify)(Operation *, Attribute);
  };
  static constexpr Known known[] = {{targetAttrName, verifyTarget},
                                    {scheduleAttrName, verifySchedule},
                                    {reasonsAttrName, verifyReasons}};
  StringRef name = attribute.getName();
  const Known *found =
      llvm::find_if(known, [&](const Known &k) { return k.name == name; });
  if (found == std::end(known)) {
    auto names = llvm::map_range(
        known, [](const Known &k) { return StringRef(k.name); });
    return op->emitOpError() << "has the attribute '" << name
                             << "', which is unknown; the attributes of a "
                                "kernel are "
                             << llvm::join(names, ", ");
  }
  if (!isa<FunctionOpInterface>(op))
    return op->emitOpError()
           << "has '" << name << "', which belongs on a kernel or a function";
  return found->verify(op, attribute.getValue());
}

/// `tile.name` and `tile.open_strides` on an argument or a result.
static LogicalResult verifyName(Operation *op, StringRef what, unsigned index,
                                NamedAttribute attribute) {
  if (attribute.getName() == openStridesAttrName) {
    if (!isa<KernelOp>(op) && isa<UnitAttr>(attribute.getValue()))
      return success();
    return op->emitOpError()
           << "'tile.open_strides' of " << what << ' ' << index << " is "
           << attribute.getValue()
           << ": it stands alone, on a tensor of a function; a view of a "
              "kernel has strides in its type";
  }
  if (attribute.getName() != nameAttrName)
    return op->emitOpError() << what << ' ' << index << " has the attribute '"
                             << attribute.getName().getValue()
                             << "': only 'tile.name' and 'tile.open_strides' "
                                "are known here";
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  if (!name || name.empty())
    return op->emitOpError()
           << "'tile.name' of " << what << ' ' << index << " is "
           << attribute.getValue() << ": a name is a string that is not empty";
  return success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute attribute) {
  return verifyName(op, "argument", argument, attribute);
}

LogicalResult TileDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attribute) {
  return verifyName(op, "result", result, attribute);
}
