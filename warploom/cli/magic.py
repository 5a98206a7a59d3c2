"""`%%warploom` in a notebook: runs a cell, and shows its launches and the profile of the longest.

%load_ext warploom

%%warploom --gpu a100 --set core.scheduler=oldest
saxpy[4, 256](np.float32(2), x, y)
"""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warploom.result import Result

NAME = "warploom"


class Usage(argparse.ArgumentParser):
    """Says what is wrong with a line as an exception: a notebook's process must not end with it."""

    def error(self, message: str) -> Any:
        """Raises ValueError, with the line's usage."""
        raise ValueError(f"{message}\n{self.format_usage().strip()}")


def register(shell: Any) -> None:
    """Make `%%warploom` known to an IPython shell."""
    shell.register_magic_function(lambda line, cell: run_cell(shell, line, cell), "cell", NAME)


def run_cell(shell: Any, line: str, cell: str) -> Any:
    """Run a cell in the shell, with `numba.cuda` as warploom's, and print its launches; returns a profile, which the notebook shows.

    line: --gpu, --set and --launch as on the command line; --quiet shows no profile. Raises ValueError for any other line, ConfigError.
    """
    from warploom.cli.script import launch_table
    from warploom.gpu import GPU
    from warploom.kernel.device.context import CURRENT, PRESET
    from warploom.kernel.place import in_numbas_place
    from warploom.machine.config.presets import load_config, parse_setting

    asked = _asked(line)
    results: list[Result] = []
    gpu = None
    if asked.gpu or asked.settings:
        gpu = GPU(load_config(asked.gpu or PRESET, dict(parse_setting(text) for text in asked.settings)))
    with in_numbas_place(), CURRENT.watched(results.append, gpu):
        shell.run_cell(cell).raise_error()
        machine = CURRENT.context.gpu.config.name
    print("\n".join(launch_table("this cell", results, machine, hint=False)).lstrip("\n"))
    return _chosen(results, asked.launch).profile() if results and not asked.quiet else None


def _asked(line: str) -> argparse.Namespace:
    usage = Usage(prog=f"%%{NAME}", add_help=False, allow_abbrev=False)
    usage.add_argument("--gpu", metavar="PRESET|TOML")
    usage.add_argument("--set", dest="settings", action="append", default=[], metavar="NAME=VALUE")
    usage.add_argument("--launch", type=int, metavar="N")
    usage.add_argument("--quiet", action="store_true")
    return usage.parse_args(shlex.split(line))


def _chosen(results: list[Result], launch: int | None) -> Result:
    """The launch that was asked for, or else the longest."""
    if launch is None:
        return max(results, key=lambda result: result.cycles)
    if not 0 <= launch < len(results):
        raise ValueError(f"--launch {launch}: the cell has {len(results)} launches, numbered from 0")
    return results[launch]
