//===- CachedTest.cpp - What a cache gives is what a compile gives --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Session/Cached.h"
#include "../lib/BuildIdentity.h"
#include "drawloom/PrintPlan/Print.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <random>

using namespace drawloom;

static std::string readExample(llvm::StringRef name) {
  auto file = llvm::MemoryBuffer::getFile(EXAMPLES "/" + name + ".mlir");
  return file ? (*file)->getBuffer().str() : "";
}

static const target::Architecture *find(llvm::StringRef name) {
  return llvm::cantFail(target::findArchitecture(name));
}

/// Everything that can be printed of a module.
static std::string describe(const CompiledModule &module) {
  std::string text = module.text + module.ptx;
  llvm::raw_string_ostream os(text);
  os.write(module.cubin.data(), module.cubin.size());
  for (const CompiledKernel &kernel : module.kernels) {
    runtime::writeJson(kernel.info, os);
    llvm::json::OStream json(os);
    plan::printJson(kernel.plan, json);
    plan::printText(kernel.plan, os);
    plan::printMermaidGraph(kernel.plan, os);
    plan::printMermaidSequence(kernel.plan, os);
    plan::printDot(kernel.plan, os);
  }
  for (const target::FunctionResources &function : module.report.functions)
    os << function.name << function.registers << function.barriers
       << function.constantBytes << function.isKernel;
  for (const Message &message : module.messages)
    os << message.file << message.line << message.column << message.text
       << message.notes.size();
  return text;
}

static CompiledModule compileExample(llvm::StringRef name,
                                     llvm::StringRef arch = "sm_100a") {
  return llvm::cantFail(compile(readExample(name), {.arch = find(arch)}));
}

TEST(ModuleBytes, AreReadAsWritten) {
  for (llvm::StringRef name :
       {"gemm", "attention", "grouped_gemm", "schedules/paired_gemm"}) {
    CompiledModule module = compileExample(name);
    module.cubin = {'c', '\0', 'b'};
    module.report.functions.push_back({"f", true, 1, 2, 3, 4, 5, 6, 7});
    module.messages.push_back({mlir::DiagnosticSeverity::Remark,
                               "k.mlir",
                               3,
                               4,
                               "words",
                               {{.text = "a note"}}});
    std::string bytes = writeModule(module);
    auto read = readModule(bytes);
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    EXPECT_EQ(describe(*read), describe(module)) << name.str();
    EXPECT_EQ(writeModule(*read), bytes);
  }
}

TEST(ModuleBytes, AreNeverHalfAModule) {
  std::string bytes = writeModule(compileExample("gemm"));
  for (size_t size = 0; size < bytes.size(); size += size < 4000 ? 1 : 97) {
    auto read = readModule(llvm::StringRef(bytes).take_front(size));
    EXPECT_FALSE(bool(read)) << size;
    EXPECT_EQ(llvm::toString(read.takeError()),
              "these bytes are no compiled module [module-bytes]");
  }
}

/// The module as written, with one of its plans changed; whether it is read.
static bool isRead(const CompiledModule &module,
                   llvm::function_ref<void(plan::Plan &)> change) {
  CompiledModule other = module;
  change(other.kernels.front().plan);
  auto read = readModule(writeModule(other));
  if (read)
    return true;
  llvm::consumeError(read.takeError());
  return false;
}

