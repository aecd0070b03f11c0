//===- Items.cpp - The stream of a kernel's work tiles --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Items.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

namespace {

class ItemsBuilder {
public:
  ItemsBuilder(Item &item, ArrayRef<int64_t> cluster, OpBuilder &builder)
      : item(item), cluster(cluster), builder(builder),
        loc(item.kernel.getLoc()) {}

  /// Tiles of one loop in each dimension; of the innermost one, those of whole
  /// clusters.
  SmallVector<Value> countTiles(tile::ForEachOp loop, IRMapping &mapping);
  /// The number of items in the loops from `level` on, of which the first has
  /// `tiles`.
  Value count(size_t level, ArrayRef<Value> tiles, IRMapping &mapping);
  /// The offsets of item `number` in the same loops.
  void locate(size_t level, ArrayRef<Value> tiles, Value number,
              IRMapping &mapping, SmallVectorImpl<Value> &offsets);

private:
  /// A constant of the kernel: one that is there, or a new one.
  Value constant(int64_t value);
  Value multiply(ArrayRef<Value> factors);
  /// The row and the column of tile `number` of a plane of tiles, band by band.
  void locateInPlane(Value rows, Value columns, Value number,
                     SmallVectorImpl<Value> &coordinates);
  /// Binds the offsets of tile `number` of a loop.
  void bind(tile::ForEachOp loop, ArrayRef<Value> tiles, Value number,
            IRMapping &mapping);
  /// The CTAs of a cluster along each dimension of a loop.
  SmallVector<int64_t> getCluster(tile::ForEachOp loop);
  /// Takes the place of a CTA in its cluster off a number; nothing if a cluster
  /// has one CTA.
  SmallVector<Value> takePlace(ArrayRef<int64_t> ctas, Value &number);
  /// Repeats what stands between a loop and the one inside it.
  void repeatBetween(size_t level, IRMapping &mapping);

  Item &item;
  ArrayRef<int64_t> cluster;
  OpBuilder &builder;
  Location loc;
};

} // namespace

Value ItemsBuilder::constant(int64_t value) {
  Block &block = item.kernel.getBody().front();
  Operation *front = &block.front();
  for (auto op : block.getOps<arith::ConstantIndexOp>())
    if (op.value() == value &&
        (builder.getBlock() != &block ||
         builder.getInsertionPoint() == block.end() ||
         op->isBeforeInBlock(&*builder.getInsertionPoint())))
      return op;
  OpBuilder atFront(front);
  return arith::ConstantIndexOp::create(atFront, loc, value);
}

SmallVector<int64_t> ItemsBuilder::getCluster(tile::ForEachOp loop) {
  SmallVector<int64_t> ctas(loop.getRank(), 1);
  if (loop == item.nest.back())
    for (auto [size, to] : llvm::zip(cluster, ctas))
      to = size;
  return ctas;
}

SmallVector<Value> ItemsBuilder::countTiles(tile::ForEachOp loop,
                                            IRMapping &mapping) {
  SmallVector<Value> tiles;
  SmallVector<int64_t> ctas = getCluster(loop);
  for (auto [i, tile] : llvm::enumerate(loop.getTiles())) {
    int64_t size = tile * ctas[i];
    Value extent;
    if (Value view = loop.getView())
      extent = builder.createOrFold<tile::DimOp>(loc, builder.getIndexType(),
                                                 mapping.lookupOrDefault(view),
                                                 builder.getI64IntegerAttr(i));
    else
      extent = mapping.lookupOrDefault(Value(loop.getExtents()[i]));
    if (size != 1)
      extent = arith::CeilDivUIOp::create(builder, loc, extent, constant(size));
    tiles.push_back(extent);
  }
  return tiles;
}

Value ItemsBuilder::multiply(ArrayRef<Value> factors) {
  Value product = factors.front();
  for (Value factor : factors.drop_front())
    product = arith::MulIOp::create(builder, loc, product, factor);
  return product;
}

