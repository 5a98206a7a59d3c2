"""The front end: a Program from a cubin. One kernel of it is started."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from warploom.isa.c.buffers import shapes_of, unused, views_of
from warploom.isa.diagnostics import Diagnostic, Severity, nearest
from warploom.isa.frontend import Loaded, Options, Text
from warploom.isa.launch import Launch
from warploom.isa.launching import BufferError
from warploom.isa.program import Program, Source
from warploom.isa.reading import read_bytes
from warploom.isa.regions import Region
from warploom.isa.sass import cubin as cubins
from warploom.isa.sass.code import EXTRA, PREDICATES, SCALARS
from warploom.isa.sass.control.patches import patched
from warploom.isa.sass.control.roles import schedule_of
from warploom.isa.sass.cubin import RESERVED_BYTES, RESERVED_FROM, Cubin, Kernel
from warploom.isa.sass.host import FUNCTIONS, Printing
from warploom.isa.sass.instruction import Instruction
from warploom.isa.sass.launch import GLOBALS_BASE, SHARED, STACK_ARGUMENT, Placed, arguments_of, bank_of, placed, short_name
from warploom.isa.sass.linking import Addresses, in_memory, linked, unknown
from warploom.isa.sass.lowering import Lowered, host_addresses, instructions_of, lower, meets_of
from warploom.isa.sass.memory import pointer_of
from warploom.isa.sass.mufu.chosen import chosen as chosen_tables
from warploom.isa.sass.nvidia.sources import opened
from warploom.isa.sass.operands import PREDICATE, UNIFORM, UNIFORM_PREDICATE, Value
from warploom.isa.sass.products import refusal
from warploom.isa.sass.rows.flow import takes_turns
from warploom.isa.sass.table import meanings
from warploom.isa.uop import FILE, LINE

__all__ = ["load", "meanings"]  # what the table of front ends asks a module for

MOST_BLOCK = 1024
USUAL_BLOCK = 32
MOST_WARNED = 8
USUAL_STACK, MOST_STACK = 1024, 512 << 10  # of CUDA: the limit of a program that sets none, and the highest one


def load(source: Text, options: Options) -> Loaded:
    """A Program from a cubin. Raises SourceError, BufferError."""
    path = options.path or (str(source) if isinstance(source, Path) else "<bytes>")
    named = options.more.get("kernel") or options.more.get("launch") or None
    data = source if isinstance(source, bytes) else read_bytes(source)
    product = getattr(options.machine, "name", options.machine)
    found, made = opened(data, path, product, named, options.more.get("words") or ())
    _check_machine(found, options.machine)
    kernel = chosen(found, named)
    kernel = patched(path, kernel, found.architecture, options.more.get("patches") or ())
    launch = _launch(path, found, kernel, options)
    given = placed(path, kernel, arguments_of(kernel, found.sources), options.buffers, options.arguments)
    variables, addresses = _variables(found, [(region.base, region.end) for region in given.regions])
    symbols = Addresses(found, kernel, addresses)
    found, kernel = linked(found, kernel, symbols)
    banks = banks_of(found, kernel, launch, given.data, symbols)
    tables = chosen_tables(instructions_of(found, kernel), options.more.get("mufu"))
    lowered = lower(found, kernel, {number: len(data) for number, data in banks.items()}, tables.first)
    program = program_of(found, kernel, launch, lowered, banks, given, variables)
    by = (f"compiled by {made.maker} for sm_{found.architecture}",) if made.maker else ()
    program = replace(program, functions=tables.words, remarks=(*by, *tables.remarks))
    if host_addresses(found, kernel):
        program = replace(program, printing=Printing({start: in_memory(found)[number] for number, start in addresses.items()}))
    warnings = [
        *made.warnings,
        *warnings_of(found, kernel, program, lowered),
        *unused(given.given, given.regions, given.values, given.parameters, kernel.name),
    ]
    return Loaded(program, warnings)


def _check_machine(found: Cubin, machine: Any) -> None:
    """Raises BufferError for a product that refuses the code."""
    said = refusal(found.architecture, getattr(machine, "name", machine))
    if said is not None:
        raise BufferError(f"{found.path}: {said}")


def chosen(found: Cubin, name: str | None) -> Kernel:
    """The kernel of a name, of a function's own name, or of a number from 0; or the only one. Raises BufferError."""
    kernels = list(found.kernels.values())
    if name is None and len(kernels) == 1:
        return kernels[0]
    if name is not None:
        if name in found.kernels:
            return found.kernels[name]
        alike = [kernel for kernel in kernels if short_name(kernel.name) == name]
        if len(alike) == 1:
            return alike[0]
        if name.isdecimal() and int(name) < len(kernels):
            return kernels[int(name)]
    names = [short_name(kernel.name) for kernel in kernels]
    names = names if len(set(names)) == len(names) else [kernel.name for kernel in kernels]
    said = f"there is no kernel {name!r}{nearest(name, names)}" if name is not None else f"it has {len(kernels)} kernels"
    raise BufferError(f"{found.path}: {said}; say which one: --kernel {', or '.join(names)}")


