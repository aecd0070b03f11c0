# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The framework, without any peer: python -m unittest peers.tests.test_framework"""

import contextlib
import io
import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from .. import all_kernels
from .. import __main__ as command
from ..kernel import BuildError, Kernel, inputs, run

PTX = ".visible .entry k() { ret; }"


def record(name="k", sources=(b"source",), build=lambda: PTX, **changes) -> Kernel:
    return Kernel(**{"name": name, "peer": "none", "arch": "sm_90a", "suite": "core",
                     "inputs": tuple(sources), "build": build, **changes})


class Keys(unittest.TestCase):

    def test_same_inputs_same_key(self):
        self.assertEqual(record().key, record(build=lambda: "").key)

    def test_every_input_counts(self):
        keys = {record().key, record(arch="sm_100a").key, record(peer="other").key,
                record(sources=(b"sourc", b"e")).key, record(sources=(b"source", b"")).key}
        self.assertEqual(len(keys), 5)

    def test_inputs_name_sources_packages_code_and_options(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"text")
            file.flush()
            found = inputs(sources=[Path(file.name)], packages=["no-such-package"],
                           code=[record], options=["-O3"])
        self.assertEqual(found[:2], (b"text", b"no-such-package==missing"))
        self.assertIn(b"def record(", found[2])
        self.assertEqual(found[3], b"-O3")

    def test_wrong_arch_and_suite_are_refused(self):
        with self.assertRaisesRegex(ValueError, "k: arch 'sm_80' is not in"):
            record(arch="sm_80")
        with self.assertRaisesRegex(ValueError, "k: suite 'nightly' is not in"):
            record(suite="nightly")


class Building(unittest.TestCase):

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.dict(os.environ, DRAWLOOM_CACHE=str(self.folder)))

    def call(self, *words, kernels=()):
        """Runs the command and gives its exit code and what it printed."""
        text = io.StringIO()
        with (mock.patch.object(command, "all_kernels", lambda: list(kernels)),
              mock.patch("sys.argv", ["peers", *words]),
              contextlib.redirect_stdout(text), contextlib.redirect_stderr(text)):
            try:
                code = command.main()
            except SystemExit as stop:
                code = stop.code
        return code, text.getvalue()

    def test_build_fills_the_cache_with_whole_files(self):
        kernel = record()
        self.assertEqual(self.call("build-here", "k", kernels=[kernel]), (0, ""))
        self.assertEqual(kernel.path.read_text(), PTX)
        self.assertEqual(os.listdir(self.folder / "peers"), [kernel.path.name])

    def test_cached_kernels_are_not_built(self):
        def never():
            raise AssertionError("built although cached")

        kernel = record(build=never)
        command.store(kernel.path, PTX)
        manifest = self.folder / "manifest.json"
        code, text = self.call("build", "--manifest", str(manifest), kernels=[kernel])
        self.assertEqual((code, text), (0, "k: cached\n1 kernels, 0 built, 1 cached\n"))
        self.assertEqual(json.loads(manifest.read_text()),
                         [{"name": "k", "peer": "none", "arch": "sm_90a", "suite": "core",
                           "path": str(kernel.path)}])

    def test_a_failure_is_counted_and_explained(self):
        # The process that builds does not know this kernel, and says so.
        code, text = self.call("build", kernels=[record()])
        self.assertEqual(code, 1)
        self.assertIn("k: failed after", text)
        self.assertIn("no kernel named k", text)
        self.assertTrue(text.endswith("1 kernels, 0 built, 0 cached, 1 failed\n"), text)

    def test_reasons_of_a_failed_build(self):
        def without_package():
            raise ModuleNotFoundError(name="triton")

        def with_error():
            raise BuildError("ptxas: no")

        for build, reason in ((without_package, "triton is not in this Python environment"),
                              (with_error, "ptxas: no"),
                              (lambda: "// nothing", "none gave no PTX with an entry")):
            code, text = self.call("build-here", "k", kernels=[record(build=build)])
            self.assertEqual(code, 1)
            self.assertIn(reason, text)
            self.assertFalse(record().path.exists())

    def test_unknown_name_and_missing_file(self):
        code, _ = self.call("build", "x", kernels=[record()])
        self.assertIn("no kernel named x", str(code))
        code, text = self.call("path", "k", kernels=[record()])
        self.assertEqual(code, 1)
        self.assertIn("k is not built", text)

    def test_a_failing_tool_shows_its_first_lines(self):
        with self.assertRaisesRegex(BuildError, "(?s)^false x$"):
            run(["false", "x"])


class Table(unittest.TestCase):

    def test_names_say_peer_and_architecture(self):
        for kernel in all_kernels():
            short = kernel.arch.replace("_", "").removesuffix("a")
            self.assertTrue(kernel.name.startswith(f"{kernel.peer}_{short}_"), kernel.name)

    def test_the_core_suite_is_large_enough(self):
        core = [kernel for kernel in all_kernels() if kernel.suite == "core"]
        self.assertGreaterEqual(len(core), 40)
        self.assertEqual({kernel.arch for kernel in core}, {"sm_90a", "sm_100a", "sm_120a"})


if __name__ == "__main__":
    unittest.main()
