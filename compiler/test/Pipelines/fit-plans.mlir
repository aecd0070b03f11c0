// RUN: drawloom-opt %s --front-half --split-input-file | FileCheck %s

// The tensor that the sum starts with takes most of shared memory: a smaller
// tile and narrower subtiles leave loads more slots.
// CHECK-LABEL: tile.kernel @smaller_tile
// CHECK-SAME:  tile.reasons = ["fit-plans: tile 128x192x64 and subtiles of 8 columns, because what was chosen first leaves loads 1 slot to run ahead"
// CHECK:       agent.pipe "operands" slots(3)
func.func @smaller_tile(%a: tensor<?x?xbf16> {tile.name = "a"}, %b: tensor<?x?xbf16> {tile.name = "b"}, %c: tensor<?x?xf32> {tile.name = "c"})
    -> (tensor<?x?xf32> {tile.name = "d"}) attributes {tile.target = "sm_90a"} {
  %d = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

// What stays whole takes more room than a subtile, so loads get fewer slots.
// CHECK-LABEL: tile.kernel @fewer_slots
// CHECK-NOT:   fit-plans
// CHECK:       agent.pipe "operands" slots(5)
tile.kernel @fewer_slots(%A: !tile.view<?x?xbf16>, %B: !tile.view<128x?xbf16>, %Y: !tile.view<?x64xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %M = tile.dim %A, 0 : !tile.view<?x?xbf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m) tiles [128] of [%M] {
    %x = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[0, %k] : !tile.view<128x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %left = tile.extract_slice %x [0, 0] : tensor<128x128xf32> -> tensor<128x64xf32>
    %right = tile.extract_slice %x [0, 64] : tensor<128x128xf32> -> tensor<128x64xf32>
    %c = arith.mulf %left, %right : tensor<128x64xf32>
    tile.store %c, %Y[%m, 0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  }
}

// -----

// What fits at once is left alone.
// CHECK-LABEL: tile.kernel @fits
// CHECK-NOT:   fit-plans
tile.kernel @fits(%X: !tile.view<?x64xf32>, %Y: !tile.view<?x64xf32>) attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [32, 64] of %Y : !tile.view<?x64xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x64xf32> -> tensor<32x64xf32>
    %y = math.exp %x : tensor<32x64xf32>
    tile.store %y, %Y[%m, %n] : tensor<32x64xf32>, !tile.view<?x64xf32>
  }
}

// -----

// Two tiles side by side fit into tensor memory where what the threads write to it
// takes the columns of what they have read. Who reads it releases both.
// CHECK-LABEL: tile.kernel @two_interleaved
// CHECK-SAME:  tensor-memory: result: 1 slot x 128 columns + result_1: 1 slot x 128 columns + result_2: 1 slot x 256 columns = 512 of 512 columns on sm_100a
// CHECK-SAME:  interleave = 2
// CHECK:       agent.pipe "result" slots(1) tmem : (tensor<128x128xf32>) {{.*}}"columns-shared", "1 slot: 'middle' takes the columns of 'result' when that is read"{{.*}}start = [[AT:[0-9]+]],
// CHECK:       agent.pipe "middle" slots(1) tmem : (tensor<128x128xbf16>) {{.*}}start = [[AT]],{{.*}}reuses = "result"
// CHECK:       agent.role @mma_1
// CHECK:       agent.consume %middle, %result as (%{{.*}}, %{{.*}}) by(tensor_core, tensor_core)
tile.kernel @two_interleaved(%Q: !tile.view<?x128xbf16>, %K: !tile.view<?x128xbf16>, %V: !tile.view<128x?xbf16>, %O: !tile.view<?x128xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %M = tile.dim %Q, 0 : !tile.view<?x128xbf16>
  %N = tile.dim %K, 0 : !tile.view<?x128xbf16>
  tile.for_each (%m) tiles [128] of [%M] {
    %q = tile.load %Q[%m, 0] : !tile.view<?x128xbf16> -> tensor<128x128xbf16>
    %o = scf.for %j = %c0 to %N step %c128 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
      %k = tile.load %K[%j, 0] : !tile.view<?x128xbf16> -> tensor<128x128xbf16>
      %s = tile.mma %q, %k, %zero : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
      %p = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xbf16>
      %v = tile.load %V[0, %j] : !tile.view<128x?xbf16> -> tensor<128x128xbf16>
      %t = tile.mma %p, %v, %acc : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %o, %O[%m, 0] : tensor<128x128xf32>, !tile.view<?x128xf32>
  }
}

// -----

// Two tiles side by side take more tensor memory than there is, what the threads
// write to it included: one does not.
// CHECK-LABEL: tile.kernel @one_interleaved
// CHECK-SAME:  tile.reasons = ["fit-plans: one tile instead of two interleaved, because what was chosen first does not fit: tensor memory: {{.*}} = 640 > 512 columns on sm_100a
// CHECK-SAME:  interleave = 1
tile.kernel @one_interleaved(%Q: !tile.view<?x128xbf16>, %K: !tile.view<?x128xbf16>, %V: !tile.view<192x?xbf16>, %O: !tile.view<?x192xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %none = arith.constant dense<0.0> : tensor<128x192xf32>
  %M = tile.dim %Q, 0 : !tile.view<?x128xbf16>
  %N = tile.dim %K, 0 : !tile.view<?x128xbf16>
  tile.for_each (%m) tiles [128] of [%M] {
    %q = tile.load %Q[%m, 0] : !tile.view<?x128xbf16> -> tensor<128x128xbf16>
    %o = scf.for %j = %c0 to %N step %c128 iter_args(%acc = %none) -> (tensor<128x192xf32>) {
      %k = tile.load %K[%j, 0] : !tile.view<?x128xbf16> -> tensor<128x128xbf16>
      %s = tile.mma %q, %k, %zero : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
      %p = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xbf16>
      %v = tile.load %V[0, %j] : !tile.view<192x?xbf16> -> tensor<192x128xbf16>
      %t = tile.mma %p, %v, %acc : tensor<128x128xbf16>, tensor<192x128xbf16> -> tensor<128x192xf32>
      scf.yield %t : tensor<128x192xf32>
    }
    tile.store %o, %O[%m, 0] : tensor<128x192xf32>, !tile.view<?x192xf32>
  }
}

