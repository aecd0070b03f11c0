//===- LaunchFileTest.cpp - Launches in files, schedules as text --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/LaunchFile.h"
#include "Harness.h"
#include "drawloom/Emulator/Schedule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace drawloom;
using namespace drawloom::emu;

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

TEST(Schedule, EveryTextComesBack) {
  for (const char *text :
       {"deterministic", "random:0", "random:18446744073709551615", "timed:7",
        "adversarial", "adversarial:copy", "adversarial:bulk",
        "adversarial:tensor", "adversarial:mma", "adversarial:commit",
        "adversarial:remote-store", "adversarial:launch-control"}) {
    RunOptions options;
    EXPECT_EQ(llvm::toString(parseSchedule(text, options)), "");
    EXPECT_EQ(printSchedule(options), text);
  }
}

TEST(Schedule, OtherTexts) {
  for (const char *text : {"", "random", "random:x", "deterministic:1",
                           "adversarial:", "adversarial:warp"}) {
    RunOptions options;
    EXPECT_EQ(llvm::toString(parseSchedule(text, options)),
              std::string("unknown order '") + text +
                  "'; expected deterministic, random:SEED, timed:SEED, "
                  "adversarial or adversarial:KIND with a kind of copy, bulk, "
                  "tensor, mma, commit, remote-store, launch-control "
                  "[unknown-order]");
  }
}

TEST(Schedule, SlipsAreNamed) {
  for (auto [text, right] : {std::pair("randon:1", "random"),
                             std::pair("deterministc", "deterministic"),
                             std::pair("adverserial:mma", "adversarial")}) {
    RunOptions options;
    std::string words = llvm::toString(parseSchedule(text, options));
    EXPECT_TRUE(llvm::StringRef(words).ends_with(
        "; did you mean '" + std::string(right) + "'? [unknown-order]"))
        << words;
  }
}

//===----------------------------------------------------------------------===//
// .npy
//===----------------------------------------------------------------------===//

/// A file of version 1.0 with that header.
static std::string npy(const std::string &header, const std::string &data) {
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 255);
  text += static_cast<char>(header.size() >> 8);
  return text + header + data;
}

/// "1, 1, 1"
static std::string ones(unsigned count) {
  return llvm::join(std::vector<std::string>(count, "1"), ", ");
}

static std::string parseError(const std::string &contents) {
  auto array = parseNumpy(contents);
  return array ? "" : llvm::toString(array.takeError());
}

TEST(Numpy, ThereAndBack) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("array", "npy", path));
  for (llvm::SmallVector<uint64_t, 4> shape :
       {llvm::SmallVector<uint64_t, 4>{}, llvm::SmallVector<uint64_t, 4>{3},
        llvm::SmallVector<uint64_t, 4>{2, 3}}) {
    NumpyArray array;
    array.type = "<u2";
    array.shape = shape;
    array.bytes.assign(array.elementCount() * 2, 7);
    EXPECT_EQ(llvm::toString(
                  writeNumpyFile(llvm::sys::path::parent_path(path).str(),
                                 llvm::sys::path::filename(path).str(), array)),
              "");
    auto read = readNumpyFile(std::string(path));
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    EXPECT_EQ(read->type, array.type);
    EXPECT_EQ(read->shape, array.shape);
    EXPECT_EQ(read->bytes, array.bytes);
  }
  llvm::sys::fs::remove(path);
}

TEST(Numpy, WhatIsNotRead) {
  std::string plain =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_EQ(parseError(npy(plain, std::string(8, 0))), "");
  EXPECT_EQ(parseError("hello"), "it isn't a .npy file [array-file]");
  EXPECT_EQ(parseError(std::string("\x93NUMPY\x09\x00\x00\x00", 10)),
            "version 9 of the format isn't known [array-file]");
  EXPECT_EQ(parseError(npy(plain, "").substr(0, 30)),
            "the header is cut off [array-file]");
  EXPECT_EQ(parseError(npy(plain, std::string(7, 0))),
            "the shape is of 8 bytes, and the file has 7 [array-file]");
  EXPECT_EQ(
      parseError(npy("{'descr': '>f4', 'fortran_order': False, 'shape': "
                     "(2,), }",
                     std::string(8, 0))),
      "the type of the elements is '>f4'; it must be a plain one, such as "
      "'<f4', '<u2' or '|i1' [array-file]");
  EXPECT_EQ(
      parseError(npy("{'descr': [('a', '<f4')], 'fortran_order': False, "
                     "'shape': (2,), }",
                     std::string(8, 0))),
      "the elements are structures, or the header has no type [array-file]");
  EXPECT_EQ(
      parseError(npy("{'descr': '<f4', 'fortran_order': True, 'shape': "
                     "(2, 1), }",
                     std::string(8, 0))),
      "the array is in Fortran's order; numpy.ascontiguousarray makes one "
      "in C's [array-file]");
  EXPECT_EQ(parseError(npy("{'descr': '<f4', 'fortran_order': False, 'shape': "
                           "(" +
                               ones(65) + "), }",
                           std::string(4, 0))),
            "the array has 65 dimensions; the limit is 64 [array-file]");
  EXPECT_EQ(parseError(npy("{'descr': '<f4', 'fortran_order': False, 'shape': "
                           "(2, x), }",
                           "")),
            "the shape isn't a list of numbers [array-file]");
}

