# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the kernels of blackwell.py are made of: copies, MMAs, and how a tile is stored."""

from dataclasses import dataclass

from writer import Writer

ROW = 128  # Bytes of a swizzled row.


@dataclass(frozen=True)
class Recipe:
    bm: int = 128  # Rows of a CTA.
    bn: int = 256  # Columns of an MMA; those of a pair if it is one.
    bk: int = 64
    stages: int = 4
    roles: str = "none"  # none, ws
    pair: bool = False
    swizzle: bool = True
    persistent: bool = False
    accumulators: int = 1
    epilogue: str = "direct"  # direct, tma, none
    slices: int = 32  # Columns that go through shared memory at a time.
    group: int = 1  # Tiles in M that go together.
    output: str = "bf16"  # bf16, fp32
    same: bool = False  # All tiles read the same panels of A and B.
    ctas: int = 0  # Of a persistent grid; 0 for one on each SM.
    warps: int = 4  # Without roles.
    parts: int = 1  # MMAs of bn / parts columns each.
    halves: int = 1  # Tiles of bm rows of a CTA, each with its own MMAs and warps that store.
    pipeline: str = "fill"  # Without roles: fill, overlap, wait; see write_single.
    order: str = "rows"  # rows, columns: whether `group` counts tiles in M or in N.
    chunk: bool = False  # A persistent cluster takes tiles that follow each other.
    clc: bool = False  # A persistent kernel takes its next tile from cluster launch control.
    loads: str = "tma"  # tma, cp.async
    alone: str = "no"  # no, shared, tensor: memory that a CTA takes all of, so that an SM has one.
    whole: bool = False  # With tma: the tile is in shared memory before any of it is stored.
    panel: int = 0  # Elements of K that are read again and again, so that they are in L2.

    @property
    def rows_b(self) -> int:
        return self.bn // 2 if self.pair else self.bn

    @property
    def stage_bytes(self) -> int:
        return (self.halves * self.bm + self.rows_b) * self.bk * 2

    @property
    def element(self) -> int:
        return 2 if self.output == "bf16" else 4

    @property
    def slice_bytes(self) -> int:
        return self.bm * self.slices * self.element

    @property
    def threads(self) -> int:
        return 64 + 128 * self.halves if self.roles == "ws" and self.overlaps else 32 * self.warps

    @property
    def overlaps(self) -> bool:
        """Whether the warps that store are none of the others."""
        return self.persistent or self.warps != 4

    @property
    def shared(self) -> int:
        if self.alone == "shared":
            return 226 * 1024
        staging = self.buffers * self.halves * self.slice_bytes if self.epilogue == "tma" else 0
        return 1024 + self.stages * self.stage_bytes + staging

    @property
    def buffers(self) -> int:
        """Of slices that are on their way to D."""
        return self.bn // self.slices if self.whole else 2

    @property
    def box_columns(self) -> int:
        return 64 if self.swizzle else 8

    @property
    def rows(self) -> int:
        """Of a cluster's tile."""
        return self.bm * self.halves * (2 if self.pair else 1)

    @property
    def columns(self) -> int:
        """Of tensor memory that is allocated."""
        if self.alone == "tensor":
            return 512
        return max(32, 1 << (self.bn * self.halves * self.accumulators - 1).bit_length())


# Barriers in shared memory, from `bars` on: full[stages], empty[stages], done[accumulators],
# free[accumulators], next, read (both with clc).
def barrier(r: Recipe, which: str) -> int:
    at = {"full": 0, "empty": r.stages, "done": 2 * r.stages, "free": 2 * r.stages + r.accumulators,
          "next": 2 * (r.stages + r.accumulators), "read": 2 * (r.stages + r.accumulators) + 1}
    return at[which] * 8


