"""Running a CUDA program: its host code as a process of its own (`warploom.cuda_cpp`), its launches on the current GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from warploom.checks.check import run_checked
from warploom.checks.report.findings import Finding
from warploom.cuda_cpp.allocations import Allocations
from warploom.cuda_cpp.program import is_host_program
from warploom.cuda_cpp.start import Started
from warploom.isa import uop as u
from warploom.isa.frontend import PATH, FrontEnd
from warploom.isa.program import Program
from warploom.isa.reading import error, read_bytes
from warploom.kernel.device.context import CURRENT
from warploom.kernel.programs import Kind
from warploom.result import Result

MEMORY_BYTES = (1 << 32) - (128 << 20)  # addresses have 32 bits; the last ones are windows of shared and local memory


def run(path: str | Path, arguments: Sequence[str], words: Sequence[str], started: Started | None = None) -> None:
    """Run a .cu file, or a host program that was built before. words: for the compiler, as nvcc takes them.
    started: its process, where that has begun already.

    Raises SystemExit with the program's exit status where that is not 0, SourceError, and KernelError for a kernel with a fault.
    """
    from warploom.cuda_cpp.program import run as run_program
    from warploom.cuda_cpp.words import BadWord, parse
    from warploom.kernel.launch.launch import KernelError

    read_bytes(path)  # says what is wrong with a file that cannot be read
    try:
        said = parse(words)
    except BadWord as wrong:
        raise error(path, str(wrong), "leave it out") from None
    try:
        device = CURRENT.context.device
    except (OSError, MemoryError):
        size = f"{CURRENT.context.memory_bytes / (1 << 30):.1f} GiB"
        said_so = f"there is no room for the device's memory, {size}: this shell allows fewer addresses, or the machine has less"
        raise error(path, said_so, "raise the limit (`ulimit -v unlimited`)") from None
    ended = run_program(path, arguments, said, device, launch, checked=CURRENT.check is not None, started=started)
    if ended.how:
        raise SystemExit(f"{path}: the program was ended by {ended.how}")
    if ended.failed is not None:
        raise KernelError("\n".join([ended.failed.summary(), *ended.failed.messages]), ended.failed, ended.status)
    if ended.status:
        raise SystemExit(ended.status)


def launch(program: Program, memory: Allocations) -> Result:
    """Run a launch as whoever watches launches wants it. memory: what the program has allocated."""
    context = CURRENT.context
    asked = CURRENT.check(program.name) if CURRENT.check is not None else None
    if asked is not None and CURRENT.checked is not None:
        device = context.device
        checker = memory.checker()
        report = run_checked(device.config, program, engine=device.engine, units=device.units, held=device.held, checker=checker, **asked)
        named = [memory.named(one) for one in report.findings]
        if not any(one.kind == "bounds" for one in named):
            named += [past_the_end(report.program, text) for text in memory.overwritten(checker)]
        memory.ran(checker)
        CURRENT.checked(replace(report, findings=tuple(named), warnings=tuple(map(memory.named, report.warnings))))
        result = report.result
    else:
        options = CURRENT.before(program, context.device) if CURRENT.before is not None else {}
        result = context.device.run(program, **options)
        memory.ran(None)
    context.note(result)
    if CURRENT.watch is not None:
        CURRENT.watch(result)
    return result


def past_the_end(program: Program, text: str) -> Finding:
    """The finding that a kernel has written past an allocation, at its first store to memory: which one it was is not known."""
    store, first = u.NUMBER["store"], 0
    for instruction in range(len(program.code)):
        begin, count = program.code[instruction, [u.FIRST_UOP, u.COUNT]].tolist()
        rows = program.uops[begin : begin + count]
        if ((rows[:, u.OP] == store) & (rows[:, u.SPACE] == u.GLOBAL_SPACE)).any():
            first = instruction
            break
    return Finding("bounds", text, "guard the stores, as in: if (i < n)", first, position=program.position(first))


KIND = Kind("cuda", (".cu",), run, "kernel<<<blocks, threads>>>(...)", MEMORY_BYTES, claims=is_host_program)
FRONT_END = FrontEnd("cuda", (".cu",), "warploom.kernel.frontend", "CUDA C++ with its host code (extra cc)", "sm", takes=(PATH,))
