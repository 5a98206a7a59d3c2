"""Who may execute an instruction of the whole warp, told by following each lane for itself: it knows nothing of rows."""

from dataclasses import dataclass, field
from itertools import count

from tests.machine.core.divergence.test_stack import WHOLE
from tests.machine.core.divergence.walking import BRANCH, EXIT, JUMP
from warploom.isa import uop as u

EACH, ONE = 0, -1  # of what is no barrier, in the place of its number: `tmc`, `wspawn`


@dataclass
class Lane:
    """joins: (instruction, number) of the branches whose sides this lane is to meet again, the innermost last."""

    value: int
    fuel: int
    pc: int = 0
    joins: list = field(default_factory=list)
    ended: bool = False
    called: bool = False

    def at_join(self):
        return bool(self.joins) and self.pc == self.joins[-1][0]

    def goes_on(self, row):
        """Execute an instruction that is not for the whole warp."""
        op, target = int(row[u.OP]), int(row[u.TARGET])
        if op == BRANCH:
            self.fuel -= target <= self.pc
            taken = self.value & int(row[u.IMM]) and (target > self.pc or self.fuel >= 0)
            self.pc = target if taken else self.pc + 1
            return
        self.value = (self.value * 33 + self.pc + 1) & 0xFFFFFF
        self.ended = op == EXIT
        self.pc = target if op == JUMP else self.pc + 1


def follow(uops, trace, values, fuel):
    """Check a trace of (instruction, lanes); returns the last values of the lanes, all of which have ended."""
    lanes = [Lane(value, fuel) for value in values]
    numbers = count()
    for pc, mask in trace:
        group = [lane for index, lane in enumerate(lanes) if mask >> index & 1]
        assert group and all(lane.pc == pc and not lane.ended and not lane.at_join() for lane in group)
        if uops[pc, u.OP] == WHOLE:
            for lane in executed_for(uops, [lane for lane in lanes if not lane.ended], group, int(uops[pc, u.IMM])):
                lane.pc += 1
                lane.called = False
        else:
            for lane in group:
                lane.goes_on(uops[pc])
            if len({lane.pc for lane in group}) > 1:
                part(group, int(uops[pc, u.RECONVERGE]), next(numbers))
        meet([lane for lane in lanes if not lane.ended])
    assert all(lane.ended for lane in lanes)
    return [lane.value for lane in lanes]


def part(group, place, number):
    """Lanes that part meet again at a place, unless they leave all such places for good."""
    for lane in group:
        if place < 0:
            lane.joins = []
        elif not lane.joins or lane.joins[-1][0] != place:
            lane.joins = [*lane.joins, (place, number)]


def meet(lanes):
    """Where all come that are to meet, all go on."""
    for join in {lane.joins[-1] for lane in lanes if lane.at_join()}:
        members = [lane for lane in lanes if join in lane.joins]
        if all(lane.at_join() and lane.joins[-1] == join for lane in members):
            for lane in members:
                lane.joins = lane.joins[:-1]
            meet(lanes)
            return


def executed_for(uops, lanes, group, number):
    """The lanes for which `group` executes barrier `number`, EACH or ONE; checks that it need not wait for any that has not ended."""
    waiting = [lane for lane in lanes if not lane.at_join() and uops[lane.pc, u.OP] == WHOLE]
    alike = [lane for lane in waiting if bool(lane.joins) == bool(group[0].joins)]
    called = number <= 0 and all(lane.called for lane in group)
    if not called:
        assert all(lane in group or lane in waiting or lane.at_join() for lane in lanes), "a lane can run"
        assert group[0].joins or not any(lane.joins for lane in lanes), "a lane is to come"
        assert not any(lane.called for lane in lanes), "a lane is to execute its own first"
    if number > 0:
        return [lane for lane in waiting if uops[lane.pc, u.IMM] == number]
    passes = group if number == EACH else [lane for lane in waiting if lane.pc == group[0].pc]
    if not called:
        assert all(uops[lane.pc, u.IMM] <= 0 for lane in alike), "a barrier comes before"
        for lane in alike:
            lane.called = True
    return passes
