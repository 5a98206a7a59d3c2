"""The machine with execution masks against recordings of the original: cycles, history, registers, memory.

docs/guppy-agreement.md explains what differs.
"""

import numpy as np
import pytest

from tests import guppy_golden
from tests.guppy_history import is_split, lines_asked, our_rows, recorded_rows, repeat, settings
from warploom import GPU
from warploom.isa import guppy
from warploom.machine.accounting.reasons import ISSUES, LANES
from warploom.observe.facts.history import ACTIVE, EMPTY, IDLE, NOBODY, STALLED, history

NAMES = guppy_golden.names()
LONG = 3_000  # cycles times warp slots from which a run is native here
SHORT = [name for name in NAMES if name.startswith(("p01", "p03", "p06", "p07", "p16", "p17", "p18", "p19"))]


def engine_for(name: str) -> str:
    golden = guppy_golden.load(name)
    return "native" if golden["result"]["total_cycles"] * golden["config"]["waves_per_cu"] > LONG else "python"


def run(name: str):
    return repeat(name, engine_for(name)), guppy_golden.load(name)


def test_all_recordings_are_here():
    assert len(NAMES) == 54
    assert {name[:3] for name in NAMES} == {f"p{number:02}" for number in range(1, 21)}


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_run_takes_the_same_cycles_and_instructions(name):
    result, golden = run(name)
    assert (result.status, result.fault) == ("done", "")
    assert result.cycles == golden["result"]["total_cycles"]
    profile = result.detail.profile
    issued = {}
    for number, instruction in enumerate(golden["parsed"]):
        counts = issued.setdefault(instruction["op"], [0, 0])
        counts[0] += int(profile[number, ISSUES])
        counts[1] += int(profile[number, LANES])
    recorded = golden["result"]["issued_by_opcode_[instrs,lane_instrs]"]
    assert {op: counts for op, counts in issued.items() if op != "ret" and counts[0]} == recorded


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_history_is_repeated_row_by_row(name):
    """State, mask and PC of each wave and the wave in each ALU, in every recorded cycle."""
    result, golden = run(name)
    ours, theirs = our_rows(result, golden), recorded_rows(golden)
    assert len(ours) == len(theirs)
    assert ours == theirs


@pytest.mark.parametrize("name", NAMES)
def test_the_time_of_every_wave_and_alu_is_spent_as_recorded(name):
    """Over the whole run, also where the history was not recorded to the end."""
    result, golden = run(name)
    ran = history(result)
    state = ran.state.reshape(len(ran), -1)
    names = {"active": ACTIVE, "stalled": STALLED, "idle": IDLE, "disabled": EMPTY}
    recorded = golden["result"]["wave_cycles"]
    if isinstance(recorded, dict):  # the sum over many waves
        assert {word: int((state == code).sum()) for word, code in names.items()} | {"note": recorded["note"]} == recorded
    else:
        spent = [{word: int((state[:, wave] == code).sum()) for word, code in names.items()} for wave in range(state.shape[1])]
        assert spent == recorded
    busy = (ran.alu.reshape(len(ran), -1) != NOBODY).sum(axis=0)
    recorded_busy = golden["result"]["alu_busy_cycles"]
    assert busy.sum() == sum(recorded_busy) if is_split(golden) else busy.tolist() == recorded_busy


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_run_ends_with_the_same_registers_and_memory(name):
    result, golden = run(name)
    registers = result.detail.registers
    warps = result.config.core.warps
    for wave in golden["result"]["registers_final"]:
        core, slot = divmod(wave["cu"] * golden["config"]["waves_per_cu"] + wave["wave"], warps)
        for number, values in guppy_golden.final_registers(wave).items():
            assert same_bits_or_both_nan(registers[core, slot, 4 * number : 4 * number + 4], values), f"wave {wave['wave']}, r{number}"
    words = guppy_golden.final_memory(golden)
    if words is not None:
        assert guppy.read_view(result.program, result.memory, "u0").tolist() == words.view(np.uint32).tolist()
    if "image_u0" in golden["result"]:
        recorded = golden["result"]["image_u0"]
        step = recorded["downsampled_step"]
        picture = guppy.read_view(result.program, result.memory, "u0")
        assert [[bytes(pixel).hex() for pixel in row] for row in picture[::step, ::step]] == recorded["downsampled_rgba_hex"]


