# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many points at once: kernels × schedules × devices × shapes × orders × seeds × checks.

    drawloom sweep SPEC.toml

Each point is planned, and if its plan fits, compiled, run on an emulated device with
random numbers, and judged; or it is a part of a command. docs/Sweep.md describes it. In
the order of the work:

    _spec.py     a file in TOML becomes points
    _commands.py commands: what they are, and how a part of one runs
    _table.py    points and results in SQLite; what is there is not run again
    _work.py     what a worker does with a batch of points: the wheel is all it needs
    _engines.py  workers: processes of this machine, or a Ray cluster
    _drive.py    hands out batches, takes results, tries lost ones again
    _report.py   the table as a page
"""
