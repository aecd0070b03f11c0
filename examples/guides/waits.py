# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For what a role of a trace waits, and whether that is most of its life:

    waits.py TRACE.json @mma
"""
import collections
import json
import re
import sys

with open(sys.argv[1]) as file:
    events = json.load(file)["traceEvents"]
rows = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
        if event["ph"] == "M" and event["name"] == "thread_name"}
life, waits = 0, collections.Counter()
for event in events:
    row = rows.get((event["pid"], event.get("tid")), "")
    if event["ph"] != "X" or not re.fullmatch(rf"{sys.argv[2]}, warp \d+", row):
        continue
    if event["name"].startswith("wait: "):
        what = re.sub(r"^wait: slot \d+ of |, \d+ lanes?$", "", event["name"])
        waits[what] += event["dur"]
    else:
        life += event["dur"]
for what, time in waits.most_common():
    most = "more" if time > life / 2 else "less"
    print(f"{sys.argv[2]} waits {most} than half of its time until {what}")
