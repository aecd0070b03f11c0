//===- Check.cpp - What callers of the C API give -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <pthread.h>

using namespace drawloom;
using namespace drawloom::capi;
using Clock = std::chrono::steady_clock;

llvm::Error capi::checkGiven(
    std::initializer_list<std::pair<const void *, llvm::StringRef>> all) {
  for (auto [pointer, name] : all)
    if (!pointer)
      return llvm::createStringError("the argument '" + name +
                                     "' is null [api-argument]");
  return llvm::Error::success();
}

static llvm::Error checkUtf8(llvm::StringRef text, llvm::StringRef what) {
  size_t place = 0;
  if (llvm::json::isUTF8(text, &place))
    return llvm::Error::success();
  return llvm::createStringError("the " + what + " is not UTF-8 at byte " +
                                 llvm::Twine(place) + " [api-argument]");
}

llvm::Error capi::checkStrings(
    std::initializer_list<std::pair<const char *, llvm::StringRef>> all) {
  for (auto [text, name] : all)
    if (llvm::Error error = checkUtf8(orEmpty(text), name))
      return error;
  return llvm::Error::success();
}

llvm::Error capi::checkText(const char *text, size_t size) {
  if (llvm::Error error = checkGiven({{text, "text"}}))
    return error;
  return checkUtf8({text, size}, "text");
}

llvm::Error capi::checkShape(llvm::StringRef name, const void *shape,
                             size_t rank) {
  if (rank > maxRank)
    return llvm::createStringError("'" + name + "' has " + llvm::Twine(rank) +
                                   " dimensions, and a tensor has at most " +
                                   llvm::Twine(maxRank) + " [api-argument]");
  if (rank != 0 && !shape)
    return llvm::createStringError("'" + name + "' has " + llvm::Twine(rank) +
                                   " dimensions and no shape [api-argument]");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Calls that stop
//===----------------------------------------------------------------------===//

/// How often the caller is asked.
static constexpr std::chrono::milliseconds interval(50);

namespace {
/// Of one thread, which is in one call at a time.
struct Interruption {
  int (*ask)(void *) = nullptr;
  void *data = nullptr;
  Clock::time_point next = Clock::now();
  bool happened = false;
};
} // namespace

/// The calling thread's. thread_local would need position-independent code,
/// which this library isn't made of (drawloom.map).
static Interruption &getInterruption() {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    if (pthread_key_create(
            &made, [](void *one) { delete static_cast<Interruption *>(one); }))
      llvm::report_fatal_error("no key for a value of each thread");
    return made;
  }();
  auto *found = static_cast<Interruption *>(pthread_getspecific(key));
  if (!found) {
    found = new Interruption;
    pthread_setspecific(key, found);
  }
  return *found;
}

void drawloomSetInterrupted(int (*interrupted)(void *), void *data) {
  getInterruption() = {interrupted, data};
}

void capi::beginInterruptible() { getInterruption().happened = false; }

bool capi::wasInterrupted() { return getInterruption().happened; }

bool capi::asksCaller() { return getInterruption().ask; }

bool capi::isInterrupted() {
  Interruption &one = getInterruption();
  if (!one.ask || one.happened)
    return one.happened;
  Clock::time_point now = Clock::now();
  if (now < one.next)
    return false;
  one.happened = one.ask(one.data) != 0;
  one.next = Clock::now() + interval;
  return one.happened;
}

llvm::Error capi::failInterrupted() {
  return llvm::createStringError("interrupted [interrupted]");
}
