//===- ReadKernelInfo.cpp - KernelInfo from JSON --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first thing that is wrong is kept with the field that it is in; later
// reads go on and change nothing, so that each function reads all its fields
// and the caller looks once. Numbers are checked against what they stand for.
//
//===----------------------------------------------------------------------===//

#include "KindNames.h"
#include "drawloom/Input/Scan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace drawloom::runtime;
using llvm::StringRef;
using llvm::Twine;
using llvm::json::Value;

/// TMA's limit of a box in one dimension, and of dimensions.
static constexpr int64_t maxBox = 256;
static constexpr size_t maxMapRank = 5;
/// A list in a description is never longer.
static constexpr size_t maxEntries = 4096;
static constexpr int64_t maxSize = int64_t(1) << 40;
static constexpr int64_t maxWorkspace = int64_t(1) << 30;

namespace {

struct Problem {
  std::string text;

  void set(const Twine &where, const Twine &what) {
    if (text.empty())
      text = (where + ": " + what).str();
  }
};

/// The fields of one object.
class Reader {
public:
  Reader(const Value &value, std::string where, Problem &problem)
      : object(value.getAsObject()), where(std::move(where)), problem(problem) {
    if (!object)
      problem.set(this->where.empty() ? "the file" : this->where,
                  "an object, with braces, is expected");
  }

  void fail(StringRef field, const Twine &what) {
    problem.set(path(field), what);
  }
  bool has(StringRef field) const { return object && object->get(field); }

  int64_t number(StringRef field, int64_t least, int64_t most,
                 std::optional<int64_t> otherwise = std::nullopt) {
    const Value *value = take(field, !otherwise);
    if (!value)
      return otherwise.value_or(least);
    std::optional<int64_t> number = value->getAsInteger();
    if (number && *number >= least && *number <= most)
      return *number;
    fail(field, "a whole number from " + Twine(least) + " to " + Twine(most) +
                    " is expected");
    return least;
  }

  std::string text(StringRef field) {
    const Value *value = take(field);
    std::optional<StringRef> text = value ? value->getAsString() : std::nullopt;
    if (value && (!text || text->empty()))
      fail(field, "a text is expected");
    return text.value_or("").str();
  }

  unsigned choice(StringRef field, llvm::ArrayRef<llvm::StringLiteral> names) {
    std::string word = text(field);
    const auto *found = llvm::find(names, word);
    if (found != names.end())
      return found - names.begin();
    fail(field, "'" + word + "' is not one of " +
                    llvm::join(names.begin(), names.end(), ", "));
    return 0;
  }

  void elements(StringRef field,
                llvm::function_ref<void(const Value &, std::string where)> f) {
    const Value *value = take(field);
    const llvm::json::Array *array = value ? value->getAsArray() : nullptr;
    if (value && (!array || array->size() > maxEntries)) {
      fail(field, "a list, with brackets, of at most " + Twine(maxEntries) +
                      " entries is expected");
      return;
    }
    if (array)
      for (auto [index, element] : llvm::enumerate(*array))
        f(element, path(field) + "[" + std::to_string(index) + "]");
  }

  template <typename T>
  void numbers(StringRef field, int64_t least, int64_t most,
               llvm::SmallVectorImpl<T> &result) {
    elements(field, [&](const Value &value, const std::string &where) {
      std::optional<int64_t> number = value.getAsInteger();
      if (!number || *number < least || *number > most)
        problem.set(where, "a whole number from " + Twine(least) + " to " +
                               Twine(most) + " is expected");
      result.push_back(static_cast<T>(number.value_or(least)));
    });
  }

  const Value *take(StringRef field, bool isRequired = true) {
    known.push_back(field);
    const Value *value = object ? object->get(field) : nullptr;
    if (!value && object && isRequired)
      fail(field, "is missing");
    return value;
  }

