"""Random scheduling policies: a function of a scheduler's state, from a grammar, as a user might write it."""

from __future__ import annotations

import random
from pathlib import Path

from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main

NUMBERS = (
    *("s.last", "now", "s.warps", "s.number", "s.step", "s.memory[0]", "lowest(s.eligible)", "s.launched[0]"),
    *("0", "1", "-1", "3", "63", "64", "1 << 40"),
)
MASKS = ("s.eligible", "s.active", "s.awake", "s.owned", "s.waiting_memory", "s.older[0]")
KERNEL = EXAMPLES / "tiny" / "matadd.asm"


def seeds() -> list[bytes]:
    """Numbers: each is the seed of a policy."""
    return [b"1"]


def take(data: bytes, path: Path) -> None:
    """Write the policy, and run a kernel under it."""
    path.write_text(written(random.Random(data)))
    machine = ("--gpu", "sm", "--set", "core.warps=4", "--engine", "python", "--max-cycles", "400")
    done = CliRunner().invoke(main, ["run", str(KERNEL), *machine, "--quiet", "--scheduler", f"{path}:choose"])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception


def written(chance: random.Random) -> str:
    """The source of a policy."""

    def number(depth: int) -> str:
        if depth == 0 or chance.random() < 0.3:
            return chance.choice(NUMBERS)
        return f"({number(depth - 1)} {chance.choice(('+', '-', '*', '%', '//', '&'))} {chance.choice(('1', '2', '3', '7'))})"

    lines = []
    for _ in range(chance.randint(0, 3)):
        condition = f"{chance.choice(MASKS)} {chance.choice(('==', '!='))} EMPTY"
        lines += [f"    if {condition}:", f"        return {number(2)}"]
    if chance.random() < 0.5:
        lines.append(f"    s.memory[{chance.randint(0, 15)}] = {number(1)}")
    lines.append(f"    return {number(3)}")
    return "from warploom.machine.engine.bits import EMPTY, lowest\n\n\ndef choose(s, now):\n" + "\n".join(lines) + "\n"
