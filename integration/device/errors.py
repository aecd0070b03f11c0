# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Misuses of the device library. Each is one change of a kernel that compiles, and
the first error of nvcc says what is wrong, in the library's words.
"""

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from library import KERNELS, OPTIONS
from programs import cuda_tool, execute

# What is replaced in gemm_sm100.cu, by what, and what is said.
BLACKWELL = (
    # Roles.
    ('"multiply", 1,', '"multiply", 2,', "one thread issues for all"),
    ('"load", 1,', '"load", 4,', "one thread issues for all"),
    ('"epilogue", 4,', '"epilogue", 0,', "a role has at least one warp"),
    ('"epilogue", 4,', '"epilogue", 8,', "a role that reads tensor memory has 4 warps"),
    ('"epilogue", 4,', '"epilogue", 2,', "a role that reads tensor memory has 4 warps"),
    ('"epilogue", 4,', '"epilogue", 32,', "more than the 32 warps"),
    ("kernel.role<Store>()", 'kernel.role<Role<"save", 1, By::Tma>>()',
     "no pipe of the kernel begins or ends at this role"),
    # Names.
    ('"epilogue", 4,', '"epi logue", 4,', "the name of a role is one word"),
    ('"load", 1,', '"load;", 1,', "the name of a role is one word"),
    ('"load", 1,', '"", 1,', "the name of a role is one word"),
    ('"accumulators"', '"partial sums"', "the name of a pipe is one word"),
    ('"accumulators"', '"summe\u00f1"', "the name of a pipe is one word"),
    ('"epilogue", 4,', '"load", 4,', "two roles or two pipes of a kernel have the same name"),
    ('"accumulators"', '"result"', "two roles or two pipes of a kernel have the same name"),
    # Tiles.
    ("A = Tile<Element, 128, step>", "A = Tile<Element, 128, 48>", "a multiple of 128 bytes"),
    ("A = Tile<Element, 128, step>", "A = Tile<Element, 128, 0>", "a multiple of 128 bytes"),
    ("A = Tile<Element, 128, step>", "A = Tile<Element, 124, step>", "a tile has 8, 16, ... 256 rows"),
    ("B = Tile<Element, 256, step>", "B = Tile<Element, 512, step>", "a tile has 8, 16, ... 256 rows"),
    ("B = Tile<Element, 256, step>", "B = Tile<Element, 256, 128>",
     "the operands of a product have the same K"),
    ("A = Tile<Element, 128, step>", "A = Tile<Element, 64, step>", "the work's m is A's rows"),
    ("B = Tile<Element, 256, step>", "B = Tile<Element, 128, step>", "its n is B's rows"),
    ("WORK<128, 256, step>", "WORK<128, 256, 32>", "its k their columns"),
    ("Accumulator<128, 256>", "Accumulator<128, 128>", "a column for each row of B"),
    ("A = Tile<Element, 128, step>", "A = Tile<__half, 128, step>",
     "the operands of a product have one element type"),
    ("Accumulator<128, 256>", "Accumulator<64, 256>", "an accumulator has 128 rows"),
    ("Accumulator<128, 256>", "Accumulator<128, 250>", "an accumulator has 16, 32, ... 256"),
    ("Accumulator<128, 256>", "Accumulator<128, 512>", "an accumulator has 16, 32, ... 256"),
    # Pipes.
    ("Multiply, 4, Operands", "Multiply, 0, Operands", "a pipe has at least one slot"),
    ("Multiply, 4, Operands", "Multiply, 5, Operands", "227 KiB"),
    ("Epilogue, 2, Accumulator", "Epilogue, 3, Accumulator", "512 columns of tensor memory"),
    ("Epilogue, Store, 2, D", "Epilogue, Epilogue, 2, D", "a role can't consume what it produces"),
    ("Epilogue, Store, 2, D", "Multiply, Store, 2, D", "tensor cores produce accumulators"),
    ("Multiply, Epilogue, 2, Accumulator", "Load, Epilogue, 2, Accumulator",
     "tensor cores produce accumulators"),
    ("AB, Accumulators, Out>;", "AB, Accumulators, Out, AB>;", "a pipe stands twice"),
    ("AB, Accumulators, Out>;", "AB, Accumulators>;", "no pipe of the kernel begins or ends at this role"),
    ("WORK<128, 256, step>", "Dynamic<128, 256, step, 0>",
     "dynamic work has at least one slot"),
    ("WORK<128, 256, step>", "SplitK<Static<128, 256, step>, 1>", "K is split once"),
    ("WORK<128, 256, step>", "SplitK<Static<128, 256, step>, 2>",
     "parts of accumulators are added to a tensor, not stored"),
    # Clusters.
    ("WORK<128", "Cluster<3, 1>, WORK<128", "both powers of two"),
    ("WORK<128", "Cluster<4, 4>, WORK<128", "a cluster has 1, 2, 4 or 8 CTAs"),
    ("WORK<128", "Cluster<1, 2, Pair>, WORK<128", "the two CTAs of a pair stand below each other"),
    ("WORK<128, 256, step>, AB", "Cluster<2, 1>, WORK<128, 24, step>, "
     'Pipe<"operands", Load, Multiply, 4, Operands<A, Tile<Element, 24, step>>>',
     "CTAs that share an operand load equal parts"),
    ("WORK<128, 256, step>, AB", "Cluster<2, 1, Pair>, WORK<128, 48, step>, "
     'Pipe<"operands", Load, Multiply, 4, Operands<A, Tile<Element, 48, step>>>',
     "a pair multiplies 32, 64, ... 256 columns"),
    ("WORK<128, 256, step>, AB", "Cluster<2, 1>, WORK<128, 256, step>, "
     'Pipe<"operands", Load, Epilogue, 4, Operands<A, B>>',
     "go from a role by TMA to one by tensor core"),
    # Maps.
    ("bf16 *d;", "float *d;", "a tensor has the elements of its map's tile"),
    ("Gemm::MapOfB<AB> b", "Map<D> b", "the maps of a load are the kernel's MapOfA and MapOfB"),
    ("slot.load(g.a, g.b,", "slot.load(g.b, g.a,", "in this order"),
    ("out.store(g.d,", "out.store(g.b,", "a Map of the slot's tile"),
    ("Load, Multiply, 4, Operands<A, B>", "Load, Multiply, 4, A", "only operands are loaded"),
    # Slots from the wrong role.
    ("load.produce<AB>()", "load.produce<Accumulators>()", "another role produces"),
    ("load.produce<AB>()", "load.consume<AB>()", "this role is no consumer of the pipe"),
    ("multiply.consume<AB>()", "multiply.consume<Accumulators>()",
     "this role is no consumer of the pipe"),
    ("multiply.produce<Accumulators>()", "multiply.produce<AB>()", "another role produces"),
    ("epilogue.consume<Accumulators>()", "epilogue.consume<Out>()",
     "this role is no consumer of the pipe"),
    ("epilogue.produce<Out>()", "epilogue.produce<AB>()", "another role produces"),
    ("store.consume<Out>()", "store.produce<Out>()", "another role produces"),
    ("store.consume<Out>()", "store.consume<AB>()", "this role is no consumer of the pipe"),
    # What a slot can't do.
    ("out.store(g.d, item.column + column, item.row)", "out.read(column, *new float[1][32])",
     "only accumulators are read with read()"),
    ("accumulators.mma(operands, k)", "accumulators.write(0, 0, uint4{})", "only a role by CUDA cores writes"),
    ("accumulators.mma(operands, k)", "accumulators.load(g.a, g.b, item, k)", "only a role by TMA loads"),
    ("slot.load(g.a, g.b, item, k)", "slot.mma(slot, k)", "only a role by tensor core"),
    ("float values[D::columns]", "float values[48]", "1, 2, 4, ... 128 columns"),
    # Slots that are lost, copied or kept.
    ("auto slot = load.produce<AB>();", "load.produce<AB>(); auto slot = load.produce<AB>();",
     "the slot is a temporary and is passed on at once"),
    ("auto operands = multiply.consume<AB>();",
     "multiply.consume<AB>(); auto operands = multiply.consume<AB>();",
     "the slot is a temporary and is released at once"),
    ("slot.load(g.a, g.b, item, k);", "auto copy = slot; copy.load(g.a, g.b, item, k);",
     "a slot can't be copied or kept"),
    ("auto operands = multiply.consume<AB>();",
     "auto kept = [&] { return multiply.consume<AB>(); }; auto first = kept(); "
     "auto operands = first;", "a slot can't be copied or kept"),
)
# The same for gemm_sm100_epilogue.cu.
EPILOGUE = (
    ("residual.load(g.residual, item.column + column, item.row)",
     "residual.load(g.b, item.column + column, item.row)",
     "the map of a load is a Map of the slot's tile"),
    ("slot.load(g.a, g.b, item, k)", "slot.load(g.d, 0, 0)",
     "operands are loaded by item and step"),
    ("residual.readRow(row, i)", "accumulators.readRow(row, i)", "reads rows of tiles in shared memory"),
)
# The same for gemm_sm100_pair.cu, whose work is dynamic.
DYNAMIC = (
    ('"load", 1,', '"scheduler", 1,', "has a role 'scheduler' and a pipe 'work' already"),
    ('"accumulators"', '"work"', "has a role 'scheduler' and a pipe 'work' already"),
)
# The same for gemm_sm100_nvfp4.cu.
SCALED = (
    ("A = Tile<Element, 128, step>", "A = Tile<mxfp8, 128, step>", "two of fp8 without block scales"),
    ("A = Tile<Element, 128, step>", "A = Tile<mxfp4, 128, step>", "one element type"),
    ("B = Tile<Element, 256, step>", "B = Tile<Element, 192, step>", "has 128 or 256 rows"),
    ("using Element = nvfp4", "using Element = BlockScaled<__nv_fp4x2_e2m1, 4, __nv_fp8_e4m3, 32>",
     "mxfp8, mxfp4 and nvfp4"),
    ("Multiply, Epilogue, 1, Acc", "Multiply, Epilogue, 2, Acc", "accumulators and block scales"),
    ("Dynamic<128, 256, step>", "Grouped<Dynamic<128, 256, step>, 2>", "grouped work has no block scales"),
    ("packScales<Element>", "packScales<mxfp8>", "the type that the format of their elements says"),
    ("readScales(argv[6], m, k)", "(float *)nullptr", "the type that the format of their elements says"),
    ("describe(arguments.a, a,", "describe(arguments.a, (__nv_fp8_e4m3 *)a,",
     "a tensor has the elements of its map's tile"),
)
# The same for gemm_sm100_grouped.cu.
GROUPED = (
    ("most = 32; // problems", "most = 1;", "grouped work is Static or Dynamic, of up to 2, 3, ... problems"),
    ("Grouped<Dynamic<128, 256, step>, most>", "Grouped<SplitK<Dynamic<128, 256, step>, 2>, most>",
     "grouped work is Static or Dynamic"),
    ("Grouped<Dynamic<128, 256, step>, most>", "SplitK<Grouped<Dynamic<128, 256, step>, most>, 2>",
     "K of grouped work and of stream K isn't split"),
    ("Grouped<Dynamic<128, 256, step>, most>", "PingPong<Grouped<Static<128, 256, step>, most>, 2>",
     "roles take turns on Static work"),
    ("for (GroupedItem item : load.work())", "for (Item item : load.work())",
     "an item of grouped work is a GroupedItem"),
)
# The same for attention_sm100.cu.
ATTENTION = (
    ("using KV = Tile<bf16, block, depth>", "using KV = Tile<bf16, 64, depth>",
     "the accumulator has A's rows and a column for each row of B"),
    ("using KV = Tile<bf16, block, depth>", "using KV = Tile<__nv_fp8_e4m3, block, depth>",
     "the operands of a product have one element type, or two of fp8"),
    ("using P = Tile<bf16, 128, block>", "using P = Tile<bf16, 128, 64>",
     "the operands of a product have the same K"),
    ("using Q = Tile<bf16, 128, depth>;", "using Q = Tile<bf16, 128, depth>; int n = Flipped<Tile<float, 8, 32>>::rows;",
     "only tiles of half and bfloat16 are multiplied the other way round"),
    ("using Q = Tile<bf16, 128, depth>;", "using Q = Tile<bf16, 128, depth>; int n = Flipped<Tile<bf16, 24, 64>>::rows;",
     "tensor cores take 16 rows of a tile that is the other way round"),
    ("Kernel<Dynamic<", "Kernel<Cluster<2, 1, Pair>, Dynamic<", "not tiles of two slots"),
    ("weights.write(scores.getRow(), column + i, round(s + i))", "weights.mma(scores, scores, 0)",
     "only a role by tensor core multiplies"),
)
# The same for gemm_sm100_dependent.cu.
DEPENDENT = (
    ("Dependent<Dynamic<128, 256, step>>", "Dependent<Dependent<Dynamic<128, 256, step>>>",
     "work is Dependent once"),
)
# The same for gemm_sm100_stream_k.cu.
STREAM = (
    ("StreamK<Static<128, 256, step>>", "StreamK<Dynamic<128, 256, step>>", "stream K is of Static work"),
    ("StreamK<Static<128, 256, step>>", "SplitK<StreamK<Static<128, 256, step>>, 2>", "of stream K isn't split"),
    ("accumulators.read(item, column, values)", "accumulators.read(column, values)", "with stream K, accumulators are read with their item"),
    ("for (StreamItem item : load.work())", "for (Item item : load.work())", "an item of stream K is a StreamItem"),
)
# The same for gemm_sm100_gather.cu.
GATHER = (
    ("gathered(g.a, g.rows), evictLast(g.b)", "evictLast(g.a), gathered(g.a, g.rows)",
     "the maps of a load are the kernel's MapOfA and MapOfB"),
    ("gathered(g.a, g.rows)", "g.a", "the maps of a load are the kernel's MapOfA and MapOfB"),
    ("Kernel<Dynamic<", "Kernel<Cluster<2, 1>, Dynamic<", "rows are gathered by CTAs without a cluster"),
    ("kernel.prefetch(g.a, g.b, g.d)", "kernel.prefetch(g.a, g.b, g.problem)", "only maps are prefetched"),
    ("auto slot = load.produce<AB>();", "load.peek<Accumulators>(); auto slot = load.produce<AB>();",
     "this role is at no end of the pipe"),
    ("auto slot = load.produce<AB>();", 'load.peek<Pipe<"x", Load, Store, 1, D>>(); auto slot = load.produce<AB>();',
     "the kernel doesn't have this pipe"),
    ("GatherMap<A> a;", "GatherMap<Tile<float, 128, 32>> a;", "the maps of a load are the kernel's MapOfA and MapOfB"),
)
# The same for gemm_sm90.cu.
HOPPER = (
    ('"multiply", 8,', '"multiply", 6,', "a role by warp groups has 4 warps or a multiple"),
    ('"multiply", 8,', '"multiply", 4,', "each warp group of a role has 64 rows of its accumulators"),
    ("multiply.accumulators<128, 256>()", "multiply.accumulators<128, 96>()", "64, 128 or 256 columns"),
    ("multiply.accumulators<128, 256>()", "multiply.accumulators<128, 128>()",
     "the accumulators have A's rows and a column for each row of B"),
    ("By::WarpGroups", "By::CudaCores", "only a role by warp groups has accumulators in registers"),
    ("using Element = bf16", "using Element = __nv_fp8_e4m3",
     "warp groups multiply half, bfloat16 and float"),
    ("D = Tile<bf16, 128, 64>", "D = Tile<float, 128, 32>", "written as half or bfloat16"),
    ("D = Tile<bf16, 128, 64>", "D = Tile<bf16, 64, 64>",
     "to a tile with 64 rows for each warp group"),
    ("Kernel<Static<", "Kernel<Cluster<2, 1, Pair>, Static<",
     "warp groups of two CTAs can't multiply together"),
    ("Kernel<Static<", "Kernel<Dynamic<", "Hopper has no cluster launch control"),
    ("Kernel<Static<128, 256, step>, AB", "Kernel<StreamK<Static<128, 256, step>>, AB",
     "stream K has accumulators in tensor memory"),
    ("Kernel<Static<128, 256, step>, AB,", 'Kernel<Static<128, 256, step>, '
     'Pipe<"first", Role<"more", 2, By::CudaCores>, Multiply, 1, Tile<bf16, 8, 64>>, AB,',
     "roles by CUDA cores before one by warp groups"),
)
# The same for gemm_sm90_pingpong.cu.
PINGPONG = (
    ("Ping, Pong, 1, Turn>", "Ping, Pong, 2, Turn>", "a pipe of turns has one slot"),
    ("turn<Products>()", "turn<Out>()", "only a pipe of Turn says whose turn it is"),
    ("PingPong<Static<64, 256, step>, 2>", "PingPong<Static<64, 256, step>, 1>",
     "roles take turns on Static work"),
    ("PingPong<Static<64, 256, step>, 2>", "PingPong<Dynamic<64, 256, step>, 2>",
     "roles take turns on Static work"),
    ("(pong, round.get<1>())", "(pong, round.get<2>())", "as many items as its work has turns"),
)
MISUSES = (*(("gemm_sm100", "100a", *row) for row in BLACKWELL),
           *(("gemm_sm100_epilogue", "100a", *row) for row in EPILOGUE),
           *(("gemm_sm100_pair", "100a", *row) for row in DYNAMIC),
           *(("gemm_sm100_nvfp4", "100a", *row) for row in SCALED),
           *(("gemm_sm100_grouped", "100a", *row) for row in GROUPED),
           *(("attention_sm100", "100a", *row) for row in ATTENTION),
           *(("gemm_sm100_dependent", "100a", *row) for row in DEPENDENT),
           *(("gemm_sm100_stream_k", "100a", *row) for row in STREAM),
           *(("gemm_sm100_gather", "100a", *row) for row in GATHER),
           *(("gemm_sm90", "90a", *row) for row in HOPPER),
           *(("gemm_sm90_pingpong", "90a", *row) for row in PINGPONG))


def compile_text(text: str, arch: str, folder: Path, name: str) -> list[str]:
    """The errors of nvcc, the first line of each."""
    source = folder / f"{name}.cu"
    source.write_text(text)
    done = execute([cuda_tool("nvcc"), *OPTIONS, f"-arch=sm_{arch}", "-ptx", "-I", KERNELS,
                    "-o", folder / f"{name}.ptx", source])
    lines = (done.stdout + done.stderr).splitlines()
    errors = [line for line in lines if "error" in line]
    return errors if done.returncode else []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="every Nth misuse")
    options = parser.parse_args()
    chosen = MISUSES[::options.every]
    kernels = {(name, arch): (KERNELS / f"{name}.cu").read_text() for name, arch, *_ in chosen}
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        folder = Path(name)
        compiled = pool.map(lambda key: compile_text(kernels[key], key[1], folder, key[0]), kernels)
        for (name, _), errors in zip(kernels, compiled):
            if errors:
                sys.exit(f"{name} itself doesn't compile: {errors[0]}")

        def judge(number: int) -> str:
            name, arch, old, new, says = chosen[number]
            kernel = kernels[name, arch]
            if kernel.count(old) != 1:
                return f"'{old}' stands {kernel.count(old)} times in the kernel"
            errors = compile_text(kernel.replace(old, new), arch, folder, f"misuse{number}")
            if not errors:
                return f"'{new}' compiles"
            if "drawloom: " not in errors[0] or says not in errors[0]:
                return f"'{new}': the first error is not '{says}', but: {errors[0][:300]}"
            return ""

        failures = list(filter(None, pool.map(judge, range(len(chosen)))))
    for failure in failures:
        print(failure)
    print(f"device-errors: {len(chosen) - len(failures)} of {len(chosen)}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
