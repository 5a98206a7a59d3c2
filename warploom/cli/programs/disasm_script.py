"""`warploom disasm script.py`: the instructions of the kernels that a Python program launches, below the lines that they were made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from warploom.cli.common import DONE, FAULT, UserError, check_targets, print_json, say, write_file
from warploom.cli.loading import PYTHON
from warploom.cli.terminal.own_output import on_standard_error

if TYPE_CHECKING:
    from warploom.device import Device
    from warploom.isa.program import Program
    from warploom.kernel.launch.compile import Built


@dataclass
class Compiled:
    """A kernel as it was compiled for arguments of some types, and the numbers of the launches that run it so."""

    program: Program
    launches: list[int] = field(default_factory=list)
    ssa: dict[str, str] = field(default_factory=dict)  # what is to be shown of the compiler's passes: heading and text

    def launched(self, program: Program, number: int) -> bool:
        """Whether a launch runs the same instructions; it is noted then."""
        same = (program.name, program.text, program.sources) == (self.program.name, self.program.text, self.program.sources)
        self.launches += [number] * same
        return same

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        rows = [
            {"number": number, "line": self.program.position(number).line, "text": text} for number, text in enumerate(self.program.text)
        ]
        counts = {"registers": self.program.registers, "scalars": self.program.scalars}
        passes = {"ssa": self.ssa} if self.ssa else {}
        return {"kernel": self.program.name, "launches": self.launches, **counts, "instructions": rows, **passes}

    def listing(self) -> str:
        """As text."""
        from warploom.kernel.launch.listing import instructions

        noun = "launch" if len(self.launches) == 1 else "launches"
        lines = [f"{noun} {', '.join(map(str, self.launches))}", *instructions(self.program)]
        last = ""
        for heading, text in self.ssa.items():
            lines += ["", f"SSA {heading}", "    (as before)" if text == last else text]
            last = text
        return "\n".join(lines)


def passes_of(ssa: bool, name: str | None) -> tuple[str, ...]:
    """The passes of which SSA is shown; none for neither option. Raises UserError for a name that no pass has."""
    from warploom.compiler.compiler import PASSES
    from warploom.isa.diagnostics import nearest

    names = [one.name for one in PASSES]
    if name is None:
        return tuple(names) if ssa else ()
    if name not in names:
        raise UserError(f"--pass {name}: there is no such pass{nearest(name, names)}; there are {', '.join(names)}")
    return (name,)


def shown_passes(stages: dict[str, str], wanted: tuple[str, ...]) -> dict[str, str]:
    """By heading the SSA of a kernel before the first wanted pass, and after each. stages: of `Compiled`."""
    from warploom.compiler.compiler import PASSES

    if not wanted:
        return {}
    names = list(stages)
    before = "as it is built" if wanted[0] == names[1] else f"before {wanted[0]}"
    found = {before: stages[names[names.index(wanted[0]) - 1]]}
    return found | {f"after {one.name}: {one.meaning}": stages[one.name] for one in PASSES if one.name in wanted}


def disassembled(
    file: str, output: str | None, wanted: str | None, gpu: str | None, as_json: bool, *, ssa: tuple[str, ...] = (), compiler: str = "own"
) -> int:
    """Run a program, up to the launch that is wanted if one is, and show its kernels; returns the exit status. ssa: passes to show.

    What the program prints goes to standard error. Raises UserError where it launches nothing.
    """
    from warploom.cli.loading import there_is
    from warploom.cli.running import machine_of
    from warploom.cli.script import fault_of, left_with
    from warploom.gpu import GPU
    from warploom.isa.diagnostics import nearest
    from warploom.kernel.device.context import CURRENT
    from warploom.kernel.launch.launch import KernelError
    from warploom.kernel.script import Enough, run_script

    there_is(file)
    check_targets({"-o": None if output == "-" else output}, [file])
    config, _ = machine_of(file, {"gpu": gpu, "changes": (), "isa": PYTHON, "units": (), "scheduler": None}, PYTHON)
    kernels: list[Compiled] = []
    names: list[str] = []
    stages: dict[str, str] = {}  # of the kernel that is about to run
    status = DONE

    def compiled(built: Built) -> None:
        stages.clear()
        stages.update(built.compiled.stages)

    def before(program: Program, device: Device) -> dict[str, Any]:
        number = len(names)
        names.append(program.name)
        if wanted is None or wanted in (str(number), program.name):
            if not any(one.launched(program, number) for one in kernels):
                kernels.append(Compiled(program, [number], shown_passes(stages, ssa)))
            if wanted is not None:
                raise Enough
        return {}

    try:
        with on_standard_error(), CURRENT.shown(compiled if ssa else None):
            run_script(file, gpu=GPU(config), before=before, compiler=compiler)
    except KernelError as error:
        say(fault_of(error), err=True)
        status = FAULT
    except SystemExit as leaving:
        status = left_with(leaving)
    if not names and not status:
        raise UserError(f"{file}: the program launches no kernel; write kernel[blocks, threads](...)")
    if not kernels and names:
        there = ", ".join(f"{number} {name}" for number, name in enumerate(names[:12]))
        raise UserError(f"{file}: there is no launch {wanted!r}{nearest(str(wanted), names)}; there are {there}")
    text = "\n\n".join(one.listing() for one in kernels) + "\n"
    target = output if kernels and output != "-" else None
    if target:
        write_file(target, text)
    if as_json:
        print_json({"isa": PYTHON, "file": file, "output": output, "kernels": [one.as_dict() for one in kernels]})
    elif target:
        say(f"{len(kernels)} kernel{'s' * (len(kernels) != 1)} written to {target}", err=True)
    elif kernels:
        say(text, nl=False)
    return status
