"""What a machine of cores with warps refuses to run, and what it says to change."""

from dataclasses import replace

import numpy as np
import pytest

from tests.machine.programs import FREE, LANE, Assembly, config, machine
from warploom.isa import uop as u
from warploom.isa.launch import Launch
from warploom.isa.views import F_RGBA8, F_RGBA32F, LINEAR, POINT, SAMPLER_FILTER, TRILINEAR, VIEW_COLUMNS, VIEW_FORMAT
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.presets import load_config
from warploom.machine.device.check import MOST_THREADS, check, check_grid

A, B, C = range(FREE, FREE + 3)


def one(*uops, **fields):
    """A program of one bundle and an end."""
    code = Assembly()
    code.bundle(*(uops or ({"name": "nop"},)))
    code("exit")
    return code.program(**fields)


def refused(program, **changes):
    with pytest.raises(LaunchError) as error:
        machine(program, **changes)
    return str(error.value)


def test_a_program_without_instructions():
    assert refused(Assembly().program()) == "<program>: the program has no instructions"


def test_a_program_that_is_too_long():
    assert refused(one(), memory__program_words=1) == "the program has 2 instructions, memory.program_words = 1"


def test_too_many_registers():
    assert refused(one(registers=600)) == "the program uses 600 registers per thread, a thread can have 512"
    assert refused(one(registers=200), core__lock="lane") == (
        "core.lock = 'lane' has room for 128 registers, the program uses 200; add --set core.lock=register"
    )


def test_too_little_memory():
    program = one().with_data(np.zeros(5000, np.uint8))
    assert refused(program, memory__kind="channels") == "the program needs 5000 bytes of memory, memory.bytes = 4096"


def test_textures_without_a_texture_unit():
    views, samplers = np.zeros((1, VIEW_COLUMNS), np.int32), np.zeros((1, 4), np.int32)
    program = one({"name": "sample", "dst": A, "a": B, "b": C, "view": 0}, views=views, samplers=samplers)
    assert refused(program) == "the program samples textures, and this machine has no texture unit; add --set texture.count=1"


def test_a_split_block_cannot_synchronise():
    message = "a block whose warps lie on several cores has neither shared memory nor barriers; add --set gpu.dispatch=spread"
    assert refused(one({"name": "barrier"}), gpu__dispatch="split") == message
    assert refused(one(shared_bytes=4), gpu__dispatch="split") == message


def test_a_launch_that_begins_nowhere():
    assert refused(one(entry=2)) == "the launch begins at instruction 2, the program has 2"


def test_an_instruction_with_more_transactions_than_there_is_room_for():
    loads = [{"name": "load", "dst": A + number, "a": LANE, "imm": 256 * number} for number in range(9)]
    assert refused(one(*loads), core__lanes=64).endswith(
        "it may take 576 transactions, a load/store unit has room for 512; use longer lines (l1.line = 64) or fewer lanes (core.lanes = 64)"
    )
    assert "it may take 1024 transactions" in refused(one(*loads[:4]), core__lanes=64, l1__bytes=0, l1__line=1, lsu__sector=1)
    machine(one(*loads[:8]), core__lanes=64)

    views, samplers = np.zeros((1, VIEW_COLUMNS), np.int32), np.zeros((1, 4), np.int32)
    views[0, VIEW_FORMAT], samplers[0, SAMPLER_FILTER] = F_RGBA32F, TRILINEAR
    sample = one({"name": "sample", "dst": A, "a": B, "b": C, "view": 0}, views=views, samplers=samplers)
    assert "it may take 1024 transactions" in refused(sample, core__lanes=64, texture__count=1)
    machine(sample, core__lanes=32, texture__count=1)


@pytest.mark.parametrize(("filtering", "texels"), [(POINT, 1), (LINEAR, 4), (TRILINEAR, 8)])
@pytest.mark.parametrize(("format_", "lines"), [(F_RGBA8, 1), (F_RGBA32F, 2)])
def test_a_sample_may_take_a_transaction_for_each_texel_and_two_where_one_lies_across_lines(filtering, texels, format_, lines):
    views, samplers = np.zeros((1, VIEW_COLUMNS), np.int32), np.zeros((1, 4), np.int32)
    views[0, VIEW_FORMAT], samplers[0, SAMPLER_FILTER] = format_, filtering
    nine = [{"name": "sample", "dst": A, "a": B, "b": C, "view": 0}] * 9
    said = refused(one(*nine, views=views, samplers=samplers), core__lanes=64, texture__count=1)
    assert f"it may take {9 * 64 * texels * lines} transactions" in said


