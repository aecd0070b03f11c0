# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `drawloom run` does for Triton, piece by piece: the ptxas that it leads to,
the variables, and memory of the host as arguments.

DRAWLOOM_RUN is the command, DRAWLOOM_PYTHON has Triton and numpy."""
import os
import pathlib
import stat
import subprocess
import tempfile
import unittest

RUN = os.environ["DRAWLOOM_RUN"]
PYTHON = os.environ["DRAWLOOM_PYTHON"]
PTXAS = pathlib.Path(RUN).parent.parent / "lib/drawloom/ptxas"

KERNEL = """
import numpy, triton, triton.language as tl
@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 7, i < n)
"""


class PtxasTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "kernel.ptx").write_text("PTX\n")

    def ptxas(self, script):
        """Runs ours over a real one that is this script."""
        real = self.folder / "real"
        real.write_text(f"#!/bin/sh\n{script}\n")
        real.chmod(real.stat().st_mode | stat.S_IXUSR)
        return subprocess.run(
            [PTXAS, "--gpu-name=sm_90a", "kernel.ptx", "-o", "kernel.o"],
            cwd=self.folder, env={**os.environ, "DRAWLOOM_PTXAS": str(real)},
            capture_output=True, text=True)

    def test_output_is_the_ptx(self):
        result = self.ptxas('echo info >&2; echo cubin > "$4"')
        self.assertEqual((result.returncode, result.stderr), (0, "info\n"))
        self.assertEqual((self.folder / "kernel.o").read_text(), "PTX\n")

    def test_a_refusal_is_the_real_ones(self):
        result = self.ptxas("echo 'ptxas error' >&2; exit 255")
        self.assertEqual((result.returncode, result.stderr), (255, "ptxas error\n"))
        self.assertFalse((self.folder / "kernel.o").exists())

    def test_version(self):
        real = self.folder / "real"
        real.write_text('#!/bin/sh\necho "release 13.4, $1"\n')
        real.chmod(real.stat().st_mode | stat.S_IXUSR)
        said = subprocess.run([PTXAS, "--version"], capture_output=True, text=True,
                              env={**os.environ, "DRAWLOOM_PTXAS": str(real)})
        self.assertEqual((said.returncode, said.stdout),
                         (0, "release 13.4, --version\n"))

    def test_no_ptxas(self):
        # Tools that a shell needs, and no ptxas.
        for tool in ["sh", "sed", "head"]:
            (self.folder / tool).symlink_to(f"/bin/{tool}")
        result = subprocess.run([PTXAS, "--version"], capture_output=True, text=True,
                                env={"PATH": str(self.folder)})
        self.assertEqual(result.returncode, 1)
        self.assertIn("there is no ptxas to judge the PTX", result.stderr)


class RunTest(unittest.TestCase):

    def run_program(self, text, **variables):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "program.py"
            file.write_text(text)
            environment = {name: value for name, value in os.environ.items()
                           if not name.startswith("TRITON_")}
            # Of our own, so that no other cache answers.
            environment["TRITON_CACHE_DIR"] = folder
            return subprocess.run([RUN, "--", PYTHON, "-W", "ignore", file],
                                  env={**environment, **variables}, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def test_variables(self):
        said = self.run_program("""
import os
for name in ["PTXAS_PATH", "PTXAS_BLACKWELL_PATH", "CACHE_DIR", "DEFAULT_BACKEND"]:
    print(os.environ["TRITON_" + name])
print(os.environ["PYTHONPATH"], os.environ["DRAWLOOM_PTXAS"])
""", TRITON_CACHE_DIR="/cache", TRITON_PTXAS_PATH="/mine", PYTHONPATH="/theirs")
        folder = PTXAS.parent
        self.assertEqual(said.stdout.splitlines(), [
            f"{folder}/ptxas", f"{folder}/ptxas-blackwell", "/cache/drawloom",
            "drawloom", f"{folder}/python:/theirs /mine"])

    def test_own_sitecustomize(self):
        """The module that Python imports at its start is still imported."""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "sitecustomize.py").write_text("print('theirs')")
            said = self.run_program("print('program')", PYTHONPATH=folder)
        self.assertEqual(said.stdout, "theirs\nprogram\n")

    def test_cute_dsl_is_prepared(self):
        said = self.run_program("""
import os
import cutlass
kept = os.environ["DRAWLOOM_KEPT_PTX"]
assert os.environ["CUTE_DSL_DUMP_DIR"] == kept
assert os.environ["CUTE_DSL_LIBS"].startswith(kept + "/libcute_dsl_launches.so:")
print(os.environ["CUTE_DSL_KEEP"], kept)
""", CUTE_DSL_KEEP="ir")
        tokens, kept = said.stdout.split()
        self.assertEqual(tokens, "cubin,ir,ptx")
        self.assertFalse(pathlib.Path(kept).exists(), "it outlives the program")

    def test_cute_dsl_without_a_linker(self):
        said = self.run_program("import cutlass", CC="/nowhere/cc")
        self.assertIn("drawloom: CuTe DSL's launcher has to be linked with the "
                      "emulator's runtime, and that fails: ", said.stdout)
        self.assertIn("/nowhere/cc", said.stdout)

    def test_own_backend_stays(self):
        said = self.run_program(
            "import os\nprint(os.environ['TRITON_DEFAULT_BACKEND'])",
            TRITON_DEFAULT_BACKEND="nvidia")
        self.assertEqual(said.stdout, "nvidia\n")

    def test_past_the_end(self):
        """An array is an allocation of its own, to the byte."""
        said = self.run_program(KERNEL + """
x = numpy.zeros(1000, numpy.float32)
fill[(8,)](x, 1001, BLOCK=128)
""")
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("illegal address", said.stdout)
        self.assertIn("right behind the end of the allocation", said.stdout)
        self.assertIn("program.py:6", said.stdout)

    def test_arrays(self):
        """Views of one array are one memory; what may not be written isn't."""
        said = self.run_program(KERNEL + """
@triton.jit
def add(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) + tl.load(y + i))
x = numpy.arange(64, dtype=numpy.float32)
add[(1,)](x[:16], x[16:32], x[32:48], BLOCK=16)
assert (x[32:48] == numpy.arange(16, 47, 2)).all(), x
constant = numpy.zeros(128, numpy.float32)
constant.flags.writeable = False
fill[(1,)](constant, 128, BLOCK=128)
assert (constant == 0).all()
empty = numpy.zeros(0, numpy.float32)
fill[(1,)](empty, 0, BLOCK=128)
print("right")
""")
        self.assertEqual(said.stdout, "right\n")

    def test_refused_ptx(self):
        """What ptxas refuses is Triton's error, with ptxas's words."""
        said = self.run_program("""
import numpy, triton, triton.language as tl
@triton.jit
def wrong(x):
    tl.inline_asm_elementwise("no.such $0, $1;", "=r,r", [tl.load(x)], tl.int32,
                              is_pure=False, pack=1)
wrong[(1,)](numpy.zeros(1, numpy.int32))
""")
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("ptxas", said.stdout)
        self.assertIn("no.such", said.stdout)


if __name__ == "__main__":
    unittest.main()
