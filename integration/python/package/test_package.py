# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package `drawloom`, as it is installed. Results are compared with numpy; the
numbers are small and whole, so they are exact."""
import json
import pathlib
import re
import subprocess
import threading
import unittest

import ml_dtypes
import numpy as np

import drawloom

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"
GEMM = (EXAMPLES / "gemm.mlir").read_text()
ARCHS = ["sm_90a", "sm_100a"]


def whole(shape, dtype=ml_dtypes.bfloat16, seed=0):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


def exact(array):
    return array.astype(np.float64)


class OnlyDlpack:
    """A tensor of a library that numpy doesn't know, with its capsule's bytes."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self):
        return self.array.__dlpack__()


class Programs(unittest.TestCase):
    def test_text_path_and_name(self):
        path = EXAMPLES / "gemm.mlir"
        kernels = [drawloom.compile(source, "sm_90a")
                   for source in (GEMM, path, str(path))]
        self.assertEqual(len({kernel.ptx.replace(str(path), "program")
                              for kernel in kernels}), 1)
        self.assertIn(".visible .entry gemm(", kernels[0].ptx)
        with self.assertRaises(FileNotFoundError):
            drawloom.compile("nowhere.mlir", "sm_90a")

    def test_errors_have_places(self):
        with self.assertRaises(drawloom.Error) as caught:
            drawloom.compile("tile.kernel @k() {\n  oops\n}\n", "sm_90a", name="k.mlir")
        first = caught.exception.messages[0]
        self.assertEqual(first[:4], ("error", "k.mlir", 2, 3))
        self.assertEqual(first.code, "syntax")
        self.assertTrue(str(caught.exception).startswith("k.mlir:2:3: error: "))
        with self.assertRaisesRegex(drawloom.Error, "sm_100a") as caught:
            drawloom.compile(GEMM, "sm_100")
        self.assertEqual(caught.exception.messages[0].code, "unknown-architecture")

    def test_one_of_several(self):
        two = GEMM + GEMM.replace("@gemm", "@second")
        self.assertEqual(drawloom.compile(two, "sm_90a", kernel="second").name, "second")
        with self.assertRaisesRegex(drawloom.Error, "kernel='gemm'"):
            drawloom.compile(two, "sm_90a")
        with self.assertRaisesRegex(drawloom.Error, "no kernel"):
            drawloom.plan("\n", "sm_90a")

    def test_cubin_where_there_is_ptxas(self):
        kernel = drawloom.compile(GEMM, "sm_90a")
        try:
            self.assertEqual(kernel.cubin[:4], b"\x7fELF")
        except drawloom.Error as error:
            self.assertIn("ptxas", str(error))

    def test_plan(self):
        plan = drawloom.plan(GEMM, "sm_100a")
        self.assertIn("@operand_load", str(plan))
        self.assertEqual(plan.json()["kernel"], "gemm")
        self.assertTrue(plan.mermaid().startswith("graph TD\n"))
        self.assertIn("sequenceDiagram", plan.sequence())
        self.assertTrue(plan.dot().startswith("digraph"))
        self.assertTrue(plan._repr_svg_().startswith("<svg"))
        self.assertIn("waits until operands[0] is full", plan.svg_sequence())
        self.assertIn("<h2>Reasons</h2>", plan.html())

    def test_page(self):
        """A page is the one that the command writes, stages and all."""
        for file in ("gemm.mlir", "schedules/planned_gemm.mlir"):
            page = subprocess.run(
                [drawloom.command(), "explain", EXAMPLES / file, "--arch", "sm_100a", "--format",
                 "html"], check=True, stdout=subprocess.PIPE, text=True).stdout
            self.assertEqual(drawloom.plan(EXAMPLES / file, "sm_100a").html(), page)
            self.assertIn("ptx: what the GPU", page)

        @drawloom.fuse("sm_90a")
        def twice(x: "f32[M, N]"):
            return x + x
        page = twice.plan.html()
        self.assertIn("func.func @twice", page)
        self.assertNotIn(" loc(", page)

    def test_gpu(self):
        """A GPU is the system's: without one there is no other instead."""
        A = whole((64, 64))
        try:
            drawloom.compile(GEMM, "sm_90a").run(A, A, device="cuda")
        except drawloom.Error:
            pass
        maps = pathlib.Path("/proc/self/maps").read_text()
        self.assertNotIn("drawloom/libcuda.so.1", maps)

    def test_number(self):
        """A parameter without sizes takes a number."""
        @drawloom.fuse("sm_90a")
        def scaled(x: "f32[M, N]", by: "f32"):
            return x * by
        x = whole((64, 64), np.float32)
        for number in (3.0, np.float32(3), np.array([3], np.float32)):
            self.assertTrue((scaled(x, number) == 3 * x).all())
        with self.assertRaisesRegex(
                drawloom.Error, r"^'x' has 2 dimensions, not 1 \[argument\]$"):
            scaled(x[0], 3.0)

    def test_threads(self):
        made, A, B = [], whole((40, 32)), whole((24, 32), seed=1)

        def work(arch):
            kernel = drawloom.compile(GEMM, arch, cache=False)
            made.append((kernel.run(A, B) == exact(A) @ exact(B).T).all())
        threads = [threading.Thread(target=work, args=(arch,)) for arch in ARCHS * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(made, [True] * 4)


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kernels = [drawloom.compile(GEMM, arch) for arch in ARCHS]
        cls.kernel = cls.kernels[0]
        cls.A, cls.B = whole((200, 136)), whole((72, 136), seed=1)
        cls.right = exact(cls.A) @ exact(cls.B).T

    def test_both_devices(self):
        for kernel in self.kernels:
            np.testing.assert_array_equal(kernel.run(self.A, self.B), self.right)
            np.testing.assert_array_equal(kernel(B=self.B, A=self.A), self.right)

    def test_outputs_in_place(self):
        D = np.zeros((2 * 200, 72), np.float32)[::2]  # rows with gaps
        self.assertIs(self.kernel.run(self.A, self.B, D), D)
        np.testing.assert_array_equal(D, self.right)
        D.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "'D' is written to"):
            self.kernel.run(self.A, self.B, D)

    def test_inputs_are_left_alone(self):
        A = self.A.copy()
        A.flags.writeable = False
        transposed = np.asfortranarray(self.B)
        np.testing.assert_array_equal(self.kernel.run(A, transposed), self.right)

    def test_dlpack(self):
        x = whole((64, 64), np.float32)

        def twice(x: "f32[M, N]"):
            return x + x
        kernel = drawloom.trace(twice).compile("sm_90a")
        np.testing.assert_array_equal(kernel.run(OnlyDlpack(x)), 2 * x)
        np.testing.assert_array_equal(kernel.run(OnlyDlpack(x.T)), 2 * x.T)
        out = np.zeros_like(x)
        kernel.run(x, OnlyDlpack(out))
        np.testing.assert_array_equal(out, 2 * x)
        with self.assertRaisesRegex(TypeError, "memory of the host"):
            kernel.run(OnlyDlpack(x, device=2))

    def test_what_doesnt_fit(self):
        run, A, B = self.kernel.run, self.A, self.B
        with self.assertRaisesRegex(drawloom.Error, "reads 'B', which is not given"):
            run(A)
        with self.assertRaisesRegex(TypeError, "argument 'A' expects bfloat16, got float32"):
            run(A.astype(np.float32), B)
        with self.assertRaisesRegex(TypeError, "takes 3 arguments, not 4"):
            run(A, B, None, None)
        with self.assertRaisesRegex(TypeError, "no argument 'C', only A, B, D"):
            run(A, B, C=B)
        with self.assertRaisesRegex(TypeError, "'B' is given twice"):
            run(A, B, B=B)
        with self.assertRaisesRegex(drawloom.Error, "dimension 1 of 'B' is 64, but"):
            run(A, B[:, :64])
        # A run that failed leaves a device that runs.
        with self.assertRaises(drawloom.Error):
            run(A, B, order="backwards")
        np.testing.assert_array_equal(run(A, B, order="random:2"), self.right)

    def test_compare(self):
        compared, = self.kernels[1].compare(self.A, self.B)
        self.assertEqual((compared.name, compared.elements, compared.out_of_bound),
                         ("D", 200 * 72, 0))
        self.assertTrue(compared.matches)

    def test_findings(self):
        self.assertEqual(self.kernel.check(self.A, self.B), [])
        text = re.search(r'"""(\ntile.*?)"""',
                         (EXAMPLES / "python/finding.py").read_text(), re.S)[1]
        kernel = drawloom.compile(text, "sm_90a")
        x = np.arange(128 * 64, dtype=np.float32).reshape(128, 64)
        errors = [one for one in kernel.check(x) if one.severity == "error"]
        self.assertTrue(errors)
        self.assertGreater(errors[0].first["ptxLine"], 0)
        self.assertEqual(json.loads(json.dumps(errors[0].second)), errors[0].second)


