//===- RunTool.cpp - A child process and what it printed ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTool.h"
#include "drawloom/Input/Printable.h"
#include "drawloom/Input/Read.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace drawloom;
using namespace drawloom::target;

/// A folder that is full or can't be written is not the tool's error.
static llvm::Error fail(std::error_code error) {
  llvm::SmallString<128> folder;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  return llvm::createStringError(
      error,
      "cannot write a temporary file in '%s': %s; TMPDIR names another "
      "folder [cannot-write]",
      folder.c_str(), error.message().c_str());
}

llvm::Expected<TemporaryFile> TemporaryFile::create(llvm::StringRef suffix) {
  llvm::SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("drawloom", suffix, path))
    return fail(error);
  return TemporaryFile(path);
}

llvm::Error TemporaryFile::write(llvm::StringRef contents) const {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    os << contents;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return fail(error);
  return llvm::Error::success();
}

llvm::Expected<std::string> TemporaryFile::read() const {
  // A tool may have put something else in its place, which doesn't end.
  auto buffer = input::readText(path, mostWritten);
  if (!buffer)
    return buffer.takeError();
  return (*buffer)->getBuffer().str();
}

namespace {
/// The ends of a pipe, closed with the object.
struct Pipe {
  int reading = -1, writing = -1;

  Pipe() = default;
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;
  ~Pipe() {
    closeWriting();
    if (reading >= 0)
      close(reading);
  }

  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      return false;
    reading = ends[0];
    writing = ends[1];
    return true;
  }
  void closeWriting() {
    if (writing >= 0)
      close(std::exchange(writing, -1));
  }
};
} // namespace

/// Starts the program with its output in the pipes. An error number.
static int start(const std::string &program,
                 llvm::ArrayRef<llvm::StringRef> arguments, const Pipe &out,
                 const Pipe &err, pid_t &child) {
  std::vector<std::string> words = {program};
  for (llvm::StringRef argument : arguments)
    words.push_back(argument.str());
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.writing, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.writing, STDERR_FILENO);
  int problem = posix_spawn(&child, program.c_str(), &actions, nullptr,
                            argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return problem;
}

/// Reads both pipes until the child has ended. Says why that is not waited for.
static std::string collect(pid_t child, const Pipe &out, const Pipe &err,
                           std::chrono::steady_clock::time_point end,
                           std::string (&texts)[2], int &status) {
  pollfd pipes[2] = {{out.reading, POLLIN, 0}, {err.reading, POLLIN, 0}};
  bool hasEnded = false;
  while (true) {
    // Who has ended has said everything, though a child of its own may still
    // hold the pipe.
    hasEnded |= waitpid(child, &status, WNOHANG) == child;
    bool areOpen = pipes[0].fd >= 0 || pipes[1].fd >= 0;
    int ready = poll(pipes, 2, hasEnded ? 0 : areOpen ? 10 : 1);
    if (ready <= 0 && hasEnded)
      return "";
    for (unsigned i = 0; i != 2; ++i) {
      if (!(pipes[i].revents & (POLLIN | POLLHUP)))
        continue;
      std::array<char, 65536> part;
      ssize_t count = read(pipes[i].fd, part.data(), part.size());
      if (count > 0)
        texts[i].append(part.data(), count);
      else
        pipes[i].fd = -1;
    }
    if (texts[0].size() + texts[1].size() > mostPrinted)
      return "it printed more than " + std::to_string(mostPrinted >> 20) +
             " MiB";
    if (!hasEnded && std::chrono::steady_clock::now() >= end)
      return "it did not end";
  }
}

unsigned drawloom::target::getToolSeconds() {
  unsigned seconds = 600;
  if (auto given = llvm::sys::Process::GetEnv("DRAWLOOM_PTXAS_SECONDS"))
    (void)llvm::to_integer(*given, seconds);
  return seconds;
}

llvm::Expected<ToolRun>
drawloom::target::runTool(llvm::StringRef program,
                          llvm::ArrayRef<llvm::StringRef> arguments,
                          unsigned seconds) {
  auto fail = [&](const llvm::Twine &why) {
    return llvm::createStringError("cannot run " + program + ": " + why +
                                   " [tool-failed]");
  };
  Pipe out, err;
  if (!out.open() || !err.open())
    return fail(llvm::sys::StrError());
  pid_t child = 0;
  if (int problem = start(program.str(), arguments, out, err, child))
    return fail(llvm::sys::StrError(problem));
  rlimit files = {mostWritten, mostWritten};
  (void)prlimit(child, RLIMIT_FSIZE, &files, nullptr);
  out.closeWriting();
  err.closeWriting();

  std::string texts[2];
  int status = 0;
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::string problem = collect(child, out, err, end, texts, status);
  if (!problem.empty()) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (problem == "it did not end")
      problem += " within " + std::to_string(seconds) +
                 " s; DRAWLOOM_PTXAS_SECONDS gives it longer";
    return fail(problem);
  }
  if (WIFSIGNALED(status))
    return fail(llvm::Twine("it was ended by signal ") +
                llvm::Twine(WTERMSIG(status)) + " (" +
                strsignal(WTERMSIG(status)) + ")");
  return ToolRun{WEXITSTATUS(status),
                 input::makePrintable(texts[0] + texts[1])};
}
