# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m peers: list the peers' kernels, build them, find their PTX."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from . import PEERS, all_kernels
from .kernel import SUITES, BuildError, Kernel


REQUIREMENTS = {"core": "integration/requirements.txt",
                "extended": "integration/requirements-extended.txt",
                "timing": "integration/requirements-extended.txt"}


def select(args) -> list[Kernel]:
    """The kernels that the command line asks for, by name or by filter."""
    kernels = all_kernels()
    if names := getattr(args, "names", []):
        known = {kernel.name: kernel for kernel in kernels}
        if unknown := [name for name in names if name not in known]:
            sys.exit(f"error: no kernel named {', '.join(unknown)}; "
                     "`python -m peers list --suite all` lists them")
        return [known[name] for name in names]
    return [kernel for kernel in kernels
            if args.suite in (kernel.suite, "all")
            and args.peer in (kernel.peer, None)]


def store(path: Path, text: str):
    """Writes a file that other processes see whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.tmp")
    partial.write_text(text)
    partial.replace(path)


def build_here(kernel: Kernel) -> int:
    """Builds one kernel in this process."""
    try:
        text = kernel.build()
    except ModuleNotFoundError as error:
        print(f"{error.name} is not in this Python environment; install "
              f"{REQUIREMENTS[kernel.suite]}", file=sys.stderr)
        return 1
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    if ".entry" not in text:
        print(f"{kernel.peer} gave no PTX with an entry", file=sys.stderr)
        return 1
    store(kernel.path, text)
    return 0


# What a build may see of the environment. Compilers read more variables than a
# key can hold (NVCC_APPEND_FLAGS, TRITON_*, CPATH), so they get none of them.
ENVIRONMENT = ("PATH", "HOME", "TMPDIR", "LANG", "DRAWLOOM_CACHE", "XDG_CACHE_HOME")


def build_apart(kernel: Kernel) -> tuple[float, str | None]:
    """Builds one kernel in a process of its own, since a peer's compiler may
    crash or leave global state behind. Gives the seconds it took,
    and why it failed if it did."""
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "peers", "build-here", kernel.name],
                          cwd=Path(__file__).parents[1], capture_output=True, text=True,
                          env={name: os.environ[name] for name in ENVIRONMENT
                               if name in os.environ})
    seconds = time.monotonic() - start
    if done.returncode == 0:
        return seconds, None
    lines = (done.stdout + done.stderr).strip().splitlines()
    return seconds, "\n".join(lines[:60]) or f"exit code {done.returncode}"


def build(args) -> int:
    kernels = select(args)
    missing = [kernel for kernel in kernels if not kernel.path.exists()]
    for kernel in kernels:
        if kernel not in missing:
            print(f"{kernel.name}: cached")
    failed = 0
    with ThreadPoolExecutor(max_workers=args.jobs) as pool:
        jobs = {pool.submit(build_apart, kernel): kernel for kernel in missing}
        for job in as_completed(jobs):
            seconds, reason = job.result()
            if reason is None:
                print(f"{jobs[job].name}: {seconds:.1f} s", flush=True)
            else:
                failed += 1
                print(f"{jobs[job].name}: failed after {seconds:.1f} s\n{reason}",
                      file=sys.stderr, flush=True)
    if args.manifest:
        rows = [{"name": kernel.name, "peer": kernel.peer, "arch": kernel.arch,
                 "suite": kernel.suite, "path": str(kernel.path)}
                for kernel in kernels if kernel.path.exists()]
        store(args.manifest, json.dumps(rows, indent=2) + "\n")
    built = len(missing) - failed
    tail = f", {failed} failed" if failed else ""
    print(f"{len(kernels)} kernels, {built} built, {len(kernels) - len(missing)} cached{tail}")
    return 1 if failed else 0


def time_here(kernel: Kernel) -> int:
    """Builds one kernel twice in this process, and prints the processor time since
    its start and that of the second time, in milliseconds."""
    def spent() -> float:
        return 1000 * sum(os.times()[:4])
    kernel.build()
    cold = spent()
    kernel.build()
    print(json.dumps([cold, spent() - cold]))
    return 0


def time_kernels(args) -> int:
    """What compiling costs a peer, as compile-bench says it of us: the median of
    processor time, in a process of its own and by a second call."""
    print(f"{'kernel':40} {'cold':>8} {'in process':>11}")
    for kernel in select(args):
        rounds = []
        for _ in range(args.rounds):
            done = subprocess.run([sys.executable, "-m", "peers", "time-here", kernel.name],
                                  cwd=Path(__file__).parents[1], capture_output=True, text=True)
            if done.returncode:
                last = (done.stderr.strip().splitlines() or ["no message"])[-1]
                print(f"{kernel.name:40} {last}")
                break
            rounds.append(json.loads(done.stdout.splitlines()[-1]))
        else:
            cold, warm = (statistics.median(column) for column in zip(*rounds))
            print(f"{kernel.name:40} {cold:8.0f} {warm:11.0f}", flush=True)
    return 0


def list_kernels(args) -> int:
    for kernel in select(args):
        print(f"{kernel.name:40} {kernel.peer:9} {kernel.arch:8} {kernel.suite}")
    return 0


def print_path(args) -> int:
    [kernel] = select(args)
    if not kernel.path.exists():
        print(f"error: {kernel.name} is not built; "
              f"`python -m peers build {kernel.name}` builds it", file=sys.stderr)
        return 1
    print(kernel.path)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m peers", description=__doc__)
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    def add(name, function, **options):
        verb = verbs.add_parser(name, **options)
        verb.set_defaults(function=function)
        return verb

    def add_filters(verb):
        verb.add_argument("--suite", choices=(*SUITES, "all"), default="core",
                          help="which suite (default: core)")
        verb.add_argument("--peer", choices=PEERS, help="only this peer")

    add_filters(add("list", list_kernels, help="list the kernels"))

    verb = add("build", build, help="build the kernels that are not in the cache")
    add_filters(verb)
    verb.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                      help="how many to build at once (default: one per core)")
    verb.add_argument("--manifest", type=Path, metavar="FILE",
                      help="write what is built as a JSON list")
    verb.add_argument("names", nargs="*", metavar="NAME",
                      help="these kernels, whatever their suite and peer")

    verb = add("path", print_path, help="print where a kernel's PTX is")
    verb.add_argument("names", nargs=1, metavar="NAME")

    verb = add("time", time_kernels, help="print what compiling kernels costs")
    verb.add_argument("--rounds", type=int, default=5, metavar="N", help="how often (default: 5)")
    verb.add_argument("names", nargs="+", metavar="NAME")
    verb = add("time-here", lambda args: time_here(select(args)[0]))
    verb.add_argument("names", nargs=1, metavar="NAME")

    # One kernel, in this process: what `build` starts for each. Not listed.
    verb = add("build-here", lambda args: build_here(select(args)[0]))
    verb.add_argument("names", nargs=1, metavar="NAME")

    args = parser.parse_args()
    return args.function(args)


if __name__ == "__main__":
    sys.exit(main())
