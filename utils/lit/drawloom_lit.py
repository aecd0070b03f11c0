# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every lit suite of Drawloom shares.

A suite's lit.cfg.py imports this and calls `configure`. Tests see the tools of
the build and LLVM's FileCheck, not, split-file and friends on PATH.
"""

import os
import subprocess

import lit.formats

SUFFIXES = [".mlir", ".ptx", ".test", ".td"]


def configure(config, name):
    """Fills in `config` for the suite `name` whose lit.cfg.py calls this."""
    build = os.environ["DRAWLOOM_BUILD"]
    config.name = f"drawloom-{name}"
    config.test_format = lit.formats.ShTest(execute_external=False)
    config.suffixes = SUFFIXES
    config.excludes = ["Inputs", "CMakeLists.txt", "lit.cfg.py"]
    config.test_exec_root = os.path.join(build, "lit", name)
    llvm = subprocess.run(
        ["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True
    ).stdout.strip()
    path = [os.path.join(build, "bin"), llvm, os.environ["PATH"]]
    config.environment["PATH"] = os.pathsep.join(path)
    # What was compiled before tells nothing about the compiler of today.
    config.environment["DRAWLOOM_NO_CACHE"] = "1"
    for variable in ("HOME", "CUDA_HOME", "DRAWLOOM_CACHE", "XDG_CACHE_HOME"):
        if variable in os.environ:
            config.environment[variable] = os.environ[variable]
