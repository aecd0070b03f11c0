# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels say about time: the library's profile, which costs nothing when it is
off, and `drawloom trace`, for kernels by hand and compiled ones."""

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
from library import HEADERS, KERNELS, OPTIONS, ROOT, compile_text, cuda_tool, gencode
from programs import execute

M, N, K = 300, 520, 136
ITEMS, STEPS = 9, 3


def fail(words: str):
    sys.exit(f"device-trace: {words}")


def compile_ptx(kernel: str, headers: Path, folder: Path) -> str:
    output = folder / "out.ptx"
    options = [headers if option == str(HEADERS) else option for option in OPTIONS]
    [architecture] = gencode("90a" if "sm90" in kernel else "100a")
    done = execute([cuda_tool("nvcc"), *options, architecture.split(",")[0].replace("-gencode=arch=", "-arch="),
                    "-I", KERNELS, "-ptx", "-o", output, KERNELS / f"{kernel}.cu"])
    if done.returncode:
        fail(done.stderr)
    return output.read_text()


def check_cost(folder: Path):
    """Without the option, PTX is that of headers without records."""
    bare = folder / "include"
    shutil.copytree(HEADERS, bare)
    records = 0
    for header in bare.rglob("*.h"):
        if header.name == "Profile.h":
            continue
        text, count = re.subn(r"^ *record\(Moment::[^;]*;\n", "", header.read_text(), flags=re.M)
        header.write_text(text)
        records += count
    if records < 8:
        fail(f"{records} places record")
    for kernel in ("gemm_sm100_dynamic", "gemm_sm90"):
        if compile_ptx(kernel, HEADERS, folder) != compile_ptx(kernel, bare, folder):
            fail(f"{kernel} has other PTX without records")


class Trace:
    """Spans by the name of their CTA and of their row."""

    def __init__(self, path: Path):
        events = json.loads(path.read_text())["traceEvents"]
        ctas, rows = {}, {}
        self.spans = defaultdict(list)
        for event in events:
            if event["name"] == "process_name":
                ctas[event["pid"]] = event["args"]["name"]
            elif event["name"] == "thread_name":
                rows[event["pid"], event["tid"]] = event["args"]["name"]
        for event in events:
            if event["ph"] == "X":
                self.spans[ctas[event["pid"]], rows[event["pid"], event["tid"]]].append(
                    (event["ts"], event["ts"] + event["dur"], event["name"]))
        for row, spans in self.spans.items():
            ends = []
            for begin, end, name in sorted(spans, key=lambda span: (span[0], -span[1])):
                while ends and ends[-1] <= begin:
                    ends.pop()
                if begin > end or (ends and end > ends[-1]):
                    fail(f"'{name}' in {row} begins in a span and ends after it")
                ends.append(end)

    def count(self, row: str, name: str) -> int:
        return sum(bool(re.fullmatch(name, found)) for (_, at), spans in self.spans.items()
                   if re.fullmatch(row, at) for *_, found in spans)

    def expect(self, row: str, name: str, count: int):
        if (found := self.count(row, name)) != count:
            fail(f"{found} spans '{name}' in rows '{row}', not {count}; rows are "
                 f"{sorted({at for _, at in self.spans})}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runner", type=Path, required=True, help="drawloom-run")
    parser.add_argument("--drawloom", type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_cost(folder)
        random = np.random.default_rng(1)
        files = [folder / f for f in ("a.bin", "b.bin", "d.bin")]
        a, b = (random.integers(-4, 5, (rows, K)).astype(np.float32) for rows in (M, N))
        for tensor, file in ((a, files[0]), (b, files[1])):
            (tensor.view(np.uint32) >> 16).astype(np.uint16).tofile(file)
        arguments = [M, N, K, *files]

        # Each role has each item once, and takes each slot as often as it is filled.
        os.environ["DRAWLOOM_PROFILE_FILE"] = str(folder / "profile")
        for kernel, work in (("gemm_sm100", 0), ("gemm_sm100_dynamic", ITEMS)):
            text = (KERNELS / f"{kernel}.cu").read_text()
            program = compile_text(f"{kernel}_profile", "100a", text, ("-DDRAWLOOM_PROFILE=256",))
            done = execute([options.runner, "--device", "b200", "--sms", 2, "--order", "random:1", "--check",
                            "--", program, *arguments])
            if done.returncode:
                fail(done.stdout + done.stderr)
            found = (np.fromfile(files[2], np.uint16).astype(np.uint32) << 16).view(np.float32)
            sums = (a @ b.T).ravel()
            if not np.all(np.abs(found - sums) <= np.abs(sums) * 2.0**-8):
                fail(f"{kernel} computes something else with a profile")
            trace = Trace(folder / "profile-0.json")
            for role in ("load", "multiply", "epilogue", "store"):
                row = f"{role}, warp {dict(load=4, multiply=5, epilogue=0, store=6)[role]}"
                trace.expect(row, r"item \d+", ITEMS)
                for item in range(ITEMS):
                    trace.expect(row, f"item {item}", 1)
                trace.expect(row, "wait: next item", work)
            trace.expect("load, warp 4", r"wait: operands, slot \d", ITEMS * STEPS)
            trace.expect("multiply, warp 5", r"wait: (operands|accumulators), slot \d", ITEMS * (STEPS + 1))
            for role, pipe, count in (("load", "operands", STEPS), ("multiply", "operands", STEPS),
                                      ("multiply", "accumulators", 1), ("epilogue", "result", 4), ("store", "result", 4)):
                trace.expect(rf"{pipe}, slot \d, {role}", role, ITEMS * count)

        # The emulator's own record of the same kernel, as it is.
        output = folder / "trace.json"
        compile_ptx("gemm_sm100", HEADERS, folder)
        program = compile_text("gemm_sm100", "100a", (KERNELS / "gemm_sm100.cu").read_text())
        done = execute([options.drawloom, "trace", "-o", output, "--plan", folder / "out.ptx", "--sms", 2, "--", program, *arguments])
        if done.returncode:
            fail(done.stdout + done.stderr)
        trace = Trace(output)
        for role, warp in (("load", 4), ("multiply", 5), ("epilogue", 0), ("store", 6)):
            trace.expect(f"@{role}, warp {warp}", f"@{role}, warp {warp}", 2)
        # Of four slots for three steps an item, every one is full once for each use.
        for pipe, count in (("operands", STEPS), ("accumulators", 1), ("result", 4)):
            trace.expect(rf"slot \d of @{pipe}", "full", ITEMS * count)
        trace.expect(r"TMA of @load, warp 4.*", "TMA", 2 * ITEMS * STEPS)
        if not trace.count("@multiply, warp 5", r"wait: slot \d of @operands is full.*"):
            fail("no warp waits for operands")

        # And of a compiled one.
        done = execute([options.drawloom, "trace", "-o", output, ROOT / "examples" / "gemm.mlir", "--arch", "sm_100a",
                        "--random", "--shape", "D=298x560,A=?x208"])
        if done.returncode:
            fail(done.stdout + done.stderr)
        trace = Trace(output)
        rows = {row for _, row in trace.spans}
        for wanted in (r"@operand_load, warp \d", r"@mma, warp \d", r"slot 0 of @operands", "TMA of @operand_load.*",
                       "tensor core of @mma.*"):
            if not any(re.fullmatch(wanted, row) for row in rows):
                fail(f"no row '{wanted}' in {sorted(rows)}")
    print("device-trace: profiles and traces are right, and none costs nothing")


if __name__ == "__main__":
    main()
