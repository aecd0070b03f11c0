# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which part of its life each role of a trace waits, and for what:

    waits.py TRACE.json
"""
import collections
import json
import re
import sys

with open(sys.argv[1]) as file:
    events = json.load(file)["traceEvents"]
rows = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
        if event["ph"] == "M" and event["name"] == "thread_name"}
life, waits = collections.Counter(), collections.Counter()
for event in events:
    row = rows.get((event["pid"], event.get("tid")), "")
    if event["ph"] != "X" or not re.fullmatch(r"@\w+, warp \d+", row):
        continue
    role = row.partition(",")[0]
    if event["name"].startswith("wait: "):
        what = re.sub(r"^wait: slot \d+ of |, \d+ lanes$", "", event["name"])
        waits[role, what] += event["dur"]
    else:
        life[role] += event["dur"]
for (role, what), time in sorted(waits.items()):
    print(f"{role:14} waits {time / life[role]:4.0%} of its time until {what}")
