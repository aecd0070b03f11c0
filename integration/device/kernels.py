# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the device library's kernels on the emulator and compares every element
with numpy. Operands are small integers, so that sums are exact in f32 and results
are compared bit by bit.
"""

import argparse
import math
import re
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from library import KERNELS as KERNELS_FOLDER
from library import BY_HAND, ROOT, compile_text
from programs import execute


def to_bf16(values: np.ndarray) -> np.ndarray:
    """Rounds to nearest, ties to even; no NaNs come here."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def to_fp8(*magnitudes: int):
    """By the bytes of 0, 1, ... 4."""
    table = np.array(magnitudes, np.uint8)
    return lambda x: table[np.abs(x).astype(int)] | np.where(x < 0, 0x80, 0).astype(np.uint8)


# The bits of small integers, by element type.
ENCODE = {
    "__nv_bfloat16": to_bf16,
    "__half": lambda x: x.astype(np.float16),
    "float": lambda x: x.astype(np.float32),
    "__nv_fp8_e4m3": to_fp8(0x00, 0x38, 0x40, 0x44, 0x48),
    "__nv_fp8_e5m2": to_fp8(0x00, 0x3C, 0x40, 0x42, 0x44),
}


@dataclass(frozen=True)
class Format:
    """Of elements with block scales: what the bits of an element and of a scale are worth."""
    bits: int
    values: tuple[float, ...]
    # Some of the scales that there are.
    scales: dict[int, float]
    block: int


# All magnitudes of fp4, in the order of their bits.
E2M1 = (0, 0.5, 1, 1.5, 2, 3, 4, 6)
POWERS = {125: 0.25, 126: 0.5, 127: 1.0, 128: 2.0, 129: 4.0}
FORMATS = {
    "nvfp4": Format(4, E2M1, {0x30: 0.5, 0x34: 0.75, 0x38: 1.0, 0x3C: 1.5, 0x42: 2.5}, 16),
    "mxfp4": Format(4, E2M1, POWERS, 32),
    "mxfp8": Format(8, (0, 1, 2, 3, 4), POWERS, 32),
}


@dataclass(frozen=True)
class Kernel:
    name: str
    arch: str
    device: str
    element: str = "__nv_bfloat16"
    # What is replaced in the source, and by what.
    changes: tuple[tuple[str, str], ...] = ()
    folder: Path = KERNELS_FOLDER
    # Of the result.
    result: type = np.uint16
    # A power of two, which is exact.
    scale: float | None = None

    def compile(self) -> Path:
        text = (self.folder / f"{self.name}.cu").read_text()
        changes = [*self.changes]
        [element] = re.findall(r"using Element = \w+;", text) or [""]
        if element and self.element not in element:
            changes.append((element, f"using Element = {self.element};"))
        for old, new in changes:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        return compile_text(self.name, self.arch, text)


@dataclass(frozen=True)
class Case:
    kernel: Kernel
    m: int
    n: int
    k: int
    options: tuple[str, ...] = ()
    # Of m, the rows of each problem.
    groups: tuple[int, ...] = ()


GEMM = Kernel("gemm_sm100", "100a", "b200")
DYNAMIC = Kernel("gemm_sm100_dynamic", "100a", "b200")
PAIRS = Kernel("gemm_sm100_pair", "100a", "b200")
HOPPER = Kernel("gemm_sm90", "90a", "h100")
PINGPONG = Kernel("gemm_sm90_pingpong", "90a", "h100")
FP8 = Kernel("gemm_sm100_fp8", "100a", "b200", "__nv_fp8_e4m3", scale=0.125)
NVFP4 = Kernel("gemm_sm100_nvfp4", "100a", "b200", "nvfp4", scale=0.125)
GROUPED = Kernel("gemm_sm100_grouped", "100a", "b200")
DEPENDENT = Kernel("gemm_sm100_dependent", "100a", "b200")
ATTENTION = Kernel("attention_sm100", "100a", "b200")
EPILOGUE = Kernel("gemm_sm100_epilogue", "100a", "b200")
GATHER = Kernel("gemm_sm100_gather", "100a", "b200")
STREAM = Kernel("gemm_sm100_stream_k", "100a", "b200")
SPLIT = Kernel("gemm_sm100_split_k", "100a", "b200", result=np.float32)
KERNELS = (GEMM, DYNAMIC, PAIRS, HOPPER, PINGPONG)


