//===- NetworkFeatures.cpp - What random networks have, and their sizes ---===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomNetwork.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::progress;

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

static void findFeatures(const Body &body, unsigned loops,
                         test::Features &features) {
  for (const Step &step : body) {
    if (const auto *loop = std::get_if<Loop>(&step.what)) {
      features.nestedLoops |= loops > 0;
      findFeatures(loop->body, loops + 1, features);
    } else if (const auto *items = std::get_if<ItemLoop>(&step.what)) {
      findFeatures(items->body, loops + 1, features);
    } else if (const auto *guard = std::get_if<OnItems>(&step.what)) {
      findFeatures(guard->body, loops, features);
    } else if (const auto *scope = std::get_if<Produce>(&step.what)) {
      features.lag |= scope->lag > 0;
      findFeatures(scope->body, loops, features);
    } else if (const auto *scope = std::get_if<Consume>(&step.what)) {
      features.lag |= scope->lag > 0;
      findFeatures(scope->body, loops, features);
    }
  }
}

test::Features test::featuresOf(const Network &network) {
  Features features;
  size_t count = network.roles.size();
  std::vector<std::vector<int>> edges(count, std::vector<int>(count));
  features.cluster = network.ctas > 1;
  features.leader =
      llvm::any_of(network.roles, [](const Role &role) { return role.leads; });
  for (const Pipe &pipe : network.pipes) {
    features.dynamic |= pipe.name == "work";
    features.broadcast |= pipe.consumers.size() > 1;
    features.symbolicSlots |= pipe.slots.size.has_value();
    for (const Consumer &consumer : pipe.consumers)
      features.parallelPipes |= ++edges[pipe.producer][consumer.role] > 1;
  }
  // Which roles reach which, by pipes between different roles.
  for (size_t role = 0; role < count; ++role)
    edges[role][role] = 0;
  for (size_t via = 0; via < count; ++via)
    for (size_t from = 0; from < count; ++from)
      for (size_t to = 0; to < count; ++to)
        edges[from][to] |= edges[from][via] && edges[via][to];
  for (size_t role = 0; role < count; ++role)
    features.cycle |= edges[role][role] != 0;
  for (const Role &role : network.roles)
    findFeatures(role.body, 0, features);
  return features;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

std::vector<Sizes> test::smallSizes(const Network &network) {
  // How many values of each size, so that there are not too many in all.
  constexpr int64_t most = 40;
  std::vector<int64_t> counts(network.sizes.size(), 4);
  for (const Pipe &pipe : network.pipes)
    if (pipe.slots.size)
      counts[*pipe.slots.size] = 3;
  for (const Size &size : network.sizes)
    if (size.perItemOf)
      counts[*size.perItemOf] = 3;
  auto product = [&] {
    int64_t product = 1;
    for (int64_t count : counts)
      product *= count;
    return product;
  };
  if (network.roles.size() > 5 || network.ctas > 1)
    for (int64_t &count : counts)
      count = std::min<int64_t>(count, 3);
  while (product() > most)
    --*std::max_element(counts.begin(), counts.end());

  std::vector<Sizes> list{{}};
  for (auto [id, size] : llvm::enumerate(network.sizes)) {
    std::vector<Sizes> next;
    for (const Sizes &old : list)
      for (int64_t value = 0; value < counts[id]; ++value) {
        // Two items with values of their own.
        bool differ = size.perItemOf && old.at(*size.perItemOf) == 2;
        for (int64_t other = 0; other < (differ ? 2 : 1); ++other) {
          Sizes sizes = old;
          sizes.values.push_back({size.min + value});
          if (differ)
            sizes.values.back().push_back(size.min +
                                          (value + other) % counts[id]);
          next.push_back(std::move(sizes));
        }
      }
    list = std::move(next);
  }
  return list;
}

Sizes test::largeSizes(const Network &network, std::mt19937_64 &random) {
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  Sizes sizes;
  for (const Size &size : network.sizes) {
    int64_t count = size.perItemOf ? 8 : 1;
    sizes.values.emplace_back();
    int64_t range = pick(0, 1) ? 24 : 6;
    for (int64_t i = 0; i < count; ++i)
      sizes.values.back().push_back(
          pick(size.min, std::min(size.max, size.min + range)));
  }
  return sizes;
}
