//===- MapAttacks.cpp - Tensor maps of drawn fields and bytes -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Campaign.h"
#include "Guard.h"
#include "drawloom/Emulator/LaunchFile.h"
#include "drawloom/Emulator/TensorMap.h"
#include "drawloom/PTX/Parser.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::attacks;
using namespace drawloom::emu;

/// Copies of one tile by a map that the kernel can't know.
static std::string mapKernel() {
  std::string body;
  static const char *const coordinates[] = {"{%c}", "{%c, %c}", "{%c, %c, %c}",
                                            "{%c, %c, %c, %c}",
                                            "{%c, %c, %c, %c, %c}"};
  // The way is chosen by the second parameter: rank and direction.
  unsigned label = 0;
  auto way = [&](const std::string &text) {
    std::string number = std::to_string(label++);
    body += "setp.ne.u64 %p, %way, " + number + ";\n@%p bra N" + number +
            ";\n" + text + "\nN" + number + ":\n";
  };
  for (unsigned rank = 1; rank != 6; ++rank) {
    std::string at = "[%map, " + std::string(coordinates[rank - 1]) + "]";
    std::string d = std::to_string(rank) + "d";
    way("cp.async.bulk.tensor." + d +
        ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [smem], " +
        at + ", [bar];");
    way("cp.async.bulk.tensor." + d + ".global.shared::cta.tile.bulk_group " +
        at + ", [smem];");
    way("cp.reduce.async.bulk.tensor." + d +
        ".global.shared::cta.add.tile.bulk_group " + at + ", [smem];");
    if (rank < 3)
      continue;
    std::string offsets = rank == 3   ? "{0}"
                          : rank == 4 ? "{0, 1}"
                                      : "{0, 1, 1}";
    way("cp.async.bulk.tensor." + d +
        ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes [smem], " +
        at + ", [bar], " + offsets + ";");
  }
  way("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4"
      ".mbarrier::complete_tx::bytes [smem], [%map, {%c, %c, 0, 1, %c}], "
      "[bar];");
  way("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group "
      "[%map, {%c, %c, 0, 1, %c}], [smem];");
  return ".version 8.7 .target sm_100a .address_size 64\n"
         ".visible .entry k(.param .u64 buffer, .param .u64 way, .param .u64 c,"
         " .param .align 64 .b8 map[128]) {\n"
         ".reg .pred %p; .reg .b32 %c; .reg .b64 %map, %way;\n"
         ".shared .align 1024 .b8 smem[65536];\n.shared .align 8 .b64 bar;\n"
         "mbarrier.init.shared.b64 [bar], 1;\n"
         "ld.param.u64 %way, [way];\nld.param.u32 %c, [c];\n"
         "mov.b64 %map, map;\ncvta.param.u64 %map, %map;\n" +
         body +
         "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
         "ret;\n}\n";
}

/// How many ways the kernel has.
static constexpr unsigned mapWays = 5 * 3 + 3 + 2;

namespace {
/// A device with that kernel.
struct MapDevice {
  Watch watch;
  std::unique_ptr<Device> device;
  std::unique_ptr<LoadedModule> module;
  const Kernel *kernel;
  uint64_t buffer;
};
} // namespace

static std::unique_ptr<MapDevice> makeMapDevice(const std::string &text) {
  auto result = std::make_unique<MapDevice>();
  DeviceModel model = *findDeviceModel("b200");
  model.memoryBytes = uint64_t(1) << 30;
  model.smCount = 1;
  result->device = llvm::cantFail(Device::create(model));
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(text, "map.ptx"));
  if (!parsed) {
    llvm::errs() << parsed.str();
    abort();
  }
  result->module =
      llvm::cantFail(result->device->load(std::move(parsed.module)));
  result->kernel = llvm::cantFail(result->module->kernel("k"));
  result->buffer = llvm::cantFail(result->device->memory().allocate(1 << 16));
  return result;
}

template <typename... T>
static uint64_t pick(Random &random, T... values) {
  uint64_t all[] = {uint64_t(values)...};
  return all[random() % sizeof...(values)];
}

