"""A launch with checks.

The kernel is compiled once more for it, with questions about indices and masks (`questions.py`). What a device array holds before the
first write is known from one checked launch to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warploom.checks.check import Report, run_checked
from warploom.checks.checker import Checker
from warploom.checks.places import Names
from warploom.kernel.arrays import DeviceArray
from warploom.kernel.compile import Built
from warploom.kernel.context import Context


def checked_launch(context: Context, built: Built, program: Any, arrays: Sequence[DeviceArray], **options: Any) -> Report:
    """Run a launch with checks, over the device's memory. arrays: the device arrays that it is handed."""
    device = context.device
    pieces = {id(one.allocation): one.allocation for one in arrays}
    unwritten = [(one, mask) for one in pieces.values() if (mask := one.unwritten()).any()]
    checker = Checker([(one.address, mask) for one, mask in unwritten], built.resources.returns)
    fixed = -(-built.resources.shared_bytes // 16) * 16
    names = Names(built.resources.arrays, tuple(built.resources.questions), (fixed, program.launch.shared_bytes - fixed))
    report = run_checked(
        device.config, program, engine=device.engine, units=device.units, held=device.held, names=names, checker=checker, **options
    )  # fmt: skip
    for one, _ in unwritten:
        one.note_written(checker.written(one.address, one.size))
    return report
