# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is inside a package besides Drawloom: licenses and an SBOM.

Everything comes from Debian's packages, so versions and license texts are those
that dpkg has. The table says who is in what: Install.cmake links or copies it, and
integration/packages/check_contents.py holds it to the command lines of the linker.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import uuid

EMULATOR, COMPILER = "drawloom-emulator", "drawloom"
GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"
LLVM = "Apache-2.0 WITH LLVM-exception"

# Debian's package, SPDX license, how it is inside, and the wheels it is in.
CONTENTS = [
    ("llvm-22-dev", LLVM, "linked", [EMULATOR, COMPILER]),
    ("libmlir-22-dev", LLVM, "linked", [COMPILER]),
    ("libstdc++-12-dev", GCC, "linked", [EMULATOR, COMPILER]),
    ("zlib1g-dev", "Zlib", "linked", [EMULATOR, COMPILER]),
    ("libzstd-dev", "BSD-3-Clause", "linked", [EMULATOR, COMPILER]),
    ("liblz4-dev", "BSD-2-Clause", "linked", [EMULATOR, COMPILER]),
    ("libhiredis-dev", "BSD-3-Clause", "linked", [COMPILER]),
    ("libdnnl2", "Apache-2.0", "copied", [EMULATOR]),
    ("libgomp1", GCC, "copied", [EMULATOR]),
    ("ocl-icd-libopencl1", "BSD-2-Clause", "copied", [EMULATOR]),
]
# What Debian's license files refer to instead of repeating it.
COMMON = ["Apache-2.0", "GPL-3"]


def query(package, field):
    return subprocess.run(
        ["dpkg-query", "-W", "-f", f"${{{field}}}", package],
        check=True, capture_output=True, text=True).stdout


def component(package, license, how):
    version = query(package, "Version")
    source = query(package, "source:Package")
    return {
        "type": "library",
        "name": source,
        "version": version,
        "purl": f"pkg:deb/debian/{package}@{version}?arch=amd64",
        "licenses": [{"expression": license}],
        "externalReferences": [
            {"type": "website", "url": query(package, "Homepage")}],
        "properties": [{"name": "drawloom:inside", "value": how}],
    }


def sbom(name, version, components):
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        # The same contents are the same document.
        "serialNumber": "urn:uuid:" + str(uuid.uuid5(
            uuid.NAMESPACE_URL, json.dumps([name, version, components]))),
        "version": 1,
        "metadata": {"component": {
            "type": "application", "name": name, "version": version,
            "purl": f"pkg:pypi/{name}@{version}",
            "licenses": [{"expression": LLVM}]}},
        "components": components,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", choices=[EMULATOR, COMPILER], required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--licenses", type=pathlib.Path, required=True)
    parser.add_argument("--sbom", type=pathlib.Path, required=True)
    options = parser.parse_args()
    rows = [row for row in CONTENTS if options.name in row[3]]
    options.licenses.mkdir(parents=True, exist_ok=True)
    for package, _, _, _ in rows:
        shutil.copy(f"/usr/share/doc/{package}/copyright",
                    options.licenses / f"{package}.txt")
    for text in COMMON:
        shutil.copy(f"/usr/share/common-licenses/{text}",
                    options.licenses / f"{text}.txt")
    options.sbom.parent.mkdir(parents=True, exist_ok=True)
    options.sbom.write_text(json.dumps(
        sbom(options.name, options.version,
             [component(*row[:3]) for row in rows]), indent=1) + "\n")


if __name__ == "__main__":
    main()
