# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every kernel of the device library is proved deadlock-free, from its PTX and
its types. Copies with a step that is swapped, missing or doubled are not,
and the step is named.
"""

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from library import KERNELS, OPTIONS, cuda_tool, gencode
from programs import execute


def arch_of(name: str) -> str:
    return "90a" if "sm90" in name else "100a"


@dataclass(frozen=True)
class Broken:
    """A copy of a kernel, in its source or its PTX, and words of the error."""
    kernel: str
    change: tuple[str, str]
    words: tuple[str, ...]
    # Which of the places in the PTX is changed; none: the source is.
    place: int | None = None


TWICE = "the line of PTX, twice"
CONSUME = "auto operands = multiply.consume<AB>();"
BROKEN = (
    # One slot too many, or too few.
    Broken("gemm_sm100", (CONSUME, "{ auto other = multiply.consume<AB>(); } " + CONSUME),
           ("deadlock with items = 1", "@multiply waits for slot 1 of 'operands' to be full")),
    Broken("gemm_sm100", ("auto slot = load.produce<AB>();",
                          "{ auto other = load.produce<AB>(); other.load(g.a, g.b, item, k); } "
                          "auto slot = load.produce<AB>();"),
           ("slots left over with items = 1", "'operands' has a slot in use when all roles have ended")),
    Broken("gemm_sm100", ("column += D::columns) {\n        auto out = store",
                          "column += 2 * D::columns) {\n        auto out = store"),
           ("slots left over with items = 1", "'result' has a slot in use when all roles have ended")),
    Broken("gemm_sm100_fp8", (CONSUME, "{ auto other = multiply.consume<AB>(); } " + CONSUME),
           ("@multiply waits for slot 1 of 'operands' to be full",)),
    Broken("gemm_sm100_epilogue", ("fetch.work())\n      for (int column = 0;",
                                   "fetch.work())\n      for (int column = 64;"),
           ("@epilogue waits for slot 1 of 'residual' to be full",)),
    Broken("gemm_sm100_pair", (CONSUME, "{ auto other = multiply.consume<AB>(); } " + CONSUME),
           ("@multiply waits for slot 1 of 'operands' to be full",)),
    # A step in front of the loop around it.
    Broken("gemm_sm100_epilogue",
           ("auto accumulators = multiply.produce<Accumulators>();\n      for (int k : item.k()) {\n"
            "        auto operands = multiply.consume<AB>();\n        accumulators.mma(operands, k);\n      }",
            "auto operands = multiply.consume<AB>();\n      auto accumulators = multiply.produce<Accumulators>();\n"
            "      for (int k : item.k())\n        accumulators.mma(operands, k);"),
           ("'operands' has a slot in use when all roles have ended",)),
    # The fetch waits for slots of a residual that is read after it.
    Broken("gemm_sm100_epilogue",
           ("    for (Item item : fetch.work())\n      for (int column = 0; column < B::rows; column += D::columns) {\n"
            "        auto residual = fetch.produce<Residual>();\n"
            "        residual.load(g.residual, item.column + column, item.row);\n      }",
            "    for (Item item : fetch.work()) {}"),
           ("slot 0 of 'residual' is full", "wait on an mbarrier with no arrivals")),
    # A newer slot is released before an older one.
    Broken("gemm_sm100", (CONSUME, CONSUME + " auto other = multiply.consume<AB>();"),
           ("role 'multiply' releases slot 1 of 'operands', where slot 0 is the next",)),
    Broken("gemm_sm90", ("accumulators.mma(operands, k);\n      }",
                         "accumulators.mma(operands, k);\n      }\n      { auto other = multiply.consume<AB>(); }"),
           ("role 'multiply' releases slot", "of 'operands', where slot")),
    # A group that multiplies without waiting for its turn, and one that takes it twice.
    Broken("gemm_sm90_pingpong", ("    auto turn = multiplier.template turn<Products>();\n",
                                  "    if constexpr (std::is_same_v<AB, PongAB>)\n"
                                  "      auto turn = multiplier.template turn<Products>();\n"),
           ("slot 0 of 'products' is full", "wait on an mbarrier with no arrivals")),
    Broken("gemm_sm90_pingpong", ("    auto turn = multiplier.template turn<Products>();\n",
                                  "    if constexpr (std::is_same_v<AB, PongAB>)\n"
                                  "      multiplier.template turn<Products>().release();\n"
                                  "    auto turn = multiplier.template turn<Products>();\n"),
           ("deadlock with items = 1", "@pong waits for slot 0 of 'products' to be full")),
    Broken("gemm_sm100_nvfp4", (CONSUME, "{ auto other = multiply.consume<AB>(); } " + CONSUME),
           ("@multiply waits for slot 1 of 'operands' to be full",)),
    Broken("gemm_sm100_grouped", (CONSUME, "{ auto other = multiply.consume<AB>(); } " + CONSUME),
           ("@multiply waits for slot 1 of 'operands' to be full",)),
    # What a step adds, before its weights are there.
    Broken("attention_sm100", ("        float factor; //", "        { auto other = softmax.consume<Parts>(); }\n"
                               "        float factor; //"),
           ("deadlock: two waits wait for each other", "slot 0 of 'weights' is full")),
    # In the PTX: what arrives for a slot is not there, or comes twice.
    Broken("gemm_sm100", ("tcgen05.commit", "// tcgen05.commit"),
           ("slot 0 of 'operands' is empty", "wait on an mbarrier with no arrivals"), 0),
    Broken("gemm_sm100", ("tcgen05.commit", "// tcgen05.commit"),
           ("slot 0 of 'accumulators' is full", "wait on an mbarrier with no arrivals"), 1),
    Broken("gemm_sm100", ("tcgen05.commit", TWICE),
           ("role 'multiply' passes on slot 0 of 'accumulators', which it doesn't have",), 1),
)


def compile_ptx(name: str, text: str, folder: Path) -> Path:
    source = folder / f"{name}.cu"
    source.write_text(text)
    output = source.with_suffix(".ptx")
    [architecture] = gencode(arch_of(name))
    done = execute([cuda_tool("nvcc"), *OPTIONS, architecture.split(",")[0].replace("-gencode=arch=", "-arch="),
                    "-lineinfo", "-I", KERNELS, "-ptx", "-o", output, source])
    assert not done.returncode, done.stderr
    return output


def replace_at(text: str, change: tuple[str, str], place: int | None) -> str:
    old, new = change
    if place is None:
        assert text.count(old) == 1, (text.count(old), old)
        return text.replace(old, new)
    if new == TWICE:
        lines = text.splitlines(keepends=True)
        number = [i for i, line in enumerate(lines) if old in line][place]
        return "".join(lines[:number + 1] + lines[number:])
    parts = text.split(old)
    assert len(parts) > place + 1, old
    return old.join(parts[:place + 1]) + new + old.join(parts[place + 1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drawloom", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="every Nth broken copy")
    options = parser.parse_args()
    copies = BROKEN[::options.every]
    names = sorted(path.stem for path in KERNELS.glob("*.cu"))
    proved = found = 0
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        ptx = {}
        for name in names:
            ptx[name] = compile_ptx(name, (KERNELS / f"{name}.cu").read_text(), folder)
            done = execute([options.drawloom, "check", ptx[name]])
            isProved = not done.returncode and "deadlock-free: proved for all sizes" in done.stdout
            # The picture of a kernel has the verdict, too.
            shown = execute([options.drawloom, "explain", ptx[name]])
            isProved &= not shown.returncode and "deadlock-free: proved for all sizes\n" in shown.stdout
            proved += isProved
            if not isProved:
                print(f"{name} is not proved, or not shown so:\n{done.stdout}{done.stderr}"
                      f"{shown.stdout}{shown.stderr}")
        for number, broken in enumerate(copies):
            if broken.place is None:
                text = (KERNELS / f"{broken.kernel}.cu").read_text()
                path = compile_ptx(broken.kernel + f"_{number}", replace_at(text, broken.change, None), folder)
            else:
                path = folder / f"{number}.ptx"
                path.write_text(replace_at(ptx[broken.kernel].read_text(), broken.change, broken.place))
            done = execute([options.drawloom, "check", path, "--quiet"])
            isFound = done.returncode == 1 and all(words in done.stdout for words in broken.words)
            found += isFound
            if not isFound:
                print(f"{broken.kernel} with '{broken.change[1]}': expected {broken.words}:\n"
                      f"{done.stdout}{done.stderr}")
    print(f"device-proof: {proved} of {len(names)} kernels proved, "
          f"{found} of {len(copies)} broken copies found")
    sys.exit(proved != len(names) or found != len(copies))


if __name__ == "__main__":
    main()
