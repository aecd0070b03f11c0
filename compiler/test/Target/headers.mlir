// RUN: drawloom compile %s --arch sm_90a --emit ptx | FileCheck %s --check-prefix=SM90
// RUN: drawloom compile %s --arch sm_100a --emit ptx | FileCheck %s --check-prefix=SM100
// RUN: drawloom compile %s --arch sm_103a --emit ptx | FileCheck %s --check-prefix=SM103
// RUN: drawloom compile %s --arch sm_110a --emit ptx | FileCheck %s --check-prefix=SM110

// The PTX version comes from the table of architectures.

// SM90:       .version 8.6
// SM90-NEXT:  .target sm_90a
// SM100:      .version 8.8
// SM100-NEXT: .target sm_100a
// SM103:      .version 8.8
// SM103-NEXT: .target sm_103a
// SM110:      .version 9.0
// SM110-NEXT: .target sm_110a
llvm.func @k() attributes {nvvm.kernel} {
  llvm.return
}
