#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutated programs through the C API, and every seventh through the command.

Children load the library and compile one mutant after the other. A child that
dies names the mutant that it died of, and another continues after it.
"""

import ctypes
import multiprocessing
import os
import pathlib
import resource
import signal
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import attack
import mutate_programs

batch = 50


class Options(ctypes.Structure):
    """As the header has them, up to what is needed."""
    _fields_ = [("structSize", ctypes.c_size_t), ("name", ctypes.c_char_p),
                ("arch", ctypes.c_char_p), ("kernel", ctypes.c_char_p),
                ("stage", ctypes.c_char_p)]


def mutants(library, first, count, seed):
    """Yields (number, name, text)."""
    for mutant in mutate_programs.draw(mutate_programs.programs(), count, seed,
                                       first):
        yield mutant.number, mutant.name, mutant.text


def compile_batch(source, library, first, count, seed, arch, pipe):
    """In a child: says which it begins and how it ended."""
    limit = attack.bytes_at_most
    resource.setrlimit(resource.RLIMIT_STACK, (8 << 20, resource.RLIM_INFINITY))
    api = ctypes.CDLL(library)
    api.drawloomCompile.restype = ctypes.c_void_p
    api.drawloomCompile.argtypes = [ctypes.c_char_p, ctypes.c_size_t,
                                    ctypes.POINTER(Options),
                                    ctypes.POINTER(ctypes.c_void_p)]
    api.drawloomErrorText.restype = ctypes.c_char_p
    for name in ("drawloomErrorText", "drawloomErrorDestroy",
                 "drawloomProgramDestroy"):
        getattr(api, name).argtypes = [ctypes.c_void_p]
    options = Options(ctypes.sizeof(Options), b"mutant.mlir", arch, None,
                      b"ptx")
    for number, name, text in source(library, first, count, seed):
        pipe.send(("begin", number, name))
        start = time.process_time()
        program = ctypes.c_void_p()
        error = api.drawloomCompile(text, len(text), ctypes.byref(options),
                                    ctypes.byref(program))
        words = api.drawloomErrorText(error) if error else b"-"
        if error:
            api.drawloomErrorDestroy(error)
        else:
            api.drawloomProgramDestroy(program)
        spent = time.process_time() - start
        size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        problem = "" if words and words.strip() else "no word"
        if spent > attack.seconds:
            problem = f"{spent:.1f} s"
        if size > limit:
            problem = f"{size >> 20} MiB"
        pipe.send(("end", not error, problem, spent, size))
    pipe.send(("done",))


def run_batch(job):
    """All mutants of a batch, in as many children as it takes."""
    source, library, first, count, seed, arch = job
    results = []
    end = first + count
    while first < end:
        ours, theirs = multiprocessing.Pipe(duplex=False)
        child = os.fork()
        if child == 0:
            ours.close()
            os.environ["DRAWLOOM_NO_CACHE"] = "1"
            null = os.open("/dev/null", os.O_WRONLY)
            os.dup2(null, 2)
            compile_batch(source, library, first, end - first, seed, arch,
                          theirs)
            os._exit(0)
        theirs.close()
        number, name = first, "the start"
        isDone = False
        while True:
            # As for commands: the time of the wall is that of a busy machine.
            if not ours.poll(4 * attack.seconds):
                os.kill(child, signal.SIGKILL)
                break
            try:
                message = ours.recv()
            except EOFError:
                break
            if message[0] == "begin":
                _, number, name = message
            elif message[0] == "end":
                results.append((name, *message[1:]))
                first = number + 1
            else:
                isDone = True
        _, status = os.waitpid(child, 0)
        if isDone:
            break
        results.append((name, False, f"status {status}", 0, 0))
        first = number + 1
    return results


def compile_all(source, library, first, end, seed, verdicts):
    """From `first` to `end`, by two processes."""
    jobs = []
    for number, start in enumerate(range(first, end, batch)):
        jobs.append((source, library, start, min(batch, end - start), seed,
                     (b"sm_100a", b"sm_90a")[number % 2]))
    with multiprocessing.Pool(2) as pool:
        for results in pool.imap_unordered(run_batch, jobs):
            for name, accepted, problem, spent, size in results:
                verdicts.measure(spent, size)
                verdicts.add(name, problem, accepted)


def main():
    def more(parser):
        parser.add_argument("--count", type=int, default=20000)
        parser.add_argument("--first", type=int, default=0)
        parser.add_argument("--seed", type=int, default=1)

    options = attack.parse(__doc__, more)
    library = str(options.build / "lib" / "drawloom" / "libdrawloom-c.so.1")
    verdicts = attack.Verdicts("mutated programs")
    compile_all(mutants, library, options.first,
                options.first + options.count, options.seed, verdicts)
    # The command has a way of its own to messages.
    seeds = mutate_programs.programs()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mutant.mlir"
        count = options.count // 7
        for mutant in mutate_programs.draw(seeds, count, options.seed + 1,
                                           options.first):
            path.write_bytes(mutant.text)
            form = ("html", "json", "text")[mutant.number % 3]
            attack.run([options.drawloom, "explain", path, "--arch", "sm_100a",
                        "--format", form, "-o", "/dev/null", "--sarif",
                        pathlib.Path(folder) / "out.sarif"], verdicts,
                       "command: " + mutant.name, expects=(0, 3))
    return verdicts.finish(at_least=options.count)


if __name__ == "__main__":
    sys.exit(main())
