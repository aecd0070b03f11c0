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

void Warp::setRegisters() {
  const Program &program = programField;
  std::fill_n(lanes<uint32_t>(program.sharedBase), 32,
              ctaField.rank() << sharedRankShift);
  std::fill_n(lanes<uint32_t>(program.frameBase), 32, 0);
  std::fill_n(lanes<uint32_t>(program.stackPointer), 32,
              program.functions.front().frameBytes);
  const Dim3 block = ctaField.grid().launch().block;
  for (const SpecialInit &init : program.specials) {
    if (ptx::infoOf(init.special).type == ptx::Type::Pred) {
      predicate(init.reg) = ctaField.grid().launch().explicitCluster ? ~0u : 0;
      continue;
    }
    uint32_t *words = lanes<uint32_t>(init.reg);
    for (unsigned lane = 0; lane != 32; ++lane) {
      uint32_t thread = indexField * 32 + lane;
      switch (init.special) {
      case SpecialRegister::Tid:
        words[lane] = component({thread % block.x, thread / block.x % block.y,
                                 thread / (block.x * block.y)},
                                init.component);
        break;
      case SpecialRegister::LaneId:
        words[lane] = lane;
        break;
      case SpecialRegister::LaneMaskEq:
        words[lane] = 1u << lane;
        break;
      case SpecialRegister::LaneMaskLe:
        words[lane] = ~(~1u << lane);
        break;
      case SpecialRegister::LaneMaskLt:
        words[lane] = (1u << lane) - 1;
        break;
      case SpecialRegister::LaneMaskGe:
        words[lane] = ~0u << lane;
        break;
      case SpecialRegister::LaneMaskGt:
        words[lane] = ~1u << lane;
        break;
      default: {
        uint64_t value = uniformValue(*this, init);
        if (ptx::bitsOf(ptx::infoOf(init.special).type) == 64)
          lanes<uint64_t>(init.reg)[lane] = value;
        else
          words[lane] = value;
      }
      }
    }
  }
}
