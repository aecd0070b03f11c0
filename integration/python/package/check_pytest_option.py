# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`pytest --drawloom-check FILE`: the option takes no word that follows it, so FILE is
what is tested; a mode is a part of the option."""
import pathlib
import subprocess
import sys
import tempfile

PLUGIN = ["-p", "drawloom_emulator.pytest_plugin", "-p", "no:cacheprovider"]
TEST = """
def test_mode(pytestconfig):
    assert pytestconfig.getoption("drawloom_check") == {mode!r}
"""


def run(folder, *words):
    return subprocess.run([sys.executable, "-m", "pytest", "-q", *PLUGIN, *words],
                          cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "test_mode.py"
        (pathlib.Path(scratch) / "test_other.py").write_text("def test(): assert False\n")
        for mode, words in [("default", ["--drawloom-check", file]),
                            ("default", ["--drawloom-check=default", file]),
                            ("strict", ["--drawloom-check=strict", file]),
                            ("strict", [file, "--drawloom-check=strict"]),
                            (None, [file])]:
            file.write_text(TEST.format(mode=mode))
            done = run(scratch, *words)
            if done.returncode != 0 or "1 passed" not in done.stdout:
                sys.exit(f"{words}: {done.stdout}")
        done = run(scratch, "--drawloom-check=strct", file)
        if done.returncode == 0 or "--drawloom-check" not in done.stdout:
            sys.exit(done.stdout)
    print("pytest: --drawloom-check takes no value")


if __name__ == "__main__":
    main()
