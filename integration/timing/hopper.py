# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same as blackwell.py for sm_90a: wgmma with accumulators in registers.

`roles` none: the warpgroups that multiply also issue copies, one thread of them; ws: a
warpgroup of its own loads. Each warpgroup has bm / groups rows, 64 of them in an MMA.
"""

from dataclasses import dataclass

from writer import Writer

ROW = 128


@dataclass(frozen=True)
class Recipe:
    bm: int = 128
    bn: int = 256
    bk: int = 64
    stages: int = 4
    groups: int = 2  # Warpgroups that multiply.
    roles: str = "none"  # none, ws
    persistent: bool = False
    epilogue: str = "direct"  # direct, columns, tma: pairs of D, or elements of its transpose.
    group: int = 1  # Tiles in M that go together.
    ctas: int = 0
    multicast: bool = False  # CTA pairs that share B.
    wait: int = 1  # Groups of MMAs in flight.
    pipeline: str = "overlap"  # Without roles: overlap, wait; see write_single.
    order: str = "rows"  # rows, hilbert
    chunk: bool = False  # A persistent CTA takes tiles that follow each other.
    output: str = "bf16"

    pair = False
    element = 2
    slices = 64

    @property
    def stage_bytes(self) -> int:
        return (self.bm + self.bn) * self.bk * 2

    @property
    def parts(self) -> int:
        """MMAs of a warpgroup for 16 elements of K."""
        return self.bm // (64 * self.groups)

    @property
    def threads(self) -> int:
        return 128 * (self.groups + (self.roles == "ws"))

    @property
    def shared(self) -> int:
        staging = self.bm * self.bn * 2 if self.epilogue == "tma" else 0
        return 1024 + self.stages * self.stage_bytes + staging

    @property
    def size(self) -> int:
        """CTAs of a cluster."""
        return 2 if self.multicast else 1


def write_hilbert(w: Writer):
    """%tile to %t6, %t5 on a Hilbert curve; there are 4^n tiles."""
    loop, turned, done = w.label("curve"), w.label("turned"), w.label("place")
    w("mov.u32 %t0, 1; mov.u32 %t1, %tile; mov.u32 %t5, 0; mov.u32 %t6, 0;")
    w.mark(loop)
    w(f"""setp.ge.u32 %pt, %t0, %tilesm; @%pt bra {done};
          shr.u32 %t2, %t1, 1; and.b32 %t2, %t2, 1; xor.b32 %t3, %t1, %t2; and.b32 %t3, %t3, 1;
          setp.ne.u32 %pt, %t3, 0; @%pt bra {turned};
          setp.eq.u32 %pt, %t2, 1; sub.u32 %t4, %t0, 1;
          @%pt sub.u32 %t6, %t4, %t6; @%pt sub.u32 %t5, %t4, %t5;
          mov.u32 %t4, %t6; mov.u32 %t6, %t5; mov.u32 %t5, %t4;""")
    w.mark(turned)
    w(f"""mad.lo.u32 %t6, %t0, %t2, %t6; mad.lo.u32 %t5, %t0, %t3, %t5;
          shr.u32 %t1, %t1, 2; shl.b32 %t0, %t0, 1; bra {loop};""")
    w.mark(done)


def write_grouped(w: Writer):
    r = w.r
    w(f"""mul.lo.u32 %t0, %tilesn, {r.group};
          div.u32 %t1, %tile, %t0;
          mul.lo.u32 %t2, %t1, %t0; sub.u32 %t2, %tile, %t2;
          mul.lo.u32 %t3, %t1, {r.group}; sub.u32 %t4, %tilesm, %t3;
          min.u32 %t4, %t4, {r.group};
          div.u32 %t5, %t2, %t4; mul.lo.u32 %t6, %t5, %t4; sub.u32 %t6, %t2, %t6;
          add.u32 %t6, %t6, %t3;""")


def write_tile(w: Writer):
    r = w.r
    (write_hilbert if r.order == "hilbert" else write_grouped)(w)
    w(f"""mul.lo.u32 %row, %t6, {r.bm * r.size};
          mad.lo.u32 %row, %rank, {r.bm}, %row;
          mul.lo.u32 %column, %t5, {r.bn};""")


def write_load(w: Writer, step: str):
    r = w.r
    w(f"""mad.lo.u32 %a, %slot, {r.stage_bytes}, %smem;
          shl.b32 %t0, %slot, 3; add.u32 %full, %bars, %t0;
          mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], {r.stage_bytes};
          mul.lo.u32 %kk, {step}, {r.bk};""")
    at = 0
    for name, rows in (("mapa", r.bm), ("mapb", r.bn)):
        shares = r.multicast and name == "mapb"
        boxes = 2 if shares or rows > 256 else 1
        for box in range(r.bk // 64):
            w(f"add.u32 %t2, %kk, {64 * box};")
            if shares:  # Each CTA loads half of B for both.
                half = rows // 2
                w(f"""mad.lo.u32 %t1, %rank, {half * ROW}, %a; add.u32 %t1, %t1, {at};
                      mad.lo.u32 %t3, %rank, {half}, %column;
                      cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster
                        [%t1], [%{name}, {{%t2, %t3}}], [%full], %both;""")
            else:
                start = "%row" if name == "mapa" else "%column"
                w(f"""add.u32 %t1, %a, {at};
                      cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
                        [%t1], [%{name}, {{%t2, {start}}}], [%full];""")
            at += rows * ROW
        assert boxes <= 2


def write_mma(w: Writer):
    """One stage, and its commit. %i: the step."""
    r = w.r
    rows = r.bm // r.groups
    w(f"""mad.lo.u32 %t0, %slot, {r.stage_bytes}, %smem; mad.lo.u32 %t1, %wg, {rows * ROW}, %t0;
          shr.u32 %t1, %t1, 4; cvt.u64.u32 %da, %t1; or.b64 %da, %da, {1 << 62 | 64 << 32 | 1 << 16:#x};
          add.u32 %t0, %t0, {r.bm * r.bk * 2}; shr.u32 %t0, %t0, 4; cvt.u64.u32 %db, %t0;
          or.b64 %db, %db, {1 << 62 | 64 << 32 | 1 << 16:#x};
          setp.ne.u32 %pe, %i, 0;
          wgmma.fence.sync.aligned;""")
    count = r.bn // 2
    for k in range(r.bk // 16):
        atom, inner = divmod(k, 4)
        for part in range(r.parts):
            at = atom * r.bm * ROW + inner * 32 + part * 64 * ROW
            registers = ", ".join(f"%c{part * count + i}" for i in range(count))
            w(f"""add.s64 %dak, %da, {at // 16}; add.s64 %dbk, %db, {(atom * r.bn * ROW + inner * 32) // 16};
                  wgmma.mma_async.sync.aligned.m64n{r.bn}k16.f32.bf16.bf16
                    {{{registers}}}, %dak, %dbk, {'%pe' if k == 0 else 'true'}, 1, 1, 0, 0;""")
    w("wgmma.commit_group.sync.aligned;")


def write_store(w: Writer):
    """Lane t of a warp has, of rows t / 4 and t / 4 + 8, columns 2 (t % 4) and the next of eight."""
    r = w.r
    rows = r.bm // r.groups
    if r.epilogue == "tma":
        done = w.label("free")
        w(f"""setp.ne.u32 %pl, %member, 0; @%pl bra {done};
              cp.async.bulk.wait_group.read 0;""")
        w.mark(done)
        w("add.u32 %t9, %wg, 1; bar.sync %t9, 128;")
    for part in range(r.parts):
        w(f"""and.b32 %t0, %warp, 3; shl.b32 %t0, %t0, 4; shr.u32 %t1, %lane, 2; add.u32 %t0, %t0, %t1;
              mad.lo.u32 %t0, %wg, {rows}, %t0; add.u32 %t0, %t0, {64 * part};
              and.b32 %t2, %lane, 3; shl.b32 %t2, %t2, 1;""")
        if r.epilogue == "direct":
            w("""add.u32 %t1, %t0, %row; mul.wide.u32 %o, %t1, %N; add.u32 %t3, %t2, %column;
                 cvt.u64.u32 %o2, %t3; add.s64 %o, %o, %o2; shl.b64 %o, %o, 1; add.s64 %o, %o, %out;
                 mul.wide.u32 %o2, %N, 16; add.s64 %o2, %o2, %o;""")
        elif r.epilogue == "columns":
            w("""add.u32 %t1, %t0, %row; add.u32 %t3, %t2, %column; mul.wide.u32 %o, %t3, %M;
                 cvt.u64.u32 %o2, %t1; add.s64 %o, %o, %o2; shl.b64 %o, %o, 1; add.s64 %o, %o, %out;
                 mul.wide.u32 %o2, %M, 2;""")
        else:
            w(f"""mul.lo.u32 %t4, %t0, {2 * r.bn}; shl.b32 %t5, %t2, 1; add.u32 %t4, %t4, %t5;
                  add.u32 %t4, %t4, %smem; add.u32 %t4, %t4, {r.stages * r.stage_bytes};""")
        for column in range(0, r.bn, 8):
            c = part * (r.bn // 2) + column // 2
            if r.epilogue == "columns":
                write_columns(w, c)
                continue
            for half in range(2):
                w(f"cvt.rn.bf16x2.f32 %y, %c{c + 2 * half + 1}, %c{c + 2 * half};")
                if r.epilogue == "direct":
                    w(f"st.global.b32 [%o{'2' if half else ''}+{2 * column}], %y;")
                else:
                    w(f"st.shared.b32 [%t4+{2 * column + half * 16 * r.bn}], %y;")
    if r.epilogue == "tma":
        done = w.label("stored")
        w(f"""fence.proxy.async.shared::cta; bar.sync %t9, 128;
              @%pl bra {done};
              mad.lo.u32 %t3, %wg, {rows}, %row; mul.lo.u32 %t4, %wg, {rows * r.bn * 2};
              add.u32 %t4, %t4, %smem; add.u32 %t4, %t4, {r.stages * r.stage_bytes};
              cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%mapd, {{%column, %t3}}], [%t4];
              cp.async.bulk.commit_group;""")
        w.mark(done)


def write_columns(w: Writer, c: int):
    """Of eight columns, the elements that a lane has; %o goes on to the next eight."""
    for element in range(4):
        w(f"cvt.rn.bf16.f32 %h, %c{c + element};")
        if element % 2:
            w(f"add.s64 %o3, %o, %o2; st.global.b16 [%o3+{element // 2 * 16}], %h;")
        else:
            w(f"st.global.b16 [%o+{element // 2 * 16}], %h;")
    w("shl.b64 %o3, %o2, 3; add.s64 %o, %o, %o3;")


def tile_loop(w: Writer):
    again, end = w.label("tile"), w.label("tiles")
    w("mov.u32 %tile, %first;")
    w.mark(again)
    w(f"setp.ge.u32 %pt, %tile, %end; @%pt bra {end};")
    write_tile(w)
    return again, end


def end_tile(w: Writer, again: str, end: str):
    w("add.u32 %tile, %tile, %step;")
    if w.r.persistent:
        w(f"bra {again};")
    w.mark(end)


def write_loader(w: Writer):
    r = w.r
    again, end = tile_loop(w)
    loop = w.label("load")
    w("mov.u32 %i, 0;")
    w.mark(loop)
    w(f"""shl.b32 %t0, %slot, 3; add.u32 %t0, %t0, %bars; add.u32 %empty, %t0, {8 * r.stages};
          xor.b32 %t1, %parity, 1;""")
    w.wait("%empty", "%t1")
    write_load(w, "%i")
    w.advance("%slot", "%parity", r.stages)
    w(f"add.u32 %i, %i, 1; setp.lt.u32 %pt, %i, %steps; @%pt bra {loop};")
    end_tile(w, again, end)


def write_release(w: Writer):
    """The slot before this one is free, in both CTAs."""
    r = w.r
    skip = w.label("skip")
    w(f"""setp.eq.u32 %pt, %i, 0; setp.ge.or.u32 %pt, %member, {r.size}, %pt; @%pt bra {skip};
          shl.b32 %t0, %last, 3; add.u32 %t0, %t0, %bars; add.u32 %t0, %t0, {8 * r.stages};
          mapa.shared::cluster.u32 %t0, %t0, %member;
          mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%t0];""")
    w.mark(skip)


def write_consumer(w: Writer):
    r = w.r
    again, end = tile_loop(w)
    loop = w.label("multiply")
    w("mov.u32 %i, 0;")
    w.mark(loop)
    w("shl.b32 %t0, %slot, 3; add.u32 %full, %t0, %bars;")
    w.wait("%full", "%parity")
    write_mma(w)
    w(f"wgmma.wait_group.sync.aligned {r.wait};")
    if r.wait:
        write_release(w)
    w("mov.u32 %last, %slot;")
    w.advance("%slot", "%parity", r.stages)
    w("add.u32 %i, %i, 1;")
    if not r.wait:
        write_release(w)
    w(f"setp.lt.u32 %pt, %i, %steps; @%pt bra {loop};")
    w("wgmma.wait_group.sync.aligned 0;")
    if r.wait:
        write_release(w)
    write_store(w)
    end_tile(w, again, end)


def write_single(w: Writer):
    """All warpgroups multiply; thread 0 fills slots that are free. MMAs of two steps are in
    flight, or with `wait` those of one, and it is the copies that overlap with them."""
    r = w.r
    waits = r.pipeline == "wait"
    ahead = r.stages - 1 if waits else r.stages - (r.wait if r.stages > 1 else 0)
    again, end = tile_loop(w)
    loop, wait = w.label("step"), w.label("loaded")
    w("mov.u32 %i, 0; mov.u32 %load, 0;")
    w.mark(loop)
    fill = w.label("fill")
    w(f"setp.ne.u32 %pt, %thread, 0; @%pt bra {wait};")
    w.mark(fill)
    # Slots of steps before %i - wait are free.
    w(f"""setp.ge.u32 %pt, %load, %steps; @%pt bra {wait};
          add.u32 %t0, %i, {ahead};
          setp.ge.u32 %pt, %load, %t0; @%pt bra {wait};
          mov.u32 %keep, %slot; mov.u32 %slot, %lslot;""")
    write_load(w, "%load")
    w("mov.u32 %slot, %keep;")
    w.advance("%lslot", "%lparity", r.stages)
    w(f"add.u32 %load, %load, 1; bra {fill};")
    w.mark(wait)
    w("bar.warp.sync -1; shl.b32 %t0, %slot, 3; add.u32 %full, %t0, %bars;")
    w.wait("%full", "%parity")
    if waits:
        w("wgmma.wait_group.sync.aligned 0; bar.sync 0;")
    write_mma(w)
    if not waits:
        w(f"wgmma.wait_group.sync.aligned {r.wait if r.stages > 1 else 0}; bar.sync 0;")
    w.advance("%slot", "%parity", r.stages)
    w(f"add.u32 %i, %i, 1; setp.lt.u32 %pt, %i, %steps; @%pt bra {loop};")
    w("wgmma.wait_group.sync.aligned 0;")
    write_store(w)
    w("bar.sync 0;")
    end_tile(w, again, end)


def write(recipe: Recipe) -> str:
    w = Writer(recipe)
    r = recipe
    w(f"""ld.param.u32 %M, [m]; ld.param.u32 %N, [n]; ld.param.u32 %K, [k]; ld.param.u64 %out, [out];
    mov.b64 %mapa, mapa; cvta.param.u64 %mapa, %mapa;
    mov.b64 %mapb, mapb; cvta.param.u64 %mapb, %mapb;
    mov.b64 %mapd, mapd; cvta.param.u64 %mapd, %mapd;
    mov.u32 %thread, %tid.x; shr.u32 %warp, %thread, 5; and.b32 %lane, %thread, 31;
    shr.u32 %wg, %thread, 7; and.b32 %member, %thread, 127;
    mov.u32 %rank, %cluster_ctarank; mov.b16 %both, 3;
    mov.u32 %smem, smem; add.u32 %smem, %smem, 1023; and.b32 %smem, %smem, 0xfffffc00;
    mov.u32 %bars, bars; setp.ne.u32 %pt, %thread, 0;""")
    skip = w.label("skip")
    w(f"@%pt bra {skip};")
    for index in range(r.stages):
        w(f"mbarrier.init.shared::cta.b64 [%bars+{8 * index}], 1;")
        w(f"mbarrier.init.shared::cta.b64 [%bars+{8 * (r.stages + index)}], {r.groups * r.size};")
    w("fence.mbarrier_init.release.cluster;")
    w.mark(skip)
    w("bar.sync 0;")
    if r.multicast:
        w("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;")
    w(f"""mov.u32 %first, %clusterid.x; mov.u32 %step, %nclusterid.x;
          div.u32 %tilesm, %M, {r.bm * r.size}; div.u32 %tilesn, %N, {r.bn};
          mul.lo.u32 %tiles, %tilesm, %tilesn; div.u32 %steps, %K, {r.bk};
          mov.u32 %slot, 0; mov.u32 %parity, 0; mov.u32 %lslot, 0; mov.u32 %lparity, 0;
          mov.u32 %end, %tiles;""")
    if r.chunk:
        w("""add.u32 %t0, %tiles, %step; sub.u32 %t0, %t0, 1; div.u32 %t0, %t0, %step;
             mul.lo.u32 %first, %first, %t0; add.u32 %end, %first, %t0;
             min.u32 %end, %end, %tiles; mov.u32 %step, 1;""")
    last = w.label("last")
    if r.roles == "none":
        write_single(w)
    else:
        consumers, idle = w.label("consumers"), w.label("idle")
        w(f"setp.lt.u32 %pt, %wg, {r.groups}; @%pt bra {consumers};")
        w(f"setmaxnreg.dec.sync.aligned.u32 24; setp.ne.u32 %pt, %member, 0; @%pt bra {idle};")
        write_loader(w)
        w.mark(idle)
        w(f"bra {last};")
        w.mark(consumers)
        w("setmaxnreg.inc.sync.aligned.u32 240;" if r.groups < 3 else "")
        write_consumer(w)
    w.mark(last)
    w("bar.warp.sync -1; cp.async.bulk.wait_group 0;")
    if r.multicast:
        w("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;")
    w("ret;")
    body = "\n".join(w.lines)
    cluster = ".reqnctapercluster 2, 1, 1\n" if r.multicast else ""
    return f"""// {recipe}
.version 8.6
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.visible .entry gemm(.param .align 64 .b8 mapa[128], .param .align 64 .b8 mapb[128],
    .param .align 64 .b8 mapd[128], .param .u64 out, .param .u32 m, .param .u32 n, .param .u32 k,
    .param .u64 a, .param .u64 b)
.reqntid {r.threads}, 1, 1
.maxnreg 168
{cluster}{{
  .reg .pred %pw, %pa, %pt, %pe, %pl, true;
  .reg .b16 %both, %h;
  .reg .b32 %M, %N, %K, %thread, %warp, %lane, %wg, %member, %rank, %smem, %bars, %first, %step, %tilesm;
  .reg .b32 %tilesn, %tiles, %end, %steps, %slot, %parity, %tile, %row, %column, %a, %full, %empty, %kk, %i;
  .reg .b32 %load, %lslot, %lparity, %last, %keep, %ta, %y, %t<10>;
  .reg .f32 %c<{r.parts * r.bn // 2}>;
  .reg .b64 %mapa, %mapb, %mapd, %out, %da, %db, %dak, %dbk, %o, %o2, %o3;
  .shared .align 8 .b64 bars[{2 * r.stages}];
  setp.eq.u32 true, 0, 0;
{body}
}}
"""