TEST(ModuleBytes, HoldNoPlanWithNumbersThatNoneHas) {
  CompiledModule module = compileExample("gemm");
  ASSERT_TRUE(isRead(module, [](plan::Plan &) {}));
  // Each would be divided by, counted up to, or looked up.
  using Change = void (*)(plan::Plan &);
  for (Change change : std::initializer_list<Change>{
           [](plan::Plan &plan) { plan.cluster = {0}; },
           [](plan::Plan &plan) { plan.cluster = {16, 16}; },
           [](plan::Plan &plan) { plan.warps = int64_t(1) << 40; },
           [](plan::Plan &plan) { plan.holes = {INT64_MAX}; },
           [](plan::Plan &plan) { plan.entryRegisters = INT64_MAX; },
           [](plan::Plan &plan) { plan.sharedBytes = INT64_MAX; },
           [](plan::Plan &plan) { plan.tensorColumns = -1; },
           [](plan::Plan &plan) { plan.memory.front().name = ""; },
           [](plan::Plan &plan) { plan.memory.front().bytes = INT64_MAX; },
           [](plan::Plan &plan) { plan.roles.front().warps = 0; },
           [](plan::Plan &plan) { plan.roles.front().warps = 32; },
           [](plan::Plan &plan) { plan.roles.front().at = INT64_MAX; },
           [](plan::Plan &plan) { plan.roles.front().registers = -8; },
           [](plan::Plan &plan) { plan.roles.front().columns = 1 << 20; },
           [](plan::Plan &plan) { plan.roles.front().produces = {77}; },
           [](plan::Plan &plan) { plan.pipes.front().slots = 0; },
           [](plan::Plan &plan) { plan.pipes.front().slots = INT64_MAX; },
           [](plan::Plan &plan) { plan.pipes.front().slotSize = INT64_MAX; },
           [](plan::Plan &plan) { plan.pipes.front().fullBytes = -1; },
           [](plan::Plan &plan) { plan.pipes.front().place->start = -1; },
           [](plan::Plan &plan) { plan.pipes.front().producer = 77; },
           [](plan::Plan &plan) {
             plan.pipes.front().tensors.front().bytes = -1;
           },
           [](plan::Plan &plan) {
             plan.pipes.front().consumers.front().lag = -1;
           },
           [](plan::Plan &plan) {
             plan.roles.front().program.front().every = 0;
           },
           [](plan::Plan &plan) {
             plan.roles.front().program.front().from = 1 << 20;
           },
           [](plan::Plan &plan) {
             plan.roles.front().program.front().lag = -1;
           },
           [](plan::Plan &plan) {
             plan.roles.front().program.front().trips = -1;
           },
           [](plan::Plan &plan) {
             plan.roles.front().program.front().offset = INT64_MAX;
           },
           [](plan::Plan &plan) {
             plan.roles.front().program.front().pipes = {77};
           }})
    EXPECT_FALSE(isRead(module, change));
}

TEST(ModuleBytes, AreAModuleOrNotWhateverTheyAre) {
  for (llvm::StringRef name : {"gemm", "attention"}) {
    CompiledModule module = compileExample(name);
    // Plans are at the front. Text would take most of the changes.
    module.ptx = module.text = "";
    std::string bytes = writeModule(module);
    std::mt19937 random(1);
    unsigned rejected = 0, read = 0;
    for (unsigned i = 0; i != 4000; ++i) {
      std::string other = bytes;
      for (unsigned count = 1 + random() % 4; count != 0; --count)
        other[random() % other.size()] = static_cast<char>(random());
      auto changed = readModule(other);
      if (!changed) {
        llvm::consumeError(changed.takeError());
        ++rejected;
        continue;
      }
      // What is read can be printed, whatever changed.
      EXPECT_FALSE(describe(*changed).empty());
      ++read;
    }
    EXPECT_GT(rejected, 100u);
    EXPECT_GT(read, 100u);
  }
}

namespace {
class Cached : public testing::Test {
protected:
  Cached() {
    (void)llvm::sys::fs::createUniqueDirectory("drawloom-cached", folder);
    cache.emplace(cache::Config{.folder = folder.str().str()});
  }
  ~Cached() override { (void)llvm::sys::fs::remove_directories(folder); }

  CompiledModule get(const ProgramText &program,
                     const CompileOptions &options) {
    return llvm::cantFail(compileCached(&*cache, program, options));
  }
  uint64_t count(cache::Event event) {
    return cache->getDisk().getCounters().get(event);
  }

  llvm::SmallString<128> folder;
  std::optional<cache::Cache> cache;
};
} // namespace

TEST_F(Cached, IsTheSameAsCompiled) {
  std::string program = readExample("gemm");
  CompileOptions options = {.arch = find("sm_90a")};
  CompiledModule first = get({program, "gemm.mlir"}, options);
  CompiledModule second = get({program, "gemm.mlir"}, options);
  EXPECT_EQ(count(cache::Event::Made), 1u);
  EXPECT_EQ(count(cache::Event::DiskHit), 1u);
  EXPECT_EQ(describe(first), describe(second));
  EXPECT_EQ(describe(first),
            describe(llvm::cantFail(compile(program, options, "gemm.mlir"))));
}

TEST_F(Cached, IsAnotherForEveryArgument) {
  std::string program = readExample("gemm"), longer = program + "\n";
  CompileOptions options = {.arch = find("sm_90a")};
  get({program, "a.mlir"}, options);
  get({longer, "a.mlir"}, options);
  // Lines of the PTX name the file.
  CompiledModule other = get({program, "b.mlir"}, options);
  EXPECT_NE(other.ptx.find("\"b.mlir\""), std::string::npos);
  get({program, "a.mlir", "gemm"}, options);
  options.unproved = true;
  get({program, "a.mlir"}, options);
  options.arch = find("sm_100a");
  get({program, "a.mlir"}, options);
  EXPECT_EQ(count(cache::Event::Made), 6u);
  EXPECT_EQ(count(cache::Event::DiskHit), 0u);
}