static TensorMap drawMap(Random &random, uint64_t address) {
  TensorMap map;
  map.im2col = random() % 4 == 0;
  map.rank = map.im2col ? 3 + random() % 3 : 1 + random() % 5;
  map.type = TensorMapType(random() % 16);
  map.address = address;
  // One in eight numbers is far out.
  bool far = false;
  auto usually = [&](auto... values) {
    far = random() % 8 == 0;
    return pick(random, values...);
  };
  for (unsigned dim = 0; dim != map.rank; ++dim) {
    map.dims[dim] = dim ? usually(1, 2, 4, 16) : usually(16, 128, 256, 64);
    if (far)
      map.dims[dim] = pick(random, uint64_t(1) << 32, 4096, 1, 127);
    map.box[dim] = dim ? usually(1, 2, 4, 8) : usually(16, 32, 64, 128);
    if (far)
      map.box[dim] = pick(random, 256, 128, 1, 17);
    if (map.im2col && dim)
      map.box[dim] = 1;
    map.elementStrides[dim] = pick(random, 1, 1, 1, 1, 1, 1, 2, 8);
    if (!dim)
      continue;
    map.strides[dim - 1] = usually(64, 256, 1024, 0);
    if (far)
      map.strides[dim - 1] =
          pick(random, 4096, 16, uint64_t(1) << 36, (uint64_t(1) << 40) - 32);
  }
  map.swizzle = TensorMapSwizzle(random() % 2 ? 0 : random() % 7);
  map.interleave = TensorMapInterleave(random() % 8 ? 0 : random() % 3);
  map.pixels = pick(random, 1, 64, 1024);
  return map;
}

/// The bytes of a map: half of them as they are, as far as they are right.
static TensorMapBytes drawMapBytes(Random &random, const TensorMap &map,
                                   const Device &device) {
  TensorMapBytes bytes = {};
  if (auto good = encodeTensorMap(map, device.model().target))
    bytes = *good;
  else
    llvm::consumeError(good.takeError());
  if (random() % 2) {
    std::string raw(bytes.begin(), bytes.end());
    for (unsigned flips = 1 + random() % 3; flips; --flips)
      raw[random() % 64] ^= 1 << random() % 8;
    llvm::copy(raw, bytes.begin());
  }
  // Version 1, or nothing is looked at.
  bytes[8] = (bytes[8] & ~0xe) | 2;
  return bytes;
}

/// An instruction that fits the map, or any.
static uint64_t drawWay(Random &random, const TensorMap &map) {
  static constexpr unsigned firstWay[] = {0, 3, 6, 10, 14};
  uint64_t way = firstWay[map.rank - 1] + (map.im2col ? 3 : random() % 3);
  if (map.rank == 2 && random() % 3 == 0)
    way = mapWays - 1 - random() % 2;
  if (random() % 8 == 0)
    way = random() % mapWays;
  return way;
}

bool attacks::attackWithMaps(unsigned count, uint64_t seed) {
  const std::string text = mapKernel();
  return inParts(count, 500, 300, "tensor maps", [&](unsigned number) {
    static std::unique_ptr<MapDevice> prepared = makeMapDevice(text);
    Random random = randomOf(seed, number);
    TensorMap map = drawMap(random, prepared->buffer);
    TensorMapBytes bytes = drawMapBytes(random, map, *prepared->device);
    Launch launch;
    launch.kernel = prepared->kernel;
    launch.grid = launch.block = launch.cluster = {1};
    launch.parameters.resize(prepared->kernel->parameterBytes);
    uint64_t way = drawWay(random, map);
    uint64_t given[] = {
        prepared->buffer, way,
        pick(random, 0, 0, 1, 7, -1, INT32_MAX, INT32_MIN, 268435456)};
    memcpy(launch.parameters.data(), given, sizeof(given));
    memcpy(launch.parameters.data() +
               prepared->kernel->parameters.back().offset,
           bytes.data(), bytes.size());
    RunOptions options;
    options.stepLimit = 10000;
    options.threads = 1;
    arrived() += run(*prepared->device, launch, options).ok();
    return prepared->watch.changed() ? Outcome::Outside : Outcome::Good;
  });
}
