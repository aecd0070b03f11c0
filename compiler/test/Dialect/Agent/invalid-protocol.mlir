// What the operations of a protocol that is written out refuse.
// RUN: drawloom-opt %s --split-input-file --verify-diagnostics

func.func @slots() {
  // expected-error@+1 {{has 1 offsets for 2 tiles}}
  %s = agent.slots "s" count(2) at(0) stride(64) offsets [0] : !agent.slots<smem, tensor<4xf32>, tensor<8xf32>>
  return
}

// -----

func.func @count() {
  // expected-error@+1 {{has count(0); a ring has one slot or more}}
  %s = agent.slots "s" count(0) at(0) stride(64) offsets [0] : !agent.slots<smem, tensor<4xf32>>
  return
}

// -----

// expected-error@+1 {{a message cannot hold 'tensor<4xf32>'; it holds index, integer and float scalars}}
func.func private @message(!agent.slots<message, tensor<4xf32>>)

// -----

func.func @message_slot(%s: !agent.slots<message, index>, %i: i32) {
  // expected-error@+1 {{is a tile of a message, which holds scalars; use agent.read_message}}
  %x = agent.slot %s[%i], 0 : !agent.slots<message, index> -> !tile.buffer<4xf32, smem>
  return
}

// -----

func.func @write(%s: !agent.slots<smem, tensor<4xf32>>, %i: i32, %there: i1, %x: tensor<4xf32>) {
  // expected-error@+1 {{writes to slots in smem, which hold tiles; a message is in slots of its own}}
  agent.write_message %s[%i] there(%there) values(%x) : !agent.slots<smem, tensor<4xf32>>
  return
}

// -----

func.func @read(%s: !agent.slots<smem, tensor<4xf32>>, %i: i32) {
  // expected-error@+1 {{reads slots in smem, which hold tiles; a message is in slots of its own}}
  %there, %x = agent.read_message %s[%i] : !agent.slots<smem, tensor<4xf32>>
  return
}

// -----

// expected-error@+1 {{a slot in smem cannot hold 'index'; it has a fixed size and holds tensors of static shape with rank one or more}}
func.func private @scalar(!agent.slots<smem, index>)

// -----

func.func @barriers() {
  // expected-error@+1 {{has count(0); a ring has one barrier or more}}
  %b = agent.barriers "b" count(0) arrivals(1) at(0) : !agent.barriers
  return
}

// -----

func.func @arrivals() {
  // expected-error@+1 {{has arrivals(0); a phase without arrivals never completes}}
  %b = agent.barriers "b" count(1) arrivals(0) at(0) : !agent.barriers
  return
}

// -----

func.func @value(%s: !agent.slots<smem, tensor<4xf32>>, %i: i32) {
  // expected-error@+1 {{is tile 1 of a slot that holds 1}}
  %x = agent.slot %s[%i], 1 : !agent.slots<smem, tensor<4xf32>> -> !tile.buffer<4xf32, smem>
  return
}

// -----

func.func @shape(%s: !agent.slots<smem, tensor<4xf32>>, %i: i32) {
  // expected-error@+1 {{is a '!tile.buffer<8xf32, smem>', but the slot holds 'tensor<4xf32>' in smem}}
  %x = agent.slot %s[%i], 0 : !agent.slots<smem, tensor<4xf32>> -> !tile.buffer<8xf32, smem>
  return
}

// -----

func.func @space(%s: !agent.slots<smem, tensor<4xf32>>, %i: i32) {
  // expected-error@+1 {{is a '!tile.buffer<4xf32, tmem>', but the slot holds 'tensor<4xf32>' in smem}}
  %x = agent.slot %s[%i], 0 : !agent.slots<smem, tensor<4xf32>> -> !tile.buffer<4xf32, tmem>
  return
}

// -----

func.func @arrive(%b: !agent.barrier) {
  // expected-error@+1 {{is by(tma), which arrives with its bytes; use agent.expect}}
  agent.arrive %b by(tma)
  return
}

// -----

func.func @drain() {
  // expected-error@+1 {{has pending(1), but cp_async have no groups}}
  agent.drain cp_async pending(1)
  return
}

// -----

func.func @elect() {
  // expected-error@+1 {{elects a thread of the cta; roles act for a warp or for themselves}}
  %one = agent.elect cta
  return
}

// -----

func.func @parts(%a: tensor<64x128xf8E4M3FN>, %b: tensor<256x128xf8E4M3FN>, %s: tensor<64x256xf32>) {
  // expected-error@+1 {{adds 48 columns at a time, but has 256}}
  %t = agent.add_mma %a, %b onto %s columns(48) : tensor<64x128xf8E4M3FN>, tensor<256x128xf8E4M3FN> -> tensor<64x256xf32>
  return
}

