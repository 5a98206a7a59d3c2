"""The entry in plain Python: it goes to a limit and no further, and probes hear it."""

from tests.machine.run.counting import Counting
from tests.places import EXAMPLES
from warploom import GPU, load
from warploom.machine.run.plain import plain_call
from warploom.machine.run.probe import Probe


def test_an_entry_takes_the_limit_alone():
    machine = Counting(100)
    call = plain_call(machine)
    call(40)
    assert machine.cycle == 40
    call(1000)
    assert machine.cycle == 100


def test_probes_and_swaps_are_in_its_copy_of_the_units():
    calls = []
    machine = GPU("tiny").machine(load(EXAMPLES / "tiny/matadd.asm"))
    machine.probes = [Probe("execute", calls.append, keep=lambda *arguments: None)]
    plain_call(machine)(60)
    assert calls and [call.cycle for call in calls] == sorted(call.cycle for call in calls)
