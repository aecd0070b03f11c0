# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts a command, sends SIGINT to it alone, as a process would, once a program that it runs has
written a file with its number, and says what became of both."""

import os
import pathlib
import signal
import subprocess
import sys
import time

file, *command = sys.argv[1:]
path = pathlib.Path(file)
path.unlink(missing_ok=True)
process = subprocess.Popen(command)
while not path.exists() or not path.read_text():
    time.sleep(0.1)
time.sleep(3)  # In the kernel.
process.send_signal(signal.SIGINT)
print("exit code", process.wait(), flush=True)
try:
    os.kill(int(path.read_text()), 0)
    print("the program runs on")
except ProcessLookupError:
    print("the program is gone")
