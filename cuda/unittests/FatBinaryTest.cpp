//===- FatBinaryTest.cpp - The PTX in a fat binary ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FatBinaryWriter.h"
#include "Library.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>

using namespace drawloom;
using namespace drawloom::cuda;

using Writer = FatBinaryWriter;
static constexpr ptx::Target h100 = {90, 'a'}, b200 = {100, 'a'};

/// The target of the PTX that is selected, or why there is none.
static std::string selected(const std::string &bytes, ptx::Target device) {
  auto selection = selectPtx(bytes, device);
  if (!selection)
    return llvm::toString(selection.takeError());
  if (!selection->text)
    return selection->missing;
  auto target = declaredTarget(*selection->text);
  return target ? target->str() : "no target";
}

TEST(FatBinary, EveryPacking) {
  for (Writer::Packing packing :
       {Writer::Packing::None, Writer::Packing::Lz4, Writer::Packing::Zstd}) {
    std::string text = writerOf("sm_90a", 3);
    std::string bytes =
        Writer().add(Writer::Kind::Ptx, 90, text, packing).str();
    auto selection = selectPtx(bytes, h100);
    ASSERT_TRUE(bool(selection)) << llvm::toString(selection.takeError());
    EXPECT_EQ(selection->text, text);
  }
}

TEST(FatBinary, TheMostSpecificTextIsTaken) {
  Writer writer;
  for (const char *target :
       {"sm_80", "sm_100a", "sm_90", "sm_90a", "sm_100", "sm_100f"})
    writer.add(Writer::Kind::Ptx, 0, writerOf(target, 1),
               Writer::Packing::Zstd);
  writer.add(Writer::Kind::Cubin, 90,
             "\x7f"
             "ELF....");
  EXPECT_EQ(selected(writer.str(), h100), "sm_90a");
  EXPECT_EQ(selected(writer.str(), b200), "sm_100a");
  EXPECT_EQ(selected(Writer()
                         .add(Writer::Kind::Ptx, 80, writerOf("sm_80", 1))
                         .add(Writer::Kind::Ptx, 90, writerOf("sm_90a", 1))
                         .str(),
                     b200),
            "sm_80");
}

TEST(FatBinary, NothingForTheDevice) {
  EXPECT_EQ(selected(Writer()
                         .add(Writer::Kind::Ptx, 90, writerOf("sm_90a", 1))
                         .add(Writer::Kind::Cubin, 100, "code")
                         .str(),
                     b200),
            "the module has no PTX for sm_100a; it has PTX for sm_90a, SASS "
            "for sm_100; compile with -gencode "
            "arch=compute_100a,code=compute_100a");
  EXPECT_EQ(selected(Writer().str(), h100),
            "the module has no PTX for sm_90a; it has nothing; compile with "
            "-gencode arch=compute_90a,code=compute_90a");
  EXPECT_EQ(selected(Writer().add(Writer::Kind::Several, 0, "x").str(), h100),
            "the module has no PTX for sm_90a; it has entries of nvcc "
            "--concat, which the emulator doesn't read; compile with -gencode "
            "arch=compute_90a,code=compute_90a");
  // PTX of an architecture that comes after this one is listed, not damage.
  EXPECT_EQ(
      selected(Writer().add(Writer::Kind::Ptx, 130, ".target sm_130\n").str(),
               h100),
      "the module has no PTX for sm_90a; it has PTX for sm_130; compile "
      "with -gencode arch=compute_90a,code=compute_90a");
}

/// A field of a container and what is said when it is damaged.
struct Damage {
  const char *name;
  uint64_t offset, value;
  unsigned bytes;
  const char *message;
};

TEST(FatBinary, DamageIsLocated) {
  std::string good = Writer()
                         .add(Writer::Kind::Ptx, 90, writerOf("sm_90a", 1),
                              Writer::Packing::Lz4)
                         .str();
  std::string total = std::to_string(good.size());
  const Damage rows[] = {
      {"magic", 0, 1, 4, "at byte 0: no header of a fat binary"},
      {"version", 4, 2, 2, "at byte 4: version 2; version 1 is known"},
      {"header", 6, 8, 2, "at byte 6: a header of 8 bytes; it has 16"},
      {"size", 8, 1000000, 8, "at byte 8: it says it has 1000016 bytes"},
      {"size beyond 64 bits", 8, ~uint64_t(0), 8, "at byte 0: no header"},
      {"short", 8, 40, 8, "at byte 16: an entry needs 64 bytes, and 40 are"},
      {"entry's header", 20, 16, 4, "at byte 16: an entry of 16 + "},
      {"entry's payload", 24, ~uint64_t(0), 8,
       "at byte 16: an entry of 64 + 18446744073709551615 bytes"},
      {"compressed bytes", 32, 70000, 4, "at byte 32: 70000 compressed bytes"},
      {"text", 72, uint64_t(1) << 40, 8,
       "at byte 72: 1099511627776 bytes of text; the limit is 268435456"},
      {"text one longer", 72, writerOf("sm_90a", 1).size() + 1, 8,
       "at byte 16: compressed data that doesn't unpack to"},
      {"other packing", 56, 0x8000, 8,
       "at byte 16: compressed data that doesn't unpack to"},
  };
  for (const Damage &row : rows) {
    std::string bytes = good;
    patch(bytes, row.offset, row.value, row.bytes);
    std::string message = selected(bytes, h100);
    EXPECT_NE(
        message.find("the fat binary is damaged " + std::string(row.message)),
        std::string::npos)
        << row.name << ": " << message;
  }
  // Every prefix of it is rejected, or is the whole.
  for (size_t size = 0; size != good.size(); ++size)
    EXPECT_NE(selected(good.substr(0, size), h100), "sm_90a") << size;
  EXPECT_EQ(selected(good, h100), "sm_90a");
}