def clustered(cluster: str, work: str = "Static", element: str = "__nv_bfloat16") -> Kernel:
    return Kernel("gemm_sm100", "100a", "b200", element,
                  (("Kernel<WORK<", f"Kernel<Cluster<{cluster}>, {work}<"),))


def hopper(cluster: str) -> Kernel:
    return Kernel("gemm_sm90", "90a", "h100",
                  changes=(("Kernel<Static<", f"Kernel<Cluster<{cluster}>, Static<"),))


def pingpong(cluster: str) -> Kernel:
    return replace(PINGPONG, changes=(("Kernel<PingPong<", f"Kernel<Cluster<{cluster}>, PingPong<"),))


def scaled(element: str, cluster: str = "2, 1, Pair", slots: int = 5) -> Kernel:
    return replace(NVFP4, element=element,
                   changes=(("Multiply, 5,", f"Multiply, {slots},"),
                            ("Cluster<2, 1, Pair>", f"Cluster<{cluster}>")))


CLUSTERS = (*map(hopper, ("2, 1", "1, 2", "2, 2", "4, 2")), *map(pingpong, ("2, 1", "2, 2")),
            *(clustered(cluster, work) for work in ("Static", "Dynamic")
                 for cluster in ("2, 1", "1, 2", "2, 2", "2, 1, Pair", "4, 1, Pair", "2, 4, Pair")))

# One tile; less than one; several, whole and ragged; fewer and more steps than
# slots. TMA asks for rows of a multiple of 16 bytes.
SHAPES = ((128, 256, 64), (1, 8, 8), (128, 256, 1024), (256, 512, 320), (300, 520, 136),
          (77, 264, 72), (129, 1032, 200), (640, 256, 448))
# Parts of several lengths; fewer steps than parts; one step.
SPLIT_SHAPES = ((300, 520, 712), (256, 256, 1024), (128, 264, 136), (77, 8, 64))
# Two multiprocessors, so that a CTA has several items.
CHECKED = ("--sms", "2", "--check")
# 20 random orders and all adversarial ones give the same bits.
SCHEDULED = ("--sms", "2", "--orders", "20")


HINTS = ("slot.load(g.a, g.b, item, k);", "slot.load(evictFirst(g.a), evictLast(g.b), item, k); load.peek<AB>();")
PEEK = ("auto operands = multiply.consume<AB>();", "while (!multiply.peek<AB>()) {} auto operands = multiply.consume<AB>();")


def grouped(groups: tuple[int, ...], n: int, k: int, options: tuple[str, ...],
            kernel: Kernel = GROUPED) -> Case:
    return Case(kernel, sum(groups), n, k, options, groups)


# Less than a tile, none at all, whole tiles and ragged ones.
GROUPS = (300, 0, 1, 256, 77, 0)


def on_clusters(kernel: Kernel, multiple: int = 1) -> list[Case]:
    """Several items for a cluster, whole and ragged, on eight multiprocessors. K can
    be a multiple."""
    return [*(Case(kernel, m, n, k * multiple, ("--sms", "8", "--check"))
              for m, n, k in ((1024, 2048, 64), (1100, 1800, 136), (77, 264, 456))),
            Case(kernel, 1100, 1800, 136 * multiple, ("--sms", "8", "--orders", "20"))]


