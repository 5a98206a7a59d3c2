"""Sequences: what a compiler makes of an operation for which hardware has no instruction, as a setting says it.

In hardware: a GPU has no divider. A float divide is an estimate of the reciprocal by the special-function unit, Newton steps in the float
pipe, and a test for the operands that need more. `pipes.float_divide_sequence = "2 special + 5 fma + 1 control"` names the latency
classes of those instructions. From them follow the pipes that they keep, and for how long, and the issue slots that they take. How long
the whole takes is the latency of its own class. Operands that need more take no longer here.

Source: Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", IBM Journal of Research and Development,
1990 (division and roots by multiply-adds).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from warploom.isa.uop import LATENCIES
from warploom.machine.config.schema import Config
from warploom.machine.core.latency_classes import EXAMPLE, SEQUENCES
from warploom.machine.engine.sizes import ConfigError

SLOT = "control"  # a part that takes an issue slot and no arithmetic pipe: a branch
MOST = 1000  # instructions of one class
PARTS = tuple(name for name in LATENCIES if name not in (*SEQUENCES, "memory", "scalar", "mask", "shuffle"))


class Part(NamedTuple):
    """So many instructions of a latency class."""

    instructions: int
    name: str


@lru_cache(maxsize=16 * len(LATENCIES))
def parts_of(config: Config, name: str) -> tuple[Part, ...]:
    """The parts of the sequence that a latency class is, in their order; none where it is one instruction. Raises ConfigError."""
    text = getattr(config.pipes, f"{name}_sequence", "")
    return tuple(_part(one, f"pipes.{name}_sequence = {text!r}") for one in text.split("+")) if text.strip() else ()


def _part(text: str, said: str) -> Part:
    count, _, name = text.strip().partition(" ")
    if name.strip() not in PARTS or not count.isdecimal() or not 1 <= int(count) <= MOST:
        raise ConfigError(f"{said}: a part is a number from 1 to {MOST} and one of {', '.join(PARTS)}, as in {EXAMPLE!r}")
    return Part(int(count), name.strip())


def slots_of(config: Config, name: str) -> int:
    """Issue slots that an operation of a latency class takes, where schedulers do not issue in turns. Raises ConfigError."""
    if config.core.issues_per_turn:
        return 1
    return sum(part.instructions for part in parts_of(config, name)) or 1
