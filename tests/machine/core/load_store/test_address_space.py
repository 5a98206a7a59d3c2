"""Regions of a 32-bit address space, and local memory: what a lane finds at an address, and what an access costs."""

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, LANE, Assembly, config, machine, run
from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.isa.launch import Launch, Parameter
from warploom.isa.launching import BufferError, launched, read_buffer
from warploom.isa.regions import Region
from warploom.isa.views import F_WORD, VIEW_BASE, VIEW_BYTES, VIEW_COLUMNS, VIEW_FORMAT, VIEW_WRITABLE
from warploom.machine.accounting import reasons as r
from warploom.machine.accounting.events import REQUEST, of_kind
from warploom.observe.explorer.data import _run
from warploom.observe.text.report import report
from warploom.observe.text.styled import plain
from warploom.observe.text.summary import summary

A, B, C, D = range(FREE, FREE + 4)
IMAGE = Region("image", 0x80000000, 0x1000, writable=False, data=np.arange(256, dtype=np.uint8))
STACKS = Region("stacks", 0xFEFF0000, 0x10000)
WINDOW = Region("window", 0xFFFFFF00, 0x100, cached=False)
MAP = (IMAGE, STACKS, WINDOW)


def at(code, register, base, shift=2):
    """register = base + lane << shift."""
    code.op("shl", register, GLOBAL, imm=shift)
    code.op("add", register, register, imm=base)


def test_loads_and_stores_reach_the_ends_of_the_address_space_without_its_bytes():
    code = Assembly()
    at(code, A, 0x80000010)
    code.load(B, A)
    at(code, C, 0xFFFFFFF0)
    code.store(C, B)
    at(code, D, 0xFEFF0000)
    code("atomic_add", dst=A, a=D, b=B)
    code.load(B, C)
    code.store(D, B, offset=16)
    code("exit")
    program = code.program(regions=MAP)
    for engine in ("python", "native"):
        result = run(program, engine=engine, tracing=True)
        assert result.status == "done", result.fault
        expected = np.arange(16, 32, dtype=np.uint8)
        assert (result.read(0xFFFFFFF0, 16) == expected).all()
        assert (result.read(0xFEFF0000, 32) == np.tile(expected, 2)).all()
        assert result.changed.min() == 0xFEFF0000 and result.changed.max() == 0xFFFFFFFF
    assert len(result.memory) < 0x12000
    lines = of_kind(result.detail.events, REQUEST)["line"]
    assert 0x80000010 >> 6 in lines.tolist()  # a cache sees the address, not where the host keeps it


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (0x7FFFFFFC, "lane 0 accesses address 0x7ffffffc, {none} 'image' (0x80000000 to 0x80000fff)"),
        (0x80000FF8, "lane 2 accesses address 0x80001000, {none} 'image' (0x80000000 to 0x80000fff)"),
        (0xFE000000, "lane 0 accesses address 0xfe000000, {none} 'stacks' (0xfeff0000 to 0xfeffffff)"),
        (0, "lane 0 accesses address 0x0, {none} 'image' (0x80000000 to 0x80000fff)"),
    ],
)  # fmt: skip
def test_an_access_between_regions_is_a_fault_that_names_the_nearest(address, said):
    code = Assembly()
    at(code, A, address)
    code.load(B, A)
    code("exit")
    result = run(code.program(regions=MAP))
    assert result.status == "error"
    none = "where there is no memory; the nearest region is"
    assert f"instruction 2 ({code.program().text[2]}): {said.format(none=none)} (block 0, warp 0, lane" in result.fault


def test_a_store_to_what_can_only_be_read():
    code = Assembly()
    at(code, A, 0x80000000)
    code.store(A, B)
    code("exit")
    fault = run(code.program(regions=MAP)).fault
    assert "writes to address 0x80000000, which can only be read; the nearest region is 'image'" in fault


def test_lanes_that_a_predicate_leaves_out_may_point_nowhere():
    code = Assembly()
    code.op("and", B, LANE, imm=1)
    code("ballot", dst=u.scalar(0), a=B)
    at(code, A, 0xFEFF0000)
    code("sel", dst=A, a=A, b=LANE, c=B)
    code("store", a=A, b=LANE, predicate=u.scalar(0))
    code("exit")
    result = run(code.program(regions=MAP))
    assert result.status == "done", result.fault
    assert result.read(0xFEFF0000, 16).view(np.uint32).tolist() == [0, 1, 0, 3]


