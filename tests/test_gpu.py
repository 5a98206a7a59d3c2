import math
import subprocess
import sys

import numpy as np
import pytest

import warploom
from tests.machine.tiny_kernels import assemble
from warploom import GPU, ConfigError, LaunchError, tiny
from warploom.machine.config.schema import SLOT_NAMES
from warploom.machine.slots import SLOTS

COPY = "LDR R1, %threadIdx\nCONST R2, #16\nADD R2, R2, %threadIdx\nSTR R2, R1\nRET"


def test_the_example_of_the_documentation():
    program = tiny.program(words=[0x50DE, 0xF000], data=[1, 2, 3], threads=4)
    settings = {"gpu.cores": 2, "core.threads_per_block": 4, "memory.data_channels": 4, "memory.program_channels": 1}
    result = warploom.GPU("tiny-original", set=settings).run(program, max_cycles=200_000)
    assert (result.status, result.cycles) == ("done", 27)
    assert result.memory.dtype == np.uint8
    assert result.memory.shape == (256,)


@pytest.mark.parametrize("engine", ["python", "native", "auto"])
def test_every_engine_gives_the_same(engine):
    result = GPU("tiny", engine=engine).run(assemble(COPY), data=[5, 6, 7, 8])
    assert (result.cycles, result.memory[16:20].tolist()) == (74, [5, 6, 7, 8])


def test_threads_and_data_may_be_given_at_the_run():
    program = assemble(COPY, threads=2)
    gpu = GPU("tiny", engine="python")
    assert gpu.run(program, data=[9, 8, 7]).memory[16:20].tolist() == [9, 8, 0, 0]
    assert gpu.run(program, threads=3, data=np.array([9, 8, 7])).memory[16:20].tolist() == [9, 8, 7, 0]
    assert gpu.run(program).memory.sum() == 0
    assert program.launch.threads == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"threads": 256}, "kernel.asm: threads = 256: the device control register takes 0 to 255"),
        ({"threads": -1}, "kernel.asm: threads = -1: the device control register takes 0 to 255"),
        ({"threads": 4.0}, "kernel.asm: threads = 4.0: write a whole number"),
        ({"threads": True}, "kernel.asm: threads = True: write a whole number"),
        ({"data": [1, 300]}, "data[1] = 300: a byte is 0 to 255"),
        ({"data": [-1]}, "data[0] = -1: a byte is 0 to 255"),
        ({"data": [0.5]}, "data is a row of whole numbers from 0 to 255, one a byte"),
        ({"data": [0] * 257}, "kernel.asm: 257 bytes of data, data memory has 256; add --set memory.bytes=257"),
    ],
)
def test_a_launch_that_cannot_be_is_refused(change, message):
    with pytest.raises(LaunchError) as caught:
        GPU("tiny").run(assemble(COPY), **change)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"memory.program_words": 4},
            "kernel.asm: the program has 5 instructions, program memory holds 4; add --set memory.program_words=5",
        ),
        (
            {"fetch.sets": 1024, "fetch.ways": 2},
            "fetch.sets x fetch.ways = 2048: the instruction cache has at most 1024 lines",
        ),
    ],
)
def test_a_machine_that_is_too_small_or_too_large_says_so(settings, message):
    with pytest.raises(LaunchError) as caught:
        GPU("tiny", set=settings).run(assemble(COPY))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("saxpy.asm", r"run wants a Program, warploom.load\('saxpy.asm'\), not str"),
        (None, "run wants a Program, as warploom.load makes of a file, not NoneType"),
    ],
)
def test_what_is_no_program_is_refused(given, said):
    with pytest.raises(TypeError, match=said):
        warploom.GPU("tiny").run(given)


def test_an_unknown_setting_preset_or_engine_is_refused():
    with pytest.raises(ConfigError, match=r"there is no setting 'gpu\.core', did you mean 'gpu\.cores'\?"):
        GPU("tiny", set={"gpu.core": 2})
    with pytest.raises(ConfigError, match=r"no setting 'unit\.scheduler'; a unit of your own is `--unit scheduler="):
        GPU("sm", set={"unit.scheduler": "oldest"})
    with pytest.raises(ConfigError, match=r"there is no setting 'unit\.schedular', did you mean 'unit\.scheduler'"):
        GPU("sm", set={"unit.schedular": 1})
    assert set(SLOT_NAMES) == set(SLOTS)
    with pytest.raises(ConfigError, match="there is no preset 'tinny', did you mean 'tiny'"):
        GPU("tinny")
    with pytest.raises(ValueError, match="engine = 'fast': it is one of auto, native, python"):
        GPU("tiny", engine="fast")


