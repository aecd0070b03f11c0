# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Renders the drawings and a page of 'drawloom explain' in Chromium.

    render.py --drawloom build/release/bin/drawloom [--save FOLDER]

Chromium measures every piece of text of docs/pictures in fonts of one width and of
several: each must be as wide as the drawing says, whatever the font. Of the page, both
panes must show the stage that is chosen, and nothing may be asked for from outside.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FONTS = ["monospace", "sans-serif", "serif"]
# What the page says about itself, at its end.
MEASURE = """
let wrong = 0, texts = document.querySelectorAll("svg text");
for (const text of texts)
  if (Math.abs(text.getBoundingClientRect().width - text.getAttribute("textLength")) > 1.5) ++wrong;
document.title = `${texts.length} texts, ${wrong} of another width`;
"""
CHOOSE = """
const panes = [...document.querySelectorAll(".stages > div")];
const shown = panes.map((pane, i) => {
  const select = pane.querySelector("select");
  select.selectedIndex = i ? 5 : 2;
  select.dispatchEvent(new Event("change"));
  return [...pane.querySelectorAll("pre")].filter((text) => !text.hidden)
      .map((text) => text.textContent);
});
document.title = `shown: ${shown.map((texts) => texts.length)}, ` +
    `agent ${shown[0][0].includes("agent.role")}, ptx ${shown[1][0].includes(".visible .entry")}, ` +
    `asked ${performance.getEntriesByType("resource").length}`;
"""


def open_page(path, *options):
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         "--host-resolver-rules=MAP * ~NOTFOUND", *options, path.as_uri()],
        capture_output=True, text=True, timeout=120)
    if done.returncode:
        sys.exit(f"chromium: {done.stderr}")
    return done.stdout


def title(page):
    return re.search(r"<title>(.*?)</title>", page, re.S)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--drawloom", required=True)
    parser.add_argument("--save", type=pathlib.Path, help="a folder for PNGs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        drawings = sorted((ROOT / "docs/pictures").glob("*.svg"))
        for font in FONTS:
            body = "".join(f"<div>{file.read_text()}</div>" for file in drawings)
            body = body.replace('font-family="monospace"', f'font-family="{font}"')
            page = folder / f"{font}.html"
            page.write_text("<!DOCTYPE html><meta charset=utf-8><title></title>"
                            f"{body}<script>{MEASURE}</script>")
            said = title(open_page(page, "--dump-dom"))
            print(f"{font}: {len(drawings)} drawings, {said}")
            if not re.fullmatch(r"[1-9]\d* texts, 0 of another width", said):
                return 1
        page = folder / "page.html"
        subprocess.run([options.drawloom, "explain", ROOT / "examples/gemm.mlir", "--arch",
                        "sm_100a", "--format", "html", "-o", page], check=True)
        if options.save:
            options.save.mkdir(exist_ok=True)
            for file in [*drawings, page]:
                open_page(file.resolve(), "--window-size=1500,2400",
                          f"--screenshot={options.save.resolve() / file.stem}.png")
        page.write_text(page.read_text().replace("</body>", f"<script>{CHOOSE}</script></body>"))
        said = title(open_page(page, "--dump-dom"))
        print(f"page: {said}")
        return said != "shown: 1,1, agent true, ptx true, asked 0"


if __name__ == "__main__":
    sys.exit(main())
