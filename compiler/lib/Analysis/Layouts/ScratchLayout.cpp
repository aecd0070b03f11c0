//===- ScratchLayout.cpp - Shared memory between two layouts -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Layouts/ScratchLayout.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "drawloom/Dialect/Tile/IR/BitSpan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::layouts;
using llvm::ArrayRef;
using llvm::SmallVector;
using tile::BitSpan;
using tile::Layout;

/// PTX accesses 16 bytes of a thread at most; the banks are 32 words of 4.
static constexpr unsigned accessBits = 4, wordBits = 2, banksBits = 7;

namespace {
/// Vectors that are independent of each other.
class Basis {
public:
  explicit Basis(ArrayRef<uint64_t> from = {}) { extend(from, 64); }

  /// Adds those that are new, up to `most` vectors in all.
  void extend(ArrayRef<uint64_t> from, unsigned most) {
    for (uint64_t vector : from)
      if (vectors.size() < most && span.add(vector))
        vectors.push_back(vector);
  }
  ArrayRef<uint64_t> get() const { return vectors; }
  unsigned size() const { return vectors.size(); }

private:
  BitSpan span;
  SmallVector<uint64_t> vectors;
};
} // namespace

/// What the low bits of the offset reach while a turn is served: the elements
/// of an access, then lanes.
static Basis getTurn(const Layout &layout, ArrayRef<uint64_t> access,
                     unsigned lanes, unsigned most) {
  Basis turn(access);
  turn.extend(ArrayRef<uint64_t>(getInputBits(layout, inLane).columns)
                  .take_front(lanes),
              most);
  return turn;
}

llvm::Expected<Layout> layouts::chooseScratch(const Layout &writer,
                                              const Layout &reader,
                                              int64_t elementBytes) {
  auto shape = llvm::map_to_vector(
      writer.getOutputs(),
      [](const Layout::Output &output) { return output.size; });
  for (unsigned out = 0; out < shape.size(); ++out)
    if (writer.getRadix(out) != reader.getRadix(out))
      return Layout::rowMajor("offset", shape);

  unsigned bits = writer.getOutputBits();
  SmallVector<uint64_t> units;
  for (unsigned bit = 0; bit < bits; ++bit)
    units.push_back(uint64_t(1) << bit);

  unsigned elementBits = llvm::Log2_64(elementBytes);
  SmallVector<uint64_t> access =
      tile::intersect(getInputBits(writer, inRegister).columns,
                      getInputBits(reader, inRegister).columns);
  access.truncate(std::min<size_t>(access.size(), accessBits - elementBits));
  unsigned width = elementBits + access.size();
  unsigned lanes = banksBits - std::max(width, wordBits);
  unsigned room = std::min(bits, banksBits - elementBits);

  Basis writes = getTurn(writer, access, lanes, room),
        reads = getTurn(reader, access, lanes, room);
  writes.extend(reads.get(), room);
  writes.extend(units, room);
  reads.extend(writes.get(), room);

  Basis offset(access);
  offset.extend(tile::intersect(writes.get(), reads.get()), room);
  unsigned common = offset.size();
  Basis readsRest(offset.get());
  offset.extend(writes.get(), room);
  readsRest.extend(reads.get(), room);
  for (unsigned bit = common; bit < room; ++bit)
    offset.extend({offset.get()[bit] ^ readsRest.get()[bit]}, bits);
  offset.extend(units, bits);

  Layout::Input input{"offset", {}};
  for (uint64_t vector : offset.get())
    input.digits.push_back({SmallVector<int64_t, 2>(writer.unpack(vector)), 2});
  for (unsigned out = 0; out < shape.size(); ++out) {
    int64_t step = 1;
    for (int64_t count : writer.getRadix(out)) {
      if (count > 2) {
        SmallVector<int64_t, 2> basis(shape.size(), 0);
        basis[out] = step;
        input.digits.push_back({basis, count});
      }
      step *= count;
    }
  }
  return Layout::get({std::move(input)}, writer.getOutputs());
}
