# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws every Mermaid diagram that tests and documentation have, with Mermaid.

    draw_diagrams.py --drawloom build/release/bin/drawloom [--save FOLDER]

The diagrams are those in files (*.mmd, and the blocks of *.md), and those that
'drawloom explain' prints for the examples, for both architectures, and for the
plans of the lit tests. A diagram is right if Mermaid draws it and what it shows
is the text that the diagram gives: a sign that Mermaid takes for its own ends a
statement or vanishes from a label.

Mermaid runs in V8, without a browser: the package mermaidx brings Mermaid and
stand-ins for what a browser would do.
"""

import argparse
import html
import re
import subprocess
import sys
from pathlib import Path

from mermaidx.engines import v8_engine
from mermaidx.raster import svg_to_png

ROOT = Path(__file__).resolve().parents[3]
ARCHITECTURES = ["sm_90a", "sm_100a"]
# The stand-ins look for the style sheet, which is written once for a drawing,
# and read the selectors in it anew for each piece of text. Remembering both
# changes no drawing and takes a tenth of the time.
REMEMBER = """{
  const reset = __resetDocument, find = __getCssRules, parse = __parseComplex;
  let rules = [];
  const parsed = new Map();
  globalThis.__resetDocument = () => { rules = []; reset(); };
  globalThis.__getCssRules = () => (rules.length ? rules : (rules = find()));
  globalThis.__parseComplex = (selector) => {
    if (!parsed.has(selector)) parsed.set(selector, parse(selector));
    return parsed.get(selector);
  };
}"""


class Mermaid:
    """Mermaid, read once for all drawings. mermaidx would read it for each anew,
    in a process that ends after eight seconds."""

    def __init__(self):
        self.context = v8_engine._build_context()
        self.context.eval(REMEMBER)
        self.sizes = {}
        self.measure = v8_engine.TextMeasurer().foreign_object

    def begin(self):
        self.context.eval("globalThis.__foMissing = {}")
        return self.context

    def draw(self, text):
        return v8_engine._render(self.begin(), text, "default", None, None, self.sizes,
                                 self.measure, self.begin)


def explain(drawloom, file, arch, form, kernel=None):
    command = [drawloom, "explain", ROOT / file, "--format", "mermaid", "--diagram", form]
    command += ["--arch", arch] if arch else []
    command += ["--kernel", kernel] if kernel else []
    return subprocess.run(command, capture_output=True, text=True)


def find_kernels(file):
    return re.findall(r"^(?:tile\.kernel|func\.func) @([\w.$-]+)", (ROOT / file).read_text(), re.M)


def collect(drawloom):
    """The name of each diagram, and its text; and what could not be printed."""
    diagrams, errors = {}, []
    files = subprocess.run(["git", "-C", ROOT, "ls-files", "*.mmd", "*.md"], check=True,
                           capture_output=True, text=True).stdout.split()
    for name in files:
        text = (ROOT / name).read_text()
        if name.endswith(".mmd"):
            diagrams[name] = text
        else:
            for number, block in enumerate(re.findall(r"^```mermaid\n(.*?)^```", text, re.M | re.S)):
                diagrams[f"{name}, diagram {number}"] = block
    examples = sorted((ROOT / "examples").glob("*.mlir"))
    examples += sorted((ROOT / "examples/linalg").glob("*.mlir"))
    programs = [(str(file.relative_to(ROOT)), arch) for file in examples for arch in ARCHITECTURES]
    unplaced = set()
    tests = ROOT / "compiler/test"
    # Some of these are proved and then don't fit: they have no diagrams.
    for file in sorted((tests / "Dialect/Agent/Plans").glob("*.mlir")):
        arch = "sm_90a" if file.name.startswith("hopper") else "sm_100a"
        programs.append((str(file.relative_to(ROOT)), arch))
        unplaced.add(programs[-1])
    # These name their targets themselves.
    for file in sorted((tests / "Analysis/Plan").glob("*.mlir")):
        programs.append((str(file.relative_to(ROOT)), None))
    for file, arch in programs:
        for kernel in find_kernels(file):
            for form in ["graph", "sequence"]:
                name = f"{file} @{kernel}{' on ' + arch if arch else ''}, {form}"
                done = explain(drawloom, file, arch, form, kernel)
                if done.returncode and (file, arch) in unplaced:
                    continue
                if done.returncode:
                    errors.append(f"{name}: {done.stderr.strip()}")
                diagrams[name] = done.stdout
    return diagrams, errors


def find_labels(text):
    """The pieces of text that a drawing of the diagram must show."""
    if text.startswith("sequenceDiagram"):
        found = re.findall(r"^\s*participant \w+ as (.*)$|^.*?: (.*)$", text, re.M)
        pieces = [alias or message for alias, message in found]
    else:
        pieces = [line for label in re.findall(r'"([^"]*)"', text)
                  for line in label.split("<br/>")]
    return {re.sub(r"#(\d+);", lambda code: chr(int(code[1])), piece) for piece in pieces}


def find_missing(text, svg):
    """What the drawing of a diagram lacks, or nothing."""
    shown = re.sub(r"<style.*?</style>", "", svg, flags=re.S)
    shown = html.unescape(re.sub(r"<[^>]+>", "\n", shown))
    missing = sorted(label for label in find_labels(text) if label not in shown)
    return f"shows nothing of {missing}" if missing else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--drawloom", type=Path, required=True)
    parser.add_argument("--save", type=Path, help="a folder for the drawings as PNG")
    options = parser.parse_args()

    diagrams, errors = collect(options.drawloom)
    # Plans that tests compare in several ways are drawn once.
    names = {}
    for name, text in diagrams.items():
        names.setdefault(text, []).append(name)
    mermaid = Mermaid()
    drawn = 0
    for text, same in names.items():
        try:
            svg = mermaid.draw(text)
        except v8_engine.MermaidRenderError as error:
            errors.append(f"{same[0]}: {error}")
            continue
        if missing := find_missing(text, svg):
            errors.append(f"{same[0]}: {missing}")
        else:
            drawn += len(same)
        if options.save:
            file = re.sub(r"[^\w.-]+", "-", same[0]) + ".png"
            (options.save / file).write_bytes(svg_to_png(svg, background="#ffffff"))
    for error in errors:
        print(error)
    print(f"mermaid: {drawn} of {len(diagrams)} diagrams drawn")
    return 0 if diagrams and drawn == len(diagrams) and not errors else 1


if __name__ == "__main__":
    sys.exit(main())