def test_a_configuration_may_be_changed_further():
    config = GPU("tiny", set={"gpu.cores": 3}).config
    assert GPU(config, set={"core.threads_per_block": 2}).config["gpu.cores"] == 3
    assert GPU(config).config == config
    assert GPU(config, set={"core.threads_per_block": 2}).config["core.threads_per_block"] == 2


def test_a_toml_file_is_a_machine(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('base = "tiny"\n[gpu]\ncores = 5\n')
    gpu = GPU(path)
    assert gpu.config["gpu.cores"] == 5
    assert gpu.run(assemble(COPY)).summary() == "kernel on mine: done in 74 cycles"


def test_steps_show_the_machine_after_every_cycle():
    cycles = [machine.cycle for machine in GPU("tiny").steps(assemble("NOP\nRET"))]
    assert cycles == list(range(1, 28))
    assert len(list(GPU("tiny").steps(assemble("NOP\nRET"), max_cycles=10))) == 10


def test_steps_give_the_state_that_a_run_ends_with():
    gpu = GPU("tiny", engine="native")
    *_, last = gpu.steps(assemble(COPY), data=[1, 2, 3, 4])
    assert last.counters() == gpu.run(assemble(COPY), data=[1, 2, 3, 4]).counters


def test_importing_loads_neither_numpy_nor_numba():
    code = "import sys, warploom; print(sorted(m for m in ('numba', 'numpy', 'msgspec') if m in sys.modules), 'GPU' in dir(warploom))"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "[] True\n"


def test_a_short_run_does_not_load_numba():
    code = "import sys, warploom; warploom.GPU('tiny').run(warploom.tiny.program([0xF000], [], 4));print('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "False\n"


def test_every_public_name_is_there():
    for name in warploom.__all__:
        assert getattr(warploom, name) is not None
    with pytest.raises(AttributeError, match="module 'warploom' has no attribute 'gpus'"):
        warploom.gpus  # noqa: B018


@pytest.mark.parametrize("gpu", ["tiny", "sm"])
@pytest.mark.parametrize("limit", [1e6, math.nan, math.inf, True, "5", None, 0, -1, 1 << 70])
def test_a_limit_that_no_run_can_reach_is_refused_before_the_first_cycle(gpu, limit):
    endless, machine = assemble("again: CMP R0, R0\nBRnzp again"), GPU(gpu, engine="native")
    with pytest.raises(ValueError, match=r"^max_cycles = .*: write a whole number from 1 to 1000000000000000$"):
        machine.run(endless, max_cycles=limit)


def test_stepping_and_comparing_ask_for_a_whole_number_too():
    program = assemble(COPY)
    for call in (
        lambda: next(GPU("tiny").steps(program, max_cycles=math.nan)),
        lambda: warploom.compare(program, over={"gpu.cores": (1, 2)}, max_cycles=1e6),
        lambda: next(GPU("tiny", engine="python").run(program).trace(0.5)),
        lambda: warploom.load("examples/tiny/matmul.asm", if_convert=1.5),
        lambda: warploom.occupancy("8.6", 128.5),
    ):
        with pytest.raises(ValueError, match="write a whole number"):
            call()


@pytest.mark.parametrize("part", [{"cycles": (0, math.nan)}, {"cycles": 7}, {"cores": [0.5]}, {"warps": 3}, {"width": 900.5}])
def test_a_picture_of_no_whole_cycles_or_cores_is_refused(part):
    result = GPU("tiny", engine="python").run(assemble(COPY))
    with pytest.raises(ValueError, match=next(iter(part))[:3]):
        result.picture("masks", **part)


@pytest.mark.parametrize(
    ("preset", "setting", "value", "why", "has_it"),
    [
        ("tiny", "core.warps", 8, "runs one instruction at a time", "sm"),
        ("tiny", "l1.bytes", 1024, "runs one instruction at a time", "sm"),
        ("sm", "core.skip_wait", True, "has warps", "tiny"),
    ],
)
def test_a_setting_that_the_machine_ignores_is_refused_with_a_machine_that_has_it(tmp_path, preset, setting, value, why, has_it):
    said = f"{setting}: {{!r}} {why} and does without it; a machine that has it: {{}}"
    with pytest.raises(warploom.ConfigError) as refused:
        GPU(preset, set={setting: value})
    assert str(refused.value) == said.format(preset, f'GPU("{has_it}")')
    GPU(has_it, set={setting: value})  # the advice works
    section, _, name = setting.partition(".")
    mine = tmp_path / "mine.toml"
    mine.write_text(f'base = "{preset}"\n[{section}]\n{name} = {str(value).lower()}\n')
    with pytest.raises(warploom.ConfigError) as refused:
        GPU(mine)
    assert str(refused.value) == f"{mine}: " + said.format("mine", f'base = "{has_it}"')
    mine.write_text(mine.read_text().replace(preset, has_it))
    assert GPU(mine).config[setting] == value
