"""The ladder: the original's timing at its foot, the same memory on every rung, and what it says of itself."""

from itertools import pairwise

import pytest

from tests.places import EXAMPLES
from warploom.gpu import GPU
from warploom.isa import load, tiny
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import settings
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.memory.channels import DATA_ANSWER, DATA_HOLD, PROGRAM_HOLD
from warploom.study.ladder import KernelError, climb
from warploom.study.remarks import remarks, title
from warploom.study.rungs import rungs

TINY = EXAMPLES / "tiny"
RACES = {"histogram"}  # what these leave depends on who comes first
DIVERGE = {"diverge"}
NAMES = sorted(path.stem for path in TINY.glob("*.asm"))


def example(name):
    return load(TINY / f"{name}.asm")


EXTENDED = {name for name in NAMES if example(name).extensions}  # what the machine at the foot does not run


def names(steps):
    return [step.rung.name for step in steps]


@pytest.fixture(scope="module")
def matadd():
    return climb(example("matadd"))


@pytest.fixture(scope="module")
def matmul():
    return climb(example("matmul"))


def test_the_ladder_has_every_idea_of_the_original_in_order(matadd):
    assert names(matadd.steps) == [
        "tiny-gpu", "instruction cache", "no idle WAIT", "fetch ahead", "pipelining", "fetch once for all", "more channels", "coalescing",
        "data cache", "second-level cache", "several warps", "better scheduler", "divergence", "shared memory",
    ]  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize("name", sorted(set(NAMES) - RACES - DIVERGE - EXTENDED))
def test_all_rungs_leave_the_same_memory(name):
    ladder = climb(example(name))
    memory = GPU("tiny").run(example(name)).memory.tolist()
    assert len(ladder.measured) == len(ladder.steps)
    for step in ladder.steps:
        assert step.result.memory.tolist() == memory, step.rung.name
        assert step.same_channels.memory.tolist() == memory, step.rung.name
    assert ladder.differing() == ()


@pytest.mark.every(3)
@pytest.mark.parametrize("name", NAMES)
def test_the_preset_of_the_top_computes_the_same_as_the_top_of_the_ladder(name):
    top, preset = climb(example(name)).steps[-1], GPU("tiny-simt").run(example(name))
    assert preset.status == "done"
    assert preset.cycles == top.cycles
    assert preset.memory.tolist() == top.result.memory.tolist()


def test_the_preset_of_the_top_has_the_settings_of_all_rungs():
    changes = {name: value for rung in rungs(load_config("tiny")) for name, value in rung.settings.items()}
    of_a_sequencer = {"core.skip_wait": False, "core.prefetch": False}
    assert load_config("tiny-simt").flat() == load_config("tiny", changes | of_a_sequencer).flat()


def test_shared_memory_and_barriers_work_on_the_preset_of_the_top():
    assert GPU("tiny-simt").run(example("shared_reduction")).memory[16:18].tolist() == [10, 200]


@pytest.mark.parametrize(("name", "cycles"), [("matadd", 178), ("matmul", 491)])
def test_the_foot_has_the_timing_of_the_original(name, cycles, request):
    ladder = request.getfixturevalue(name)
    assert ladder.steps[0].cycles == cycles
    assert ladder.steps[0].settings == {}
    assert ladder.speedup(ladder.steps[0]) == 1.0
    assert ladder.gain(ladder.steps[0]) is None


@pytest.mark.parametrize("name", ["matadd", "matmul"])
def test_the_whole_ladder_at_least_halves_the_cycles_with_the_same_channels(name, request):
    ladder = request.getfixturevalue(name)
    for settings_of in ("gpu.cores", "core.threads_per_block", "memory.data_channels", "memory.program_channels", "memory.channel_bytes"):
        assert ladder.steps[-1].same_channels.config[settings_of] == load_config("tiny")[settings_of]
    assert ladder.steps[-1].same_channels.cycles * 2 <= ladder.steps[0].cycles
    assert ladder.steps[-1].cycles * 2 <= ladder.steps[0].cycles


def test_with_one_program_channel_matadd_is_bound_by_its_instructions(matadd):
    best = min(step.same_channels.cycles for step in matadd.steps)
    floor = PROGRAM_HOLD * len(matadd.program)
    # Behind the last instruction the last store: eight bytes through four channels, in two goes.
    assert floor < best <= floor + DATA_ANSWER + DATA_HOLD


def test_a_step_is_all_rungs_so_far(matadd):
    merged = {}
    for step in matadd.steps:
        merged |= step.rung.settings
        if merged.get("core.control") == "pipeline":  # which has no use for what its six states had
            merged.pop("core.skip_wait", None), merged.pop("core.prefetch", None)
        assert step.settings == merged
        assert GPU("tiny", set=step.settings).run(matadd.program).cycles == step.cycles


