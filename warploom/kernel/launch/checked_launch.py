"""A launch with checks.

The kernel is compiled once more for it, with questions about indices and masks (`syntax/questions.py`). What a device array holds before
the first write is known from one checked launch to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from warploom.checks.check import Report, run_checked
from warploom.checks.checker import Checker
from warploom.checks.report.places import Asking, Names
from warploom.isa.program import Program
from warploom.kernel.device.arrays import DeviceArray
from warploom.kernel.device.context import Context
from warploom.kernel.launch.compile import Built


def checked_launch(context: Context, built: Built, program: Any, arrays: Sequence[DeviceArray], **options: Any) -> Report:
    """Run a launch with checks, over the device's memory. arrays: the device arrays that it is handed."""
    device = context.device
    pieces = {id(one.allocation): one.allocation for one in arrays}
    unwritten = [(one, mask) for one in pieces.values() if (mask := one.unwritten()).any()]
    checker = Checker([(one.address, mask) for one, mask in unwritten], built.resources.returns)
    report = run_checked(
        device.config, program, engine=device.engine, units=device.units, held=device.held, names=names_of(built, program),
        checker=checker, **options,
    )  # fmt: skip
    for one, _ in unwritten:
        one.note_written(checker.written(one.address, one.size))
    return report


def names_of(built: Built, program: Program) -> Names:
    """What findings call the arrays of a launch."""
    fixed = -(-built.resources.shared_bytes // 16) * 16
    return Names(built.resources.arrays, tuple(built.resources.questions), (fixed, program.launch.shared_bytes - fixed))


def asking(built: Built, program: Program) -> Asking:
    """A launch of a kernel that was compiled for checks, as a program that knows what it asks."""
    own = {one.name: getattr(program, one.name) for one in fields(program) if one.init}
    return Asking(**own, names=names_of(built, program), returns=built.resources.returns)
