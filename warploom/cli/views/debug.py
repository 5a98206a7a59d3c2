"""`warploom debug`: step through a run, forwards and backwards, look at everything, and change it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import BAD_INPUT, DONE, FAULT, UserError, json_option, print_json, print_warnings, report
from warploom.cli.options import machine_options
from warploom.cli.running import take_order

if TYPE_CHECKING:
    from warploom.cli.debugger.debugger import Debugger
    from warploom.cli.debugger.script import Order, Said


@click.command()
@click.argument("kernel", metavar="FILE")
@machine_options
@click.option("-x", "--execute", "texts", multiple=True, metavar="COMMAND", help="Do this command and leave; may be given several times.")
@click.option("--commands", metavar="SCRIPT", help="Do the commands of a file, a line each, and leave; - for standard input.")
@json_option
@click.pass_context
def command(ctx: click.Context, kernel: str, **options: Any) -> None:
    """Step through a run of FILE, forwards and backwards, in a terminal.

    It shows source, warps, registers of every lane, and memory, stops at breakpoints and when a register or memory changes, and continues
    with values that you have changed. What it shows in a cycle is the same as in a run without the debugger. The same commands form a
    script: with -x, with --commands, or from a pipe.

    The exit status of a script is 0 when all its commands were executed, 1 when an `expect` in it does not hold or the kernel has stopped
    with a fault, 2 when a command is wrong.

    \b
    Examples:
      warploom debug matmul.asm                          on the screen
      warploom debug diverge.asm --gpu sm
      warploom debug matmul.asm -x 'break next' -x continue -x registers
      warploom debug matmul.asm --commands lesson.txt
      warploom debug matmul.asm -x end -x 'expect cycle < 500'
    """
    scripted = bool(options["texts"] or options["commands"]) or not (sys.stdin.isatty() and sys.stdout.isatty())
    if options["as_json"] and not scripted:
        raise UserError("--json prints what a script says: give one with -x or --commands")
    orders = list(_orders(options)) if scripted else []
    debugger = _debugger(kernel, options)
    if scripted:
        ctx.exit(_script(debugger, orders, options["as_json"]))
    _screen(debugger)


def _orders(options: dict[str, Any]) -> Iterator[Order]:
    """The lines of the script. Raises UserError."""
    from warploom.cli.debugger.script import Order
    from warploom.isa.frontends import read_text
    from warploom.isa.program import lines_of

    for text in options["texts"]:
        yield Order(f"-x {text!r}", text)
    if options["commands"] or not options["texts"]:
        name = options["commands"] or "-"
        text = sys.stdin.read() if name == "-" else read_text(name)
        place = "standard input" if name == "-" else name
        yield from (Order(f"{place}:{number}", line) for number, line in enumerate(lines_of(text), 1))


def _debugger(kernel: str, options: dict[str, Any]) -> Debugger:
    from warploom.cli.debugger.debugger import Debugger
    from warploom.gpu import GPU
    from warploom.machine.debug.session import Session

    order = take_order(kernel, options)
    if not options["as_json"]:
        print_warnings(order.warnings, *order.program.sources)
    machine = GPU(order.config, engine=order.engine, units=order.units).machine(order.program)
    return Debugger(Session(machine, engine=order.engine, limit=order.limit))


def _script(debugger: Debugger, orders: list[Order], as_json: bool) -> int:
    """Carry a script out; the exit status."""
    from warploom.cli.debugger.script import Unmet, carry_out
    from warploom.observe.text.styled import plain

    said: list[Said] = []
    try:
        carry_out(debugger, orders, said.append if as_json else _show)
    except UserError as error:
        report(error, as_json)
        return FAULT if isinstance(error, Unmet) else BAD_INPUT
    session = debugger.session
    if as_json:
        print_json(
            {
                "status": session.status,
                "cycle": session.cycle,
                "fault": session.fault or None,
                "commands": [{"command": one.command, "output": [plain(line) for line in one.lines]} for one in said],
            }
        )
    return FAULT if session.status == "error" else DONE


def _show(said: Said) -> None:
    from warploom.cli.debugger.script import PROMPT
    from warploom.cli.terminal import screen
    from warploom.observe.text.styled import QUIET, folded

    lines = [part for line in said.lines for part in folded(line, screen.width(), "    ")]
    screen.show([[(PROMPT, QUIET), (said.command, "bold")], *lines])


def _screen(debugger: Debugger) -> None:
    try:
        import textual  # noqa: F401
    except ImportError:
        raise UserError(
            "the debugger's screen needs the package textual, which is not installed: pip install 'warploom[debug]'; "
            "scripts (-x, --commands) need nothing"
        ) from None
    from warploom.cli.debugger.app import DebuggerApp

    DebuggerApp(debugger).run()