def test_gain_and_speed_up_are_ratios_of_cycles(matmul):
    cycles = [step.cycles for step in matmul.steps]
    assert [matmul.speedup(step) for step in matmul.steps] == [cycles[0] / now for now in cycles]
    assert [matmul.gain(step) for step in matmul.steps[1:]] == [before / now for before, now in pairwise(cycles)]


def test_alone_is_one_switch_on_the_machine_that_it_needs(matmul):
    alone = {step.rung.name: step for step in matmul.steps}
    foot = matmul.steps[0].cycles
    ahead = GPU("tiny", set={"core.prefetch": True}).run(matmul.program).cycles
    assert alone["fetch ahead"].alone == foot / ahead
    needed = {**alone["instruction cache"].rung.settings, **alone["pipelining"].rung.settings}
    without = GPU("tiny", set=needed).run(matmul.program).cycles
    cached = GPU("tiny", set={**needed, **alone["data cache"].rung.settings}).run(matmul.program).cycles
    assert alone["data cache"].alone == without / cached
    assert alone["tiny-gpu"].alone is None


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("name", "rung"),
    [("uneven", "instruction cache"), ("matadd", "no idle WAIT"), ("matmul", "fetch ahead"), ("dot", "pipelining"),
     ("saxpy", "fetch once for all"), ("stencil", "more channels"), ("matadd", "coalescing"), ("histogram_private", "data cache"),
     ("transpose", "several warps"), ("uneven", "better scheduler")],
)  # fmt: skip
def test_every_rung_makes_some_kernel_faster(name, rung):
    ladder = climb(example(name))
    assert ladder.gain(next(step for step in ladder.steps if step.rung.name == rung)) > 1


def test_a_second_level_pays_where_cores_read_the_same_table():
    # 16 blocks read the same 32 bytes, twice the first level of a core that holds 4 lines.
    text = ".threads 64\n.data 1*64\nCONST R1, #1\nCONST R2, #0\nCONST R3, #32\nCONST R4, #0\nnext:\nLDR R5, R2\nADD R4, R4, R5\n"
    text += "ADD R2, R2, R1\nCMP R2, R3\nBRn next\nMUL R6, %blockIdx, %blockDim\nADD R6, R6, %threadIdx\nCONST R7, #128\n"
    program = tiny.assemble(text + "ADD R6, R6, R7\nSTR R6, R4\nRET\n")
    ladder = climb(program, choices={"l1.bytes": 16, "gpu.cores": 8, "memory.data_channels": 1})
    step = next(step for step in ladder.steps if step.rung.name == "second-level cache")
    before = ladder.steps[ladder.steps.index(step) - 1]
    assert step.same_channels.cycles < before.same_channels.cycles


# ---- kernels that some rungs cannot run


def test_a_kernel_that_diverges_runs_from_the_rung_that_lets_it():
    ladder = climb(example("diverge"))
    assert names(ladder.measured) == ["divergence", "shared memory"]
    assert {step.skipped for step in ladder.steps[:-2]} == {
        f"{TINY / 'diverge.asm'}:19 (BRz even): the threads of a block disagree on this branch, and before the rung 'divergence' they "
        "share one program counter"
    }
    assert ladder.measured[0].result.memory[:4].tolist() == [0, 3, 4, 9]
    assert ladder.measured[0].alone is None
    assert ladder.speedup(ladder.measured[0]) == 1.0
    assert remarks(ladder)[0] == f"Left out, tiny-gpu to better scheduler: {ladder.steps[0].skipped}."


def test_a_kernel_with_shared_memory_runs_on_the_last_rung():
    ladder = climb(example("shared_reduction"))
    assert names(ladder.measured) == ["shared memory"]
    assert ladder.steps[0].skipped == (
        f"{TINY / 'shared_reduction.asm'}:16 (STS %threadIdx, R1): shared memory and barriers come with the rung 'shared memory'"
    )
    assert ladder.measured[0].result.memory[16:18].tolist() == [10, 200]


WAITING = """
import numpy as np
from warploom import cuda

@cuda.jit
def steps(x):
    x[cuda.grid(1)] += 1
    cuda.cg.this_grid().sync()

steps[BLOCKS, 32](np.zeros(32 * BLOCKS, np.float32))
"""


def waiting(tmp_path, blocks):
    """A kernel whose blocks wait for each other."""
    path = tmp_path / "waiting.py"
    path.write_text(WAITING.replace("BLOCKS", str(blocks)))
    return load(path)


def room(tmp_path, blocks, places, where):
    return (
        f"{tmp_path / 'waiting.py'}: the blocks of the grid wait for each other, so all {blocks} must be on the machine at once, and it "
        f"has room for {places}: {where}"
    )