def special(name):
    return {"name": "special", "dst": A, "imm": u.SPECIAL_NUMBER[name]}


def launched(launch, *uops):
    return replace(one(*uops), launch=launch)


def written(registers, *uops):
    return launched(Launch(4, registers=tuple((number, "lane") for number in range(registers))), *uops)


SQUARE = Launch(grid=(2, 2), block=(4, 1))
WIDE, CHANNELS, SPLIT, DWF = {"core__lanes": 64}, {"memory__kind": "channels"}, {"gpu__dispatch": "split"}, {"core__divergence": "dwf"}
NO_BARRIERS = "a block whose warps lie on several cores has neither shared memory nor barriers; add --set gpu.dispatch=spread"
DADD, ROUND = {"name": "dadd", "dst": A, "a": B, "b": C}, {"name": "round_int", "dst": A, "a": B, "b": C}
FIXED = {"name": "sample_fixed", "dst": A, "a": B, "b": C}
# What is just too much, what is said of it, and what just fits: a program and the machine's settings.
LIMITS = [
    ((one(), {"memory__program_words": 1}), "the program has 2 instructions, memory.program_words = 1",
     (one(), {"memory__program_words": 2})),
    ((one(registers=513), {}), "the program uses 513 registers per thread, a thread can have 512", (one(registers=512), {})),
    ((one(registers=508), DWF), "the program uses 508 registers per thread, a thread can have 507 with core.divergence=dwf, which needs 5 ",
     (one(registers=507), DWF)),
    ((one(registers=129), {"core__lock": "lane"}), "core.lock = 'lane' has room for 128 registers, the program uses 129; add --set ",
     (one(registers=128), {"core__lock": "lane"})),
    ((written(33), {}), "a launch can write 32 registers; the program wants 33", (written(32), {})),
    ((written(28), DWF), "a launch can write 27 registers with core.divergence=dwf, which needs 5 of its own; the program wants 28",
     (written(27), DWF)),
    ((written(33, {"name": "note", "a": A}), DWF), "a launch can write 32 registers; the program wants 33",  # stays in its warp
     (written(32, {"name": "note", "a": A}), DWF)),
    ((one().with_data(np.zeros(4097, np.uint8)), CHANNELS), "the program needs 4097 bytes of memory, memory.bytes = 4096",
     (one().with_data(np.zeros(4096, np.uint8)), CHANNELS)),
    ((one(memory_bytes=4097), CHANNELS), "the program needs 4097 bytes of memory, memory.bytes = 4096", (one(memory_bytes=4097), {})),
    ((launched(Launch(MOST_THREADS + 1)), {}), "<program>: threads = 2147483648: a launch has 0 to 2147483647",
     (launched(Launch(MOST_THREADS)), {})),
    ((launched(Launch(-1)), {}), "<program>: threads = -1: a launch has 0 to 2147483647", (launched(Launch(0)), {})),
    ((one(entry=2), {}), "the launch begins at instruction 2, the program has 2", (one(entry=1), {})),
    ((one(entry=-1), {}), "the launch begins at instruction -1, the program has 2", (one(entry=0), {})),
    ((one({"name": "barrier"}), SPLIT), NO_BARRIERS, (one({"name": "barrier"}), {"gpu__dispatch": "fill"})),
    ((one({"name": "barrier_arrive"}), SPLIT), NO_BARRIERS, (one(), SPLIT)),
    ((one({"name": "barrier_count", "dst": A, "a": B}), SPLIT), NO_BARRIERS, (one(shared_bytes=4), {})),
    ((launched(SQUARE, special("thread")), {}),
     "<program>: grid (2, 2), block 4: this program numbers threads and blocks in one dimension; launch a number of threads, ",
     (launched(SQUARE, special("thread"), special("thread_y")), {})),
    ((launched(SQUARE, special("block")), {}),
     "<program>: grid (2, 2), block 4: this program numbers threads and blocks in one dimension; launch a number of threads, ",
     (launched(Launch(8, 4), special("block")), {})),
    # 64 lanes of 4 bytes touch 64 lines of 64 bytes at most; of 8 bytes, which may lie across two lines, 128. There is room for 512.
    ((one(*[{"name": "load", "dst": A, "a": LANE}] * 9), WIDE), "it may take 576 transactions, a load/store unit has room for 512",
     (one(*[{"name": "load", "dst": A, "a": LANE}] * 8), WIDE)),
    ((one(*[{"name": "load", "dst": A, "a": LANE, "size": 8}] * 5), WIDE), "it may take 640 transactions",
     (one(*[{"name": "load", "dst": A, "a": LANE, "size": 8}] * 4), WIDE)),
    # a load of a scalar register is one transaction of the warp, whatever its size
    ((one(*[{"name": "load", "dst": A, "a": LANE}] * 8, {"name": "load_scalar", "dst": u.scalar(0), "a": u.scalar(1)}), WIDE),
     "it may take 513 transactions", (one(*[{"name": "load_scalar", "dst": u.scalar(0), "a": u.scalar(1)}] * 9), WIDE)),
    # four texels a lane
    ((one(*[FIXED] * 3), {**WIDE, "texture__count": 1}), "it may take 768 transactions",
     (one(*[FIXED] * 2), {**WIDE, "texture__count": 1})),
    ((one(FIXED), {"texture__count": 0}), "the program samples textures, and this ",
     (one(FIXED), {"texture__count": 1})),
    ((one(DADD, ROUND), {}), "a program that rounds floats in modes of its own has neither 64-bit floats nor notes", (one(DADD), {})),
    ((one({"name": "note"}, ROUND), {}), "a program that rounds floats in modes of its own", (one(ROUND), {})),
]  # fmt: skip


