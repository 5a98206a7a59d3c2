"""Building a machine: from a configuration and a program to the kind of machine that runs it.

The only file that knows both kinds. It imports one of them at a time: a run begins sooner by the time that the other takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from warploom.isa.program import Program
from warploom.machine.config.schema import Config
from warploom.machine.run.protocol import Machine


def build(
    config: Config,
    program: Program,
    *,
    units: Mapping[str, Callable[..., int]] | None = None,
    tracing: bool = False,
    recording: bool = False,
) -> Machine:
    """The machine of a configuration, before its first cycle. Raises LaunchError when it cannot run the program.

    units, tracing, recording: see `PipelineMachine`; cores that run one instruction at a time have no use for them.
    """
    if config.core.control == "sequencer":
        from warploom.machine.sequencer.machine import SequencerMachine

        return SequencerMachine(config, program)
    from warploom.machine.device.machine import PipelineMachine

    return PipelineMachine(config, program, units=units, tracing=tracing, recording=recording)