//===----------------------------------------------------------------------===//
// Launch files
//===----------------------------------------------------------------------===//

/// What is wrong with a file, here or when it is put into a device.
static std::string problemOf(const std::string &json) {
  auto file = parseLaunchFile(json, "", "");
  if (!file)
    return llvm::toString(file.takeError());
  Harness h("h100", R"(
.visible .entry k(.param .u64 p, .param .u32 n) { ret; }
.visible .entry other(.param .align 64 .b8 map[128]) { ret; }
)");
  auto prepared = PreparedLaunch::create(*file, *h.device, *h.module);
  return prepared ? "" : llvm::toString(prepared.takeError());
}

/// A launch of k, with more fields.
static std::string launch(const std::string &fields) {
  return R"({"kernel": "k", "grid": [1], "block": [32])" + fields + "}";
}
static const std::string arrays =
    R"(, "arrays": {"a": {"type": "<f4", "shape": [4, 4]}})";

TEST(LaunchFile, Parameters) {
  auto file = parseLaunchFile(launch(arrays + R"(, "parameters": [
    {"pointer": "a", "offset": 8}, {"s32": -2}])"),
                              "", "");
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  Harness h("h100", ".visible .entry k(.param .u64 p, .param .u32 n) { ret; }");
  auto prepared = PreparedLaunch::create(*file, *h.device, *h.module);
  ASSERT_TRUE(bool(prepared)) << llvm::toString(prepared.takeError());
  uint64_t address = prepared->arrays()[0].address + 8;
  std::vector<char> expected(12);
  memcpy(expected.data(), &address, 8);
  memset(expected.data() + 8, 0xff, 4);
  expected[8] = static_cast<char>(0xfe);
  EXPECT_EQ(prepared->launch().parameters, expected);
}

TEST(LaunchFile, AnArrayWithoutBytesIsRestored) {
  auto file = parseLaunchFile(
      launch(R"(, "arrays": {"a": {"type": "<f4", "shape": [0, 4]}},
                "parameters": [{"pointer": "a"}, {"s32": 0}])"),
      "", "");
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  Harness h("h100", ".visible .entry k(.param .u64 p, .param .u32 n) { ret; }");
  auto prepared = PreparedLaunch::create(*file, *h.device, *h.module);
  ASSERT_TRUE(bool(prepared)) << llvm::toString(prepared.takeError());
  prepared->restore(*h.device);
  EXPECT_TRUE(prepared->contents(*h.device, prepared->arrays()[0]).empty());
}

// A structure with a number, bytes, a pointer and the address of a structure.
TEST(LaunchFile, Structures) {
  auto file = parseLaunchFile(R"({"grid": [1], "block": [32],
    "arrays": {"a": {"type": "|u1", "shape": [16]}},
    "parameters": [{"size": 32, "fields": [
      {"offset": 0, "f32": 1.5},
      {"offset": 4, "bytes": "01fF"},
      {"offset": 8, "pointer": "a", "arrayOffset": 3},
      {"offset": 24, "memory": {"u16": 513}}]}]})",
                              "", "");
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  Harness h("h100", ".visible .entry k(.param .align 8 .b8 p[32]) { ret; }");
  auto prepared = PreparedLaunch::create(*file, *h.device, *h.module);
  ASSERT_TRUE(bool(prepared)) << llvm::toString(prepared.takeError());
  const std::vector<char> &bytes = prepared->launch().parameters;
  auto at = [&]<typename T>(size_t offset) {
    T value;
    memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  };
  EXPECT_EQ(at.operator()<float>(0), 1.5f);
  EXPECT_EQ(at.operator()<uint32_t>(4), 0xff01u);
  EXPECT_EQ(at.operator()<uint64_t>(8), prepared->arrays()[0].address + 3);
  EXPECT_EQ(at.operator()<uint64_t>(16), 0u);
  EXPECT_EQ(h.read<uint16_t>(at.operator()<uint64_t>(24), 1)[0], 513);
}

