# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sweeps, from the installed wheel.

With --sample, on processes of this machine: 120 points of farm.toml, of which a worker
and then the driver are killed; a sweep with kernels that are wrong, and how one of
them is repeated; a point that takes too long; commands in parts.

With --crossed, programs as people write them under schedules that weren't written for them.

Without either, all points of farm.toml on a real Ray cluster that the test starts: a node is
killed half-way and another one added, then the driver is killed and started again. Ray
comes from PyPI, once, into an environment of its own. Its servers listen on all
interfaces, so the cluster has a token.

Either way every point is in the table once, and what is there is, bit for bit, what one
process of this machine gets.
"""
import argparse
import os
import pathlib
import re
import secrets
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

from check_wheels import ROOT, Failure, expect, install, run

HERE = pathlib.Path(__file__).resolve().parent
SUITES = HERE.parent / "sweeps/suites.toml"
FARM, RELEASE = HERE / "farm.toml", ROOT / "examples/sweep/release.toml"
CROSSED = HERE.parent / "breadth/crossed.toml"
RESULT = "point, verdict, message, outputs, findings, comparisons"


class Farm:
    def __init__(self, folder, scratch):
        self.folder, self.scratch = folder, scratch
        self.clean = {"PATH": f"{folder}/bin:/usr/bin:/bin", "HOME": str(scratch),
                      "LANG": "C.UTF-8", "DRAWLOOM_CACHE": str(scratch / "cache")}

    def start(self, table, *options, spec=FARM):
        return subprocess.Popen(
            [self.folder / "bin/drawloom", "sweep", spec, "--table", self.path(table),
             "--report", self.path(table).with_suffix(".html"), "--quiet",
             *map(str, options)], env=self.clean, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)

    def sweep(self, table, *options, code=0, spec=FARM):
        process = self.start(table, *options, spec=spec)
        said, _ = process.communicate()
        expect(process.returncode == code, f"exit code {process.returncode}\n{said}")
        return said

    def path(self, table):
        return self.scratch / f"{table}.sqlite"

    def query(self, table, words):
        with sqlite3.connect(f"file:{self.path(table)}?mode=ro", uri=True) as database:
            return database.execute(words).fetchall()

    def wait_for(self, table, count, process):
        """Until so many results are there."""
        while True:
            expect(process.poll() is None, f"ended before it had {count} results")
            try:
                if self.query(table, "SELECT count(*) FROM results")[0][0] >= count:
                    return
            except sqlite3.OperationalError:
                pass  # It is not made yet.
            time.sleep(0.05)

    def kill(self, process):
        process.kill()
        process.wait()
        whole = self.query(process_table(process), "PRAGMA integrity_check")
        expect(whole == [("ok",)], f"the table is damaged: {whole}")

    def results(self, table):
        return {row[0]: row for row in self.query(
            table, f"SELECT {RESULT} FROM points JOIN results ON point = key")}

    def expect_same(self, table, reference, count):
        """Every point once, and as in the other table."""
        points, results = (self.query(table, f"SELECT count(*) FROM {name}")[0][0]
                           for name in ("points", "results"))
        expect(points == results == count,
               f"{points} points and {results} results, not {count}")
        ours, theirs = self.results(table), self.results(reference)
        expect(ours.keys() == theirs.keys(), "other points")
        different = [key for key in ours if ours[key] != theirs[key]]
        expect(not different, f"{len(different)} differ, such as "
               f"{[(ours[key], theirs[key]) for key in different[:1]]}")


def figures(said):
    """The line that says how it went; Ray may have said something before."""
    return re.search(r"^\d+ points in .*$", said, re.M)[0]


def process_table(process):
    words = [str(word) for word in process.args]
    return pathlib.Path(words[words.index("--table") + 1]).stem


def children(pid, word=b""):
    """The processes that this one started, with the word in their commands."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if parent == pid and word in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            pass  # It ended meanwhile.
    return found


