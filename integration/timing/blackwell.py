# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GEMM kernels for sm_100a, step by step from one stage without roles to persistent pairs.

Published ladders are versions of one kernel: this writes each version as PTX, from a
recipe. D[M, N] = A[M, K] B[N, K]^T in bf16, or D in fp32.

`roles` none: one thread issues copies and MMAs, as software pipelines do, and all warps
store the tile; ws: a warp loads, a warp multiplies, four warps store. With `persistent`
each cluster takes every n-th tile; with two `accumulators` tiles overlap.
"""

from dataclasses import dataclass

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

    @property
    def rows_b(self) -> int:
        return self.bn // 2 if self.pair else self.bn

    @property
    def stage_bytes(self) -> int:
        return (self.bm + self.rows_b) * self.bk * 2

    @property
    def element(self) -> int:
        return 2 if self.output == "bf16" else 4

    @property
    def slice_bytes(self) -> int:
        return self.bm * self.slices * self.element

    @property
    def threads(self) -> int:
        return 192 if self.roles == "ws" and self.overlaps else 32 * self.warps

    @property
    def overlaps(self) -> bool:
        """Whether the warps that store are none of the others."""
        return self.persistent or self.warps != 4

    @property
    def shared(self) -> int:
        staging = 2 * self.slice_bytes if self.epilogue == "tma" else 0
        return 1024 + self.stages * self.stage_bytes + staging

    @property
    def box_columns(self) -> int:
        return 64 if self.swizzle else 8


class Writer:
    """PTX, line by line."""

    def __init__(self, recipe: Recipe):
        self.r = recipe
        self.lines: list[str] = []
        self.labels = 0

    def __call__(self, text: str):
        self.lines += [f"  {line.strip()}" for line in text.strip().splitlines()]

    def label(self, name: str = "L") -> str:
        self.labels += 1
        return f"{name}_{self.labels}"

    def mark(self, label: str):
        self.lines.append(f"{label}:")

    def wait(self, address: str, parity: str):
        again = self.label("wait")
        self.mark(again)
        self(f"""mbarrier.try_wait.parity.shared::cta.b64 %pw, [{address}], {parity};
                 @!%pw bra {again};""")

    def advance(self, slot: str, parity: str, count: int):
        """To the next slot of a ring."""
        self(f"""add.u32 {slot}, {slot}, 1;
                 setp.eq.u32 %pa, {slot}, {count};
                 selp.u32 {slot}, 0, {slot}, %pa;
                 selp.u32 %ta, 1, 0, %pa;
                 xor.b32 {parity}, {parity}, %ta;""")


# Barriers in shared memory, from `bars` on: full[stages], empty[stages], done[accumulators],
# free[accumulators].
def barrier(r: Recipe, which: str) -> int:
    at = {"full": 0, "empty": r.stages, "done": 2 * r.stages, "free": 2 * r.stages + r.accumulators}
    return at[which] * 8


def write_prologue(w: Writer):
    r = w.r
    group = 2 if r.pair else 1
    columns = max(32, 1 << (r.bn * r.accumulators - 1).bit_length())
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
    epilogue = 4 * group
    for index in range(r.stages):
        w(f"mbarrier.init.shared::cta.b64 [%bars+{8 * index}], 1;")
        w(f"mbarrier.init.shared::cta.b64 [%bars+{8 * (r.stages + index)}], 1;")
    for index in range(r.accumulators):
        w(f"mbarrier.init.shared::cta.b64 [%bars+{barrier(r, 'done') + 8 * index}], 1;")
        w(f"mbarrier.init.shared::cta.b64 [%bars+{barrier(r, 'free') + 8 * index}], {epilogue};")
    w("fence.mbarrier_init.release.cluster;")
    w.mark(skip)
    skip = w.label("skip")
    w(f"""setp.ne.u32 %pt, %warp, 0;
          @%pt bra {skip};
          tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [base], {columns};
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
          div.u32 %tilesm, %M, {r.bm * group};
          div.u32 %tilesn, %N, {r.bn};
          mul.lo.u32 %tiles, %tilesm, %tilesn;
          div.u32 %steps, %K, {r.bk};
          mov.u32 %slot, 0; mov.u32 %parity, 0;
          mov.u32 %acc, 0; mov.u32 %accparity, 0;""")


def write_tile(w: Writer):
    """%tile to %row (of this CTA) and %column."""
    r = w.r
    w(f"""mul.lo.u32 %t0, %tilesn, {r.group};
          div.u32 %t1, %tile, %t0;
          mul.lo.u32 %t2, %t1, %t0; sub.u32 %t2, %tile, %t2;
          mul.lo.u32 %t3, %t1, {r.group}; sub.u32 %t4, %tilesm, %t3;
          min.u32 %t4, %t4, {r.group};
          div.u32 %t5, %t2, %t4; mul.lo.u32 %t6, %t5, %t4; sub.u32 %t6, %t2, %t6;
          add.u32 %t6, %t6, %t3;
          mul.lo.u32 %row, %t6, {r.bm * (2 if r.pair else 1)};
          mad.lo.u32 %row, %rank, {r.bm}, %row;
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
    space = "shared::cluster" if r.pair else "shared::cta"
    width = r.box_columns * 2
    at = 0
    for name, rows in (("rowa", r.bm), ("rowb", r.rows_b)):
        for box in range(r.bk // r.box_columns):
            w(f"""add.u32 %t1, %a, {at}; add.u32 %t2, %kk, {box * r.box_columns};
                  cp.async.bulk.tensor.2d.{space}.global.tile.mbarrier::complete_tx::bytes{group}
                    [%t1], [{'%mapa' if name == 'rowa' else '%mapb'}, {{%t2, %{name}}}], [%full];""")
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
    for operand, offset, rows in (("da", 0, r.bm), ("db", r.bm * r.bk * 2, r.rows_b)):
        bits = high if r.swizzle else high | 8 << 32 | rows << 16
        w(f"""mad.lo.u32 %t0, %slot, {r.stage_bytes}, %smem; add.u32 %t0, %t0, {offset};
              shr.u32 %t0, %t0, 4; cvt.u64.u32 %{operand}, %t0;
              or.b64 %{operand}, %{operand}, {bits & (1 << 64) - 1:#x};""")
    w(f"""mad.lo.u32 %d, %acc, {r.bn}, %tmem; mov.u32 %idesc, {idesc};""")
    for k in range(r.bk // 16):
        atom, inner = divmod(k, 4)
        for part in range(r.parts):
            for operand, rows in (("da", r.bm), ("db", r.rows_b)):
                at = atom * rows * ROW + inner * 32 if r.swizzle else k * 2 * rows * 16
                if operand == "db":
                    at += part * (rows // r.parts) * (ROW if r.swizzle else 16)
                w(f"add.s64 %{operand}k, %{operand}, {at // 16};")
            enable = f"setp.eq.u32 %pe, {first}, 0;" if k == 0 else "setp.eq.u32 %pe, 0, 0;"
            w(f"""{enable}
                  add.u32 %t1, %d, {part * n};
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
        w(f"""mad.lo.u32 %t0, %acc, {r.bn}, %tmem; add.u32 %t0, %t0, {at};
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
            w(f"""add.u32 %t2, %line, %row;
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
    buffer = at // r.slices % 2
    storer = w.label("store")
    w(f"""setp.ne.u32 %pt, %quarter, 0;
          @%pt bra {storer};
          cp.async.bulk.wait_group.read 1;""")
    w.mark(storer)
    w(f"""bar.sync 1, 128;
          mul.lo.u32 %t3, %line, {4 * words};
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
    done = w.label("stored")
    w(f"""fence.proxy.async.shared::cta;
          bar.sync 1, 128;
          @%pt bra {done};
          setp.ne.u32 %pl, %lane, 0;
          @%pl bra {done};
          add.u32 %t6, %smem, {r.stages * r.stage_bytes + buffer * r.slice_bytes};
          add.u32 %t5, %column, {at};
          cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%mapd, {{%t5, %row}}], [%t6];
          cp.async.bulk.commit_group;""")
    w.mark(done)


def tile_loop(w: Writer):
    """Labels of a loop over tiles: (again, end), entered with %tile."""
    again, end = w.label("tile"), w.label("tiles")
    w("mov.u32 %tile, %first;")
    w.mark(again)
    w(f"setp.ge.u32 %pt, %tile, %tiles; @%pt bra {end};")
    write_tile(w)
    return again, end


def end_tile(w: Writer, again: str, end: str):
    w.advance("%acc", "%accparity", w.r.accumulators)
    w("add.u32 %tile, %tile, %step;")
    if w.r.persistent:
        w(f"bra {again};")
    w.mark(end)


def write_loader(w: Writer):
    again, end = tile_loop(w)
    loop = w.label("load")
    w("mov.u32 %i, 0;")
    w.mark(loop)
    w(f"""shl.b32 %t0, %slot, 3; add.u32 %t0, %t0, %bars; add.u32 %empty, %t0, {barrier(w.r, 'empty')};
          xor.b32 %t1, %parity, 1;""")
    w.wait("%empty", "%t1")
    write_load(w, "%i")
    w.advance("%slot", "%parity", w.r.stages)
    w(f"add.u32 %i, %i, 1; setp.lt.u32 %pt, %i, %steps; @%pt bra {loop};")
    end_tile(w, again, end)


def write_multiplier(w: Writer):
    r = w.r
    again, end = tile_loop(w)
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
    """Without roles: thread 0 fills each slot as soon as its MMAs are done."""
    r = w.r
    again, end = tile_loop(w)
    issuer, join = w.label("issuer"), w.label("join")
    w(f"setp.ne.u32 %pt, %thread, 0; @%pt bra {join};")
    w.mark(issuer)
    # %load counts the copies, %i the MMAs; %slot and %parity are of what is at hand.
    w("mov.u32 %load, 0; mov.u32 %i, 0;")
    loop, loaded, no_load = w.label("step"), w.label("loaded"), w.label("fill")
    w.mark(no_load)
    w(f"setp.ge.u32 %pt, %load, %steps; @%pt bra {loaded};")
    w(f"add.u32 %t0, %i, {r.stages}; setp.ge.u32 %pt, %load, %t0; @%pt bra {loaded};")
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
    w("tcgen05.fence::after_thread_sync; setp.eq.u32 %pt, %i, 0; selp.u32 %t9, 1, 0, %pt;")
    write_mma(w, "%t9")
    write_commit_slot(w)
    if r.pair:
        w.mark(skip)
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
    if r.warps > 4:
        w.mark(others)
    w("tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;")
    end_tile(w, again, end)


def write(recipe: Recipe) -> str:
    w = Writer(recipe)
    r = recipe
    write_prologue(w)
    w("mov.b16 %both, 3; mov.u32 %lslot, 0; mov.u32 %lparity, 0; mov.u32 %mslot, 0; mov.u32 %mparity, 0;"
      "and.b32 %quarter, %warp, 3;")
    # Of an MMA of 64 rows, lanes 0 to 15 of each 32 have some.
    rows = r.bm // 4
    w(f"mad.lo.u32 %line, %quarter, {rows}, %lane; setp.lt.u32 %pin, %lane, {rows};")
    last = w.label("last")
    if r.roles == "none":
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
    columns = max(32, 1 << (r.bn * r.accumulators - 1).bit_length())
    w("""cp.async.bulk.wait_group 0;
         tcgen05.fence::before_thread_sync; bar.sync 0;""")
    if r.pair:
        w("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;")
    skip = w.label("skip")
    w(f"""tcgen05.fence::after_thread_sync;
          setp.ne.u32 %pt, %warp, 0; @%pt bra {skip};
          tcgen05.dealloc.cta_group::{group}.sync.aligned.b32 %tmem, {columns};""")
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
    .param .align 64 .b8 mapd[128], .param .u64 out, .param .u32 m, .param .u32 n, .param .u32 k)
.reqntid {r.threads}, 1, 1
{cluster}{{
  .reg .pred %pin, %pw, %pa, %pone, %pt, %pe, %pl;
  .reg .b16 %both;
  .reg .b32 %M, %N, %K, %thread, %warp, %lane, %rank, %smem, %bars, %tmem, %first, %step, %tilesm, %tilesn;
  .reg .b32 %tiles, %steps, %slot, %parity, %acc, %accparity, %tile, %row, %column, %rowa, %rowb, %a;
  .reg .b32 %full, %empty, %kk, %d, %idesc, %i, %load, %lslot, %lparity, %mslot, %mparity, %quarter, %line, %ta;
  .reg .b32 %t<10>, %x<128>, %y<64>;
  .reg .b64 %mapa, %mapb, %mapd, %out, %da, %db, %dak, %dbk, %o, %o2;
  .shared .align 8 .b64 bars[{2 * r.stages + 2 * r.accumulators}];
  .shared .align 4 .b32 base;
{body}
}}
"""
