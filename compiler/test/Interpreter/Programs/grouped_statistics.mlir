// Groups of rows as in examples/grouped_gemm.mlir, with an epilogue that also
// reduces along the rows: for each tile of a group its column sums and maxima,
// and its largest magnitude. Rows past a group's end count as zeros, whatever
// the next group has there.
// RUN: drawloom-opt %s -o /dev/null

tile.kernel @grouped_statistics(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?x?xbf16>,
                                %offsets: !tile.view<?xi32>, %D: !tile.view<?x?xbf16>,
                                %sums: !tile.view<?x?x?xf32>, %maxima: !tile.view<?x?x?xf32>,
                                %amaxes: !tile.view<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %groups = tile.dim %B, 0 : !tile.view<?x?x?xbf16>
  %N = tile.dim %B, 1 : !tile.view<?x?x?xbf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%g) tiles [1] of [%groups] {
    %g1 = arith.addi %g, %c1 : index
    %begin32 = tile.load %offsets[%g] : !tile.view<?xi32> -> i32
    %end32 = tile.load %offsets[%g1] : !tile.view<?xi32> -> i32
    %begin = arith.index_cast %begin32 : i32 to index
    %end = arith.index_cast %end32 : i32 to index
    %rows = arith.subi %end, %begin : index
    %Ag = tile.subview %A[%begin, 0] [%rows, %K] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
    %Dg = tile.subview %D[%begin, 0] [%rows, %N] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
    tile.for_each (%m, %n) tiles [128, 128] of %Dg : !tile.view<?x?xbf16> {
      %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
        %a = tile.load %Ag[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %b = tile.load %B[%g, %n, %k] : !tile.view<?x?x?xbf16> -> tensor<128x64xbf16>
        %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
        scf.yield %t : tensor<128x128xf32>
      }
      %d = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
      tile.store %d, %Dg[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
      %row = arith.divui %m, %c128 : index
      %column = arith.divui %n, %c128 : index
      %sum = tile.reduce addf %acc axis 0 : tensor<128x128xf32> -> tensor<128xf32>
      tile.store %sum, %sums[%g, %row, %n] : tensor<128xf32>, !tile.view<?x?x?xf32>
      %max = tile.reduce maximumf %acc axis 0 : tensor<128x128xf32> -> tensor<128xf32>
      tile.store %max, %maxima[%g, %row, %n] : tensor<128xf32>, !tile.view<?x?x?xf32>
      %size = math.absf %acc : tensor<128x128xf32>
      %sizes = tile.reduce maximumf %size axis 1 : tensor<128x128xf32> -> tensor<128xf32>
      %amax = tile.reduce maximumf %sizes axis 0 : tensor<128xf32> -> f32
      tile.store %amax, %amaxes[%g, %row, %column] : f32, !tile.view<?x?x?xf32>
    }
  }
}
