"""Building a machine: from a configuration and a program to the kind of machine that runs it.

The only file that knows both kinds.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.program import Program
from warploom.machine.config.schema import Config
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.run.protocol import Machine
from warploom.machine.sequencer.machine import SequencerMachine


def build(
    config: Config,
    program: Program,
    *,
    policy: Callable[..., int] | None = None,
    tracing: bool = False,
    recording: bool = False,
) -> Machine:
    """The machine of a configuration, before its first cycle. Raises LaunchError when it cannot run the program.

    policy, tracing, recording: see `PipelineMachine`; cores that run one instruction at a time have no use for them.
    """
    if config.core.control == "sequencer":
        return SequencerMachine(config, program)
    return PipelineMachine(config, program, policy=policy, tracing=tracing, recording=recording)
