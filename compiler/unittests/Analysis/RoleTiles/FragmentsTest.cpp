//===- FragmentsTest.cpp - Fragments against the PTX ISA's formulas -------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The instructions' fragments stand here a second time, as the
// formulas of the PTX ISA, and compared place by place. What code computes from
// Offsets is compared with the layouts themselves, for every thread.

#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "gtest/gtest.h"
#include <set>

using namespace drawloom;
using namespace drawloom::plan;
using tile::Layout;

namespace {

template <typename T>
T valid(llvm::Expected<T> value) {
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    abort();
  }
  return std::move(*value);
}

void forEachPlace(
    const Layout &layout,
    llvm::function_ref<void(int64_t number, int64_t lane, int64_t warp)>
        visit) {
  for (int64_t warp = 0; warp < layout.getInputSize(inWarp); ++warp)
    for (int64_t lane = 0; lane < layout.getInputSize(inLane); ++lane)
      for (int64_t number = 0; number < layout.getInputSize(inRegister);
           ++number)
        visit(number, lane, warp);
}

using Coordinates = llvm::SmallVector<int64_t>;

TEST(Fragments, RowsAreWhatTcgen05LdGives) {
  Layout layout = valid(Fragments::rows(4).getLayout({128, 96}));
  EXPECT_EQ(layout.getInputSize(inRegister), 96);
  EXPECT_TRUE(layout.isOnto());
  EXPECT_TRUE(layout.isInjective());
  forEachPlace(layout, [&](int64_t number, int64_t lane, int64_t warp) {
    EXPECT_EQ(layout.apply({number, lane, warp}),
              (Coordinates{32 * warp + lane, number}));
  });
}

TEST(Fragments, HalfRowsAreWhatTcgen05LdGivesOfTwoColumnRanges) {
  // 64 rows: 16 in a warp, and its other lanes have the next 8 columns.
  Layout layout = valid(Fragments::halfRows(4).getLayout({64, 96}));
  EXPECT_EQ(layout.getInputSize(inRegister), 48);
  EXPECT_TRUE(layout.isOnto());
  EXPECT_TRUE(layout.isInjective());
  forEachPlace(layout, [&](int64_t number, int64_t lane, int64_t warp) {
    EXPECT_EQ(layout.apply({number, lane, warp}),
              (Coordinates{16 * warp + lane % 16,
                           number / 8 * 16 + lane / 16 * 8 + number % 8}));
  });
}

TEST(Fragments, TwoHalvesOfRows) {
  // 256 rows on four warps: the second half is in the upper registers.
  Layout layout = valid(Fragments::rows(4).getLayout({256, 8}));
  EXPECT_EQ(layout.apply({8 + 3, 5, 1}), (Coordinates{128 + 37, 3}));
  // On eight warps it is in the second group.
  layout = valid(Fragments::rows(8).getLayout({256, 8}));
  EXPECT_EQ(layout.apply({3, 5, 5}), (Coordinates{128 + 37, 3}));
}

TEST(Fragments, GroupsShareColumns) {
  EXPECT_EQ(Fragments::countSharing(4, 1), 1);
  EXPECT_EQ(Fragments::countSharing(8, 1), 2);
  EXPECT_EQ(Fragments::countSharing(8, 2), 1);
  EXPECT_EQ(Fragments::countSharing(16, 2), 2);
  EXPECT_EQ(Fragments::countSharing(12, 2), 3);
  // 32 columns in turn, and a part has the layout that it would have alone.
  Layout layout = valid(Fragments::rows(8, 2).getLayout({128, 256}));
  EXPECT_EQ(layout.getInputSize(inRegister), 128);
  EXPECT_TRUE(layout.isInjective());
  EXPECT_TRUE(layout.isOnto());
  EXPECT_EQ(layout.apply({3, 5, 1}), (Coordinates{37, 3}));
  EXPECT_EQ(layout.apply({3, 5, 5}), (Coordinates{37, 35}));
  EXPECT_EQ(layout.apply({32 + 3, 5, 5}), (Coordinates{37, 64 + 35}));
  // Columns that two groups can't share are in both.
  layout = valid(Fragments::rows(8, 2).getLayout({128, 96}));
  EXPECT_EQ(layout.getInputSize(inRegister), 96);
  EXPECT_EQ(layout.apply({95, 5, 5}), (Coordinates{37, 95}));
  layout = valid(Fragments::halfRows(8, 2).getLayout({64, 128}));
  EXPECT_EQ(layout.getInputSize(inRegister), 32);
  EXPECT_EQ(layout.apply({3, 21, 5}), (Coordinates{21, 16 + 8 + 3}));
}