def write_prologue(w: Writer):
    r = w.r
    group = 2 if r.pair else 1
    w(f"""
    ld.param.u32 %M, [m]; ld.param.u32 %N, [n]; ld.param.u32 %K, [k];
    ld.param.u64 %out, [out];
    mov.b64 %mapa, mapa; cvta.param.u64 %mapa, %mapa;
    mov.b64 %mapb, mapb; cvta.param.u64 %mapb, %mapb;
    mov.b64 %mapd, mapd; cvta.param.u64 %mapd, %mapd;
    mov.u32 %thread, %tid.x; shr.u32 %warp, %thread, 5; and.b32 %lane, %thread, 31;
    mov.u32 %rank, %cluster_ctarank;
    setp.eq.u32 %pone, %thread, 0;
    mov.u32 %smem, smem; add.u32 %smem, %smem, 1023; and.b32 %smem, %smem, 0xfffffc00;
    mov.u32 %bars, bars;
    """)
    skip = w.label("skip")
    w(f"@!%pone bra {skip};")
    epilogue = 4 * r.halves * group
    for index in range(r.stages):
        w(f"mbarrier.init.shared::cta.b64 [%bars+{8 * index}], 1;")
        w(f"mbarrier.init.shared::cta.b64 [%bars+{8 * (r.stages + index)}], 1;")
    for index in range(r.accumulators):
        w(f"mbarrier.init.shared::cta.b64 [%bars+{barrier(r, 'done') + 8 * index}], 1;")
        w(f"mbarrier.init.shared::cta.b64 [%bars+{barrier(r, 'free') + 8 * index}], {epilogue};")
    if r.clc:
        # The threads that read a tile: all warps without roles; else loaders, storers, one multiplier.
        readers = r.warps if r.roles == "none" else group * (1 + 4 * r.halves) + 1
        w(f"mbarrier.init.shared::cta.b64 [%bars+{barrier(r, 'next')}], 1;")
        w(f"mbarrier.init.shared::cta.b64 [%bars+{barrier(r, 'read')}], {readers};")
    w("fence.mbarrier_init.release.cluster;")
    w.mark(skip)
    skip = w.label("skip")
    w(f"""setp.ne.u32 %pt, %warp, 0;
          @%pt bra {skip};
          tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [base], {r.columns};
          tcgen05.relinquish_alloc_permit.cta_group::{group}.sync.aligned;""")
    w.mark(skip)
    w("""tcgen05.fence::before_thread_sync;
         bar.sync 0;""")
    if r.pair:
        w("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;")
    w(f"""tcgen05.fence::after_thread_sync;
          ld.shared.u32 %tmem, [base];
          mov.u32 %first, %clusterid.x;
          mov.u32 %step, %nclusterid.x;
          div.u32 %tilesm, %M, {r.rows};
          div.u32 %tilesn, %N, {r.bn};
          mul.lo.u32 %tiles, %tilesm, %tilesn;
          div.u32 %steps, %K, {r.bk};
          mov.u32 %slot, 0; mov.u32 %parity, 0;
          mov.u32 %acc, 0; mov.u32 %accparity, 0; mov.u32 %last, %tiles;""")
    if r.chunk:
        w("""add.u32 %t0, %tiles, %step; sub.u32 %t0, %t0, 1; div.u32 %t0, %t0, %step;
             mul.lo.u32 %first, %first, %t0; add.u32 %last, %first, %t0;
             min.u32 %last, %last, %tiles; mov.u32 %step, 1;""")


def write_tile(w: Writer):
    """%tile to %row (of this CTA) and %column."""
    r = w.r
    along, across = ("m", "n") if r.order == "rows" else ("n", "m")
    w(f"""mul.lo.u32 %t0, %tiles{across}, {r.group};
          div.u32 %t1, %tile, %t0;
          mul.lo.u32 %t2, %t1, %t0; sub.u32 %t2, %tile, %t2;
          mul.lo.u32 %t3, %t1, {r.group}; sub.u32 %t4, %tiles{along}, %t3;
          min.u32 %t4, %t4, {r.group};
          div.u32 %t5, %t2, %t4; mul.lo.u32 %t6, %t5, %t4; sub.u32 %t6, %t2, %t6;
          add.u32 %t6, %t6, %t3;""")
    if r.order == "columns":
        w("mov.u32 %t0, %t5; mov.u32 %t5, %t6; mov.u32 %t6, %t0;")
    w(f"""mul.lo.u32 %row, %t6, {r.rows};
          mad.lo.u32 %row, %rank, {r.bm * r.halves}, %row;
          mul.lo.u32 %column, %t5, {r.bn};""")
    w("mov.u32 %rowa, 0; mov.u32 %rowb, 0;" if r.same else
      "mov.u32 %rowa, %row; mov.u32 %rowb, %column;")
    if r.pair:
        w(f"mad.lo.u32 %rowb, %rank, {r.rows_b}, %rowb;")


