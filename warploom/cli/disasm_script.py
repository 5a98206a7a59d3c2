"""`warploom disasm script.py`: the instructions of the kernels that a Python program launches, below the lines that they were made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from warploom.cli.common import DONE, FAULT, UserError, check_targets, print_json, say, write_file
from warploom.cli.loading import PYTHON
from warploom.cli.own_output import on_standard_error

if TYPE_CHECKING:
    from warploom.device import Device
    from warploom.isa.program import Program


@dataclass
class Compiled:
    """A kernel as it was compiled for arguments of some types, and the numbers of the launches that run it so."""

    program: Program
    launches: list[int] = field(default_factory=list)

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
        return {"kernel": self.program.name, "launches": self.launches, **counts, "instructions": rows}

    def listing(self) -> str:
        """As text."""
        from warploom.kernel.launch.listing import instructions

        noun = "launch" if len(self.launches) == 1 else "launches"
        return "\n".join([f"{noun} {', '.join(map(str, self.launches))}", *instructions(self.program)])


def disassembled(file: str, output: str | None, wanted: str | None, gpu: str | None, as_json: bool) -> int:
    """Run a program, up to the launch that is wanted if one is, and show its kernels; returns the exit status.

    What the program prints goes to standard error. Raises UserError where it launches nothing.
    """
    from warploom.cli.loading import there_is
    from warploom.cli.running import machine_of
    from warploom.cli.script import fault_of, left_with
    from warploom.gpu import GPU
    from warploom.isa.diagnostics import nearest
    from warploom.kernel.launch.launch import KernelError
    from warploom.kernel.script import Enough, run_script

    there_is(file)
    check_targets({"-o": None if output == "-" else output}, [file])
    config, _ = machine_of(file, {"gpu": gpu, "changes": (), "isa": PYTHON, "units": (), "scheduler": None}, PYTHON)
    kernels: list[Compiled] = []
    names: list[str] = []
    status = DONE

    def before(program: Program, device: Device) -> dict[str, Any]:
        number = len(names)
        names.append(program.name)
        if wanted is None or wanted in (str(number), program.name):
            if not any(one.launched(program, number) for one in kernels):
                kernels.append(Compiled(program, [number]))
            if wanted is not None:
                raise Enough
        return {}

    try:
        with on_standard_error():
            run_script(file, gpu=GPU(config), before=before)
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
