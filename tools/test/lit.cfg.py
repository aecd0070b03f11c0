# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import shutil
import subprocess

import drawloom_lit

drawloom_lit.configure(config, "tools")

# `REQUIRES: ptxas` for the tests that assemble: `drawloom doctor` returns 0 if
# there is one.
drawloom = shutil.which("drawloom", path=config.environment["PATH"])
if drawloom and not subprocess.call(
    [drawloom, "doctor"], env=config.environment, stdout=subprocess.DEVNULL
):
    config.available_features.add("ptxas")

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
for folder in ("docs", "examples", "tools/editors"):
    config.substitutions.append((f"%{os.path.basename(folder)}", os.path.join(root, folder)))

# `REQUIRES: node` for the extension of VS Code, the others for completions in them.
for program in ("node", "zsh", "fish"):
    if shutil.which(program, path=config.environment["PATH"]):
        config.available_features.add(program)

# %bare_path has the build's and LLVM's tools only, and so no Python.
folders = config.environment["PATH"].split(os.pathsep)
config.substitutions.append(("%bare_path", os.pathsep.join(folders[:2])))
