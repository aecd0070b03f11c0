//===- PrintJson.cpp - A plan as JSON -------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Labels.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/PrintPlan/Print.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/Support/JSON.h"

using namespace drawloom;
using namespace drawloom::plan;

static void printStrings(llvm::json::OStream &json, llvm::StringRef name,
                         llvm::ArrayRef<std::string> strings) {
  json.attributeArray(name, [&] {
    for (const std::string &text : strings)
      json.value(text);
  });
}

static void printOptional(llvm::json::OStream &json, llvm::StringRef name,
                          std::optional<int64_t> value) {
  if (value)
    json.attribute(name, *value);
}

static void printPipeNames(const Plan &plan, llvm::json::OStream &json,
                           llvm::StringRef name,
                           llvm::ArrayRef<unsigned> pipes) {
  json.attributeArray(name, [&] {
    for (unsigned pipe : pipes)
      json.value(plan.pipes[pipe].name);
  });
}

static void printRole(const Plan &plan, const Role &role,
                      llvm::json::OStream &json) {
  json.object([&] {
    json.attribute("name", role.name);
    json.attribute("kind", toString(role.kind));
    json.attribute("warps", role.warps);
    printOptional(json, "at", role.at);
    printOptional(json, "registers", role.registers);
    json.attribute("scope", stringifyScope(role.scope));
    json.attribute("engine", joinUnits(role.units));
    json.attribute("does", role.does);
    if (role.columns) {
      json.attribute("column", role.column);
      json.attribute("columns", role.columns);
    }
    printPipeNames(plan, json, "consumes", role.consumes);
    printPipeNames(plan, json, "produces", role.produces);
    printStrings(json, "reasons", role.because);
  });
}

static void printBarriers(const Pipe &pipe, llvm::json::OStream &json) {
  json.attributeObject("full", [&] {
    json.attribute("arrivals", pipe.fullArrivals);
    json.attribute("bytes", pipe.fullBytes);
    if (pipe.place && pipe.hasBarriers())
      json.attribute("offset", pipe.place->full);
  });
  json.attributeObject("empty", [&] {
    json.attribute("arrivals", pipe.emptyArrivals);
    if (!pipe.impliedBy.empty())
      json.attribute("impliedBy", pipe.impliedBy);
    if (pipe.place && pipe.hasEmptyBarriers())
      json.attribute("offset", pipe.place->empty);
  });
}

static void printPipe(const Plan &plan, const Pipe &pipe,
                      llvm::json::OStream &json) {
  bool inColumns = pipe.memory == Pipe::Memory::Tensor;
  json.object([&] {
    json.attribute("name", pipe.name);
    json.attribute("slots", pipe.slots);
    json.attribute("memory", toString(pipe.memory));
    json.attribute("scope", stringifyScope(pipe.scope));
    json.attribute(inColumns ? "slotColumns" : "slotBytes", pipe.slotSize);
    json.attributeArray("tensors", [&] {
      for (const Tensor &tensor : pipe.tensors)
        json.object([&] {
          if (!tensor.name.empty())
            json.attribute("name", tensor.name);
          json.attribute("type", tensor.type);
          if (!inColumns)
            json.attribute("bytes", tensor.bytes);
          if (!tensor.multicast.empty())
            json.attributeArray("multicast", [&] {
              for (int64_t dim : tensor.multicast)
                json.value(dim);
            });
          if (tensor.isHalved)
            json.attribute("halved", true);
        });
    });
    json.attributeObject("producer", [&] {
      json.attribute("role", plan.roles[pipe.producer].name);
      json.attribute("engine", toString(pipe.producerEngine));
    });
    json.attributeArray("consumers", [&] {
      for (const Consumer &consumer : pipe.consumers)
        json.object([&] {
          json.attribute("role", plan.roles[consumer.role].name);
          json.attribute("engine", toString(consumer.engine));
          json.attribute("lag", consumer.lag);
        });
    });
    printBarriers(pipe, json);
    if (pipe.place) {
      json.attribute(inColumns ? "column" : "offset", pipe.place->start);
      if (!pipe.place->reuses.empty())
        json.attribute("reuses", pipe.place->reuses);
    }
    printStrings(json, "reasons", pipe.because);
  });
}

static void printLimits(const Plan &plan, llvm::json::OStream &json) {
  json.attributeObject("limits", [&] {
    json.attribute("threads", int64_t(plan.arch->maxThreadsPerCta));
    json.attribute("registers", int64_t(plan.arch->registersPerSm));
    json.attribute("sharedBytes", int64_t(plan.arch->maxSharedMemoryPerCta));
    json.attribute("tensorColumns", int64_t(plan.arch->tensorMemory.columns));
  });
}

void plan::printJson(const Plan &plan, llvm::json::OStream &json) {
  json.object([&] {
    json.attribute("kernel", plan.kernel);
    json.attribute("target", plan.arch->name);
    json.attributeArray("cluster", [&] {
      for (int64_t size : plan.cluster)
        json.value(size);
    });
    json.attribute("items", toString(plan.items));
    json.attribute("threads", plan.countThreads());
    json.attributeArray("idleWarps", [&] {
      for (int64_t warp : plan.holes)
        json.value(warp);
    });
    printOptional(json, "entryRegisters", plan.entryRegisters);
    printOptional(json, "sharedBytes", plan.sharedBytes);
    printOptional(json, "tensorColumns", plan.tensorColumns);
    printLimits(plan, json);
    json.attributeObject("progress", [&] {
      json.attribute("verdict", toString(plan.verdict));
      if (!plan.verdictWords.empty())
        json.attribute("message", plan.verdictWords);
    });
    json.attributeArray("roles", [&] {
      for (const Role &role : plan.roles)
        printRole(plan, role, json);
    });
    json.attributeArray("pipes", [&] {
      for (const Pipe &pipe : plan.pipes)
        printPipe(plan, pipe, json);
    });
    json.attributeArray("memory", [&] {
      for (const MemoryRange &region : plan.memory)
        json.object([&] {
          json.attribute("name", region.name);
          json.attribute("offset", region.offset);
          json.attribute("bytes", region.bytes);
        });
    });
    printStrings(json, "reasons", plan.reasons);
  });
}