def test_neighbouring_lanes_may_lie_in_two_regions():
    low, high = Region("low", 0x100, 0x108), Region("high", 0x208, 0x100)
    code = Assembly()
    at(code, A, 0x200)
    code.op("add", C, LANE, imm=1)
    code.store(A, C)
    code.load(B, A)
    code.store(A, B, offset=0x20)
    code("exit")
    result = run(code.program(regions=(high, low)))
    assert result.status == "done", result.fault
    assert [int(result.read(0x200 + 4 * lane, 4)[0]) for lane in range(4)] == [1, 2, 3, 4]
    assert result.read(0x220, 16).view(np.uint32).tolist() == [1, 2, 3, 4]


def test_a_region_that_is_not_cached_passes_the_first_level_by():
    for base, hits in ((0xFEFF0000, 1), (0xFFFFFF00, 0)):
        code = Assembly()
        at(code, A, base)
        code.load(B, A)
        code.op("add", C, B, imm=1)  # waits for it
        code.load(B, A)
        code("exit")
        result = run(code.program(regions=MAP))
        assert (result.counters["l1_hits"], result.counters["l1_hits"] + result.counters["l1_misses"]) == (hits, 2 * hits)


def test_one_memory_from_address_0_on_may_be_declared_as_a_region():
    code = Assembly()
    at(code, A, 0)
    code.store(A, LANE, offset=64)
    code("exit")
    plain, declared = run(code.program()), run(code.program(regions=(Region("memory", 0, 4096),)))
    assert (plain.memory == declared.memory).all() and plain.cycles == declared.cycles


def test_addresses_of_instructions_have_no_sign():
    code = Assembly()
    code("call", dst=C, target="function")
    at(code, D, 0xFEFF0000)
    code.store(D, C)
    code("exit")
    code.label("function")
    code("jump_register", a=C)
    program = code.program(regions=MAP)
    program.code[:, u.ADDRESS] = (0x80000000 + 4 * np.arange(len(program))).astype(np.uint32).view(np.int32)
    for engine in ("python", "native"):
        result = run(program, engine=engine)
        assert result.status == "done", result.fault
        assert result.read(0xFEFF0000, 4).view(np.uint32)[0] == 0x80000004


def test_buffers_and_arguments_lie_in_regions():
    views = np.zeros((1, VIEW_COLUMNS), np.int32)
    views[0, [VIEW_BYTES, VIEW_FORMAT, VIEW_WRITABLE]] = 64, F_WORD, 1
    views[0, VIEW_BASE] = np.array([0xFEFF0100], np.uint32).view(np.int32)[0]
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.op("add", A, A, imm=0xFEFF0100)
    code.load(B, A, view=0)
    code.op("add", B, B, imm=1)
    code.store(A, B, view=0)
    code("exit")
    fields = {"regions": MAP, "views": views, "view_names": ("numbers",), "parameters": (Parameter("p", 0, "pointer"),)}
    program = code.program(**fields)
    launch = Launch(
        4, registers=program.launch.registers, argument=0xFFFFFF00, buffers={"numbers": [5, 6, 7, 8]}, arguments={"p": "numbers"}
    )
    result = GPU(config()).run(program, launch=launch)
    assert result.status == "done", result.fault
    assert read_buffer(result.program, result.memory, "numbers")[:4].tolist() == [6, 7, 8, 9]
    assert result.read(0xFFFFFF00, 4).view(np.uint32)[0] == 0xFEFF0100
    with pytest.raises(BufferError, match="no memory at address 0x10"):
        launched(program, Launch(4, argument=0x10, arguments={"p": "numbers"}))


def test_a_region_is_a_buffer_of_a_program_without_views():
    code = Assembly()
    at(code, A, 0x80000000)
    code.load(B, A)
    at(code, A, 0xFFFFFF00)
    code.store(A, B)
    code("exit")
    program = launched(code.program(regions=MAP), Launch(4, registers=code.program().launch.registers, buffers={"image": [1, 2, 3, 4]}))
    result = run(program)
    assert read_buffer(result.program, result.memory, "window")[:4].tolist() == [1, 2, 3, 4]
    with pytest.raises(BufferError, match="image holds 4096 bytes, and is given 5000"):
        launched(program, Launch(4, buffers={"image": [1] * 5000}))


# ---------------------------------------------------------------------------------------------------------
# Local memory


def local(code, name, **fields):
    code(name, space=u.LOCAL_SPACE, **fields)


