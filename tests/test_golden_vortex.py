"""Recordings of Vortex's own simulators against ours: outputs, and cycles. docs/vortex.md says what cannot be compared."""

import numpy as np
import pytest

from tests.isa.riscv import reference as model
from tests.isa.riscv.test_lowering import FLOAT_EDGES, cases
from tests.places import ROOT
from tests.vortex_golden import ROWS_OF_TASKS, SINGLE_ROUNDINGS, recordings, repeat, run

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

SGEMM = recordings("2022-own_sgemm")
SAME_COMPILER = {name: recorded for name, recorded in SGEMM.items() if recorded["build"] == "zO2"}
NEAR = 0.3


def outputs(recorded):
    return [part["sha256"] for part in recorded["outputs"]]


# In every run one shape of the machine for each build of the program.
CASES = [pytest.param(name, marks=() if name.endswith("1c4w4t") else pytest.mark.slow) for name in SGEMM]


@pytest.mark.parametrize("name", CASES)
def test_a_product_of_matrices_is_the_recorded_one(name):
    before = SINGLE_ROUNDINGS if SGEMM[name]["build"] == "O1" else ""
    found, _ = repeat("own_sgemm", 2022, SGEMM[name], before=before)
    assert found == outputs(SGEMM[name])


def start_up(what):
    """What the original's start-up and end cost a core: what two cores did not share between them. what: of a recording."""
    one, two = (what(SGEMM[f"2022-own_sgemm-n16-zO2-{machine}"]) for machine in ("1c4w4t", "2c4w4t"))
    return 2 * two - one


def cycles(recorded):
    return recorded["timing"]["cycles_total"]


def instructions_of_a_second_core():
    one, two = (SGEMM[f"2022-own_sgemm-n16-zO2-{machine}"]["expect"]["thread_instructions"] for machine in ("1c4w4t", "2c4w4t"))
    return two - one


def test_the_product_takes_the_recorded_time_as_the_page_says():
    page = (ROOT / "docs" / "vortex.md").read_text()
    for name, recorded in SAME_COMPILER.items():
        _, result = repeat("own_sgemm", 2022, recorded, before=ROWS_OF_TASKS, engine="native")
        work = cycles(recorded) - start_up(cycles)
        assert abs(result.cycles / work - 1) < NEAR, (name, result.cycles, work)
        machine = recorded["cores"], recorded["warps"], recorded["lanes"]
        instructions = recorded["expect"]["thread_instructions"] - recorded["cores"] * instructions_of_a_second_core()
        rates = instructions / work, result.counters["thread_instructions"] / result.cycles
        numbers = [*machine, cycles(recorded), work, result.cycles, *(f"{rate:.2f}" for rate in rates)]
        assert f"| {' | '.join(map(str, numbers))} |" in page


TEXTURES = {name: (generation, run) for generation in (2022, 2024) for name, run in recordings(f"{generation}-own_tex").items()}


@pytest.mark.parametrize("name", TEXTURES)
def test_texture_samples_are_the_recorded_ones(name):
    """One of four in plain Python.

    Until 2022 a mirrored coordinate leads outside of the image, where the originals read memory that nobody has written.
    """
    generation, recorded = TEXTURES[name]
    engine = "native" if list(TEXTURES).index(name) % 4 else "python"
    found, _ = repeat("own_tex", generation, recorded, everywhere=True, engine=engine)
    assert found == outputs(recorded)


MODES = range(5)
INSTRUCTIONS = (
    "fadd.s", "fsub.s", "fmul.s", "fdiv.s", "fsqrt.s", "fmadd.s", "fmsub.s", "fnmadd.s", "fnmsub.s", "fcvt.w.s", "fcvt.wu.s",
    "fcvt.s.w", "fcvt.s.wu", "fmin.s", "fmax.s", "feq.s", "flt.s", "fle.s", "fclass.s",
)  # fmt: skip


def expected(name, a, b, c, mode):
    """(result, flags) of an instruction of own_float.c."""
    for table, operands in ((model.FLOAT, (a, b)), (model.ROOT, (a,)), (model.FUSED, (a, b, c)), (model.TO_INTEGER, (a,))):
        if name in table:
            return table[name](*operands, mode)
    if name in model.FROM_INTEGER:
        return model.FROM_INTEGER[name](a, mode)
    return {**model.COMPARED, **model.CHOSEN}[name](a, b)


@pytest.mark.parametrize("generation", [2022, 2024])
def test_floats_and_their_flags_in_all_rounding_modes(generation):
    """The recorded program on operands of ours: what the recorded ones were is not written down."""
    count, places = 40, (0x10000, 0x20000, 0x30000)
    triples = cases(FLOAT_EDGES, count, 11)
    out = 0x100000
    buffers = {
        f"{name}@{at:#x}": np.array([row[i] for row in triples], np.uint32) for i, (name, at) in enumerate(zip("abc", places, strict=True))
    }
    words = 2 * len(INSTRUCTIONS) * count * len(MODES)
    buffers |= {f"out@{out:#x}": np.zeros(words, np.uint32), "argument": np.array([count, *places, out], np.uint32)}
    result = run("own_float", generation, buffers, machine=(1, 4, 4), engine="native")
    found = result.read(out, 4 * words).view(np.uint32).reshape(len(MODES), count, len(INSTRUCTIONS), 2)
    for mode in MODES:
        for number, (a, b, c) in enumerate(triples):
            for place, name in enumerate(INSTRUCTIONS[:-1]):
                wanted = expected(name, a, b, c, mode)
                assert tuple(found[mode, number, place].tolist()) == wanted, (name, mode, hex(a), hex(b), hex(c))
    classes = {0x7F800000: 7, 0xFF800000: 0, 0: 4, 1 << 31: 3, 0x7FC00000: 9, 0x7F800001: 8, 1: 5, 0x80000001: 2, 0x3F800000: 6}
    seen = [(a, found[0, number, -1].tolist()) for number, (a, _, _) in enumerate(triples) if a in classes]
    assert seen and all(pair == [1 << classes[a], 0] for a, pair in seen)
