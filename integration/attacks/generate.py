#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes kernels that try to leave their memory.

    generate.py FOLDER

A family is a function below; what it tries is in its first line. Each kernel
has three parameters: the address of 4000 bytes of device memory (%buffer), the
address of a page of the host that is watched (%target), and a tensor map of the
buffer. The list beside the kernels, attacks.json, says what must come of them:
"reported", "runs", "refused" (before it is launched), or "any", where only the
host's memory counts.
"""

import json
import pathlib
import random
import sys

attacks = []
kernels = {}


def add(name, body, expected="any", outside="", **launch):
    """A kernel around `body`; `outside` stands in front of it."""
    text = f""".version 8.8
.target {"sm_100a" if launch.get("device") == "b200" else "sm_90a"}
.address_size 64
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
{outside}
.visible .entry k(.param .u64 buffer, .param .u64 target,
                  .param .align 64 .b8 map[128]) {{
  .reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<64>; .reg .f32 %f<64>;
  .reg .b64 %rd<64>, %buffer, %target, %map; .reg .b128 %q<8>;
  .shared .align 1024 .b8 smem[4096];
  .shared .align 8 .b64 bar;
  ld.param.u64 %buffer, [buffer];
  ld.param.u64 %target, [target];
  mov.b64 %map, map;
  cvta.param.u64 %map, %map;
{body}
  ret;
}}
"""
    number = f"{len(attacks):04}-{name}"
    kernels[number + ".ptx"] = text
    attacks.append({"name": number, "file": number + ".ptx",
                    "expected": expected, **launch})


def once(body):
    """The body for the first thread alone."""
    return f"mov.u32 %r63, %tid.x;\nsetp.ne.u32 %p15, %r63, 0;\n@%p15 bra OVER;\n{body}\nOVER:"


# Addresses

WILD = ["0", "8", "0x41414140", "0xfffffffffffffff0", "0x7ffffffffffffff0",
        "0x8000000000000000", "0x00007fffffffe000", "0x6ffffffffff0",
        "0x700040000000", "0x7fff00000000"]


def plain_addresses():
    """Loads, stores and atomics at addresses that nothing is at."""
    accesses = ["ld{s}.u8 %r1, [%rd1];", "ld{s}.v4.u32 {{%r1, %r2, %r3, %r4}}, [%rd1];",
                "st{s}.u64 [%rd1], %rd1;", "atom{s}.add.u32 %r1, [%rd1], 1;",
                "red{s}.or.b64 [%rd1], %rd1;"]
    for address in WILD:
        for number, access in enumerate(accesses):
            space = [".global", ""][number % 2]
            add("plain", f"mov.u64 %rd1, {address};\n" + access.format(s=space),
                "reported")
    for access in accesses:
        add("plain-target", "mov.u64 %rd1, %target;\n" + access.format(s=".global"),
            "reported")
        add("plain-target-generic", "mov.u64 %rd1, %target;\n" + access.format(s=""),
            "reported")
    for offset in (-16, 3985, 3999, 4000, 1 << 31, -(1 << 31), (1 << 63) - 1):
        add("plain-buffer", f"add.u64 %rd1, %buffer, {offset};\n"
            "ld.global.v2.u64 {%rd2, %rd3}, [%rd1];", "reported")


def windows():
    """Generic addresses at the ends of the windows, and spaces mixed up."""
    for base in (0x10000000000, 0x20000000000, 0x40000000000, 0x50000000000):
        for offset in (-8, 0x80000, 0xff000000, 0xfffffff8, 1 << 39):
            add("window", f"mov.u64 %rd1, {base + offset};\n"
                "st.u64 [%rd1], %rd1;", "reported")
    for space in ("shared", "local", "const", "param"):
        add("cvta-to", f"cvta.to.{space}.u64 %rd1, %target;\n"
            f"cvta.{space}.u64 %rd1, %rd1;\nst.u64 [%rd1], %rd1;", "reported")
    for space in ("shared", "local"):
        for address in ("-8", "0x80000000", "0xfffffff8", "4194304"):
            add(f"own-{space}-generic", f"mov.u32 %r1, {address};\n"
                f"st.{space}.u64 [%r1], %target;", "reported")
        add(f"own-{space}-wide", f"st.{space}.u64 [%target], %target;", "reported")
    add("own-param-write", "mov.u64 %rd1, 0x40000000000;\nst.u64 [%rd1], %rd1;",
        "reported")


def wide_registers():
    """Registers wider than what is moved, vectors of odd registers."""
    for bits in (8, 16, 32, 64):
        for space, end in (("global", "%buffer+4000"), ("shared", "last+128")):
            place = f"[{end.split('+')[0]}+{int(end.split('+')[1]) - bits // 8}]"
            outside = ".shared .align 16 .b8 last[128];\n"
            add("own-wide-st", f"mov.b128 %q1, {{%target, %target}};\nst.{space}.b{bits} {place}, %q1;",
                "runs", outside=outside)
            add("own-wide-ld", f"ld.{space}.b{bits} %q1, {place};\n"
                "mov.b128 {%rd1, %rd2}, %q1;\nst.global.u64 [%buffer], %rd2;", "runs", outside=outside)
    add("mixed-vector", "ld.global.v2.u32 {%r1, %rd1}, [%buffer];")
    add("mixed-vector", "ld.global.v2.u32 {%rd1, %r1}, [%buffer];")
    add("mixed-vector", "st.global.v4.u32 [%buffer], {%r1, %rd1, %r2, %rd2};")


def dsmem():
    """Shared memory of CTAs that there aren't."""
    for rank in ("1", "2", "3", "15", "16", "254", "255", "256", "0x7fffffff", "-1"):
        valid = rank == "1"
        for access in ("ld.shared::cluster.u32 %r3, [%r2];",
                       "st.shared::cluster.u32 [%r2], %r3;",
                       "atom.shared::cluster.add.u32 %r3, [%r2], 1;"):
            add("dsmem", f"mov.u32 %r1, smem;\nmapa.shared::cluster.u32 %r2, %r1, {rank};\n"
                f"{access}\nbarrier.cluster.arrive;\nbarrier.cluster.wait;",
                "runs" if valid else "reported", cluster=2, grid=2)
    for mask in ("0", "4", "0x8000", "0xffff"):
        add("multicast", once(f"""mbarrier.init.shared.b64 [bar], 1;
mov.u16 %h1, {mask};
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
  [smem], [%buffer], 256, [bar], %h1;"""), "reported", cluster=2, grid=2)
    for code in ("st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%r2], %rd1, [%r4];",
                 "red.async.relaxed.cluster.global.mbarrier::complete_tx::bytes" if False else
                 "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r2], %r1, [%r4];"):
        for rank in ("2", "255"):
            for offset in ("0", "16777215", "-4"):
                add("own-async-remote", once(f"""mov.u32 %r1, smem;
mapa.shared::cluster.u32 %r2, %r1, {rank};
add.u32 %r2, %r2, {offset};
mov.u32 %r3, bar;
mapa.shared::cluster.u32 %r4, %r3, {rank};
{code}"""), "reported", cluster=2, grid=2)


