# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that launch kernels, without a GPU:

    pytest --drawloom-device b200 --drawloom-orders 8

Each test runs in a process of its own, because a kernel that fails leaves its
context unusable, as on a GPU. It fails if a kernel failed, whether the test looked
or not, and the report says where. With orders it runs once for each.

`@pytest.mark.drawloom(orders=N)` sets the number for a test. With
--drawloom-check races fail a test, too, and by the text of the ISA with
--drawloom-check=strict. --drawloom-fidelity says which instructions
ran and how far they can be trusted. --drawloom-report FILE writes what became of each
test, in JSON, and --drawloom-sarif FILE what the checker found, for code hosts.
"""
import ctypes
import json
import os
import pathlib
import pickle
import shutil
import sys
import tempfile
import urllib.parse

import pytest
from _pytest.runner import runtestprotocol

from drawloom_emulator import __version__, command

# Kinds of asynchronous work that an order may hold back, and all of them.
ADVERSARIAL = ["adversarial", "adversarial:copy", "adversarial:bulk",
               "adversarial:tensor", "adversarial:mma", "adversarial:commit",
               "adversarial:remote-store", "adversarial:launch-control"]
# Set for the pytest that runs on the emulator, to a folder for findings.
INSIDE = "DRAWLOOM_PYTEST"
FORMS = pytest.StashKey()  # What was executed, for the summary.


def pytest_addoption(parser):
    group = parser.getgroup("drawloom", "kernels without a GPU")
    group.addoption("--drawloom-device", metavar="NAME",
                    help="run the tests on an emulated device: h100, b200 or rtx5090")
    group.addoption("--drawloom-orders", metavar="N", type=int, default=0,
                    help="run each test under N random orders and every "
                    "adversarial one, too")
    # Without a value of its own, so that a file may follow.
    group.addoption("--drawloom-check", "--drawloom-check=default",
                    action="store_const", const="default", dest="drawloom_check",
                    help="look for races in what the tests launch; an error fails "
                    "the test")
    group.addoption("--drawloom-check=strict", action="store_const", const="strict",
                    dest="drawloom_check", help="the same by the text of the ISA")
    group.addoption("--drawloom-fidelity", action="store_true",
                    help="report which instruction variants the tests' kernels "
                    "executed, and which of them aren't exact")
    group.addoption("--drawloom-report", metavar="FILE",
                    help="write outcomes and reports in JSON")
    group.addoption("--drawloom-sarif", metavar="FILE",
                    help="write what the checker found as SARIF 2.1.0; goes with "
                    "--drawloom-check")


def pytest_configure(config):
    if config.getoption("--drawloom-sarif") and not config.getoption("drawloom_check"):
        raise pytest.UsageError("--drawloom-sarif goes with --drawloom-check")
    config.addinivalue_line(
        "markers", "drawloom(orders): run under so many random orders")
    path = config.getoption("--drawloom-report")
    if path and active(config):
        config.pluginmanager.register(
            JsonReport(path, config.getoption("--drawloom-device"),
                       config.getoption("--drawloom-fidelity")))


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """The loader has to find the emulator's libraries when a process starts."""
    device = config.getoption("--drawloom-device")
    if not device or INSIDE in os.environ:
        return
    os.environ[INSIDE] = tempfile.mkdtemp(prefix="drawloom-pytest-")
    if mode := config.getoption("drawloom_check"):
        os.environ["DRAWLOOM_CHECK"] = mode
        os.environ["DRAWLOOM_CHECK_REPORT"] = os.environ[INSIDE] + "/%p.json"
    if config.getoption("--drawloom-fidelity"):
        os.environ["DRAWLOOM_FIDELITY"] = os.environ[INSIDE] + "/%p.fidelity.json"
    sys.stdout.flush()
    os.execv(command(), [
        str(command()), "--device", device, "--", sys.executable, "-m", "pytest",
        *map(str, config.invocation_params.args)])


def active(config):
    return bool(config.getoption("--drawloom-device")) and INSIDE in os.environ


def pytest_generate_tests(metafunc):
    if not active(metafunc.config):
        return
    marker = metafunc.definition.get_closest_marker("drawloom")
    seeds = metafunc.config.getoption("--drawloom-orders")
    if marker:
        seeds = marker.kwargs.get("orders", seeds)
    if seeds:
        names = ["deterministic", *ADVERSARIAL,
                 *(f"random:{seed}" for seed in range(1, seeds + 1))]
        metafunc.parametrize("drawloom_order", names, indirect=True)


@pytest.fixture(autouse=True)
def drawloom_order(request):
    """The order of events that the test's kernels run in. The driver asks for it
    at every run."""
    if hasattr(request, "param"):
        os.environ["DRAWLOOM_ORDER"] = request.param


def findings():
    """What the checker has found in this process."""
    file = pathlib.Path(os.environ[INSIDE]) / f"{os.getpid()}.json"
    if not file.exists():
        return []
    return json.loads(file.read_text())["findings"]


def describe(finding):
    def place(site):
        line = f"PTX line {site['ptxLine']}"
        if "file" in site:
            line = f"{site['file']}:{site['line']}"
        # Of a stream or the host, or else of a kernel.
        words = site.get("operation") or f"{site['instruction']}, {line}"
        return f"  {site['access']}: {words}"
    return "\n".join([
        f"{finding['kernel']}: {finding['title']} [{finding['rule']}]",
        place(finding["first"]), place(finding["second"]),
        f"  why: {finding['why']}", f"  add: {finding['advice']}"])


