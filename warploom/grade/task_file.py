"""Reads a task from its file, in TOML, and says in which line a mistake stands."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from warploom.checks.report.findings import KINDS
from warploom.grade.lines import line_of
from warploom.grade.task import (
    HOST_PROGRAMS,
    LIMITS,
    MOST_CASES,
    MOST_CYCLES,
    NAME,
    OF_UNITS,
    PARTS,
    Launch,
    Machine,
    Mistake,
    Output,
    Program,
    Sandbox,
    Task,
    TaskError,
    Unit,
)
from warploom.isa.diagnostics import nearest
from warploom.machine.config.presets import load_config
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.slots import SLOTS


def load_task(path: str | Path) -> Task:
    """The task of a file, or of the task.toml in a folder. Raises TaskError."""
    file = Path(path)
    file = file / NAME if file.is_dir() else file
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text in UTF-8"
        raise TaskError(f"{file} cannot be read: {reason}; name a task file, or a folder with a {NAME}") from None
    try:
        body = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        task = "" if file.suffix == ".toml" else f"; a task comes first, as in `warploom grade task.toml {file}`, or --puzzle NAME"
        raise TaskError(f"{file}: this is not TOML: {error}{task}") from None
    return _Reader(file, text).task(body)


class _Reader:
    """Reads the tables of one file, and says where a mistake stands."""

    def __init__(self, file: Path, text: str) -> None:
        self.file, self.text = file, text

    def fail(self, table: str, key: str, message: str) -> TaskError:
        line = line_of(self.text, table, key)
        return TaskError(f"{self.file}:{line}: {message}" if line else f"{self.file}: {message}")

    def task(self, body: dict[str, Any]) -> Task:
        known = (
            "title", "text", "takes", "cases", "hints", "reference", "starter", "functions", "inputs", "outputs", "launch", "machine",
            "sandbox", "points", "limits", "findings", "mistake", "picture", "unit", "program",
        )  # fmt: skip
        self.keys("", body, known)
        for name in ("title", "text"):
            if not isinstance(body.get(name), str) or not body[name].strip():
                raise self.fail("", name, f'{name} is missing: say what is asked, as {name} = "..."')
        unit = self.unit(body)
        launch = self.record("launch", body.get("launch", {}), Launch)
        program = self.program(body)
        usual = list(HOST_PROGRAMS) if program else [".py"] if launch.kernel or unit else []
        takes = self.strings("", "takes", body.get("takes", usual))
        if not takes:
            raise self.fail("launch", "", 'name the kernel, as [launch] kernel = "solve", or what is handed in, as takes = [".asm"]')
        inputs = self.table("", "inputs", body.get("inputs", {}))
        given = self.table("", "outputs", body.get("outputs", {}))
        if not given and unit is None:
            raise self.fail("outputs", "", "nothing is compared: add a table [outputs.NAME] with expected = ...")
        outputs = {name: self.record(f"outputs.{name}", one, Output) for name, one in given.items()}
        reference = str(body.get("reference", ""))
        for name, one in outputs.items():
            if one.expected is None and not reference:
                raise self.fail(f"outputs.{name}", "", f"{name} has no expected values: add expected = ..., or a reference solution")
            if isinstance(one.tolerance, bool) or not isinstance(one.tolerance, int | float) or one.tolerance < 0:
                raise self.fail(f"outputs.{name}", "tolerance", f"tolerance = {one.tolerance!r}: write a number, 0 for equal values")
            if program and one.expected is None and one.count is None:
                raise self.fail(f"outputs.{name}", "", f'{name} has no count: say how many numbers a program prints, as count = "n"')
            if program is None and unit is None and ".py" in takes and one.start is None:
                raise self.fail(
                    f"outputs.{name}", "", f"{name} has no start: say what it holds before, as start = \"np.zeros(n, 'int32')\""
                )
        self.names(launch, inputs, outputs, () if unit or program else takes)
        points = self.numbers("points", body.get("points", {"contract" if unit else "outputs": 1}), PARTS)
        limits = self.numbers("limits", body.get("limits", {}), LIMITS)
        if not any(points.values()):
            raise self.fail("points", "", f"all points are 0: give {'contract' if unit else 'outputs'} at least one")
        for name, of in points.items():
            if of and unit is None and name == "contract":
                raise self.fail("points", name, "a contract is kept by a unit: add [unit], with slot and name")
            if of and unit is not None and name not in ("contract", *OF_UNITS):
                raise self.fail("points", name, f"a unit gets no points for {name}; it gets them for contract, {', '.join(OF_UNITS)}")
        if limits and unit is not None and not unit.programs:
            raise self.fail("unit", "", 'limits are measured on programs: name files beside the task, as programs = ["stream.rv"]')
        for name in limits:
            if not reference:
                raise self.fail("limits", name, f'{name} is measured beside a reference solution: name one, as reference = "reference.py"')
            if not points.get(name):
                raise self.fail("limits", name, f"a limit on {name} is worth nothing: add it to [points]")
        for name in points:
            if name in LIMITS and name not in limits:
                raise self.fail("points", name, f"there are points for {name} and no limit: add it to [limits]")
        cases = body.get("cases", 2)
        if isinstance(cases, bool) or not isinstance(cases, int) or not 1 <= cases <= MOST_CASES:
            raise self.fail("", "cases", f"cases = {cases!r}: inputs are drawn 1 to {MOST_CASES} times")
        findings = self.table("", "findings", body.get("findings", {}))
        self.keys("findings", findings, ("forbid",))
        forbid = self.strings("findings", "forbid", findings.get("forbid", list(KINDS)))
        for kind in forbid:
            if kind not in KINDS:
                raise self.fail("findings", "forbid", f"there is no finding {kind!r}{nearest(kind, KINDS)}; there are {', '.join(KINDS)}")
        machine = self.machine(body.get("machine", {}))
        sandbox = self.record("sandbox", body.get("sandbox", {}), Sandbox)
        for name, value in vars(sandbox).items():
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise self.fail("sandbox", name, f"{name} = {value!r}: write a whole number from 1 on")
        found = Task(
            self.file, body["title"], body["text"], takes, inputs, outputs, launch, machine, sandbox, points, limits, forbid, cases,
            self.strings("", "hints", body.get("hints", [])), reference, str(body.get("starter", "")), str(body.get("functions", "")),
            tuple(self.mistake(one) for one in body.get("mistake", [])), self.table("", "picture", body.get("picture", {})), unit, program,
        )  # fmt: skip
        for key in ("reference", "starter", "functions"):
            if (name := getattr(found, key)) and not (found.folder / name).is_file():
                raise self.fail("", key, f"{key} = {name!r}: there is no such file in {found.folder}")
        return found

    def program(self, body: dict[str, Any]) -> Program | None:
        if "program" not in body:
            return None
        for other in ("launch", "unit"):
            if other in body:
                raise self.fail(other, "", f"a task about a program has no [{other}]: the program launches its kernels itself")
        program: Program = self.record("program", body["program"], Program)
        if not isinstance(program.on_device, bool):
            raise self.fail("program", "on_device", f"on_device = {program.on_device!r}: it is true or false")
        takes = body.get("takes", [])
        if isinstance(takes, list) and (wrong := next((one for one in takes if one not in HOST_PROGRAMS), None)):
            raise self.fail("", "takes", f"a program with its own host code is {' or '.join(HOST_PROGRAMS)}, and not {wrong!r}")
        return program

    def unit(self, body: dict[str, Any]) -> Unit | None:
        if "unit" not in body:
            return None
        for other in ("inputs", "outputs", "launch", "findings"):
            if other in body:
                raise self.fail(other, "", f"a task about a unit has no [{other}]: its slot says what the unit is called with")
        unit: Unit = self.record("unit", body["unit"], Unit)
        if unit.slot not in SLOTS:
            raise self.fail("unit", "slot", f"there is no slot {unit.slot!r}{nearest(unit.slot, SLOTS)}; there are {', '.join(SLOTS)}")
        if not unit.name.isidentifier():
            raise self.fail("unit", "name", f'name = {unit.name!r}: write what the unit is called in its file, as name = "policy"')
        for name in unit.programs:
            if not (self.file.parent / name).is_file():
                raise self.fail("unit", "programs", f"there is no file {name!r} in {self.file.parent}")
        return unit

    def names(self, launch: Launch, inputs: Mapping[str, Any], outputs: Mapping[str, Output], takes: tuple[str, ...]) -> None:
        known = [*inputs, *outputs]
        for name in known:
            if not name.isidentifier():
                raise self.fail("inputs", name, f"{name!r} is not a name that an expression can use")
        for name in launch.arguments:
            if name not in known:
                raise self.fail(
                    "launch", "arguments", f"there is no input or output {name!r}{nearest(name, known)}; there are {', '.join(known)}"
                )
        if ".py" in takes:
            for key in ("kernel", "arguments", "grid", "block"):
                if not getattr(launch, key):
                    raise self.fail("launch", key, f"{key} is missing: a kernel in Python needs kernel, arguments, grid and block")

    def machine(self, given: Any) -> Machine:
        machine = self.record("machine", given, Machine)
        if isinstance(machine.max_cycles, bool) or not isinstance(machine.max_cycles, int) or not 1 <= machine.max_cycles <= MOST_CYCLES:
            raise self.fail("machine", "max_cycles", f"max_cycles = {machine.max_cycles!r}: write 1 to {MOST_CYCLES}")
        if machine.gpu or machine.set:
            try:
                load_config(machine.gpu or "sm", dict(machine.set))
            except ConfigError as error:
                raise self.fail("machine", "set" if machine.set else "gpu", str(error)) from None
        return machine

    def mistake(self, given: Any) -> Mistake:
        found = self.record("mistake", given, Mistake)
        signs = [name for name in ("finding", "limit", "when", "error") if getattr(found, name)]
        if not found.message or len(signs) != 1:
            raise self.fail("mistake", "", "a [[mistake]] has a message and one sign: finding, limit, when or error")
        if found.finding and found.finding not in KINDS:
            raise self.fail("mistake", "finding", f"there is no finding {found.finding!r}{nearest(found.finding, KINDS)}")
        if found.limit and found.limit not in LIMITS:
            raise self.fail("mistake", "limit", f"there is no limit {found.limit!r}{nearest(found.limit, LIMITS)}")
        return found

    def record(self, table: str, given: Any, kind: type[Any]) -> Any:
        names = tuple(kind.__dataclass_fields__)
        self.keys(table, self.table("", table, given), names)
        usual = {name: one.default for name, one in kind.__dataclass_fields__.items()}
        values = {}
        for name, value in given.items():
            if isinstance(usual[name], str) and not isinstance(value, str):
                raise self.fail(table, name, f"{name} = {value!r}: write a text")
            values[name] = self.strings(table, name, value) if isinstance(usual[name], tuple) else value
            if name in ("buffers", "values", "set"):
                self.table(table, name, value)
        if "message" in names and "message" not in values:
            values["message"] = ""
        return kind(**values)

    def keys(self, table: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
        for key in given:
            if key not in known:
                where = f"[{table}]" if table else "a task"
                raise self.fail(table, key, f"{where} has no {key!r}{nearest(key, known)}; it has {', '.join(known)}")

    def table(self, table: str, key: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.fail(table, key, f"{key} is a table: write [{key}], and NAME = VALUE below it")
        return value

    def strings(self, table: str, key: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self.fail(table, key, f'{key} is a list of texts: write {key} = ["..."]')
        return tuple(value)

    def numbers(self, table: str, given: Any, known: tuple[str, ...]) -> dict[str, float]:
        self.keys(table, self.table("", table, given), known)
        for key, value in given.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
                raise self.fail(table, key, f"{key} = {value!r}: write a number, 0 or more")
        return dict(given)
