"""Reads README.md and docs/: finds what is executed there, executes it, and knows the tables that are made from the source.

    python -m tests.documentation    write every table, and every output that no longer fits, anew

What a page may hold:

* ```` ```console ````: lines that begin with `$ ` are commands (`warploom ...` or `python ...`), what follows is their
  output, both streams as they come. `...` stands for any text, also over several lines.
* ```` ```python ```` with `>>>`: a doctest, compared in the same way. Without: executed as it stands. A page shares its names.
* any fence with `title="name"`: written to that file before the page's next command.
* `<!-- table: NAME -->` up to `<!-- end of table -->`: what TABLES[NAME] gives.

Commands run in an empty directory in which only `examples` can be seen.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from tests import warm as warm_process
from tests.places import ROOT

PAGES = tuple(sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")]))
SECONDS = 1800  # that one command may take before it counts as hung: the first native run compiles, on a busy machine for minutes

COLD = (ROOT / "README.md", ROOT / "docs/reference/command-line.md")  # pages whose commands start as from a shell: each command once

BLANK = "<BLANKLINE>"  # how doctest writes an empty line of an output

COLUMNS = 80  # of the terminal in which the commands of a page are run

FENCE = re.compile(r'^```(?P<language>\w+)?(?: +title="(?P<title>[^"]+)")?\s*$')
TABLE = re.compile(r"<!-- table: (?P<name>[\w-]+) -->\n(?P<body>.*?)<!-- end of table -->", re.DOTALL)


@dataclass
class Block:
    """A fenced block. line: of its first line of text, from 1. text: without the fences."""

    language: str
    title: str
    line: int
    text: str


@dataclass
class Command:
    """One command of a console block and the output that the page shows."""

    line: int
    command: str
    expected: list[str] = field(default_factory=list)


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order. Raises ValueError for a fence that is never closed."""
    lines = iter(enumerate(text.splitlines(), 1))
    for number, line in lines:
        opening = FENCE.match(line)
        if not opening:
            continue
        body: list[str] = []
        for _, inner in lines:
            if inner.rstrip() == "```":
                break
            body.append(inner)
        else:
            raise ValueError(f"the fence in line {number} is never closed")
        yield Block(opening["language"] or "", opening["title"] or "", number + 1, "\n".join(body) + "\n")


def commands(block: Block) -> list[Command]:
    """The commands of a console block. Raises ValueError where text stands above the first one."""
    found: list[Command] = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            found.append(Command(number, line[2:]))
        elif not found:
            raise ValueError(f"line {number}: a console block begins with a command, `$ warploom ...`")
        else:
            found[-1].expected.append(line)
    return found


