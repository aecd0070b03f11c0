//===- KernelInfoTest.cpp - A kernel's description as JSON ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Runtime/KernelInfo.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace drawloom::runtime;

static constexpr llvm::StringLiteral description = R"json({
  "name": "gemm",
  "target": "sm_100a",
  "threads": 256,
  "cluster": [
    2,
    1,
    1
  ],
  "sharedBytes": 229540,
  "arguments": [
    {
      "name": "A",
      "type": "bf16",
      "shape": [
        -1,
        64
      ],
      "strides": [
        -1,
        1
      ]
    },
    {
      "name": "alpha",
      "type": "f32"
    },
    {
      "name": "n",
      "type": "i64"
    }
  ],
  "parameters": [
    {
      "kind": "tensorMap",
      "argument": 0,
      "box": [
        64,
        128
      ],
      "swizzle": 128
    },
    {
      "kind": "pointer",
      "argument": 0,
      "bytes": 8
    },
    {
      "kind": "size",
      "argument": 0,
      "dimension": 1,
      "bytes": 4
    },
    {
      "kind": "stride",
      "argument": 0,
      "dimension": 0,
      "bytes": 8
    },
    {
      "kind": "scalar",
      "argument": 1,
      "bytes": 4
    },
    {
      "kind": "workspace",
      "bytes": 12
    }
  ],
  "items": {
    "kind": "static",
    "count": [
      {
        "argument": 0,
        "dimension": 0,
        "tile": 128
      },
      {
        "tile": 3
      }
    ]
  },
  "condition": {
    "message": "ceil((dim 0 of A + n) / 64) >= 1",
    "formulas": [
      {
        "message": "ceil((dim 0 of A + n) / 64)",
        "steps": [
          {
            "kind": "size",
            "argument": 0,
            "dimension": 0
          },
          {
            "kind": "scalar",
            "argument": 2
          },
          {
            "kind": "add"
          },
          {
            "kind": "number",
            "value": 64
          },
          {
            "kind": "ceilDiv"
          }
        ]
      }
    ],
    "cases": [
      {
        "bounds": [
          {
            "formula": 0,
            "least": 1,
            "most": 100
          }
        ]
      }
    ]
  }
}
)json";

TEST(KernelInfo, ReadsWhatItWrites) {
  auto kernel = readKernelInfo(description);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  std::string text;
  llvm::raw_string_ostream os(text);
  writeJson(*kernel, os);
  EXPECT_EQ(text, description.str());
  EXPECT_EQ(describe(kernel->arguments[0]), "A: ?x64xbf16, strides [?, 1]");
  EXPECT_EQ(kernel->clusterSize(), 2u);
}

/// The error after `from` in the description became `to`.
static std::string problem(llvm::StringRef from, llvm::StringRef to) {
  std::string text = description.str();
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from.str();
  text.replace(at, from.size(), to);
  auto kernel = readKernelInfo(text);
  if (kernel)
    return "";
  std::string words = llvm::toString(kernel.takeError());
  llvm::StringRef rest = words;
  EXPECT_TRUE(rest.consume_back(" [kernel-description]")) << words;
  return rest.str();
}