TEST(Fragments, WgmmaIsMatrixD) {
  for (int64_t columns : {8, 24, 64, 256})
    for (int64_t groups : {1, 2}) {
      Layout layout =
          valid(Fragments::wgmma(4 * groups).getLayout({64 * groups, columns}));
      EXPECT_EQ(layout.getInputSize(inRegister), columns / 2);
      EXPECT_TRUE(layout.isOnto());
      EXPECT_TRUE(layout.isInjective());
      forEachPlace(layout, [&](int64_t i, int64_t lane, int64_t warp) {
        int64_t row =
            64 * (warp / 4) + 16 * (warp % 4) + lane / 4 + 8 * (i % 4 / 2);
        int64_t column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
        EXPECT_EQ(layout.apply({i, lane, warp}), (Coordinates{row, column}));
      });
    }
}

TEST(Fragments, BlockedCoversEachElementOnce) {
  struct Case {
    int64_t warps, rows, columns, chunk;
  };
  for (Case c : {Case{4, 8, 1024, 8}, Case{4, 128, 64, 8}, Case{8, 64, 192, 4},
                 Case{12, 96, 128, 8}, Case{1, 32, 32, 16}}) {
    Layout layout =
        valid(Fragments::blocked(c.warps, c.rows, c.columns, c.chunk)
                  .getLayout({c.rows, c.columns}));
    EXPECT_TRUE(layout.isOnto());
    EXPECT_TRUE(layout.isInjective());
    std::set<std::pair<int64_t, int64_t>> seen;
    forEachPlace(layout, [&](int64_t number, int64_t lane, int64_t warp) {
      Coordinates at = layout.apply({number, lane, warp});
      seen.insert({at[0], at[1]});
      // A chunk is next to each other.
      if (number % c.chunk)
        EXPECT_EQ(at[1], layout.apply({number - 1, lane, warp})[1] + 1);
    });
    EXPECT_EQ(int64_t(seen.size()), c.rows * c.columns);
  }
}

TEST(Fragments, BlockedPutsNeighborsOnLanes) {
  Layout layout = valid(Fragments::blocked(4, 8, 1024, 8).getLayout({8, 1024}));
  EXPECT_EQ(layout.apply({0, 1, 0}), (Coordinates{0, 8}));
  EXPECT_EQ(layout.apply({0, 0, 1}), (Coordinates{1, 0}));
  EXPECT_EQ(layout.apply({8, 0, 0}), (Coordinates{0, 256}));
  EXPECT_EQ(layout.apply({32, 0, 0}), (Coordinates{4, 0}));
}

/// A vector has the coordinate that the tile with this axis has there.
TEST(Fragments, VectorsAreSlices) {
  const int64_t rows = 128, columns = 64;
  for (const Fragments &family : {Fragments::rows(4), Fragments::wgmma(8),
                                  Fragments::blocked(4, rows, columns, 8)}) {
    Layout whole = valid(family.getLayout({rows, columns}));
    for (unsigned axis : {0, 1}) {
      Layout vector = valid(family.getLayout({axis ? columns : rows}, axis));
      EXPECT_TRUE(vector.isOnto());
      // Each element of the tile is in a thread that has the vector's element.
      forEachPlace(whole, [&](int64_t number, int64_t lane, int64_t warp) {
        int64_t wanted = whole.apply({number, lane, warp})[axis];
        bool has = false;
        for (int64_t i = 0; i < vector.getInputSize(inRegister); ++i)
          has |= vector.apply({i, lane, warp})[0] == wanted;
        EXPECT_TRUE(has);
      });
      // A size of one is the same vector.
      Layout column = valid(axis ? family.getLayout({1, columns})
                                 : family.getLayout({rows, 1}));
      forEachPlace(vector, [&](int64_t number, int64_t lane, int64_t warp) {
        EXPECT_EQ(vector.apply({number, lane, warp})[0],
                  column.apply({number, lane, warp})[axis]);
      });
    }
  }
}

TEST(Fragments, RejectsRanks) {
  llvm::Expected<Layout> layout = Fragments::rows(4).getLayout({2, 128, 8});
  ASSERT_FALSE(layout);
  EXPECT_EQ(llvm::toString(layout.takeError()),
            "a tile of rank 3 has no layout in registers: ranks are one and "
            "two");
}

TEST(Fragments, RejectsThreeWarpGroupsOnTwo) {
  llvm::Expected<Layout> layout = Fragments::rows(12).getLayout({256, 8});
  ASSERT_FALSE(layout);
  EXPECT_EQ(llvm::toString(layout.takeError()),
            "12 warps cannot share 256 rows: neither is a multiple of 3");
}

