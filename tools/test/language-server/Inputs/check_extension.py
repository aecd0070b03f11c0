# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the manifest of the extension names is there: files, commands and settings."""
import json
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1])
manifest = json.loads((folder / "package.json").read_text())
offers = manifest["contributes"]
code = (folder / manifest["main"]).read_text()
for entry in offers["languages"]:
    json.loads((folder / entry["configuration"]).read_text())
for entry in offers["grammars"]:
    for pattern in json.loads((folder / entry["path"]).read_text())["patterns"]:
        re.compile(pattern.get("match", pattern.get("begin")))
commands = {entry["command"] for entry in offers["commands"]}
assert commands == set(re.findall(r'registerCommand\("([\w.]+)"', code)), commands
settings = {name.split(".")[1] for name in offers["configuration"]["properties"]}
assert settings == set(re.findall(r'settings\.get\("(\w+)"', code)), settings
print(f"{len(offers['languages'])} languages, {len(commands)} commands, {len(settings)} settings")
