//===- MustFail.cpp - Kernels that end in a report ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MustFail.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

namespace {
/// One report that a test looked at.
struct Row {
  std::string test, report;
  bool named;
};

class Table : public testing::Environment {
public:
  static Table &get() {
    // GoogleTest owns it.
    static auto *table =
        static_cast<Table *>(testing::AddGlobalTestEnvironment(new Table));
    return *table;
  }

  void note(const std::string &test, const std::string &report, bool named) {
    for (Row &row : rows)
      if (row.test == test && row.report == report) {
        row.named &= named;
        return;
      }
    rows.push_back({test, report, named});
  }

  void TearDown() override {
    if (rows.empty())
      return;
    unsigned named = 0;
    for (const Row &row : rows) {
      llvm::StringRef report = row.report;
      llvm::outs() << llvm::formatv("{0,-48} {1}\n", row.test,
                                    report.empty() ? "no report" : report);
      named += row.named;
    }
    llvm::outs() << "must-fail: " << rows.size() << " kernels, " << named
                 << " named\n";
    llvm::outs().flush();
  }

private:
  std::vector<Row> rows;
};

// GoogleTest must know it before the first test runs.
[[maybe_unused]] Table &registered = Table::get();
} // namespace

testing::AssertionResult reportContains(const std::string &report,
                                        const std::string &part) {
  bool named = report.find(part) != std::string::npos;
  const testing::TestInfo *test =
      testing::UnitTest::GetInstance()->current_test_info();
  llvm::StringRef suite = test->test_suite_name();
  if (suite.consume_back("MustFail"))
    Table::get().note((suite + ": " + test->name()).str(), report, named);
  if (named)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "'" << part << "' is not in: " << report;
}
