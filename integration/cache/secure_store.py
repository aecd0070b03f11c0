# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Redis server that speaks TLS and authenticates: a user of its own with a password,
who may do what is in docs/Cache.md and nothing else. A server that cannot be trusted, or a
client that is not, has no store: the kernel is compiled, and it is a failure of the store."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from herd import free_port, make_programs


def make_certificates(folder):
    """An authority, and a server's certificate for 127.0.0.1 and one for another name."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
            "-subj", "/CN=an authority of a test")
    for name, place in (("server", "IP:127.0.0.1"), ("other", "DNS:elsewhere.invalid")):
        (folder / f"{name}.ext").write_text(f"subjectAltName={place}\n")
        openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj",
                "/CN=a store")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                "-CAcreateserial", "-out", f"{name}.pem", "-days", "2", "-extfile",
                f"{name}.ext")


class Server:
    USERS = ["default off", "drawloom on >secret ~drawloom:* +get +set +eval",
             "reader on >secret ~drawloom:* +get +eval"]

    def __init__(self, folder, certificate):
        self.port = free_port()
        users = [word for user in self.USERS for word in ("--user", *user.split())]
        self.process = subprocess.Popen(
            ["redis-server", "--port", "0", "--tls-port", str(self.port), "--bind", "127.0.0.1",
             "--tls-cert-file", f"{certificate}.pem", "--tls-key-file", f"{certificate}.key",
             "--tls-ca-cert-file", "ca.pem", "--tls-auth-clients", "no", "--save", "",
             "--appendonly", "no", *users], cwd=folder, stdout=subprocess.DEVNULL)
        for _ in range(100):
            answer = subprocess.run(
                ["redis-cli", "--tls", "--insecure", "-p", str(self.port), "--user", "drawloom",
                 "--pass", "secret", "--no-auth-warning", "GET", "drawloom:x"],
                capture_output=True, text=True, check=False).stdout
            if answer.strip() == "" and answer:
                return
            time.sleep(0.05)
        sys.exit("redis-server does not answer over TLS")

    def url(self, user="drawloom", password="secret", scheme="rediss"):
        return f"{scheme}://{user}:{password}@127.0.0.1:{self.port}"


class Client:
    def __init__(self, drawloom, folder):
        self.drawloom, self.folder, self.hosts = drawloom, folder, 0

    def compile(self, what, program, url, authorities="ca.pem"):
        """On a cold disk. Gives how often it was made, found in the store, and what failed."""
        self.hosts += 1
        disk = self.folder / f"host{self.hosts}"
        variables = {name: value for name, value in os.environ.items()
                     if not name.startswith("DRAWLOOM_")}
        variables |= {"DRAWLOOM_CACHE": str(disk), "DRAWLOOM_CACHE_STORE": url}
        if authorities:
            variables["DRAWLOOM_CACHE_AUTHORITIES"] = str(self.folder / authorities)
        subprocess.run([self.drawloom, "compile", program, "--arch", "sm_100a", "--emit", "ptx",
                        "-o", "/dev/null"], env=variables, check=True, timeout=60)
        said = subprocess.run([self.drawloom, "cache", "stats"], env=variables, check=True,
                              capture_output=True, text=True).stdout
        if "secret@" in said:
            sys.exit(f"a password is shown:\n{said}")
        counts = tuple(next(int(line.split()[-1]) for line in said.splitlines()
                            if line.startswith(row))
                       for row in ("made", "store hits", "store failures"))
        print(f"{what:<44} made {counts[0]}, store hits {counts[1]}, failures {counts[2]}")
        return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drawloom", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="drawloom-tls") as temporary:
        folder = pathlib.Path(temporary)
        make_certificates(folder)
        first, second = make_programs(folder, 2)
        client = Client(args.drawloom, folder)
        servers = []
        try:
            servers.append(Server(folder, "server"))
            store = servers[0]
            made, found, refused = (1, 0, 0), (0, 1, 0), (1, 0, 1)
            cases = [
                ("over TLS, as a user", first, store.url(), "ca.pem", made),
                ("the next host", first, store.url(), "ca.pem", found),
                ("an unknown authority", first, store.url(), None, refused),
                ("another password", first, store.url(password="guess"), "ca.pem", refused),
                ("another user", first, store.url(user="other"), "ca.pem", refused),
                ("without TLS", first, store.url(scheme="redis"), "ca.pem", refused),
                ("a user who may only read finds it", first, store.url("reader"), "ca.pem",
                 found),
                ("a user who may only read, and makes it", second, store.url("reader"), "ca.pem",
                 None)]
            for what, program, url, authorities, expected in cases:
                counts = client.compile(what, program, url, authorities)
                # SET is refused, by the lease and by the write.
                if counts != expected and not (expected is None and counts[0] == 1 and counts[2]):
                    sys.exit(f"{what}: not {expected}")
            servers.append(Server(folder, "other"))
            if client.compile("a certificate for another name", first,
                              servers[1].url()) != refused:
                sys.exit("a store with another's certificate is trusted")
        finally:
            for server in servers:
                server.process.kill()
                server.process.wait()


if __name__ == "__main__":
    main()