// What a map doesn't say follows from its array.
TEST(LaunchFile, TensorMaps) {
  auto file = parseLaunchFile(R"({"kernel": "k", "grid": [1], "block": [32],
    "arrays": {"a": {"type": "<f4", "shape": [10, 32]}},
    "parameters": [{"tensorMap": {"array": "a", "box": [16, 8],
                                  "swizzle": "64B", "fill": "nan"}}]})",
                              "", "");
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  Harness h("h100", ".visible .entry k(.param .align 64 .b8 m[128]) { ret; }");
  auto prepared = PreparedLaunch::create(*file, *h.device, *h.module);
  ASSERT_TRUE(bool(prepared)) << llvm::toString(prepared.takeError());
  auto map = decodeTensorMap(prepared->launch().parameters.data());
  ASSERT_TRUE(bool(map)) << llvm::toString(map.takeError());
  EXPECT_EQ(map->type, TensorMapType::F32);
  EXPECT_EQ(map->rank, 2u);
  EXPECT_EQ(map->dims[0], 32u);
  EXPECT_EQ(map->dims[1], 10u);
  EXPECT_EQ(map->strides[0], 128u);
  EXPECT_EQ(map->box[0], 16u);
  EXPECT_EQ(map->swizzle, TensorMapSwizzle::Bytes64);
  EXPECT_TRUE(map->fillsNaN);
}

TEST(LaunchFile, WhatIsWrong) {
  const std::string both = R"(, "parameters": [{"u64": 0}, {"u32": 0}])";
  EXPECT_EQ(problemOf(launch(both)), "");
  struct {
    std::string json, words;
  } cases[] = {
      {"[]", "the file: an object, with braces, is expected"},
      {R"({"block": [32]})", "grid: is missing"},
      {R"({"grid": [1, 1, 1, 1], "block": [1]})",
       "grid: one to three numbers are expected"},
      {R"({"grid": [-1], "block": [1]})",
       "grid: a list of whole numbers from 0 to 4294967295 is expected"},
      {launch(R"(, "sms": 0)"), "sms: at least one SM is expected"},
      {launch(R"(, "blok": 1)"),
       "blok: there is no such field here; the fields "
       "are device, sms, kernel, grid"},
      {launch(R"(, "order": "soon")"), "order: unknown order 'soon'"},
      {launch(R"(, "arrays": {"a": {}})"),
       "arrays.a: either a file, or a type and a shape are expected"},
      {launch(R"(, "arrays": {"a": {"file": "nowhere.npy"}})" + both),
       "arrays.a.file: cannot read 'nowhere.npy'"},
      {launch(R"(, "arrays": {"a": {"type": "bf16", "shape": [1]}})" + both),
       "arrays.a.type: the type of the elements is 'bf16'"},
      {launch(R"(, "arrays": {"a": {"type": "<f4", "shape": [4294967295]}})" +
              both),
       "arrays.a.shape: 17179869180 bytes, and 536870912 are left of what the "
       "arrays of a launch file can have"},
      {launch(R"(, "arrays": {"a": {"type": "|u1", "shape": [524288]},
                              "b": {"type": "<f4", "shape": [134217728]}})" +
              both),
       "arrays.b.shape: 536870912 bytes, and 536346624 are left"},
      {launch(R"(, "parameters": [{}])"), "parameters[0]: a value is expected"},
      {launch(R"(, "parameters": [{"u8": 256}])"),
       "parameters[0].u8: that is no number of this type"},
      {launch(R"(, "parameters": [{"u8": 1, "u16": 1}])"),
       "parameters[0]: several values, where one is expected"},
      {launch(R"(, "parameters": [{"bytes": "0"}])"),
       "parameters[0].bytes: two hexadecimal digits for each byte"},
      {launch(R"(, "parameters": [{"tensorMap": {"array": "a"}}])"),
       "parameters[0].tensorMap.box: is missing"},
      {launch(R"(, "parameters": [{"tensorMap": {"array": "a", "box": [1],
                                                 "dims": [1, 2]}}])"),
       "parameters[0].tensorMap.dims: 2 numbers; the box has 1, so 1 are "
       "expected"},
      {launch(R"(, "parameters": [{"tensorMap": {"array": "a", "box": [1],
                                                 "swizzle": "256B"}}])"),
       "parameters[0].tensorMap.swizzle: '256B' is not one of none, 32B"},
      {launch(""),
       "parameters: 0 values; 'k' takes 2: .u64 p, .u32 n [launch-file]"},
      {R"({"grid": [1], "block": [1]})", "kernel: name one of k, other"},
      {launch(R"(, "parameters": [{"u32": 0}, {"u32": 0}])"),
       "parameters[0]: 4 bytes; 'p' has 8"},
      {launch(R"(, "parameters": [{"pointer": "b"}, {"u32": 0}])"),
       "parameters[0]: there is no array 'b'"},
      {launch(
           arrays +
           R"(, "parameters": [{"pointer": "a", "offset": 65}, {"u32": 0}])"),
       "parameters[0]: the offset is 65, and 'a' has 64 bytes"},
      {launch(R"(, "parameters": [{"size": 4, "fields": [
                    {"offset": 2, "u32": 1}]}, {"u32": 0}])"),
       "parameters[0].fields[0]: bytes 2 to 5 of a structure of 4"},
      {launch(arrays + R"(, "parameters": [
                 {"tensorMap": {"array": "a", "box": [4]}}, {"u32": 0}])"),
       "parameters[0]: the box has 1 dimensions and 'a' 2; write dims down"},
      {launch(arrays + R"(, "parameters": [
                 {"tensorMap": {"array": "a", "box": [4, 300]}}, {"u32": 0}])"),
       "parameters[0].tensorMap: the box size of dimension 1 is 300"},
      {R"({"kernel": "k", "grid": [1], "block": [2000])" + both + "}",
       "a block of (2000, 1, 1) = 2000 threads; 1 to 1024 are possible"},
  };
  for (const auto &[json, words] : cases) {
    std::string problem = problemOf(json);
    EXPECT_TRUE(llvm::StringRef(problem).starts_with(words))
        << json << "\n  says: " << problem << "\n  not:  " << words;
  }
}

