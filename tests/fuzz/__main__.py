"""`python -m tests.fuzz`: feeds all readers in turn for as long as it is told. Exit status 1 when something has failed."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import click

from tests.fuzz.run import fuzzed, replayed
from tests.fuzz.targets import TARGETS

TURN = 0.5  # seconds of one target before the next one's


@click.command()
@click.option("--minutes", type=float, default=1.0, help="How long. [default: 1]")
@click.option("--target", "names", multiple=True, type=click.Choice(list(TARGETS)), help="Only these readers.")
@click.option("--seed", type=int, default=None, help="Of the random numbers. [default: the clock]")
@click.option("--replay", type=click.Path(exists=True, path_type=Path), help="An input that was found, once more.")
@click.pass_context
def main(ctx: click.Context, minutes: float, names: tuple[str, ...], seed: int | None, replay: Path | None) -> None:
    """Fuzz everything that reads what a user hands over."""
    with tempfile.TemporaryDirectory() as place:
        if replay is not None:
            failure = replayed(replay, Path(place))
            click.echo("it is read, or refused with a sentence" if failure is None else failure.said)
            ctx.exit(int(failure is not None))
        seed = time.time_ns() % 10**9 if seed is None else seed
        running = {name: fuzzed(TARGETS[name], seed, Path(place)) for name in names or TARGETS}
        counts, failures, seen = dict.fromkeys(running, 0), 0, set()
        end = time.monotonic() + 60 * minutes
        click.echo(f"seed {seed}, {len(running)} readers, {minutes:g} minutes")
        while time.monotonic() < end:
            for name, results in running.items():
                turn = time.monotonic() + TURN
                while time.monotonic() < min(turn, end):
                    failure = next(results)
                    counts[name] += 1
                    if failure is not None and failure.place not in seen:
                        failures += 1
                        seen.add(failure.place)
                        click.echo(f"{failure.said}{name}: python -m tests.fuzz --replay {failure.keep()}\n")
        for name, count in counts.items():
            click.echo(f"{count:>9} {name}")
        click.echo(f"{sum(counts.values())} inputs, {failures} failures")
        ctx.exit(int(failures > 0))


if __name__ == "__main__":
    main()
