//===- RunSuite.cpp - Many cases, in several processes --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A worker writes lines of JSON into a pipe: one before each case, with its
// index, and one behind it, with the result.
//
//===----------------------------------------------------------------------===//

#include "suite/RunSuite.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace drawloom;
using namespace drawloom::suite;
using llvm::json::Object;
using llvm::json::Value;

namespace {

/// A worker, as its parent sees it.
struct Worker {
  pid_t process = -1;
  int pipe = -1;
  /// The cases that are its own.
  size_t first = 0, step = 1;
  /// The one that it is at, and the next one for its successor.
  std::optional<size_t> at = std::nullopt;
  size_t next = 0;
  std::string buffer = "";
};

} // namespace

static void writeLine(int pipe, Object object) {
  std::string line;
  llvm::raw_string_ostream(line) << Value(std::move(object)) << '\n';
  for (size_t done = 0; done < line.size();) {
    ssize_t count = write(pipe, line.data() + done, line.size() - done);
    if (count < 0 && errno != EINTR)
      _exit(1);
    done += std::max<ssize_t>(count, 0);
  }
}

static Object toJson(size_t index, const CaseResult &result) {
  return Object{{"case", int64_t(index)},
                {"matches", result.matches},
                {"rejected", result.wasRejected},
                {"message", llvm::json::fixUTF8(result.words)},
                {"share", result.largestShare},
                {"elements", result.elements},
                {"differing", result.differing}};
}

static CaseResult fromJson(const Object &object) {
  CaseResult result;
  result.matches = object.getBoolean("matches").value_or(false);
  result.wasRejected = object.getBoolean("rejected").value_or(false);
  result.words = object.getString("message").value_or("").str();
  result.largestShare = object.getNumber("share").value_or(0);
  result.elements = object.getInteger("elements").value_or(0);
  result.differing = object.getInteger("differing").value_or(0);
  return result;
}

/// The life of a worker.
[[noreturn]] static void work(llvm::ArrayRef<Case> cases,
                              const RunSuiteOptions &options, size_t first,
                              size_t step, int pipe) {
  std::vector<runtime::Device> devices;
  llvm::SmallVector<std::string> names;
  if (!options.device.empty())
    names.push_back(options.device);
  if (options.device == "cuda")
    if (auto arch = target::findArchitecture(cases.front().arch))
      names.push_back(run::getEmulatedDevice(**arch).str());
  for (llvm::StringRef name : names) {
    llvm::Expected<runtime::Device> device = run::openDevice(name, /*sms=*/0);
    if (!device) {
      writeLine(pipe, Object{{"error", llvm::toString(device.takeError())}});
      _exit(1);
    }
    devices.push_back(std::move(*device));
  }
  llvm::SmallVector<runtime::Device *> pointers;
  for (runtime::Device &device : devices)
    pointers.push_back(&device);
  for (size_t i = first; i < cases.size(); i += step) {
    writeLine(pipe, Object{{"start", int64_t(i)}});
    writeLine(pipe, toJson(i, runCase(cases[i], pointers, options.cases)));
  }
  // Destructors of a driver's globals are not for a fork.
  _exit(0);
}

static llvm::Error start(Worker &worker, llvm::ArrayRef<Case> cases,
                         const RunSuiteOptions &options) {
  int ends[2];
  if (pipe(ends) != 0)
    return llvm::createStringError("no pipe: " + llvm::Twine(strerror(errno)));
  worker.process = fork();
  if (worker.process < 0)
    return llvm::createStringError("no process: " +
                                   llvm::Twine(strerror(errno)));
  if (worker.process == 0) {
    close(ends[0]);
    work(cases, options, worker.next, worker.step, ends[1]);
  }
  close(ends[1]);
  worker.pipe = ends[0];
  worker.at = std::nullopt;
  worker.buffer.clear();
  return llvm::Error::success();
}

/// "the process ended by signal 6 (Aborted)"
static std::string describeEnd(int status) {
  if (WIFSIGNALED(status))
    return "the process ended by signal " + std::to_string(WTERMSIG(status)) +
           " (" + strsignal(WTERMSIG(status)) + ")";
  return "the process ended with " + std::to_string(WEXITSTATUS(status));
}

namespace {

/// The parent's loop over what the workers say.
class Pool {
public:
  Pool(llvm::ArrayRef<Case> cases, const RunSuiteOptions &options,
       llvm::function_ref<void(size_t, const CaseResult &)> done)
      : cases(cases), options(options), done(done) {}

  llvm::Error run();

private:
  llvm::Error readLines(Worker &worker);
  llvm::Error end(Worker &worker);