def is_running(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def check_kills(farm, count, say):
    process = farm.start("killed", "--sample", count, "--jobs", 2)
    farm.wait_for("killed", count // 3, process)
    os.kill(children(process.pid, b"spawn_main")[0], signal.SIGKILL)
    farm.wait_for("killed", 2 * count // 3, process)
    farm.kill(process)
    done = farm.query("killed", "SELECT count(*) FROM results")[0][0]
    expect(done < count, "the driver was killed too late")
    said = farm.sweep("killed", "--sample", count, "--jobs", 2)
    again = int(re.search(r"^(\d+) points in", said, re.M)[1])
    pruned = farm.query("killed", "SELECT count(*) FROM results "
                        "WHERE verdict = 'pruned'")[0][0]
    expect(again <= count - done + pruned, f"{again} points ran again:\n{said}")
    say(f"{count} points, a worker and the driver killed, {again} after that: "
        f"{figures(said)}")
    expect(len(farm.results("killed")) == count ==
           farm.query("killed", "SELECT count(*) FROM results")[0][0],
           f"there are not {count} results")
    few = count // 5
    farm.sweep("single", "--sample", few, "--jobs", 1)
    ours, theirs = farm.results("killed"), farm.results("single")
    expect(len(theirs) == few and theirs.items() <= ours.items(),
           "one process has other results")
    say(f"{few} of them with one process: the same bits")


def check_failures(farm, say):
    said = farm.sweep("release", spec=RELEASE, code=1)
    verdicts = dict(farm.query("release", "SELECT verdict, count(*) FROM results "
                               "GROUP BY verdict"))
    expect(set(verdicts) == {"passed", "pruned", "races", "failed"}, said)
    failing = farm.query("release", "SELECT DISTINCT program FROM sweep WHERE verdict "
                         "IN ('races', 'failed')")
    expect(failing == [("last_one_wins.mlir",)], f"{failing}")
    messages = farm.query("release", "SELECT DISTINCT message FROM sweep "
                          "WHERE verdict = 'pruned' AND arch = 'sm_90a'")
    expect(len(messages) == 1 and "= 256.1 KiB > 227 KiB on sm_90a" in messages[0][0], messages)
    code = farm.query("release", "SELECT count(*) FROM results WHERE verdict = 'pruned' "
                      "AND compile_ms + run_ms > 0")
    expect(code == [(0,)], "code was made of pruned points")
    (key, verdict, outputs), = farm.query(
        "release", "SELECT key, verdict, outputs FROM sweep WHERE verdict = 'races' "
        "ORDER BY number LIMIT 1")
    page = farm.path("release").with_suffix(".html").read_text()
    command = f"drawloom sweep {RELEASE} --only {key}"
    expect(command in page and command in said, f"no '{command}' in the report")
    expect("@compute write at last_one_wins.mlir:8" in page, "no place in the report")
    expect("http" not in page and "<script" not in page, "the page loads something")
    said = farm.sweep("release", "--only", key, "--keep", farm.scratch, spec=RELEASE,
                      code=1)
    expect(outputs in said and f"\n{verdict}: " in said, said)
    expect("@last_one_wins" in (farm.scratch / f"{key}.mlir").read_text(), "no program")
    say(f"{verdicts} of {RELEASE.name}; one is repeated by its command")


def check_limits(farm, say):
    """A point that takes too long, a spec that is wrong, a table in use."""
    gemm = ROOT / "examples/gemm.mlir"
    spec = farm.scratch / "late.toml"
    relative = os.path.relpath(gemm, farm.scratch)
    spec.write_text(f'[sweep]\nseconds = 0.4\ndevices = ["sm_90a"]\n[[kernels]]\n'
                    f'files = ["{gemm}"]\nshapes = ["D=2000x2000,A=?x512"]\n')
    farm.sweep("late", spec=spec, code=1)
    expect(farm.query("late", "SELECT verdict, message FROM results") ==
           [("crashed", "its process ended 3 times: no answer in 0.4 s")],
           f"{farm.query('late', 'SELECT * FROM results')}")
    for words, complaint in (
            ('[[kernels]]\nfile = ["a"]', "[[kernels]] has no field 'file', only files"),
            ('[[kernels]]\nfiles = ["z*"]', "name the devices"),
            ("x =", "Invalid value"),
            ('[sweep]\ndevices = ["sm_90a"]\n[[kernels]]\nfiles = ["z*"]',
             "no file is named 'z*'"),
            ('[sweep]\ndevices = ["sm_90a"]\nchecks = ["all"]\n[[kernels]]\n'
             f'files = ["{relative}"]', "there are the checks run, compare"),
            ('[sweep]\ndevices = ["sm_90a"]\nshapes = ["8"]\n[[kernels]]\n'
             f'files = ["{relative}"]', "a shape is written as in"),
            ("", "the sweep has no [[kernels]] and no [[commands]]"),
            ('[[commands]]\nname = "a"', "[[commands]] has a name and a command"),
            ('[[commands]]\nname = "a"\ncommand = ["true"]\nparts = 2',
             "'a' has 2 parts, so '{part}' has to be a word of its command"),
            ('[[commands]]\nname = "a"\ncommand = ["true", "{part}"]',
             "'a' has 1 parts, so '{part}' has to be no word of its command"),
            ('[[commands]]\nname = "a"\ncommand = ["{bin}/a"]',
             "'{bin}/a' has no value for {bin}: there are part"),
            ('[[commands]]\nname = "a"\ncommand = ["./a"]', "there is no tool '"),
            ('[[commands]]\nname = "a"\ncommand = ["true", "z*"]',
             "no file is named 'z*' in ")):
        spec.write_text(words)
        said = farm.sweep("wrong", spec=spec, code=3)
        expect(complaint in said, said)
    said = farm.sweep("wrong", "--only", "zz", spec=RELEASE, code=3)
    expect("0 points of the sweep have keys that begin with 'zz'" in said, said)
    process = farm.start("used", "--sample", 300)
    farm.wait_for("used", 1, process)
    said = farm.sweep("used", code=3)
    expect("another sweep writes to" in said, said)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate()
    expect("stopped; the same command goes on from here" in said, said)
    say("limits and mistakes are reported")


COMMANDS = """
[values]
tool = "./tool"
[[commands]]
name = "counts"
command = ["{tool}", "{part}"]
parts = 12
[[commands]]
name = "fails"
command = ["sh", "-c", "echo one; echo '{part} is bad'; [ {part} = 1/2 ]"]
parts = 2
[[commands]]
name = "aborts"
command = ["sh", "-c", "kill -ABRT $$"]
[[commands]]
name = "late"
command = ["sleep", "60"]
seconds = 0.5
[[commands]]
name = "suite"
command = ["{build}/bin/drawloom-suite", "gemm", "--every", "180", "--part", "{part}"]
parts = 3
"""
TOOL = """#!/bin/sh
sleep 0.2
echo $1 >>log
echo "cases: 3 of 4 match"
"""


def check_commands(farm, build, say):
    """A worker and the driver are killed; no part that ended is run again."""
    spec, tool = farm.scratch / "commands.toml", farm.scratch / "tool"
    spec.write_text(COMMANDS)
    tool.write_text(TOOL)
    tool.chmod(0o755)
    options = "--jobs", 2, "--value", f"build={build}"
    process = farm.start("commands", *options, spec=spec)
    farm.wait_for("commands", 3, process)
    worker = children(process.pid, b"spawn_main")[0]
    while not (running := children(worker)):
        time.sleep(0.01)  # It is between two parts.
    os.kill(worker, signal.SIGKILL)
    farm.wait_for("commands", 6, process)
    expect(not is_running(running[0]), "a command has outlived its worker")
    farm.kill(process)
    done = {part for part, in farm.query(
        "commands", "SELECT part FROM sweep WHERE verdict = 'passed' AND program = 'counts'")}
    before = (farm.scratch / "log").read_text().split()
    said = farm.sweep("commands", *options, spec=spec, code=1)
    after = (farm.scratch / "log").read_text().split()[len(before):]
    expect(6 <= len(done) < 12 and not done & set(after) and
           done | set(after) == {f"{number}/12" for number in range(1, 13)},
           f"{before}, and then {after}")
    expect("\ncounts: cases: 36 of 48 match\n" in said, said)
    expect(re.search(r"^suite: gemm: (\d+) of \1 cases match$", said, re.M), said)
    found = {(program, part): (verdict, words) for program, part, verdict, words in
             farm.query("commands", "SELECT program, part, verdict, message FROM sweep")}
    expect(len(found) == 19 and found["fails", "1/2"] == ("passed", "1/2 is bad") and
           found["fails", "2/2"] == ("failed", "exit status 1: 2/2 is bad\none\n2/2 is bad") and
           found["aborts", "1/1"][1].startswith("signal 6 (SIGABRT): ") and
           found["late", "1/1"] == ("crashed", "no end in 0.5 s\n"), f"{found}")
    command = re.search(rf"^failed: fails, 1 point: .*\n  drawloom sweep {spec} --value "
                        rf"build={build} --only (\w+)$", said, re.M)
    expect(command, said)
    said = farm.sweep("commands", *options, "--only", command[1], spec=spec, code=1)
    expect("&& sh -c 'echo one; " in said and said.endswith("2/2 is bad\nexit status 1\n"), said)
    listed = farm.sweep("commands", *options, "--list", spec=spec)
    tool.write_text(TOOL.replace("0.2", "0.1") + "echo 1 >>tool\n")
    again = farm.sweep("commands", *options, "--list", spec=spec)
    expect(len(set(again.split()) & set(listed.split())) < len(set(listed.split())),
           "another tool has the same keys")
    said = farm.sweep("commands", "--jobs", 1, *options[2:], spec=spec, code=3)
    expect("is not the file that the sweep started with" in said, said)
    suites = farm.sweep("suites", "--list", "--value", f"build={build}", "--value",
                        f"python={sys.executable}", spec=SUITES)
    say(f"parts of commands, a worker and the driver killed; {len(suites.splitlines())} "
        f"points in {SUITES.name}")


def check_crossed(farm, say, *options):
    """What is planned is right."""
    farm.sweep("crossed", *options, spec=CROSSED)
    counts = dict(farm.query("crossed", "SELECT verdict, count(*) FROM results GROUP BY 1"))
    expect(counts.get("passed", 0) > counts.get("pruned", 0) / 2, f"{counts}")
    say(f"people's programs under other schedules: {counts}")


def draw(page, picture):
    run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
        "--window-size=1000,2130", f"--screenshot={picture}", page.as_uri())


class Cluster:
    """Ray on this host: a head without CPUs, and nodes of one CPU. Addresses from
    127.0.0.2 on, because Ray takes 127.0.0.1 for the host's own."""

    def __init__(self, farm):
        self.farm, self.nodes = farm, 0
        self.temporary = tempfile.mkdtemp(prefix="drawloom-ray")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address = f"127.0.0.2:{port}"
        # Workers that are nicer than all others would be measured as slower ones.
        farm.clean |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32),
                       "RAY_worker_niceness": "0", "RAY_USAGE_STATS_ENABLED": "0"}
        self.start("--head", f"--port={port}", "--node-ip-address=127.0.0.2",
                   "--num-cpus=0", f"--temp-dir={self.temporary}",
                   # Ports of workers, apart from the head's.
                   "--min-worker-port=0", "--max-worker-port=0",
                   "--include-dashboard=false")

    def start(self, *options):
        # What it starts has its output, too, so that a pipe would never end.
        with tempfile.TemporaryFile("w+") as said:
            code = subprocess.run(
                [self.farm.folder / "bin/python", "-m", "ray.scripts.scripts", "start",
                 "--object-store-memory=80000000", *options], env=self.farm.clean,
                stdout=said, stderr=said, timeout=120).returncode
            said.seek(0)
            expect(code == 0, f"Ray does not start:\n{said.read()}")

    def add(self):
        self.nodes += 1
        self.start(f"--address={self.address}", "--num-cpus=1",
                   f"--node-ip-address=127.0.0.{self.nodes + 2}",
                   "--min-worker-port=0", "--max-worker-port=0")

    def processes(self, *words):
        """Those of this cluster whose command has all these words."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                command = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if all(word in command for word in (self.temporary, *words)):
                found.append(int(entry.name))
        return found

    def kill(self, node):
        """A node, as if its machine had gone down: its workers and its raylet."""
        raylets = self.processes("raylet/raylet", f"127.0.0.{node + 2}")
        expect(len(raylets) == 1, f"raylets of node {node}: {raylets}")
        while not children(raylets[0], b"ray::work"):
            time.sleep(0.01)  # Its worker is between two batches.
        for pid in (*children(raylets[0]), *raylets):
            os.kill(pid, signal.SIGKILL)

    def stop(self):
        # What a raylet starts has another name.
        for pid in {pid for own in self.processes() for pid in (own, *children(own))}:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass  # It ended meanwhile.


def check_parts(farm, build, cluster, say):
    """Parts of a suite of ours on the nodes: together they are the whole."""
    tool = [f"{build}/bin/drawloom-suite", "gemm", "--every", "40"]
    spec = farm.scratch / "parts.toml"
    spec.write_text(f'[[commands]]\nname = "suite"\nparts = 8\n'
                    f'command = {[*tool, "--part", "{part}"]}\n')
    whole = subprocess.run(tool, capture_output=True, text=True, check=True,
                           env=farm.clean).stdout.splitlines()[-1]
    said = farm.sweep("parts", "--ray", cluster.address, spec=spec)
    expect(f"\nsuite: {whole}\n" in said, said)
    say(f"8 parts on Ray: {whole}")


def check_cluster(farm, build, say):
    said = farm.sweep("single", "--jobs", 1)
    total, kernels = farm.query("single", "SELECT count(*), count(DISTINCT program) "
                                "FROM sweep")[0]
    expect(total >= 5000 and kernels >= 50, f"{total} points of {kernels} kernels")
    say(f"one process: {figures(said)}")
    cluster = Cluster(farm)
    try:
        for workers in (1, 2, 4):
            while cluster.nodes < workers:
                cluster.add()
            said = farm.sweep(f"rate{workers}", "--sample", 1000, "--ray",
                              cluster.address)
            say(f"Ray, {workers} workers: {figures(said)}")
        process = farm.start("ray", "--ray", cluster.address)
        farm.wait_for("ray", total // 3, process)
        farm.kill(process)
        done = farm.query("ray", "SELECT count(*) FROM results")[0][0]
        expect(done < total // 2, "the driver was killed too late")
        say(f"the driver is killed after {done} points, and started again")
        process = farm.start("ray", "--ray", cluster.address)
        farm.wait_for("ray", total // 2, process)
        cluster.kill(2)
        cluster.add()
        say(f"a node is killed after {total // 2} points, and one is added")
        said, _ = process.communicate()
        expect(process.returncode == 0, said)
        say(f"the rest: {figures(said)}")
        expect(not figures(said).endswith(" 0 lost batches"), "nothing was lost")
        farm.expect_same("ray", "single", total)
        workers, = farm.query("ray", "SELECT count(DISTINCT worker) FROM results "
                              "WHERE worker != ''")[0]
        say(f"{total} points of {kernels} kernels, each once, by {workers} processes: "
            "the same bits as with one")
        check_parts(farm, build, cluster, say)
    finally:
        cluster.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--crossed", action="store_true", help="all of crossed.toml, only")
    parser.add_argument("--picture", type=pathlib.Path,
                        help="with --sample: draw a report there, with Chromium")
    options = parser.parse_args()
    begin = time.monotonic()

    def say(words):
        print(f"{time.monotonic() - begin:5.1f} s  {words}", flush=True)
    run(ROOT / "utils/wheels", "--here", options.build)
    cache = pathlib.Path(os.environ["DRAWLOOM_CACHE"])
    # numpy is for functions in Python, and only where a sweep starts.
    packages = [cache / "venv"]
    if not options.sample and not options.crossed:
        packages.append(cache / "venv-ray")
        if not (packages[1] / "bin/python").exists():
            run(sys.executable, "-m", "venv", packages[1])
        run(packages[1] / "bin/python", "-m", "pip", "install", "--quiet", "ray")
    with tempfile.TemporaryDirectory() as temporary:
        scratch = pathlib.Path(temporary).resolve()
        folder = scratch / "fresh"
        install(folder, options.build / "wheels-here", "drawloom")
        own, = folder.glob("lib/python3.*/site-packages")
        (own / "others.pth").write_text("".join(
            f"{one}\n" for package in packages
            for one in package.glob("lib/python3.*/site-packages")))
        farm = Farm(folder, scratch)
        say("installed")
        if options.sample:
            check_kills(farm, 120, say)
            check_failures(farm, say)
            check_limits(farm, say)
            check_commands(farm, options.build.resolve(), say)
            check_crossed(farm, say, "--sample", 80)
            if options.picture:
                draw(farm.path("release").with_suffix(".html"),
                     options.picture.resolve())
        elif options.crossed:
            check_crossed(farm, say)
        else:
            check_cluster(farm, options.build.resolve(), say)
    print("sweep: pass")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"sweep: {failure}")