SAMPLE = [*(Case(kernel, *shape, CHECKED) for kernel in (GEMM, DYNAMIC, HOPPER, PINGPONG) for shape in SHAPES),
          *(Case(kernel, 300, 520, 136, SCHEDULED) for kernel in (GEMM, DYNAMIC, HOPPER, PINGPONG)),
          *(Case(SPLIT, *shape, CHECKED) for shape in SPLIT_SHAPES),
          Case(SPLIT, 300, 520, 712, SCHEDULED),
          *(Case(GATHER, *shape, CHECKED) for shape in ((300, 520, 136), (1, 8, 64))),
          Case(GATHER, 300, 520, 136, SCHEDULED),
          # Shares that begin in tiles and with them; a tile of many CTAs; fewer steps than CTAs.
          *(Case(STREAM, *shape, ("--sms", sms, "--check"))
            for sms, shape in (("2", (300, 520, 136)), ("5", (300, 520, 136)), ("4", (77, 264, 1000)), ("8", (1, 8, 72)))),
          Case(STREAM, 300, 520, 136, ("--sms", "5", "--orders", "20")),
          *(Case(FP8, *shape, CHECKED) for shape in ((300, 520, 144), (640, 1032, 1040))),
          Case(FP8, 640, 1032, 400, SCHEDULED),
          # A row of fp4 is a multiple of 32 elements. Scales end within a block and at its end.
          *(Case(NVFP4, *shape, CHECKED) for shape in ((256, 256, 256), (300, 520, 352), (77, 264, 1344))),
          Case(NVFP4, 300, 520, 352, SCHEDULED),
          *(Case(scaled("mxfp8"), *shape, CHECKED) for shape in ((300, 520, 208), (640, 264, 1024))),
          *(grouped(*shape, CHECKED) for shape in
            ((GROUPS, 264, 136), ((512,), 256, 64), ((0, 0, 8, 130), 8, 200), ((9,) * 32, 264, 72))),
          grouped(GROUPS, 264, 136, SCHEDULED),
          Case(DEPENDENT, 300, 520, 136, ("--sms", "8", "--check")), Case(DEPENDENT, 300, 520, 136, SCHEDULED),
          # Queries, heads and keys: one block and many, whole and ragged, less than one.
          *(Case(ATTENTION, *shape, CHECKED) for shape in ((128, 1, 128), (300, 3, 520), (1, 2, 1), (77, 1, 1000))),
          Case(ATTENTION, 300, 2, 300, SCHEDULED),
          *(Case(EPILOGUE, *shape, CHECKED) for shape in ((300, 520, 136), (129, 1032, 64))),
          Case(EPILOGUE, 300, 520, 136, SCHEDULED),
          *(case for kernel in (PAIRS, hopper("2, 1")) for case in on_clusters(kernel)),
          Case(Kernel("gemm_sm100", "100a", "b200", "float"), 300, 520, 136, CHECKED),
          # Two panels of K in a slot.
          Case(replace(GEMM, changes=(("128 / sizeof(Element)", "256 / sizeof(Element)"), ("Multiply, 4,", "Multiply, 2,"))),
               300, 520, 328, CHECKED),
          Case(Kernel("gemm_sm100", "100a", "b200",
                      changes=(("accumulators.mma(operands, k);", "accumulators.mma(operands, k); operands.release();"),)),
               300, 520, 136, CHECKED),
          # Policies of both operands, in pairs with multicast; slots that are looked at early.
          Case(replace(PAIRS, changes=(HINTS,)), 1100, 1800, 136, ("--sms", "8", "--check")),
          Case(replace(HOPPER, changes=(HINTS, PEEK)), 300, 520, 136, CHECKED),
          Case(replace(HOPPER, changes=(HINTS, PEEK)), 300, 520, 136, SCHEDULED)]


