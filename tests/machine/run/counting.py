"""A machine that only counts, for the tests of what runs machines."""

import numpy as np

from warploom.machine.accounting.status import DONE, EVENTS_FULL, LIMIT
from warploom.machine.engine.unit import mirror, record, unit

State = record(settings={"code": "i8"}, launch={"end": "i8"}, state={"cycle": "i8", "rows": "i8", "room": "i8", "written": "i8"})


@unit
def count(state, limit):
    """A machine that counts to `end`, and writes an event down each cycle when it has room for any."""
    while state.cycle < state.end:
        if state.cycle >= limit:
            return LIMIT
        if state.room > 0:
            if state.rows == state.room:
                return EVENTS_FULL
            state.rows = state.rows + 1
            state.written = state.written + 1
        state.cycle = state.cycle + 1
    return state.code


class Counting:
    entry = staticmethod(count)
    compile_seconds = 3.0
    detector = None
    recorder = None
    tracing = False
    families = ()
    probes = ()
    swaps = ()
    listener = None
    most_events = 0

    def __init__(self, end, code=DONE, room=0):
        self.config, self.program, self.units = end, code, {"room": room}
        self.state = np.zeros((), State)
        self.state["end"], self.state["code"], self.state["room"] = end, code, room
        self.drained = 0

    @property
    def cycle(self):
        return int(self.state["cycle"])

    def stand_ins(self):
        return self.units

    def arguments(self, native):
        return (self.state.reshape(1)[0] if native else mirror(self.state),)

    def drain(self):
        self.drained += int(self.state["rows"])
        self.state["rows"] = 0

    def finish(self, outcome):
        return outcome