  std::string path(StringRef field) const {
    return where.empty() ? field.str() : where + "." + field.str();
  }

  /// Reports fields that were not read.
  void finish() {
    if (!object)
      return;
    for (const auto &entry : *object)
      if (!llvm::is_contained(known, StringRef(entry.first)))
        fail(StringRef(entry.first),
             "there is no such field here; the fields are " +
                 llvm::join(known, ", "));
  }

private:
  const llvm::json::Object *object;
  std::string where;
  Problem &problem;
  llvm::SmallVector<StringRef, 8> known;
};

} // namespace

static ArgumentInfo readArgument(const Value &value, std::string where,
                                 Problem &problem) {
  Reader reader(value, std::move(where), problem);
  ArgumentInfo result;
  result.name = reader.text("name");
  std::string type = reader.text("type");
  result.type = findElementType(type);
  if (!result.type) {
    reader.fail("type", "'" + type + "' is not one of " + listElementTypes());
    // Errors about later fields describe the argument.
    result.type = findElementType("f32");
  }
  result.isView = reader.has("shape");
  if (result.isView)
    reader.numbers("shape", dynamicSize, maxSize, result.shape);
  if (reader.has("strides")) {
    reader.numbers("strides", dynamicSize, maxSize, result.strides);
    if (result.strides.size() != result.shape.size())
      reader.fail("strides", Twine(result.strides.size()) + " numbers for " +
                                 Twine(result.shape.size()) + " dimensions");
    // Later fields describe the argument.
    result.strides.resize(result.shape.size(), dynamicSize);
  }
  reader.finish();
  return result;
}

/// Which argument, of those that are views if it must be one.
static unsigned readArgumentNumber(Reader &reader, const KernelInfo &kernel,
                                   bool mustBeView) {
  if (kernel.arguments.empty()) {
    reader.fail("argument", "the kernel has no arguments");
    return 0;
  }
  unsigned number =
      reader.number("argument", 0, int64_t(kernel.arguments.size()) - 1);
  if (kernel.arguments[number].isView != mustBeView)
    reader.fail("argument",
                "'" + kernel.arguments[number].name +
                    (mustBeView ? "' is a scalar" : "' is no scalar"));
  return number;
}

static unsigned readDimension(Reader &reader, const ArgumentInfo &argument) {
  if (argument.shape.empty()) {
    reader.fail("dimension", "'" + argument.name + "' has no dimensions");
    return 0;
  }
  return reader.number("dimension", 0, int64_t(argument.shape.size()) - 1);
}

static Parameter readParameter(const Value &value, std::string where,
                               const KernelInfo &kernel, Problem &problem) {
  Reader reader(value, std::move(where), problem);
  Parameter result;
  result.kind = Parameter::Kind(reader.choice("kind", parameterKinds));
  if (result.kind == Parameter::Kind::Workspace) {
    result.bytes = reader.number("bytes", 1, maxWorkspace);
    reader.finish();
    return result;
  }
  result.argument = readArgumentNumber(reader, kernel,
                                       result.kind != Parameter::Kind::Scalar);
  if (kernel.arguments.empty())
    return result;
  const ArgumentInfo &argument = kernel.arguments[result.argument];
  switch (result.kind) {
  case Parameter::Kind::TensorMap:
    reader.numbers("box", 1, maxBox, result.box);
    if (result.box.size() != argument.shape.size() || result.box.empty() ||
        result.box.size() > maxMapRank)
      reader.fail("box", Twine(result.box.size()) + " numbers for " +
                             describe(argument) +
                             "; there is one for each dimension, at most " +
                             Twine(maxMapRank));
    result.swizzle = reader.number("swizzle", 0, 128);
    if (!llvm::is_contained({0u, 32u, 64u, 128u}, result.swizzle))
      reader.fail("swizzle", "0, 32, 64 or 128 is expected");
    if (reader.has("atom")) {
      result.atom = reader.number("atom", 16, 32);
      if (result.atom != 16 && (result.atom != 32 || result.swizzle != 128))
        reader.fail("atom", "16 is expected, or 32 for a swizzle of 128");
    }
    break;
  case Parameter::Kind::Size:
  case Parameter::Kind::Stride:
    result.dimension = readDimension(reader, argument);
    [[fallthrough]];
  case Parameter::Kind::Pointer:
  case Parameter::Kind::Scalar:
    result.bytes = reader.number("bytes", 1, 8);
    if (!llvm::isPowerOf2_32(result.bytes))
      reader.fail("bytes", "1, 2, 4 or 8 is expected");
    break;
  case Parameter::Kind::Workspace:
    break;
  }
  reader.finish();
  return result;
}

