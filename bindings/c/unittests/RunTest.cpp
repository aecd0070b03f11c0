//===- RunTest.cpp - Runs of the C API ------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace drawloom::capi;

namespace {
constexpr int64_t m = 40, n = 24, k = 32;

/// Small whole numbers, whose products and sums are exact.
struct Gemm {
  std::vector<float> a, b;
  std::vector<uint16_t> aBits, bBits;
  int64_t aShape[2] = {m, k}, bShape[2] = {n, k}, dShape[2] = {m, n};

  Gemm() {
    for (int i = 0; i != m * k; ++i)
      add(i % 7 - 3, a, aBits);
    for (int i = 0; i != n * k; ++i)
      add(i % 5 - 2, b, bBits);
  }
  static void add(float number, std::vector<float> &numbers,
                  std::vector<uint16_t> &bits) {
    uint32_t word;
    memcpy(&word, &number, sizeof(word));
    numbers.push_back(number);
    bits.push_back(word >> 16);
  }
  std::vector<DrawloomArray> arrays() const {
    return {{"A", "bf16", aBits.data(), 2, aShape},
            {"B", "bf16", bBits.data(), 2, bShape}};
  }
  float right(int64_t i, int64_t j) const {
    float sum = 0;
    for (int64_t at = 0; at != k; ++at)
      sum += a[i * k + at] * b[j * k + at];
    return sum;
  }
};

struct DestroyResult {
  void operator()(DrawloomResult *result) { drawloomResultDestroy(result); }
};
using Result = std::unique_ptr<DrawloomResult, DestroyResult>;

struct Options : DrawloomRunOptions {
  Options() : DrawloomRunOptions{} { structSize = sizeof(DrawloomRunOptions); }
};
} // namespace

static DrawloomError *run(const Program &program,
                          const std::vector<DrawloomArray> &arrays,
                          Result &result, const Options &options = {}) {
  DrawloomResult *made = nullptr;
  DrawloomError *error =
      drawloomRun(program.get(), arrays.data(), arrays.size(), &options, &made);
  result.reset(made);
  return error;
}

static void expectRight(const Gemm &gemm, const Result &result) {
  ASSERT_EQ(drawloomResultCount(result.get()), 1u);
  DrawloomArray d = drawloomResultAt(result.get(), 0);
  EXPECT_STREQ(d.name, "D");
  EXPECT_STREQ(d.type, "f32");
  ASSERT_EQ(d.rank, 2u);
  ASSERT_EQ(d.shape[0], m);
  ASSERT_EQ(d.shape[1], n);
  for (int64_t i = 0; i != m; ++i)
    for (int64_t j = 0; j != n; ++j)
      ASSERT_EQ(static_cast<const float *>(d.data)[i * n + j],
                gemm.right(i, j));
}

TEST(DrawloomCRun, IsRight) {
  Gemm gemm;
  Result result;
  ASSERT_EQ(words(run(compileGemm(), gemm.arrays(), result)), "");
  expectRight(gemm, result);
  std::string report = drawloomResultReport(result.get());
  EXPECT_NE(report.find("B200"), std::string::npos);
}

TEST(DrawloomCRun, ChecksAndCompares) {
  Gemm gemm;
  Result result;
  Options options;
  options.check = "default";
  options.compare = 1;
  options.order = "random:3";
  options.sms = 3;
  ASSERT_EQ(words(run(compileGemm(), gemm.arrays(), result, options)), "");
  expectRight(gemm, result);
  std::string report = drawloomResultReport(result.get());
  EXPECT_NE(report.find("\"errors\":0"), std::string::npos);
  EXPECT_NE(report.find("\"matches\":true"), std::string::npos);
  EXPECT_NE(report.find("\"sms\":3"), std::string::npos);
}

