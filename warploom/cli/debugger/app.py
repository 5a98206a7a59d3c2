"""The screen of the debugger: source, warps, registers and memory at once, and a command line."""

from __future__ import annotations

import contextlib
from typing import ClassVar

from rich.text import Text
from textual import events, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid
from textual.screen import Screen
from textual.widgets import Footer, Input, RichLog, Static

from warploom.cli.common import UserError
from warploom.cli.debugger.commands import execute, split
from warploom.cli.debugger.debugger import Debugger
from warploom.cli.debugger.help_screen import HelpScreen
from warploom.cli.debugger.panel import Panel
from warploom.cli.debugger.prompt import Prompt
from warploom.cli.debugger.source_panel import SourcePanel
from warploom.cli.debugger.state_panels import MemoryPanel, RegistersPanel, WarpsPanel
from warploom.cli.debugger.values import FORMATS
from warploom.observe.text.styled import Line, grouped

LEAST = (60, 20)  # columns and lines that the panels need
BUSY = "it is still running: Esc stops it"


class DebuggerApp(App[None]):
    """Panels over one `Debugger`. Every key is a command of the table, or chooses what is shown."""

    ENABLE_COMMAND_PALETTE = False
    TITLE = "warploom debug"
    CSS = """
    #status { height: auto; max-height: 3; background: $primary; color: $text; padding: 0 1; }
    #panels { grid-size: 2 2; grid-columns: 9fr 11fr; grid-rows: 1fr 1fr; height: 1fr; }
    .panel { border: round $surface-lighten-3; border-title-color: $text; height: 100%; }
    .panel:focus { border: round $accent; }
    #log { height: 3; background: $surface; padding: 0 1; scrollbar-size-vertical: 1; }
    #prompt { height: 1; }
    #small { display: none; height: 1fr; content-align: center middle; text-align: center; }
    .small #panels, .small #log, .small #prompt { display: none; }
    .small #small { display: block; }
    .tall #log { height: 6; }
    HelpScreen { align: center middle; }
    #help { width: 90%; max-width: 110; height: 90%; border: round $accent; background: $surface; padding: 0 1; }
    .helping { margin-bottom: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "command('step')", "step"),
        Binding("S", "command('rstep')", "back"),
        Binding("n", "command('next')", "next"),
        Binding("N", "command('rnext')", "back", show=False),
        Binding("i", "command('issue')", "issue", show=False),
        Binding("I", "command('rissue')", "back", show=False),
        Binding("c", "command('continue')", "continue"),
        Binding("C", "command('rcontinue')", "back", show=False),
        Binding("b", "breakpoint", "break"),
        Binding("w", "turn(1)", "warp", show=False),
        Binding("W", "turn(-1)", "warp", show=False),
        Binding("left", "lane(-1)", "lane", show=False),
        Binding("right", "lane(1)", "lane", show=False),
        Binding("e", "ask('set ')", "set", priority=True),
        Binding("u", "command('undo')", "undo", show=False),
        Binding("g", "ask('goto ')", "goto", show=False, priority=True),
        Binding("m", "ask('memory ')", "memory", show=False, priority=True),
        Binding("R", "command('restart')", "restart", show=False),
        Binding("j", "jump", "jump", show=False),
        Binding("f", "form", "format", show=False),
        Binding("colon", "ask('')", "command", key_display=":", priority=True),
        Binding("escape", "escape", "stop", show=False, priority=True),
        Binding("f1,question_mark", "help", "help", key_display="F1"),
        Binding("q", "quit", "quit"),
        Binding("ctrl+c,ctrl+q,ctrl+d", "quit", "quit", show=False, priority=True),
    ]

    def __init__(self, debugger: Debugger) -> None:
        super().__init__()
        self.debugger = debugger
        self.busy = False

    @property
    def main(self) -> Screen[None]:
        """The screen with the panels, whatever lies over it."""
        return self.screen_stack[0]

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield Static(id="status", markup=False)
        with Grid(id="panels"):
            yield SourcePanel(self.debugger)
            yield WarpsPanel(self.debugger)
            yield RegistersPanel(self.debugger)
            yield MemoryPanel(self.debugger)
        yield Static(id="small", markup=False)
        log = RichLog(id="log", max_lines=1000, wrap=True, markup=False, min_width=20)
        log.can_focus = False
        yield log
        yield Prompt(self.debugger)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Before the first key."""
        self.main.query_one(SourcePanel).focus()
        self.say([[("cycle 0: nothing has run yet. ", ""), ("s", "bold"), (" steps, ", ""), ("F1", "bold"), (" is help.", "")]])
        self.set_interval(0.1, self._tell_progress)
        self.call_after_refresh(self.show)

    def on_resize(self, event: events.Resize) -> None:
        """A terminal that is too small shows that it is."""
        width, height = event.size
        self.main.set_class(width < LEAST[0] or height < LEAST[1], "small")
        self.main.set_class(height >= 32, "tall")
        text = f"This terminal has {width} x {height} characters.\nThe debugger needs {LEAST[0]} x {LEAST[1]}.\nMake it larger, or press q."
        self.main.query_one("#small", Static).update(text)
        self.call_after_refresh(self.show)

    # ---- what is shown

    def show(self) -> None:
        """Everything as it is now; not while a run is under way, when it would be neither here nor there."""
        if self.busy or not self.is_running:
            return
        for panel in self.main.query(Panel):
            panel.follow()
        self._show_status()

    def _show_status(self) -> None:
        debugger = self.debugger
        state = f"cycle {grouped(debugger.session.cycle)} · {'running' if self.busy else debugger.session.status}"
        chosen = "Esc stops it" if self.busy else f"warp {debugger.name()} · lane {debugger.lane} · {debugger.form}"
        name = f"{debugger.program.name} on {debugger.machine.config.name}"
        self.main.query_one("#status", Static).update(Text(f"{name} · {state} · {chosen}"))

    def _tell_progress(self) -> None:
        if self.busy:
            self._show_status()

    def say(self, lines: list[Line], style: str = "") -> None:
        """Lines for the log above the command line."""
        log = self.main.query_one("#log", RichLog)
        for line in lines:
            log.write(Text.assemble(*line, style=style), width=max(log.scrollable_content_region.width, 1) if log.size else None)

    # ---- commands

    def carry_out(self, text: str) -> None:
        """Do what a line says. What may take long is done beside, and can be stopped."""
        if self.busy:
            self.say([[(BUSY, "")]], "yellow")
            return
        try:
            command = split(text)[0] if text.strip() else None
            if command is not None and command.moves:
                self.busy = True
                self.debugger.cancel.clear()
                self._move(text)
                return
            if command is not None and command.name == "help" and text.strip() in (command.name, *command.aliases):
                self.action_help()
                return
            lines = execute(self.debugger, text)
        except UserError as error:
            self._done(text, [], str(error))
            return
        self._done(text, lines, "")

    @work(thread=True)
    def _move(self, text: str) -> None:
        lines: list[Line] = []
        message = ""
        try:
            lines = execute(self.debugger, text)
        except UserError as error:
            message = str(error)
        with contextlib.suppress(RuntimeError):  # the screen may be gone by now
            self.call_from_thread(self._done, text, lines, message)

    def _done(self, text: str, lines: list[Line], message: str) -> None:
        self.busy = False
        if message:
            self.say([[(message, "")]], "bold red")
        else:
            self.say(lines)
        if self.debugger.quitting:
            self.exit()
        if not message and text.split()[:1] and split(text)[0].name == "memory":
            self.main.query_one(MemoryPanel).jump(self.debugger.address)
        self.show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """A line of the command line."""
        prompt = self.main.query_one(Prompt)
        text = event.value.strip()
        prompt.remember(text)
        prompt.value = ""
        self.main.set_focus(self.main.query_one(SourcePanel))
        self.carry_out(text)

    # ---- keys

    def action_command(self, text: str) -> None:
        """A command."""
        self.carry_out(text)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys that begin a command line are letters like others in it, and mean nothing to the help."""
        return action != "ask" or not (isinstance(self.focused, Prompt) or isinstance(self.screen, HelpScreen))

    def action_ask(self, text: str) -> None:
        """The command line, begun with a word."""
        prompt = self.main.query_one(Prompt)
        prompt.value = text
        prompt.cursor_position = len(text)
        self.main.set_focus(prompt)  # at once: what is typed next belongs to it

    def action_escape(self) -> None:
        """Stop a run, close the help, or leave the command line."""
        if self.busy:
            self.debugger.cancel.set()
        elif isinstance(self.screen, HelpScreen):
            self.screen.dismiss()
        else:
            self.main.query_one(Prompt).value = ""
            self.main.query_one(SourcePanel).focus()

    def action_breakpoint(self) -> None:
        """A breakpoint at the cursor in the source."""
        pc = self.main.query_one(SourcePanel).instruction()
        if not self.busy and pc is not None:
            self.say([[(self.debugger.toggle(pc), "")]])
            self.main.query_one(SourcePanel).refresh()

    def action_turn(self, step: int) -> None:
        """The next warp or the one before."""
        if not self.busy:
            self.debugger.turn(step)
            self.show()

    def action_lane(self, step: int) -> None:
        """The next lane or the one before."""
        self.debugger.lane = (self.debugger.lane + step) % self.debugger.lanes
        self.show()

    def action_jump(self) -> None:
        """To the memory that the last move has changed."""
        change = None if self.busy else self.debugger.last_change()
        if change is not None:
            self.main.query_one(MemoryPanel).jump(change)
        elif not self.busy:
            self.say([[("the last step has changed no memory", "")]])

    def action_form(self) -> None:
        """The next format."""
        forms = list(FORMATS)
        self.debugger.form = forms[(forms.index(self.debugger.form) + 1) % len(forms)]
        self.show()

    def action_help(self) -> None:
        """Keys, marks and commands."""
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen())

    async def action_quit(self) -> None:
        """Leave, whatever is going on."""
        self.debugger.cancel.set()
        self.exit()
