//===- Breaker.cpp - When a store is not asked ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Breaker.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <fcntl.h>
#include <unistd.h>

using namespace drawloom::cache;
using std::chrono::milliseconds;

static constexpr milliseconds firstPause(250), longestPause(30'000);
/// Of the time that failures took.
static constexpr unsigned pauseFactor = 10;

static milliseconds now() {
  return std::chrono::duration_cast<milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
}

void Breaker::read() {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0)
    return;
  std::array<char, 64> bytes;
  ssize_t size = ::read(file, bytes.data(), bytes.size());
  ::close(file);
  auto [count, until] =
      llvm::StringRef(bytes.data(), std::max<ssize_t>(size, 0)).split(' ');
  uint64_t time;
  // One that another process is writing right now has no meaning.
  if (count.getAsInteger(10, failures) || until.getAsInteger(10, time))
    failures = time = 0;
  openUntil = milliseconds(time);
}

void Breaker::write() const {
  int file =
      ::open(path.c_str(),
             O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0)
    return;
  llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
  os << failures << ' ' << openUntil.count();
  os.close();
  os.clear_error();
}

bool Breaker::isClosed() {
  read();
  milliseconds left = openUntil - now();
  // More than any pause: the clock was set back.
  return left.count() <= 0 || left > longestPause;
}

void Breaker::succeed() {
  if (failures == 0)
    return;
  failures = 0;
  openUntil = milliseconds(0);
  write();
}

void Breaker::fail(milliseconds took) {
  read();
  // A number that another process has written may be anything.
  failures = std::min(failures, 100u) + 1;
  milliseconds pause = firstPause * (1 << std::min(failures - 1, 16u));
  openUntil =
      now() + std::min(std::max(pause, pauseFactor * took), longestPause);
  write();
}
