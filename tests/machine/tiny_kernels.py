"""Small kernels and machines for the tests of the tiny machine's units."""

from typing import Any

from hypothesis import strategies as st

from warploom import GPU, Program, Result, tiny

NOP, RET = 0x0000, 0xF000
PLAIN_OPCODES = (0, 2, 3, 4, 5, 6, 9)  # no memory, no branch


def assemble(text: str, threads: int = 4) -> Program:
    """A program from its lines; its file is called kernel.asm."""
    return tiny.assemble(f".threads {threads}\n{text}", path="kernel.asm")


def run(text: str, preset: str = "tiny", threads: int = 4, max_cycles: int = 20_000, engine: str = "python", **settings: Any) -> Result:
    """Run some lines; `settings` are written core__skip_wait=True."""
    changes = {name.replace("__", "."): value for name, value in settings.items()}
    return GPU(preset, set=changes, engine=engine).run(assemble(text, threads), max_cycles=max_cycles)


def nops(count: int) -> str:
    """A kernel of `count` instructions that do nothing, and RET."""
    return "NOP\n" * count + "RET"


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Random programs: any instruction, branches forward and backward, and a RET at the end."""
    length = draw(st.integers(1, 14))
    words = []
    for _ in range(length):
        opcode = draw(st.sampled_from((*PLAIN_OPCODES, 1, 1, 7, 8, 15)))
        low = draw(st.integers(0, length)) if opcode == 1 else draw(st.integers(0, 255))
        words.append(opcode << 12 | draw(st.integers(0, 15)) << 8 | low)
    return tiny.program([*words, RET], draw(st.lists(st.integers(0, 255), max_size=16)), draw(st.integers(0, 11)))


@st.composite
def machines(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Random machines: a preset and settings."""
    settings: dict[str, Any] = {
        "gpu.cores": draw(st.integers(1, 4)),
        "core.threads_per_block": draw(st.integers(1, 5)),
        "memory.data_channels": draw(st.integers(1, 5)),
        "memory.program_channels": draw(st.integers(1, 3)),
        "core.skip_wait": draw(st.booleans()),
        "core.prefetch": draw(st.booleans()),
        "fetch.sets": draw(st.sampled_from((0, 0, 1, 4))),
        "fetch.ways": draw(st.integers(1, 2)),
        "fetch.line": draw(st.sampled_from((1, 4))),
        "fetch.latency": draw(st.integers(1, 3)),
    }
    for quirk in ("partial_block", "last_lane_decides", "compare_flags", "divide_zero", "wrap_pc"):
        settings[f"quirks.{quirk}"] = draw(st.booleans())
    return "tiny", settings
