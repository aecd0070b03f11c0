# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TileLang, with its own launcher and tensors of torch on the device. It asks nvcc
for SASS; two lines ask for PTX."""
import os
import tempfile

folder = tempfile.TemporaryDirectory()
os.environ["TILELANG_CACHE_DIR"] = folder.name
import tilelang  # noqa: E402
import tilelang.language as T  # noqa: E402
import torch  # noqa: E402
from tilelang.contrib import nvcc  # noqa: E402

compile_cuda = nvcc.compile_cuda
nvcc.compile_cuda = lambda code, format, *rest, **more: compile_cuda(
    code, "ptx", *rest, **more)


@tilelang.jit
def gemm(M, N, K, BM=128, BN=128, BK=32):

    @T.prim_func
    def main(a: T.Tensor((M, K), "float16"), b: T.Tensor((K, N), "float16"),
             c: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=128) as (x, y):
            left = T.alloc_shared((BM, BK), "float16")
            right = T.alloc_shared((BK, BN), "float16")
            total = T.alloc_fragment((BM, BN), "float32")
            T.clear(total)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=3):
                T.copy(a[y * BM, k * BK], left)
                T.copy(b[k * BK, x * BN], right)
                T.gemm(left, right, total)
            T.copy(total, c[y * BM, x * BN])

    return main


M, N, K = 256, 384, 160
a = torch.randn(M, K).half()
b = torch.randn(K, N).half()
c = torch.empty(M, N, device="cuda")
gemm(M, N, K)(a.cuda(), b.cuda(), c)
reference = a.double() @ b.double()
# As in emulator/elements.py: K additions that may lose 2^-23 each.
bound = K * 2.0**-23 * (a.double().abs() @ b.double().abs())
assert ((c.cpu().double() - reference).abs() <= bound).all()