/// A tile in shared memory.
struct Panels {
  int64_t rows, width, panels, bytes;
  bool swizzled = true;

  int64_t columns() const { return width / bytes * panels; }

  /// The address of an element: panels one behind the other and, as the swizzle
  /// is stated, the number of a chunk of 16 bytes, XOR that of the 128 bytes
  /// that the chunk is in.
  int64_t getAddress(int64_t row, int64_t column) const {
    int64_t perPanel = width / bytes;
    int64_t address = column / perPanel * rows * width + row * width +
                      column % perPanel * bytes;
    return swizzled ? address ^ ((address / 128 % (width / 16)) * 16) : address;
  }
};

/// Checks that each thread finds its registers' elements where they are.
void checkOffsets(const Panels &tile, const Fragments &family) {
  Layout shared = valid(getPanelLayout(tile.rows, tile.width / tile.bytes,
                                       tile.panels, tile.bytes, tile.swizzled));
  Layout fragment = valid(family.getLayout({tile.rows, tile.columns()}));
  Layout place = valid(fragment.compose(valid(shared.invert())));
  Offsets offsets = valid(Offsets::get(place, 0, tile.bytes));
  forEachPlace(fragment, [&](int64_t number, int64_t lane, int64_t warp) {
    Coordinates at = fragment.apply({number, lane, warp});
    ASSERT_EQ(offsets.evaluate(number, lane, warp),
              tile.getAddress(at[0], at[1]));
  });
  // Runs have each register once, and are next to each other for each thread.
  std::set<int64_t> seen;
  for (auto &run : offsets.getRuns(16 / tile.bytes))
    for (auto [index, number] : llvm::enumerate(run)) {
      seen.insert(number);
      for (int64_t lane : {0, 7, 31})
        EXPECT_EQ(offsets.evaluate(number, lane, 1),
                  offsets.evaluate(run[0], lane, 1) +
                      int64_t(index) * tile.bytes);
    }
  EXPECT_EQ(int64_t(seen.size()), fragment.getInputSize(inRegister));
}

TEST(Offsets, SharedMemoryByEveryFamily) {
  for (Panels tile :
       {Panels{128, 128, 1, 2}, Panels{128, 64, 1, 2}, Panels{128, 32, 1, 2},
        Panels{128, 128, 2, 4}, Panels{64, 128, 3, 2}, Panels{192, 128, 1, 1},
        Panels{8, 128, 16, 2}, Panels{4, 128, 2, 2}})
    for (const Fragments &family :
         {Fragments::rows(4), Fragments::wgmma(4), Fragments::wgmma(8),
          Fragments::blocked(4, tile.rows, tile.columns(), 16 / tile.bytes)})
      checkOffsets(tile, family);
}

TEST(Offsets, PlainPanels) {
  // Rows that no swizzle fits: few of them, or of an odd number of 16 bytes.
  for (Panels tile :
       {Panels{4, 1024, 4, 4, false}, Panels{128, 48, 1, 2, false},
        Panels{64, 80, 1, 2, false}, Panels{1024, 16, 1, 1, false}})
    checkOffsets(tile, Fragments::blocked(4, tile.rows, tile.columns(),
                                          16 / tile.bytes));
}

TEST(Offsets, RunsAreAsWideAsTheFamilyAllows) {
  Layout shared =
      valid(valid(getPanelLayout(128, 64, 1, 2, /*swizzled=*/true)).invert());
  auto width = [&](const Fragments &family) {
    Layout fragment = valid(family.getLayout({128, 64}));
    return valid(Offsets::get(valid(fragment.compose(shared)), 0, 2))
        .getRuns(8)[0]
        .size();
  };
  EXPECT_EQ(width(Fragments::rows(4)), 8u);
  EXPECT_EQ(width(Fragments::blocked(4, 128, 64, 8)), 8u);
  EXPECT_EQ(width(Fragments::wgmma(4)), 2u);
}

TEST(Offsets, SumsAreMerged) {
  // 12 warps on 384 rows: one quotient for all digits of the warp.
  Layout layout = valid(Fragments::rows(12).getLayout({384, 4}));
  Offsets rows = valid(Offsets::get(layout, 0));
  forEachPlace(layout, [&](int64_t number, int64_t lane, int64_t warp) {
    EXPECT_EQ(rows.evaluate(number, lane, warp), 32 * warp + lane);
  });
  EXPECT_LE(rows.getXors().size() + rows.getSums().size(), 3u);
}

} // namespace
