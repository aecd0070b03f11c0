# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes notebooks and compares what comes out with what they hold:

    run_notebook.py [--write] NOTEBOOK.ipynb...

With --write the notebook holds what came out. Cells are plain Python, so this needs
no Jupyter.
"""
import ast
import contextlib
import io
import json
import pathlib
import sys

FORMS = {"image/svg+xml": "_repr_svg_", "text/html": "_repr_html_",
         "text/markdown": "_repr_markdown_"}
#: What draws without a network, and what doesn't: exports prefer the second.
OFFLINE, ONLINE = "image/svg+xml", {"text/markdown", "text/html"}


def lines(text):
    return text.splitlines(keepends=True)


def show(value, count):
    """What a notebook stores for the value of a cell."""
    data = {"text/plain": lines(repr(value))}
    for form, method in FORMS.items():
        if made := getattr(value, method, lambda: None)():
            data[form] = lines(made)
    if OFFLINE in data and ONLINE & set(data):
        sys.exit(f"{value!r} is a drawing and {', '.join(ONLINE & set(data))}; an export "
                 "takes that, and shows nothing without a network")
    return {"output_type": "execute_result", "execution_count": count,
            "metadata": {}, "data": data}


def execute(cell, count, names):
    """The outputs of a cell: what it prints, then what its last expression is."""
    tree = ast.parse("".join(cell["source"]))
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"<cell {count}>", "exec"), names)
        if last is not None:
            value = eval(compile(last, f"<cell {count}>", "eval"), names)
    outputs = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout",
                        "text": lines(printed.getvalue())})
    if value is not None:
        outputs.append(show(value, count))
    return outputs


def text_of(outputs):
    return ["".join(output.get("text", output.get("data", {}).get("text/plain", [])))
            for output in outputs]


def run(path, writes):
    notebook = json.loads(path.read_text())
    names = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for count, cell in enumerate(cells, 1):
        outputs = execute(cell, count, names)
        if not writes and outputs != cell["outputs"]:
            sys.exit(f"{path}, cell {count}: {text_of(outputs)}\n"
                     f"and the notebook has {text_of(cell['outputs'])}; or a drawing "
                     "differs; run_notebook.py --write stores what comes out")
        cell["outputs"], cell["execution_count"] = outputs, count
    if writes:
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    print(f"{path.name}: {len(cells)} cells")


if __name__ == "__main__":
    writing = sys.argv[1:2] == ["--write"]
    for name in sys.argv[1 + writing:]:
        run(pathlib.Path(name), writing)