/// Rows of tiles that are walked together.
static constexpr int64_t bandRows = 16;

/// The rest and the quotient of a number, the quotient first.
static std::pair<Value, Value> divide(OpBuilder &builder, Location loc,
                                      Value number, Value by) {
  auto split = affine::AffineDelinearizeIndexOp::create(
      builder, loc, number, ArrayRef<OpFoldResult>{by},
      /*hasOuterBound=*/false);
  return {split.getResult(0), split.getResult(1)};
}

void ItemsBuilder::locateInPlane(Value rows, Value columns, Value number,
                                 SmallVectorImpl<Value> &coordinates) {
  Value band = constant(bandRows);
  Value perBand = arith::MulIOp::create(builder, loc, band, columns);
  auto [bandNumber, inBand] = divide(builder, loc, number, perBand);
  Value first = arith::MulIOp::create(builder, loc, bandNumber, band);
  // The last band may be lower.
  Value left = arith::SubIOp::create(builder, loc, rows, first);
  Value height = arith::MinUIOp::create(builder, loc, left, band);
  auto [column, row] = divide(builder, loc, inBand, height);
  coordinates.push_back(arith::AddIOp::create(builder, loc, first, row));
  coordinates.push_back(column);
}

SmallVector<Value> ItemsBuilder::takePlace(ArrayRef<int64_t> ctas,
                                           Value &number) {
  if (llvm::all_of(ctas, [](int64_t size) { return size == 1; }))
    return {};
  SmallVector<Value> places;
  for (int64_t size : ctas) {
    if (size == 1) {
      places.push_back(nullptr);
      continue;
    }
    auto [rest, place] = divide(builder, loc, number, constant(size));
    places.push_back(place);
    number = rest;
  }
  return places;
}

void ItemsBuilder::bind(tile::ForEachOp loop, ArrayRef<Value> tiles,
                        Value number, IRMapping &mapping) {
  SmallVector<int64_t> ctas = getCluster(loop);
  SmallVector<Value> places = takePlace(ctas, number);
  SmallVector<Value> coordinates{number};
  if (tiles.size() > 1) {
    Value plane = number;
    coordinates.clear();
    if (tiles.size() > 2) {
      SmallVector<Value> basis(tiles.drop_back(2));
      basis.push_back(multiply(tiles.take_back(2)));
      coordinates = affine::AffineDelinearizeIndexOp::create(
                        builder, loc, number, getAsOpFoldResult(basis))
                        .getResults();
      plane = coordinates.pop_back_val();
    }
    locateInPlane(tiles[tiles.size() - 2], tiles.back(), plane, coordinates);
  }
  for (auto [coordinate, place, size] : llvm::zip(coordinates, places, ctas))
    if (place) {
      Value first =
          arith::MulIOp::create(builder, loc, coordinate, constant(size));
      coordinate = arith::AddIOp::create(builder, loc, first, place);
    }
  for (auto [offset, coordinate, size] :
       llvm::zip_equal(loop.getOffsets(), coordinates, loop.getTiles()))
    mapping.map(offset, size == 1
                            ? coordinate
                            : arith::MulIOp::create(builder, loc, coordinate,
                                                    constant(size))
                                  .getResult());
}

void ItemsBuilder::repeatBetween(size_t level, IRMapping &mapping) {
  for (Operation &op : item.nest[level].getBody().front().without_terminator())
    if (!isa<tile::ForEachOp>(op))
      builder.clone(op, mapping);
}

