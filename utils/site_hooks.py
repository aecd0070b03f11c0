# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documentation's site: its menu, and links out of docs/.

Pages link to files of the repository as code hosts show them. On the site such a
file is a page of its own below `source/`: Markdown as it is, anything else as a
block of code, a folder as the list of its files.
"""
import os
import pathlib
import re
import subprocess

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What stands where in the menu. Pages that are named nowhere are at the end; those of
# HIDDEN are found by links and the search.
HIDDEN = ["API/Headers.md"]
MENU = [
    ("Get started", ["Install.md", "guides/quickstart-check.md",
                     "guides/quickstart-compile.md", "guides/write-a-kernel.md"]),
    ("How-to", ["guides/my-kernel-hangs.md", "guides/which-fence-is-missing.md", "Checker.md",
                "guides/test-blackwell-in-ci.md", "guides/run-applications.md",
                "guides/run-a-ptx-kernel.md", "Run.md", "guides/read-a-plan.md",
                "guides/why-isnt-it-specialized.md", "guides/record-a-trace.md",
                "guides/is-it-fast.md", "guides/coming-from-triton.md",
                "guides/coming-from-cutlass.md", "Python.md",
                "guides/use-from-cpp.md", "Sweep.md", "Cache.md", "Editors.md"]),
    ("Reference", ["CommandLine.md", "Messages.md", "CheckerRules.md", "StaticAnalysis.md",
                   "Frontend.md", "ScheduleFields.md", "FileFormats.md", "Plan.md", "EnvironmentVariables.md",
                   "SupportMatrix.md", "Driver.md", "EmulatedForms.md", "DeviceLibrary.md",
                   "API/Python.md", "Dialects/Tile.md", "Dialects/Agent.md",
                   "Dialects/AgentMessage.md", "Dialects/AgentProtocol.md", "Passes/*.md"]),
    ("How it works", ["Architecture.md", "Roles.md", "ProgressModel.md", "Protocol.md",
                      "MemoryModel.md", "CheckerInternals.md", "Emulator.md", "Timing.md",
                      "Compiling.md", "CodeGeneration.md", "Layouts.md", "Clusters.md",
                      "Target.md", "Interpreter.md", "Stages.md",
                      "Dialects/*Rationale.md"]),
    ("Evidence", ["guides/what-works.md", "BugsInTheWild.md", "Comparison.md",
                  "pictures/README.md"]),
    ("Project", ["Limitations.md", "Roadmap.md", "Glossary.md", "source/CHANGELOG.md",
                 "source/CONTRIBUTING.md", "AddAnOperation.md", "HowWeWrite.md",
                 "source/SECURITY.md", "Legal.md"]),
]
# Code is not prose: what looks like a link there stays.
CODE = r"^```.*?^```$|^~~~~.*?^~~~~$|`[^`\n]+`"
LINK = re.compile(rf"{CODE}|(!?\[[^\]]*\]\()([^)\s#]+)((?:#[^)\s]*)?\))", re.M | re.S)
# Tables and listings are up to 100 columns wide.
STYLE = ".md-grid { max-width: 80rem; }\n"
LANGUAGES = {".py": "python", ".cpp": "cpp", ".h": "cpp", ".cu": "cuda", ".json": "json",
             ".sh": "bash", ".ipynb": "json"}


def find_target(page, link):
    """The file or folder of the repository that a page's link means."""
    folder = (ROOT / "docs" / page).parent
    if page.startswith("source/"):
        folder = (ROOT / page.removeprefix("source/")).parent
    path = pathlib.Path(os.path.normpath(folder / link))
    return path if path.is_relative_to(ROOT) and path.exists() else None


def find_page(path):
    """Where the site has a file of the repository."""
    if path.is_relative_to(ROOT / "docs") and path.is_file():
        return str(path.relative_to(ROOT / "docs"))
    name = "source/" + str(path.relative_to(ROOT))
    if path.is_dir():
        readme = path / "README.md"
        return find_page(readme) if readme.exists() else name + "/index.md"
    return name if path.suffix == ".md" else name + ".md"


def make_text(path):
    """A file of the repository as Markdown."""
    if path.is_dir():
        files = subprocess.run(["git", "-C", path, "ls-files"], check=True,
                               capture_output=True, text=True).stdout.split()
        return f"# {path.relative_to(ROOT)}\n\n" + "".join(f"- `{file}`\n" for file in files)
    text = path.read_text()
    if path.suffix == ".md":
        return text
    fence = "~~~~" + LANGUAGES.get(path.suffix, "text")
    return f"# {path.relative_to(ROOT)}\n\n{fence}\n{text}\n~~~~\n"


def rewrite(text, page, reached):
    """The text with links that hold on the site; what they reach is added."""
    def replace(match):
        start, link, end = match.groups()
        if link is None or re.match(r"[a-z]+:", link):
            return match[0]
        path = find_target(page, link)
        if path is None:
            raise PluginError(f"{page}: nothing is at the link '{link}'")
        target = find_page(path)
        if target == "source/README.md":
            target = "index.md"
        elif target.startswith("source/"):
            reached[target] = path
        return start + os.path.relpath(target, pathlib.Path(page).parent) + end

    # A title is the first line of a page, or else the name of its file.
    return LINK.sub(replace, re.sub(r"\A\s*<!--.*?-->\s*", "", text, flags=re.S))


def on_files(files, config):
    """Adds every file that pages reach, one after the other."""
    texts, waiting = {}, {}
    for file in files.documentation_pages():
        texts[file.src_uri] = rewrite(file.content_string, file.src_uri, waiting)
    for page in ["source/README.md", *(page for _, pages in MENU for page in pages)]:
        if page.startswith("source/"):
            waiting[page] = ROOT / page.removeprefix("source/")
    while waiting:
        page, path = waiting.popitem()
        if page in texts:
            continue
        if path.is_dir() and (path / "README.md").exists():
            path = path / "README.md"
        texts[page] = rewrite(make_text(path), page, waiting)
        files.append(File.generated(config, page, content=texts[page]))
    # The front page is the README, one folder higher.
    front = LINK.sub(lambda match: match[0] if match[2] is None or ":" in match[2] else
                     match[1] + os.path.normpath("source/" + match[2]) + match[3],
                     texts.pop("source/README.md"))
    files.remove(files.get_file_from_path("source/README.md"))
    files.append(File.generated(config, "index.md", content=front))
    texts["index.md"] = front
    files.append(File.generated(config, "site.css", content=STYLE))
    config.extra["texts"] = texts
    config.nav = make_menu(list(texts))
    return files


def make_menu(pages):
    menu, named = [{"Drawloom": "index.md"}], {"index.md"}
    for title, patterns in MENU:
        found = [page for pattern in patterns for page in sorted(pages)
                 if pathlib.PurePath(page).match(pattern) and page not in named
                 and ("/" in page) == ("/" in pattern)]
        named |= set(found)
        menu.append({title: found})
    rest = sorted(set(pages) - named - set(HIDDEN))
    if lost := [page for page in rest if not page.startswith("source/")]:
        raise PluginError(f"no group of the menu has {', '.join(lost)}; add it to MENU")
    return menu


def on_page_markdown(markdown, page, config, files):
    return config.extra["texts"][page.file.src_uri]