//===----------------------------------------------------------------------===//
// Hostile launches
//===----------------------------------------------------------------------===//

static std::string outputError(const std::string &output) {
  auto file = parseLaunchFile(
      R"({"grid": [1], "block": [1], "arrays": {"a": {"type": "<u4",
          "shape": [1], "output": ")" +
          output + "\"}}}",
      "in", "out");
  return file ? "" : llvm::toString(file.takeError());
}

TEST(LaunchFile, OutputsStayBelowTheirFolder) {
  EXPECT_EQ(outputError("a.npy"), "");
  EXPECT_EQ(outputError("below/..a.npy"), "");
  for (std::string name : {"/tmp/a.npy", "../a.npy", "b/../../a.npy", "b/.."})
    EXPECT_EQ(outputError(name),
              "arrays.a.output: '" + name +
                  "' is not below the folder that arrays are written to; name "
                  "a file in it, without '..' [launch-file]");
}

TEST(LaunchFile, OutputsFollowNoLinks) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("launch", folder));
  std::string inside = (folder + "/in").str(),
              outside = (folder + "/out").str();
  ASSERT_FALSE(llvm::sys::fs::create_directory(inside));
  ASSERT_FALSE(llvm::sys::fs::create_directory(outside));
  ASSERT_FALSE(llvm::sys::fs::create_directory(inside + "/below"));
  ASSERT_FALSE(llvm::sys::fs::create_link(outside, inside + "/folder"));
  ASSERT_FALSE(
      llvm::sys::fs::create_link(outside + "/victim.npy", inside + "/a.npy"));
  NumpyArray array;
  array.type = "<u2";
  array.bytes.assign(2, 7);
  auto write = [&](const char *name) {
    return llvm::toString(writeNumpyFile(inside, name, array));
  };
  EXPECT_EQ(write("below/b.npy"), "");
  EXPECT_TRUE(llvm::sys::fs::exists(inside + "/below/b.npy"));
  EXPECT_EQ(write("a.npy"),
            "cannot write 'a.npy' in '" + inside +
                "': Too many levels of symbolic links; symbolic links are not "
                "followed there");
  EXPECT_EQ(write("folder/b.npy"),
            "cannot write 'folder/b.npy' in '" + inside +
                "': Not a directory; symbolic links are not followed there");
  EXPECT_FALSE(llvm::sys::fs::exists(outside + "/victim.npy"));
  EXPECT_FALSE(llvm::sys::fs::exists(outside + "/b.npy"));
  (void)llvm::sys::fs::remove_directories(folder);
}

TEST(LaunchFile, DeepBracketsAreRejected) {
  auto file = parseLaunchFile(std::string(60'000, '['), "", "");
  EXPECT_EQ(file ? "" : llvm::toString(file.takeError()),
            "[1:256, byte=256]: arrays and objects are nested 257 deep here; "
            "the limit is 256");
}

TEST(LaunchFile, AnArrayHasAtMost64Dimensions) {
  std::string shape = "1";
  for (unsigned i = 1; i != 30'000; ++i)
    shape += ", 1";
  auto file = parseLaunchFile(
      R"({"grid": [1], "block": [1], "arrays": {"a": {"type": "<u4",
          "shape": [)" +
          shape + "]}}}",
      "", "");
  EXPECT_EQ(file ? "" : llvm::toString(file.takeError()),
            "arrays.a.shape: 30000 dimensions; an array has at most 64 "
            "[launch-file]");
}
