# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton kernels on tensors of the device, in torch's current stream, autotuned."""
import torch
import triton
import triton.language as tl


@triton.autotune([triton.Config({"BM": 64, "BN": 64}, num_warps=4),
                  triton.Config({"BM": 128, "BN": 64}, num_warps=4)],
                 key=["M", "N", "K"], restore_value=["c"])
@triton.jit
def matmul_add(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, 32):
        k = start + tl.arange(0, 32)
        total = tl.dot(
            tl.load(a + m[:, None] * K + k[None, :], m[:, None] < M, 0.0),
            tl.load(b + k[:, None] * N + n[None, :], n[None, :] < N, 0.0), total)
    place = c + m[:, None] * N + n[None, :]
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(place, tl.load(place, inside) + total, inside)


def check(device):
    M, N, K = 130, 100, 96
    a = torch.randn(M, K, dtype=torch.bfloat16)
    b = torch.randn(K, N, dtype=torch.bfloat16)
    c = torch.randn(M, N)
    reference = c.double() + a.double() @ b.double()
    # K additions, one more for c, each of which may lose 2^-23.
    bound = (K + 1) * 2.0**-23 * (a.double().abs() @ b.double().abs() + c.abs())
    out = c.to(device, copy=True)
    grid = lambda meta: (triton.cdiv(M, meta["BM"]), triton.cdiv(N, meta["BN"]))
    matmul_add[grid](a.to(device), b.to(device), out, M, N, K)
    assert ((out.cpu().double() - reference).abs() <= bound).all(), device


check("cuda")
check("cpu")
with torch.cuda.stream(torch.cuda.Stream()):
    check("cuda")