TEST(KernelInfo, RejectionsNameTheField) {
  EXPECT_EQ(problem("\"threads\": 256", "\"threads\": 2048"),
            "threads: a whole number from 1 to 1024 is expected");
  EXPECT_EQ(problem("\"threads\"", "\"warps\""), "threads: is missing");
  EXPECT_EQ(problem("\"bf16\"", "\"f4\""),
            "arguments[0].type: 'f4' is not one of " + listElementTypes());
  EXPECT_EQ(problem("\"argument\": 0", "\"argument\": 7"),
            "parameters[0].argument: a whole number from 0 to 2 is expected");
  EXPECT_EQ(problem("\"argument\": 0", "\"argument\": 1"),
            "parameters[0].argument: 'alpha' is a scalar");
  EXPECT_EQ(problem("\"argument\": 1", "\"argument\": 0"),
            "parameters[4].argument: 'A' is no scalar");
  EXPECT_EQ(problem("\"dimension\": 1", "\"dimension\": 2"),
            "parameters[2].dimension: a whole number from 0 to 1 is expected");
  EXPECT_EQ(problem("        64,\n        128\n", "        64\n"),
            "parameters[0].box: 1 numbers for A: ?x64xbf16, strides [?, 1]; "
            "there is one for each dimension, at most 5");
  EXPECT_EQ(problem("\"swizzle\": 128", "\"swizzle\": 100"),
            "parameters[0].swizzle: 0, 32, 64 or 128 is expected");
  EXPECT_EQ(problem("\"swizzle\": 128", "\"swizzle\": 64, \"atom\": 32"),
            "parameters[0].atom: 16 is expected, or 32 for a swizzle of 128");
  EXPECT_EQ(problem("\"bytes\": 8", "\"bytes\": 3"),
            "parameters[1].bytes: 1, 2, 4 or 8 is expected");
  EXPECT_EQ(problem("\"pointer\"", "\"handle\""),
            "parameters[1].kind: 'handle' is not one of tensorMap, pointer, "
            "size, stride, scalar, workspace");
  EXPECT_EQ(problem("\"bytes\": 12", "\"bytes\": 0"),
            "parameters[5].bytes: a whole number from 1 to 1073741824 is "
            "expected");
  EXPECT_EQ(problem("\"bytes\": 12", "\"bytes\": 12, \"argument\": 0"),
            "parameters[5].argument: there is no such field here; the fields "
            "are kind, bytes");
  EXPECT_EQ(problem("\"tile\": 3", "\"tiles\": 3"),
            "items.count[1].tile: is missing");
  EXPECT_EQ(problem("\"kind\": \"static\",\n    \"count\"",
                    "\"kind\": \"one\",\n    \"counts\""),
            "items.count: is missing; a launch has a CTA for each item");
  EXPECT_EQ(problem("\"name\": \"gemm\"", "\"name\": \"gemm\", \"x\": 1"),
            "x: there is no such field here; the fields are name, target, "
            "threads, sharedBytes, cluster, arguments, parameters, items, "
            "condition");
  EXPECT_EQ(problem("        -1,\n        1\n", "        -1\n"),
            "arguments[0].strides: 1 numbers for 2 dimensions");
  EXPECT_EQ(problem("        -1,\n        1\n", "        -2,\n        1\n"),
            "arguments[0].strides[0]: a whole number from -1 to 1099511627776 "
            "is expected");
}

TEST(KernelInfo, RejectionsOfConditions) {
  EXPECT_EQ(problem("\"argument\": 2", "\"argument\": 1"),
            "condition.formulas[0].steps[1].argument: 'alpha' is no integer");
  EXPECT_EQ(problem("\"value\": 64", "\"value\": 0"),
            "condition.formulas[0].steps[4]: divides by what is not a number "
            "from 1 on");
  EXPECT_EQ(problem("\"kind\": \"number\",\n            \"value\": 64",
                    "\"kind\": \"scalar\",\n            \"argument\": 2"),
            "condition.formulas[0].steps[4]: divides by what is not a number "
            "from 1 on");
  EXPECT_EQ(problem("\"kind\": \"scalar\",\n            \"argument\": 2",
                    "\"kind\": \"add\""),
            "condition.formulas[0].steps[1]: takes two numbers, and there are "
            "1");
  EXPECT_EQ(problem("\"kind\": \"add\"", "\"kind\": \"number\", \"value\": 1"),
            "condition.formulas[0].steps: leave 3 numbers, not one");
  EXPECT_EQ(problem("\"formula\": 0", "\"formula\": 1"),
            "condition.cases[0].bounds[0].formula: a whole number from 0 to 0 "
            "is expected");
  EXPECT_EQ(problem("\"formulas\": [", "\"formulas\": [], \"x\": ["),
            "condition.cases[0].bounds[0].formula: the condition has no "
            "formulas");
}

