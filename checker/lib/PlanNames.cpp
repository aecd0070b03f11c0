//===- PlanNames.cpp - Roles and pipes by name ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/PlanNames.h"
#include "drawloom/Input/Read.h"
#include "drawloom/Input/Scan.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/JSON.h"

using namespace drawloom;
using namespace drawloom::checker;
using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

/// Calls f(object) for each in a list; does nothing if there is no list.
template <typename F>
static void forEachObject(const Object &from, StringRef list, F f) {
  if (const Array *array = from.getArray(list))
    for (const Value &value : *array)
      if (const Object *object = value.getAsObject())
        f(*object);
}

llvm::Expected<PlanNames> PlanNames::read(StringRef file) {
  PlanNames names;
  if (file.empty())
    return names;
  auto buffer = input::readText(file);
  if (!buffer)
    return buffer.takeError();
  llvm::Expected<Value> json = input::parseJson((*buffer)->getBuffer());
  if (!json)
    return llvm::createStringError("'" + file +
                                   "': " + llvm::toString(json.takeError()));
  const Object *whole = json->getAsObject();
  if (!whole || !whole->getArray("plans"))
    return llvm::createStringError(
        "'" + file +
        "' has no \"plans\"; 'drawloom explain --format json' writes them");
  auto nameOf = [](const Object &of) {
    return "@" + of.getString("name").value_or("").str();
  };
  forEachObject(*whole, "plans", [&](const Object &object) {
    Plan &plan = names.plans.emplace_back();
    plan.kernel = object.getString("kernel").value_or("").str();
    forEachObject(object, "roles", [&](const Object &role) {
      if (auto first = role.getInteger("at"))
        plan.roles.push_back(
            {nameOf(role), *first, role.getInteger("warps").value_or(1)});
    });
    forEachObject(object, "pipes", [&](const Object &pipe) {
      constexpr int64_t barrierBytes = 8;
      const int64_t slots = pipe.getInteger("slots").value_or(1);
      auto add = [&](const char *what, const Object &from, StringRef key,
                     std::optional<int64_t> size, bool isColumns) {
        auto start = from.getInteger(key);
        if (start && size && *size > 0)
          plan.places.push_back(
              {what, nameOf(pipe), isColumns, *start, *size, slots});
      };
      add("slot", pipe, "offset", pipe.getInteger("slotBytes"), false);
      add("slot", pipe, "column", pipe.getInteger("slotColumns"), true);
      if (const Object *full = pipe.getObject("full"))
        add("the full barrier of slot", *full, "offset", barrierBytes, false);
      if (const Object *empty = pipe.getObject("empty"))
        add("the empty barrier of slot", *empty, "offset", barrierBytes, false);
    });
  });
  return names;
}

/// A kernel by hand is called as its source calls it, without parameters.
static bool isNameOf(StringRef name, StringRef kernel) {
  return name == kernel ||
         name == StringRef(llvm::demangle(kernel)).split('(').first;
}

std::string PlanNames::roleOf(StringRef kernel, unsigned warp) const {
  for (const Plan &plan : plans)
    for (const Role &role : plan.roles)
      if (isNameOf(plan.kernel, kernel) && warp >= role.first &&
          warp < role.first + role.count)
        return role.name;
  return "";
}

std::string PlanNames::placeAt(StringRef kernel, bool isColumns,
                               int64_t at) const {
  std::vector<std::string> words;
  for (const Plan &plan : plans)
    for (const Place &place : plan.places)
      if (isNameOf(plan.kernel, kernel) && place.isColumns == isColumns &&
          at >= place.start && at < place.start + place.size * place.slots)
        words.push_back(place.what + " " +
                        llvm::utostr((at - place.start) / place.size) + " of " +
                        place.pipe);
  return llvm::join(words, " or ");
}

std::string PlanNames::sharedAt(StringRef kernel, int64_t byte) const {
  return placeAt(kernel, false, byte);
}

std::optional<PlanNames::Barrier> PlanNames::barrierAt(StringRef kernel,
                                                       int64_t byte) const {
  std::string text = sharedAt(kernel, byte);
  StringRef slot = text;
  bool isFull = slot.consume_front("the full barrier of ");
  if (!isFull && !slot.consume_front("the empty barrier of "))
    return std::nullopt;
  return Barrier{isFull, slot.str(), slot.rsplit(' ').second.str()};
}

std::string PlanNames::columnAt(StringRef kernel, int64_t column) const {
  return placeAt(kernel, true, column);
}
