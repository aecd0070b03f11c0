//===- TensorMemoryTest.cpp - Tensor memory and what moves it -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixReference.h"
#include "Tcgen05Kernel.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::emu;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

namespace {
/// A shape, as CUTLASS's copy_traits_sm100 writes it down: strides in bits of
/// the thread's and of the value's digits, in a tile with `width` bits in each
/// lane.
struct Shape {
  const char *name;
  unsigned registers; ///< For .x1
  unsigned lanes, width;
  std::vector<std::pair<unsigned, unsigned>> thread; ///< Size, stride.
  std::vector<std::pair<unsigned, unsigned>> value;  ///< Of registers.
};
} // namespace

// Strides that depend on the number of repeats are given for .x1; `lane` stands
// for the width of a lane.
static constexpr unsigned lane = 1 << 20;
static const Shape shapes[] = {
    {"32x32b", 1, 32, 32, {{32, lane}}, {}},
    {"16x64b", 1, 16, 64, {{2, 8 * lane}, {2, 32}, {8, lane}}, {}},
    {"16x128b", 2, 16, 128, {{4, 32}, {8, lane}}, {{2, 8 * lane}}},
    {"16x256b", 4, 16, 256, {{4, 64}, {8, lane}}, {{2, 32}, {2, 8 * lane}}},
    {"16x32bx2", 1, 16, 32, {{16, lane}, {2, 0}}, {}},
};

/// Where register r of thread t is: a lane and a column of 32 bits.
static std::pair<unsigned, unsigned> placeOf(const Shape &shape, unsigned t,
                                             unsigned r) {
  unsigned bits = r / shape.registers * shape.width;
  r %= shape.registers;
  for (auto [size, stride] : shape.thread) {
    bits += t % size * stride;
    t /= size;
  }
  for (auto [size, stride] : shape.value) {
    bits += r % size * stride;
    r /= size;
  }
  return {bits / lane, bits % lane / 32};
}

static uint32_t wordAt(unsigned lane, unsigned column) {
  return lane << 20 | column << 4 | 0xf000000a;
}

/// The name of the instruction, the columns of a lane, and what it moves.
struct Form {
  std::string name;
  unsigned registers, columns, split;
  bool packed;
};

static std::vector<Form> formsOf(const Shape &shape, bool isStore) {
  std::vector<Form> forms;
  for (unsigned number = 1; number * shape.registers <= 128; number *= 2)
    for (bool packed : {false, true}) {
      unsigned columns = number * shape.width / 32 * (packed ? 2 : 1);
      bool isSplit = shape.name == std::string("16x32bx2");
      if (columns > 256 || (isSplit && columns > 128))
        continue;
      const char *pack = !packed ? "" : isStore ? ".unpack::16b" : ".pack::16b";
      forms.push_back({formatv("{0}.x{1}{2}", shape.name, number, pack),
                       number * shape.registers, columns, isSplit ? 128u : 0u,
                       packed});
    }
  return forms;
}

/// The columns that a register's bits are in, and its lane.
static void forEachWord(const Shape &shape, const Form &form, unsigned first,
                        llvm::function_ref<void(unsigned thread, unsigned r,
                                                unsigned lane, unsigned column)>
                            visit) {
  for (unsigned thread = 0; thread != 128; ++thread)
    for (unsigned r = 0; r != form.registers; ++r) {
      auto [lane, column] = placeOf(shape, thread % 32, r);
      if (form.packed)
        column *= 2;
      if (thread % 32 >= 16)
        column += form.split;
      visit(thread, r, lane + first + thread / 32 * 32, column);
    }
}

TEST(TensorMemory, EveryLoad) {
  for (const Shape &shape : shapes)
    for (const Form &form : formsOf(shape, false))
      for (unsigned first = 0; first != 32; first += shape.lanes) {
        SCOPED_TRACE(form.name);
        Tcgen05Kernel kernel;
        kernel.body = Tcgen05Kernel::fill(256);
        kernel.body += formatv(
            "  add.s32 %w, %w, {0};\n"
            "  tcgen05.ld.sync.aligned.{1}.b32 {2}, [%w]{3};\n"
            "  tcgen05.wait::ld.sync.aligned;\n"
            "  mul.wide.u32 %rd9, %r1, {4};\n  add.s64 %rd9, %rd9, %rd3;\n",
            first << 16, form.name, Tcgen05Kernel::list(form.registers),
            form.split ? formatv(", {0}", form.split).str() : "",
            4 * form.registers);
        for (unsigned r = 0; r != form.registers; ++r)
          kernel.body +=
              formatv("  st.global.b32 [%rd9+{0}], %x{1};\n", 4 * r, r);
        std::vector<uint32_t> in;
        for (unsigned lane = 0; lane != 128; ++lane)
          for (unsigned column = 0; column != 256; ++column)
            in.push_back(wordAt(lane, column));
        Harness h("b200", kernel.text());
        uint64_t out = h.allocate<uint32_t>(128 * form.registers);
        ASSERT_TRUE(
            h.run("k", {1}, {128}, {h.allocate<char>(16), h.upload(in), out}));
        std::vector<uint32_t> got = h.read<uint32_t>(out, 128 * form.registers);
        unsigned wrong = 0;
        forEachWord(
            shape, form, first,
            [&](unsigned thread, unsigned r, unsigned lane, unsigned column) {
              uint32_t expected = wordAt(lane, column);
              if (form.packed)
                expected = (expected & 0xffff) | wordAt(lane, column + 1) << 16;
              wrong += got[thread * form.registers + r] != expected;
            });
        EXPECT_EQ(wrong, 0u);
      }
}

