"""What a microbenchmark is: a question, a function that measures, and one that says what a configuration promises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from warploom.machine.config.schema import Config
from warploom.study.microbenchmarks.bench import Bench


@dataclass(frozen=True)
class Reading:
    """One number that was measured. key: its name, by which configured and published numbers are found. what: in words, with the unit."""

    key: str
    what: str
    measured: float


@dataclass(frozen=True)
class Curve:
    """A line of a figure. panel: the axes that it belongs to, a key of `Finding.panels`. key: of published points to be drawn beside it."""

    panel: str
    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    key: str = ""


@dataclass(frozen=True)
class Axes:
    """Where curves are drawn. Labels say the unit."""

    title: str
    x_label: str
    y_label: str
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Finding:
    """What a microbenchmark gave. axes: by the name that curves use."""

    readings: tuple[Reading, ...]
    curves: tuple[Curve, ...] = ()
    axes: Mapping[str, Axes] | None = None


def everywhere(config: Config) -> str:
    """Of a microbenchmark that every machine with warps can run."""
    return ""


@dataclass(frozen=True)
class Microbenchmark:
    """A microbenchmark.

    title: what it measures. how: the kernel, in a sentence or two. measure: the black box's numbers. configured: what a configuration
    promises for them, by key; a key that is left out is a number that no setting states. lacks: a sentence where it does not apply
    to a machine, else "". whole: it is about all multiprocessors and what they share; any other one is measured on a machine of one, whose
    numbers are the same and which is sooner done.
    """

    name: str
    title: str
    how: str
    measure: Callable[[Bench], Finding]
    configured: Callable[[Config], Mapping[str, float]]
    lacks: Callable[[Config], str] = everywhere
    whole: bool = False