TEST_F(CudaTest, FatBinariesRun) {
  std::string fat = Writer()
                        .add(Writer::Kind::Ptx, 80, writerOf("sm_80", 80),
                             Writer::Packing::Zstd)
                        .add(Writer::Kind::Cubin, 90, "code")
                        .add(Writer::Kind::Ptx, 90, writerOf("sm_90a", 90),
                             Writer::Packing::Lz4)
                        .str();
  struct {
    int magic = 0x466243B1, version = 1;
    const void *data, *rest = nullptr;
  } wrapper;
  wrapper.data = fat.data();
  for (const void *image : {static_cast<const void *>(fat.data()),
                            static_cast<const void *>(&wrapper)}) {
    ModuleState *module = nullptr;
    EXPECT_OK(cu.cuModuleLoadFatBinary(&module, image));
    FunctionState *k = nullptr;
    EXPECT_OK(cu.cuModuleGetFunction(&k, module, "k"));
    DevicePointer out = upload<uint32_t>({0});
    void *parameters[] = {&out};
    EXPECT_OK(cu.cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                                nullptr));
    EXPECT_EQ(download<uint32_t>(out, 1), std::vector<uint32_t>{90});
  }
}

TEST_F(CudaTest, PtxThatACompilerHasKept) {
  llvm::SmallString<64> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("drawloom-kept", folder));
  auto write = [&](const char *name, llvm::StringRef bytes) {
    llvm::SmallString<64> path(folder);
    llvm::sys::path::append(path, name);
    std::error_code problem;
    llvm::raw_fd_ostream(path, problem) << bytes;
    EXPECT_FALSE(problem);
  };
  std::string cubin("\x7f"
                    "ELF\0machine code",
                    17);
  std::string other = cubin;
  other.back() = '!';
  // Files of one size, and one without PTX.
  write("a.cubin", other);
  write("a.ptx", "noise");
  write("b.cubin", cubin);
  write("b.ptx", writerOf("sm_90a", 8));
  write("c.cubin", "alone");

  ModuleState *module = nullptr;
  EXPECT_RESULT(cu.cuModuleLoadData(&module, cubin.c_str()),
                CUDA_ERROR_NO_BINARY_FOR_GPU);
  setenv("DRAWLOOM_KEPT_PTX", folder.c_str(), 1);
  // As it is, and packed in every way.
  std::vector<std::string> images = {cubin};
  for (auto packing :
       {Writer::Packing::None, Writer::Packing::Lz4, Writer::Packing::Zstd})
    images.push_back(
        Writer().add(Writer::Kind::Cubin, 90, cubin, packing).str());
  for (const std::string &image : images) {
    EXPECT_OK(cu.cuModuleLoadData(&module, image.c_str()));
    FunctionState *k = nullptr;
    EXPECT_OK(cu.cuModuleGetFunction(&k, module, "k"));
  }
  std::string alone = Writer().add(Writer::Kind::Cubin, 90, "alone").str();
  EXPECT_RESULT(cu.cuModuleLoadData(&module, alone.data()),
                CUDA_ERROR_NO_BINARY_FOR_GPU);
  unsetenv("DRAWLOOM_KEPT_PTX");
  EXPECT_FALSE(llvm::sys::fs::remove_directories(folder));
}

TEST_F(CudaTest, FatBinariesThatAreRejected) {
  char log[512] = {};
  int options[] = {JitErrorLog, JitErrorLogSize};
  auto load = [&](const void *image) {
    void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
    ModuleState *module = nullptr;
    return cu.cuModuleLoadDataEx(&module, image, 2, options, values);
  };
  std::string cubin = Writer().add(Writer::Kind::Cubin, 90, "code").str();
  EXPECT_RESULT(load(cubin.data()), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_STREQ(log, "the module has no PTX for sm_90a; it has SASS for "
                    "sm_90; compile with -gencode "
                    "arch=compute_90a,code=compute_90a");
  std::string text =
      Writer().add(Writer::Kind::Ptx, 90, writerOf("sm_90a", 1)).str();
  std::string damaged = text;
  patch(damaged, 20, 7, 4);
  EXPECT_RESULT(load(damaged.data()), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_NE(strstr(log, "the fat binary is damaged at byte 16"), nullptr)
      << log;
  std::string wrong = ".version 8.6\n.target sm_90a\n.address_size 64\nnoise\n";
  std::string bad = Writer().add(Writer::Kind::Ptx, 90, wrong).str();
  EXPECT_RESULT(load(bad.data()), CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(strstr(log, "module.ptx:4:1: error"), nullptr) << log;
  struct {
    int magic = 0x466243B1, version = 1;
    const void *data = nullptr, *rest = nullptr;
  } empty;
  EXPECT_RESULT(load(&empty), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_STREQ(log, "the fat binary's wrapper is empty");
}
