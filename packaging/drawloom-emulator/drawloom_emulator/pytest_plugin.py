# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that launch kernels, without a GPU:

    pytest --drawloom-device b200 --drawloom-schedules 8

Each test runs in a process of its own, because a kernel that fails leaves its
context unusable, as on a GPU. It fails if a kernel failed, whether the test looked
or not, and the report says where. With schedules it runs once for each.

`@pytest.mark.drawloom(schedules=N)` sets the number for a test.
"""
import ctypes
import os
import pickle
import sys

import pytest
from _pytest.runner import runtestprotocol

from drawloom_emulator import command

# Kinds of asynchronous work that a schedule may hold back, and all of them.
ADVERSARIAL = ["adversarial", "adversarial:copy", "adversarial:bulk",
               "adversarial:tensor", "adversarial:mma", "adversarial:commit",
               "adversarial:remote-store", "adversarial:launch-control"]
# Set for the pytest that runs on the emulator.
INSIDE = "DRAWLOOM_PYTEST"


def pytest_addoption(parser):
    group = parser.getgroup("drawloom", "kernels without a GPU")
    group.addoption("--drawloom-device", metavar="NAME",
                    help="run the tests on an emulated device: h100 or b200")
    group.addoption("--drawloom-schedules", metavar="N", type=int, default=0,
                    help="run each test under N random schedules and every "
                    "adversarial one, too")


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "drawloom(schedules): run under so many random schedules")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """The loader has to find the emulator's libraries when a process starts."""
    device = config.getoption("--drawloom-device")
    if not device or INSIDE in os.environ:
        return
    os.environ[INSIDE] = "1"
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
    seeds = metafunc.config.getoption("--drawloom-schedules")
    if marker:
        seeds = marker.kwargs.get("schedules", seeds)
    if seeds:
        names = ["deterministic", *ADVERSARIAL,
                 *(f"random:{seed}" for seed in range(1, seeds + 1))]
        metafunc.parametrize("drawloom_schedule", names, indirect=True)


@pytest.fixture(autouse=True)
def drawloom_schedule(request):
    """The order of events that the test's kernels run in. The driver asks for it
    at every run."""
    if hasattr(request, "param"):
        os.environ["DRAWLOOM_SCHEDULE"] = request.param


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
        words = f"signal {-code}" if code < 0 else f"exit code {code}"
        reports = [pytest.TestReport(
            item.nodeid, item.location, {}, "failed",
            f"the test's process ended with {words}", "call")]
    for report in reports:
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