def execute(command: str, folder: Path, warm: bool = False) -> list[str]:
    """The output of a command, without blanks at the ends of lines and empty lines at the end.

    warm: in a process that has imported what a command imports, where there can be one.
    """
    program, *arguments = shlex.split(command)
    start = {"warploom": [sys.executable, "-m", "warploom"], "python": [sys.executable]}
    if program not in start:
        raise ValueError(f"{command!r}: an example is a command of warploom or python")
    environment = os.environ | {
        "COLUMNS": str(COLUMNS),
        "NO_COLOR": "1",
        "TERM": "dumb",
        "PYTHONPATH": str(ROOT),
        "PYTHONIOENCODING": "utf-8",
    }
    if warm and program == "warploom" and warm_process.FORKS:
        return clean(warm_process.run(arguments, folder, environment, SECONDS).decode("utf-8").splitlines())
    done = subprocess.run(
        [*start[program], *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        check=False,
    )
    return clean(done.stdout.decode("utf-8").splitlines())


def clean(lines: list[str]) -> list[str]:
    """Lines without blanks at their ends and without empty lines at the end."""
    kept = [line.rstrip() for line in lines]
    while kept and not kept[-1]:
        kept.pop()
    return kept


def fits(expected: list[str], output: list[str]) -> bool:
    """Whether an output is the expected one, in which `...` stands for any text."""
    parts = (re.escape(part) for part in "\n".join(clean(expected)).split("..."))
    return re.fullmatch(".*".join(parts), "\n".join(output), re.DOTALL) is not None


@dataclass
class Example:
    """What came of one example: where it stands, what it is, the text that the page shows and the one that came out."""

    line: int
    what: str
    expected: str
    output: str
    good: bool


class Workplace:
    """Where a page's examples run: a directory, and a module that holds the names of its Python examples. warm: as of `execute`."""

    def __init__(self, folder: Path, name: str = "documentation_example", warm: bool = False) -> None:
        self.folder = folder
        self.warm = warm
        (folder / "examples").symlink_to(ROOT / "examples")
        self.module = ModuleType(name)
        sys.modules[name] = self.module

    def run(self, block: Block) -> Iterator[Example]:
        """Execute a block, if it is one that can be. Has to be called in the directory."""
        if block.title:
            (self.folder / block.title).write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            for command in commands(block):
                output = execute(command.command, self.folder, self.warm)
                good = fits(command.expected, output)
                yield Example(command.line, command.command, "\n".join(clean(command.expected)), "\n".join(output), good)
        elif block.language == "python" and ">>>" in block.text:
            yield from self._doctest(block)
        elif block.language == "python":
            exec(compile(block.text, "<documentation>", "exec"), self.module.__dict__)

    def _doctest(self, block: Block) -> Iterator[Example]:
        test = doctest.DocTestParser().get_doctest(_marked(block.text), {}, "example", None, block.line)
        test.globs = self.module.__dict__
        runner = Doctests(verbose=False)
        runner.run(test, out=lambda _: None, clear_globs=False)
        for number, step in enumerate(test.examples):
            output = runner.wrong.get(number, step.want)
            want = "".join(f"{line}\n" for line in clean(step.want.replace(BLANK, "").splitlines()))
            yield Example(block.line + step.lineno, step.source.rstrip("\n"), want, output, number not in runner.wrong)


def _marked(text: str) -> str:
    """The text of a doctest as doctest wants it: empty lines of outputs, which end at the next `>>>`, are marked."""
    lines = text.splitlines()
    following = [next((line for line in lines[number + 1 :] if line.strip()), ">>>") for number in range(len(lines))]
    return "".join(f"{line if line.strip() or after.startswith('>>>') else BLANK}\n" for line, after in zip(lines, following, strict=True))


class Lines(doctest.OutputChecker):
    """Compares as the console examples do: `...` stands for any text, blanks at the ends of lines count for nothing."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        """Whether an output is the one that was wanted."""
        return fits(want.replace(BLANK, "").splitlines(), clean(got.splitlines()))


class Doctests(doctest.DocTestRunner):
    """Runs doctests and keeps what differs: the output of an example, or its exception, by the example's number."""

    def __init__(self, verbose: bool) -> None:
        super().__init__(checker=Lines(), verbose=verbose)
        self.wrong: dict[int, str] = {}

    def report_failure(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        """Called by doctest where the output is another one."""
        lines = clean(got.splitlines())
        self.wrong[test.examples.index(example)] = "".join(f"{line}\n" for line in lines)

    def report_unexpected_exception(self, out: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any) -> None:
        """Called by doctest where an exception ends an example."""
        self.wrong[test.examples.index(example)] = "".join(traceback.format_exception(exc_info[1]))


def examples(page: Path, folder: Path) -> Iterator[Example]:
    """Execute everything on a page, in order. Has to be called with `folder` as the current directory."""
    workplace = Workplace(folder, warm=page not in COLD)
    for block in blocks(page.read_text(encoding="utf-8")):
        yield from workplace.run(block)


# ---------------------------------------------------------------------------------------------------------
# Tables that are made from the source


def _tiny() -> str:
    from warploom.isa import tiny

    return tiny.markdown_table()


def _guppy() -> str:
    from warploom.isa import guppy

    return guppy.markdown()


def _riscv() -> str:
    from warploom.isa.riscv.table import INSTRUCTIONS

    rows = [(f"`{row.syntax}`", row.extension, f"`{row.encoding.text}`", row.meaning) for row in INSTRUCTIONS]
    return _table(("instruction", "extension", "encoding, from the highest bit", "meaning"), rows)


def _avx512() -> str:
    from warploom.isa.avx512.table import INSTRUCTIONS

    found: dict[str, tuple[str, str, str]] = {}
    for row in INSTRUCTIONS:
        found.setdefault(row.mnemonic, (f"`{row.syntax}`", f"`{row.encoding_text}`", row.meaning))
    return _table(("instruction", "encoding", "meaning"), list(found.values()))


def _gcn() -> str:
    from warploom.isa.gcn.table import INSTRUCTIONS

    found = [row for row in INSTRUCTIONS if not row.mnemonic.startswith(("v_cmpx_", "v_cmp_")) or "class" in row.mnemonic]
    found = [row for row in found if not row.mnemonic.startswith(("flat_", "scratch_", "v_cmpx_class"))]
    return _table(("instruction", "format", "meaning"), [(f"`{row.syntax}`", f"{row.format} {row.opcode}", row.meaning) for row in found])


def _five_ways() -> str:
    from warploom.study.five_ways.notations import NOTATIONS

    rows = [(name, f"`{mnemonic}`", meaning) for name, row in NOTATIONS.items() for mnemonic, meaning in row.masks.items()]
    return _table(("notation", "mask instruction", "meaning"), rows)


def _riscv_registers() -> str:
    from warploom.isa.riscv.csr import CSRS

    return _table(("register", "number", "meaning"), [(f"`{csr.name}`", f"`{csr.number:#05x}`", csr.meaning) for csr in CSRS])


def _vortex() -> str:
    from warploom.isa.vortex.generation import GENERATIONS
    from warploom.isa.vortex.simt import rows

    found: dict[tuple[str, str, str], list[str]] = {}
    for number, generation in GENERATIONS.items():
        for row in rows(generation):
            found.setdefault((row.syntax, row.encoding.text, row.meaning), []).append(str(number))
    table = [(f"`{syntax}`", ", ".join(numbers), f"`{text}`", meaning) for (syntax, text, meaning), numbers in found.items()]
    return _table(("instruction", "generations", "encoding, from the highest bit", "meaning"), table)


def _vortex_registers() -> str:
    from warploom.isa.vortex.csr import csrs
    from warploom.isa.vortex.generation import GENERATIONS

    found: dict[tuple[str, int, str], list[str]] = {}
    for number in (2022, 2024):
        for csr in csrs(GENERATIONS[number]).values():
            if not csr.name.startswith("mpm_"):
                found.setdefault((csr.name, csr.number, csr.meaning), []).append(str(number))
    rows = [(f"`{name}`", f"`{place:#05x}`", ", ".join(numbers), meaning) for (name, place, meaning), numbers in sorted(found.items())]
    return _table(("register", "number", "generations", "meaning"), rows)


def _vortex_counters() -> str:
    from warploom.isa.uop import PERFORMANCE_COUNTERS
    from warploom.isa.vortex.counters import CORE_CLASS, MEMORY_CLASS, layout
    from warploom.isa.vortex.generation import GENERATIONS

    columns = [layout(GENERATIONS[2021]), layout(GENERATIONS[2022])]
    columns += [layout(GENERATIONS[2024], chosen) for chosen in (CORE_CLASS, MEMORY_CLASS)]
    rows: list[tuple[str, ...]] = []
    for counter, meaning in PERFORMANCE_COUNTERS.items():
        places = [[f"`{number:#05x}`" for number, (_, name) in column.items() if name == counter] for column in columns]
        if any(places):
            rows.append((*(", ".join(place) for place in places), meaning))
    return _table(("2021", "2022", "2024, class 1", "2024, class 2", "what it counts"), rows)


def _fills() -> str:
    from warploom.isa.guppy import FILLS

    return _table(("fill", "what the buffer holds"), [(f"`{name}`", meaning) for name, meaning in FILLS.items()])


def _agreement() -> str:
    from tests.guppy_history import agreement

    head = ("run", "cycles", "here", "hits", "misses", "here: hits", "misses", "second cache: hits", "misses", "here: misses")
    return _table(head, agreement())


def _operations() -> str:
    from warploom.isa import uop as u

    rows = [(f"`{row.name}`", u.UNITS[row.unit], u.LATENCIES[row.latency], f"`{row.operands}`", row.meaning) for row in u.OPERATIONS]
    return _table(("operation", "unit", "latency", "operands", "meaning"), rows)


def _special_registers() -> str:
    from warploom.isa.uop import SPECIAL_REGISTERS

    return _table(("register", "what it holds"), [(f"`{name}`", meaning) for name, meaning in SPECIAL_REGISTERS.items()])


def _policies() -> str:
    from warploom.machine.core.scheduling.policies import POLICIES

    return _table(("name", "policy"), [(f"`{name}`", _first_sentence(policy.choose.__doc__)) for name, policy in POLICIES.items()])


def _reasons() -> str:
    from warploom.machine.accounting.reasons import REASONS

    return _table(("reason", "what the warp did"), [(f"`{reason.name}`", reason.meaning) for reason in REASONS])


def _kernel_names() -> str:
    from warploom.kernel.names.everything import TABLES as loaded
    from warploom.kernel.syntax.known_names import NAMES

    assert loaded
    rows = [(f"`{row.path}{f'({row.arguments})' if row.called else ''}`", row.meaning) for _, row in sorted(NAMES.items()) if row.meaning]
    shown = [row for row in rows if not row[0].startswith(("`operator.", "`kernel.", "`cuda.libdevice."))]
    return _table(("name", "meaning"), [(name.replace("builtins.", ""), meaning) for name, meaning in shown])


def _metrics() -> str:
    from warploom.study.metrics import METRICS

    head = ("metric", "unit", "meaning")
    return _table(head, [(f"`{metric.name}`", metric.unit, metric.meaning) for metric in METRICS])


def _counters() -> str:
    from warploom.machine.accounting.counters import COUNTERS

    return _table(("counter", "unit", "meaning"), [(f"`{counter.name}`", counter.unit, counter.meaning) for counter in COUNTERS])


def _trace_columns() -> str:
    from warploom.observe.traces.rows import WARP_COLUMNS

    return _table(("column", "type", "meaning"), [(f"`{column.name}`", column.kind, column.meaning) for column in WARP_COLUMNS])


def _trace_columns_of_states() -> str:
    from warploom.observe.traces.rows import STEP_COLUMNS

    return _table(("column", "type", "meaning"), [(f"`{column.name}`", column.kind, column.meaning) for column in STEP_COLUMNS])


def _event_kinds() -> str:
    from warploom.machine.accounting.event_kinds import EVENT_KINDS

    rows, common = [], EVENT_KINDS[0].fields[:5]
    for kind in EVENT_KINDS:
        own = [field for field in kind.fields if field.name not in ("time", "core")]
        fields = [f"`{field.name}`" + (f": {field.meaning}{_in_words(field.words)}" if field not in common else "") for field in own]
        times = [field.meaning for field in kind.fields if field.name == "time" and field not in common]
        rows.append((f"`{kind.name}`", kind.meaning, "; ".join([*(f"`time`: {meaning}" for meaning in times), *fields])))
    return _table(("kind", "what happened", "fields beside `time` and `core`"), rows)


def _in_words(words: tuple[str, ...]) -> str:
    """What the numbers of a field stand for, where they are few."""
    return f" ({', '.join(f'{number} {word}' for number, word in enumerate(words))})" if 0 < len(words) < 8 else ""


def _presets() -> str:
    import tomllib

    from warploom.machine.config.presets import PRESETS, preset_names

    rows = [(f"`{name}`", tomllib.loads((PRESETS / f"{name}.toml").read_text(encoding="utf-8"))["about"]) for name in preset_names()]
    return _table(("preset", "what it is"), rows)


def _settings() -> str:
    from warploom.machine.config.schema import settings

    rows = []
    for setting in settings():
        unit = f" ({setting.unit})" if setting.unit else ""
        limits = ", ".join(f"`{name}`" for name in setting.range.split(" | ")) if " | " in setting.range else setting.range
        rows.append((f"`{setting.name}`", f"{setting.meaning}{unit}", limits, f"`{_written(setting.default)}`"))
    return _table(("setting", "meaning", "range", "default"), rows)


def _sources() -> str:
    from warploom.machine.config.presets import load_config, preset_names, sources

    rows = []
    for name in preset_names():
        config = load_config(name)
        rows += [(f"`{name}`", f"`{setting}`", f"`{_written(config[setting])}`", said) for setting, said in sources(name).items()]
    return _table(("preset", "setting", "value", "where the number comes from"), rows)


def _written(value: Any) -> str:
    """A value as a preset's file has it."""
    return str(value).lower() if isinstance(value, bool) else str(value) or "''"


def _first_sentence(text: str | None) -> str:
    return " ".join((text or "").split("\n\n")[0].split())


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |\n" for line in lines)


TABLES: dict[str, Callable[[], str]] = {
    "tiny-instructions": _tiny,
    "guppy-instructions": _guppy,
    "riscv-instructions": _riscv,
    "avx512-instructions": _avx512,
    "gcn-instructions": _gcn,
    "five-ways-masks": _five_ways,
    "riscv-control-registers": _riscv_registers,
    "vortex-instructions": _vortex,
    "vortex-control-registers": _vortex_registers,
    "vortex-counters": _vortex_counters,
    "guppy-fills": _fills,
    "guppy-agreement": _agreement,
    "operations": _operations,
    "special-registers": _special_registers,
    "policies": _policies,
    "reasons": _reasons,
    "counters": _counters,
    "kernel-names": _kernel_names,
    "metrics": _metrics,
    "event-kinds": _event_kinds,
    "trace-columns": _trace_columns,
    "trace-columns-of-states": _trace_columns_of_states,
    "presets": _presets,
    "settings": _settings,
    "sources": _sources,
}


def with_tables(text: str) -> str:
    """A page with all its tables as the source has them. Raises KeyError for a table that does not exist."""
    return TABLE.sub(lambda found: f"<!-- table: {found['name']} -->\n\n{TABLES[found['name']]()}\n<!-- end of table -->", text)


# ---------------------------------------------------------------------------------------------------------
# Writing


def write_anew(page: Path, folder: Path) -> list[str]:
    """Write a page's tables, and the outputs of its examples where they no longer fit. Returns what was written.

    Raises RuntimeError where an example ends in an exception that nobody caught.
    """
    text = with_tables(before := page.read_text(encoding="utf-8"))
    said = ["tables"] if text != before else []
    workplace = Workplace(folder, warm=page not in COLD)
    for block in blocks(text):
        found = list(workplace.run(block))
        wrong = [example for example in found if not example.good]
        for example in wrong:
            if "Traceback" in example.output:
                raise RuntimeError(f"line {example.line}: {example.what}\n{example.output}")
        if wrong:
            said += [f"line {example.line}: {example.what.splitlines()[0]}" for example in wrong]
            if any("..." in example.expected for example in wrong):
                said.append("look at each `...` there")
            text = text.replace(f"\n{block.text}```", f"\n{_anew(block, found)}```")
    if text != before:
        page.write_text(text, encoding="utf-8")
    return said


def _anew(block: Block, found: list[Example]) -> str:
    """The text of a block with what came out of its examples, where that no longer fits."""
    if block.language == "console":
        return "\n".join(f"$ {example.what}\n{_shortened(example)}".rstrip() for example in found) + "\n"
    lines, shift = block.text.splitlines(), 0
    for example in found:
        if not example.good:
            start = example.line - block.line + len(example.what.splitlines()) + shift
            old, new = example.expected.splitlines(), example.output.splitlines()
            lines[start : start + len(old)] = new
            shift += len(new) - len(old)
    return "\n".join(lines) + "\n"


def _shortened(example: Example) -> str:
    """An output as the page shows it. Of one that is shown up to a `...` at its end, as many first lines; others with `...` stay."""
    if example.good or example.expected.count("...") <= example.output.count("..."):
        return example.expected if example.good else example.output
    shown = example.expected.splitlines()
    if any("..." in line for line in shown[:-1]) or shown[-1] != "...":
        return example.expected
    return "\n".join([*example.output.splitlines()[: len(shown) - 1], "..."])


@click.command()
@click.argument("pages", nargs=-1, metavar="[PAGE]...", type=click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path))
def main(pages: tuple[Path, ...]) -> None:
    """Write the tables of documentation pages, and the outputs that no longer fit, anew: of README.md and all of docs/ without a PAGE.

    Each change is named with its line. Look at what has changed before you keep it.
    """
    if other := [page for page in pages if page not in PAGES]:
        raise click.UsageError(f"{other[0]} is no page of the documentation, which is README.md and docs/")
    for page in pages or PAGES:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            sys.path.insert(0, folder)
            for line in write_anew(page, Path(folder)):
                click.echo(f"{page.relative_to(ROOT)}: {line}")
            sys.path.remove(folder)
            os.chdir(ROOT)


if __name__ == "__main__":
    main()
