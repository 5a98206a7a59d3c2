"""A device whose memory lives across launches: what is kept, what is refused, and that a run can be repeated."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, SMALL, Assembly
from warploom import GPU, tiny
from warploom.device import DeviceError
from warploom.isa import uop as u
from warploom.isa.table_check import ProgramError
from warploom.isa.uop import IMMEDIATE
from warploom.isa.views import VIEW_BASE, VIEW_BYTES, VIEW_COLUMNS, VIEW_WRITABLE, ViewShape
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.device.report import _of_array
from warploom.machine.run.driver import drive

A, B = FREE, FREE + 1


def device(engine="python", **changes):
    settings = {**SMALL, **{name.replace("__", "."): value for name, value in changes.items()}}
    return GPU(load_config(Config(), settings), engine=engine).device()


def adding(source, target, threads=8, **fields):
    """Every thread adds its word of `source` to that of `target`."""
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.load(B, A, source)
    code("atomic_add", dst=u.NONE, a=A, b=B, imm=target)
    code("exit")
    return code.program(threads=threads, **fields)


@pytest.mark.parametrize("engine", ["python", "native"])
def test_memory_is_kept_between_launches(engine):
    gpu = device(engine)
    x, total = gpu.allocate(32), gpu.allocate(32)
    gpu.write(x, np.arange(8, dtype=np.int32))
    for _ in range(3):
        assert gpu.run(adding(x, total)).status == "done"
    assert gpu.read(total, 32).view(np.int32).tolist() == [3 * number for number in range(8)]


def test_the_second_level_cache_is_kept_unless_it_is_dropped():
    gpu = device(l1__bytes=0)
    x, total = gpu.allocate(32), gpu.allocate(32)
    program = adding(x, total)
    first, second, third = (gpu.run(program, caches=caches) for caches in ("kept", "kept", "dropped"))
    assert first.counters["l2_misses"] > 0 and second.counters["l2_misses"] == 0
    assert second.cycles < first.cycles == third.cycles
    gpu.drop_caches()
    assert gpu.run(program).cycles == first.cycles


def test_what_was_used_longest_ago_leaves_the_kept_cache_first():
    gpu = device(l1__bytes=0, l2__bytes=128, l2__ways=2, l2__line=64)  # one set of two lines
    for _ in range(3):
        gpu.allocate(64, 64)
    reading = [adding(place, place) for place in (256, 320, 384)]
    for which in (0, 1, 0, 2):
        gpu.run(reading[which])
    assert gpu.run(reading[0]).counters["l2_misses"] == 0  # the second one has left for the third
    assert gpu.run(reading[1]).counters["l2_misses"] > 0


def test_local_memory_and_constants_lie_beside_it():
    gpu = device()
    target = gpu.allocate(32)
    code = Assembly()
    code.store(u.NONE, GLOBAL, 4, space=u.LOCAL_SPACE)
    code.load(A, u.NONE, 4, space=u.LOCAL_SPACE)
    code.load(B, u.NONE, 8, space=u.CONSTANT_SPACE)
    code.op("add", A, A, B)
    code.op("shl", B, GLOBAL, imm=2)
    code.store(B, A, target)
    code("exit")
    program = code.program(threads=8, local_bytes=8, constants=np.array([0, 0, 100], np.uint32).view(np.uint8))
    assert gpu.run(program).fault == ""
    assert gpu.read(target, 32).view(np.uint32).tolist() == list(range(100, 108))


def test_allocations_are_aligned_apart_and_given_back():
    gpu = device()
    first, second = gpu.allocate(10), gpu.allocate(1, align=1024)
    assert (first, second) == (256, 1024)
    assert gpu.allocate(100) == 512  # the lowest place where it fits
    gpu.free(first)
    assert gpu.allocate(256) == 256
    with pytest.raises(DeviceError, match=r"^free\(300\): nothing is allocated from that address on$"):
        gpu.free(300)
    with pytest.raises(DeviceError, match=r"^5000 bytes: the device has 4096 bytes of memory, 357 of them are taken; free some"):
        gpu.allocate(5000)
    with pytest.raises(DeviceError, match=r"^8 bytes from address 1020 on: they do not lie in one piece of memory that is allocated$"):
        gpu.read(1020, 8)


def test_a_launch_reaches_what_is_allocated_and_no_further():
    gpu = device()
    x = gpu.allocate(32)
    said = gpu.run(adding(x, x + 32)).fault
    assert "lanes 0-3 access" in said or "lane 0 accesses address 0x120, but memory has 0x120 bytes" in said


def test_a_run_is_repeated_from_what_it_began_with():
    gpu = device()
    x, total = gpu.allocate(32), gpu.allocate(32)
    gpu.write(x, np.arange(8, dtype=np.int32))
    gpu.run(adding(x, total))
    result = gpu.run(adding(x, total), snapshot=True)
    gpu.run(adding(x, total))
    again = result.replay()
    drive(again, engine="python")
    assert (again.cycle, again.memory.view(np.uint8)[:544].tolist()) == (result.cycles, result.memory[:544].tolist())
    assert result.changed.tolist() == [total + 4 * number for number in range(1, 8)]
    assert gpu.run(adding(x, total)).memory.size == 0


def test_an_access_outside_of_an_array_names_its_element_and_thread():
    gpu = device()
    out = gpu.allocate(40)
    views = np.zeros((1, VIEW_COLUMNS), np.int32)
    views[0, [VIEW_BASE, VIEW_BYTES, VIEW_WRITABLE]] = out, 40, 1
    for shape, item, said in (((10,), 4, "out[12]: it has 10 elements"), ((5, 2), 4, "out[6, 0]: it has 5 x 2 elements"),
                              ((5,), 8, "out[6]: it has 5 elements")):  # fmt: skip
        code = Assembly()
        code.mov(A, 48)
        code("seq", dst=B, a=GLOBAL, b=IMMEDIATE, imm=7)
        code("ballot", dst=u.scalar(0), a=B)
        code.store(A, B, out, view=0, predicate=u.scalar(0))
        code("exit")
        program = code.program(threads=8, block=4, views=views, view_names=("out",), view_shapes=(ViewShape(shape, item),))
        assert f": {said}, thread (3,0,0) of block (1,0,0) (core 0, cycle" in gpu.run(program).fault


def test_of_an_instruction_with_several_views_the_one_of_the_limit_is_named():
    views = np.zeros((3, VIEW_COLUMNS), np.int32)
    views[:, VIEW_BYTES] = 40, 80, 60
    code = Assembly()
    code("nop")
    code.bundle(
        {"name": "load", "dst": A, "a": B, "view": 0},
        {"name": "add", "dst": A, "a": B, "b": B},
        {"name": "load", "dst": A, "a": B, "view": 1},
    )
    code.bundle({"name": "add", "dst": A, "a": B, "b": B}, {"name": "load", "dst": A, "a": B, "view": 2})
    code("exit")
    shapes = (ViewShape((10,), 4), ViewShape((5, 4), 4), None)
    made = SimpleNamespace(program=code.program(views=views, view_names=("first",), view_shapes=shapes))
    number = FAULT_NUMBER["view_out_of_range"]

    def said(kind, pc, limit):
        return _of_array(made, {"kind": kind, "pc": pc, "limit": limit, "value": 100})

    assert said(number, 1, 40) == "first[25]: it has 10 elements"
    assert said(number, 1, 80) == "view 1[6, 1]: it has 5 x 4 elements"
    assert said(number, 1, 60) == said(number, 2, 60) == said(number, 0, 40) == said(number + 1, 1, 40) == ""


def shared_array(index, size=8, shared_bytes=40):
    views = np.zeros((1, VIEW_COLUMNS), np.int32)
    views[0, [VIEW_BASE, VIEW_BYTES, VIEW_WRITABLE]] = 8, 4 * size, 1
    code = Assembly()
    code.mov(A, 4 * index)
    code.store(A, GLOBAL, 8, view=0, space=u.SHARED_SPACE)
    code("exit")
    shapes = (ViewShape((size,), 4),)
    return code.program(threads=1, views=views, view_names=("tile",), view_shapes=shapes, shared_bytes=shared_bytes)


def test_an_array_in_shared_memory_is_named_too_and_lies_in_it():
    gpu = device()  # without memory of its own
    assert gpu.run(shared_array(7)).fault == ""
    assert "tile[8]: it has 8 elements, thread (0,0,0) of block (0,0,0)" in gpu.run(shared_array(8)).fault
    with pytest.raises(ProgramError, match="view 0 ends at byte 44 of 40 of shared memory"):
        gpu.run(shared_array(0, size=9))


def test_what_a_device_does_not_run():
    with pytest.raises(LaunchError, match=r"'tiny' has core\.control = 'sequencer', which keeps no memory between launches; choose sm"):
        GPU("tiny").device()
    with pytest.raises(LaunchError, match=r"a program that brings its own memory runs with GPU\.run"):
        device().run(tiny.assemble(".threads 1\n.data 1 2 3\nRET"))
    with pytest.raises(ValueError, match=r"caches = 'warm': it is kept or dropped"):
        device().run(adding(256, 256), caches="warm")
    with pytest.raises(ProgramError):
        views = np.zeros((1, VIEW_COLUMNS), np.int32)
        views[0, [VIEW_BASE, VIEW_BYTES]] = 256, 64
        device().run(adding(256, 256, views=views))


def test_a_machine_that_begins_again_is_as_a_new_one():
    """Byte for byte, whatever it has run before, and however that ended."""
    gpu = device(l1__write="back", core__lanes=8)
    x, total = gpu.allocate(64), gpu.allocate(64)
    gpu.write(x, np.arange(16, dtype=np.int32))
    code = Assembly()
    code("special", dst=A, imm=u.SPECIAL_NUMBER["thread_x"])
    code.op("and", B, A, imm=1)
    code.branch(B, "end")
    code("note", a=A, b=u.scalar(0))
    code("atomic_fadd", dst=A, a=u.NONE, b=B, imm=total)
    code("barrier_count", dst=A, c=B)
    code.label("end")
    code.load(A, u.scalar(0))
    code("exit")
    other = code.program(threads=16, block=8, scalars=2)
    launches = [adding(x, total, 16), other.with_launch(scalars=(x,)), other.with_launch(scalars=(1,)), adding(x, total, 5)]
    for number in (0, 1, 0, 2, 1, 3, 0, 1):
        machine, _ = gpu._ready(launches[number])
        fresh = PipelineMachine(gpu.config, launches[number], held=gpu.held.copy(), reusable=True)
        assert machine.state() == fresh.state()
        gpu.run(launches[number], max_cycles=200)
    assert len(gpu._machines) == 3


def test_the_arrays_of_a_launch_may_lie_elsewhere_each_time():
    gpu = device()
    first, second = gpu.allocate(16), gpu.allocate(32)
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.op("add", A, A, u.scalar(0))
    code.store(A, GLOBAL, view=0)
    code("exit")
    program, tables = code.program(threads=8, scalars=1), []
    for place, size, fault in ((second, 32, ""), (first, 16, "out[4]: it has 4 elements"), (second, 32, "")):
        views = np.zeros((1, VIEW_COLUMNS), np.int32)
        views[0, [VIEW_BASE, VIEW_BYTES, VIEW_WRITABLE]] = place, size, 1
        shapes = (ViewShape((size // 4,), 4),)
        launch = replace(program, views=views, view_names=("out",), view_shapes=shapes).with_launch(scalars=(place,))
        assert fault in gpu.run(launch).fault
        assert gpu.read(place, 16).view(np.int32).tolist() == [0, 1, 2, 3]
        tables.append((launch.views, views.copy()))
    assert all((table == before).all() for table, before in tables)  # a machine that is used again leaves those of earlier launches alone


def test_a_hundred_launches_of_one_program_give_what_as_many_additions_do():
    gpu = GPU("sm", engine="auto").device(1 << 20)
    x, total = gpu.allocate(4096), gpu.allocate(4096)
    gpu.write(x, np.arange(1024, dtype=np.int32))
    program, cycles = adding(x, total, 1024), set()
    for _ in range(100):
        result = gpu.run(program)
        cycles.add(result.cycles)
    assert (gpu.read(total, 4096).view(np.int32) == 100 * np.arange(1024)).all() and len(cycles) == 2


def test_what_a_launch_has_given_stays_when_the_next_one_comes():
    gpu = device()
    code = Assembly()
    code.op("add", A, B, u.scalar(0))
    code.branch(A, "end")
    code("nop")
    code.label("end")
    code("exit")
    program = code.program(scalars=1)
    first = gpu.run(program.with_launch(scalars=(0,)))
    profile = first.detail.profile.copy()
    second = gpu.run(program.with_launch(scalars=(1,)))
    assert len(gpu._machines) == 1 and (second.detail.profile != profile).any()
    assert (first.detail.profile == profile).all()
