// A role that only copies has 40 registers, and more if a slot of its pipes takes
// many copies: 1024 columns of bf16 are 16 panels.
// RUN: drawloom-opt %s --front-half -split-input-file | FileCheck %s

// CHECK: agent.role @load warps(1) registers(56){{.*}}"register-budget", "56, because the role computes no tile and issues 32 copies;
tile.kernel @many(%x: !tile.view<?x?xbf16>, %y: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [8, 1024] of %d : !tile.view<?x?xbf16> {
    %a = tile.load %x[%m, %n] : !tile.view<?x?xbf16> -> tensor<8x1024xbf16>
    %b = tile.load %y[%m, %n] : !tile.view<?x?xbf16> -> tensor<8x1024xbf16>
    %c = arith.addf %a, %b : tensor<8x1024xbf16>
    tile.store %c, %d[%m, %n] : tensor<8x1024xbf16>, !tile.view<?x?xbf16>
  }
}

// -----

// CHECK: agent.role @load warps(1) registers(40){{.*}}"register-budget", "40, because the role computes no tile;
tile.kernel @few(%x: !tile.view<?x?xbf16>, %y: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [8, 512] of %d : !tile.view<?x?xbf16> {
    %a = tile.load %x[%m, %n] : !tile.view<?x?xbf16> -> tensor<8x512xbf16>
    %b = tile.load %y[%m, %n] : !tile.view<?x?xbf16> -> tensor<8x512xbf16>
    %c = arith.addf %a, %b : tensor<8x512xbf16>
    tile.store %c, %d[%m, %n] : tensor<8x512xbf16>, !tile.view<?x?xbf16>
  }
}