TEST(DrawloomCRun, ComparesOutputsOfOthers) {
  Gemm gemm;
  Program program = compileGemm();
  std::vector<DrawloomArray> arrays = gemm.arrays();
  std::vector<float> d(m * n);
  for (int64_t i = 0; i != m * n; ++i)
    d[i] = gemm.right(i / n, i % n);
  DrawloomArray output{"D", "f32", d.data(), 2, gemm.dShape};
  auto compare = [&](std::vector<DrawloomArray> outputs) {
    DrawloomBytes bytes = {};
    std::string said = words(
        drawloomCompare(program.get(), nullptr, arrays.data(), arrays.size(),
                        outputs.data(), outputs.size(), &bytes));
    return said.empty() ? take(bytes) : said;
  };
  auto expectIn = [](const std::string &text, const char *part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expectIn(compare({output}), "\"matches\":true");
  d[5] += 1;
  std::string report = compare({output});
  expectIn(report, "\"matches\":false");
  expectIn(report, "\"out_of_bound\":1");
  expectIn(report, "D[0, 5] is ");
  expectIn(compare({}), "@gemm writes 'D', which is not among the outputs");
  expectIn(compare({output, arrays[0]}), "@gemm doesn't write 'A'");
  expectIn(compare({output, output}), "'D' is given twice [argument]");
  int64_t narrower[2] = {m, n - 8};
  output.shape = narrower;
  expectIn(compare({output}), "dimension 1 of 'D' is 16");
}

TEST(DrawloomCRun, ComparesWhatHasNoRoomForErrors) {
  Program program;
  ASSERT_EQ(words(compile(R"(
tile.kernel @copy(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) {
  tile.for_each (%m, %n) tiles [64, 64] of %y : !tile.view<?x?xf32> {
    %t = tile.load %x[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    tile.store %t, %y[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}
)",
                          forArch("sm_90a"), program)),
            "");
  float x[] = {1, 2, 3, 4}, y[] = {1, 2, 3, 5};
  int64_t shape[] = {1, 4};
  DrawloomArray given{"x", "f32", x, 2, shape}, made{"y", "f32", y, 2, shape};
  DrawloomBytes bytes = {};
  ASSERT_EQ(words(drawloomCompare(program.get(), nullptr, &given, 1, &made, 1,
                                  &bytes)),
            "");
  std::string report = take(bytes);
  EXPECT_NE(report.find("\"largestShare\":null"), std::string::npos) << report;
  EXPECT_NE(report.find("y[0, 3] is 5; right is 4\""), std::string::npos)
      << report;
}

TEST(DrawloomCRun, ThreadsTakeTurns) {
  // For both devices, of which a process has one at a time.
  Gemm gemm;
  Program hopper = compileGemm("sm_90a"), blackwell = compileGemm("sm_100a");
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i)
    threads.emplace_back([&, i] {
      Result result;
      EXPECT_EQ(words(run(i % 2 ? hopper : blackwell, gemm.arrays(), result)),
                "");
      if (result)
        expectRight(gemm, result);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(DrawloomCRun, IsRightAfterAnError) {
  Gemm gemm;
  Result result;
  Options options;
  options.order = "backwards";
  EXPECT_NE(words(run(compileGemm(), gemm.arrays(), result, options)), "");
  ASSERT_EQ(words(run(compileGemm(), gemm.arrays(), result)), "");
  expectRight(gemm, result);
}

TEST(DrawloomCRun, ArraysThatDontFit) {
  Gemm gemm;
  Result result;
  Program program = compileGemm();
  std::vector<DrawloomArray> arrays = gemm.arrays();
  EXPECT_SAYS(run(program, {arrays[0]}, result),
              "@gemm reads 'B', which is not given [argument]");
  EXPECT_SAYS(run(program, {arrays[0], arrays[1], arrays[0]}, result),
              "'A' is given twice [argument]");
  auto change = [&](auto edit) {
    std::vector<DrawloomArray> changed = gemm.arrays();
    edit(changed[1]);
    return run(program, changed, result);
  };
  int64_t shape[3] = {n, k + 8, 1}, negative[2] = {-1, k};
  std::vector<uint16_t> longer(n * (k + 8));
  EXPECT_SAYS(change([](DrawloomArray &b) { b.type = "f16"; }),
              "'B' has elements of bf16, not f16");
  EXPECT_SAYS(change([](DrawloomArray &b) { b.type = "decimal"; }),
              "'B': there are no elements of decimal [argument]");
  EXPECT_SAYS(change([&](DrawloomArray &b) {
                b.rank = 3;
                b.shape = shape;
                b.data = longer.data();
              }),
              "'B' has 2 dimensions, not 3");
  EXPECT_SAYS(change([&](DrawloomArray &b) { b.shape = negative; }),
              "'B' has a size below 0, or more than");
  EXPECT_SAYS(change([&](DrawloomArray &b) {
                b.shape = shape;
                b.data = longer.data();
              }),
              "dimension 1 of 'B' is 40, but the program walks it together "
              "with dimension 1 of 'A', which makes it 32");
  EXPECT_SAYS(change([](DrawloomArray &b) { b.data = nullptr; }),
              "'B' has no elements [argument]");
  float number = 1;
  arrays.push_back({"E", "f32", &number, 0, nullptr});
  EXPECT_SAYS(run(program, arrays, result),
              "@gemm has no argument 'E', only A, B, D");
}

TEST(DrawloomCRun, SizesThatFollowFromNothing) {
  // A program that reads only the first row of x doesn't determine D's columns.
  Program program;
  ASSERT_EQ(words(compile(R"(
tile.kernel @fill(%x: !tile.view<?xf32>, %D: !tile.view<?x?xf32>) {
  tile.for_each (%m, %n) tiles [64, 64] of %D : !tile.view<?x?xf32> {
    %a = tile.load %x[%n] : !tile.view<?xf32> -> tensor<64xf32>
    %e = tile.expand_dims %a axis 0 : tensor<64xf32> -> tensor<1x64xf32>
    %b = tile.broadcast %e : tensor<1x64xf32> -> tensor<64x64xf32>
    tile.store %b, %D[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}
)",
                          forArch("sm_90a"), program)),
            "");
  Result result;
  std::vector<float> x(64, 1);
  int64_t shape[] = {64};
  EXPECT_SAYS(run(program, {{"x", "f32", x.data(), 1, shape}}, result),
              "dimension 0 of 'D' follows from no array that was given; give "
              "this one, too");
}

TEST(DrawloomCRun, RandomNumbersOfASeed) {
  Gemm gemm;
  Program program = compileGemm();
  Options options;
  options.random = 1;
  options.compare = 1;
  int64_t sizes[2] = {m, -1};
  std::vector<DrawloomArray> arrays = {{"A", "bf16", nullptr, 2, sizes},
                                       gemm.arrays()[1]};
  auto bytes = [&](uint64_t seed) {
    options.seed = seed;
    Result result;
    EXPECT_EQ(words(run(program, arrays, result, options)), "");
    DrawloomArray d = drawloomResultAt(result.get(), 0);
    EXPECT_EQ(d.shape[0], m);
    EXPECT_EQ(d.shape[1], n);
    EXPECT_NE(std::string(drawloomResultReport(result.get()))
                  .find("\"matches\":true"),
              std::string::npos);
    return std::string(static_cast<const char *>(d.data), 4 * m * n);
  };
  std::string first = bytes(7);
  EXPECT_EQ(first, bytes(7));
  EXPECT_NE(first, bytes(8));

  Result result;
  int64_t three[3] = {m, n, k};
  EXPECT_SAYS(run(program, {{"A", "bf16", nullptr, 3, three}}, result, options),
              "the shape: 'A' has 2 dimensions, not 3");
  EXPECT_SAYS(run(program, {{"E", "bf16", nullptr, 2, sizes}}, result, options),
              "the shape: @gemm has no argument 'E', only A, B, D");
}

TEST(DrawloomCRun, WhatCantBeAsked) {
  Gemm gemm;
  Result result;
  Program plan;
  DrawloomCompileOptions toPlan = forArch("sm_90a");
  toPlan.stage = "plan";
  ASSERT_EQ(words(compile(readExample("gemm.mlir"), toPlan, plan)), "");
  EXPECT_SAYS(run(plan, gemm.arrays(), result),
              "'program' was compiled to plan, and a run needs PTX [argument]");
  Options options;
  options.device = "cuda";
  options.check = "default";
  EXPECT_SAYS(
      run(compileGemm(), gemm.arrays(), result, options),
      "orders and checks need an emulated device, not cuda [api-argument]");
  options.device = nullptr;
  setenv("TMPDIR", "/nowhere", 1);
  EXPECT_SAYS(run(compileGemm(), gemm.arrays(), result, options),
              "cannot make a file for the plan: ");
  unsetenv("TMPDIR");
}

//===----------------------------------------------------------------------===//
// What callers give
//===----------------------------------------------------------------------===//

TEST(RunMisuse, Null) {
  Program program = compileGemm();
  DrawloomResult *result = nullptr;
  EXPECT_SAYS(drawloomRun(nullptr, nullptr, 0, nullptr, &result),
              "the argument 'program' is null [api-argument]");
  EXPECT_SAYS(drawloomRun(program.get(), nullptr, 0, nullptr, nullptr),
              "the argument 'result' is null [api-argument]");
  EXPECT_SAYS(drawloomRun(program.get(), nullptr, 2, nullptr, &result),
              "there are 2 arrays, and they are null [argument]");
  DrawloomBytes bytes;
  EXPECT_SAYS(drawloomCompare(nullptr, nullptr, nullptr, 0, nullptr, 0, &bytes),
              "the argument 'program' is null [api-argument]");
  EXPECT_SAYS(
      drawloomCompare(program.get(), nullptr, nullptr, 0, nullptr, 0, nullptr),
      "the argument 'comparison' is null [api-argument]");
  EXPECT_SAYS(
      drawloomCompare(program.get(), nullptr, nullptr, 1, nullptr, 0, &bytes),
      "there are 1 arrays, and they are null [argument]");
  EXPECT_EQ(drawloomResultCount(nullptr), 0u);
  EXPECT_EQ(drawloomResultAt(nullptr, 0).name, nullptr);
  EXPECT_STREQ(drawloomResultReport(nullptr), "");
  drawloomResultDestroy(nullptr);
}

TEST(RunMisuse, Options) {
  Program program = compileGemm();
  Gemm gemm;
  auto says = [&](void (*change)(Options &)) {
    Options options;
    change(options);
    Result result;
    return words(run(program, gemm.arrays(), result, options));
  };
  EXPECT_EQ(says([](Options &o) { o.structSize = 0; }),
            "structSize of DrawloomRunOptions is 0; it is "
            "sizeof(DrawloomRunOptions), " +
                std::to_string(sizeof(DrawloomRunOptions)));
  EXPECT_EQ(says([](Options &o) { o.sms = -1; }),
            "sms is 4294967295; an emulated device has from 1 to 1024 SMs "
            "[api-argument]");
  EXPECT_EQ(says([](Options &o) { o.device = "b300"; }),
            "there are the emulated devices h100 and b200, and cuda, a GPU of "
            "this machine, and no 'b300'; did you mean 'b200'? [api-argument]");
  EXPECT_EQ(says([](Options &o) { o.check = "stict"; }),
            "check is 'default' or 'strict', and not 'stict'; did you mean "
            "'strict'? [api-argument]");
  EXPECT_EQ(says([](Options &o) { o.order = "randon:1"; }).substr(0, 26),
            "unknown order 'randon:1'; ");
  EXPECT_EQ(says([](Options &o) { o.order = "\xff"; }),
            "the order is not UTF-8 at byte 0 [api-argument]");
  EXPECT_EQ(says([](Options &o) { o.kernel = "a\xc3"; }),
            "the kernel is not UTF-8 at byte 1 [api-argument]");
  EXPECT_EQ(says([](Options &o) {}), "");
}

TEST(RunMisuse, Arrays) {
  Program program = compileGemm();
  Gemm gemm;
  auto says = [&](void (*change)(DrawloomArray &), bool isRandom = false) {
    std::vector<DrawloomArray> arrays = gemm.arrays();
    change(arrays.front());
    Options options;
    options.random = isRandom;
    Result result;
    return words(run(program, arrays, result, options));
  };
  EXPECT_EQ(says([](DrawloomArray &a) { a.name = nullptr; }),
            "the argument 'name of an array' is null [api-argument]");
  EXPECT_EQ(says([](DrawloomArray &a) { a.name = "\xff"; }),
            "the name is not UTF-8 at byte 0 [api-argument]");
  EXPECT_EQ(says([](DrawloomArray &a) { a.type = nullptr; }),
            "'A': there are no elements of  [argument]");
  EXPECT_EQ(says([](DrawloomArray &a) { a.rank = size_t(1) << 60; }),
            "'A' has 1152921504606846976 dimensions, and a tensor has at most "
            "32 [api-argument]");
  EXPECT_EQ(says([](DrawloomArray &a) { a.shape = nullptr; }),
            "'A' has 2 dimensions and no shape [api-argument]");
  EXPECT_EQ(says([](DrawloomArray &a) { a.data = nullptr; }),
            "'A' has no elements [argument]");
  for (void (*change)(DrawloomArray &) :
       {+[](DrawloomArray &a) {
          static const int64_t negative[] = {-2, 32};
          a.shape = negative;
        },
        +[](DrawloomArray &a) {
          static const int64_t huge[] = {INT64_MAX, INT64_MAX};
          a.shape = huge;
        }})
    EXPECT_NE(says(change).find("'A' has a size below 0, or more than"),
              std::string::npos);
  EXPECT_EQ(says(
                [](DrawloomArray &a) {
                  static const int64_t below[] = {-2, 32};
                  a.data = nullptr;
                  a.shape = below;
                },
                true),
            "'A' has a size below -1, which leaves it open [argument]");
}

namespace {
/// Says yes the nth time.
struct Countdown {
  int left;
  static int ask(void *data) {
    return static_cast<Countdown *>(data)->left-- <= 0;
  }
};
} // namespace

TEST(RunInterrupted, StopsAndRunsAgain) {
  Program program = compileGemm();
  Gemm gemm;
  Options options;
  options.compare = 1;
  Result result;
  Countdown now = {0};
  drawloomSetInterrupted(Countdown::ask, &now);
  EXPECT_EQ(words(run(program, gemm.arrays(), result, options)),
            "interrupted [interrupted]");
  EXPECT_EQ(result, nullptr);
  Countdown never = {1 << 30};
  drawloomSetInterrupted(Countdown::ask, &never);
  EXPECT_EQ(words(run(program, gemm.arrays(), result, options)), "");
  expectRight(gemm, result);
  drawloomSetInterrupted(nullptr, nullptr);
  EXPECT_EQ(words(run(program, gemm.arrays(), result, options)), "");
}

TEST(RunInterrupted, IsOfTheThreadThatAsks) {
  Program program = compileGemm();
  Gemm gemm;
  Countdown now = {0};
  drawloomSetInterrupted(Countdown::ask, &now);
  std::string said = "not run";
  std::thread other([&] {
    Result result;
    said = words(run(program, gemm.arrays(), result));
  });
  other.join();
  drawloomSetInterrupted(nullptr, nullptr);
  EXPECT_EQ(said, "");
}