TEST(TensorMemory, EveryStore) {
  for (const Shape &shape : shapes)
    for (const Form &form : formsOf(shape, true))
      for (unsigned first = 0; first != 32; first += shape.lanes) {
        SCOPED_TRACE(form.name);
        Tcgen05Kernel kernel;
        kernel.body = Tcgen05Kernel::fill(256);
        kernel.body += "  mul.lo.u32 %r12, %r1, 256;\n";
        for (unsigned r = 0; r != form.registers; ++r)
          kernel.body +=
              formatv("  add.s32 %x{0}, %r12, {1};\n", r, 0x12340000 + r);
        kernel.body +=
            formatv("  add.s32 %r13, %w, {0};\n"
                    "  tcgen05.st.sync.aligned.{1}.b32 [%r13], {3}{2};\n"
                    "  tcgen05.wait::st.sync.aligned;\n",
                    first << 16, form.name, Tcgen05Kernel::list(form.registers),
                    form.split ? formatv("{0}, ", form.split).str() : "");
        kernel.body += Tcgen05Kernel::dump(256);
        std::vector<uint32_t> expected;
        for (unsigned lane = 0; lane != 128; ++lane)
          for (unsigned column = 0; column != 256; ++column)
            expected.push_back(wordAt(lane, column));
        Harness h("b200", kernel.text());
        uint64_t out = h.allocate<uint32_t>(128 * 256);
        ASSERT_TRUE(h.run("k", {1}, {128},
                          {h.allocate<char>(16), h.upload(expected), out}));
        forEachWord(
            shape, form, first,
            [&](unsigned thread, unsigned r, unsigned lane, unsigned column) {
              uint32_t word = thread * 256 + 0x12340000 + r;
              expected[lane * 256 + column] =
                  form.packed ? word & 0xffff : word;
              if (form.packed)
                expected[lane * 256 + column + 1] = word >> 16;
            });
        EXPECT_EQ(h.read<uint32_t>(out, 128 * 256), expected);
      }
}

