"""The commands of the debugger: one table, for its command line, its scripts and its help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from textwrap import wrap

from warploom.cli.common import UserError
from warploom.cli.debugger import changes, expecting, moving, showing, variables
from warploom.cli.debugger.debugger import Debugger
from warploom.cli.terminal import screen
from warploom.isa.diagnostics import nearest
from warploom.machine.debug.session import EditError
from warploom.observe.text.styled import Line

ABOUT = 26  # column in which the list of commands says what each does


@dataclass(frozen=True)
class Command:
    """One command. usage: its arguments. about: one sentence. run: what it does. moves: it may take long, and time passes in it."""

    name: str
    aliases: tuple[str, ...]
    usage: str
    about: str
    run: Callable[[Debugger, str], list[Line]]
    moves: bool = False


def _help(debugger: Debugger, text: str) -> list[Line]:
    if text:
        command = find(text)
        other = f"  (also {', '.join(command.aliases)})" if command.aliases else ""
        return [[(f"{command.name} {command.usage}".rstrip() + other, "bold")], [(command.about, "")]]
    return [line for command in COMMANDS for line in _listed(command)]


def _listed(command: Command) -> list[Line]:
    """A command and what it does beside it; below it where its arguments take the room."""
    texts = wrap(command.about, screen.width() - ABOUT - 1)
    name = _signature(command)
    if len(name) + 2 > ABOUT:
        return [[(name, "bold")], *([(f"{'':{ABOUT}}{text}", "")] for text in texts)]
    return [[(f"{name:<{ABOUT}}", "bold"), (texts[0], "")], *([(f"{'':{ABOUT}}{text}", "")] for text in texts[1:])]


def _signature(command: Command) -> str:
    short = f", {command.aliases[0]}" if command.aliases else ""
    return f"{command.name}{short} {command.usage}".rstrip()


def _quit(debugger: Debugger, text: str) -> list[Line]:
    debugger.quitting = True
    return []


COMMANDS = (
    Command("step", ("s",), "[N]", "Step forwards by a cycle, or by N.", moving.step, True),
    Command("rstep", ("rs", "back"), "[N]", "Step backwards by a cycle, or by N.", moving.rstep, True),
    Command("issue", ("i",), "[N]", "Run until any warp has issued an instruction.", moving.issue, True),
    Command("rissue", ("ri",), "[N]", "Go back to the last issue of any warp.", moving.rissue, True),
    Command("next", ("n",), "[N]", "Run until the chosen warp has issued its next instruction.", moving.next_, True),
    Command("rnext", ("rn",), "[N]", "Go back to the last issue of the chosen warp.", moving.rnext, True),
    Command("continue", ("c",), "", "Run to the next breakpoint or watchpoint, or to the end.", moving.continue_, True),
    Command("rcontinue", ("rc",), "", "Run back to the last breakpoint or watchpoint, or to the start.", moving.rcontinue, True),
    Command("goto", ("g",), "CYCLE", "Go to a cycle, forwards or backwards.", moving.goto, True),
    Command("start", (), "", "Go back to cycle 0.", moving.start, True),
    Command("restart", (), "", "Start again at cycle 0: changes are undone, breakpoints stay.", moving.restart, True),
    Command("end", (), "", "Run to the end, past all breakpoints.", moving.end, True),
    Command(
        "break",
        ("b",),
        "PLACE [CONDITION ...]",
        "Halt when a warp comes to a line, FILE:LINE, @instruction or label. Conditions: warp 0:1, block 2, lane 3, "
        "if i == 1000 and x > 2. break pixel 17,40: when a fragment of a pixel comes to the output merger.",
        changes.break_,
    ),
    Command(
        "watch",
        (),
        "CELL [if lane == N]",
        "Halt when total, x[37], R3, R3[2] (lane 2), mem[8] or mem[8:4] (4 bytes) has changed.",
        changes.watch,
    ),
    Command("delete", ("d",), "N|all", "Delete a breakpoint or watchpoint.", changes.delete),
    Command("stops", ("breakpoints",), "", "List breakpoints and watchpoints.", changes.stops),
    Command("set", (), "CELL = VALUE", "Change a register, in a lane or in all that run, or memory.", changes.set_),
    Command("undo", (), "", "Go back to the last change, and undo it.", changes.undo, True),
    Command("edits", (), "", "List the changes that were made with set.", changes.edits),
    Command("warp", ("w",), "CORE:SLOT", "Choose a warp.", showing.warp),
    Command("lane", ("l",), "N", "Choose a lane.", showing.lane),
    Command("where", (), "", "Say where the run is, and what the lanes of the chosen warp do.", showing.where),
    Command("warps", (), "", "Show all warps: # active, . diverged, x ended, - no thread; ! has just issued.", showing.warps),
    Command("registers", ("regs", "r"), "[NAME ...]", "Show registers of the chosen warp (* changed, ~ in flight).", showing.registers),
    Command("memory", ("x",), "[ADDRESS|BUFFER] [ROWS]", "Show data memory (* changed by the last step).", showing.memory),
    Command("shared", (), "[ADDRESS] [ROWS]", "Show the shared memory of the chosen warp's block.", showing.shared),
    Command("source", ("list",), "[PLACE]", "Show the source around the chosen warp, or around a place.", showing.source),
    Command("print", ("p",), "CELL", "Show one thing: total, tile[3, 7], R3, R3[2], mem[8:4], pc, mask, cycle.", showing.print_),
    Command("expect", (), "WHAT HOW VALUE", "In a script: an error unless this holds: = != < <= > >=, in A..B.", expecting.expect),
    Command("format", (), "[NAME]", "Choose how values are written: auto, unsigned, signed, hex, float.", showing.format_),
    Command("help", ("h", "?"), "[COMMAND]", "Show this list, or one command.", _help),
    Command("quit", ("q", "exit"), "", "Leave.", _quit),
)
_NAMES = {name: command for command in COMMANDS for name in (command.name, *command.aliases)}


def find(name: str) -> Command:
    """The command of a name, an alias, or the beginning of one name only. Raises UserError."""
    name = name.lower()
    if name in _NAMES:
        return _NAMES[name]
    begun = [command for command in COMMANDS if command.name.startswith(name)]
    if len(begun) == 1:
        return begun[0]
    if begun:
        raise UserError(f"{name!r} may be {' or '.join(command.name for command in begun)}")
    raise UserError(f"there is no command {name!r}{nearest(name, list(_NAMES)) or ';'} `help` lists all")


def split(text: str) -> tuple[Command, str]:
    """(command, arguments) of a line. Raises UserError."""
    name, _, arguments = text.strip().partition(" ")
    return find(name), arguments.strip()


def execute(debugger: Debugger, text: str) -> list[Line]:
    """Do what a line says; empty lines and those that begin with # are nothing. Raises UserError."""
    if not text.strip() or text.strip().startswith("#"):
        return []
    command, arguments = split(text)
    try:
        return command.run(debugger, arguments)
    except EditError as error:
        raise UserError(str(error)) from None


def completions(debugger: Debugger, text: str) -> list[str]:
    """What a line that was begun may become: names of commands, then of what the command takes."""
    name, blank, begun = text.partition(" ")
    if not blank:
        return [command.name for command in COMMANDS if command.name.startswith(name.lower())]
    program = debugger.program
    registers = [register for register in program.register_names if register]
    known = {
        "break": list(program.labels),
        "source": list(program.labels),
        "watch": [*variables.names(debugger), *registers, "mem["],
        "set": [*variables.names(debugger), *registers, "mem["],
        "print": [*variables.names(debugger), *registers, "mem[", "pc", "mask", "cycle"],
        "registers": registers,
        "memory": [view for view in program.view_names if view],
        "warp": [debugger.name(state.core, state.slot) for state in debugger.warps()],
        "format": ["auto", "unsigned", "signed", "hex", "float"],
        "help": [command.name for command in COMMANDS],
        "delete": ["all", *map(str, debugger.marks)],
    }
    try:
        words = known.get(find(name).name, [])
    except UserError:
        return []
    front, gap, last = begun.rpartition(" ")
    return [f"{name} {front}{gap}{word}" for word in words if word.lower().startswith(last.lower())]
