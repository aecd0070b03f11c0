# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds a recorded conversation with the language server.

    converse.py SERVER CONVERSATION FOLDER

The record has a line for each message: '>' what the editor says, '<' what the server
must say next, each as JSON; '#' begins a remark. A line of the server's holds the parts
that matter: of an object the fields that it names, of a text in which '...' stands what
is around that. ${FOLDER} is a folder of files, ${TEXT:NAME} the text of one of them, and
${LINE:NAME:WORDS} the first of its lines with these words.
Replies and notes of the server come in its own order, so each expected message is
looked for among those that have come, and waited for.
"""
import json
import pathlib
import queue
import re
import subprocess
import sys
import threading


def matches(wanted, got):
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(
            key in got and matches(value, got[key]) for key, value in wanted.items())
    if isinstance(wanted, list):
        return isinstance(got, list) and len(wanted) == len(got) and all(
            map(matches, wanted, got))
    if isinstance(wanted, str) and "..." in wanted and isinstance(got, str):
        return bool(re.fullmatch(".*".join(map(re.escape, wanted.split("..."))), got, re.S))
    return wanted == got


def listen(stream, heard):
    while header := stream.readline():
        length = int(header.split(b":")[1])
        stream.readline()
        heard.put(json.loads(stream.read(length)))
    heard.put(None)


def main():
    server, record, folder = sys.argv[1:]
    folder = pathlib.Path(folder).resolve()
    process = subprocess.Popen([server, "lsp", "--log", "error"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    heard, left = queue.Queue(), []
    threading.Thread(target=listen, args=(process.stdout, heard), daemon=True).start()

    def fill(text):
        text = re.sub(r'"\$\{TEXT:([^}]*)\}"',
                      lambda m: json.dumps((folder / m[1]).read_text()), text)
        text = re.sub(r"\$\{LINE:([^:]*):([^}]*)\}", lambda m: str(next(
            i for i, line in enumerate((folder / m[1]).read_text().splitlines())
            if m[2] in line)), text)
        return json.loads(text.replace("${FOLDER}", folder.as_uri()))

    said = expected = 0
    for number, line in enumerate(pathlib.Path(record).read_text().splitlines(), 1):
        if line.startswith(">"):
            body = json.dumps({"jsonrpc": "2.0", **fill(line[1:])}).encode()
            process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            process.stdin.flush()
            said += 1
        elif line.startswith("<"):
            wanted = fill(line[1:])
            while not any(matches(wanted, message) for message in left):
                try:
                    message = heard.get(timeout=20)
                except queue.Empty:
                    message = None
                if message is None:
                    sys.exit(f"{record}:{number}: never said: {line[1:]}\nbut:\n"
                             + "\n".join(map(json.dumps, left)))
                left.append(message)
            left.remove(next(message for message in left if matches(wanted, message)))
            expected += 1
    process.stdin.close()
    code = process.wait(timeout=20)
    print(f"{said} messages said, {expected} heard as recorded, {len(left)} others, exit {code}")


main()
