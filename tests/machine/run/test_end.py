"""What a machine takes of its host when it has ended."""

import gc
import sys
import weakref

import pytest

from warploom import load, load_config
from warploom.checks.checker import Checker
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.engine.layout import LARGE, new_bytes
from warploom.machine.run.driver import drive

LEAST = """
    .threads 4
    RET
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("end") / "least.asm"
    path.write_text(LEAST)
    return load(path)


@pytest.mark.parametrize("how", [{}, {"tracing": True}, {"recording": True}, {"watcher": True}], ids=lambda how: next(iter(how), "plain"))
def test_a_machine_ends_with_its_last_user(program, how):
    """Without waiting for a collection of circles: a machine that is checked takes gigabytes of address space."""
    checker = Checker() if how.pop("watcher", False) else None
    gc.collect()
    gc.disable()
    try:
        machine = PipelineMachine(load_config("sm"), program, watcher=checker, **how)
        drive(machine, engine="python", max_cycles=1000)
        if checker is not None:
            assert checker.fault("") is None
        there = weakref.ref(machine)
        del machine
        assert there() is None
    finally:
        gc.enable()


@pytest.mark.skipif(sys.platform != "linux", reason="the flags of a mapping are read as Linux shows them")
def test_memory_that_is_never_touched_is_not_reserved():
    """Else a host with less memory than address space in use refuses to start another process."""
    held = new_bytes(2 * LARGE)
    address = held.ctypes.data
    flags = ""
    inside = False
    with open("/proc/self/smaps") as lines:
        for line in lines:
            first = line.split()[0]
            if not first.endswith(":"):
                start, end = (int(part, 16) for part in first.split("-"))
                inside = start <= address < end
            elif inside and first == "VmFlags:":
                flags = line
    assert " nr" in flags
