# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many hosts ask for the same kernels at once, with one Redis server.

Every process has a cold disk of its own, as a host has, and asks through the C API. All ask for the same
kernels: each kernel is compiled once, and all get the same bytes. Then again
with entries that are cut, swapped and forged, which a secret tells from good
ones, with a server that is killed and restarted half-way, and with one that
answers three requests of ten too late: no wrong kernel, and no hang.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import select
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOST = pathlib.Path(__file__).resolve().with_name("host.py")
# Parts of the time without a store: with one, and with one that fails.
WITH_STORE, WITH_FAILURES = 1 / 10, 1.2


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Redis:
    """A server of our own, in memory."""

    def __init__(self, folder):
        self.port, self.folder = free_port(), folder
        self.url = f"redis://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
             "--appendonly", "no", "--dir", self.folder], stdout=subprocess.DEVNULL)
        for _ in range(100):
            if self.ask("PING") == b"PONG\n":
                return
            time.sleep(0.05)
        sys.exit("redis-server does not answer")

    def ask(self, *words, given=None):
        return subprocess.run(["redis-cli", "-p", str(self.port), *words], input=given,
                              capture_output=True, check=False).stdout

    def kill(self):
        self.process.kill()
        self.process.wait()


class SlowProxy:
    """Hands on what is asked and answered, some of the answers too late."""

    # A client waits for 500 ms.
    SHARE, SECONDS = 0.3, 0.7

    def __init__(self, port):
        self.port, self.draw = port, random.Random(0)
        self.answers = self.late = 0
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.url = f"redis://127.0.0.1:{self.listening.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client = self.listening.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        """Until one of the two leaves. What follows a request is its answer."""
        with client, socket.create_connection(("127.0.0.1", self.port)) as server:
            asked = False
            try:
                while True:
                    for source in select.select([client, server], [], [])[0]:
                        data = source.recv(1 << 16)
                        if not data:
                            return
                        if source is server and asked:
                            self.hold()
                        asked = source is client
                        (server if asked else client).sendall(data)
            except OSError:
                return

    def hold(self):
        self.answers += 1
        if self.draw.random() < self.SHARE:
            self.late += 1
            time.sleep(self.SECONDS)

    def close(self):
        self.listening.close()


def make_programs(folder, count):
    """Programs that differ: a GEMM under other names."""
    text = (ROOT / "examples/gemm.mlir").read_text()
    programs = []
    for number in range(count):
        path = folder / f"gemm{number}.mlir"
        path.write_text(text.replace("@gemm", f"@gemm{number}"))
        programs.append(path)
    return programs


class Herd:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.programs = make_programs(folder, args.kernels)
        self.secret = folder / "secret"
        self.secret.write_text("a secret of thirty-one letters\n")
        self.secret.chmod(0o600)
        self.rounds = 0
        self.walls = {}

    def environment(self, disk, url):
        variables = {name: value for name, value in os.environ.items()
                     if not name.startswith("DRAWLOOM_")}
        variables |= {"DRAWLOOM_CACHE": str(disk), "DRAWLOOM_CACHE_SECRET": str(self.secret),
                      "DRAWLOOM_CACHE_STORE": url}
        return variables

    def host(self, number, url, disk):
        """A process that asks for all kernels, one after another, each beginning elsewhere. It
        waits for a line."""
        first = number * len(self.programs) // self.args.processes
        return subprocess.Popen(
            [sys.executable, HOST, "--library", self.args.library,
             *self.programs[first:], *self.programs[:first]],
            env=self.environment(disk, url), text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)

    def count(self, disk, url, row):
        out = subprocess.run([self.args.drawloom, "cache", "stats"], capture_output=True, text=True,
                             env=self.environment(disk, url), check=True).stdout
        return next(int(line.split()[-1]) for line in out.splitlines() if line.startswith(row))

    def run(self, name, url, expected=None, meanwhile=None):
        """A round with cold disks. Gives what every host got, which is the same."""
        self.rounds += 1
        disks = [self.folder / f"round{self.rounds}" / str(i) for i in range(self.args.processes)]
        for disk in disks:
            disk.mkdir(parents=True)
        hosts = [self.host(i, url, disk) for i, disk in enumerate(disks)]
        for host in hosts:
            if host.stdout.readline() != "ready\n":
                sys.exit("a host does not start")
        start = time.monotonic()
        for host in hosts:
            host.stdin.write("go\n")
            host.stdin.flush()
        if meanwhile:
            meanwhile()
        with concurrent.futures.ThreadPoolExecutor(len(hosts)) as pool:
            said = list(pool.map(lambda host: host.communicate(timeout=900)[0], hosts))
        wall = time.monotonic() - start
        if any(host.returncode for host in hosts):
            sys.exit(f"{name}: a host failed")
        results = [json.loads(one) for one in said]
        times = sorted(t for taken, _ in results for t in taken)
        compiles, refused, failures = (sum(self.count(disk, url, row) for disk in disks)
                                       for row in ("made", "rejected", "store failures"))
        print(f"{name:<22}{compiles:>9}{refused:>9}{failures:>9}{1e3 * statistics.median(times):>9.0f}"
              f"{1e3 * times[int(0.99 * (len(times) - 1))]:>9.0f}{wall:>9.1f}", flush=True)
        self.walls[name] = wall
        kernels = expected or results[0][1]
        for number, (_, own) in enumerate(results):
            if own != kernels:
                sys.exit(f"{name}: host {number} has other kernels")
        return kernels, compiles, refused, failures


def spoil(redis):
    """Entries that are cut, of another key, and forged: checksum right, code wrong."""
    names = [n for n in redis.ask("KEYS", "drawloom:*").decode().split() if ":lease:" not in n]
    values = {name: redis.ask("GET", name)[:-1] for name in names}
    for number, name in enumerate(sorted(names)):
        value = values[name]
        if number % 3 == 0:
            value = value[:len(value) // 2]
        elif number % 3 == 1:
            value = values[sorted(names)[number - 1]]
        else:
            value = value[:72] + bytes(32) + value[104:]
        redis.ask("-x", "SET", name, given=value)
    return len(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drawloom", required=True)
    parser.add_argument("--library", required=True, help="libdrawloom-c.so.1")
    parser.add_argument("--measure", action="store_true", help="fail if it takes too long")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--kernels", type=int, default=4)
    args = parser.parse_args()
    # Hosts have a disk each. Here they would all wait for one, so theirs are memory.
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="drawloom-herd", dir=memory))
    redis = Redis(folder)
    try:
        herd = Herd(args, folder)
        print(f"{args.processes} hosts, {args.kernels} kernels\n"
              f"{'':<22}{'compiles':>9}{'refused':>9}{'failures':>9}{'p50 ms':>9}{'p99 ms':>9}{'wall s':>9}")
        kernels, compiles, _, _ = herd.run("without a store", "")
        if compiles != args.processes * args.kernels:
            sys.exit("a host without a store has not compiled each kernel")
        _, compiles, _, _ = herd.run("one Redis", redis.url, kernels)
        if compiles != args.kernels:
            sys.exit(f"{compiles} compiles of {args.kernels} kernels")

        count = spoil(redis)
        if count != args.kernels:
            sys.exit(f"the store has {count} entries")
        _, _, refused, _ = herd.run("spoiled entries", redis.url, kernels)
        if refused < args.kernels:
            sys.exit(f"{refused} entries were refused, of {count} that are spoiled")

        def restart():
            time.sleep(0.3)
            redis.kill()
            time.sleep(0.5)
            redis.start()
        redis.ask("FLUSHALL")
        herd.run("killed and restarted", redis.url, kernels, restart)

        redis.ask("FLUSHALL")
        proxy = SlowProxy(redis.port)
        _, _, _, failures = herd.run("30 % of answers late", proxy.url, kernels)
        proxy.close()
        print(f"{proxy.late} of {proxy.answers} answers were late")
        if not proxy.late or not failures:
            sys.exit(f"{failures} failures of the store with {proxy.late} late answers")

        # Packets to it are lost: it neither answers nor refuses.
        with socket.create_server(("127.0.0.1", 0), backlog=0) as silent:
            clog = [socket.socket() for _ in range(8)]
            for one in clog:
                one.setblocking(False)
                one.connect_ex(silent.getsockname())
            _, _, _, failures = herd.run("store that is silent",
                                         f"redis://127.0.0.1:{silent.getsockname()[1]}", kernels)
        if not failures:
            sys.exit("a silent store is no failure")
        alone = herd.walls.pop("without a store")
        for name, wall in herd.walls.items():
            most = WITH_STORE if name == "one Redis" else WITH_FAILURES
            print(f"{name}: {wall / alone:.3f} of the time without a store, may be {most}")
            if args.measure and wall > most * alone:
                sys.exit("which it is not")
    finally:
        redis.kill()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
