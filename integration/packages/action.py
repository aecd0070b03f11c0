# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The steps of action.yml, as GitHub runs them."""
import os
import pathlib
import re
import subprocess

import yaml
from check_wheels import ROOT, expect


def is_run(condition, values, has_failed):
    """What an `if` of the file comes to: statuses of steps, and inputs that are empty
    or not. Without a status, a step is run if none has failed."""
    if not condition:
        return not has_failed
    text = condition.removeprefix("${{").removesuffix("}}").strip()
    results = [not has_failed or "cancelled()" in text]
    for term in text.split(" && "):
        match = re.fullmatch(r"!cancelled\(\)|inputs\.(\w+) != ''", term)
        expect(match, f"what does '{term}' mean?")
        results.append(not match[1] or values[match[1]] != "")
    return all(results)


def run_action(inputs, folder, path, skips=()):
    """Runs the steps in a folder, with `path` before other programs, and gives each
    one's result by its name. Other people's actions have None."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    unknown = set(inputs) - set(action["inputs"])
    expect(not unknown, f"action.yml has no inputs {unknown}")
    values = {name: inputs.get(name, field["default"])
              for name, field in action["inputs"].items()}

    def fill(text):
        filled = re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda match: values[match[1]],
                        text)
        expect("${{" not in filled, filled)
        return filled

    results = {}
    for number, step in enumerate(action["runs"]["steps"]):
        has_failed = any(one and one.returncode for one in results.values())
        if step["name"] in skips or not is_run(step.get("if"), values, has_failed):
            continue
        if "uses" in step:
            for text in step["with"].values():
                fill(text)
            results[step["name"]] = None
            continue
        expect(step["shell"] == "bash" and "${{" not in step["run"], step["name"])
        script = pathlib.Path(folder) / f"step{number}.sh"
        script.write_text(step["run"])
        results[step["name"]] = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=folder,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "RUNNER_TEMP": str(folder), "GITHUB_ACTION_PATH": str(ROOT),
                 "PATH": f"{path}:{os.environ['PATH']}",
                 **{name: fill(text) for name, text in step["env"].items()}})
    return results
