// What slice-epilogue leaves whole, and why. Each kernel shows one reason.
// RUN: drawloom-opt %s --slice-epilogue=remarks=true --split-input-file --verify-diagnostics

// An operation that moves columns is in the way of its store, not of the other.
tile.kernel @obstacle(%a: !tile.view<128x32xbf16>, %b: !tile.view<64x32xbf16>, %d: !tile.view<128x64xf32>,
                      %e: !tile.view<128x48xf32>) attributes {tile.schedule = #tile.schedule<epilogue_tile = 32>} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = tile.load %a[0, 0] : !tile.view<128x32xbf16> -> tensor<128x32xbf16>
  %y = tile.load %b[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %acc = tile.mma %x, %y, %zero : tensor<128x32xbf16>, tensor<64x32xbf16> -> tensor<128x64xf32>
  %middle = tile.extract_slice %acc [0, 8] : tensor<128x64xf32> -> tensor<128x48xf32>
  %root = math.sqrt %middle : tensor<128x48xf32>
  // expected-remark@+1 {{slice-epilogue: tile.store of 'e' stays whole: 'tile.extract_slice' needs a whole tile}}
  tile.store %root, %e[0, 0] : tensor<128x48xf32>, !tile.view<128x48xf32>
  // expected-remark@+1 {{slice-epilogue: tile.store of 'd' in 2 parts of 32 columns}}
  tile.store %acc, %d[0, 0] : tensor<128x64xf32>, !tile.view<128x64xf32>
}

// -----

// An MMA added to its own transpose has no columns of its own.
tile.kernel @two_ways(%a: !tile.view<64x32xbf16>, %b: !tile.view<64x32xbf16>, %d: !tile.view<64x64xf32>)
    attributes {tile.schedule = #tile.schedule<epilogue_tile = 32>} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %y = tile.load %b[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %acc = tile.mma %x, %y, %zero : tensor<64x32xbf16>, tensor<64x32xbf16> -> tensor<64x64xf32>
  %t = tile.transpose %acc [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %s = arith.addf %acc, %t : tensor<64x64xf32>
  // expected-remark@+1 {{slice-epilogue: tile.store of 'd' stays whole: 'arith.addf' needs a whole tile}}
  tile.store %s, %d[0, 0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}

// -----

// The load reads what the store before it wrote.
tile.kernel @load_after(%a: !tile.view<128x32xbf16>, %b: !tile.view<64x32xbf16>, %d: !tile.view<128x64xf32>,
                        %e: !tile.view<128x64xf32>) attributes {tile.schedule = #tile.schedule<epilogue_tile = 32>} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = tile.load %a[0, 0] : !tile.view<128x32xbf16> -> tensor<128x32xbf16>
  %y = tile.load %b[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %acc = tile.mma %x, %y, %zero : tensor<128x32xbf16>, tensor<64x32xbf16> -> tensor<128x64xf32>
  // expected-remark@+1 {{slice-epilogue: tile.store of 'd' stays whole: 'tile.load' touches the same view}}
  tile.store %acc, %d[0, 0] : tensor<128x64xf32>, !tile.view<128x64xf32>
  %again = tile.load %d[0, 32] : !tile.view<128x64xf32> -> tensor<128x64xf32>
  %sum = arith.addf %acc, %again : tensor<128x64xf32>
  // expected-remark@+1 {{slice-epilogue: tile.store of 'e' in 2 parts of 32 columns}}
  tile.store %sum, %e[0, 0] : tensor<128x64xf32>, !tile.view<128x64xf32>
}

// -----

// Two stores to one view: the order of their parts would be another one.
tile.kernel @two_stores(%a: !tile.view<128x32xbf16>, %b: !tile.view<64x32xbf16>, %d: !tile.view<128x?xf32>)
    attributes {tile.schedule = #tile.schedule<epilogue_tile = 32>} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = tile.load %a[0, 0] : !tile.view<128x32xbf16> -> tensor<128x32xbf16>
  %y = tile.load %b[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %acc = tile.mma %x, %y, %zero : tensor<128x32xbf16>, tensor<64x32xbf16> -> tensor<128x64xf32>
  %e = math.exp %acc : tensor<128x64xf32>
  // expected-remark@+1 {{slice-epilogue: tile.store of 'd' stays whole: 'tile.store' touches the same view}}
  tile.store %acc, %d[0, 0] : tensor<128x64xf32>, !tile.view<128x?xf32>
  // expected-remark@+1 {{slice-epilogue: tile.store of 'd' stays whole: 'tile.store' touches the same view}}
  tile.store %e, %d[0, 16] : tensor<128x64xf32>, !tile.view<128x?xf32>
}

// -----

// In place is fine where load and store are the same box; a shifted load is not.
tile.kernel @in_place(%a: !tile.view<128x32xbf16>, %b: !tile.view<64x32xbf16>, %d: !tile.view<128x64xf32>)
    attributes {tile.schedule = #tile.schedule<epilogue_tile = 32>} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = tile.load %a[0, 0] : !tile.view<128x32xbf16> -> tensor<128x32xbf16>
  %y = tile.load %b[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %acc = tile.mma %x, %y, %zero : tensor<128x32xbf16>, tensor<64x32xbf16> -> tensor<128x64xf32>
  %same = tile.load %d[0, 0] : !tile.view<128x64xf32> -> tensor<128x64xf32>
  // expected-remark@+1 {{slice-epilogue: tile.load of 'd' stays whole: a store to the same view follows}}
  %shifted = tile.load %d[0, 1] : !tile.view<128x64xf32> -> tensor<128x64xf32>
  %s = arith.addf %acc, %same : tensor<128x64xf32>
  %t = arith.addf %s, %shifted : tensor<128x64xf32>
  // expected-remark@+1 {{slice-epilogue: tile.store of 'd' in 2 parts of 32 columns}}
  tile.store %t, %d[0, 0] : tensor<128x64xf32>, !tile.view<128x64xf32>
}

// -----

// The second MMA needs all of the first one's exponentials, so their sum is
// taken of the whole tile too.
tile.kernel @needed_whole(%a: !tile.view<128x32xbf16>, %b: !tile.view<64x32xbf16>, %v: !tile.view<64x64xbf16>,
                          %d: !tile.view<128x64xf32>) attributes {tile.schedule = #tile.schedule<epilogue_tile = 32>} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = tile.load %a[0, 0] : !tile.view<128x32xbf16> -> tensor<128x32xbf16>
  %y = tile.load %b[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %acc = tile.mma %x, %y, %zero : tensor<128x32xbf16>, tensor<64x32xbf16> -> tensor<128x64xf32>
  %e = math.exp %acc : tensor<128x64xf32>
  // expected-remark@+1 {{slice-epilogue: tile.reduce stays whole: its tile is needed whole anyway}}
  %sum = tile.reduce addf %e axis 1 : tensor<128x64xf32> -> tensor<128xf32>
  %p = arith.truncf %e : tensor<128x64xf32> to tensor<128x64xbf16>
  %z = tile.load %v[0, 0] : !tile.view<64x64xbf16> -> tensor<64x64xbf16>
  %o = tile.mma %p, %z, %zero : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
  %column = tile.expand_dims %sum axis 1 : tensor<128xf32> -> tensor<128x1xf32>
  %wide = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x64xf32>
  %q = arith.divf %o, %wide : tensor<128x64xf32>
  // expected-remark@+1 {{slice-epilogue: tile.store of 'd' in 2 parts of 32 columns}}
  tile.store %q, %d[0, 0] : tensor<128x64xf32>, !tile.view<128x64xf32>
}

// -----

// A reduction that something with an effect needs before the last store.
tile.kernel @needed_early(%a: !tile.view<128x32xbf16>, %b: !tile.view<64x32xbf16>, %n: index, %e: !tile.view<128xf32>,
                          %d: !tile.view<128x64xf32>) attributes {tile.schedule = #tile.schedule<epilogue_tile = 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = tile.load %a[0, 0] : !tile.view<128x32xbf16> -> tensor<128x32xbf16>
  %y = tile.load %b[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %acc = tile.mma %x, %y, %zero : tensor<128x32xbf16>, tensor<64x32xbf16> -> tensor<128x64xf32>
  // expected-remark@+1 {{slice-epilogue: tile.reduce stays whole: 'scf.for' needs it before the last store}}
  %sum = tile.reduce addf %acc axis 1 : tensor<128x64xf32> -> tensor<128xf32>
  scf.for %i = %c0 to %n step %c1 {
    tile.store %sum, %e[%i] : tensor<128xf32>, !tile.view<128xf32>
  }
  // expected-remark@+1 {{slice-epilogue: tile.store of 'd' in 2 parts of 32 columns}}
  tile.store %acc, %d[0, 0] : tensor<128x64xf32>, !tile.view<128x64xf32>
}

// -----

// f8E8M0FNU has no zero to start a sum from.
tile.kernel @no_neutral(%a: !tile.view<128x32xbf16>, %b: !tile.view<64x32xbf16>, %e: !tile.view<128xf8E8M0FNU>)
    attributes {tile.schedule = #tile.schedule<epilogue_tile = 32>} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = tile.load %a[0, 0] : !tile.view<128x32xbf16> -> tensor<128x32xbf16>
  %y = tile.load %b[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %acc = tile.mma %x, %y, %zero : tensor<128x32xbf16>, tensor<64x32xbf16> -> tensor<128x64xf32>
  %s = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xf8E8M0FNU>
  // expected-remark@+1 {{slice-epilogue: tile.reduce stays whole: its type has no neutral element}}
  %sum = tile.reduce addf %s axis 1 : tensor<128x64xf8E8M0FNU> -> tensor<128xf8E8M0FNU>
  tile.store %sum, %e[0] : tensor<128xf8E8M0FNU>, !tile.view<128xf8E8M0FNU>
}

// -----

// A width that divides one tile, and leaves something of another.
tile.kernel @reduction_width(%a: !tile.view<128x32xbf16>, %b: !tile.view<48x32xbf16>, %c: !tile.view<64x32xbf16>,
                             %d: !tile.view<128xf32>, %e: !tile.view<128x64xf32>) attributes {tile.schedule = #tile.schedule<epilogue_tile = 32>} {
  %zero = arith.constant dense<0.0> : tensor<128x48xf32>
  %zeros = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = tile.load %a[0, 0] : !tile.view<128x32xbf16> -> tensor<128x32xbf16>
  %y = tile.load %b[0, 0] : !tile.view<48x32xbf16> -> tensor<48x32xbf16>
  %z = tile.load %c[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %acc = tile.mma %x, %y, %zero : tensor<128x32xbf16>, tensor<48x32xbf16> -> tensor<128x48xf32>
  %other = tile.mma %x, %z, %zeros : tensor<128x32xbf16>, tensor<64x32xbf16> -> tensor<128x64xf32>
  // expected-remark@+1 {{slice-epilogue: tile.reduce in 1 parts of 32 columns and one of 16}}
  %sum = tile.reduce addf %acc axis 1 : tensor<128x48xf32> -> tensor<128xf32>
  tile.store %sum, %d[0] : tensor<128xf32>, !tile.view<128xf32>
  // expected-remark@+1 {{slice-epilogue: tile.store of 'e' in 2 parts of 32 columns}}
  tile.store %other, %e[0, 0] : tensor<128x64xf32>, !tile.view<128x64xf32>
}

// -----

// What was reduced before the second MMA is whole after it, though its rows
// are columns there.
tile.kernel @earlier_reduction(%a: !tile.view<64x32xbf16>, %b: !tile.view<64x32xbf16>, %d: !tile.view<64x64xf32>)
    attributes {tile.schedule = #tile.schedule<epilogue_tile = 32>} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %y = tile.load %b[0, 0] : !tile.view<64x32xbf16> -> tensor<64x32xbf16>
  %acc = tile.mma %x, %y, %zero : tensor<64x32xbf16>, tensor<64x32xbf16> -> tensor<64x64xf32>
  // expected-remark@+1 {{slice-epilogue: tile.reduce in 2 parts of 32 columns}}
  %sum = tile.reduce addf %acc axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  %other = tile.mma %y, %x, %zero : tensor<64x32xbf16>, tensor<64x32xbf16> -> tensor<64x64xf32>
  %row = tile.expand_dims %sum axis 0 : tensor<64xf32> -> tensor<1x64xf32>
  %rows = tile.broadcast %row : tensor<1x64xf32> -> tensor<64x64xf32>
  %scaled = arith.mulf %other, %rows : tensor<64x64xf32>
  // expected-remark@+1 {{slice-epilogue: tile.store of 'd' in 2 parts of 32 columns}}
  tile.store %scaled, %d[0, 0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}
