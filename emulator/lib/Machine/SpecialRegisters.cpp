//===- SpecialRegisters.cpp - What a warp starts with --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Grid.h"
#include "Machine/Run.h"
#include "Machine/Warp.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::SpecialRegister;

static uint32_t component(Dim3 value, unsigned index) {
  const uint32_t parts[4] = {value.x, value.y, value.z, 0};
  return parts[index & 3];
}

/// A register that is the same in all lanes of the warp.
static uint64_t uniformValue(Warp &warp, const SpecialInit &init) {
  CTA &cta = warp.cta();
  Cluster &cluster = cta.cluster();
  Grid &grid = cta.grid();
  const Launch &launch = grid.launch();
  const DeviceModel &model = grid.run().device().model();
  switch (init.special) {
  case SpecialRegister::NTid:
    return component(launch.block, init.component);
  case SpecialRegister::WarpId:
    return warp.index();
  case SpecialRegister::NWarpId:
    return model.threadsPerSm / 32;
  case SpecialRegister::CtaId:
    return component(cta.id(), init.component);
  case SpecialRegister::NCtaId:
    return component(launch.grid, init.component);
  case SpecialRegister::SmId:
    return cta.sm().index;
  case SpecialRegister::NSmId:
    return model.smCount;
  case SpecialRegister::GridId:
    return grid.index() + 1;
  case SpecialRegister::ClusterId:
    return component(cluster.id(), init.component);
  case SpecialRegister::NClusterId:
    return component(grid.clusterGrid(), init.component);
  case SpecialRegister::ClusterCtaId: {
    Dim3 id = cta.id();
    return component({id.x % launch.cluster.x, id.y % launch.cluster.y,
                      id.z % launch.cluster.z},
                     init.component);
  }
  case SpecialRegister::ClusterNCtaId:
    return component(launch.cluster, init.component);
  case SpecialRegister::ClusterCtaRank:
    return cta.rank();
  case SpecialRegister::ClusterNCtaRank:
    return cluster.size();
  case SpecialRegister::ReservedSmemEnd:
  case SpecialRegister::ReservedSmemCap:
    return model.sharedReserved;
  case SpecialRegister::TotalSmemSize:
    return cluster.sharedBytes() - model.sharedReserved;
  case SpecialRegister::AggrSmemSize:
    return cluster.sharedBytes();
  case SpecialRegister::EnvReg:
    // The driver defines them; these two are what cooperative groups read.
    return init.component == 1   ? launch.gridWorkspace >> 32
           : init.component == 2 ? uint32_t(launch.gridWorkspace)
                                 : 0;
  case SpecialRegister::DynamicSmemSize:
    return launch.dynamicShared;
  default:
    return 0;
  }
}

/// A component of %tid in 32 lanes, from that of the first one on.
static void setThreads(uint32_t *words, uint32_t first, Dim3 block,
                       unsigned part) {
  Dim3 at = {first % block.x, first / block.x % block.y,
             first / (block.x * block.y)};
  for (unsigned lane = 0; lane != 32; ++lane) {
    words[lane] = component(at, part);
    if (++at.x != block.x)
      continue;
    at.x = 0;
    if (++at.y != block.y)
      continue;
    at.y = 0;
    ++at.z;
  }
}

/// Of a special register that only says which lane it is; none for others.
static std::optional<uint32_t> laneValue(SpecialRegister special,
                                         unsigned lane) {
  switch (special) {
  case SpecialRegister::LaneId:
    return lane;
  case SpecialRegister::LaneMaskEq:
    return 1u << lane;
  case SpecialRegister::LaneMaskLe:
    return ~(~1u << lane);
  case SpecialRegister::LaneMaskLt:
    return (1u << lane) - 1;
  case SpecialRegister::LaneMaskGe:
    return ~0u << lane;
  case SpecialRegister::LaneMaskGt:
    return ~1u << lane;
  default:
    return std::nullopt;
  }
}

void Warp::setRegisters() {
  const Program &program = programField;
  std::fill_n(lanes<uint32_t>(program.sharedBase), 32,
              ctaField.rank() << sharedRankShift);
  std::fill_n(lanes<uint32_t>(program.frameBase), 32, 0);
  std::fill_n(lanes<uint32_t>(program.stackPointer), 32,
              program.functions.front().frameBytes);
  const Launch &launch = ctaField.grid().launch();
  for (const SpecialInit &init : program.specials) {
    const ptx::Type type = ptx::infoOf(init.special).type;
    uint32_t *words = lanes<uint32_t>(init.reg);
    if (type == ptx::Type::Pred) {
      predicate(init.reg) = launch.explicitCluster ? ~0u : 0;
    } else if (init.special == SpecialRegister::Tid) {
      setThreads(words, indexField * 32, launch.block, init.component);
    } else if (laneValue(init.special, 0)) {
      for (unsigned lane = 0; lane != 32; ++lane)
        words[lane] = *laneValue(init.special, lane);
    } else if (ptx::bitsOf(type) == 64) {
      std::fill_n(lanes<uint64_t>(init.reg), 32, uniformValue(*this, init));
    } else {
      std::fill_n(words, 32, uint32_t(uniformValue(*this, init)));
    }
  }
}
