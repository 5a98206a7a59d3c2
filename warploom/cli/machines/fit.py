"""`warploom fit`: compiles native code for one machine, in which that machine's settings are constants."""

from __future__ import annotations

import time
from typing import Any

import click

from warploom.cli.common import UserError, json_option, print_json, print_warnings, say
from warploom.cli.options import machine_program_options
from warploom.cli.running import take_order


@click.command()
@click.argument("file", metavar="FILE")
@machine_program_options
@click.option("--quiet", is_flag=True, help="Say nothing.")
@json_option
def command(file: str, **options: Any) -> None:
    """Compile native code for the machine that would run FILE: its settings become constants in it.

    Native code serves many machines: it reads their settings and asks for features that may be off. Code that is fitted to a machine need
    not. It is 1.1 to 1.2 times as fast, gives the same results, and takes as long to compile as the native engine (15 to 35 seconds), so it
    is worth it for runs and studies of some minutes. FILE is not run.

    From then on every run of FILE on this machine takes that code, whatever its data and their size; so do other programs that use the
    same parts of it. Any other machine, and a run that is traced, takes the native engine. The code lies in the cache of the native engine
    (see `warploom warmup`); what no run has taken for a month is deleted when the next machine is fitted.

    \b
    Examples:
      warploom fit sort.elf --gpu vortex-2024 --set gpu.cores=16
      warploom fit matmul.asm --gpu v100
    """
    from warploom.cli.terminal.progress import Progress
    from warploom.gpu import GPU
    from warploom.machine.engine.native.cache import cache_directory
    from warploom.machine.engine.native.loader import native
    from warploom.machine.run.compile import is_fitted

    order = take_order(file, options | {"engine": "native", "max_cycles": None})
    if native().untrusted:
        raise UserError(f"nothing would be kept: {native().untrusted}")
    if not options["as_json"]:
        print_warnings(order.warnings, *order.program.sources)
    gpu, start = GPU(order.config, units=order.units), time.perf_counter()
    known = is_fitted(gpu.machine(order.program))
    quiet = options["quiet"] or options["as_json"]
    with Progress("compiling", 1, quiet=quiet) as progress:
        gpu.fit(order.program, progress.notice)
    if native().not_kept:
        raise UserError(native().not_kept)
    seconds = time.perf_counter() - start
    if options["as_json"]:
        body = {"program": order.program.name, "gpu": order.config.name, "compiled": not known, "seconds": round(seconds, 3)}
        print_json({"status": "done", **body, "cache": str(cache_directory())})
    elif not quiet and known:
        say(f"{order.config.name} has been fitted already: runs of {order.program.name} on it take that code")
    elif not quiet:
        say(f"{order.config.name} is fitted after {seconds:.1f} s: runs of {order.program.name} on it take that code from now on")
