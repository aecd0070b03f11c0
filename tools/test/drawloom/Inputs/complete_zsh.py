# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What zsh makes of the beginning of a line at Tab:

    complete_zsh.py LINE...     prints each line as it stands after Tab

zsh completes at a terminal only, so it gets one. `drawloom completion zsh` is loaded as
its help says.
"""
import os
import pty
import re
import select
import sys
import time

PROMPT, SECONDS = "ready> ", 30
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x07")


def read_until(terminal, pattern):
    """What stands there, without codes of a terminal, when `pattern` is in it."""
    text, end = "", time.monotonic() + SECONDS
    while not (found := re.search(pattern, text)):
        left = end - time.monotonic()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            sys.exit(f"zsh: no {pattern!r} after {SECONDS} s, but: {text!r}")
        text = CODES.sub("", text + os.read(terminal, 4096).decode())
    return found


child, terminal = pty.fork()
if child == 0:
    os.environ.update(TERM="dumb", PS1=PROMPT, RPS1="", COLUMNS="200")
    os.execvp("zsh", ["zsh", "-f", "+o", "PROMPT_SP", "-i"])
read_until(terminal, PROMPT)
os.write(terminal, b"autoload -U compinit && compinit -u -D; "
                   b"eval \"$(drawloom completion zsh)\"; echo load''ed\n")
read_until(terminal, rf"loaded\s+{PROMPT}")
for line in sys.argv[1:]:
    # What is typed after Tab shows that it is done.
    os.write(terminal, line.encode() + b"\t" + b"#end")
    found = read_until(terminal, rf"{re.escape(line)}(\S*) *#end")
    print(line + found[1])
    os.write(terminal, b"\x15\n")   # Ctrl-U: another line.
    read_until(terminal, PROMPT)
os.write(terminal, b"exit\n")
os.waitpid(child, 0)