def _launch(path: str, found: Cubin, kernel: Kernel, options: Options) -> Launch:
    """The grid that is asked for, or one block. Raises BufferError."""
    told = kernel.attributes
    block = options.block or told.block or USUAL_BLOCK
    try:
        if options.grid is not None:
            launch = Launch(block=block, grid=options.grid)
        elif options.threads is not None:
            launch = Launch(threads=options.threads, block=Launch(block=block, grid=1).block_threads)
        else:
            launch = Launch(block=block, grid=1)
    except ValueError as error:
        raise BufferError(f"{path}: {error}") from None
    name = short_name(kernel.name)
    most = min(told.most_threads or MOST_BLOCK, MOST_BLOCK)
    if not 0 < launch.block_threads <= most:
        raise BufferError(f"{path}: a block of {launch.block_threads} threads: the kernel {name!r} takes 1 to {most}")
    if told.block and tuple(told.block) != launch.block_dims:
        raise BufferError(
            f"{path}: the kernel {name!r} is compiled for blocks of {'x'.join(map(str, told.block))} threads: leave --block out"
        )
    dynamic = options.arguments.get(SHARED, 0)
    if not isinstance(dynamic, int | np.integer) or dynamic < 0:
        raise BufferError(f"{path}: {SHARED} = {dynamic!r}: it is how many bytes of dynamic shared memory a block has")
    static = kernel.shared_bytes
    if dynamic and not static and found.architecture >= RESERVED_FROM:
        static = RESERVED_BYTES
    return launch.changed(shared_bytes=static + int(dynamic), local_bytes=_stack(path, kernel, options), name=kernel.name)