Value ItemsBuilder::count(size_t level, ArrayRef<Value> tiles,
                          IRMapping &mapping) {
  tile::ForEachOp loop = item.nest[level];
  Value total = multiply(tiles);
  if (level + 1 == item.nest.size()) {
    int64_t ctas = 1;
    for (int64_t size : getCluster(loop))
      ctas *= size;
    return ctas == 1
               ? total
               : arith::MulIOp::create(builder, loc, total, constant(ctas))
                     .getResult();
  }
  auto sum = scf::ForOp::create(builder, loc, constant(0), total, constant(1),
                                ValueRange{constant(0)});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(sum.getBody());
  IRMapping inner = mapping;
  bind(loop, tiles, sum.getInductionVar(), inner);
  repeatBetween(level, inner);
  Value more = count(level + 1, countTiles(item.nest[level + 1], inner), inner);
  Value next =
      arith::AddIOp::create(builder, loc, sum.getRegionIterArg(0), more);
  scf::YieldOp::create(builder, loc, next);
  return sum.getResult(0);
}

void ItemsBuilder::locate(size_t level, ArrayRef<Value> tiles, Value number,
                          IRMapping &mapping, SmallVectorImpl<Value> &offsets) {
  tile::ForEachOp loop = item.nest[level];
  if (level + 1 == item.nest.size()) {
    bind(loop, tiles, number, mapping);
    for (Value offset : loop.getOffsets())
      offsets.push_back(mapping.lookup(offset));
    return;
  }
  // Carries the items before this tile, the tile that was found, and the
  // number of the item in it.
  Value zero = constant(0);
  auto search = scf::ForOp::create(builder, loc, zero, multiply(tiles),
                                   constant(1), ValueRange{zero, zero, zero});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(search.getBody());
    IRMapping inner = mapping;
    bind(loop, tiles, search.getInductionVar(), inner);
    repeatBetween(level, inner);
    Value before = search.getRegionIterArg(0);
    Value more =
        count(level + 1, countTiles(item.nest[level + 1], inner), inner);
    Value after = arith::AddIOp::create(builder, loc, before, more);
    Value begun = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                        number, before);
    Value open = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       number, after);
    Value here = arith::AndIOp::create(builder, loc, begun, open);
    Value rest = arith::SubIOp::create(builder, loc, number, before);
    Value tile =
        arith::SelectOp::create(builder, loc, here, search.getInductionVar(),
                                search.getRegionIterArg(1));
    Value inTile = arith::SelectOp::create(builder, loc, here, rest,
                                           search.getRegionIterArg(2));
    scf::YieldOp::create(builder, loc, ValueRange{after, tile, inTile});
  }
  bind(loop, tiles, search.getResult(1), mapping);
  for (Value offset : loop.getOffsets())
    offsets.push_back(mapping.lookup(offset));
  repeatBetween(level, mapping);
  locate(level + 1, countTiles(item.nest[level + 1], mapping),
         search.getResult(2), mapping, offsets);
}

ItemsOp drawloom::agent::makeItems(Item &item, Stream stream,
                                   ArrayRef<int64_t> cluster,
                                   OpBuilder &builder) {
  Location loc = item.kernel.getLoc();
  if (item.nest.empty()) {
    // A kernel without a loop over items is one item, the number of which is
    // all there is to say about it.
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    return ItemsOp::create(
        builder, loc, stream, one, builder.getIndexType(),
        [](OpBuilder &body, Location where, ValueRange number) {
          YieldOp::create(body, where, number);
        });
  }
  IRMapping mapping;
  ItemsBuilder outside(item, cluster, builder);
  SmallVector<Value> tiles = outside.countTiles(item.nest.front(), mapping);
  Value count = outside.count(0, tiles, mapping);
  size_t rank = 0;
  for (tile::ForEachOp loop : item.nest)
    rank += loop.getRank();
  SmallVector<Type> types(rank, builder.getIndexType());
  return ItemsOp::create(
      builder, item.nest.front().getLoc(), stream, count, types,
      [&](OpBuilder &body, Location where, ValueRange number) {
        IRMapping inner;
        SmallVector<Value> offsets;
        ItemsBuilder(item, cluster, body)
            .locate(0, tiles, number.front(), inner, offsets);
        YieldOp::create(body, where, offsets);
      });
}
