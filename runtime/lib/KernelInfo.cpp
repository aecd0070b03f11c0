//===- KernelInfo.cpp - How a compiled kernel is called, in JSON ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Runtime/KernelInfo.h"
#include "KindNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom::runtime;
using llvm::json::OStream;

template <typename Range>
static void writeNumbers(OStream &json, llvm::StringRef name,
                         const Range &numbers) {
  json.attributeArray(name, [&] {
    for (auto number : numbers)
      json.value(static_cast<int64_t>(number));
  });
}

static void write(OStream &json, const ArgumentInfo &argument) {
  json.object([&] {
    json.attribute("name", argument.name);
    json.attribute("type", argument.type->name);
    if (argument.isView)
      writeNumbers(json, "shape", argument.shape);
    if (!argument.strides.empty())
      writeNumbers(json, "strides", argument.strides);
  });
}

static void write(OStream &json, const Parameter &parameter) {
  json.object([&] {
    json.attribute("kind", nameOf(parameter.kind));
    if (parameter.kind != Parameter::Kind::Workspace)
      json.attribute("argument", parameter.argument);
    switch (parameter.kind) {
    case Parameter::Kind::TensorMap:
      writeNumbers(json, "box", parameter.box);
      json.attribute("swizzle", parameter.swizzle);
      if (parameter.atom != 16)
        json.attribute("atom", parameter.atom);
      break;
    case Parameter::Kind::Size:
    case Parameter::Kind::Stride:
      json.attribute("dimension", parameter.dimension);
      json.attribute("bytes", parameter.bytes);
      break;
    case Parameter::Kind::Pointer:
    case Parameter::Kind::Scalar:
    case Parameter::Kind::Workspace:
      json.attribute("bytes", parameter.bytes);
      break;
    }
  });
}

static void write(OStream &json, const ItemFactor &factor) {
  json.object([&] {
    if (factor.argument) {
      json.attribute("argument", *factor.argument);
      json.attribute("dimension", factor.dimension);
    }
    json.attribute("tile", factor.tile);
  });
}

static void write(OStream &json, const FormulaStep &step) {
  json.object([&] {
    json.attribute("kind", nameOf(step.kind));
    if (step.kind == FormulaStep::Kind::Number)
      json.attribute("value", step.value);
    if (step.kind == FormulaStep::Kind::Size ||
        step.kind == FormulaStep::Kind::Scalar)
      json.attribute("argument", step.argument);
    if (step.kind == FormulaStep::Kind::Size)
      json.attribute("dimension", step.dimension);
  });
}

static void write(OStream &json, const Bound &bound) {
  json.object([&] {
    json.attribute("formula", bound.formula);
    if (bound.least != 0)
      json.attribute("least", bound.least);
    if (bound.most != INT64_MAX)
      json.attribute("most", bound.most);
  });
}

static void write(OStream &json, const LaunchCondition &condition) {
  json.attribute("message", condition.words);
  json.attributeArray("formulas", [&] {
    for (const Formula &formula : condition.formulas)
      json.object([&] {
        json.attribute("message", formula.words);
        json.attributeArray("steps", [&] {
          for (const FormulaStep &step : formula.steps)
            write(json, step);
        });
      });
  });
  json.attributeArray("cases", [&] {
    for (const std::vector<Bound> &bounds : condition.cases)
      json.object([&] {
        json.attributeArray("bounds", [&] {
          for (const Bound &bound : bounds)
            write(json, bound);
        });
      });
  });
}

static void write(OStream &json, const KernelInfo &kernel) {
  json.object([&] {
    json.attribute("name", kernel.name);
    json.attribute("target", kernel.target);
    json.attribute("threads", kernel.threads);
    writeNumbers(json, "cluster", kernel.cluster);
    json.attribute("sharedBytes", kernel.sharedBytes);
    json.attributeArray("arguments", [&] {
      for (const ArgumentInfo &argument : kernel.arguments)
        write(json, argument);
    });
    json.attributeArray("parameters", [&] {
      for (const Parameter &parameter : kernel.parameters)
        write(json, parameter);
    });
    json.attributeObject("items", [&] {
      json.attribute("kind", nameOf(kernel.items.kind));
      if (kernel.items.count)
        json.attributeArray("count", [&] {
          for (const ItemFactor &factor : *kernel.items.count)
            write(json, factor);
        });
    });
    if (kernel.condition)
      json.attributeObject("condition",
                           [&] { write(json, *kernel.condition); });
    if (!kernel.fallback.empty())
      json.attributeArray("fallback", [&] {
        for (const KernelInfo &other : kernel.fallback)
          write(json, other);
      });
  });
}

void drawloom::runtime::writeJson(const KernelInfo &kernel,
                                  llvm::raw_ostream &os) {
  OStream json(os, /*IndentSize=*/2);
  write(json, kernel);
  os << '\n';
}

int64_t ArgumentInfo::getStride(size_t dimension) const {
  if (!strides.empty())
    return strides[dimension];
  return dimension + 1 == shape.size() ? 1 : dynamicSize;
}

std::string drawloom::runtime::describe(const ArgumentInfo &argument) {
  std::string text = argument.name + ": ";
  for (int64_t size : argument.shape)
    text += (size == dynamicSize ? "?" : std::to_string(size)) + "x";
  text += argument.type->name.str();
  for (auto [d, stride] : llvm::enumerate(argument.strides))
    text += (d == 0 ? ", strides [" : ", ") +
            (stride == dynamicSize ? "?" : std::to_string(stride));
  return argument.strides.empty() ? text : text + "]";
}
