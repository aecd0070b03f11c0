#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Servers that call themselves a store, and answer as no store would: the
compile goes on without them, soon, and its result is right."""

import os
import pathlib
import random
import socket
import sys
import tempfile
import threading
import time

import attack

rng = random.Random(1)
drip, silent, closing = object(), object(), object()
redis = {
    "commands for a terminal": b"-ERR \x1b[2J\x1b]0;pwned\x07\x1b[31mevil\r\n",
    "an array of 5e8": b"*500000000\r\n",
    "an array below zero": b"*-5\r\n",
    "a string of 1e12 bytes": b"$1000000000000\r\n" + b"A" * 4096,
    "a string below zero": b"$-7\r\n",
    "a string of 2^63 - 1": b"$9223372036854775807\r\n",
    "arrays in arrays": b"*1\r\n" * 5000,
    "a map": b"%100000000\r\n",
    "a number of 5000 digits": b"," + b"9" * 5000 + b"\r\n",
    "garbage": rng.randbytes(5000),
    "an integer beyond 64 bits": b":99999999999999999999999999\r\n",
    "a flood": b"X" * (80 << 20),
    "half an entry": b"$200\r\nDRLMENT1" + b"\0" * 100,
    "no bytes": b"$0\r\n\r\n",
    "an entry of zeros": b"$104\r\nDRLMENT1" + b"\0" * 96 + b"\r\n",
    "a push": b">3\r\n+a\r\n+b\r\n+c\r\n",
    "an attribute": b"|1\r\n+a\r\n+b\r\n$0\r\n\r\n",
    "drops": drip,
    "nothing": silent,
    "the end": closing,
}
http = {
    "a body without end": b"HTTP/1.1 200 OK\r\n\r\n" + b"X" * (80 << 20),
    "a length of 2^63": b"HTTP/1.1 200 OK\r\nContent-Length: "
                        b"9223372036854775807\r\n\r\nabc",
    "headers without end": b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 1_000_000,
    "a redirection to a file": b"HTTP/1.1 302 Found\r\nLocation: "
                               b"file:///etc/passwd\r\n\r\n",
    "no HTTP": rng.randbytes(5000),
    "drops": drip,
    "nothing": silent,
}


def serve(server, answer, ends):
    def handle(connection):
        try:
            while connection.recv(65536):
                if answer is closing:
                    return
                if answer is silent:
                    ends.wait(5)
                    return
                if answer is drip:
                    connection.sendall(b"$60000000\r\n")
                    while not ends.wait(0.05):
                        connection.sendall(b"x")
                    return
                connection.sendall(answer)
        except OSError:
            pass
        finally:
            connection.close()

    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        threading.Thread(target=handle, args=(connection,), daemon=True).start()


def main():
    options = attack.parse(__doc__)
    verdicts = attack.Verdicts("hostile stores")
    folder = pathlib.Path(tempfile.mkdtemp())
    program = pathlib.Path(__file__).parents[3] / "examples" / "gemm.mlir"
    command = [options.drawloom, "compile", program, "--arch", "sm_100a",
               "--emit", "ptx", "-o"]
    right = folder / "right.ptx"
    start = time.monotonic()
    attack.run([*command, right], verdicts, "no store", expects=(0,))
    alone = time.monotonic() - start
    cases = [("redis", what, answer) for what, answer in redis.items()]
    cases += [("http", what, answer) for what, answer in http.items()]
    for number, (scheme, what, answer) in enumerate(cases):
        if number % options.every:
            continue
        server, ends = socket.create_server(("127.0.0.1", 0)), threading.Event()
        threading.Thread(target=serve, args=(server, answer, ends),
                         daemon=True).start()
        port = server.getsockname()[1]
        made = folder / f"{number}.ptx"
        cache = folder / f"cache-{number}"
        cache.mkdir(mode=0o700)
        start = time.monotonic()

        def judge(code, text):
            # Once 500 ms to read, and what the host's load makes of a
            # compile; a stall of seconds is one.
            took = time.monotonic() - start
            if took > 3 * alone + 4:
                return f"{took:.1f} s, and {alone:.1f} s without a store"
            if made.read_bytes() != right.read_bytes():
                return "another result"
            if b"\x1b" in text or b"word" in text:
                return "its words or the password reach the terminal"
            return ""

        environment = {
            "DRAWLOOM_NO_CACHE": "", "DRAWLOOM_CACHE": str(cache),
            "DRAWLOOM_CACHE_STORE": f"{scheme}://me:word@127.0.0.1:{port}"}
        attack.run([*command, made], verdicts, f"{scheme}: {what}", judge,
                   environment=environment, expects=(0,))
        attack.run([options.drawloom, "cache", "stats"], verdicts,
                   f"stats of {scheme}: {what}",
                   lambda code, text: "its words or the password reach the "
                   "terminal" if b"\x1b" in text or b":word" in text else "",
                   environment=environment, expects=(0,))
        ends.set()
        server.close()
    return verdicts.finish(at_least=18 // options.every)


if __name__ == "__main__":
    sys.exit(main())
