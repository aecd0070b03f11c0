# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command in a terminal, and prints what it shows there, escapes as \\e."""
import os
import pty
import subprocess
import sys

ours, its = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=its, stderr=its,
                           env=os.environ | {"TERM": "xterm"})
os.close(its)
shown = b""
try:
    while data := os.read(ours, 65536):
        shown += data
except OSError:  # No process has the terminal any more.
    pass
print(shown.decode().replace("\r\n", "\n").replace("\x1b", "\\e").replace("\r", "\\r\n"))
sys.exit(process.wait())