/// Programs that differ in a place alone have the same code, and messages and
/// lines that don't.
TEST_F(Cached, IsAnotherForEveryPlace) {
  std::string program = llvm::StringRef(readExample("gemm")).rtrim().str();
  CompileOptions options = {.arch = find("sm_90a")};
  for (llvm::StringRef place :
       {"", " loc(\"a.py\":1:1)", " loc(\"b.py\":1:1)"}) {
    std::string text = program + place.str() + "\n";
    EXPECT_EQ(describe(get({text, "a.mlir"}, options)),
              describe(llvm::cantFail(compile(text, options, "a.mlir"))));
  }
  EXPECT_EQ(count(cache::Event::Made), 3u);
}

TEST_F(Cached, IsAnotherForEveryPtxas) {
  unsigned made = 0;
  auto getWith = [&](llvm::StringRef path, target::Version version) {
    CompileOptions options = {.arch = find("sm_90a"),
                              .stopAfter = Stage::Cubin};
    options.ptxas =
        target::Ptxas{path.str(), target::ToolOrigin::Variable, version};
    llvm::cantFail(compileCached(&*cache, {"program", "a.mlir"}, options,
                                 [&](const CompileOptions &) {
                                   ++made;
                                   return CompiledModule{.ptx = ".version"};
                                 }));
    return made;
  };
  auto write = [&](llvm::StringRef name, llvm::StringRef text) {
    std::string path = (folder + "/" + name).str();
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << text;
    return path;
  };
  std::string program = write("program", "\x7f"
                                         "ELF");
  EXPECT_EQ(getWith(program, {13, 0, 48}), 1u);
  EXPECT_EQ(getWith(program, {13, 0, 48}), 1u);
  EXPECT_EQ(getWith(program, {13, 0, 88}), 2u);
  // A script may do more than its version says, wherever it is.
  std::string script = write("script", "#!/bin/sh\nptxas $@");
  EXPECT_EQ(getWith(script, {13, 0, 48}), 3u);
  EXPECT_EQ(getWith(write("copy", "#!/bin/sh\nptxas $@"), {13, 0, 48}), 3u);
  write("script", "#!/bin/sh\nptxas -O1 $@");
  EXPECT_EQ(getWith(script, {13, 0, 48}), 4u);
}

TEST_F(Cached, KeepsNoErrorsAndNoStages) {
  for (int i = 0; i != 2; ++i) {
    auto rejected =
        compileCached(&*cache, {"nonsense", "a"}, {.arch = find("sm_90a")});
    EXPECT_FALSE(bool(rejected));
    llvm::consumeError(rejected.takeError());
    get({readExample("gemm"), "a"},
        {.arch = find("sm_90a"), .stopAfter = Stage::Plan});
  }
  EXPECT_TRUE(cache->getDisk().list().empty());
}

TEST(BuildIdentity, IsThere) {
  std::optional<std::string> identity = getBuildIdentity();
  ASSERT_TRUE(identity);
  // At least sixteen bytes, in hexadecimal.
  EXPECT_GE(identity->size(), 32u);
  EXPECT_EQ(identity, getBuildIdentity());
}

TEST(CachedFolder, IsNotUsedIfOthersMayWrite) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("cached", folder));
  std::string kernels = (folder + "/kernels").str();
  ASSERT_FALSE(llvm::sys::fs::create_directory(kernels));
  ASSERT_FALSE(llvm::sys::fs::setPermissions(kernels, llvm::sys::fs::all_all));
  cache::Config config;
  config.folder = kernels;
  cache::Cache cache(config);
  std::string text = readExample("gemm");
  auto made =
      compileCached(&cache, {text, "gemm.mlir"}, {.arch = find("sm_90a")});
  ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
  ASSERT_EQ(made->messages.size(), 1u);
  EXPECT_EQ(made->messages.front().severity, mlir::DiagnosticSeverity::Warning);
  EXPECT_EQ(made->messages.front().text,
            "there is no cache: '" + kernels +
                "' may be written by others (mode 0777); 'chmod go-w' changes "
                "that [cache-setting]");
  (void)llvm::sys::fs::remove_directories(folder);
}