// -----

func.func @sizes(%a: tensor<64x64xf8E4M3FN>, %b: tensor<256x128xf8E4M3FN>, %s: tensor<64x256xf32>) {
  // expected-error@+1 {{multiplies 'tensor<64x64xf8E4M3FN>' by 'tensor<256x128xf8E4M3FN>' into 'tensor<64x256xf32>'; k is the last size of both, and the accumulator is m by n}}
  %t = agent.add_mma %a, %b onto %s columns(64) : tensor<64x64xf8E4M3FN>, tensor<256x128xf8E4M3FN> -> tensor<64x256xf32>
  return
}

// -----

func.func @offsets(%a: !tile.view<?x?xf32>, %x: !tile.buffer<4x4xf32, smem>, %b: !agent.barrier) {
  // expected-error@+1 {{has 1 offsets for a view of rank 2}}
  agent.load %a[0] dims [0, 1] pad(0.0 : f32) to %x by(tma) tells %b : !tile.view<?x?xf32>, !tile.buffer<4x4xf32, smem>
  return
}

// -----

func.func @dims(%a: !tile.view<?x?xf32>, %x: !tile.buffer<4x4xf32, smem>) {
  // expected-error@+1 {{has 1 dims for a tile of rank 2 in a view of rank 2}}
  agent.store %x to %a[0, 0] dims [0] by(tma) : !tile.buffer<4x4xf32, smem>, !tile.view<?x?xf32>
  return
}

// -----

func.func @outside(%a: !tile.view<?x?xf32>) {
  // expected-error@+1 {{has 2 dims for a tile of rank 2 in a view of rank 2}}
  %fits = agent.fits %a[0, 0] dims [0, 2] of [4, 4] : !tile.view<?x?xf32>
  return
}

// -----

func.func @fetch_by(%a: !tile.view<?x?xf32>, %x: !tile.buffer<4x4xf32, smem>) {
  // expected-error@+1 {{is by(threads): copies are made by TMA or by cp.async}}
  agent.load %a[0, 0] dims [0, 1] pad(0.0 : f32) to %x by(threads) : !tile.view<?x?xf32>, !tile.buffer<4x4xf32, smem>
  return
}

// -----

func.func @tells_none(%a: !tile.view<?x?xf32>, %x: !tile.buffer<4x4xf32, smem>) {
  // expected-error@+1 {{is by(tma) and tells no barrier; TMA brings its bytes to one, and threads arrive on their own}}
  agent.load %a[0, 0] dims [0, 1] pad(0.0 : f32) to %x by(tma) : !tile.view<?x?xf32>, !tile.buffer<4x4xf32, smem>
  return
}

// -----

func.func @pads(%a: !tile.view<?x?xf32>, %x: !tile.buffer<4x4xf32, smem>, %b: !agent.barrier) {
  // expected-error@+1 {{pads with a number other than zero, which tensor maps can't; let threads copy it}}
  agent.load %a[0, 0] dims [0, 1] pad(1.0 : f32) to %x by(tma) tells %b : !tile.view<?x?xf32>, !tile.buffer<4x4xf32, smem>
  return
}

// -----

func.func @put_by(%a: !tile.view<?x?xf32>, %x: !tile.buffer<4x4xf32, smem>) {
  // expected-error@+1 {{is by(cp_async): slots are stored by TMA or by threads}}
  agent.store %x to %a[0, 0] dims [0, 1] by(cp_async) : !tile.buffer<4x4xf32, smem>, !tile.view<?x?xf32>
  return
}

// -----

func.func @multiply(%a: tensor<128x64xbf16>, %b: tensor<256x32xbf16>, %s: !tile.buffer<128x256xf32, tmem>, %more: i1) {
  // expected-error@+1 {{multiplies 'tensor<128x64xbf16>' by 'tensor<256x32xbf16>' into '!tile.buffer<128x256xf32, tmem>'; k is the last size of both, and the accumulator is m by n}}
  agent.multiply %a, %b into %s accumulate(%more) : tensor<128x64xbf16>, tensor<256x32xbf16>, !tile.buffer<128x256xf32, tmem>
  return
}

// -----

func.func @issue(%a: tensor<64x64xbf16>, %b: tensor<256x32xbf16>) {
  // expected-error@+1 {{multiplies 'tensor<64x64xbf16>' by 'tensor<256x32xbf16>' into 'tensor<64x256xf32>'; k is the last size of both, and the accumulator is m by n}}
  %s = agent.issue %a, %b : tensor<64x64xbf16>, tensor<256x32xbf16> -> !agent.in_flight<tensor<64x256xf32>>
  return
}

// -----