static ItemFactor readFactor(const Value &value, std::string where,
                             const KernelInfo &kernel, Problem &problem) {
  Reader reader(value, std::move(where), problem);
  ItemFactor result;
  if (reader.has("argument")) {
    result.argument = readArgumentNumber(reader, kernel, /*mustBeView=*/true);
    if (!kernel.arguments.empty())
      result.dimension =
          readDimension(reader, kernel.arguments[*result.argument]);
  }
  result.tile = reader.number("tile", 1, maxSize);
  reader.finish();
  return result;
}

static void readItems(const Value &value, KernelInfo &kernel,
                      Problem &problem) {
  Reader reader(value, "items", problem);
  kernel.items.kind = ItemsInfo::Kind(reader.choice("kind", itemsKinds));
  if (reader.has("count")) {
    kernel.items.count.emplace();
    reader.elements("count", [&](const Value &element, std::string where) {
      kernel.items.count->push_back(
          readFactor(element, std::move(where), kernel, problem));
    });
  }
  if (kernel.items.kind == ItemsInfo::Kind::One && !kernel.items.count)
    reader.fail("count", "is missing; a launch has a CTA for each item");
  reader.finish();
}

static FormulaStep readStep(const Value &value, std::string where,
                            const KernelInfo &kernel, Problem &problem) {
  using Kind = FormulaStep::Kind;
  Reader reader(value, std::move(where), problem);
  FormulaStep result;
  result.kind = Kind(reader.choice("kind", stepKinds));
  if (result.kind == Kind::Number)
    result.value = reader.number("value", INT64_MIN, INT64_MAX);
  if (result.kind == Kind::Size || result.kind == Kind::Scalar) {
    result.argument = readArgumentNumber(
        reader, kernel, /*mustBeView=*/result.kind == Kind::Size);
    if (kernel.arguments.empty())
      return result;
    const ArgumentInfo &argument = kernel.arguments[result.argument];
    if (result.kind == Kind::Size)
      result.dimension = readDimension(reader, argument);
    else if (!argument.type->name.starts_with("i"))
      reader.fail("argument", "'" + argument.name + "' is no integer");
  }
  reader.finish();
  return result;
}

static Formula readFormula(const Value &value, const std::string &where,
                           const KernelInfo &kernel, Problem &problem) {
  Reader reader(value, where, problem);
  Formula result;
  result.words = reader.text("message");
  size_t depth = 0;
  reader.elements("steps", [&](const Value &element, std::string step) {
    FormulaStep read = readStep(element, step, kernel, problem);
    if (!read.isOperand() && depth < 2)
      problem.set(step, "takes two numbers, and there are " + Twine(depth));
    // Divisors are constants, so nothing is divided by 0.
    else if (read.divides() &&
             (result.steps.back().kind != FormulaStep::Kind::Number ||
              result.steps.back().value < 1))
      problem.set(step, "divides by what is not a number from 1 on");
    depth = read.isOperand() ? depth + 1 : std::max<size_t>(depth, 2) - 1;
    result.steps.push_back(read);
  });
  if (depth != 1)
    reader.fail("steps", "leave " + Twine(depth) + " numbers, not one");
  reader.finish();
  return result;
}