@pytest.mark.parametrize("regions", [(), MAP])
def test_every_thread_has_local_memory_of_its_own(regions):
    code = Assembly()
    local(code, "store", a=A, b=GLOBAL)  # A = 0: the same local address everywhere
    local(code, "store", a=A, b=LANE, imm=4)
    code("barrier")
    local(code, "load", dst=B, a=A)
    at(code, D, 0xFEFF0000 if regions else 0)
    code.store(D, B)
    code("exit")
    program = code.program(threads=16, block=16, local_bytes=8, regions=regions)
    for engine in ("python", "native"):
        result = run(program, engine=engine, core__threads_per_block=16)
        assert result.status == "done", result.fault
        assert result.read(0xFEFF0000 if regions else 0, 64).view(np.uint32).tolist() == list(range(16))
        assert len(result.memory) == result.space.bytes  # its own bytes are not among those of the program
    assert (result.counters["local_accesses"], result.counters["local_transactions"]) == (12, 12)


def test_a_variable_of_all_lanes_is_one_line_that_the_cache_keeps():
    code = Assembly()
    local(code, "load", dst=B, a=A)
    code.op("add", C, B, imm=1)
    local(code, "load", dst=B, a=A)
    code("exit")
    result = run(code.program(threads=16, block=16, local_bytes=64), core__lanes=16, core__threads_per_block=16)
    assert (result.counters["local_transactions"], result.counters["l1_hits"], result.counters["l1_misses"]) == (2, 1, 1)


def test_local_memory_has_an_end():
    code = Assembly()
    local(code, "store", a=LANE, b=LANE, imm=4, size=1)
    code("exit")
    fault = run(code.program(local_bytes=4)).fault
    assert "lane 0 accesses local address 0x4, but a thread has 0x4 bytes of local memory" in fault


def test_a_program_without_regions_and_local_memory_has_no_decoder():
    code = Assembly()
    code.load(A, LANE)
    code("exit")
    made = machine(code.program())
    assert made.cores["spaces"]["used"].tolist() == [0]
    assert made.memory.nbytes == 4096


# ---------------------------------------------------------------------------------------------------------
# Recording


def test_a_recording_has_the_words_where_the_result_has_them():
    code = Assembly()
    at(code, A, 0xFFFFFF00)
    code.store(A, LANE)
    local(code, "store", a=B, b=LANE)
    code("exit")
    made = GPU(config()).run(code.program(regions=MAP, local_bytes=4), recording=True)
    rows = made.detail.recording.memory
    assert rows[:, 3].tolist() == [(made.space.place(0xFFFFFF00) >> 2) + lane for lane in range(1, 4)]
    assert made.space.address(int(rows[0, 3]) * 4) == 0xFFFFFF04


def test_transactions_of_profile_are_of_addresses():
    code = Assembly()
    at(code, A, 0xFEFF0000, shift=6)  # a line each
    code.load(B, A)
    code("exit")
    profile = run(code.program(regions=MAP)).detail.profile
    assert profile[2, r.TRANSACTIONS] == 4


def test_a_result_and_its_views_show_addresses():
    code = Assembly()
    at(code, A, 0xFFFFFF00)
    code.store(A, LANE)
    code("exit")
    result = run(code.program(regions=MAP), tracing=True)
    assert "  0xffffff00:" in str(result)
    lines = "\n".join(plain(line) for line in summary(result))
    assert "image" not in lines  # nothing has changed there
    assert "window  3 of 64 words changed, marked *" in lines and "0xffffff00" in lines
    said = report(result)["memory"]
    assert said["regions"]["window"]["address"] == 0xFFFFFF00
    assert said["data"][said["regions"]["window"]["first"] + 4] == 1
    regions = _run(GPU(config()).run(code.program(regions=MAP), recording=True))["regions"]
    assert [(one["name"], one["base"]) for one in regions] == [("image", 0x80000000), ("stacks", 0xFEFF0000), ("window", 0xFFFFFF00)]


@pytest.mark.parametrize(("step", "outside"), [(0x10, 0), (0x60, 2), (0x100, 3), (0x80, 3)])
def test_a_scratchpad_answers_an_access_only_if_all_of_its_lanes_are_there(step, outside):
    """Four lanes so far apart, in a scratchpad of 128 bytes and the memory after it: lanes outside send the access to the caches."""
    pad = Region("pad", 0x1000, 0x80, kind="scratchpad")
    code = Assembly()
    code.op("mul", A, GLOBAL, imm=step)
    code.op("add", A, A, imm=0x1000)
    code.store(A, LANE)
    code.load(B, A)
    code("exit")
    result = run(code.program(regions=(pad, Region("after", 0x1080, 0x1000))))
    assert result.status == "done", result.fault
    assert (result.counters["transactions"] > 0) == (outside > 0)
    assert [int(result.read(0x1000 + lane * step, 1)[0]) for lane in range(4)] == [0, 1, 2, 3]