def _stack(path: str, kernel: Kernel, options: Options) -> int:
    """Bytes of a thread's stack: what the compiler says, or of a kernel that calls functions the usual limit, which --arg changes."""
    told = options.arguments.get(STACK_ARGUMENT)
    if told is None:
        return max(kernel.stack_bytes, USUAL_STACK) if len(kernel.labels) > 1 else kernel.stack_bytes
    if not isinstance(told, int | np.integer) or not kernel.stack_bytes <= told <= MOST_STACK:
        raise BufferError(
            f"{path}: {STACK_ARGUMENT} = {told!r}: it is how many bytes of stack a thread has, {kernel.stack_bytes} to {MOST_STACK}"
        )
    return -(-int(told) // 16) * 16


def _variables(found: Cubin, taken: list[tuple[int, int]]) -> tuple[list[Region], dict[int, int]]:
    """(regions of the file's variables, where each of their sections begins)."""
    regions: list[Region] = []
    addresses: dict[int, int] = {}
    at = GLOBALS_BASE
    for number, data in in_memory(found).items():
        size = -(-len(data) // 4) * 4
        while any(start < at + size and at < end for start, end in taken):
            at = max(end for start, end in taken if start < at + size and at < end) + 255 & ~255
        addresses[number] = at
        if size:
            regions.append(Region("variables" if not regions else f"variables{len(regions)}", at, size, data=np.frombuffer(data, np.uint8)))
        at += size + 255 & ~255
    return regions, addresses


def banks_of(found: Cubin, kernel: Kernel, launch: Launch, data: bytes, addresses: Addresses) -> dict[int, bytes]:
    """The constant banks of a launch, with the addresses of variables and functions."""
    banks = {number: bytearray(data) for number, data in {**found.banks, **kernel.own_constants}.items()}
    for number, section in found.bank_sections.items():
        for one in found.relocations.get(section, ()):
            size = 8 if one.kind == cubins.ABSOLUTE64 else 4
            base = addresses.of(one.symbol)
            if base is None or number not in banks or one.place + size > len(banks[number]):
                continue
            old = int.from_bytes(banks[number][one.place : one.place + size], "little")
            value = base + (one.addend or old)
            banks[number][one.place : one.place + size] = (value % (1 << 8 * size)).to_bytes(size, "little")
    return {
        0: bank_of(kernel, launch, data, found.architecture, addresses.constants),
        **{number: bytes(data) for number, data in banks.items() if number},
    }


def warnings_of(found: Cubin, kernel: Kernel, program: Program, lowered: Lowered) -> list[Diagnostic]:
    """What a kernel's user is told of its file and its code before it runs."""
    return [*found.warnings, *_refusals(program, lowered), *_missing(found, kernel), *_turns(program, lowered)]


def _missing(found: Cubin, kernel: Kernel) -> list[Diagnostic]:
    """A warning for each function that a kernel calls, the file does not have, and the host does not supply."""
    names = {found.symbols[number].name for number in kernel.attributes.externals if number < len(found.symbols)}
    said = "is a function that neither the file nor this machine has; a call of it stops the run"
    open_ends = [
        Diagnostic(
            Severity.WARNING, f"addresses of kind {kind} in its code are left as they are: results may be wrong; link it with nvlink"
        )
        for kind in sorted(unknown(found, kernel))
    ]
    return open_ends + [Diagnostic(Severity.WARNING, f"{name} {said}") for name in sorted(names - set(FUNCTIONS)) if name.isprintable()]


def _taking_turns(lowered: Lowered) -> tuple[int, ...]:
    """The instructions from which on parts of a warp take turns, where a sum over lanes depends on that."""
    if not any(one.name == "REDUX" for one in lowered.instructions):
        return ()
    return tuple(number for number, one in enumerate(lowered.instructions) if one.name == "WARPSYNC" and takes_turns(one))


def _turns(program: Program, lowered: Lowered) -> list[Diagnostic]:
    """A warning where parts of a warp take turns, the code does not say until where, and a sum over lanes depends on that."""
    names = {one.name for one in lowered.instructions}
    meets = meets_of(lowered.instructions)
    together = [
        number
        for number, one in enumerate(lowered.instructions)
        if one.name == "WARPSYNC" and takes_turns(one) and not (one.address in meets and one.guard.true)
    ]
    if not together or "REDUX" not in names:
        return []
    said = f"WARPSYNC.EXCLUSIVE at {program.place_text(together[0])}: parts of a warp take turns there, which this machine runs together"
    return [Diagnostic(Severity.WARNING, f"{said}: sums over a part (REDUX) may take in lanes of another one")]


def _refusals(program: Program, lowered: Lowered) -> list[Diagnostic]:
    """A warning for each instruction that stops the run."""
    found: dict[tuple[str, str], list[int]] = {}
    for one in lowered.refused:
        name = lowered.instructions[one.number].name or program.text[one.number]
        found.setdefault((name, one.reason), []).append(one.number)
    warnings = []
    for (name, reason), numbers in list(found.items())[:MOST_WARNED]:
        where = program.place_text(numbers[0])
        times = f" and {len(numbers) - 1} more" if len(numbers) > 1 else ""
        warnings.append(Diagnostic(Severity.WARNING, f"{name} at {where}{times}: {reason}; the run stops there"))
    return warnings


def program_of(
    found: Cubin, kernel: Kernel, launch: Launch, lowered: Lowered, banks: dict[int, bytes], given: Placed, variables: list[Region]
) -> Program:
    constants = lowered.constants(banks)
    more: dict[str, Any] = views_of(given.regions, shapes_of(given.given))
    registers = kernel.registers
    return Program(
        isa=f"sass-{found.architecture}",
        name=short_name(kernel.name),
        uops=lowered.filled(constants),
        code=lowered.code,
        text=lowered.text,
        registers=registers + EXTRA,
        counted_registers=registers,
        register_names=(*(f"R{number}" for number in range(registers)), *_names(lowered, PREDICATE, "P", PREDICATES), ""),
        scalars=SCALARS,
        scalar_names=(*_names(lowered, UNIFORM, "UR", 63), "", *_names(lowered, UNIFORM_PREDICATE, "UP", PREDICATES), ""),
        sources=_used(found.sources, lowered.code),
        launch=launch,
        regions=(*given.regions, *variables) or (Region("memory", BUFFER_OF_NOTHING, 4),),
        constants=constants,
        labels={name: lowered.number_of[address] for address, name in sorted(kernel.labels.items()) if address in lowered.number_of},
        refused={one.number: one.reason for one in lowered.refused},
        pointers={number: pair for number, one in enumerate(lowered.instructions) if (pair := pointer_of(one)) is not None},
        schedule=schedule_of(lowered.instructions),
        turns=_taking_turns(lowered),
        **more,
    )


def _names(lowered: Lowered, kind: str, letter: str, count: int) -> list[str]:
    """The names of registers of a kind up to the highest that the code names, and "" for the others, which no view shows."""
    named = [value for one in lowered.instructions for value in _registers(one)]
    most = max((value.number for value in named if value.kind == kind and value.number < count), default=-1)
    most = count if kind == PREDICATE and any(value.kind == "PR" for value in named) else most + (kind == UNIFORM)  # it may be a pair
    return [f"{letter}{number}" if number <= most else "" for number in range(count)]


def _registers(one: Instruction) -> list[Value]:
    return [one.guard, *one.values.values()] if one.row is not None else []


def _used(sources: Sequence[Source], code: np.ndarray) -> tuple[Source, ...]:
    """The sources of a file, those without their text that nothing of a kernel comes from."""
    files = {file for line, file in code[:, [LINE, FILE]].tolist() if line}
    return tuple(source if number in files else Source("", source.path) for number, source in enumerate(sources))


BUFFER_OF_NOTHING = GLOBALS_BASE  # a kernel without buffers and variables has a word of memory