func.func @another_sum(%a: tensor<64x64xbf16>, %b: tensor<256x64xbf16>, %s: tensor<64x128xf32>) {
  // expected-error@+1 {{goes on with a 'tensor<64x128xf32>', but makes a 'tensor<64x256xf32>'}}
  %t = agent.issue %a, %b onto %s : tensor<64x64xbf16>, tensor<256x64xbf16>, tensor<64x128xf32> -> !agent.in_flight<tensor<64x256xf32>>
  return
}

// -----

func.func @await(%s: !agent.in_flight<tensor<64x256xf32>>) {
  // expected-error@+1 {{takes 1 accumulators and gives 1 tiles; each accumulator gives its tile}}
  %t = agent.await %s : !agent.in_flight<tensor<64x256xf32>> -> tensor<64x128xf32>
  return
}

// -----

func.func @far_copies(%b: !agent.barrier) {
  %ctas, %place = agent.peers of [2] along [0]
  // expected-error@+1 {{is by(cp_async) in other CTAs; cp.async arrives in its own}}
  agent.arrive %b by(cp_async) in(%ctas)
  return
}

// -----

func.func @far_fetch(%a: !tile.view<?x?xf32>, %x: !tile.buffer<16x4xf32, smem>) {
  %ctas, %place = agent.peers of [2] along [0]
  // expected-error@+1 {{is by(cp_async) in other CTAs; cp.async writes to its own}}
  agent.load %a[0, 0] dims [0, 1] pad(0.0 : f32) to %x by(cp_async) part(%place of 2) in(%ctas) : !tile.view<?x?xf32>, !tile.buffer<16x4xf32, smem>
  return
}

// -----

func.func @small_parts(%a: !tile.view<?x?xf32>, %x: !tile.buffer<24x4xf32, smem>, %b: !agent.barrier) {
  %ctas, %place = agent.peers of [4] along [0]
  // expected-error@+1 {{cuts a 'tensor<24x4xf32>' into 4 parts; a part is a multiple of 8 rows}}
  agent.load %a[0, 0] dims [0, 1] pad(0.0 : f32) to %x by(tma) tells %b part(%place of 4) in(%ctas) : !tile.view<?x?xf32>, !tile.buffer<24x4xf32, smem>
  return
}

// -----

func.func @no_dimension() {
  // expected-error@+1 {{is along [2], but a cluster of 2 dimensions}}
  %ctas, %place = agent.peers of [2, 2] along [2]
  return
}

// -----

func.func @large() {
  // expected-error@+1 {{is of [8, 4] CTAs; a number of 16 bits names them}}
  %ctas, %place = agent.peers of [8, 4] along [0]
  return
}

// -----

func.func @elect_in_cluster() {
  // expected-error@+1 {{elects a thread of the cluster; roles act for a warp or for themselves}}
  %one = agent.elect cluster
  return
}

// -----

// Of a pair, B is half of the columns.
func.func @multiply_pair(%a: tensor<128x64xbf16>, %b: tensor<256x64xbf16>, %s: !tile.buffer<128x256xf32, tmem>, %more: i1) {
  // expected-error@+1 {{multiplies 'tensor<128x64xbf16>' by 'tensor<512x64xbf16>' into '!tile.buffer<128x256xf32, tmem>'; k is the last size of both, and the accumulator is m by n}}
  agent.multiply %a, %b into %s accumulate(%more) pair : tensor<128x64xbf16>, tensor<256x64xbf16>, !tile.buffer<128x256xf32, tmem>
  return
}

// -----

func.func @send_to_none(%x: tensor<8xf32>, %to: !tile.buffer<8xf32, smem>, %i: i32) {
  // expected-error@+1 {{is sent to 0 CTAs; a cluster has 1 to 16}}
  agent.send %x to %to at(%i) stride(128) in(%i) count(0) every(1) : tensor<8xf32>, !tile.buffer<8xf32, smem>
  return
}

// -----

func.func @send_elsewhere(%x: tensor<8xf32>, %to: !tile.buffer<4xf32, smem>, %i: i32) {
  // expected-error@+1 {{is a 'tensor<8xf32>', but the slot has room for '!tile.buffer<4xf32, smem>'}}
  agent.send %x to %to at(%i) stride(128) in(%i) count(2) every(1) : tensor<8xf32>, !tile.buffer<4xf32, smem>
  return
}

// -----

func.func @send_close(%x: tensor<8xf32>, %to: !tile.buffer<8xf32, smem>, %i: i32) {
  // expected-error@+1 {{has stride(16), and a part has 32 bytes}}
  agent.send %x to %to at(%i) stride(16) in(%i) count(2) every(1) : tensor<8xf32>, !tile.buffer<8xf32, smem>
  return
}