EXTENDED = [*(case for kernel in CLUSTERS for case in on_clusters(kernel)),
            # Rows of fp8 are a multiple of 16 bytes, too.
            *(Case(Kernel("gemm_sm100", "100a", "b200", element), 300, 520, 144, CHECKED)
              for element in ENCODE if element not in ("__nv_bfloat16", "float")),
            *(Case(clustered("2, 1, Pair", element=element), 300, 520, 144, CHECKED)
              for element in ENCODE),
            *(Case(Kernel("gemm_sm90", "90a", "h100", element), 300, 520, 136, CHECKED)
              for element in ("__half", "float")),
            *(case for element in FORMATS
              for kernel in (scaled(element, "1, 1", 3), scaled(element, "2, 2", 3), scaled(element, "2, 2, Pair"))
              for case in on_clusters(kernel, 8)),
            *(grouped(GROUPS, 520, 136, (*options, "--sms", "8"), replace(GROUPED, changes=(
                ("Cluster<2, 1, Pair>", f"Cluster<{cluster}>"), ("Multiply, 6,", "Multiply, 4,"),
                ("Grouped<Dynamic", f"Grouped<{work}"))))
              for cluster in ("1, 1", "2, 1", "2, 2, Pair") for work in ("Static", "Dynamic")
              for options in (("--check",), ("--orders", "20"))),
            *(case for cluster in ("2, 1", "2, 1, Pair", "2, 2, Pair")
              for case in on_clusters(replace(STREAM, changes=(("Kernel<StreamK", f"Kernel<Cluster<{cluster}>, StreamK"),)))),
            *(Case(replace(ATTENTION, changes=(("depth = 128;", "depth = 64;"),)), *shape, options)
              for shape in ((300, 3, 520), (129, 8, 257)) for options in (CHECKED, SCHEDULED)),
            # What the library is counted against is right, too.
            *(case for kernel in (GEMM, PAIRS, HOPPER)
              for case in on_clusters(replace(kernel, folder=BY_HAND)))]


def draw_cases(count: int, seed: int) -> list[Case]:
    random = np.random.default_rng(seed)
    cases = []
    for _ in range(count):
        m = int(random.integers(1, 513))
        n, k = (8 * int(random.integers(1, limit)) for limit in (97, 65))
        kernel = KERNELS[random.integers(len(KERNELS))]
        ctas = 4 if kernel is PAIRS else 1
        cases.append(Case(kernel, m, n, k, ("--sms", str(ctas * random.integers(1, 5)))))
    return cases


def run_case(case: Case, runner: Path, folder: Path) -> str:
    """What is wrong, or nothing."""
    random = np.random.default_rng(case.m * 1_000_003 + case.n * 1009 + case.k)
    a, b = (random.integers(-4, 5, (rows, case.k)).astype(np.float32)
            for rows in (case.m, case.n))
    files = [folder / name for name in ("a.bin", "b.bin", "d.bin")]
    encode = ENCODE[case.kernel.element]
    encode(a).tofile(files[0])
    encode(b).tofile(files[1])
    files[2].unlink(missing_ok=True)
    done = execute([runner, "--device", case.kernel.device, *case.options, "--",
                    case.kernel.compile(), case.m, case.n, case.k,
                    *([] if case.kernel.scale is None else [case.kernel.scale]), *files])
    if done.returncode:
        return (done.stdout + done.stderr).strip()
    found = np.fromfile(files[2], case.kernel.result)
    sums = a @ b.T * (1 if case.kernel.scale is None else case.kernel.scale)
    return compare(to_bf16(sums) if case.kernel.result is np.uint16 else sums, found)