def test_blocks_that_wait_for_each_other_run_from_the_rung_that_holds_them_all(tmp_path):
    ladder = climb(waiting(tmp_path, 3), "sm", {"gpu.cores": 2})
    assert names(ladder.measured) == ["several blocks", "several schedulers", "better scheduler", "more cores"]
    assert {step.skipped for step in ladder.steps if step.result is None} == {room(tmp_path, 3, 1, "1 in each of 1 core")}
    assert remarks(ladder)[0] == f"Left out, bare to shared-memory banks: {ladder.steps[0].skipped}."
    first = ladder.measured[0]
    assert first.alone is None and ladder.gain(first) is None and ladder.speedup(first) == 1.0
    assert ladder.steps[-1].cycles == GPU("sm", set={"gpu.cores": 2}).run(ladder.program).cycles


def test_a_grid_that_only_all_cores_hold_runs_on_the_last_rung(tmp_path):
    held = load_config("sm").core.blocks
    ladder = climb(waiting(tmp_path, held + 1), "sm", {"gpu.cores": 2})
    assert names(ladder.measured) == ["more cores"]
    assert ladder.steps[-2].skipped == room(tmp_path, held + 1, held, f"{held} in each of 1 core")


def test_a_grid_that_no_rung_holds_is_refused(tmp_path):
    held = load_config("sm").core.blocks
    with pytest.raises(LaunchError) as caught:
        climb(waiting(tmp_path, 2 * held + 1), "sm", {"gpu.cores": 2})
    why = room(tmp_path, 2 * held + 1, 2 * held, f"{held} in each of 2 cores; launch fewer")
    assert str(caught.value) == f"the ladder leads up to 'sm', which cannot run this program: {why}"


def test_a_variant_runs_on_the_last_rung_and_leaves_the_same_memory():
    ladder = climb(example("reduction"), variant=example("reduction_shared"))
    assert ladder.steps[-1].result.counters["shared_passes"] > 0
    assert ladder.steps[-2].result.counters["shared_passes"] == 0
    assert ladder.differing() == ()
    assert ladder.steps[-1].result.counters["data_requests"] < ladder.steps[-2].result.counters["data_requests"]
    assert remarks(ladder)[-1] == f"The last rung ran {TINY / 'reduction_shared.asm'}."


def test_a_variant_that_computes_something_else_is_told_of():
    ladder = climb(example("matadd"), variant=example("shared_reduction"))
    assert names(ladder.differing()) == ["shared memory"]
    assert remarks(ladder)[-1] == (
        "WARNING: shared memory leaves different values in memory (byte 0 is 1, on the first rung 0): the variant computes something else."
    )


def test_a_race_is_told_of():
    # All threads of both cores write to one byte, the later the longer they have waited for their own data.
    text = ".threads 8\n.data 0*8\nMUL R0, %blockIdx, %blockDim\nADD R0, R0, %threadIdx\nCONST R1, #16\n"
    text += "CONST R2, #0\nCMP %blockIdx, R2\nBRz store\nLDR R3, R0\nADD R3, R3, R3\nstore:\nSTR R1, R0\nLDR R4, R1\nSTR R0, R4\nRET\n"
    ladder = climb(tiny.assemble(text))
    assert ladder.differing()
    assert remarks(ladder)[-1].endswith(": the kernel has a race.")


# ---- what is refused


def test_with_a_machine_that_has_warps_a_ladder_ends():
    ladder = climb(example("matadd"), "sm")
    assert ladder.of_warps and ladder.top == load_config("sm")
    assert ladder.steps[-1].cycles == GPU("sm").run(example("matadd")).cycles
    for setting in ladder.steps[-1].settings:
        assert ladder.start[setting] != ladder.top[setting]


def test_the_rungs_from_tiny_begin_with_cores_of_one_instruction_at_a_time():
    with pytest.raises(ConfigError) as caught:
        rungs(load_config("sm"))
    assert str(caught.value) == (
        "the ladder begins with cores that run one instruction at a time, and 'sm' has warps; begin with --gpu tiny, or change it with "
        "--set gpu.cores=4 and the like"
    )


def test_a_ladder_does_not_begin_with_quirks():
    with pytest.raises(ConfigError) as caught:
        climb(example("matadd"), "tiny-original")
    assert str(caught.value).startswith("'tiny-original' has quirks that no other rung has (quirks.partial_block, ")
    assert str(caught.value).endswith("; begin with --gpu tiny, which has the same timing")


def test_what_the_ladder_switches_cannot_be_chosen():
    with pytest.raises(ConfigError) as caught:
        climb(example("matadd"), choices={"core.skip_wait": True})
    assert str(caught.value) == (
        "core.skip_wait is what the ladder itself switches: leave it out, or use `warploom run --set core.skip_wait=...`"
    )


