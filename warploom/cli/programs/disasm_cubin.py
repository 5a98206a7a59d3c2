"""`warploom disasm kernel.cubin`: NVIDIA's machine code, kernel by kernel, with its control words, below the lines that it was made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from warploom.cli.common import UserError, print_json, say, write_file
from warploom.isa.reading import read_bytes

if TYPE_CHECKING:
    from warploom.isa.sass.cubin import Cubin, Kernel
    from warploom.isa.sass.instruction import Instruction

HEAD = f"{'':4}{'address':>8}  {'control':<17} instruction"
TEXT = 52  # columns of an instruction, where something stands after it
LEGEND = (
    "control: cycles until the next instruction may issue; y where a different warp is preferred then;",
    "         the scoreboards that the result and the sources set; the scoreboards that are waited for",
)


def disassembled(file: str, output: str | None, kernel: str | None, as_json: bool, in_words: bool = False, ptx: bool = False, *,
    gpu: str | None = None, told: Sequence[str] = (),
) -> None:  # fmt: skip
    """The listing of a cubin, or of one of its kernels. in_words: control words are told. ptx: the PTX stands above.

    gpu, told: for which product a text is compiled, and the compiler's words.

    Raises SourceError, BufferError, UserError.
    """
    from warploom.isa.sass.front_end import chosen
    from warploom.isa.sass.nvidia.sources import opened

    found, _ = opened(read_bytes(file), file, gpu, kernel, told)
    if ptx and not found.ptx.lines:
        raise UserError(f"--ptx: {file} does not have the PTX that it was made of: compile it with -lineinfo")
    kernels = [chosen(found, kernel)] if kernel is not None else list(found.kernels.values())
    functions = list(found.functions.values()) if kernel is None else []
    head = f"{file}: sm_{found.architecture}, {_count(len(kernels), 'kernel')}"
    text = "\n".join([head, *LEGEND, *_listing(found, [*kernels, *functions], in_words, ptx)]) + "\n"
    if output and output != "-":
        write_file(output, text)
    if as_json:
        body = {"isa": "sass", "architecture": found.architecture, "file": file, "output": output}
        print_json(body | {"kernels": [_as_dict(found, one) for one in [*kernels, *functions]]})
    elif output and output != "-":
        say(f"{_count(len(kernels), 'kernel')} written to {output}", err=True)
    else:
        say(text, nl=False)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _instructions(found: Cubin, kernel: Kernel) -> list[Instruction]:
    from warploom.isa.sass.lowering import useful

    return list(useful(kernel.code, found.architecture))


def _parameters(found: Cubin, kernel: Kernel) -> list[str]:
    from warploom.isa.sass.launch import arguments_of

    first, rows = kernel.attributes.base, []
    for one in arguments_of(kernel, found.sources):
        kind = one.dtype or (f"{one.element} *" if one.pointer else "")
        rows.append(f"{one.name} c[0x0][{first + one.offset:#x}] {one.size} bytes" + (f" ({kind})" if kind else ""))
    return rows


def _labels(kernel: Kernel, instructions: list[Instruction]) -> dict[int, str]:
    """Names of functions inside, and of the places that are jumped to."""
    inside = {one.address for one in instructions}
    names = {address: name for address, name in kernel.labels.items() if address}
    targets = sorted({one.target for one in instructions if one.target in inside and one.name in ("BRA", "BSSY")} - set(names) - {None})
    return names | {address: f"L{number}" for number, address in enumerate(targets, start=1) if address is not None}


def _listing(found: Cubin, kernels: list[Kernel], in_words: bool, ptx: bool) -> Iterator[str]:
    from warploom.isa.sass.control import words
    from warploom.isa.sass.launch import short_name

    for kernel in kernels:
        instructions = _instructions(found, kernel)
        name = short_name(kernel.name)
        yield ""
        yield f"{name}:" + (f"  // {kernel.name}" if name != kernel.name else "")
        static = f"{kernel.shared_bytes} bytes of shared memory"
        yield f"    {len(instructions)} instructions, {kernel.registers} registers, {static}, {kernel.stack_bytes} bytes of stack a thread"
        yield from (f"    {line}" for line in _parameters(found, kernel))
        yield HEAD
        labels, before = _labels(kernel, instructions), None
        of_ptx, line_before = (found.ptx.lines.get(kernel.section, {}) if ptx else {}), 0
        for one in instructions:
            position = kernel.lines.get(one.address)
            if position is not None and position != before:
                source = found.sources[position.file]
                lines = source.lines
                text = lines[position.line - 1].strip() if position.line <= len(lines) else ""
                yield f"  // {source.path.rpartition('/')[2]}:{position.line}{f': {text}' if text else ''}"
                before = position
            line = of_ptx.get(one.address, 0)
            if 0 < line <= len(found.ptx.text) and line != line_before:
                yield f"    // {found.ptx.text[line - 1].strip()}"
                line_before = line
            if one.address in labels:
                yield f"{labels[one.address]}:"
            told = f"  // {words.in_words(one.control)}" if in_words else ""
            yield f"    {one.address:8x}  {one.control!s:<17} {one.text(labels):<{TEXT * in_words}}{told}"


def _as_dict(found: Cubin, kernel: Kernel) -> dict[str, Any]:
    from warploom.isa.sass.control.words import in_words

    rows = [
        {
            "address": one.address, "word": f"{one.word:#034x}", "text": one.text(), "control": dict(one.control._asdict()),
            "control_text": in_words(one.control),
            "line": kernel.lines[one.address].line if one.address in kernel.lines else 0,
        }
        for one in _instructions(found, kernel)
    ]  # fmt: skip
    sizes = {"registers": kernel.registers, "shared_bytes": kernel.shared_bytes, "stack_bytes": kernel.stack_bytes}
    return {"kernel": kernel.name, **sizes, "parameters": _parameters(found, kernel), "instructions": rows}
