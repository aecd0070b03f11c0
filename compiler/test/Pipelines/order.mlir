// Each pass that needs another one before it says which.

// Pipes are cut along roles.
// RUN: not drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule,form-pipes))' 2>&1 | FileCheck %s --check-prefix=ROLES
// ROLES: error: kernel @gemm has no roles yet: run assign-roles before form-pipes [pass-order]

// Roles are assigned once.
// RUN: not drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule,plan-cta,assign-roles,form-pipes,assign-roles))' 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: 'agent.items' is in the kernel already; roles are assigned to tile programs only [pass-order]

// What CTAs share, before there are roles.
// RUN: not drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule,assign-roles,form-pipes,plan-cta))' 2>&1 | FileCheck %s --check-prefix=CTAS
// CTAS: error: kernel @gemm has roles already, and what CTAs share is found while a load is a load: run plan-cta before assign-roles [pass-order]

// Who works, before warps and the proof.
// RUN: not drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule,plan-cta,assign-roles,form-pipes,map-execution-units))' 2>&1 | FileCheck %s --check-prefix=ENGINES
// RUN: not drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule,plan-cta,assign-roles,form-pipes,prove-progress))' 2>&1 | FileCheck %s --check-prefix=ENGINES
// ENGINES: error: 'agent.consume' op of pipe 'operands' doesn't say who empties its slots: run assign-engines first, or add by(...)

// Warps before registers.
// RUN: not drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule,plan-cta,assign-roles,form-pipes,assign-engines,assign-layouts,budget-registers))' 2>&1 | FileCheck %s --check-prefix=WARPS
// WARPS: error: role @operand_load has no warps yet; budgets go by warp groups, so run map-execution-units first [pass-order]

// Memory before code, and a proof.
// RUN: not drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule,plan-cta,assign-roles,form-pipes,assign-engines,prove-progress,map-execution-units,assign-layouts,budget-registers,lower-work-tiles,assign-slot-phase,lower-pipes))' 2>&1 | FileCheck %s --check-prefix=PLACES
// PLACES: error: 'agent.pipe' op has no place: code is generated after 'place-memory' [pass-order]
// RUN: not drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule,plan-cta,assign-roles,form-pipes,assign-engines,map-execution-units,assign-layouts,budget-registers,place-memory,lower-work-tiles,assign-slot-phase,lower-pipes))' 2>&1 | FileCheck %s --check-prefix=PROOF
// PROOF: error: 'agent.switch' op has no verdict on deadlock freedom: code is generated after 'prove-progress'

// Numbers for work tiles before slots, and slots before the protocol.
// RUN: not drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule,plan-cta,assign-roles,form-pipes,assign-engines,prove-progress,map-execution-units,assign-layouts,budget-registers,place-memory,assign-slot-phase))' 2>&1 | FileCheck %s --check-prefix=TILES
// TILES: error: 'agent.for_each_item' op has work tiles: slots are assigned after 'lower-work-tiles' [pass-order]
// RUN: not drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule,plan-cta,assign-roles,form-pipes,assign-engines,prove-progress,map-execution-units,assign-layouts,budget-registers,place-memory,lower-work-tiles,lower-pipes))' 2>&1 | FileCheck %s --check-prefix=SLOTS
// SLOTS: error: 'agent.produce' op has no slot: the protocol is written out after 'assign-slot-phase' [pass-order]

// The protocol before the code.
// RUN: not drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule,plan-cta,assign-roles,form-pipes,assign-engines,prove-progress,map-execution-units,assign-layouts,budget-registers,place-memory),convert-agent-to-nvvm)' 2>&1 | FileCheck %s --check-prefix=CODE
// CODE: error: 'agent.items' op must be lowered before code is generated; run 'lower-pipes' and 'schedule-wgmma' first

tile.kernel @gemm(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xbf16>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [2, 1]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %D : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %o = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %D[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}
