"""The experiments of the article "What's up with my branch on GPU?" on this machine.

    python examples/article.py

Three small programs, cycle by cycle; four warps on one, two and four schedulers (the article's figures 1 to 3); and what threads that
need different numbers of iterations cost, by the width of a warp (its figures 8 and 9).
"""

from pathlib import Path

import warploom
from warploom.observe.facts.history import history

FOLDER = Path(__file__).parent / "guppy"
THREADS = 256
WIDTHS = (1, 8, 16, 32, 64)
MOST_WARPS = 64  # of a core


def run(name: str, engine: str = "auto", **settings: int) -> warploom.Result:
    """Run one of the examples on preset `guppy`; `core__warps=4` sets core.warps."""
    changes = {setting.replace("__", "."): value for setting, value in settings.items()}
    program = warploom.load(str(FOLDER / f"{name}.guppy"))
    return warploom.GPU("guppy", set=changes, engine=engine).run(program, tracing=True)


def rows(name: str, engine: str = "auto") -> list[str]:
    """A program on one warp of 32 lanes: a line a cycle with state, mask and next instruction of the warp, and the ALU."""
    return history(run(name, engine)).rows()


def four_warps(schedulers: int, engine: str = "auto") -> warploom.Result:
    """Four warps, two ALUs, and that many instructions that can be issued per cycle."""
    return run("four_warps", engine, core__warps=4, alu__count=2, core__schedulers=schedulers)


def machine_of(lanes: int) -> dict[str, int]:
    """A machine that holds all threads as warps of that many lanes, with a scheduler and an ALU for each warp."""
    warps = THREADS // lanes
    each = min(warps, MOST_WARPS)
    return {"gpu__cores": warps // each, "core__lanes": lanes, "core__warps": each, "core__schedulers": each, "alu__count": each}


def cost(order: str, engine: str = "native") -> dict[int, float]:
    """Lanes that an instruction occupies, active or not, over all instructions; relative to warps of one lane. By width."""
    spent = {lanes: lanes * run(f"iterations_{order}", engine, **machine_of(lanes)).instructions for lanes in WIDTHS}
    return {lanes: spent[lanes] / spent[1] for lanes in WIDTHS}


def main() -> None:
    for name in ("if", "while", "if_else"):
        print(f"{name}.guppy: state:mask@next instruction | warp in the ALU")
        print("\n".join(f"  {row}" for row in rows(name)[:16]), "\n")
    for schedulers in (1, 2, 4):
        result = four_warps(schedulers)
        print(f"four warps, issue {schedulers}: {result.cycles} cycles, of which 40 to 139: A active, S stalled, I idle, . ended")
        print("\n".join(f"  {strip}" for strip in history(result, 40, 140).strips()), "\n")
    print("cost relative to width 1     " + "".join(f"{lanes:>7}" for lanes in WIDTHS))
    for order in ("random", "sorted"):
        print(f"{order + ' numbers of iterations':<29}" + "".join(f"{value:>7.2f}" for value in cost(order).values()))


if __name__ == "__main__":
    main()