# Engines

def descriptors():
    """Matrix descriptors drawn at random."""
    draw = random.Random(7)
    for number in range(50):
        a, b = draw.getrandbits(64), draw.getrandbits(64)
        n, d = [(8, 4), (64, 32), (128, 64)][number % 3]
        registers = ", ".join(f"%f{i}" for i in range(d)) if d <= 64 else ""
        add("wgmma", f"""wgmma.fence.sync.aligned;
mov.u64 %rd1, {a}; mov.u64 %rd2, {b};
wgmma.mma_async.sync.aligned.m64n{n}k16.f32.bf16.bf16 {{{registers}}}, %rd1, %rd2, 1, 1, 1, {number // 3 % 2}, {number % 2};
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;""", block=128)
    allocate = """tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem], {columns};
ld.shared.u32 %r1, [smem];
tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
"""
    for number in range(50):
        a, b = (draw.getrandbits(64) & ~(7 << 46 | 0x1ff << 52) | 1 << 46 for _ in "ab")
        idesc = draw.choice([0x8200490, 0x4200490, draw.getrandbits(32)])
        d = draw.choice([0, 0, 16 << 16, 511, 0xffff, draw.getrandbits(32)])
        add("tcgen05-mma", allocate.format(columns=32 << number % 5) + once(f"""
mov.u64 %rd1, {a}; mov.u64 %rd2, {b}; add.u32 %r2, %r1, {d};
setp.eq.u32 %p1, 0, 0;
tcgen05.mma.cta_group::1.kind::f16 [%r2], %rd1, %rd2, {idesc}, %p1;
mbarrier.init.shared.b64 [bar], 1;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [bar];
"""), device="b200", block=128)
    for number in range(30):
        d = draw.choice([31, 480, 511, 512, 65535, 127 << 16, 128 << 16, draw.getrandbits(32)])
        shape, count = [("32x32b", 1), ("16x64b", 1), ("16x128b", 2), ("16x256b", 4)][number % 4]
        scale = [1, 4, 16, 32][number // 4 % 4]
        registers = ", ".join(f"%f{i}" for i in range(min(count * scale, 64)))
        scale = min(scale, 64 // count)
        add("tcgen05-ld", allocate.format(columns=32) + f"add.u32 %r2, %r1, {d};\n"
            f"tcgen05.ld.sync.aligned.{shape}.x{scale}.b32 {{{registers}}}, [%r2];"
            if number % 2 else allocate.format(columns=32) + f"add.u32 %r2, %r1, {d};\n"
            f"tcgen05.st.sync.aligned.{shape}.x{scale}.b32 [%r2], {{{registers}}};",
            "reported", device="b200", block=128)
    for number in range(20):
        s = draw.getrandbits(64) & ~(7 << 46 | 0x1ff << 52) | 1 << 46
        to = draw.choice([0, 28, 31, 512, draw.getrandbits(32)])
        add("tcgen05-cp", allocate.format(columns=32) + once(f"""
mov.u64 %rd1, {s}; add.u32 %r2, %r1, {to};
tcgen05.cp.cta_group::1.{["128x256b", "128x128b"][number % 2]} [%r2], %rd1;
mbarrier.init.shared.b64 [bar], 1;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [bar];
"""), device="b200", block=128)
    for columns in ("0", "16", "48", "1024", "-1"):
        add("tcgen05-alloc", f"mov.u32 %r1, {columns};\n"
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem], %r1;",
            "reported", device="b200")
    add("tcgen05-alloc-at", "mov.u32 %r1, 0x7fffff0;\n"
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;", "reported", device="b200")


def matrices():
    """ldmatrix, stmatrix and wmma with odd rows and strides."""
    for address in ("smem+4095", "-16", "0x7fffff0", "16777200"):
        base = "mov.u32 %r1, smem;\nadd.u32 %r1, %r1, 4092;" if address == "smem+4095" else f"mov.u32 %r1, {address};"
        add("ldmatrix", f"{base}\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r2, %r3, %r4, %r5}}, [%r1];", "reported")
        add("stmatrix", f"{base}\nstmatrix.sync.aligned.m8n8.x4.shared.b16 [%r1], {{%r2, %r3, %r4, %r5}};", "reported")
    fragments = ", ".join(f"%f{i}" for i in range(8))
    for stride in ("16", "0x40000000", "0x7fffffff", "-1", "-16"):
        add("wmma-store", f"mov.u32 %r1, {stride};\n"
            f"wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%buffer], {{{fragments}}}, %r1;",
            "runs" if stride == "16" else "reported")
        add("wmma-load", f"mov.u32 %r1, {stride};\n"
            f"wmma.load.c.sync.aligned.col.m16n16k16.global.f32 {{{fragments}}}, [%buffer+3584], %r1;", "reported")
    add("wmma-target", f"wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%target], {{{fragments}}}, 16;", "reported")


def mbarriers():
    """mbarriers where there are none."""
    for address in ("0xfffff8", "-8", "4", "0x1000008", "0xff000000"):
        for code in ("mbarrier.init.shared.b64 [%r1], 1;",
                     "mbarrier.arrive.shared.b64 %rd1, [%r1];",
                     "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;",
                     "cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];"):
            add("mbarrier", once(f"mov.u32 %r1, {address};\n{code}"), "reported")
    add("mbarrier-count", once("mov.u32 %r1, -1;\nmbarrier.init.shared.b64 [bar], %r1;"), "reported")
    add("mbarrier-over", once("mbarrier.init.shared.b64 [bar], 1;\nst.shared.u64 [bar], %target;\n"
                              "mbarrier.arrive.shared.b64 _, [bar];"), "reported")


def bulk_sizes():
    """Bulk copies and st.bulk whose size or end wraps."""
    for size in ("0", "3984", "4096", "4112", "0x7ffffff0", "0xfffffff0", "-16", "17"):
        for offset in (0, 16, 4080):
            add("bulk-ld", once(f"""mbarrier.init.shared.b64 [bar], 1;
mov.u32 %r1, {size};
mov.u32 %r2, smem; add.u32 %r2, %r2, {offset};
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%buffer], %r1, [bar];"""))
            add("bulk-st", once(f"""mov.u32 %r1, {size};
mov.u32 %r2, smem; add.u64 %rd1, %buffer, {offset};
cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], %r1;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;"""))
    for size in ("0xfffffffffffffff0", "0xffffffffffffe000", "0x8000000000000000", "0x100000000", "0x1000000", "8192"):
        for offset in (16, 64, 4096):
            add("st-bulk", once(f"mov.u64 %rd1, {size};\nmov.u32 %r1, smem;\n"
                                f"st.bulk.weak.shared::cta [%r1+{offset}], %rd1, 0;"),
                "reported", device="b200")
    for address in ("%target", "0"):
        add("bulk-st-at", once(f"mov.u64 %rd1, {address};\nmov.u32 %r2, smem;\n"
                               "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 64;"), "reported")
        add("bulk-ld-at", once(f"mov.u64 %rd1, {address};\nmbarrier.init.shared.b64 [bar], 1;\n"
                               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem], [%rd1], 64, [bar];"), "reported")
    for size, bytes in (("17", 16), ("-1", 16), ("5", 4), ("0x80000000", 8)):
        add("own-cp-async", f"mov.u32 %r1, {size};\n"
            f"cp.async.ca.shared.global [smem], [%buffer+3984], {bytes}, %r1;\ncp.async.wait_all;", "reported")
    add("own-cp-async-target", "cp.async.ca.shared.global [smem], [%target], 16;\ncp.async.wait_all;", "reported")
    for left, right in (("16", "0"), ("15", "15"), ("-1", "0"), ("0", "0x80000000")):
        add("own-ignore-oob", once(f"""mbarrier.init.shared.b64 [bar], 1;
mov.u32 %r1, {left}; mov.u32 %r2, {right};
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [smem], [%buffer+3984], 16, %r1, %r2, [bar];"""),
            device="b200")
    add("own-cp-mask", once("mov.u16 %h1, 0x8001;\nmov.u32 %r1, smem;\n"
                            "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%buffer+3984], [%r1], 32, %h1;\n"
                            "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;"), "reported", device="b200")


def tensor_map(box, dims=None, strides=None, rank=None, form=0, swizzle=0,
               interleave=0, steps=None, im2col=False):
    """The bytes of a tensor map, as docs of TensorMap.h have them."""
    rank = rank or len(box)
    bits = 0

    def field(at, width, value):
        nonlocal bits
        bits |= (value & ((1 << width) - 1)) << at
    field(64, 1, int(im2col))
    field(65, 3, 1)
    field(68, 3, rank - 1)
    field(71, 4, form)
    field(75, 2, interleave)
    field(77, 2, swizzle)
    dims = dims or box
    for i in range(rank):
        field(256 + 32 * i, 32, dims[i] - 1)
        field(440 + 8 * i, 8, box[i] - 1)
        field(416 + 3 * i, 3, (steps[i] if steps else 1) - 1)
        if i:
            stride = strides[i - 1] if strides else 16
            field(96 + 32 * (i - 1), 32, stride >> 4)
            field(224 + 4 * (i - 1), 4, stride >> 36)
    return bits.to_bytes(128, "little").hex()


def tensor_copies():
    """Tiles whose footprint wraps, that begin outside, and rows that are nowhere."""
    coordinates = {1: "{%r1}", 2: "{%r1, %r1}", 3: "{%r1, %r1, %r1}",
                   4: "{%r1, %r1, %r1, %r1}", 5: "{%r1, %r1, %r1, %r1, %r1}"}
    load = """mbarrier.init.shared.b64 [bar], 1;
mov.u32 %r1, {c};
cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [smem{at}], [%map, {coordinates}], [bar];"""
    store = """mov.u32 %r1, {c};
cp{reduce}.async.bulk.tensor.{rank}d.global.shared::cta{op}.tile.bulk_group [%map, {coordinates}], [smem{at}];
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;"""
    boxes = [[16, 256, 256, 256, 16], [16, 256, 256, 256, 256], [64, 256, 256, 256, 4],
             [256, 256, 256, 256, 1], [16, 256, 256, 256], [16, 1, 256, 256, 256],
             [16, 256, 2], [16, 257 - 1], [128, 128], [16, 3, 128]]
    for box in boxes:
        rank = len(box)
        m = tensor_map(box, strides=[16, 0, 0, 0])
        for code, reduce, op in ((load, "", ""), (store, "", ""), (store, ".reduce", ".add")):
            form = 2 if reduce else 0
            expected = "reported" if box[0] * eval("*".join(map(str, box[1:]))) > 4096 else "any"
            add("tma-footprint", once(code.format(c=0, rank=rank, at="", coordinates=coordinates[rank],
                                                  reduce=reduce, op=op)),
                expected, map=tensor_map([box[0] // 4] + box[1:] if reduce else box, strides=[16, 0, 0, 0], form=form))
    for c in ("0x7fffffff", "-2147483648", "-1", "268435456"):
        for stride in (16, 1 << 36, (1 << 40) - 16):
            m = tensor_map([16, 4, 2], [1 << 32, 1 << 32, 1 << 32], [stride, stride])
            add("own-tma-coordinates", once(load.format(c=c, rank=3, at="", coordinates=coordinates[3])), map=m)
            add("own-tma-coordinates", once(store.format(c=c, rank=3, at="", coordinates=coordinates[3], reduce="", op="")), map=m)
    for swizzle in (1, 2, 3):
        add("own-tma-swizzle-end", once(load.format(c=0, rank=2, at="+3968", coordinates=coordinates[2])),
            map=tensor_map([16, 16], [16, 16], [16], swizzle=swizzle))
    for rows in ("{%r1, %r1, %r1, %r1, %r1}", "{%r2, %r1, %r2, %r1, %r2}"):
        add("own-gather", once(f"""mbarrier.init.shared.b64 [bar], 1;
mov.u32 %r1, 0x7fffffff; mov.u32 %r2, 0;
cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [smem+3968], [%map, {rows}], [bar];"""),
            device="b200", map=tensor_map([64, 1], [64, 1 << 32], [1 << 36], form=2))
    # The kernel's own map, whose bytes it writes itself.
    draw = random.Random(11)
    for number in range(16):
        words = [int.from_bytes(bytes.fromhex(tensor_map([16, 256, 256, 256, 16], strides=[16, 0, 0, 0]))[8 * i:8 * i + 8], "little") for i in range(8)]
        words[draw.randrange(1, 8)] ^= 1 << draw.randrange(64)
        writes = "\n".join(f"mov.u64 %rd1, {w};\n{'or.b64 %rd1, %rd1, %buffer;' if i == 0 else ''}st.global.u64 [%buffer+{8 * i}], %rd1;"
                           for i, w in enumerate(words))
        add("own-tma-written-map", once(writes + """
mbarrier.init.shared.b64 [bar], 1;
fence.proxy.tensormap::generic.release.gpu;
fence.proxy.tensormap::generic.acquire.gpu [%buffer], 128;
mov.u32 %r1, 0;
cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [smem], [%buffer, {%r1, %r1, %r1, %r1, %r1}], [bar];"""))
    for address in ("%target", "smem_generic", "0x40000000000"):
        first = "mov.u32 %r2, smem;\ncvt.u64.u32 %rd1, %r2;\ncvta.shared.u64 %rd1, %rd1;" if address == "smem_generic" else f"mov.u64 %rd1, {address};"
        add("tma-map-at", once(f"""{first}
mbarrier.init.shared.b64 [bar], 1;
mov.u32 %r1, 0;
cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [smem], [%rd1, {{%r1}}], [bar];"""), "reported")
    for field, value in (("box_dim.global.b1024.b32 [%buffer], 0", "257"), ("box_dim.global.b1024.b32 [%buffer], 0", "0"),
                         ("global_stride.global.b1024.b64 [%buffer], 3", "%target"), ("rank.global.b1024.b32 [%buffer]", "7")):
        add("tensormap-replace", once(f"tensormap.replace.tile.{field}, {value};"), "any")
    add("tensormap-replace-target", once("tensormap.replace.tile.rank.global.b1024.b32 [%target], 1;"), "reported")


# Calls, frames, printf, the heap

G = ".func g(.param .align 8 .b8 x[64]) { .reg .b64 %a; ld.param.b64 %a, [x+56]; ret; }\n"


def calls():
    """Calls whose two sides don't agree, and pointers to no function."""
    prototypes = ["_ (.reg .pred _)", "_ (.reg .b32 _)", "_ (.reg .b64 _)", "_ (.param .b64 _)",
                  "_ (.param .align 8 .b8 _[32])", "_ (.param .align 8 .b8 _[128])"]
    arguments = ["%p1", "%r1", "%rd1", "a8", "a32", "a128"]
    for prototype, argument in zip(prototypes, arguments):
        declare = ".param .b64 a8; .param .align 8 .b8 a32[32]; .param .align 8 .b8 a128[128];\n"
        for set in ("", "setp.eq.u64 %p1, %rd1, 0;\n"):
            add("call-prototype", f"{declare}{set}mov.u64 %rd2, g;\nproto: .callprototype {prototype};\ncall %rd2, ({argument}), proto;",
                "reported", outside=G)
    results = ".func (.reg .pred r) t() { setp.eq.u32 r, 0, 0; ret; }\n.func (.param .align 8 .b8 r[64]) m() { st.param.b64 [r+56], 7; ret; }\n"
    for prototype, name, to in (("(.reg .b32 _) _ ()", "t", "%r1"), ("(.param .b64 _) _ ()", "m", "a8"),
                                ("(.reg .pred _) _ ()", "m", "%p1"), ("(.reg .b64 _) _ ()", "m", "%rd1")):
        add("call-result", f".param .b64 a8;\nmov.u64 %rd2, {name};\nproto: .callprototype {prototype};\ncall ({to}), %rd2, proto;",
            "reported", outside=results)
    for to in ("1", "0"):
        add("own-call-constant", f"call ({to}), t;\nsetp.eq.u32 %p1, 0, 1;\n@%p1 bra DONE;\nDONE:", "reported", outside=results)
    add("own-call-parameter", "call (buffer), m;", "reported", outside=results)
    add("own-call-parameter", "call g, (map);", "reported", outside=G)
    for pointer in ("0", "%target", "0x50000000008", "0x50000000011", "0x5ffffffffff0", "-1"):
        add("call-pointer", f"mov.u64 %rd2, {pointer};\nproto: .callprototype _ ();\ncall %rd2, proto;", "reported")
    add("own-call-kernel", "mov.u64 %rd2, other;\nproto: .callprototype _ ();\ncall %rd2, proto;", "reported",
        outside=".visible .entry other(.param .b64 x) { .reg .b64 %a; ld.param.b64 %a, [x]; ret; }\n")
    for index in ("1", "-1", "0x7fffffff"):
        add("brx", f"mov.u32 %r1, {index};\nlist: .branchtargets A;\nbrx.idx %r1, list;\nA:", "reported")


def frames():
    """Frames that wrap, stackrestore, links, recursion with many results."""
    for value in ("98304", "524288", "0xffffffff", "0x80000000"):
        add("stackrestore", f"mov.u32 %r1, {value};\nstackrestore.u32 %r1;\ncall f;", "reported",
            outside=".func f() { .reg .b32 %a; .local .b32 x; mov.u32 %a, 7; st.local.u32 [x], %a; ret; }\n")
    for value in ("0x02000000", "0x00fffff8", "0x7ffffff8", "0xfffff000"):
        add("call-link", "mov.u32 %r1, 98304;\nstackrestore.u32 %r1;\ncall f;", "reported", outside=f"""
.func (.param .b64 r) g() {{ .reg .b32 %a; .reg .b64 %b; mov.u64 %b, 0x4141414141414141; st.param.b64 [r], %b;
  mov.u32 %a, 49152; mov.u64 %b, {value}; st.local.u64 [%a], %b; ret; }}
.func f() {{ .reg .b32 %a; .param .b64 q; mov.u32 %a, 49152; stackrestore.u32 %a; call (q), g; ret; }}
""")
    for offset in (-8, -4, -16, 4, 1024, 524280):
        add("own-frame-write", "call f;", "reported", outside=f"""
.func f() {{ .reg .b32 %a; .reg .b64 %b; .local .align 8 .b32 x; mov.u32 %a, x; mov.u64 %b, 0x7fffffff00000000;
  st.local.u32 [%a+{offset}], %a; ret; }}
""")
    for size in (2147483648, 4294967288, 4294967296, 524288):
        add("frame-size", f".param .align 1 .b8 y[{size}];\ncall f, (y);", "refused", outside=f"""
.func f(.param .align 1 .b8 x[{size}]) {{ .reg .b32 %a; .local .align 1 .b8 big[{size}]; ld.param.b8 %a, [x]; ld.local.u8 %a, [big]; ret; }}
""")
        add("frame-wraps", f".param .align 1 .b8 y[{size}];\n.local .align 1 .b8 big[{1 << 32 if size < 1 << 31 else (1 << 33) - size}];\n"
            "mov.u32 %r1, big;\nst.param.b8 [y], %r1;\ncall f, (y);", "refused", outside=f"""
.func f(.param .align 1 .b8 x[{size}]) {{ .reg .b32 %a; .local .align 1 .b8 big[{(1 << 33) - size}]; ld.param.b8 %a, [x]; ld.local.u8 %a, [big]; ret; }}
""")
        add("own-local-size", f".local .align 1 .b8 y[{size}];\n.local .b8 z[64];\nst.local.u64 [z], %target;\nst.local.u8 [y], %r1;", "refused")
    add("own-shared-size", "mov.u32 %r1, s;\nmov.u32 %r2, t;\nst.shared.u32 [%r2], %r1;", "refused",
        outside=".shared .b8 s[4294967296][4294967296];\n.shared .b8 t[64];\n")
    for count in (70, 100, 200):
        results = ", ".join(f".reg .b64 %o{i}" for i in range(count))
        sets = " ".join(f"mov.u64 %o{i}, 0x41414141;" for i in range(count))
        takes = ", ".join(f"%o{i}" for i in range(count))
        outer = ", ".join(f"%x{i}" for i in range(count))
        add("recursive-results", f".reg .b64 %x<{count}>;\nmov.u32 %r1, 3;\ncall ({outer}), f, (%r1);", "runs", outside=f"""
.func ({results}) f(.reg .b32 %n) {{ .reg .pred %p; .reg .b32 %m; .local .align 8 .b8 big[100000]; st.local.u32 [big], %n;
  {sets} setp.eq.u32 %p, %n, 0; @%p ret; sub.u32 %m, %n, 1; call ({takes}), f, (%m); ret; }}
""")
        # The last of four frames ends just in front of the stack's end.
        for big in (130700, 130760, 130790):
            add("recursive-results-end", f".reg .b64 %x<{count}>;\nmov.u32 %r1, 3;\ncall ({outer}), f, (%r1);", outside=f"""
.func ({results}) f(.reg .b32 %n) {{ .reg .pred %p; .reg .b32 %m; .local .align 8 .b8 big[{big}]; st.local.u32 [big], %n;
  {sets} setp.eq.u32 %p, %n, 0; @%p ret; sub.u32 %m, %n, 1; call ({takes}), f, (%m); ret; }}
""")
    add("own-recursion", "call f;", "reported", outside=".func f() { .reg .b64 %a<64>; mov.u64 %a1, 1; call f; mov.u64 %a2, %a1; ret; }\n")
    for size in ("-1", "0xfffffffffffffff0", "524289", "0x100000000"):
        add("alloca", f"mov.u64 %rd1, {size};\nalloca.u64 %rd2, %rd1;\nst.local.u64 [%rd2], %rd1;", "reported")
    add("own-alloca-align", "mov.u64 %rd1, 16;\nalloca.u64 %rd2, %rd1, 128;\nst.local.u64 [%rd2], %rd1;")
    add("own-alloca-call", "mov.u64 %rd1, 524000;\nalloca.u64 %rd2, %rd1;\ncall f;", "reported",
        outside=".func f() { .reg .b32 %a; .local .b8 x[256]; st.local.u8 [x], %a; ret; }\n")


def printf():
    """Formats that a host's printf would take apart."""
    def call(format, words, output=None, expected="runs"):
        data = ", ".join(str(b) for b in format.encode("latin1") + b"\0")
        stores = "".join(f"mov.u64 %rd1, {w};\nst.local.u64 [args+{8 * i}], %rd1;\n" for i, w in enumerate(words))
        launch = {} if output is None else {"output": output.encode("latin1").hex()}
        add("printf", once(f""".local .align 8 .b8 args[64];
{stores}mov.u64 %rd1, fmt;
mov.u64 %rd2, args; cvta.local.u64 %rd2, %rd2;
.param .b64 p0; .param .b64 p1; .param .b32 q;
st.param.b64 [p0], %rd1; st.param.b64 [p1], %rd2;
call.uni (q), vprintf, (p0, p1);"""), expected, outside=f".global .align 1 .b8 fmt[{len(format) + 1}] = {{{data}}};\n", **launch)
    for text in ("%n", "%ln", "%lln", "%hn", "%hhn", "%jn", "%zn", "%tn", "%Ln", "%qn", "%1$n", "%1$ln",
                 "%5$lx", "%9$p", "%1$s", "%2$hhn", "%*1$d", "%.*2$d", "%Sld", "%S", "%ls", "%lc", "%C", "%m",
                 "%Lf", "%La", "%'d", "%Id", "%w", "%k", "%-n", "%+0n", "%10.3n", "%", "%%%n", "%l", "%*"):
        if text in ("%ls", "%lc"):
            call(text, ["%target"] if text == "%ls" else [65], None, "reported" if text == "%ls" else "runs")
        elif text == "%%%n":
            call(text, ["%target"], "%%n")
        else:
            call(text, ["%target"], text)
    for text in ("%2147483647d", "%.2147483647d", "%99999999999999999999d", "%65537s", "%.65537f", "%4294967295x", "%.99999999999f"):
        call(text, [7], None, "reported")
    call("%*d", [0x0000000780000000], None, "reported")
    call("%*d", [0x000000077fffffff], None, "reported")
    call("%s", ["%target"], None, "reported")
    call("%s", [0], None, "reported")
    call("%.100s", ["%target"], None, "reported")
    call("%s", ["%buffer"], "")
    call("%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%lld", [1], None, "reported")
    for where in ("%target", "0", "0x20000070000", "-1"):
        add("own-printf-buffer", once(f"mov.u64 %rd1, fmt;\nmov.u64 %rd2, {where};\n.param .b64 p0; .param .b64 p1; .param .b32 q;\n"
                                      "st.param.b64 [p0], %rd1; st.param.b64 [p1], %rd2;\ncall.uni (q), vprintf, (p0, p1);"),
            "reported", outside=".global .align 1 .b8 fmt[4] = {37, 108, 100, 0};\n")
        add("own-printf-format", once(f"mov.u64 %rd1, {where};\n.param .b64 p0; .param .b64 p1; .param .b32 q;\n"
                                      "st.param.b64 [p0], %rd1; st.param.b64 [p1], %buffer;\ncall.uni (q), vprintf, (p0, p1);"), "reported")


def heap():
    """Memory that is freed while an engine has work with it; odd sizes."""
    allocate = """.param .b64 n; .param .b64 o; .param .b64 pp;
st.param.b64 [n], {size};
call.uni (o), malloc, (n);
ld.param.b64 %rd5, [o];
mov.u32 %r1, smem;
mbarrier.init.shared.b64 [bar], 2;
"""
    free = "st.param.b64 [pp], %rd5;\ncall.uni free, (pp);\n"
    again = "st.param.b64 [n], 1024;\ncall.uni (o), malloc, (n);\nld.param.b64 %rd6, [o];\n"
    wait = "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
    copies = [("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd5], 256, [bar];\n", "h100", ""),
              ("cp.async.bulk.global.shared::cta.bulk_group [%rd5], [%r1], 256;\n", "h100", wait),
              ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%rd5], [%r1], 256;\n", "h100", wait),
              ("cp.async.ca.shared.global [%r1], [%rd5], 16;\n", "h100", "cp.async.wait_all;\n"),
              ("st.async.mmio.release.sys.global.u64 [%rd5], %rd5;\n", "b200", "")]
    for copy, device, end in copies:
        for more in ("", again):
            add("free-in-flight", once(allocate.format(size=1024) + copy + free + more + end), "reported", device=device)
        add("own-free-before", once(allocate.format(size=1024) + free + copy + end), "reported", device=device)
        add("own-past-block", once(allocate.format(size=8) + copy.replace("[%rd5]", "[%rd5+16]") + end), "reported", device=device)
    for size in ("-1", "0x7fffffffffffffff", "0xfffffffffffffff8", "0"):
        add("malloc", once(allocate.format(size=size) + "st.u8 [%rd5+64], %r1;"), "reported")
    for pointer in ("%target", "%buffer", "8", "-16"):
        add("free-of", once(f".param .b64 pp;\nmov.u64 %rd5, {pointer};\n{free}"), "reported")
    add("free-twice", once(allocate.format(size=64) + free + free), "reported")


def constants():
    """Writes to constants and parameters."""
    outside = ".const .align 128 .b32 c[256] = {1, 2, 3, 4};\n"
    first = "mov.u32 %r1, smem;\nmov.u64 %rd2, c;\ncvta.const.u64 %rd2, %rd2;\n"
    fragments = ", ".join(f"%f{i}" for i in range(8))
    for code, device in (("st.global.u32 [%rd2], %r1;", "h100"), ("st.u32 [%rd2], %r1;", "h100"),
                         ("atom.global.add.u32 %r1, [%rd2], 1;", "h100"),
                         ("cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r1], 16;", "h100"),
                         ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%rd2], [%r1], 16;", "h100"),
                         ("st.async.mmio.release.sys.global.u64 [%rd2], %rd2;", "b200"),
                         (f"wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd2], {{{fragments}}}, 16;", "h100"),
                         ("tensormap.replace.tile.rank.global.b1024.b32 [%rd2], 1;", "h100")):
        add("constant", first + code, "reported", outside=outside, device=device)
    add("parameter", "st.u64 [%map], %map;", "reported")
    add("parameter", "tensormap.replace.tile.rank.global.b1024.b32 [%map], 1;", "reported")


def others():
    """Cluster launch control, registers, setmaxnreg, what is declared."""
    for address in ("smem+4088", "0xfffff0"):
        base = "mov.u32 %r1, smem;\nadd.u32 %r1, %r1, 4096;" if "+" in address else f"mov.u32 %r1, {address};"
        add("try-cancel", once(f"""mbarrier.init.shared.b64 [bar], 1;
{base}
clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [bar];"""),
            "reported", device="b200")
    add("own-answer", "mov.b128 %q1, {%target, %target};\n"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q1;", "reported", device="b200")
    for code in ("ld.global.v4.u32 {%r1, %r2}, [%buffer];",
                 "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3}, [%r1];",
                 "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, 1, 1, 1, 0, 0;",
                 "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0, %f1}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f0, %f1, %f2, %f3};",
                 "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0, %f1}, [%buffer], 16;",
                 "mov.u32 %v.w, 1;", "mov.u32 %r1, %v.z;", "mov.b64 %rd1, {%r1, %rd2};",
                 "ld.global.u64 %r1, [%buffer];", "st.global.u64 [%buffer], %r1;", "st.global.b128 [%buffer], %rd1;",
                 "atom.global.add.u64 %r1, [%buffer], 1;", "cvta.global.u64 %r1, %buffer;",
                 "mbarrier.try_wait.parity.shared.b64 1, [bar], 0;", "setp.eq.u32 1, 0, 0;",
                 "add.u32 5, %r1, %r2;", "mov.u32 %tid.x, 1;"):
        add("operands", ".reg .v2 .b32 %v;\n" + code, "refused")
    for count in (2, 8):
        registers = ", ".join(f"%r{i}" for i in range(count))
        add("operands", f"tcgen05.ld.sync.aligned.16x256b.x1.b32 {{{registers}}}, [%r1];", "refused", device="b200")
    add("own-location", ".loc 99 4000000000 1\nst.global.u32 [%target], %r1;")
    for lane in ("-1", "32", "0x7fffffff"):
        for mode in ("up", "down", "bfly", "idx"):
            add("shuffle", f"mov.u32 %r1, {lane};\nmov.u32 %r2, -1;\n"
                f"shfl.sync.{mode}.b32 %r3|%p1, %r3, %r1, %r2, -1;\nst.global.u32 [%buffer], %r3;", "runs")
        add("barrier-number", f"mov.u32 %r1, {lane};\nbarrier.sync %r1;", "reported")
    add("registers", ".reg .b64 %x<1000000000>;\nmov.u64 %x999999999, %target;", "refused")
    add("own-registers", ".reg .b128 %x<16000000>;\nmov.b128 %x15999999, {%target, %target};", "runs")
    add("elect", "ld.param.u64 %rd1, [map+120];\nld.param.u64 %rd1, [map+128];", "reported")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for family in (plain_addresses, windows, wide_registers, dsmem, descriptors,
                   matrices, mbarriers, bulk_sizes, tensor_copies, calls, frames,
                   printf, heap, constants, others):
        family()
    for name, text in kernels.items():
        (folder / name).write_text(text)
    (folder / "attacks.json").write_text(json.dumps(attacks, indent=1))
    own = sum("-own-" in attack["name"] for attack in attacks)
    print(f"{len(attacks)} kernels, {own} of them beyond the first list")


if __name__ == "__main__":
    main()