static Bound readBound(const Value &value, std::string where,
                       const LaunchCondition &condition, Problem &problem) {
  Reader reader(value, std::move(where), problem);
  Bound result;
  if (condition.formulas.empty())
    reader.fail("formula", "the condition has no formulas");
  result.formula = reader.number(
      "formula", 0, std::max<int64_t>(condition.formulas.size(), 1) - 1);
  result.least = reader.number("least", 0, INT64_MAX, 0);
  result.most = reader.number("most", 0, INT64_MAX, INT64_MAX);
  reader.finish();
  return result;
}

static void readCondition(const Value &value, KernelInfo &kernel,
                          Problem &problem) {
  Reader reader(value, "condition", problem);
  LaunchCondition result;
  result.words = reader.text("message");
  reader.elements("formulas", [&](const Value &element, std::string where) {
    result.formulas.push_back(readFormula(element, where, kernel, problem));
  });
  reader.elements("cases", [&](const Value &element, std::string where) {
    Reader one(element, std::move(where), problem);
    std::vector<Bound> &bounds = result.cases.emplace_back();
    one.elements("bounds", [&](const Value &bound, std::string where) {
      bounds.push_back(readBound(bound, std::move(where), result, problem));
    });
    one.finish();
  });
  reader.finish();
  kernel.condition = std::move(result);
}

/// A kernel, and the one with smaller clusters that belongs to it.
static KernelInfo readKernel(const Value &value, std::string where,
                             Problem &problem) {
  bool isFirst = where.empty();
  Reader reader(value, std::move(where), problem);
  KernelInfo kernel;
  kernel.name = reader.text("name");
  kernel.target = reader.text("target");
  kernel.threads = reader.number("threads", 1, 1024);
  kernel.sharedBytes = reader.number("sharedBytes", 0, INT32_MAX, 0);
  llvm::SmallVector<unsigned, 3> cluster;
  if (reader.has("cluster"))
    reader.numbers("cluster", 1, 16, cluster);
  if (cluster.size() > 3)
    reader.fail("cluster", "one to three numbers are expected");
  cluster.resize(3, 1);
  llvm::copy(cluster, kernel.cluster.begin());
  reader.elements("arguments", [&](const Value &element, std::string where) {
    kernel.arguments.push_back(
        readArgument(element, std::move(where), problem));
  });
  reader.elements("parameters", [&](const Value &element, std::string where) {
    kernel.parameters.push_back(
        readParameter(element, std::move(where), kernel, problem));
  });
  if (const Value *items = reader.take("items"))
    readItems(*items, kernel, problem);
  if (const Value *condition = reader.take("condition", /*isRequired=*/false))
    readCondition(*condition, kernel, problem);
  if (isFirst && reader.has("fallback"))
    reader.elements("fallback", [&](const Value &element, std::string where) {
      kernel.fallback.push_back(readKernel(element, std::move(where), problem));
      const KernelInfo &other = kernel.fallback.back();
      if (kernel.fallback.size() > 1)
        reader.fail("fallback", "one kernel at most is expected");
      if (other.clusterSize() >= kernel.clusterSize())
        reader.fail("fallback", "smaller clusters than " +
                                    Twine(kernel.clusterSize()) +
                                    " CTAs are expected");
      if (other.arguments != kernel.arguments)
        reader.fail("fallback", "the same arguments are expected");
    });
  reader.finish();
  return kernel;
}

llvm::Expected<KernelInfo>
drawloom::runtime::readKernelInfo(llvm::StringRef json) {
  llvm::Expected<Value> value = drawloom::input::parseJson(json);
  if (!value)
    return value.takeError();
  Problem problem;
  KernelInfo kernel = readKernel(*value, "", problem);
  if (!problem.text.empty())
    return llvm::createStringError(problem.text + " [kernel-description]");
  return kernel;
}