def draw_scaled(random: np.random.Generator, form: Format, rows: int, columns: int):
    """A tensor's values, the bytes of its elements and those of its scales."""
    codes = random.integers(0, len(form.values), (rows, columns))
    isNegative = random.integers(0, 2, codes.shape)
    values = np.array(form.values)[codes] * (1 - 2 * isNegative)
    if form.bits == 8:
        elements = ENCODE["__nv_fp8_e4m3"](values)
    else:
        nibbles = (codes | isNegative << 3).astype(np.uint8)
        elements = nibbles[:, ::2] | nibbles[:, 1::2] << 4
    blocks = -(-columns // form.block)
    scales = random.choice(list(form.scales), (rows, blocks)).astype(np.uint8)
    factors = np.vectorize(form.scales.get)(scales)
    return values * np.repeat(factors, form.block, axis=1)[:, :columns], elements, scales


def run_scaled(case: Case, runner: Path, folder: Path) -> str:
    """D = scale A B^T with block scales: what is wrong, or nothing."""
    random = np.random.default_rng(case.m * 1_000_003 + case.n * 1009 + case.k)
    form = FORMATS[case.kernel.element]
    a, b = (draw_scaled(random, form, rows, case.k) for rows in (case.m, case.n))
    names = ("a.bin", "a_scales.bin", "b.bin", "b_scales.bin", "d.bin")
    files = [folder / name for name in names]
    for file, bytes_ in zip(files, (*a[1:], *b[1:])):
        bytes_.tofile(file)
    files[-1].unlink(missing_ok=True)
    done = execute([runner, "--device", case.kernel.device, *case.options, "--", case.kernel.compile(),
                    case.m, case.n, case.k, case.kernel.scale, *files])
    if done.returncode:
        return (done.stdout + done.stderr).strip()
    sums = a[0] @ b[0].T
    # Scaled elements are multiples of 1/8, so products and their sums are multiples of 1/64:
    # exact in f32 below 2^24 / 64, in any order.
    assert (np.abs(a[0]) @ np.abs(b[0]).T).max() < 2**18
    return compare(to_bf16(sums * case.kernel.scale), np.fromfile(files[-1], np.uint16))


def run_grouped(case: Case, runner: Path, folder: Path) -> str:
    """D = A B^T for each problem: what is wrong, or nothing."""
    random = np.random.default_rng(case.m * 1_000_003 + case.n * 1009 + case.k)
    a = random.integers(-4, 5, (case.m, case.k)).astype(np.float32)
    b = random.integers(-4, 5, (len(case.groups), case.n, case.k)).astype(np.float32)
    files = [folder / name for name in ("a.bin", "b.bin", "d.bin")]
    to_bf16(a).tofile(files[0])
    to_bf16(b).tofile(files[1])
    files[2].unlink(missing_ok=True)
    done = execute([runner, "--device", case.kernel.device, *case.options, "--",
                    case.kernel.compile(), case.n, case.k, *files, *case.groups])
    if done.returncode:
        return (done.stdout + done.stderr).strip()
    parts = np.split(a, np.cumsum(case.groups)[:-1])
    wanted = np.concatenate([part @ other.T for part, other in zip(parts, b)])
    return compare(to_bf16(wanted), np.fromfile(files[2], np.uint16))


def compare(wanted: np.ndarray, found: np.ndarray) -> str:
    """What is wrong, bit by bit, or nothing."""
    if found.size != wanted.size:
        return f"{found.size} elements, not {wanted.size}"
    wrong = np.flatnonzero(found != wanted.ravel())
    if wrong.size:
        row, column = divmod(int(wrong[0]), wanted.shape[1])
        return f"{wrong.size} elements differ, the first at row {row}, column {column}"
    return ""


def run_epilogue(case: Case, runner: Path, folder: Path) -> str:
    """D = gelu(A B^T + bias) + residual: what is wrong, or nothing."""
    random = np.random.default_rng(case.m * 1_000_003 + case.n * 1009 + case.k)
    # Eighths, so that sums are near 0, where gelu is curved, and exact in f32.
    a, b = (random.integers(-4, 5, (rows, case.k)).astype(np.float32) / 8
            for rows in (case.m, case.n))
    bias = random.integers(-8, 9, case.n).astype(np.float32) / 8
    residual = random.integers(-32, 33, (case.m, case.n)).astype(np.float32) / 8
    names = ("a.bin", "b.bin", "bias.bin", "residual.bin", "d.bin")
    files = [folder / name for name in names]
    for file, values in zip(files, (to_bf16(a), to_bf16(b), bias, to_bf16(residual))):
        values.tofile(file)
    files[-1].unlink(missing_ok=True)
    done = execute([runner, "--device", case.kernel.device, *case.options, "--",
                    case.kernel.compile(), case.m, case.n, case.k, *files])
    if done.returncode:
        return (done.stdout + done.stderr).strip()
    x = a.astype(np.float64) @ b.T + bias
    wanted = 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) + residual
    found = (np.fromfile(files[-1], np.uint16).astype(np.uint32) << 16).view(np.float32)
    if found.size != wanted.size:
        return f"{found.size} elements, not {wanted.size}"
    # The sum x is exact. In f32, 1 + erf is within 4 units of 2^-24 of 2 (erff: 2 ulp,
    # its argument and the sum: one each), so gelu is within 8 |x| 2^-24 and its own two
    # roundings; the residual's sum adds one. Then bf16 rounds, which has 8
    # bits: by at most 2^-8 of the result and of the error.
    f32 = np.abs(x) * 2.0**-21 + np.abs(wanted) * 2.0**-24
    bound = np.abs(wanted) * 2.0**-8 + f32 * (1 + 2.0**-8)
    wrong = np.flatnonzero(~(np.abs(found.reshape(wanted.shape) - wanted) <= bound))
    if wrong.size:
        row, column = divmod(int(wrong[0]), case.n)
        return f"{wrong.size} elements differ, the first at row {row}, column {column}"
    return ""