  llvm::ArrayRef<Case> cases;
  const RunSuiteOptions &options;
  llvm::function_ref<void(size_t, const CaseResult &)> done;
  std::vector<Worker> workers;
};

} // namespace

llvm::Error Pool::readLines(Worker &worker) {
  size_t begin = 0;
  for (size_t end; (end = worker.buffer.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    auto value =
        llvm::json::parse(llvm::StringRef(worker.buffer).slice(begin, end));
    const Object *object = value ? value->getAsObject() : nullptr;
    if (!object) {
      llvm::consumeError(value.takeError());
      continue;
    }
    if (auto error = object->getString("error"))
      return llvm::createStringError(*error);
    if (auto index = object->getInteger("start")) {
      worker.at = *index;
    } else if (worker.at) {
      done(*worker.at, fromJson(*object));
      worker.next = *worker.at + worker.step;
      worker.at = std::nullopt;
    }
  }
  worker.buffer.erase(0, begin);
  return llvm::Error::success();
}

/// Its pipe is closed: it is done, or it died.
llvm::Error Pool::end(Worker &worker) {
  close(worker.pipe);
  worker.pipe = -1;
  int status = 0;
  waitpid(worker.process, &status, 0);
  if (worker.at) {
    CaseResult result;
    result.words = describeEnd(status);
    done(*worker.at, result);
    worker.next = *worker.at + worker.step;
  } else if (status != 0 && worker.next < cases.size()) {
    return llvm::createStringError(describeEnd(status));
  }
  return worker.next < cases.size() ? start(worker, cases, options)
                                    : llvm::Error::success();
}

llvm::Error Pool::run() {
  size_t count = std::min<size_t>(std::max(1u, options.jobs), cases.size());
  for (size_t i = 0; i != count; ++i) {
    Worker worker;
    worker.next = worker.first = i;
    worker.step = count;
    workers.push_back(worker);
    if (llvm::Error error = start(workers.back(), cases, options))
      return error;
  }
  while (true) {
    std::vector<pollfd> polled;
    std::vector<Worker *> which;
    for (Worker &worker : workers)
      if (worker.pipe >= 0) {
        polled.push_back({worker.pipe, POLLIN, 0});
        which.push_back(&worker);
      }
    if (polled.empty())
      return llvm::Error::success();
    if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR)
      return llvm::createStringError("poll: " + llvm::Twine(strerror(errno)));
    for (auto [slot, worker] : llvm::zip_equal(polled, which)) {
      if (!(slot.revents & (POLLIN | POLLHUP)))
        continue;
      char bytes[4096];
      ssize_t size = read(slot.fd, bytes, sizeof(bytes));
      if (size > 0) {
        worker->buffer.append(bytes, size);
        if (llvm::Error error = readLines(*worker))
          return error;
      } else if (size == 0) {
        if (llvm::Error error = end(*worker))
          return error;
      }
    }
  }
}

llvm::Expected<DeviceInfo> suite::queryDevice(llvm::StringRef name) {
  int ends[2];
  if (pipe(ends) != 0)
    return llvm::createStringError("no pipe: " + llvm::Twine(strerror(errno)));
  pid_t process = fork();
  if (process < 0)
    return llvm::createStringError("no process: " +
                                   llvm::Twine(strerror(errno)));
  if (process == 0) {
    llvm::Expected<runtime::Device> device = run::openDevice(name, /*sms=*/0);
    if (device)
      writeLine(ends[1], Object{{"name", device->name()},
                                {"architecture", device->architecture()},
                                {"sms", int64_t(device->smCount())}});
    else
      writeLine(ends[1], Object{{"error", llvm::toString(device.takeError())}});
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char bytes[512];
  for (ssize_t size; (size = read(ends[0], bytes, sizeof(bytes))) != 0;)
    if (size > 0)
      text.append(bytes, size);
    else if (errno != EINTR)
      break;
  close(ends[0]);
  int status = 0;
  waitpid(process, &status, 0);
  llvm::Expected<Value> value = llvm::json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return llvm::createStringError(describeEnd(status));
  }
  const Object &object = *value->getAsObject();
  if (auto error = object.getString("error"))
    return llvm::createStringError(*error);
  return DeviceInfo{object.getString("name").value_or("").str(),
                    object.getString("architecture").value_or("").str(),
                    unsigned(object.getInteger("sms").value_or(0))};
}

llvm::Error
suite::runSuite(llvm::ArrayRef<Case> cases, const RunSuiteOptions &options,
                llvm::function_ref<void(size_t, const CaseResult &)> done) {
  if (cases.empty())
    return llvm::Error::success();
  return Pool(cases, options, done).run();
}
