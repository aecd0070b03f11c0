//===- Labels.cpp - How the printers call things --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Labels.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::plan;
using llvm::StringRef;

static std::string plural(int64_t count, StringRef word) {
  return (llvm::Twine(count) + " " + word + (count == 1 ? "" : "s")).str();
}

std::string plan::describeWarps(const Role &role) {
  if (!role.at)
    return plural(role.warps, "warp");
  if (role.warps == 1)
    return "warp " + std::to_string(*role.at);
  return "warps " + std::to_string(*role.at) + "–" +
         std::to_string(*role.at + role.warps - 1);
}

StringRef plan::toString(Pipe::Memory memory) {
  static constexpr llvm::StringLiteral names[] = {"smem", "tmem", "message"};
  return names[static_cast<unsigned>(memory)];
}

StringRef plan::toString(Role::Kind kind) {
  static constexpr llvm::StringLiteral names[] = {"load", "mma", "compute",
                                                  "schedule"};
  return names[static_cast<unsigned>(kind)];
}

std::string plan::describeSlot(const Pipe &pipe) {
  if (pipe.memory == Pipe::Memory::Tensor)
    return plural(pipe.slotSize, "column");
  return pipe.slotSize == 0 ? "signal" : formatBytes(pipe.slotSize);
}

/// `128x64xbf16` of `tensor<128x64xbf16>`; a layout is left out.
static std::string shorten(StringRef type) {
  if (type.consume_front("tensor<"))
    type = type.take_until([](char c) { return c == ',' || c == '>'; });
  return type.str();
}

std::string plan::describeTensors(const Pipe &pipe) {
  std::string text;
  for (const Tensor &tensor : pipe.tensors) {
    text += text.empty() ? "" : ", ";
    text += tensor.isHalved ? "½ " : "";
    text += tensor.name.empty() ? "" : tensor.name + " ";
    text += shorten(tensor.type);
  }
  return text;
}

std::string plan::listTensors(const Pipe &pipe) {
  std::string text;
  for (const Tensor &tensor : pipe.tensors)
    if (!tensor.name.empty())
      text += (text.empty() ? "" : ", ") + tensor.name;
  return text == pipe.name ? "" : text;
}

std::string plan::describeFull(const Pipe &pipe) {
  if (!pipe.hasBarriers())
    return "a barrier of the role";
  std::string text = plural(pipe.fullArrivals, "arrival") + " by " +
                     toString(pipe.producerEngine).str();
  if (pipe.fullBytes)
    text += " + " + std::to_string(pipe.fullBytes) + " bytes";
  return text;
}

std::string plan::describeEmpty(const Pipe &pipe) {
  if (!pipe.impliedBy.empty())
    return "implied by " + pipe.impliedBy + " full";
  llvm::SmallSetVector<StringRef, 2> engines;
  int64_t lag = 0;
  for (const Consumer &consumer : pipe.consumers) {
    engines.insert(consumer.engine == Engine::tma
                       ? StringRef("threads after TMA")
                       : toString(consumer.engine));
    lag = std::max(lag, consumer.lag);
  }
  std::string text = plural(pipe.emptyArrivals, "arrival") + " by " +
                     llvm::join(engines, " and ");
  if (!pipe.hasBarriers())
    text = "a barrier of the role after TMA";
  if (lag)
    text += ", " + plural(lag, "stage") + " later";
  return text;
}

static StringRef describeItems(const Plan &plan) {
  switch (plan.items) {
  case Items::One:
    return "one tile per CTA";
  case Items::Static:
    return "static persistent";
  case Items::Dynamic:
    return plan.arch->clusterLaunchControl
               ? "dynamic persistent (cluster launch control)"
               : "dynamic persistent (atomic counter)";
  }
  return "";
}

/// Whether some role takes only every so many items, in turns with others.
static bool takesTurns(llvm::ArrayRef<Step> program) {
  return llvm::any_of(program, [](const Step &step) {
    return step.every > 1 || takesTurns(step.body);
  });
}

