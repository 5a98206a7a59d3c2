"""The recorded runs of the original machine: same instructions, and the same results from the language's meaning alone."""

import numpy as np
import pytest

from tests import guppy_golden
from tests.guppy_reference import listing_of, run_all
from warploom.isa import guppy
from warploom.isa.guppy.operands import Builtin, Immediate, Label, Register, Sampler, View
from warploom.isa.views import VIEW_BASE, VIEW_BYTES

READS_CYCLES = "p12"  # the program whose r4.x and u0 are cycles, waiting included; the model here counts instructions only


def as_recorded(operand, labels) -> str:
    """An operand as the original's parser prints it."""
    if isinstance(operand, Immediate):
        numbers = [str(word) if operand.kind == "u" else rust_float(word) for word in operand.words]
        return f"Immediate(V{len(numbers)}{operand.kind.upper()}({', '.join(numbers)}))"
    if isinstance(operand, Builtin):
        return f"Builtin({operand.name.upper()})"
    if isinstance(operand, Label):
        return f"Label({labels[operand.name]})"
    if isinstance(operand, Sampler):
        return f"Sampler({operand.name[1:]})"
    components = ", ".join((["XYZW"[letter] for letter in operand.swizzle] + ["NONE"] * 4)[:4])
    if isinstance(operand, Register):
        return f"VRegister(RegRef {{ id: {operand.number}, comps: [{components}] }})"
    assert isinstance(operand, View)
    kind = {"t": "RMemory(RMemRef", "u": "RWMemory(RWMemRef"}[operand.name[0]]
    return f"{kind} {{ id: {operand.name[1:]}, comps: [{components}] }})"


def rust_float(word: int) -> str:
    value = np.uint32(word).view(np.float32)
    return np.format_float_positional(value, trim="0") if np.isfinite(value) else str(value).replace("nan", "NaN")


RECORDED_NAME = {"and": "and.u32", "or": "or.u32", "lerp": "lerp.f32"}


LINE = 64  # bytes that the original's buffers lie at multiples of, the first one behind a line that is nobody's


@pytest.mark.parametrize("name", guppy_golden.names())
def test_every_recorded_program_parses_to_the_recorded_instructions(name):
    golden = guppy_golden.load(name)
    program = guppy_golden.from_recorded(golden)
    listing = listing_of(program)
    parsed = [
        {
            "line": statement.position.line,
            "op": RECORDED_NAME.get(statement.row.mnemonic, statement.row.mnemonic),
            "ops": [as_recorded(operand, listing.labels) for operand in statement.operands],
        }
        for statement in listing.statements
    ]
    assert parsed == golden["parsed"]
    assert len(program) == len(parsed)
    recorded, place = np.array(golden.get("memory_init_words", [0] * 16), np.uint32).view(np.uint8), LINE
    for base, size in program.views[:, (VIEW_BASE, VIEW_BYTES)].tolist():
        assert program.data[base : base + size].tolist() == recorded[place : place + size].tolist()
        place += -(-size // LINE) * LINE
    assert len(recorded) == place


@pytest.mark.every(3)
@pytest.mark.parametrize("name", [name for name in guppy_golden.names() if not name.endswith(("_1alu", "_alu2"))])
def test_the_meaning_of_the_language_gives_the_recorded_registers_and_memory(name):
    golden = guppy_golden.load(name)
    program = guppy_golden.from_recorded(golden)
    memory, warps = run_all(program, golden["config"]["wave_size"])
    reads_cycles = name.startswith(READS_CYCLES)
    for wave in golden["result"]["registers_final"]:
        warp = warps[wave["group_id"], wave["wave_id"]]
        for number, values in guppy_golden.final_registers(wave).items():
            if not (reads_cycles and number == 4):
                assert same_bits_or_both_nan(warp.registers[number], values), f"r{number}"
    words = guppy_golden.final_memory(golden)
    if words is not None and not reads_cycles:
        assert guppy.read_view(program, memory, "u0").tolist() == words.view(np.uint32).tolist()
    if "image_u0" in golden["result"]:
        picture = guppy.read_view(program, memory, "u0")
        recorded = golden["result"]["image_u0"]["downsampled_rgba_hex"]
        step = golden["result"]["image_u0"]["downsampled_step"]
        assert [[bytes(pixel).hex() for pixel in row] for row in picture[::step, ::step]] == recorded
    issued = sum(warp.executed for warp in warps.values()) - len(warps)
    assert issued == golden["result"]["issued_total"]
    assert sum(warp.active_lanes for warp in warps.values()) >= golden["result"]["issued_lanes_total"]


def same_bits_or_both_nan(ours: np.ndarray, theirs: np.ndarray) -> bool:
    both_nan = np.isnan(ours.view(np.float32)) & np.isnan(np.ascontiguousarray(theirs).view(np.float32))
    return bool(np.all((ours == theirs) | both_nan))
