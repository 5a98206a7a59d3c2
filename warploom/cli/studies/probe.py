"""`warploom probe`: recover a machine's parameters by microbenchmarks, beside its preset and the published numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from warploom.cli.common import FAULT, INTERRUPTED, UserError, check_targets, json_option, print_json, report, write_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warploom.cli.terminal.progress import Progress
    from warploom.machine.config.schema import Config
    from warploom.study.microbenchmarks.report import Probed


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--gpu", metavar="PRESET|TOML", default="sm", help="The machine: a preset's name or a TOML file. [default: sm]")
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change a setting of the machine, as gpu.cores=4.")
@click.option("-o", "--output", metavar="OUT", help="Draw the curves into a .png, .svg or .pdf file.")
@click.option("--quick", is_flag=True, help="Measure fewer points, with shorter loops: a whole GPU in about a minute.")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Processes. [default: one per processor]")
@click.option("--quiet", is_flag=True, help="Print nothing and show no progress.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    names: tuple[str, ...],
    gpu: str,
    changes: tuple[str, ...],
    output: str | None,
    quick: bool,
    jobs: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Recover a machine's parameters by microbenchmarks, as on a real GPU; without NAME, all of them.

    The machine is a black box: programs run on it and read its clock. Next to each number are the value of the preset, with ! where the
    machine differs by more than 5 %, and the published values of the real GPU, with ~ where those differ. What concerns one
    multiprocessor is measured on a machine of one; l2, dram, atomics and launch run on all of them.

    \b
    Probes: latency, throughput, mixed, banks, instruction-cache, barrier,
    shared, constant, chase, sectors, ways, l1, width, l2, dram, atomics,
    fence, limits, launch

    \b
    Examples:
      warploom probe                              every probe on the preset sm
      warploom probe latency mixed                two of them
      warploom probe chase -o chase.svg           with the figure
      warploom probe dram --set gpu.cores=16      on a machine of your own
      warploom probe --gpu v100 --quick           a whole GPU, with fewer points
      warploom probe --gpu mine.toml --json
    """
    from warploom.cli.terminal.progress import Progress
    from warploom.machine.config.check import check_used
    from warploom.machine.config.presets import load_config, parse_setting
    from warploom.study.figure import drawn, form_of
    from warploom.study.microbenchmarks import NAMES, find
    from warploom.study.microbenchmarks.bench import Unmeasured
    from warploom.study.microbenchmarks.report import body, figure, lines, unusable
    from warploom.study.needs import StudyError, needed

    try:
        chosen = list(dict.fromkeys(names)) or list(NAMES)
        config = load_config(gpu, dict(parse_setting(text) for text in changes))
        check_used(config, [parse_setting(text)[0] for text in changes], before="--set ", add="add --gpu {}")
        for name in chosen:
            find(name)
        why_not = unusable(config)
        if why_not:
            raise UserError(why_not)
        if output:
            form_of(output)
            needed("matplotlib", "-o", "")
            check_targets({"-o": output})
        with Progress("probes", len(chosen), quiet=quiet, unit="probes") as progress:
            found = _run(chosen, config, jobs, quick, progress)
        if all(each.lacks for each in found):
            raise UserError(f"{config.name!r}: {found[0].lacks}")
        if output:
            write_file(output, drawn(figure(found, config.name), form_of(output)))
    except StudyError as error:
        raise UserError(str(error)) from None
    except Unmeasured as error:
        report(error, as_json)
        ctx.exit(FAULT)
    except KeyboardInterrupt:
        click.echo("stopped by Ctrl-C; no file was written", err=True)
        ctx.exit(INTERRUPTED)
    if as_json:
        print_json(body(found, config.name))
    elif not quiet:
        from warploom.cli.terminal.screen import width

        click.echo("\n".join(lines(found, config.name, width())))
    if output and not quiet:
        click.echo(f"{output} is written", err=True)


def _run(names: Sequence[str], config: Config, jobs: int | None, quick: bool, progress: Progress) -> list[Probed]:
    """Every probe, spread over processes, the longest first; in the order of their names."""
    from warploom.study.microbenchmarks.runner import Job, longest_first, run_job
    from warploom.study.sweep import spread

    order = longest_first(names)
    tasks = [Job(name, config, quick=quick) for name in order]
    found = spread(run_job, tasks, jobs=jobs, progress=lambda done, total: progress(done), notice=progress.notice)
    by_name = dict(zip(order, found, strict=True))
    return [by_name[name] for name in names]