def judge_findings():
    errors = [finding for finding in findings() if finding["severity"] == "error"]
    if errors:
        pytest.fail("the checker found\n" + "\n".join(map(describe, errors)),
                    pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    result = yield
    if active(item.config):
        driver = ctypes.CDLL("libcuda.so.1")
        driver.drawloomLastReport.restype = ctypes.c_char_p
        # What was launched and not waited for runs now.
        if driver.cuCtxSynchronize() and (report := driver.drawloomLastReport()):
            pytest.fail(f"a kernel failed, and the test didn't look:\n"
                        f"{report.decode(errors='replace')}", pytrace=False)
        judge_findings()
    return result


def run_apart(item):
    """Runs a test in a process of its own and returns its reports, or how the
    process ended."""
    ends = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(ends[0])
        serialize = item.config.hook.pytest_report_to_serializable
        reports = [serialize(config=item.config, report=report)
                   for report in runtestprotocol(item, log=False)]
        with os.fdopen(ends[1], "wb") as pipe:
            pickle.dump(reports, pipe)
        os._exit(0)
    os.close(ends[1])
    with os.fdopen(ends[0], "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    if not data:
        return [], os.waitstatus_to_exitcode(status)
    restore = item.config.hook.pytest_report_from_serializable
    return [restore(config=item.config, data=report)
            for report in pickle.loads(data)], 0


def pytest_runtest_protocol(item, nextitem):
    if not active(item.config):
        return None
    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports, code = run_apart(item)
    if not reports:
        words = f"signal {-code}" if code < 0 else f"exit status {code}"
        reports = [pytest.TestReport(
            item.nodeid, item.location, {}, "failed",
            f"the test's process ended with {words}", "call")]
    for report in reports:
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def fidelity():
    """The instruction variants that all tests together have executed, by name."""
    forms = {}
    for file in pathlib.Path(os.environ[INSIDE]).glob("*.fidelity.json"):
        for form in json.loads(file.read_text())["forms"]:
            known = forms.setdefault(form["form"], {**form, "times": 0})
            known["times"] += form["times"]
    return {name: form for name, form in sorted(forms.items()) if form["times"]}


def describe_fidelity(forms):
    """The counts of each class, and the forms that aren't exact below what is said
    of them."""
    classes = [form["class"] for form in forms.values()]
    yield f"{len(forms)} instruction variants: " + ", ".join(
        f"{classes.count(name)} {name}"
        for name in ("exact", "approximate", "inferred", "not executed"))
    words = {}
    for name, form in forms.items():
        if form["class"] != "exact":
            words.setdefault((form["class"], form.get("words", "")), []).append(name)
    for (name, text), members in sorted(words.items()):
        yield f"{name}: {text}"
        yield from (f"  {member}" for member in members)


class JsonReport:
    """Outcomes, one for each test and order."""

    def __init__(self, path, device, has_fidelity):
        self.path, self.device, self.tests = path, device, {}
        self.has_fidelity = has_fidelity

    def pytest_runtest_logreport(self, report):
        test = self.tests.setdefault(report.nodeid, {
            "test": report.nodeid, "outcome": "passed", "seconds": 0})
        test["seconds"] += round(getattr(report, "duration", 0), 3)
        if report.outcome != "passed":
            test["outcome"] = report.outcome
            # The driver tells on standard error what a kernel did wrong, and where.
            test["report"] = "\n".join(
                filter(None, [report.longreprtext, report.capstderr]))

    def pytest_sessionfinish(self):
        report = {"device": self.device, "tests": list(self.tests.values())}
        if self.has_fidelity:
            report["fidelity"] = list(fidelity().values())
        with open(self.path, "w") as file:
            json.dump(report, file, indent=1)


def to_sarif(found, name):
    """The findings of all tests; one that several tests have is one result. The file's
    name is the category in which a code host keeps them."""
    rules, results = [], {}

    def location(site, kernel):
        text = site.get("operation") or f"{site['instruction']}, PTX line {site['ptxLine']}"
        made = {"message": {"text": text},
                "logicalLocations": [{"fullyQualifiedName": kernel, "kind": "function"}]}
        if "file" in site:
            scheme = "file://" if os.path.isabs(site["file"]) else ""
            made["physicalLocation"] = {
                "artifactLocation": {"uri": scheme + urllib.parse.quote(site["file"])},
                "region": {"startLine": site["line"]}}
        return made

    for finding in found:
        rule, level = finding["rule"], finding["severity"]
        if rule not in rules:
            rules.append(rule)
        result = {
            "ruleId": rule, "ruleIndex": rules.index(rule), "level": level,
            "message": {"text": f"{finding['title']}: {finding['why']}; add: "
                                f"{finding['advice']}"},
            "locations": [location(finding["first"], finding["kernel"])],
            "relatedLocations": [location(finding["second"], finding["kernel"])]}
        results[json.dumps(result)] = result
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "drawloom", "version": __version__,
                                "rules": [{"id": rule} for rule in rules]}},
            "automationDetails": {"id": f"drawloom/{name}/"},
            "invocations": [{"executionSuccessful": True}],
            "results": list(results.values())}]}


def write_sarif(path):
    found = []
    for file in sorted(pathlib.Path(os.environ[INSIDE]).glob("*.json")):
        found += json.loads(file.read_text()).get("findings", [])
    with open(path, "w") as file:
        json.dump(to_sarif(found, pathlib.Path(path).stem), file, indent=1)


def pytest_terminal_summary(terminalreporter, config):
    if FORMS in config.stash:
        terminalreporter.section("drawloom fidelity")
        for line in describe_fidelity(config.stash[FORMS]):
            terminalreporter.line(line)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    if active(session.config):
        if session.config.getoption("--drawloom-fidelity"):
            session.config.stash[FORMS] = fidelity()
        if path := session.config.getoption("--drawloom-sarif"):
            write_sarif(path)
        shutil.rmtree(os.environ[INSIDE], ignore_errors=True)