TEST(KernelInfo, SeveralProblemsAreOneError) {
  auto kernel = readKernelInfo(R"({"name": "k", "target": "sm_90a",
      "threads": 1, "arguments": [{"name": "A", "type": "x", "shape": [1]}],
      "parameters": [{"kind": "tensorMap", "argument": 0, "box": [],
                      "swizzle": 0}],
      "items": {"kind": "static"}})");
  EXPECT_EQ(kernel ? "" : llvm::toString(kernel.takeError()),
            "arguments[0].type: 'x' is not one of " + listElementTypes() +
                " [kernel-description]");
}

/// The error of a kernel with these fields.
static std::string problemOf(llvm::StringRef arguments,
                             llvm::StringRef parameters,
                             llvm::StringRef cluster = "[1]") {
  auto kernel = readKernelInfo(
      (R"({"name": "k", "target": "sm_90a", "threads": 1, "cluster": )" +
       cluster + R"(, "arguments": )" + arguments + R"(, "parameters": )" +
       parameters + R"(, "items": {"kind": "static"}})")
          .str());
  return kernel ? "" : llvm::toString(kernel.takeError());
}

TEST(KernelInfo, RejectionsOfShapes) {
  EXPECT_EQ(problem("\"name\": \"gemm\"", "\"name\": 7"),
            "name: a text is expected");
  EXPECT_EQ(problemOf("5", "[]"),
            "arguments: a list, with brackets, of at "
            "most 4096 entries is expected [kernel-description]");
  EXPECT_EQ(problemOf("[]", R"([{"kind": "pointer", "argument": 0}])"),
            "parameters[0].argument: the kernel has no arguments "
            "[kernel-description]");
  EXPECT_EQ(
      problemOf(R"([{"name": "A", "type": "f32", "shape": []}])",
                R"([{"kind": "size", "argument": 0, "dimension": 0}])"),
      "parameters[0].dimension: 'A' has no dimensions [kernel-description]");
  EXPECT_EQ(problemOf("[]", "[]", "[1, 1, 1, 1]"),
            "cluster: one to three numbers are expected [kernel-description]");
}

TEST(KernelInfo, FallbackKernels) {
  auto write = [](llvm::StringRef cluster, llvm::StringRef argument,
                  llvm::StringRef others) {
    return (R"({"name": "k", "target": "sm_90a", "threads": 1, "cluster": )" +
            cluster + R"(, "arguments": [{"name": ")" + argument +
            R"(", "type": "f32"}], "parameters": [], )" + others +
            R"("items": {"kind": "static"}})")
        .str();
  };
  auto read = [&](llvm::StringRef others) {
    return readKernelInfo(
        write("[2]", "A", ("\"fallback\": [" + others + "], ").str()));
  };
  auto problem = [&](llvm::StringRef others) {
    auto kernel = read(others);
    return kernel ? "" : llvm::toString(kernel.takeError());
  };
  std::string one = write("[1]", "A", "");
  auto kernel = read(one);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  ASSERT_EQ(kernel->fallback.size(), 1u);
  EXPECT_EQ(kernel->fallback.front().clusterSize(), 1u);
  std::string text;
  llvm::raw_string_ostream os(text);
  writeJson(*kernel, os);
  auto again = readKernelInfo(text);
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(again->fallback.size(), 1u);

  EXPECT_EQ(problem(one + ", " + one),
            "fallback: one kernel at most is expected [kernel-description]");
  EXPECT_EQ(problem(write("[2]", "A", "")),
            "fallback: smaller clusters than 2 CTAs are expected "
            "[kernel-description]");
  EXPECT_EQ(problem(write("[1]", "B", "")),
            "fallback: the same arguments are expected [kernel-description]");
  EXPECT_EQ(
      problem("7"),
      "fallback[0]: an object, with braces, is expected [kernel-description]");
  EXPECT_EQ(problem(write("[1]", "A", "\"fallback\": [], "))
                .find("fallback[0].fallback: there is no such field here"),
            0u);
}

TEST(KernelInfo, DeepBracketsEndNothing) {
  auto kernel = readKernelInfo(std::string(1 << 20, '['));
  EXPECT_EQ(kernel ? "" : llvm::toString(kernel.takeError()),
            "[1:256, byte=256]: arrays and objects are nested 257 deep here; "
            "the limit is 256");
}
