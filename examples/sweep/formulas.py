# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formulas for release.toml: functions whose parameters say their types and sizes."""
import drawloom


def linear(a: "bf16[M, K]", b: "bf16[N, K]", bias: "f32[N]"):
    return drawloom.relu(a @ b.T + bias)


def sums(x: "f32[M, N]"):
    return {"sums": (x * x).sum(axis=1)}
