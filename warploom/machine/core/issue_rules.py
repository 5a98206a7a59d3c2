"""Issue rules: what decides when a warp's next instruction may issue.

A machine's rule is chosen before its first cycle, by `core.issue`. A rule other than the scoreboard is a list of functions that replace
others: native code for such machines is compiled with them (engine/swaps.py), and other machines do not change.
"""

from __future__ import annotations

from collections.abc import Mapping

from warploom.machine.core.control_words import count_answer, count_result, examine_word, follow_word
from warploom.machine.core.issue import follow
from warploom.machine.core.operand_banks import read_operands
from warploom.machine.core.partitions import find_full_ports, next_entry
from warploom.machine.core.ready_check import examine_after_issue
from warploom.machine.core.role_pipes import access_by_role, execute_by_role, find_full_pipes, next_pipe, queue_accepts, read_banks
from warploom.machine.core.units.arithmetic import execute_arithmetic
from warploom.machine.core.units.memory_stage import execute_access
from warploom.machine.core.units.shared_access import shared_accepts
from warploom.machine.core.warps.dependence_counters import clear_counters
from warploom.machine.core.warps.scoreboard import clear, mark_busy, release
from warploom.machine.engine.swaps import Swaps

ISSUE_RULES: Mapping[str, Swaps] = {
    "scoreboard": (),
    "control": (
        (clear, clear_counters),
        (mark_busy, count_result),
        (release, count_answer),
        (examine_after_issue, examine_word),
        (follow, follow_word),
        (read_operands, read_banks),
        (execute_arithmetic, execute_by_role),
        (execute_access, access_by_role),
        (shared_accepts, queue_accepts),
        (find_full_ports, find_full_pipes),
        (next_entry, next_pipe),
    ),
}