/// The features of the hardware, and the ways to use it, that readers look for
/// by name.
static std::vector<StringRef> listFeatures(const Plan &plan) {
  std::vector<StringRef> features;
  auto hasPipe = [&](llvm::function_ref<bool(const Pipe &)> is) {
    return llvm::any_of(plan.pipes, is);
  };
  auto isMatrix = [](const Tensor &tensor) {
    return StringRef(shorten(tensor.type)).count('x') > 1;
  };
  if (hasPipe([](const Pipe &pipe) {
        return pipe.producerEngine == Engine::tma &&
               llvm::any_of(pipe.tensors, [](const Tensor &tensor) {
                 return !tensor.multicast.empty();
               });
      }))
    features.push_back("TMA multicast");
  if (llvm::any_of(plan.roles, [](const Role &role) {
        return role.kind == Role::Kind::Mma && role.scope == Scope::pair;
      }))
    features.push_back("2-CTA MMA (cta_group::2)");
  // CTAs exchange parts of accumulators, or what they have reduced rows to.
  if (hasPipe([&](const Pipe &pipe) {
        return pipe.isExchange() && llvm::any_of(pipe.tensors, isMatrix);
      }))
    features.push_back("split-K within a cluster");
  if (hasPipe([&](const Pipe &pipe) {
        return pipe.isExchange() && llvm::none_of(pipe.tensors, isMatrix);
      }))
    features.push_back("cluster-wide reduction (DSMEM)");
  if (llvm::any_of(plan.roles,
                   [](const Role &role) { return takesTurns(role.program); }))
    features.push_back("ping-pong");
  if (hasPipe([](const Pipe &pipe) {
        return pipe.producerEngine == Engine::cp_async;
      }))
    features.push_back("cp.async");
  return features;
}

std::string plan::describePlan(const Plan &plan) {
  std::string text = "@" + plan.kernel + " on " + plan.arch->name.str() + ": " +
                     plural(plan.roles.size(), "warp role") + ", " +
                     plural(plan.pipes.size(), "pipeline") + ", " +
                     plural(plan.countThreads(), "thread");
  if (plan.clusterSize() > 1)
    text += " in each of " + std::to_string(plan.clusterSize()) + " CTAs";
  text += ", " + describeItems(plan).str();
  for (StringRef feature : listFeatures(plan))
    text += ", " + feature.str();
  return text;
}

std::string plan::describeVerdict(const Plan &plan) {
  if (plan.verdict == Verdict::Unknown)
    return "not checked yet";
  if (plan.verdict == Verdict::Proved)
    return "proved for all sizes";
  std::string text = toString(plan.verdict).str();
  if (plan.verdictWords.empty())
    return text;
  return text + (plan.verdict == Verdict::Undecided ? ": " : " ") +
         plan.verdictWords;
}

std::string plan::escapeForMermaid(StringRef text) {
  std::string result;
  for (unsigned char c : text) {
    if (c >= 0x80 || llvm::isAlnum(c) || StringRef(" _-.,@[]()/+=").contains(c))
      result += c;
    else if (llvm::isPrint(c))
      result += "#" + std::to_string(c) + ";";
    else
      result += ' ';
  }
  return result;
}

/// In any case of the letters, as Mermaid's lexers read them.
static bool isKeyword(StringRef name) {
  static constexpr llvm::StringLiteral keywords[] = {
      // Mermaid's sequence diagrams.
      "accdescr", "acctitle", "activate", "actor", "alt", "and", "autonumber",
      "box", "break", "create", "critical", "deactivate", "destroy", "details",
      "else", "end", "link", "links", "loop", "note", "off", "opt", "option",
      "over", "par", "par_over", "participant", "properties", "rect",
      "sequencediagram", "title",
      // Its graphs.
      "_blank", "_parent", "_self", "_top", "call", "class", "classdef",
      "click", "flowchart", "graph", "href", "interpolate", "linkstyle",
      "style", "subgraph",
      // Graphviz.
      "digraph", "edge", "node", "strict"};
  return llvm::is_contained(keywords, name.lower());
}

std::string Identifiers::make(StringRef name) {
  std::string id;
  for (char c : name)
    id += llvm::isAlnum(c) ? c : '_';
  if (id.empty() || llvm::isDigit(id.front()))
    id = "_" + id;
  if (isKeyword(id))
    id += "_";
  std::string unique = id;
  for (unsigned suffix = 1; !taken.insert(unique).second; ++suffix)
    unique = id + "_" + std::to_string(suffix);
  return unique;
}

Colors plan::getColors(Role::Kind kind) {
  switch (kind) {
  case Role::Kind::Load:
    return {"#dbeafe", "#2563eb"};
  case Role::Kind::Mma:
    return {"#fef3c7", "#b45309"};
  case Role::Kind::Compute:
    return {"#dcfce7", "#15803d"};
  case Role::Kind::Schedule:
    return {"#ede9fe", "#6d28d9"};
  }
  return {"#ffffff", "#000000"};
}