def write_load(w: Writer, step: str):
    """One stage: the copies of step `step` into slot %slot."""
    r = w.r
    group = ".cta_group::2" if r.pair else ""
    w(f"""mad.lo.u32 %a, %slot, {r.stage_bytes}, %smem;
          shl.b32 %t0, %slot, 3; add.u32 %full, %bars, %t0;""")
    if r.pair:  # Both CTAs' copies are counted by the first one's barrier.
        skip = w.label("skip")
        w(f"""setp.ne.u32 %pt, %rank, 0;
              @%pt bra {skip};
              mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], {2 * r.stage_bytes};""")
        w.mark(skip)
        w("and.b32 %full, %full, 0xfeffffff;")
    else:
        w(f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], {r.stage_bytes};")
    w(f"mul.lo.u32 %kk, {step}, {r.bk};")
    if r.panel:
        w(f"and.b32 %kk, %kk, {r.panel - 1};")
    space = "shared::cluster" if r.pair else "shared::cta"
    width = r.box_columns * 2
    at = 0
    panels = [("rowa", r.bm, half * r.bm) for half in range(r.halves)] + [("rowb", r.rows_b, 0)]
    for name, rows, first in panels:
        for box in range(r.bk // r.box_columns):
            w(f"""add.u32 %t1, %a, {at}; add.u32 %t2, %kk, {box * r.box_columns};
                  add.u32 %t3, %{name}, {first};
                  cp.async.bulk.tensor.2d.{space}.global.tile.mbarrier::complete_tx::bytes{group}
                    [%t1], [{'%mapa' if name == 'rowa' else '%mapb'}, {{%t2, %t3}}], [%full];""")
            at += rows * width


def write_mma(w: Writer, first: str):
    """The MMAs of slot %slot; `first` is a predicate: whether D is replaced by the first."""
    r = w.r
    group = 2 if r.pair else 1
    n = r.bn // r.parts
    idesc = 1 << 4 | 1 << 7 | 1 << 10 | n // 8 << 17 | (r.bm * group) // 16 << 24
    high = 1 << 46
    if r.swizzle:
        high |= 2 << 61 | 64 << 32 | 1 << 16
    for operand, offset, rows in (("da", 0, r.bm), ("db", r.halves * r.bm * r.bk * 2, r.rows_b)):
        bits = high if r.swizzle else high | 8 << 32 | rows << 16
        w(f"""mad.lo.u32 %t0, %slot, {r.stage_bytes}, %smem; add.u32 %t0, %t0, {offset};
              shr.u32 %t0, %t0, 4; cvt.u64.u32 %{operand}, %t0;
              or.b64 %{operand}, %{operand}, {bits & (1 << 64) - 1:#x};""")
    w(f"""mad.lo.u32 %d, %acc, {r.bn * r.halves}, %tmem; mov.u32 %idesc, {idesc};""")
    for k in range(r.bk // 16):
        atom, inner = divmod(k, 4)
        for half, part in ((half, part) for half in range(r.halves) for part in range(r.parts)):
            for operand, rows in (("da", r.bm), ("db", r.rows_b)):
                at = atom * rows * ROW + inner * 32 if r.swizzle else k * 2 * rows * 16
                if operand == "da":
                    at += half * r.bm * r.bk * 2
                else:
                    at += part * (rows // r.parts) * (ROW if r.swizzle else 16)
                w(f"add.s64 %{operand}k, %{operand}, {at // 16};")
            enable = f"setp.eq.u32 %pe, {first}, 0;" if k == 0 else "setp.eq.u32 %pe, 0, 0;"
            w(f"""{enable}
                  add.u32 %t1, %d, {half * r.bn + part * n};
                  tcgen05.mma.cta_group::{group}.kind::f16 [%t1], %dak, %dbk, %idesc, %pe;""")


def commit(w: Writer, address: str):
    if w.r.pair:
        w(f"""tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64
                [{address}], %both;""")
    else:
        w(f"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [{address}];")


def write_commit_slot(w: Writer):
    w(f"shl.b32 %t0, %slot, 3; add.u32 %t0, %t0, %bars; add.u32 %t0, %t0, {barrier(w.r, 'empty')};")
    commit(w, "%t0")


def write_store(w: Writer):
    """Four warps store the tile that is in accumulator %acc. %quarter: of this warp."""
    r = w.r
    if r.epilogue == "none":
        return
    count = r.slices
    columns = r.bn
    for at in range(0, columns, count):
        registers = ", ".join(f"%x{i}" for i in range(count))
        w(f"""mad.lo.u32 %t0, %acc, {r.bn * r.halves}, %tmem; mad.lo.u32 %t0, %half, {r.bn}, %t0;
              add.u32 %t0, %t0, {at};
              shl.b32 %t1, %quarter, 21; add.u32 %t0, %t0, %t1;
              tcgen05.ld.sync.aligned.32x32b.x{count}.b32 {{{registers}}}, [%t0];
              tcgen05.wait::ld.sync.aligned;""")
        words = count
        if r.output == "bf16":
            words //= 2
            for i in range(words):
                w(f"cvt.rn.bf16x2.f32 %y{i}, %x{2 * i + 1}, %x{2 * i};")
        name = "y" if r.output == "bf16" else "x"
        if r.epilogue == "direct":
            w(f"""add.u32 %t2, %line, %row; mad.lo.u32 %t2, %half, {r.bm}, %t2;
                  mul.wide.u32 %o, %t2, %N; cvt.u64.u32 %o2, %column; add.s64 %o, %o, %o2;
                  add.s64 %o, %o, {at}; shl.b64 %o, %o, {1 if r.output == 'bf16' else 2};
                  add.s64 %o, %o, %out;""")
            for i in range(0, words, 4):
                values = ", ".join(f"%{name}{i + j}" for j in range(4))
                w(f"@%pin st.global.v4.b32 [%o+{4 * i}], {{{values}}};")
        else:
            write_staged(w, at, words, name)


def write_staged(w: Writer, at: int, words: int, name: str):
    """A slice through shared memory: rows of 4 * words bytes, swizzled as the map says."""
    r = w.r
    buffer = at // r.slices % r.buffers
    if not r.whole or at == 0:
        storer = w.label("store")
        w(f"""setp.ne.u32 %pt, %quarter, 0;
              @%pt bra {storer};
              cp.async.bulk.wait_group.read {0 if r.whole else 1};""")
        w.mark(storer)
        w("add.u32 %t7, %half, 1; bar.sync %t7, 128;")
    w(f"""mul.lo.u32 %t3, %line, {4 * words}; mad.lo.u32 %t3, %half, {r.buffers * r.slice_bytes}, %t3;
          add.u32 %t3, %t3, %smem; add.u32 %t3, %t3, {r.stages * r.stage_bytes + buffer * r.slice_bytes};""")
    # 16-byte pieces: swizzled by the bits 7 and up of the address.
    span = 4 * words
    shift = {32: 3, 64: 3, 128: 3}[span]
    mask = {32: 0x10, 64: 0x30, 128: 0x70}[span]
    w(f"shr.u32 %t4, %t3, {shift}; and.b32 %t4, %t4, {mask:#x};")
    for i in range(0, words, 4):
        values = ", ".join(f"%{name}{i + j}" for j in range(4))
        w(f"""add.u32 %t5, %t3, {4 * i}; xor.b32 %t5, %t5, %t4;
              @%pin st.shared.v4.b32 [%t5], {{{values}}};""")
    if not r.whole:
        write_slices(w, range(at, at + r.slices, r.slices))
    elif at + r.slices == r.bn:
        write_slices(w, range(0, r.bn, r.slices))


def write_slices(w: Writer, columns: range):
    """One thread stores slices that are in shared memory, by TMA."""
    r = w.r
    done = w.label("stored")
    w(f"""fence.proxy.async.shared::cta;
          bar.sync %t7, 128;
          setp.ne.u32 %pt, %quarter, 0; setp.ne.or.u32 %pt, %lane, 0, %pt;
          @%pt bra {done};""")
    for at in columns:
        buffer = at // r.slices % r.buffers
        w(f"""add.u32 %t6, %smem, {r.stages * r.stage_bytes + buffer * r.slice_bytes};
              mad.lo.u32 %t6, %half, {r.buffers * r.slice_bytes}, %t6;
              add.u32 %t5, %column, {at}; mad.lo.u32 %t8, %half, {r.bm}, %row;
              cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%mapd, {{%t5, %t8}}], [%t6];""")
    w("cp.async.bulk.commit_group;")
    w.mark(done)