class Fusions(unittest.TestCase):
    def run_fused(self, function, *arrays):
        return [drawloom.trace(function).compile(arch).run(*arrays) for arch in ARCHS]

    def test_operators(self):
        def formula(a: "bf16[M, K]", b: "bf16[K, N]", c: "f32[M, N]", d: "f32[N]"):
            x = drawloom.relu(a @ b - c) * 2 + d
            x = drawloom.maximum(x, c) - drawloom.minimum(1 - c, -x)
            return (x + 3 - 1).astype("float16")
        a, b = whole((72, 64)), whole((64, 40), seed=1)
        c, d = whole((72, 40), np.float32, 2), whole(40, np.float32, 3)
        x = np.maximum(exact(a) @ exact(b) - c, 0) * 2 + d
        x = np.maximum(x, c) - np.minimum(1 - c, -x)
        for out in self.run_fused(formula, a, b, c, d):
            np.testing.assert_array_equal(out, (x + 2).astype(np.float16))

    def test_reductions(self):
        def formula(x: "f32[M, 64]"):
            largest = x.max(axis=1)
            return {"sums": x.sum(axis=1), "largest": largest,
                    "shares": x / largest.unsqueeze(1)}
        x = whole((200, 64), np.float32) + 8
        for made in self.run_fused(formula, x):
            np.testing.assert_array_equal(made["sums"], x.sum(axis=1))
            np.testing.assert_array_equal(made["largest"], x.max(axis=1))
            # A quotient of PTX's div.full is within two units in the last place.
            np.testing.assert_allclose(made["shares"], x / x.max(axis=1, keepdims=True),
                                       rtol=2.0**-22, atol=0)

    def test_scans(self):
        def rows(x: "f32[M, 100]"):
            return {"sums": x.cumsum(axis=-1), "largest": x.cummax(axis=1)}

        def columns(x: "f32[72, 40]"):
            return x.cumsum(axis=0)
        # Sums of small integers are exact in any order.
        x = whole((200, 100), np.float32)
        for made in self.run_fused(rows, x):
            np.testing.assert_array_equal(made["sums"], x.cumsum(axis=1))
            np.testing.assert_array_equal(made["largest"], np.maximum.accumulate(x, axis=1))
        x = whole((72, 40), np.float32)
        for out in self.run_fused(columns, x):
            np.testing.assert_array_equal(out, x.cumsum(axis=0))

    def test_functions(self):
        # Zero is where they are known.
        def formula(x: "f32[M, 64]"):
            return drawloom.exp(x) + drawloom.gelu(x) + drawloom.silu(x) \
                + drawloom.rsqrt(x + 4)
        for out in self.run_fused(formula, np.zeros((72, 64), np.float32)):
            np.testing.assert_array_equal(out, np.full((72, 64), 1.5, np.float32))

    def test_schedules(self):
        @drawloom.fuse("sm_90a", schedule="tile = [128, 128, 64], cluster = [2, 1]")
        def clustered(a: "bf16[M, K]", b: "bf16[N, K]"):
            return a @ b.T
        self.assertEqual(clustered.description["cluster"], [2, 1, 1])
        a, b = whole((300, 64)), whole((136, 64), seed=1)
        np.testing.assert_array_equal(clustered(a, b), exact(a) @ exact(b).T)
        with self.assertRaisesRegex(drawloom.Error, "shapes"):
            drawloom.Fusion("f").schedule("shapes = [1]")

    def test_mistakes_have_lines(self):
        fusion = drawloom.Fusion("f")
        a = fusion.input("a", ["M", 64], "bf16")
        with self.assertRaisesRegex(
                drawloom.Error, r"test_package\.py:\d+: fusion 'f': matmul of 'a'"):
            a @ a
        with self.assertRaisesRegex(TypeError, "unknown element type"):
            fusion.input("b", ["M"], "complex64")
        with self.assertRaisesRegex(TypeError, "reciprocal"):
            a / 3  # 1/3 isn't exact; who wants it multiplies
        with self.assertRaisesRegex(ValueError, "two fusions"):
            a + drawloom.Fusion("g").input("a", ["M", 64], "bf16")
        with self.assertRaisesRegex(ValueError, "another fusion"):
            drawloom.Fusion("g").output("d", a)

        def untyped(x):
            return x
        with self.assertRaisesRegex(TypeError, "parameter 'x' needs its type"):
            drawloom.trace(untyped)

    def test_refusals_are_at_the_formula(self):
        # One kernel can't have two products of which neither uses the other's sizes.
        fusion = drawloom.Fusion("far")
        a = fusion.input("a", ["M", "K"], "bf16")
        b = fusion.input("b", ["P", "Q"], "bf16")
        fusion.output("c", a @ a.T)
        fusion.output("d", b @ b.T)
        with self.assertRaises(drawloom.Error) as caught:
            fusion.plan("sm_90a")
        self.assertTrue(caught.exception.messages[0].file.endswith("test_package.py"))
        self.assertNotIn("test_package.py", fusion.text)


if __name__ == "__main__":
    unittest.main()