// -----

// Three loops of MMAs, each with operands and an output of its own: the last
// output has one slot, and the plan is proved deadlock-free though all its loops
// run 8 times.
// CHECK-LABEL: tile.kernel @one_slot
// CHECK:       agent.pipe "output_2" slots(1)
// CHECK:       agent.switch {{.*}}verdict = #agent.verdict<proved>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @one_slot(%x: tensor<?x?xbf16>, %a: tensor<512x?xbf16>, %b: tensor<512x?xbf16>, %c: tensor<512x?xbf16>)
    -> (tensor<?x512xbf16>, tensor<?x512xbf16>, tensor<?x512xbf16>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %M = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %e0 = tensor.empty(%M) : tensor<?x512xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %d0 = linalg.contract indexing_maps = [#mk, #nk, #mn] ins(%x, %a : tensor<?x?xbf16>, tensor<512x?xbf16>) outs(%f0 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %r0 = arith.truncf %d0 : tensor<?x512xf32> to tensor<?x512xbf16>
  %e1 = tensor.empty(%M) : tensor<?x512xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %d1 = linalg.contract indexing_maps = [#mk, #nk, #mn] ins(%x, %b : tensor<?x?xbf16>, tensor<512x?xbf16>) outs(%f1 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %r1 = arith.truncf %d1 : tensor<?x512xf32> to tensor<?x512xbf16>
  %e2 = tensor.empty(%M) : tensor<?x512xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %d2 = linalg.contract indexing_maps = [#mk, #nk, #mn] ins(%x, %c : tensor<?x?xbf16>, tensor<512x?xbf16>) outs(%f2 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %r2 = arith.truncf %d2 : tensor<?x512xf32> to tensor<?x512xbf16>
  return %r0, %r1, %r2 : tensor<?x512xbf16>, tensor<?x512xbf16>, tensor<?x512xbf16>
}

// -----

// The planner would take two CTAs, but rows of B begin at places that only
// threads can load, and threads load for their own CTA.
// CHECK-LABEL: tile.kernel @no_cluster
// CHECK-SAME:  tile.reasons = ["fit-plans: cluster 1 x 1 x 1, because with the one that was chosen first there is no plan: cluster: 2 CTAs would share the tile of 'b', but TMA cannot load it, because it is padded with a number that is not zero; leave the cluster out"
// CHECK-SAME:  cluster = [1, 1, 1]
tile.kernel @no_cluster(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<cluster = auto, fallback_cluster = [1, 1]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] pad(1.0 : bf16) : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// A is made by threads, so that no pair can multiply, but B comes to both CTAs.
// CHECK-LABEL: tile.kernel @no_pair
// CHECK-SAME:  tile.reasons = ["fit-plans: cta_group = 1, because what was chosen first has no plan: 2-CTA MMA (cta_group = 2): A of this MMA is not a tile that is loaded for MMAs only; use cta_group = 1", "cluster: 2 x 1, because two CTAs along dimension 0 take the same tiles of 'b', and share them by TMA multicast: each loads 16 KiB instead of 24 KiB for a K tile
// CHECK-SAME:  cluster = [2, 1], cta_group = 1
tile.kernel @no_pair(%a: !tile.view<?x?xi8>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = auto>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xi8>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %q = tile.load %a[%m, %k] : !tile.view<?x?xi8> -> tensor<128x64xi8>
      %x = arith.sitofp %q : tensor<128x64xi8> to tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// A second kernel, with the same tile. Slots are chosen anew, and MMAs too:
// one CTA is no pair.
// CHECK-LABEL: tile.kernel @two
// CHECK-SAME:  slots = {operands = 5{{.*}}cluster = [2, 1], fallback_cluster = [1, 1], cta_group = 2
// CHECK-LABEL: tile.kernel @two_fallback
// CHECK-SAME:  tile.reasons = ["fit-plans: clusters of 1 CTA instead of 2 CTAs, for launches that @two does not suit"
// CHECK-SAME:  cluster = [1, 1], cta_group = 1
tile.kernel @two(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<slots = {operands = 5}, cluster = [2, 1], fallback_cluster = [1, 1], cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x256xf32>, !tile.view<?x?xf32>
  }
}

// -----

// A function on tensors whose tile is open: both have what was chosen.
// CHECK-LABEL: tile.kernel @open_tile(
// CHECK-SAME:  tile = [128, 256, 64]{{.*}}cluster = [2, 1, 1], fallback_cluster = [1], cta_group = 2
// CHECK-LABEL: tile.kernel @open_tile_fallback(
// CHECK-SAME:  tile = [128, 256, 64]{{.*}}cluster = [1], cta_group = 1
func.func @open_tile(%a: tensor<?x?xbf16> {tile.name = "a"}, %b: tensor<?x?xbf16> {tile.name = "b"})
    -> (tensor<?x?xbf16> {tile.name = "d"}) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<fallback_cluster = [1], cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %M = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %N = tensor.dim %b, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%M, %N) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e2 = tensor.empty(%M, %N) : tensor<?x?xbf16>
  %r = linalg.map { arith.truncf } ins(%d : tensor<?x?xf32>) outs(%e2 : tensor<?x?xbf16>)
  return %r : tensor<?x?xbf16>
}
