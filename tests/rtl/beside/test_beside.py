"""Units of the modern core beside the model, in real kernels: tiny, guppy, Python."""

import pytest

from tests.places import EXAMPLES
from tests.rtl.beside.kernels import launched
from tests.rtl.mutants import mutate
from warploom import GPU, load, rtl, tiny
from warploom.isa.launch import Launch
from warploom.isa.program import Program
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.uop import IMMEDIATE, NONE, SPECIAL_NUMBER, Uop
from warploom.rtl.beside import WATCHERS

# The tags in hardware know no line that a store has brought.
SMALL = {"core.lanes": 8, "core.warps": 8, "core.blocks": 4, "l1.bytes": 2048, "l1.sets": 4, "l1.allocate": False, "l1.mshrs": 16}
EVERYWHERE = {"scheduler", "scoreboard", "barriers", "coalescer", "banks", "tags", "mshrs"}


def used(program, gpu):
    """The units that the program uses; all of them agree."""
    found = rtl.lockstep_units(program, gpu)
    assert [str(unit) for unit in found if not unit.agrees] == []
    return {unit.unit for unit in found if unit.steps}


@pytest.mark.parametrize("name", ["matmul", "uneven", "transpose", "slow_banks", "shared_reduction"])
def test_tiny_kernels(name):
    found = used(load(EXAMPLES / "tiny" / f"{name}.asm"), GPU("tiny-simt"))
    assert {"scheduler", "scoreboard", "stack", "barriers", "coalescer", "tags"} <= found


@pytest.mark.parametrize("scheduler", WATCHERS["scheduler"].HARDWARE)
def test_every_policy_on_a_tiny_kernel(scheduler):
    changes = {"core.scheduler": scheduler, "core.schedulers": 2, "core.fetch_group": 2, "core.warps": 8, "core.divergence": "minpc"}
    assert {"scheduler", "minpc"} <= used(load(EXAMPLES / "tiny" / "shared_reduction.asm"), GPU("tiny-simt", set=changes))


@pytest.mark.every(2)
@pytest.mark.parametrize("replacement", ["lru", "fifo", "plru", "random"])
def test_every_replacement_on_a_strided_kernel(replacement):
    changes = SMALL | {"l1.replacement": replacement, "l1.bytes": 1024, "l1.sets": 2}
    assert {"tags", "mshrs"} <= used(load(EXAMPLES / "guppy" / "load_strided.guppy"), GPU("sm", set=changes))


@pytest.mark.parametrize("name", ["saxpy", "nested_loop"])
def test_guppy_kernels(name):
    assert {"scheduler", "coalescer", "barriers"} <= used(load(EXAMPLES / "guppy" / f"{name}.guppy"), GPU("sm", set=SMALL))
    assert {"coalescer", "barriers"} <= used(load(EXAMPLES / "guppy" / f"{name}.guppy"), GPU("guppy"))


@pytest.mark.parametrize(("divergence", "unit"), [("stack", "stack"), ("minpc", "minpc")])
def test_a_kernel_in_python(divergence, unit):
    changes = SMALL | {"core.divergence": divergence, "latency.to_float": 0, "latency.to_integer": 0, "core.scheduler": "greedy_oldest"}
    assert used(*launched(changes)) == EVERYWHERE | {unit}


@pytest.mark.parametrize("first", ["fall_through", "taken", "smaller"])
def test_calls_through_pointers(first):
    """Three lanes of four are called elsewhere than the first, to three places, in each of two rounds."""
    text = """.threads 8
    main:
        andi t0, a0, 3
        slli t0, t0, 3
        li   a4, 2
    again:
        la   t1, places
        add  t1, t1, t0
        mv   a5, ra
        jalr ra, 0(t1)
        mv   ra, a5
        addi a4, a4, -1
        bnez a4, again
        ret
    places:
        addi a3, a3, 1
        ret
        addi a3, a3, 2
        ret
        addi a3, a3, 3
        ret
        addi a3, a3, 4
        ret
    """
    gpu = GPU("sm", set={**SMALL, "core.lanes": 4, "divergence.first": first})
    (found,) = rtl.lockstep_units(load(text.encode(), "riscv"), gpu, ["stack"])
    assert found.agrees, str(found)
    assert found.steps > 2 * 2 * 3 * 4  # of two warps and rounds each three jumps at which lanes part, and four returns


def test_split_and_join_in_a_program():
    """Lanes below 4 take one side of a split, the others the other; in a second split all take the same."""
    builder = ProgramBuilder()
    for uop in (
        Uop("special", 0, imm=SPECIAL_NUMBER["lane"]),
        Uop("slt", 1, a=0, b=IMMEDIATE, imm=4),
        Uop("split", NONE, a=1),
        Uop("add", 0, a=0, b=IMMEDIATE, imm=4),
        Uop("split", NONE, a=0),
        Uop("join"),
        Uop("join"),
        Uop("exit_warp"),
    ):
        builder.add([uop], text=str(uop))
    program = Program("mine", "sides", *builder.arrays(), registers=2, register_names=("v0", "v1"), launch=Launch(threads=16, block=8))
    (found,) = rtl.lockstep_units(program, GPU("sm", set={**SMALL, "core.divergence": "masks"}), ["split_join"])
    assert found.agrees, str(found)
    assert found.steps == 2 * (1 + 1 + 2 * 3)  # of two warps: the start, the first split, and the rest on either side


def test_what_the_hardware_takes_longer_for_is_counted():
    program = tiny.assemble(".threads 8\nLDR R1, %threadIdx\nRET\n")
    coalescer = next(unit for unit in rtl.lockstep_units(program, GPU("tiny-simt")) if unit.unit == "coalescer")
    assert coalescer.takes_longer == "a transaction leaves per cycle"
    assert coalescer.clocks >= 2 * (1 + 1 + 1)  # two warps: the access, its transaction, and nothing more


def test_a_wrong_line_is_found_with_its_cycle_and_its_place(monkeypatch):
    mutate(monkeypatch, "core.divergence.stack.ReconvergenceStack.diverge", "self.mask.eq(first)", "self.mask.eq(last)")
    (found,) = rtl.lockstep_units(load(EXAMPLES / "tiny" / "diverge.asm"), GPU("tiny-simt"), ["stack"])
    assert not found.agrees
    assert str(found).startswith(f"stack: cycle {found.difference.cycle}, core 0, warp ")
    assert "in the hardware, the model says" in str(found)


@pytest.mark.parametrize(
    ("preset", "unit", "said"),
    [
        ("tiny-simt", "stak", "there is no unit 'stak' beside the model, did you mean 'stack'?"),
        ("tiny-simt", "minpc", "tiny-simt has no minpc that hardware can stand beside; it needs: core.divergence is minpc"),
        ("tiny", "stack", "core.control = 'sequencer': these units are of cores with warps"),
        ("sm", "tags", "sm has no tags that hardware can stand beside; it needs: l1 has 1 to 256 lines"),
    ],
)
def test_what_there_is_not_is_refused_by_name(preset, unit, said):
    with pytest.raises(rtl.NoHardware, match=said.replace("?", "\\?")):
        rtl.lockstep_units(load(EXAMPLES / "tiny" / "matmul.asm"), GPU(preset), [unit])
