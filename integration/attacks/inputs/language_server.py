#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions with the language server: mutated programs and PTX, nested messages
and documents, places that are nowhere, frames that are none. Every session ends
with `shutdown`, which has to be answered, and `exit`, after which the server
ends without a signal."""

import json
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import attack
import mutate_programs

root = pathlib.Path(__file__).parents[3]
deep = 60_000


def frame(message):
    body = message if isinstance(message, bytes) else json.dumps(
        message, ensure_ascii=False).encode(errors="surrogatepass")
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def note(method, **params):
    return {"jsonrpc": "2.0", "method": method, "params": params}


def ask(number, method, **params):
    return note(method, **params) | {"id": number}


class Session:
    def __init__(self, rng, number, seeds, ptx):
        self.rng, self.number, self.seeds, self.ptx = rng, number, seeds, ptx
        self.id = 10

    def text(self):
        """A document, and how its name ends."""
        kind = self.rng.randrange(12)
        if kind < 6:
            mutant, = mutate_programs.draw(self.seeds, 1, seed=3,
                                           first=self.rng.randrange(10**6))
            return mutant.text.decode(errors="replace"), "mlir"
        if kind < 9:
            text = self.rng.choice(self.ptx)
            for _ in range(self.rng.randrange(4)):
                at = self.rng.randrange(len(text))
                text = text[:at] + self.rng.choice((
                    "", "\0", "%r1", "99999999999999999999", "{", "\u00e4",
                    ".loc 1 4294967295 1\n", '.file 9 "x')) + text[at + 1:]
            return text, "ptx"
        if kind == 9:
            opening = self.rng.choice(("module {", "[", "func.func @f(tuple<",
                                       "tensor<", "affine_map<("))
            return opening * deep, "mlir"
        if kind == 10:
            return "func.func private @f(tensor<" + "1x" * 100_000 + "f32>)", \
                "mlir"
        return self.rng.choice((
            "", "\n" * 10_000, "x" * 1_000_000,
            'tile.kernel @"\\FF\\1B[31m"() {}',
            "func.func @f(%x: tensor<4x4xf32>) {\n linalg.transpose ins(%x : "
            "tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) permutation = "
            "[1, 18446744073709551615]\n return }")), "mlir"

    def place(self):
        numbers = (0, 1, 7, 10**6, 2**31, 2**32, 2**53, -1, 0.5, "x", None)
        return {"line": self.rng.choice(numbers),
                "character": self.rng.choice(numbers)}

    def messages(self):
        text, kind = self.text()
        uri = f"file:///tmp/a{self.number}.{kind}"
        yield frame(note("textDocument/didOpen", textDocument={
            "uri": uri, "languageId": kind, "version": 1, "text": text}))
        for version in range(2, 2 + self.rng.randrange(4)):
            self.id += 1
            choice = self.rng.randrange(10)
            if choice < 3:
                method = self.rng.choice((
                    "hover", "definition", "references", "completion",
                    "documentSymbol", "inlayHint", "codeAction"))
                yield frame(ask(self.id, "textDocument/" + method,
                                textDocument={"uri": uri},
                                position=self.place(),
                                context={"includeDeclaration": True,
                                         "diagnostics": []},
                                range={"start": self.place(),
                                       "end": self.place()}))
            elif choice < 6:
                change = {"text": self.text()[0]}
                if self.rng.randrange(3) == 0:
                    change["range"] = {"start": self.place(),
                                       "end": self.place()}
                yield frame(note("textDocument/didChange", textDocument={
                    "uri": uri, "version": version}, contentChanges=[change]))
            elif choice == 6:
                yield frame(self.rng.choice((
                    b"[" * deep, b'{"a":' * deep, b"{", b"null", b"[1, 2]",
                    b'{"jsonrpc": "2.0"}', b"\xff\xfe",
                    b'{"jsonrpc": "2.0", "id": ' + b"[" * 300 + b"]" * 300 +
                    b', "method": "textDocument/hover"}')))
            elif choice == 7:
                yield frame(ask(self.id, self.rng.choice((
                    "nothing", "", "textDocument/", "\x1b[31m",
                    "workspace/executeCommand", "mlir/viewOutput")), a=1))
            elif choice == 8:
                yield frame(note("textDocument/didOpen", textDocument={
                    "uri": self.rng.choice((
                        "", "x", "file://", "http://a/b.mlir",
                        "file:///%zz%ff.mlir", uri, 3, None)),
                    "languageId": "mlir", "version": self.rng.choice(
                        (1, "x", 2**60)), "text": self.text()[0]}))
            else:
                yield frame(note("textDocument/didClose",
                                 textDocument={"uri": uri}))


def converse(options, rng, number, seeds, ptx, verdicts):
    server = subprocess.Popen(
        [options.drawloom, "lsp", "--log", "error"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    heard = bytearray()

    def listen():
        while part := server.stdout.read1(1 << 16):
            heard.extend(part)

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    kill = threading.Timer(4 * attack.seconds, server.kill)
    kill.start()
    problem = ""
    try:
        server.stdin.write(frame(ask(1, "initialize", processId=None,
                                     rootUri=None, capabilities={})))
        server.stdin.write(frame(note("initialized")))
        for message in Session(rng, number, seeds, ptx).messages():
            server.stdin.write(message)
            server.stdin.flush()
        server.stdin.write(frame(ask(9999, "shutdown")))
        server.stdin.write(frame(note("exit")))
        server.stdin.close()
    except BrokenPipeError:
        problem = "it went away"
    _, status, usage = os.wait4(server.pid, 0)
    server.returncode = os.waitstatus_to_exitcode(status)
    kill.cancel()
    listener.join()
    spent = usage.ru_utime + usage.ru_stime
    verdicts.measure(spent, usage.ru_maxrss << 10)
    if server.returncode != 0:
        problem = f"exit code {server.returncode}"
    elif b'"id":9999' not in heard:
        problem = "'shutdown' is not answered"
    elif spent > attack.seconds:
        problem = f"{spent:.1f} s"
    elif usage.ru_maxrss << 10 > attack.bytes_at_most:
        problem = f"{usage.ru_maxrss >> 10} MiB"
    verdicts.add(f"session {number}", problem, accepted=True)


def main():
    def more(parser):
        parser.add_argument("--count", type=int, default=450)
        parser.add_argument("--first", type=int, default=0)

    options = attack.parse(__doc__, more)
    verdicts = attack.Verdicts("sessions of the language server")
    seeds = mutate_programs.programs()
    ptx = [path.read_text() for path in sorted(root.glob("examples/**/*.ptx"))]
    ptx += [path.read_text()
            for path in sorted(root.glob("ptx/test/Forms/*.ptx"))[:20]]
    for number in range(options.first, options.first + options.count):
        converse(options, random.Random(f"lsp:{number}"), number, seeds, ptx,
                 verdicts)
    return verdicts.finish(at_least=options.count)


if __name__ == "__main__":
    sys.exit(main())
