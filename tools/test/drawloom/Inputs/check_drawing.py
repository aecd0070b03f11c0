# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks at a drawing: text is inside it and doesn't run into other text, and
a box holds the text that begins in it. With two names, these are level.

    check_drawing.py DRAWING.svg [NAME NAME]
"""
import sys
from xml.etree import ElementTree

SPACE = "{http://www.w3.org/2000/svg}"
root = ElementTree.parse(sys.argv[1]).getroot()
width, height = float(root.get("width")), float(root.get("height"))
texts = []
for text in root.iter(SPACE + "text"):
    size, length = float(text.get("font-size")), float(text.get("textLength"))
    x, y = float(text.get("x")), float(text.get("y"))
    x -= {None: 0, "middle": length / 2, "end": length}[text.get("text-anchor")]
    texts.append((x, y - 0.75 * size, x + length, y + 0.2 * size, text.text))
boxes = [(x, y, x + w, y + h) for x, y, w, h in (
    [float(box.get(name, 0)) for name in ("x", "y", "width", "height")]
    for box in root.iter(SPACE + "rect")) if w < width]


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


errors = []
for i, a in enumerate(texts):
    if a[0] < 0 or a[1] < 0 or a[2] > width or a[3] > height:
        errors.append(f"'{a[4]}' is not inside the drawing")
    errors += [f"'{a[4]}' runs into '{b[4]}'" for b in texts[:i] if overlap(a, b)]
    errors += [f"'{a[4]}' runs out of its box" for box in boxes
               if overlap(a, box) and not (box[0] <= a[0] and a[2] <= box[2])]
print("\n".join(errors) or "nothing overlaps")
if names := sys.argv[2:]:
    places = {text[4]: text[1] for text in texts}
    level = places[names[0]] == places[names[1]]
    print(f"{names[0]} and {names[1]} are {'' if level else 'not '}level")
