# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds a file to SARIF 2.1.0 as far as we write it: every property of an object
is one that the standard has there, with its type, and none is missing that it
requires; indices lead somewhere, and a result's rule is the one at its index.

    check_sarif.py FILE     prints a line for each result
"""
import json
import re
import sys

LEVELS = {"none", "note", "warning", "error"}
URI = re.compile(r"(file://)?[A-Za-z0-9/._~%-]+\Z")

# Properties of each object: a type, the name of another object, [of these], a
# set of words or a pattern. Those with ! are required.
OBJECTS = {
    "log": {"$schema": str, "version!": {"2.1.0"}, "runs!": ["run"]},
    "run": {"tool!": "tool", "automationDetails": "details",
            "invocations": ["invocation"], "results": ["result"]},
    "details": {"id": re.compile(r"drawloom/[^/]+/\Z")},
    "tool": {"driver!": "component"},
    "component": {"name!": str, "version": str, "rules": ["rule"]},
    "rule": {"id!": str, "defaultConfiguration": "configuration"},
    "configuration": {"level": LEVELS},
    "invocation": {"executionSuccessful!": bool,
                   "toolExecutionNotifications": ["notification"]},
    "notification": {"message!": "message", "level": LEVELS},
    "result": {"ruleId": str, "ruleIndex": int, "level": LEVELS, "message!": "message",
               "locations": ["location"], "relatedLocations": ["location"],
               "occurrenceCount": int, "suppressions": ["suppression"]},
    "suppression": {"kind!": {"inSource", "external"}},
    "message": {"text!": str},
    "location": {"message": "message", "physicalLocation": "physical",
                 "logicalLocations": ["logical"]},
    "physical": {"artifactLocation!": "artifact", "region": "region"},
    "artifact": {"uri!": URI},
    "region": {"startLine!": int, "startColumn": int},
    "logical": {"fullyQualifiedName": str, "kind": str},
}


def check(value, kind, path):
    if isinstance(kind, list):
        assert isinstance(value, list), f"{path} is no array"
        for index, one in enumerate(value):
            check(one, kind[0], f"{path}[{index}]")
    elif isinstance(kind, set):
        assert value in kind, f"{path} is {value}, not one of {sorted(kind)}"
    elif isinstance(kind, re.Pattern):
        assert kind.match(value), f"{path} is {value}, which isn't as it must be"
    elif isinstance(kind, type):
        assert type(value) is kind, f"{path} is no {kind.__name__}"
        assert kind is not int or value >= 0, f"{path} is {value}"
    else:
        known = OBJECTS[kind]
        assert isinstance(value, dict), f"{path} is no object"
        for name in value:
            assert name in known or name + "!" in known, f"{path} has no {name}"
        for name, of in known.items():
            if name.rstrip("!") in value:
                check(value[name.rstrip("!")], of, f"{path}.{name.rstrip('!')}")
            else:
                assert not name.endswith("!"), f"{path} lacks {name.rstrip('!')}"


with open(sys.argv[1]) as file:
    log = json.load(file)
check(log, "log", "log")
for run in log["runs"]:
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules)), "a rule is there twice"
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"], "another rule"
        places = []
        for location in result["locations"] + result.get("relatedLocations", []):
            physical = location.get("physicalLocation")
            place = "-"
            if physical:
                place = physical["artifactLocation"]["uri"]
                # An id of a rule, and a line, count from 1.
                for part in ("startLine", "startColumn"):
                    number = physical.get("region", {}).get(part)
                    assert number != 0, f"{part} counts from 1"
                    place += f":{number}" if number and part == "startLine" else ""
            places.append(place)
        print(result["level"], result["ruleId"], *places,
              "suppressed" if "suppressions" in result else "")
    for invocation in run["invocations"]:
        print("successful" if invocation["executionSuccessful"] else "failed", *[
            note["message"]["text"]
            for note in invocation.get("toolExecutionNotifications", [])])