// A register may be used before the wait: a true dependence is respected.
TEST(TensorMemory, RegistersOfALoadCanBeUsed) {
  Tcgen05Kernel kernel;
  kernel.body = Tcgen05Kernel::fill(8) +
                "  tcgen05.ld.sync.aligned.32x32b.x1.b32 {%x0}, [%w+3];\n"
                "  add.s32 %x0, %x0, 1;\n"
                "  mul.wide.u32 %rd9, %r1, 4;\n  add.s64 %rd9, %rd9, %rd3;\n"
                "  st.global.b32 [%rd9], %x0;\n"
                "  tcgen05.wait::ld.sync.aligned;\n";
  std::vector<uint32_t> in(128 * 8), expected(128);
  for (unsigned i = 0; i != in.size(); ++i)
    in[i] = i * 3;
  for (unsigned thread = 0; thread != 128; ++thread)
    expected[thread] = (thread * 8 + 3) * 3 + 1;
  Harness h("b200", kernel.text());
  uint64_t out = h.allocate<uint32_t>(128);
  ASSERT_TRUE(
      h.run("k", {1}, {128}, {h.allocate<char>(16), h.upload(in), out}));
  EXPECT_EQ(h.read<uint32_t>(out, 128), expected);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

TEST(TensorMemory, EveryCopy) {
  struct {
    const char *name;
    unsigned rows, words;
    std::vector<std::vector<unsigned>> warps; ///< Of each 32 rows.
  } forms[] = {{"128x256b", 128, 8, {{0}, {1}, {2}, {3}}},
               {"128x128b", 128, 4, {{0}, {1}, {2}, {3}}},
               {"64x128b.warpx2::02_13", 64, 4, {{0, 2}, {1, 3}}},
               {"64x128b.warpx2::01_23", 64, 4, {{0, 1}, {2, 3}}},
               {"32x128b.warpx4", 32, 4, {{0, 1, 2, 3}}}};
  for (const auto &form : forms) {
    SCOPED_TRACE(form.name);
    // Rows of 32 bytes in the 32-byte swizzle; of 16 bytes without one.
    reference::Layout layout = {form.words == 8 ? 32u : 0u, false};
    std::vector<uint32_t> bits;
    for (unsigned i = 0; i != form.rows * 8; ++i)
      bits.push_back(0x3f800000 + i * 0x2000);
    reference::Matrix source =
        reference::make(reference::Format::TF32, form.rows, 8, bits);
    std::vector<char> image;
    reference::Placement placement = place(source, layout, 0, image);
    Tcgen05Kernel kernel;
    kernel.imageBytes = image.size();
    kernel.body = Tcgen05Kernel::fill(16);
    kernel.body += "  tcgen05.fence::before_thread_sync;\n  bar.sync 0;\n"
                   "  @!%p1 bra issued;\n  tcgen05.fence::after_thread_sync;\n";
    kernel.body +=
        formatv("  add.s64 %rd6, %rd4, {0};\n  add.s32 %r12, %t, 4;\n"
                "  tcgen05.cp.cta_group::1.{1} [%r12], %rd6;\n",
                tcgen05Descriptor(placement, layout, 0), form.name);
    kernel.body += Tcgen05Kernel::commit() + "issued:\n" +
                   Tcgen05Kernel::wait("") + Tcgen05Kernel::dump(16);
    std::vector<uint32_t> expected(128 * 16);
    for (unsigned i = 0; i != expected.size(); ++i)
      expected[i] = i;
    Harness h("b200", kernel.text());
    uint64_t out = h.allocate<uint32_t>(128 * 16);
    ASSERT_TRUE(
        h.run("k", {1}, {128}, {h.upload(image), h.upload(expected), out}));
    for (unsigned row = 0; row != form.rows; ++row)
      for (unsigned warp : form.warps[row / 32])
        for (unsigned word = 0; word != form.words; ++word)
          expected[(warp * 32 + row % 32) * 16 + 4 + word] =
              source.bit(row, word);
    EXPECT_EQ(h.read<uint32_t>(out, 128 * 16), expected);
  }
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

// Two CTAs of one SM, each with all columns: the second waits for the first.
TEST(TensorMemory, AllocationWaits) {
  Tcgen05Kernel kernel;
  kernel.body = Tcgen05Kernel::fill(8) + Tcgen05Kernel::dump(8);
  std::string text = kernel.text();
  for (Policy policy :
       {Policy::Deterministic, Policy::Random, Policy::Adversarial}) {
    Harness h("b200", text);
    DeviceModel model = h.device->model();
    model.smCount = 1;
    h.reload(model, text);
    h.options.policy = policy;
    std::vector<uint32_t> in(128 * 8, 7);
    uint64_t out = h.allocate<uint32_t>(128 * 8);
    ASSERT_TRUE(
        h.run("k", {4}, {128}, {h.allocate<char>(16), h.upload(in), out}));
    EXPECT_EQ(h.read<uint32_t>(out, 128 * 8), in);
  }
}

// What was never written reads as NaN.
TEST(TensorMemory, FreshColumnsAreNaN) {
  Tcgen05Kernel kernel;
  kernel.body = Tcgen05Kernel::dump(8);
  Harness h("b200", kernel.text());
  uint64_t out = h.allocate<uint32_t>(128 * 8);
  ASSERT_TRUE(h.run("k", {1}, {128}, {h.allocate<char>(16), out, out}));
  EXPECT_EQ(h.read<uint32_t>(out, 128 * 8),
            std::vector<uint32_t>(128 * 8, ~0u));
}

static const std::string alloc =
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], ";
static const std::string dealloc =
    "tcgen05.dealloc.cta_group::1.sync.aligned.b32 ";

/// A kernel of one warp whose lines after the first few are `body`.
static std::string failureOfWarp(const std::string &body,
                                 unsigned threads = 32) {
  Harness h("b200", R"(
.visible .entry k() {
  .reg .pred %p<4>;
  .reg .b32 %r<8>, %t;
  .reg .b64 %rd<4>;
  .shared .align 4 .b32 base;
  mov.u32 %r1, %tid.x;
)" + body + "\n  ret;\n}\n");
  return h.fail("k", {1}, {threads}, {});
}

TEST(TensorMemoryMustFail, NotFreed) {
  EXPECT_CONTAINS(
      failureOfWarp(alloc + "64;"),
      "line 8, CTA (0, 0, 0), warp 0, lanes 0-31: the CTA exits and "
      "hasn't freed its tensor memory (tcgen05.dealloc): 64 columns "
      "from column 0 on, allocated here");
}

TEST(TensorMemoryMustFail, AllocationAfterRelinquish) {
  EXPECT_CONTAINS(
      failureOfWarp(alloc +
                    "32;\ntcgen05.relinquish_alloc_permit.cta_group::1"
                    ".sync.aligned;\n" +
                    alloc + "32;"),
      "tcgen05.alloc after tcgen05.relinquish_alloc_permit: the CTA has given "
      "up the right to allocate");
}

TEST(TensorMemoryMustFail, GrowingAllocations) {
  EXPECT_CONTAINS(
      failureOfWarp(alloc + "32;\n" + alloc + "64;"),
      "64 columns after an allocation of 32: the allocations of a CTA "
      "must not grow");
}

TEST(TensorMemoryMustFail, BadNumbersOfColumns) {
  for (unsigned columns : {0, 16, 96, 1024})
    EXPECT_CONTAINS(
        failureOfWarp(formatv("mov.u32 %r2, {0};\n", columns).str() + alloc +
                      "%r2;"),
        formatv("{0} columns; it must be a power of two from 32 to 512",
                columns)
            .str());
}

TEST(TensorMemoryMustFail, ColumnsThatDiffer) {
  EXPECT_CONTAINS(
      failureOfWarp("shl.b32 %r2, 32, %r1;\n" + alloc + "%r2;"),
      "lane 1: the number of columns must be the same in all lanes of "
      "the warp; it is 0x40 here and 0x20 in lane 0");
}

TEST(TensorMemoryMustFail, AllocationWithExitedLanes) {
  EXPECT_CONTAINS(
      failureOfWarp("setp.ge.u32 %p1, %r1, 30;\n@%p1 ret;\n" + alloc + "32;"),
      "needs all 32 lanes of the warp; lanes 30, 31 have exited");
}

TEST(TensorMemoryMustFail, AllocationInDivergentCode) {
  EXPECT_CONTAINS(failureOfWarp("setp.eq.u32 %p1, %r1, 9;\n@%p1 bra away;\n" +
                                alloc + "32;\naway:\nbar.sync 1, 64;\n"),
                  "waits for the other lanes of its warp at 'tcgen05.alloc");
}

TEST(TensorMemoryMustFail, AddressOfAnotherSpace) {
  EXPECT_CONTAINS(
      failureOfWarp("mov.u64 %rd1, 4096;\n"
                    "tcgen05.alloc.cta_group::1.sync.aligned.b32 "
                    "[%rd1], 32;"),
      "writes the address to 0x1000, which isn't in the CTA's shared "
      "memory");
}

TEST(TensorMemoryMustFail, FreeingWhatIsNotAllocated) {
  EXPECT_CONTAINS(
      failureOfWarp(alloc + "64;\nmov.u32 %t, 32;\n" + dealloc + "%t, 32;"),
      "frees column 32, where no allocation starts; the CTA has "
      "allocated 64 columns from column 0 on");
}

TEST(TensorMemoryMustFail, FreeingTwice) {
  EXPECT_CONTAINS(failureOfWarp(alloc + "64;\nmov.u32 %t, 0;\n" + dealloc +
                                "%t, 64;\n" + dealloc + "%t, 64;"),
                  "frees column 0, where no allocation starts; the CTA has "
                  "allocated nothing");
}

TEST(TensorMemoryMustFail, FreeingAnotherSize) {
  EXPECT_CONTAINS(
      failureOfWarp(alloc + "64;\nmov.u32 %t, 0;\n" + dealloc + "%t, 32;"),
      "frees 32 columns from column 0 on: 64 were allocated there");
}

TEST(TensorMemoryMustFail, FreeingAtALane) {
  EXPECT_CONTAINS(
      failureOfWarp(alloc + "64;\nmov.u32 %t, 0x200000;\n" + dealloc +
                    "%t, 64;"),
      "frees lane 32, column 0: an allocation has all lanes and starts "
      "at lane 0");
}

// No CTA frees: the second allocation deadlocks.
TEST(TensorMemoryMustFail, AllocationThatCanNotBe) {
  EXPECT_CONTAINS(
      failureOfWarp(alloc + "512;\n" + alloc + "512;"),
      "waits for 512 of the 512 columns of tensor memory; allocated are "
      "512 columns from column 0 on by CTA (0, 0, 0)");
}