def same_bits_or_both_nan(ours: np.ndarray, theirs: np.ndarray) -> bool:
    both_nan = np.isnan(np.ascontiguousarray(ours).view(np.float32)) & np.isnan(np.ascontiguousarray(theirs).view(np.float32))
    return bool(np.all((ours == theirs) | both_nan))


def lanes_of(name: str, mnemonic: str) -> int:
    """Words that a program's loads ask for, or samples, over all lanes."""
    result, _ = run(name)
    count = 0
    for number, text in enumerate(result.program.text):
        if text.startswith(f"{mnemonic} "):
            components = len(text.split()[1].rstrip(",").partition(".")[2]) if mnemonic == "ld" else 1
            count += components * int(result.detail.profile[number, LANES])
    return count


@pytest.mark.parametrize("name", ["p07_load_coalesced", "p08_load_strided", "p09_load_vec4", "p16_lane_locks", "p17_cache_reuse"])
def test_the_originals_cache_traffic_is_ours_and_its_repeated_requests(name):
    """Every waiting word asks the first cache again in every cycle, and the second one whenever its latency is over."""
    result, golden = run(name)
    recorded, config = golden["result"], golden["config"]
    cycles_of_a_miss = config["L2_latency"] + config["DRAM_latency"] - 1
    assert recorded["l1_hit"] + recorded["l1_miss"] / cycles_of_a_miss == lanes_of(name, "ld")
    requests = 1 + config["DRAM_latency"] // config["L2_latency"]
    assert recorded["l2_miss"] == requests * lines_asked(result)


@pytest.mark.parametrize("name", ["p10_texture", "p20_mix_4to1", "p20_mix_4to2", "p20_mix_4to4"])
def test_the_originals_sampler_looks_four_texels_up_for_every_lane(name):
    result, golden = run(name)
    assert golden["result"]["sampler_hit"] + golden["result"]["sampler_miss"] == 4 * lanes_of(name, "sample")
    assert lines_asked(result) == 16  # the texture has 16 lines


def test_both_engines_write_the_same_events_registers_and_profile():
    for name in SHORT:
        plain, fast = repeat(name, "python"), repeat(name, "native")
        assert plain.cycles == fast.cycles, name
        for part in ("events", "registers", "profile"):
            assert getattr(plain.detail, part).tobytes() == getattr(fast.detail, part).tobytes(), f"{name}: {part}"
        assert plain.memory.tobytes() == fast.memory.tobytes()


@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [
        ("p06_hazards", "latency.float_divide", 5),
        ("p20_mix_4to2", "core.scheduler", "round_robin"),
        ("p16_lane_locks", "core.lock", "register"),
        ("p17_cache_reuse", "l1.bytes", 0),
        ("p10_texture", "texture.queue", 64),
    ],
)
def test_a_change_of_one_mechanism_would_be_noticed(name, setting, value):
    golden = guppy_golden.load(name)
    changed = GPU("guppy", set=settings(golden) | {setting: value}, engine="python").run(guppy_golden.from_recorded(golden))
    assert changed.cycles != golden["result"]["total_cycles"]


def test_a_sampler_that_holds_instructions_would_be_noticed_in_the_history():
    """In cycle 115 eight samples have two served lanes each, and a ninth one finds 16 places."""
    golden = guppy_golden.load("p10_texture")
    changed = settings(golden) | {"texture.slots": "instruction"}
    result = GPU("guppy", set=changed, engine="python").run(guppy_golden.from_recorded(golden), tracing=True)
    ours, theirs = our_rows(result, golden), recorded_rows(golden)
    assert ours[:115] == theirs[:115] and ours[115] != theirs[115]
