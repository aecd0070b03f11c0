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
  std::string tileType(const Layout &layout) const;
  std::string bufferType() const;
  /// Registers as a thread has them, and as they are in memory.
  std::string registersType(const Layout &layout) const;
  std::string memoryType(const Layout &layout) const;
  void printAddress(llvm::StringRef result, llvm::StringRef base,
                    const Layout &layout);
  uint64_t alignment(const Layout &layout) const {
    return std::min<uint64_t>(
        16, uint64_t(1) << llvm::countr_zero(
                uint64_t(layout.getInputSize(0) * one.elementBytes)));
  }
  void printShared();
  void printTensor();
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
  return llvm::formatv("!tile.buffer<{0}{1}, {2}, <{3}>>",
                       printShape(*one.buffer), one.element,
                       one.between == Between::Shared ? "smem" : "tmem",
                       printLayout(*one.buffer));
}

std::string KernelPrinter::registersType(const Layout &layout) const {
  bool isShort = llvm::StringRef(one.element).starts_with("f8");
  return llvm::formatv("vector<{0}x{1}>", layout.getInputSize(0),
                       isShort ? "i8" : one.element);
}

std::string KernelPrinter::memoryType(const Layout &layout) const {
  if (one.element != "i1")
    return registersType(layout);
  return llvm::formatv("vector<{0}xi8>", layout.getInputSize(0));
}

void KernelPrinter::printAddress(llvm::StringRef result, llvm::StringRef base,
                                 const Layout &layout) {
  line("%{0}_step = llvm.mlir.constant({1} : i32) : i32", result,
       layout.getInputSize(0) * one.elementBytes);
  line("%{0}_offset = llvm.mul %tid, %{0}_step : i32", result);
  line("%{0} = llvm.getelementptr {1}[%{0}_offset] : (!llvm.ptr<1>, i32) -> "
       "!llvm.ptr<1>, i8",
       result, base);
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
  line("agent.sync cta");
  line("%y = tile.read %buffer[{0}] : {1} -> {2}", offsets(), bufferType(),
       tileType(one.to));
}

void KernelPrinter::printTensor() {
  line("%shared = llvm.mlir.addressof @shared_memory : !llvm.ptr<3>");
  line("%columns = llvm.mlir.constant(512 : i32) : i32");
  line("%warp_threads = llvm.mlir.constant(32 : i32) : i32");
  line("%is_first = llvm.icmp \"ult\" %tid, %warp_threads : i32");
  line("scf.if %is_first {{");
  line("  nvvm.tcgen05.alloc %shared, %columns : !llvm.ptr<3>, i32");
  line("  nvvm.tcgen05.relinquish_alloc_permit");
  line("}");
  line("agent.sync cta");
  line("%address = llvm.load %shared : !llvm.ptr<3> -> i32");
  line("%buffer = builtin.unrealized_conversion_cast %address : i32 to {0}",
       bufferType());
  line("tile.write %x, %buffer[{0}] : {1}, {2}", offsets(), tileType(one.from),
       bufferType());
  line("nvvm.tcgen05.wait <store>");
  line("nvvm.tcgen05.fence <before>");
  line("agent.sync cta");
  line("nvvm.tcgen05.fence <after>");
  line("%y = tile.read %buffer[{0}] : {1} -> {2}", offsets(), bufferType(),
       tileType(one.to));
  line("nvvm.tcgen05.fence <before>");
  line("agent.sync cta");
  line("nvvm.tcgen05.fence <after>");
  line("scf.if %is_first {{");
  line("  %pointer = llvm.inttoptr %address : i32 to !llvm.ptr<6>");
  line("  nvvm.tcgen05.dealloc %pointer, %columns : !llvm.ptr<6>, i32");
  line("}");
}

void KernelPrinter::print(llvm::StringRef name) {
  // The address of tensor memory comes first.
  static constexpr int64_t scratchAt = 1024;
  os << "llvm.func @" << name
     << "(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %given: i32) attributes "
        "{nvvm.kernel, nvvm.reqntid = array<i32: "
     << one.getThreads()
     << ">, agent.scratch = #agent.scratch<offset = " << scratchAt
     << ", bytes = " << kernelSharedBytes - scratchAt
     << ", column = 0, columns = 0>} {\n";
  line("%tid = nvvm.read.ptx.sreg.tid.x : i32");
  line("%at = arith.index_castui %given : i32 to index");
  printAddress("from", "%in", one.from);
  line("%loaded = llvm.load %from {{alignment = {0} : i64} : !llvm.ptr<1> -> "
       "{1}",
       alignment(one.from), memoryType(one.from));
  std::string registers = "%loaded";
  if (one.element == "i1") {
    line("%had = arith.trunci %loaded : {0} to {1}", memoryType(one.from),
         registersType(one.from));
    registers = "%had";
  }
  line("%x = builtin.unrealized_conversion_cast {0} : {1} to {2}", registers,
       registersType(one.from), tileType(one.from));
  switch (one.between) {
  case Between::Nothing:
    line("%y = tile.convert_layout %x : {0} -> {1}", tileType(one.from),
         tileType(one.to));
    break;
  case Between::Shared:
    printShared();
    break;
  case Between::Tensor:
    printTensor();
    break;
  }
  line("%has = builtin.unrealized_conversion_cast %y : {0} to {1}",
       tileType(one.to), registersType(one.to));
  std::string stored = "%has";
  if (one.element == "i1") {
    line("%bytes = arith.extui %has : {0} to {1}", registersType(one.to),
         memoryType(one.to));
    stored = "%bytes";
  }
  printAddress("to", "%out", one.to);
  line("llvm.store {0}, %to {{alignment = {1} : i64} : {2}, !llvm.ptr<1>",
       stored, alignment(one.to), memoryType(one.to));
  line("llvm.return");
  os << "}\n";
}

void drawloom::printKernel(llvm::raw_ostream &os, llvm::StringRef name,
                           const LayoutCase &one) {
  KernelPrinter(os, one).print(name);
}