@pytest.mark.parametrize(("too_much", "message", "fits"), LIMITS)
def test_a_limit_refuses_what_is_beyond_it_and_nothing_that_fits(too_much, message, fits):
    program, changes = too_much
    with pytest.raises(LaunchError) as error:
        check(config(**changes), program)
    assert message in str(error.value)
    program, changes = fits
    check(config(**changes), program)


WAITS = one({"name": "grid_barrier"})


@pytest.mark.parametrize(
    ("cores", "said"), [(1, "room for 2: 2 in each of 1 core; launch fewer"), (2, "room for 4: 2 in each of 2 cores; ")]
)
def test_blocks_that_wait_for_each_other_must_all_be_there(cores, said):
    made = config(gpu__cores=cores)
    check_grid(made, WAITS, blocks=2 * cores, resident=2)
    check_grid(made, one(), blocks=2 * cores + 1, resident=2)
    with pytest.raises(LaunchError) as error:
        check_grid(made, WAITS, blocks=2 * cores + 1, resident=2)
    assert f"so all {2 * cores + 1} must be on the machine at once, and it has {said}" in str(error.value)
    with pytest.raises(LaunchError, match=r"needs whole blocks in its cores; add --set gpu\.dispatch=spread$"):
        check_grid(config(gpu__cores=cores, gpu__dispatch="split"), WAITS, blocks=1, resident=2)


BLOCK_OF_65 = "a block of 65 threads in z is too large, a block has at most 64 in z; make x the longest dimension, or set core.block_z"


@pytest.mark.parametrize(
    ("launch", "said"),
    [
        ({"block": 1, "grid": (1, 65536)}, "a grid of 65 536 blocks in y is too large, a grid has at most 65 535 in y; make x the longest "
         "dimension, or set gpu.grid_y"),
        ({"block": 1, "grid": (1, 1, 65536)}, "a grid of 65 536 blocks in z is too large, a grid has at most 65 535 in z; make x the "
         "longest dimension, or set gpu.grid_z"),
        ({"block": (1, 1, 65), "grid": 2}, BLOCK_OF_65),
    ],
)  # fmt: skip
def test_a_grid_or_a_block_that_is_too_long(launch, said):
    program = replace(one(), launch=Launch(**launch))
    with pytest.raises(LaunchError) as error:
        check(load_config("v100"), program)
    assert str(error.value) == f"<program>: {said}"
    check(load_config("v100", {"gpu.grid_y": 0, "gpu.grid_z": 0, "core.block_z": 0}), program)


@pytest.mark.parametrize("launch", [{"block": (2, 2, 64), "grid": (1, 65535, 1)}, {"block": 1024, "grid": 100_000}])
def test_a_grid_and_a_block_of_the_largest_size(launch):
    check(load_config("v100"), replace(one(), launch=Launch(**launch)))


def test_more_constants_than_there_is_room_for():
    program = replace(one(), constants=np.zeros(65537, np.uint8))
    with pytest.raises(LaunchError) as error:
        check(load_config("h100"), program)
    assert str(error.value) == (
        "<program>: the program has 65 537 bytes of constants, constant memory has 65 536; keep large tables in global memory, "
        "or set constant.space"
    )
    check(load_config("h100"), replace(program, constants=program.constants[1:]))
    check(load_config("h100", {"constant.space": 0}), program)
