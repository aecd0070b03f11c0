//===- Kernel.cpp - A kernel that converts a tile -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using tile::Layout;

namespace {

class KernelPrinter {
public:
  KernelPrinter(llvm::raw_ostream &os, const LayoutCase &one)
      : os(os), one(one) {}

  void print(llvm::StringRef name);

private:
  template <typename... Args>
  void line(const char *format, Args &&...args) {
    os << "  " << llvm::formatv(format, std::forward<Args>(args)...) << '\n';
  }
  /// Elements in memory: a truth value has a byte.
  std::string inMemory() const {
    return one.element == "i1" ? "i8" : one.element;
  }
  std::string tileType(const Layout &layout) const;
  std::string bufferType() const;
  /// The registers of all threads as a tile that has a row for each.
  std::string rowsType(const Layout &layout, llvm::StringRef element) const;
  std::string viewType(const Layout &layout) const;
  void printShared();
  std::string offsets() const;

  llvm::raw_ostream &os;
  const LayoutCase &one;
};

} // namespace

static std::string printShape(const Layout &layout) {
  std::string text;
  for (const Layout::Output &output : layout.getOutputs())
    text += std::to_string(output.size) + "x";
  return text;
}

static std::string printLayout(const Layout &layout) {
  std::string text;
  llvm::raw_string_ostream(text) << layout;
  return text;
}

std::string KernelPrinter::tileType(const Layout &layout) const {
  return llvm::formatv("tensor<{0}{1}, #tile.layout<{2}>>", printShape(layout),
                       one.element, printLayout(layout));
}

std::string KernelPrinter::bufferType() const {
  return llvm::formatv("!tile.buffer<{0}{1}, smem, <{2}>>",
                       printShape(*one.buffer), one.element,
                       printLayout(*one.buffer));
}

std::string KernelPrinter::rowsType(const Layout &layout,
                                    llvm::StringRef element) const {
  int64_t registers = layout.getInputSize(0), threads = one.getThreads();
  auto digits = [](const char *step, int64_t count) -> std::string {
    return count == 1 ? std::string("[]")
                      : llvm::formatv("[[{0}] by {1}]", step, count).str();
  };
  return llvm::formatv(
      "tensor<{0}x{1}x{2}, #tile.layout<{0}x{1}, register = {3}, lane = "
      "[[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {4}>>",
      threads, registers, element, digits("0, 1", registers),
      digits("32, 0", one.warps));
}

std::string KernelPrinter::viewType(const Layout &layout) const {
  return llvm::formatv("!tile.view<{0}x{1}x{2}>", one.getThreads(),
                       layout.getInputSize(0), inMemory());
}

std::string KernelPrinter::offsets() const {
  std::string text;
  for (int64_t offset : one.offsets) {
    text += text.empty() ? "" : ", ";
    text += one.dynamicOffsets && offset ? "%at" : std::to_string(offset);
  }
  return text;
}

void KernelPrinter::printShared() {
  line("%buffer = tile.alloc at(0) : {0}", bufferType());
  line("tile.write %x, %buffer[{0}] : {1}, {2}", offsets(), tileType(one.from),
       bufferType());
  line("agent.sync {0}", one.warps == 1 ? "warp" : "role");
  line("%y = tile.read %buffer[{0}] : {1} -> {2}", offsets(), bufferType(),
       tileType(one.to));
}

void KernelPrinter::print(llvm::StringRef name) {
  os << "tile.kernel @" << name << "(%in: " << viewType(one.from)
     << ", %out: " << viewType(one.to)
     << ", %at: index) attributes {tile.target = \"sm_100a\"} {\n";
  // A CTA has whole warp groups; the warps of the last one may be idle.
  line("agent.switch attributes {{warps = {0} : i64, shared_bytes = {1} : i64} "
       "{{",
       llvm::alignTo(one.warps, 4), kernelSharedBytes);
  line("agent.role @convert warps({0}) at(0) attributes {{scratch = "
       "#agent.scratch<offset = 0, bytes = {1}, column = 0, columns = 0>, "
       "named_barrier = #agent.named_barrier<barrier = 1, parts = 0>} {{",
       one.warps, kernelSharedBytes);
  line("%loaded = tile.load %in[0, 0] : {0} -> {1}", viewType(one.from),
       rowsType(one.from, inMemory()));
  llvm::StringRef had = "%loaded";
  if (one.element == "i1") {
    line("%had = arith.trunci %loaded : {0} to {1}", rowsType(one.from, "i8"),
         rowsType(one.from, "i1"));
    had = "%had";
  }
  // The same registers, and another name for what is in them.
  line("%x = builtin.unrealized_conversion_cast {0} : {1} to {2}", had,
       rowsType(one.from, one.element), tileType(one.from));
  if (one.buffer)
    printShared();
  else
    line("%y = tile.convert_layout %x : {0} -> {1}", tileType(one.from),
         tileType(one.to));
  line("%has = builtin.unrealized_conversion_cast %y : {0} to {1}",
       tileType(one.to), rowsType(one.to, one.element));
  llvm::StringRef stored = "%has";
  if (one.element == "i1") {
    line("%bytes = arith.extui %has : {0} to {1}", rowsType(one.to, "i1"),
         rowsType(one.to, "i8"));
    stored = "%bytes";
  }
  line("tile.store {0}, %out[0, 0] : {1}, {2}", stored,
       rowsType(one.to, inMemory()), viewType(one.to));
  line("}");
  line("}");
  os << "}\n";
}

void drawloom::printKernel(llvm::raw_ostream &os, llvm::StringRef name,
                           const LayoutCase &one) {
  KernelPrinter(os, one).print(name);
}
