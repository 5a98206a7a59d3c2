"""The whole way from a guppy text to a Program: parse, bind, check the names, lower."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from warploom.isa import uop as u
from warploom.isa.diagnostics import Diagnostic, Diagnostics, closest
from warploom.isa.frontend import Loaded, Options, Text
from warploom.isa.guppy.bindings import AnyBinding, Binding, BindingError, SamplerBinding, bound_to, lay_out, sampler
from warploom.isa.guppy.lines import KINDS, USUAL, from_words
from warploom.isa.guppy.lower import Names, Place, lower
from warploom.isa.guppy.operands import COMPONENTS, Immediate, Label, Operand, Register, Sampler, View
from warploom.isa.guppy.parser import Directive, Listing, Statement, parse
from warploom.isa.guppy.table import BY_MNEMONIC, NEVER_FALLS_THROUGH
from warploom.isa.launching import started
from warploom.isa.program import Launch, Position, Program, Source
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.reading import text_of
from warploom.isa.views import F_WORD, VIEW_BASE

USUAL_GROUP = 32  # threads a group when nothing is said: one warp of the article's examples
MOST_THREADS = (1 << 31) - 1
LOCK_WIDTH = len(COMPONENTS)


def assemble(
    text: str,
    path: str = "<text>",
    bindings: Iterable[AnyBinding] | None = None,
    group_size: int | None = None,
    groups: int | None = None,
) -> Program:
    """A Program from guppy text.

    path: the name in messages, and the folder that pictures are looked for in. bindings: replace or extend the
    directives' (see `binding`). group_size, groups: threads per block and blocks, instead of `.group` and
    `.threads`. Raises SourceError with every mistake of the text, BindingError for sizes that cannot be.
    """
    return assemble_with_warnings(text, path, bindings, group_size, groups)[0]


def assemble_with_warnings(
    text: str,
    path: str = "<text>",
    bindings: Iterable[AnyBinding] | None = None,
    group_size: int | None = None,
    groups: int | None = None,
) -> tuple[Program, list[Diagnostic]]:
    """As `assemble`, and everything that is allowed in the text and most likely not meant."""
    source = Source(text, path)
    diagnostics = Diagnostics(source)
    listing = parse(source, diagnostics)
    bound, sizes = _directives(listing.directives, Path(path).parent, diagnostics)
    for item in bindings or ():
        bound[item.name] = item
    if not listing.statements and not diagnostics.errors:
        diagnostics.error(Position(), "there is no instruction in this text", fix="a program is at least `ret`")
    _end(listing, diagnostics)
    _check(listing, bound, diagnostics)
    diagnostics.raise_if_errors()
    return _build(listing, source, bound, _launch(sizes, group_size, groups)), diagnostics.warnings


def load(source: Text, options: Options) -> Loaded:
    """The front end: a Program from a file or bytes of source text. Raises SourceError, BindingError, BufferError.

    A buffer that is given has the size of what it is given, whatever its directive says; a picture keeps the directive's format.
    """
    path = options.path or (str(source) if isinstance(source, Path) else "<bytes>")
    if options.threads == 0:
        raise BindingError("threads = 0: a program of guppy is started with at least 1 thread")
    text = text_of(source, path)
    listing = parse(Source(text, path), Diagnostics(Source(text, path)))
    named = _directives(listing.directives, Path(path).parent, Diagnostics(Source(text, path)))[0] if options.buffers else {}
    bindings = [bound_to(name, contents, named.get(name)) for name, contents in options.buffers.items()]
    program, warnings = assemble_with_warnings(text, path, bindings)
    return Loaded(started(program, replace(options, buffers={})), warnings)


# ---------------------------------------------------------------------------------------------------------
# Directives


def _directives(directives: list[Directive], folder: Path, diagnostics: Diagnostics) -> tuple[dict[str, AnyBinding], dict[str, int]]:
    """Bindings by name and the launch's sizes, as the text's directives say."""
    bound: dict[str, AnyBinding] = {}
    lines: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for directive in directives:
        words = [word for word, _ in directive.words]
        length = directive.words[-1][1] + len(words[-1]) - directive.position.column
        name = words[0]
        if name in ("threads", "group"):
            if len(words) != 2 or not re.fullmatch(r"\d{1,10}", words[1]) or not 1 <= int(words[1]) <= MOST_THREADS:
                diagnostics.error(directive.position, f".{name} takes one number from 1 to {MOST_THREADS}", length, f"write .{name} 64")
            elif name in sizes:
                diagnostics.error(directive.position, f".{name} is written twice, first in line {lines[name]}", length, "remove one")
            else:
                sizes[name], lines[name] = int(words[1]), directive.position.line
        elif name not in KINDS:
            known = ("threads", "group", *KINDS)
            near = closest(name, known)
            fix = f"did you mean .{near}?" if near else f"there are {', '.join('.' + one for one in known)}"
            diagnostics.error(directive.position, f"there is no directive .{name}", len(name) + 1, fix)
        else:
            try:
                item = from_words(words, folder)
            except BindingError as error:
                diagnostics.error(directive.position, str(error), length, f"a {name} is bound as in .{USUAL[name]}")
                continue
            if item.name in bound:
                message = f"{item.name} is bound twice, first in line {lines[item.name]}"
                diagnostics.error(directive.position, message, length, "remove one or choose a different number")
            else:
                bound[item.name], lines[item.name] = item, directive.position.line
    return bound, sizes


def _launch(sizes: dict[str, int], group_size: int | None, groups: int | None) -> Launch:
    for what, value in (("group_size", group_size), ("groups", groups)):
        if value is not None and not 1 <= value <= MOST_THREADS:
            raise BindingError(f"{what} = {value}: it must be from 1 to {MOST_THREADS}")
    threads = sizes.get("threads")
    size = group_size or sizes.get("group") or min(threads or USUAL_GROUP, USUAL_GROUP)
    if groups is not None or threads is None:
        threads = size * (groups or 1)
    return Launch(threads=threads, block=size)


# ---------------------------------------------------------------------------------------------------------
# Checks that need the whole text


def _end(listing: Listing, diagnostics: Diagnostics) -> None:
    """A program that can run off its end, or jumps there, gets a `ret`."""
    statements = listing.statements
    if not statements:
        return
    last = statements[-1]
    jumped = [operand for statement in statements for operand in statement.operands if isinstance(operand, Label)]
    beyond = any(listing.labels.get(label.name) == len(statements) for label in jumped)
    if last.row.mnemonic in NEVER_FALLS_THROUGH and not beyond:
        return
    what = "a label after the last instruction is used" if beyond else "the program runs off its end"
    diagnostics.warning(last.position, f"{what}; a `ret` is added there", len(str(last)), "end the program with `ret`")
    statements.append(Statement(BY_MNEMONIC["ret"], (), last.position))


def _check(listing: Listing, bound: dict[str, AnyBinding], diagnostics: Diagnostics) -> None:
    for statement in listing.statements:
        for operand, (column, length) in zip(statement.operands, statement.spans, strict=False):
            position = Position(statement.position.line, column)
            if isinstance(operand, Label) and operand.name not in listing.labels:
                near = closest(operand.name, listing.labels)
                fix = f"did you mean {near!r}?" if near else f"write `{operand.name}:` on a line of its own where it goes"
                diagnostics.error(position, f"there is no label {operand.name!r}", length, fix)
            elif isinstance(operand, View):
                _check_view(statement, operand, bound.get(operand.name), position, length, diagnostics)
            elif isinstance(operand, Sampler):
                bound.setdefault(operand.name, sampler(operand.name))
        _check_components(statement, diagnostics)


def _check_view(
    statement: Statement, view: View, item: AnyBinding | None, position: Position, length: int, diagnostics: Diagnostics
) -> None:
    mnemonic = statement.row.mnemonic
    if item is None:
        usual = {"ld": "buffer", "sample": "texture", "st": "buffer"}[mnemonic]
        line = USUAL[usual].split(" ", 2)
        fix = f"write a directive, as in .{usual} {view.name} {line[2]}"
        diagnostics.error(position, f"{view.name} is not bound to anything", length, fix)
        return
    assert isinstance(item, Binding)
    if mnemonic == "ld" and item.form != F_WORD:
        diagnostics.error(
            position, f"{view.name} is a texture, and ld reads buffers", length, f"write sample, or bind {view.name} as a buffer"
        )
    if mnemonic == "sample" and item.form == F_WORD:
        diagnostics.error(
            position, f"{view.name} is a buffer, and sample reads textures", length, f"write ld, or bind {view.name} as a texture"
        )


def _check_components(statement: Statement, diagnostics: Diagnostics) -> None:
    """Warn where a component reads as 0 because nothing names it, or is written twice."""

    def warn(index: int, message: str, fix: str) -> None:
        column, length = statement.spans[index]
        diagnostics.warning(Position(statement.position.line, column), message, length, fix)

    operands, row = statement.operands, statement.row
    if not operands or not row.syntax.startswith(("d", "u")):
        return
    target = operands[0]
    assert isinstance(target, Register | View)
    if isinstance(target, Register) and len(set(target.swizzle)) < len(target.swizzle):
        warn(0, f"{target} writes a component twice; the later value stays", "name each component once")
    needed = len(target.swizzle)
    if row.recipe in ("length", "load", "sample"):
        sources = [1] if row.recipe != "length" else []
    elif row.recipe == "store":
        sources, needed = [2], max(target.swizzle) + 1
    else:
        sources = list(range(1, len(operands)))
    for index in sources:
        given = _given(operands[index])
        if given < needed:
            missing = "" if needed - given == 1 else "s"
            which = COMPONENTS[given:needed] if row.recipe == "store" else f"{needed - given}"
            text = f"{operands[index]} gives {given} of the {needed} components that are needed; the other{missing} ({which}) read as 0"
            warn(index, text, "name them all, as in r0.xxxx for one value in all four")


def _given(operand: Operand) -> int:
    if isinstance(operand, Register | View):
        return len(operand.swizzle)
    return len(operand.words) if isinstance(operand, Immediate) else len(COMPONENTS)


# ---------------------------------------------------------------------------------------------------------
# The program


def _build(listing: Listing, source: Source, bound: dict[str, AnyBinding], launch: Launch) -> Program:
    layout = lay_out(bound.values())
    views = {}
    for row, name in enumerate(layout.view_names):
        item = bound[name]
        assert not isinstance(item, SamplerBinding)
        views[name] = Place(row, int(layout.views[row, VIEW_BASE]), item.form != F_WORD)
    names = Names(listing.labels, views, {name: row for row, name in enumerate(layout.sampler_names)})
    builder = ProgramBuilder(lock_width=LOCK_WIDTH)
    for statement in listing.statements:
        arithmetic = statement.row.latency not in (u.L_MEMORY, u.L_CONTROL)
        builder.add(
            lower(statement, names),
            text=str(statement),
            position=statement.position,
            unit=u.ALU if arithmetic else u.NONE,
            latency=statement.row.latency,
        )
    uops, code, lines = builder.arrays()
    used = [operand.number for statement in listing.statements for operand in statement.operands if isinstance(operand, Register)]
    count = max(used, default=0) + 1
    return Program(
        isa="guppy",
        name=Path(source.path).stem,
        uops=uops,
        code=code,
        text=lines,
        registers=LOCK_WIDTH * count,
        register_names=tuple(f"r{number}.{letter}" for number in range(count) for letter in COMPONENTS),
        sources=(source,),
        launch=launch,
        data=layout.data,
        memory_bytes=len(layout.data),
        labels=dict(listing.labels),
        lock_width=LOCK_WIDTH,
        views=layout.views,
        view_names=layout.view_names,
        samplers=layout.samplers,
    )