def test_a_program_of_another_instruction_set_is_refused():
    path = TINY.parent / "guppy" / "saxpy.guppy"
    said = (
        f"the ladder begins with the machine 'tiny', which cannot run this program: {path}: the program wants blocks of 32 threads, "
        "a core runs blocks of 4; add --set core.threads_per_block=32"
    )
    with pytest.raises(LaunchError) as caught:
        climb(load(path))
    assert str(caught.value) == said
    with pytest.raises(LaunchError) as caught:
        climb(example("matadd"), variant=load(path))
    assert str(caught.value) == said


def test_a_fault_of_the_kernel_names_rung_and_place():
    with pytest.raises(KernelError) as caught:
        climb(tiny.assemble(".threads 4\nCONST R0, #1\n"))
    assert str(caught.value).startswith("on the rung 'tiny-gpu': ")
    assert "the program counter ran off the program" in str(caught.value)


def test_an_endless_kernel_is_stopped():
    with pytest.raises(KernelError) as caught:
        climb(tiny.assemble(".threads 4\nCMP R0, R0\nagain:\nBRz again\nRET\n"), max_cycles=1000)
    assert str(caught.value) == "on the rung 'tiny-gpu' the kernel is still running after 1000 cycles"


# ---- other machines at the foot


@pytest.mark.parametrize(
    "choices",
    [{"gpu.cores": 4, "core.threads_per_block": 3}, {"core.threads_per_block": 1, "memory.channel_bytes": 3},
     {"core.threads_per_block": 64}, {"gpu.cores": 1, "memory.data_channels": 1}, {"gpu.cores": 16, "core.threads_per_block": 16}],
)  # fmt: skip
def test_a_ladder_begins_with_any_size_of_machine(choices):
    program = example("transpose")
    ladder = climb(program, choices=choices)
    memory = GPU("tiny").run(program).memory.tolist()
    assert ladder.steps[0].cycles == GPU(load_config("tiny", choices)).run(program).cycles
    for step in ladder.steps:
        assert step.result.memory.tolist() == step.same_channels.memory.tolist() == memory
        assert step.result.config.gpu.cores == choices.get("gpu.cores", 2)
        assert step.result.config.memory.data_channels >= choices.get("memory.data_channels", 4)


def test_a_choice_goes_to_the_rung_that_puts_it_in_and_into_its_sentence():
    ladder = climb(example("matadd"), choices={"l1.replacement": "fifo", "l1.bytes": 128, "gpu.cores": 1})
    by_name = {step.rung.name: step for step in ladder.steps}
    assert "l1.replacement" not in by_name["coalescing"].settings
    assert by_name["data cache"].result.config["l1.replacement"] == "fifo"
    assert "keeps 128 bytes of what it has loaded" in by_name["data cache"].rung.about
    assert ladder.start.gpu.cores == 1


def test_rungs_are_settings_that_exist_and_sentences():
    known = {setting.name for setting in settings()}
    for rung in rungs(load_config("tiny")):
        assert set(rung.settings) | set(rung.wires) <= known
        assert set(rung.wires) <= set(rung.settings)
        assert "<" not in rung.about
        assert rung.name == "tiny-gpu" or "costs " in rung.about


def test_the_wires_that_channels_cost():
    # Four data channels of 36 wires and a program channel of 26.
    more = next(rung for rung in rungs(load_config("tiny")) if rung.name == "more channels")
    assert f"costs {4 * 36 + 26} more wires to memory" in more.about


# ---- what it says


def test_the_title_counts(matadd, matmul):
    assert title(matadd) == "matadd from tiny up: 8 threads in 2 blocks, 2 cores, 4 data channels, 1 program channel"
    assert title(matmul) == "matmul from tiny up: 4 threads in 1 block, 2 cores, 4 data channels, 1 program channel"


def test_what_does_nothing_and_what_costs_is_named(matadd):
    none, slower = remarks(matadd)[:2]
    gains = {step.rung.name: matadd.gain(step) for step in matadd.steps[1:]}
    listed = none.removeprefix("No effect on this kernel: ").rstrip(".").split(", ")
    assert listed == [name for name, gain in gains.items() if gain == 1]
    assert slower == "Slower with: " + ", ".join(f"{name} ({gain:.2f})" for name, gain in gains.items() if gain < 1) + "."


def test_the_limit_is_counted(matadd):
    said = next(line for line in remarks(matadd) if line.startswith("With the first rung's channels: "))
    assert said.endswith("13 requests of 5 cycles each on 1 channel take 65 cycles.")


def test_idle_cores_are_counted(matmul, matadd):
    assert "1 block on 2 cores: 1 of them has nothing to do on any rung." in remarks(matmul)
    assert not any("nothing to do" in line for line in remarks(matadd))
