# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GEMM kernels for sm_100a, step by step from one stage without roles to persistent pairs.

Published ladders are versions of one kernel: this writes each version as PTX, from a
recipe. D[M, N] = A[M, K] B[N, K]^T in bf16, or D in fp32.

`roles` none: one thread issues copies and MMAs, as software pipelines do, and all warps
store the tile; ws: a warp loads, a warp multiplies, four warps store. With `persistent`
each cluster takes every n-th tile, or with `clc` what cluster launch control hands out;
with two `accumulators` tiles overlap.
"""

from blackwell_parts import (ROW, Recipe, barrier, commit, write_commit_slot, write_load, write_mma,
                             write_prologue, write_store, write_tile)
from writer import Writer


def tile_loop(w: Writer):
    """Labels of a loop over tiles: (again, end), entered with %tile."""
    again, end = w.label("tile"), w.label("tiles")
    w("mov.u32 %tile, %first; mov.u32 %clcparity, 0;")
    w.mark(again)
    w(f"setp.ge.u32 %pt, %tile, %last; @%pt bra {end};")
    write_tile(w)
    return again, end


def write_request(w: Writer):
    """One thread of a CTA asks for the tile after this one, when all have read that of before."""
    r = w.r
    w(f"""add.u32 %empty, %bars, {barrier(r, 'read')}; xor.b32 %t1, %clcparity, 1;
          add.u32 %t2, %bars, {barrier(r, 'next')}; mov.u32 %t3, next;""")
    expect = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%t2], 16;"
    if not r.pair:
        w.wait("%empty", "%t1")
        w(f"""{expect}
              clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%t3], [%t2];""")
        return
    w(expect)
    skip = w.label("skip")  # The first CTA asks for both.
    w(f"setp.ne.u32 %pt, %rank, 0; @%pt bra {skip};")
    w.wait("%empty", "%t1")
    w("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
      ".multicast::cluster::all.b128 [%t3], [%t2];")
    w.mark(skip)


def write_next(w: Writer, alone: bool):
    """Reads the tile that was asked for into %next; `alone`: by one thread, not by a warp."""
    r = w.r
    w(f"add.u32 %full, %bars, {barrier(r, 'next')};")
    w.wait("%full", "%clcparity")
    w(f"""ld.shared.b128 %q, [next]; fence.proxy.async.shared::cta;
          clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %pt, %q;
          mov.u32 %next, %last;
          @%pt clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %next, %q;
          @%pt shr.u32 %next, %next, {int(r.pair)}; xor.b32 %clcparity, %clcparity, 1;
          add.u32 %t0, %bars, {barrier(r, 'read')}; mapa.shared::cluster.u32 %t0, %t0, 0;""")
    if not alone:
        w("bar.warp.sync -1; setp.eq.u32 %pl, %lane, 0;")
    w(f"{'' if alone else '@%pl '}mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%t0];")


def end_tile(w: Writer, again: str, end: str):
    w.advance("%acc", "%accparity", w.r.accumulators)
    w("mov.u32 %tile, %next;" if w.r.clc else "add.u32 %tile, %tile, %step;")
    if w.r.persistent:
        w(f"bra {again};")
    w.mark(end)


def write_loader(w: Writer):
    again, end = tile_loop(w)
    if w.r.clc:
        write_request(w)
    loop = w.label("load")
    w("mov.u32 %i, 0;")
    w.mark(loop)
    w(f"""shl.b32 %t0, %slot, 3; add.u32 %t0, %t0, %bars; add.u32 %empty, %t0, {barrier(w.r, 'empty')};
          xor.b32 %t1, %parity, 1;""")
    w.wait("%empty", "%t1")
    write_load(w, "%i")
    w.advance("%slot", "%parity", w.r.stages)
    w(f"add.u32 %i, %i, 1; setp.lt.u32 %pt, %i, %steps; @%pt bra {loop};")
    if w.r.clc:
        write_next(w, alone=True)
    end_tile(w, again, end)


def write_multiplier(w: Writer):
    r = w.r
    again, end = tile_loop(w)
    if r.clc:
        write_next(w, alone=True)
    w(f"""shl.b32 %t0, %acc, 3; add.u32 %t0, %t0, %bars; add.u32 %empty, %t0, {barrier(r, 'free')};
          xor.b32 %t1, %accparity, 1;""")
    w.wait("%empty", "%t1")
    w("tcgen05.fence::after_thread_sync;")
    loop = w.label("multiply")
    w("mov.u32 %i, 0;")
    w.mark(loop)
    w("shl.b32 %t0, %slot, 3; add.u32 %full, %t0, %bars;")
    w.wait("%full", "%parity")
    w("tcgen05.fence::after_thread_sync; setp.eq.u32 %pt, %i, 0; selp.u32 %t9, 1, 0, %pt;")
    write_mma(w, "%t9")
    write_commit_slot(w)
    w.advance("%slot", "%parity", r.stages)
    w(f"add.u32 %i, %i, 1; setp.lt.u32 %pt, %i, %steps; @%pt bra {loop};")
    w(f"shl.b32 %t0, %acc, 3; add.u32 %t0, %t0, %bars; add.u32 %t0, %t0, {barrier(r, 'done')};")
    commit(w, "%t0")
    end_tile(w, again, end)


def write_storer(w: Writer):
    r = w.r
    again, end = tile_loop(w)
    if r.clc:
        write_next(w, alone=False)
    w(f"shl.b32 %t0, %acc, 3; add.u32 %t0, %t0, %bars; add.u32 %full, %t0, {barrier(r, 'done')};")
    w.wait("%full", "%accparity")
    w("tcgen05.fence::after_thread_sync;")
    write_store(w)
    w("tcgen05.fence::before_thread_sync;")
    if r.persistent:
        skip = w.label("skip")
        w(f"""setp.ne.u32 %pl, %lane, 0; @%pl bra {skip};
              shl.b32 %t0, %acc, 3; add.u32 %t0, %t0, %bars; add.u32 %t0, %t0, {barrier(r, 'free')};
              mapa.shared::cluster.u32 %t0, %t0, 0;
              mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%t0];""")
        w.mark(skip)
    end_tile(w, again, end)


def write_single(w: Writer):
    """Without roles: thread 0 issues both copies and MMAs. Before the MMAs of a step it fills
    the slot of the step before, whose MMAs it waits for (`fill`), or that of the one before
    that, so that MMAs of two steps are in flight (`overlap`); with `wait`, it waits for the
    MMAs of the step before all the same, and the copies are in flight meanwhile."""
    r = w.r
    ahead = r.stages if r.pipeline == "fill" else r.stages - 1
    again, end = tile_loop(w)
    issuer, join = w.label("issuer"), w.label("join")
    w(f"setp.ne.u32 %pt, %thread, 0; @%pt bra {join};")
    w.mark(issuer)
    if r.clc:
        write_request(w)
    # %load counts the copies, %i the MMAs; %slot and %parity are of what is at hand.
    w("mov.u32 %load, 0; mov.u32 %i, 0;")
    loop, loaded, no_load = w.label("step"), w.label("loaded"), w.label("fill")
    w.mark(no_load)
    w(f"setp.ge.u32 %pt, %load, %steps; @%pt bra {loaded};")
    w(f"add.u32 %t0, %i, {ahead}; setp.ge.u32 %pt, %load, %t0; @%pt bra {loaded};")
    w("mov.u32 %slot, %lslot; shl.b32 %t0, %slot, 3; add.u32 %t0, %t0, %bars;")
    w(f"add.u32 %empty, %t0, {barrier(r, 'empty')}; xor.b32 %t1, %lparity, 1;")
    w.wait("%empty", "%t1")
    write_load(w, "%load")
    w.advance("%lslot", "%lparity", r.stages)
    w(f"add.u32 %load, %load, 1; bra {no_load};")
    w.mark(loaded)
    w.mark(loop)
    w("mov.u32 %slot, %mslot; shl.b32 %t0, %slot, 3; add.u32 %full, %t0, %bars;")
    if r.pair:
        skip = w.label("skip")
        w(f"setp.ne.u32 %pt, %rank, 0; @%pt bra {skip};")
    w.wait("%full", "%mparity")
    if r.pipeline == "wait":
        first = w.label("first")
        w(f"""setp.eq.u32 %pt, %i, 0; @%pt bra {first};
              shl.b32 %t0, %pslot, 3; add.u32 %t0, %t0, %bars; add.u32 %empty, %t0, {barrier(r, 'empty')};""")
        w.wait("%empty", "%pparity")
        w.mark(first)
    w("tcgen05.fence::after_thread_sync; setp.eq.u32 %pt, %i, 0; selp.u32 %t9, 1, 0, %pt;")
    write_mma(w, "%t9")
    write_commit_slot(w)
    if r.pair:
        w.mark(skip)
    w("mov.u32 %pslot, %mslot; mov.u32 %pparity, %mparity;")
    w.advance("%mslot", "%mparity", r.stages)
    w(f"add.u32 %i, %i, 1; setp.lt.u32 %pt, %i, %steps; @%pt bra {no_load};")
    w(f"mov.u32 %t0, %bars; add.u32 %t0, %t0, {barrier(r, 'done')};")
    if r.pair:
        skip = w.label("skip")
        w(f"setp.ne.u32 %pt, %rank, 0; @%pt bra {skip};")
    commit(w, "%t0")
    if r.pair:
        w.mark(skip)
    w.mark(join)
    w(f"bar.warp.sync -1; add.u32 %full, %bars, {barrier(r, 'done')};")
    w.wait("%full", "%accparity")
    w("tcgen05.fence::after_thread_sync;")
    if r.warps > 4:
        others = w.label("others")
        w(f"setp.ge.u32 %pt, %warp, 4; @%pt bra {others};")
    write_store(w)
    if r.pipeline == "wait" and r.epilogue == "tma":
        w("cp.async.bulk.wait_group.read 0;")
    if r.warps > 4:
        w.mark(others)
    if r.clc:
        write_next(w, alone=False)
    w("tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;")
    end_tile(w, again, end)


def write_copying(w: Writer):
    """Without TMA: all threads copy a step, 16 bytes each time, and one multiplies it."""
    r = w.r
    assert r.stages == 1 and r.threads == 128 and r.bk == 64 and r.swizzle and not r.pair
    again, end = tile_loop(w)
    # A row has 8 pieces of 16 bytes; a thread has the same piece of every 16th row.
    w(f"""shr.u32 %t0, %thread, 3; and.b32 %t1, %thread, 7; mul.wide.u32 %o2, %K, 32;
          and.b32 %t2, %t0, 7; xor.b32 %t2, %t2, %t1; shl.b32 %t2, %t2, 4;
          mad.lo.u32 %a, %t0, {ROW}, %smem; add.u32 %a, %a, %t2; shl.b32 %t1, %t1, 4;""")
    for base, pointer, row in (("da", "a", "%row"), ("db", "b", "%column")):
        w(f"""ld.param.u64 %o, [{pointer}]; add.u32 %t2, %t0, {row};
              mul.wide.u32 %{base}, %t2, %K; shl.b64 %{base}, %{base}, 1; add.s64 %{base}, %{base}, %o;
              cvt.u64.u32 %o, %t1; add.s64 %{base}, %{base}, %o;""")
    w("mov.u64 %froma, %da; mov.u64 %fromb, %db; mov.u32 %i, 0; mov.u32 %slot, 0;")
    loop, join = w.label("step"), w.label("join")
    w.mark(loop)
    for base, rows, first in (("froma", r.bm, 0), ("fromb", r.bn, r.bm * ROW)):
        w(f"mov.u64 %o, %{base}; add.s64 %{base}, %{base}, {ROW};")
        for at in range(0, rows, 16):
            w(f"cp.async.cg.shared.global [%a+{first + at * ROW}], [%o], 16; add.s64 %o, %o, %o2;")
    w(f"""cp.async.commit_group; cp.async.wait_group 0;
          fence.proxy.async.shared::cta; bar.sync 0;
          setp.ne.u32 %pt, %thread, 0; @%pt bra {join};
          setp.eq.u32 %pt, %i, 0; selp.u32 %t9, 1, 0, %pt;""")
    write_mma(w, "%t9")
    write_commit_slot(w)
    w(f"add.u32 %empty, %bars, {barrier(r, 'empty')};")
    w.wait("%empty", "%mparity")
    w("xor.b32 %mparity, %mparity, 1;")
    w.mark(join)
    w(f"""bar.warp.sync -1; bar.sync 0;
          add.u32 %i, %i, 1; setp.lt.u32 %pt, %i, %steps; @%pt bra {loop};
          tcgen05.fence::after_thread_sync;""")
    write_store(w)
    end_tile(w, again, end)


def write(recipe: Recipe) -> str:
    w = Writer(recipe)
    r = recipe
    write_prologue(w)
    w("mov.b16 %both, 3; mov.u32 %lslot, 0; mov.u32 %lparity, 0; mov.u32 %mslot, 0; mov.u32 %mparity, 0;"
      "and.b32 %quarter, %warp, 3; mov.u32 %half, 0;")
    if r.halves > 1:
        w("sub.u32 %half, %warp, 2; shr.u32 %half, %half, 2;")
    # Of an MMA of 64 rows, lanes 0 to 15 of each 32 have some.
    rows = r.bm // 4
    w(f"mad.lo.u32 %line, %quarter, {rows}, %lane; setp.lt.u32 %pin, %lane, {rows};")
    last = w.label("last")
    if r.loads == "cp.async":
        write_copying(w)
    elif r.roles == "none":
        write_single(w)
    else:
        storers = w.label("storers")
        multiply, first = w.label("multiplier"), w.label("others")
        w(f"setp.ne.u32 %pt, %lane, 0; setp.ge.or.u32 %pt, %warp, 2, %pt; @%pt bra {storers};")
        w(f"setp.eq.u32 %pt, %warp, 1; @%pt bra {multiply};")
        write_loader(w)
        w(f"bra {storers};")
        w.mark(multiply)
        if r.pair:
            w(f"setp.ne.u32 %pt, %rank, 0; @%pt bra {storers};")
        write_multiplier(w)
        w.mark(storers)
        w("bar.warp.sync -1; mov.u32 %acc, 0; mov.u32 %accparity, 0;")
        if r.overlaps:
            w(f"setp.lt.u32 %pt, %warp, 2; @%pt bra {last};")
        write_storer(w)
    w.mark(last)
    group = 2 if r.pair else 1
    w("""cp.async.bulk.wait_group 0;
         tcgen05.fence::before_thread_sync; bar.sync 0;""")
    if r.pair:
        w("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;")
    skip = w.label("skip")
    w(f"""tcgen05.fence::after_thread_sync;
          setp.ne.u32 %pt, %warp, 0; @%pt bra {skip};
          tcgen05.dealloc.cta_group::{group}.sync.aligned.b32 %tmem, {r.columns};""")
    w.mark(skip)
    w("ret;")
    body = "\n".join(w.lines)
    cluster = ".reqnctapercluster 2, 1, 1\n" if r.pair else ""
    return f"""// {recipe}