def run_dependent(case: Case, runner: Path, folder: Path) -> str:
    """E = (A B^T) C^T, with as many rows in C as A has: what is wrong, or nothing."""
    random = np.random.default_rng(case.m * 1_000_003 + case.n * 1009 + case.k)
    rows = 8 * -(-case.m // 8)
    a, b, c = (random.integers(-4, 5, shape).astype(np.float32)
               for shape in ((case.m, case.k), (case.n, case.k), (rows, case.n)))
    files = [folder / name for name in ("a.bin", "b.bin", "c.bin", "e.bin")]
    for file, values in zip(files, (a, b, c)):
        to_bf16(values).tofile(file)
    files[-1].unlink(missing_ok=True)
    done = execute([runner, "--device", case.kernel.device, *case.options, "--", case.kernel.compile(),
                    case.m, case.n, case.k, rows, *files])
    if done.returncode:
        return (done.stdout + done.stderr).strip()
    d = (to_bf16(a @ b.T).astype(np.uint32) << 16).view(np.float32)
    # Whole numbers, whose sums are exact in f32 below 2^24.
    assert (np.abs(d) @ np.abs(c).T).max() < 2**24
    return compare(to_bf16(d @ c.T), np.fromfile(files[-1], np.uint16))


def run_attention(case: Case, runner: Path, folder: Path) -> str:
    """O = softmax(Q K^T / sqrt(depth)) V, where m are queries, n heads and k keys: what
    is wrong, or nothing."""
    depth = 64 if ("depth = 128;", "depth = 64;") in case.kernel.changes else 128
    random = np.random.default_rng(case.m * 1_000_003 + case.n * 1009 + case.k)
    # Scores of quarters are exact in f32.
    q, k, v = (random.integers(-4, 5, (rows, case.n, depth)) / 4 for rows in (case.m, case.k, case.k))
    files = [folder / name for name in ("q.bin", "k.bin", "v.bin", "o.bin")]
    for file, values in zip(files, (q, k, v)):
        to_bf16(values).tofile(file)
    files[-1].unlink(missing_ok=True)
    done = execute([runner, "--device", case.kernel.device, *case.options, "--",
                    case.kernel.compile(), case.m, case.k, case.n, *files])
    if done.returncode:
        return (done.stdout + done.stderr).strip()
    x = np.einsum("qhd,khd->hqk", q, k) * (math.log2(math.e) / math.sqrt(depth))
    weights = np.exp2(x - x.max(axis=2, keepdims=True))
    weights /= weights.sum(axis=2, keepdims=True)
    wanted = np.einsum("hqk,khd->qhd", weights, v)
    found = (np.fromfile(files[-1], np.uint16).astype(np.uint32) << 16).view(np.float32)
    if found.size != wanted.size:
        return f"{found.size} elements, not {wanted.size}"
    # A score has the roundings of its scale and its product, and so has the highest one: the
    # exponent is off by at most |x| 2^-21, its power by 0.7 of that and 2 ulp, and one more for
    # the product. A weight has such a power of its own and one for each step after it. Accumulators
    # of weights round once for each key and step. The weights of values are rounded to bf16,
    # which has 8 bits, and so is the result.
    steps = -(-case.k // 128)
    f32 = (steps + 1) * (0.7 * np.abs(x).max() * 2.0**-21 + 2.0**-21) + (case.k + steps) * 2.0**-23
    whole = np.einsum("hqk,khd->qhd", weights, np.abs(v))
    error = whole * (2.0**-8 + f32) * (1 + 2 * f32) + np.abs(wanted) * 2 * f32
    bound = error + (np.abs(wanted) + error) * 2.0**-8
    wrong = np.argwhere(~(np.abs(found.reshape(wanted.shape) - wanted) <= bound))
    if wrong.size:
        query, head, column = wrong[0]
        return f"{len(wrong)} elements differ, the first at query {query}, head {head}, column {column}"
    return ""


def run_gather(case: Case, runner: Path, folder: Path) -> str:
    """Rows of A come several times, and not at all; some aren't there."""
    random = np.random.default_rng(case.m * 1_000_003 + case.n)
    stored = 100
    a, b = (random.integers(-4, 5, (rows, case.k)).astype(np.float32) for rows in (stored, case.n))
    rows = random.integers(0, stored + 3, case.m).astype(np.int32)
    files = [folder / name for name in ("a.bin", "rows.bin", "b.bin", "d.bin")]
    for tensor, file in ((to_bf16(a), files[0]), (rows, files[1]), (to_bf16(b), files[2])):
        tensor.tofile(file)
    files[3].unlink(missing_ok=True)
    done = execute([runner, "--device", case.kernel.device, *case.options, "--", case.kernel.compile(),
                    case.m, case.n, case.k, stored, *files])
    if done.returncode:
        return (done.stdout + done.stderr).strip()
    padded = np.vstack([a, np.zeros((3, case.k), np.float32)])
    return compare(to_bf16(padded[rows] @ b.T), np.fromfile(files[3], np.uint16))


RUN = {GATHER.name: run_gather, EPILOGUE.name: run_epilogue, GROUPED.name: run_grouped, NVFP4.name: run_scaled,
       ATTENTION.name: run_attention, DEPENDENT.name: run_dependent}


def check_page():
    """The code in the library's page is the kernels', but for comments."""
    def words(text: str) -> str:
        return "".join(re.sub(r"//.*", "", text).split()).replace("WORK", "Static")
    kernel = words("".join((KERNELS_FOLDER / f"{kernel.name}.cu").read_text()
                           for kernel in (GEMM, EPILOGUE, NVFP4, STREAM, GATHER, GROUPED, ATTENTION, DEPENDENT, PAIRS, HOPPER, PINGPONG)))
    page = (ROOT / "docs" / "DeviceLibrary.md").read_text()
    blocks = re.findall(r"```cpp\n(.*?)```", page, re.S)
    assert len(blocks) == 13, ("types, roles, arguments, way out, scales, shares, groups, loads, attention, launches, "
                               "clusters, Hopper, turns")
    for line in (line for block in blocks for line in block.splitlines()):
        if words(line) not in kernel:
            sys.exit(f"DeviceLibrary.md has '{line.strip()}', which no kernel has")


def check_empty_sums(runner: Path):
    done = execute([runner, "--device", "b200", "--", KERNELS[0].compile(), 8, 8, 0,
                    "/dev/null", "/dev/null", "/dev/null"])
    if not done.returncode or "cudaErrorInvalidValue" not in done.stderr:
        sys.exit(f"K = 0 was not refused:\n{done.stdout}{done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runner", type=Path, required=True, help="drawloom-run")
    parser.add_argument("--random", type=int, default=0, help="cases besides the sample")
    parser.add_argument("--every", type=int, default=1, help="every Nth case of the sample")
    parser.add_argument("--extended", action="store_true", help="every cluster")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    check_page()
    check_empty_sums(options.runner)
    cases = SAMPLE[::options.every] + draw_cases(options.random, options.seed)
    if options.extended:
        cases += EXTENDED
    right = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            wrong = RUN.get(case.kernel.name, run_case)(case, options.runner, Path(folder))
            right += not wrong
            if wrong:
                print(f"{case.kernel.name} {case.kernel.element} {' '.join(new for _, new in case.kernel.changes)} {case.m}x{case.n}x{case.k} "
                      f"{' '.join(case.options)}: {wrong}")
    print(f"seed {options.seed}")
    print(f"device: {right} of {len(cases)} cases match")
    sys.exit(right != len(cases))


if __name__ == "__main__":
    main()
