"""The states of the units, as enumerations whose names a waveform shows. Their numbers are those of the model's units of the same names."""

# mypy: disable-error-code="call-arg"

from amaranth.lib import enum


class CoreState(enum.Enum, shape=3):
    """States of a core: of the sequencer, which every other unit of the core watches."""

    IDLE = 0
    FETCH = 1
    DECODE = 2
    REQUEST = 3
    WAIT = 4
    EXECUTE = 5
    UPDATE = 6
    DONE = 7


class FetcherState(enum.Enum, shape=2):
    """States of a fetcher."""

    IDLE = 0
    FETCHING = 1
    FETCHED = 2


class LsuState(enum.Enum, shape=2):
    """States of a thread's load/store unit."""

    IDLE = 0
    REQUESTING = 1
    WAITING = 2
    DONE = 3


class ChannelState(enum.Enum, shape=3):
    """States of a channel of a memory controller."""

    IDLE = 0
    READ_WAIT = 2
    WRITE_WAIT = 3
    READ_RELAY = 4
    WRITE_RELAY = 5


class Operation(enum.Enum, shape=2):
    """What the ALU does when it does not compare."""

    ADD = 0
    SUB = 1
    MUL = 2
    DIV = 3


class Source(enum.Enum, shape=2):
    """Where the value comes from that UPDATE writes into a register."""

    ALU = 0
    LSU = 1
    IMMEDIATE = 2
