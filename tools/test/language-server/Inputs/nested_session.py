# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A session with inputs that ended the server once. Prints what it says to each."""
import json
import subprocess
import sys

server = subprocess.Popen([sys.argv[1], "lsp", "--log", "error"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def send(body):
    server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.stdin.flush()


def say(method, number=None, **params):
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        message["id"] = number
    send(json.dumps(message).encode())


def receive(wanted):
    """The next message that is wanted; others are passed over."""
    while header := server.stdout.readline():
        server.stdout.readline()
        message = json.loads(server.stdout.read(int(header.split(b":")[1])))
        if wanted(message):
            return message
    sys.exit("the server is gone")


def open_document(what, text):
    uri = f"file:///tmp/{what.replace(' ', '-')}.mlir"
    say("textDocument/didOpen", textDocument={
        "uri": uri, "languageId": "mlir", "version": 1, "text": text})
    said = receive(lambda message: message.get("method")
                   == "textDocument/publishDiagnostics"
                   and message["params"]["uri"] == uri)["params"]["diagnostics"]
    words = "; ".join(f"{one['range']['start']['line']}:"
                      f"{one['range']['start']['character']}: {one['message']}"
                      for one in said)
    print(f"{what}: {words or 'no diagnostics'}")


say("initialize", 1, processId=None, rootUri=None, capabilities={})
receive(lambda message: message.get("id") == 1)
say("initialized")
send(b'{"jsonrpc": "2.0", "id": 2, "method": "nothing", "params": ' + b"[" * 60000)
send(b'{"jsonrpc": "2.0"}')
send(b'{"id": 2, "method": "nothing"}')
say("nothing", 3)
receive(lambda message: message.get("id") == 3)
print("nested message: answered")
open_document("nested document", "(" * 60000)
open_document("document with a wrong list", """func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %v = linalg.transpose ins(%x : tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) permutation = [1, 18446744073709551615]
  return %v : tensor<4x4xf32>
}
""")
open_document("document that is right", "module {}\n")
say("shutdown", 9)
receive(lambda message: message.get("id") == 9)
print("shutdown: answered")
say("exit")
server.stdin.close()
print("exit code", server.wait())
