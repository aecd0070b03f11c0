//===- KernelInfo.cpp - How a compiled kernel is called, in JSON ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Runtime/KernelInfo.h"
#include "KindNames.h"
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
  });
}

static void write(OStream &json, const Parameter &parameter) {
  json.object([&] {
    json.attribute("kind", nameOf(parameter.kind));
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

void drawloom::runtime::writeJson(const KernelInfo &kernel,
                                  llvm::raw_ostream &os) {
  OStream json(os, /*IndentSize=*/2);
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
  });
  os << '\n';
}

std::string drawloom::runtime::describe(const ArgumentInfo &argument) {
  std::string text = argument.name + ": ";
  for (int64_t size : argument.shape)
    text += (size == dynamicSize ? "?" : std::to_string(size)) + "x";
  return text + argument.type->name.str();
}