.version 8.6
.target sm_100a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.visible .entry gemm(.param .align 64 .b8 mapa[128], .param .align 64 .b8 mapb[128],
    .param .align 64 .b8 mapd[128], .param .u64 out, .param .u32 m, .param .u32 n, .param .u32 k,
    .param .u64 a, .param .u64 b)
.reqntid {r.threads}, 1, 1
{cluster}{{
  .reg .pred %pin, %pw, %pa, %pone, %pt, %pe, %pl;
  .reg .b16 %both;
  .reg .b32 %M, %N, %K, %thread, %warp, %lane, %rank, %smem, %bars, %tmem, %first, %step, %tilesm, %tilesn;
  .reg .b32 %tiles, %steps, %slot, %parity, %acc, %accparity, %tile, %row, %column, %rowa, %rowb, %a;
  .reg .b32 %full, %empty, %kk, %d, %idesc, %i, %load, %lslot, %lparity, %mslot, %mparity, %quarter, %line, %ta, %half;
  .reg .b32 %last, %next, %clcparity, %pslot, %pparity;
  .reg .b32 %t<10>, %x<128>, %y<64>;
  .reg .b128 %q;
  .reg .b64 %mapa, %mapb, %mapd, %out, %da, %db, %dak, %dbk, %o, %o2, %froma, %fromb;
  .shared .align 16 .b128 next;
  .shared .align 8 .b64 bars[{2 * r.stages + 2 * r.accumulators + 2 * r.clc}];
  .shared .align 4 .b32 base;
{body}
}}
"""
