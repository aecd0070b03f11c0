# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scaled FP8 GEMM kernels for sm_90a, as DeepGEMM has them: accumulators of 128 elements of K
are multiplied with the scales of A's rows and B's blocks and added in registers.

D[M, N] = sum over blocks k of a[k, M] b[N / 128, k] (A[M, k] B[N, k]^T), A and B in e4m3 and D
in bf16. A warpgroup loads, two multiply 64 rows at a time, and clusters are persistent.
"""

from dataclasses import dataclass

from writer import Writer

ROW = 128  # Bytes of a row, and elements of K that share a scale.
MATH = 256  # Threads that multiply.


@dataclass(frozen=True)
class Recipe:
    kind: str
    bm: int = 128
    bn: int = 128
    stages: int = 4
    shares: str = "b"  # a, b: what a CTA pair loads once for both.
    ctas: int = 132
    plain: bool = False  # D isn't swizzled in shared memory: its rows are in the same banks.

    group = 8  # Clusters along the side that a pair is on that go together.
    size = 2
    persistent = True
    element = 2
    epilogue = "tma"
    threads = MATH + 128

    @property
    def stage_bytes(self) -> int:
        return (self.bm + self.bn) * ROW

    @property
    def width(self) -> int:
        """Columns of D that are stored at a time."""
        if self.plain:
            return self.bn
        return 64 if self.bn % 64 == 0 else 32

    @property
    def shared(self) -> int:
        return 1024 + self.scales_b + 1024

    @property
    def scales_a(self) -> int:
        return self.stages * self.stage_bytes + self.bm * self.bn * 2

    @property
    def scales_b(self) -> int:
        return self.scales_a + self.stages * self.bm * 4

    @property
    def cluster_rows(self) -> int:
        return self.bm * (2 if self.shares == "b" else 1)

    @property
    def cluster_columns(self) -> int:
        return self.bn * (2 if self.shares == "a" else 1)


def tile_loop(w: Writer):
    """Labels of a loop over tiles, as in hopper.py; pairs along one side are counted in groups."""
    r = w.r
    along, across = ("m", "n") if r.shares == "b" else ("n", "m")
    again, end = w.label("tile"), w.label("tiles")
    w("mov.u32 %tile, %clusterid.x;")
    w.mark(again)
    w(f"""setp.ge.u32 %pt, %tile, %tiles; @%pt bra {end};
          mul.lo.u32 %t0, %tiles{across}, {r.group}; div.u32 %t1, %tile, %t0;
          mul.lo.u32 %t2, %t1, %t0; sub.u32 %t2, %tile, %t2; mul.lo.u32 %t3, %t1, {r.group};
          sub.u32 %t4, %tiles{along}, %t3; min.u32 %t4, %t4, {r.group};
          div.u32 %t5, %t2, %t4; mul.lo.u32 %t6, %t5, %t4; sub.u32 %t6, %t2, %t6; add.u32 %t6, %t6, %t3;""")
    row, column = ("%t6", "%t5") if r.shares == "b" else ("%t5", "%t6")
    w(f"mul.lo.u32 %row, {row}, {r.cluster_rows}; mul.lo.u32 %column, {column}, {r.cluster_columns};")
    if r.shares == "b":
        w(f"mad.lo.u32 %row, %rank, {r.bm}, %row;")
    else:
        w(f"mad.lo.u32 %column, %rank, {r.bn}, %column;")
    return again, end


def end_tile(w: Writer, again: str, end: str):
    w(f"add.u32 %tile, %tile, %step; bra {again};")
    w.mark(end)


def write_loader(w: Writer):
    r = w.r
    again, end = tile_loop(w)
    loop = w.label("load")
    w("mov.u32 %i, 0;")
    w.mark(loop)
    w(f"""shl.b32 %t0, %slot, 3; add.u32 %full, %t0, %bars; add.u32 %empty, %full, {8 * r.stages};
          xor.b32 %t1, %parity, 1;""")
    w.wait("%empty", "%t1")
    w(f"""mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], {r.stage_bytes + 4 * r.bm};
          mad.lo.u32 %a, %slot, {r.stage_bytes}, %smem; mul.lo.u32 %t2, %i, {ROW};""")
    for name, coordinate, rows, at in (("a", "%row", r.bm, 0), ("b", "%column", r.bn, r.bm * ROW)):
        if r.shares == name:
            w(f"""mad.lo.u32 %t1, %rank, {rows // 2 * ROW}, %a; add.u32 %t1, %t1, {at};
                  mad.lo.u32 %t3, %rank, {rows // 2}, {coordinate};
                  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster
                    [%t1], [%map{name}, {{%t2, %t3}}], [%full], %both;""")
        else:
            w(f"""add.u32 %t1, %a, {at};
                  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
                    [%t1], [%map{name}, {{%t2, {coordinate}}}], [%full];""")
    w(f"""mad.lo.u32 %t1, %i, %M, %row; mul.wide.u32 %o, %t1, 4; add.s64 %o, %o, %scalesa;
          mad.lo.u32 %t1, %slot, {4 * r.bm}, %smem; add.u32 %t1, %t1, {r.scales_a};
          cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%t1], [%o], {4 * r.bm}, [%full];""")
    w.advance("%slot", "%parity", r.stages)
    w(f"add.u32 %i, %i, 1; setp.lt.u32 %pt, %i, %steps; @%pt bra {loop};")
    end_tile(w, again, end)


def write_scales(w: Writer):
    """Of B's blocks, into shared memory, by all warps but the first."""
    loop, done = w.label("scales"), w.label("scaled")
    w(f"""setp.lt.u32 %pt, %thread, 32; @%pt bra {done};
          sub.u32 %t0, %thread, 32; div.u32 %t1, %column, {ROW}; mul.lo.u32 %t1, %t1, %steps;""")
    w.mark(loop)
    w(f"""setp.ge.u32 %pt, %t0, %steps; @%pt bra {done};
          add.u32 %t2, %t1, %t0; mul.wide.u32 %o, %t2, 4; add.s64 %o, %o, %scalesb; ld.global.f32 %scale, [%o];
          shl.b32 %t2, %t0, 2; add.u32 %t2, %t2, %smem; st.shared.f32 [%t2+{w.r.scales_b}], %scale;
          add.u32 %t0, %t0, {MATH - 32}; bra {loop};""")
    w.mark(done)
    w(f"bar.sync 1, {MATH};")


def write_step(w: Writer):
    """Four MMAs for each 64 rows, and what they have given to the sums."""
    r = w.r
    bits = 1 << 62 | 64 << 32 | 1 << 16
    w("shl.b32 %t0, %i, 2; add.u32 %t0, %t0, %smem;"
      f"ld.shared.f32 %scale, [%t0+{r.scales_b}]; shl.b32 %t0, %slot, 3; add.u32 %full, %t0, %bars;")
    w.wait("%full", "%parity")
    w(f"""mad.lo.u32 %a, %slot, {r.stage_bytes}, %smem; mad.lo.u32 %t0, %slot, {4 * r.bm}, %smem;
          shl.b32 %t1, %line, 2; add.u32 %t0, %t0, %t1;
          add.u32 %t1, %a, {r.bm * ROW}; shr.u32 %t1, %t1, 4; cvt.u64.u32 %db, %t1; or.b64 %db, %db, {bits:#x};
          mad.lo.u32 %a, %wg, {64 * ROW}, %a;""")
    registers = ", ".join(f"%c{i}" for i in range(r.bn // 2))
    for part in range(r.bm // 128):
        w(f"""ld.shared.f32 %scale0, [%t0+{r.scales_a + part * 512}];
              ld.shared.f32 %scale1, [%t0+{r.scales_a + part * 512 + 32}];
              add.u32 %t1, %a, {part * 128 * ROW}; shr.u32 %t1, %t1, 4; cvt.u64.u32 %da, %t1;
              or.b64 %da, %da, {bits:#x};
              wgmma.fence.sync.aligned;""")
        for k in range(4):
            w(f"""add.s64 %dak, %da, {2 * k}; add.s64 %dbk, %db, {2 * k};
                  wgmma.mma_async.sync.aligned.m64n{r.bn}k32.f32.e4m3.e4m3
                    {{{registers}}}, %dak, %dbk, {'true' if k else 'false'}, 1, 1;""")
        w("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;")
        if part == r.bm // 128 - 1:
            skip = w.label("skip")
            w(f"""setp.ge.u32 %pt, %lane, {r.size}; @%pt bra {skip};
                  add.u32 %t1, %full, {8 * r.stages}; mapa.shared::cluster.u32 %t1, %t1, %lane;
                  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%t1];""")
            w.mark(skip)
        w("mul.f32 %scale0, %scale0, %scale; mul.f32 %scale1, %scale1, %scale;")
        for i in range(r.bn // 2):
            f = f"%f{part * (r.bn // 2) + i}"
            w(f"fma.rn.f32 {f}, %c{i}, %scale{i // 2 % 2}, {f};")


def write_store(w: Writer):
    """D through shared memory, in panels of `width` columns whose rows are swizzled or `plain`."""
    r = w.r
    row = 2 * r.width
    done = w.label("free")
    w(f"""setp.ge.u32 %pl, %thread, {r.bn // r.width}; @%pl bra {done};
          cp.async.bulk.wait_group.read 0;""")
    w.mark(done)
    turns = {64: "and.b32 %t1, %line, 7;", 32: "shr.u32 %t1, %line, 1; and.b32 %t1, %t1, 3;"}
    turn = turns.get(r.width, "mov.u32 %t1, 0;")
    w(f"""bar.sync 1, {MATH};
          {turn} shl.b32 %t1, %t1, 4; mad.lo.u32 %t0, %line, {row}, %smem;
          and.b32 %t2, %lane, 3; shl.b32 %t2, %t2, 2; add.u32 %t0, %t0, %t2;
          add.u32 %t0, %t0, {r.stages * r.stage_bytes};""")
    for part in range(r.bm // 128):
        for column in range(0, r.bn, 8):
            panel, inner = divmod(column, r.width)
            w(f"xor.b32 %t2, %t1, {2 * inner}; add.u32 %t2, %t2, %t0;")
            for half in range(2):
                c = part * (r.bn // 2) + column // 2 + 2 * half
                at = panel * r.bm * row + (part * 128 + 8 * half) * row
                w(f"cvt.rn.bf16x2.f32 %y, %f{c + 1}, %f{c}; st.shared.b32 [%t2+{at}], %y;")
    done = w.label("stored")
    w(f"""fence.proxy.async.shared::cta; bar.sync 1, {MATH};
          @%pl bra {done};
          mad.lo.u32 %t3, %thread, {r.width}, %column; mad.lo.u32 %t4, %thread, {r.bm * row}, %smem;
          add.u32 %t4, %t4, {r.stages * r.stage_bytes};
          cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%mapd, {{%t3, %row}}], [%t4];
          cp.async.bulk.commit_group;""")
    w.mark(done)


def write_consumer(w: Writer):
    r = w.r
    # The first of a lane's rows in 128.
    w("""and.b32 %line, %warp, 3; shl.b32 %line, %line, 4; mad.lo.u32 %line, %wg, 64, %line;
         shr.u32 %t0, %lane, 2; add.u32 %line, %line, %t0;""")
    again, end = tile_loop(w)
    write_scales(w)
    for i in range(r.bm // 128 * r.bn // 2):
        w(f"mov.f32 %f{i}, 0f00000000;")
    loop = w.label("multiply")
    w("mov.u32 %i, 0;")
    w.mark(loop)
    write_step(w)
    w.advance("%slot", "%parity", r.stages)
    w(f"add.u32 %i, %i, 1; setp.lt.u32 %pt, %i, %steps; @%pt bra {loop};")
    write_store(w)
    end_tile(w, again, end)


def write_prologue(w: Writer):
    r = w.r
    skip = w.label("skip")
    w(f"""ld.param.u32 %M, [m]; ld.param.u32 %N, [n]; ld.param.u32 %K, [k];
    ld.param.u64 %scalesa, [a]; ld.param.u64 %scalesb, [b];
    mov.b64 %mapa, mapa; cvta.param.u64 %mapa, %mapa;
    mov.b64 %mapb, mapb; cvta.param.u64 %mapb, %mapb;
    mov.b64 %mapd, mapd; cvta.param.u64 %mapd, %mapd;
    mov.u32 %thread, %tid.x; shr.u32 %warp, %thread, 5; and.b32 %lane, %thread, 31;
    shr.u32 %wg, %thread, 7; mov.u32 %rank, %cluster_ctarank; mov.b16 %both, 3;
    mov.u32 %smem, smem; add.u32 %smem, %smem, 1023; and.b32 %smem, %smem, 0xfffffc00;
    mov.u32 %bars, bars; setp.ne.u32 %pt, %thread, {MATH}; @%pt bra {skip};""")
    for index in range(r.stages):
        w(f"mbarrier.init.shared::cta.b64 [%bars+{8 * index}], 1;")
        w(f"mbarrier.init.shared::cta.b64 [%bars+{8 * (r.stages + index)}], {r.size * MATH // 32};")
    w("fence.mbarrier_init.release.cluster;")
    w.mark(skip)
    w(f"""barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
          div.u32 %tilesm, %M, {r.cluster_rows};
          add.u32 %tilesn, %N, {r.cluster_columns - 1}; div.u32 %tilesn, %tilesn, {r.cluster_columns};
          mul.lo.u32 %tiles, %tilesm, %tilesn; div.u32 %steps, %K, {ROW};
          mov.u32 %step, %nclusterid.x; mov.u32 %slot, 0; mov.u32 %parity, 0;""")


def write(recipe: Recipe) -> str:
    w = Writer(recipe)
    r = recipe
    write_prologue(w)
    consumers, idle, last = w.label("consumers"), w.label("idle"), w.label("last")
    w(f"""setp.lt.u32 %pt, %thread, {MATH}; @%pt bra {consumers};
          setmaxnreg.dec.sync.aligned.u32 40; setp.ne.u32 %pt, %thread, {MATH}; @%pt bra {idle};""")
    write_loader(w)
    w.mark(idle)
    w(f"bra {last};")
    w.mark(consumers)
    w("setmaxnreg.inc.sync.aligned.u32 232;")
    write_consumer(w)
    w.mark(last)
    w("bar.warp.sync -1; cp.async.bulk.wait_group 0; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret;")
    body = "\n".join(w.lines)
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
.reqnctapercluster 2, 1, 1
{{
  .reg .pred %pw, %pa, %pt, %pl, true, false;
  .reg .b16 %both;
  .reg .b32 %M, %N, %K, %thread, %warp, %lane, %wg, %rank, %smem, %bars, %tilesm, %tilesn, %tiles, %step, %steps;
  .reg .b32 %slot, %parity, %tile, %row, %column, %a, %full, %empty, %i, %line, %ta, %y, %t<7>;
  .reg .f32 %scale, %scale0, %scale1, %c<{r.bn // 2}>, %f<{r.bm // 128 * r.bn // 2}>;
  .reg .b64 %mapa, %mapb, %mapd, %scalesa, %scalesb, %da, %db, %dak, %dbk, %o;
  .shared .align 8 .b64 bars[{2 * r.stages}];
  setp.eq.u32 true, 0, 0; setp.ne.u32 false, 0, 0;
{body}
}}
"""
