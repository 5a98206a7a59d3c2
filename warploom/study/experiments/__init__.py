"""Experiments that others published, made again with kernels of our own. One file an experiment: its data and one function."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from warploom.isa.diagnostics import nearest
from warploom.study.needs import StudyError

if TYPE_CHECKING:
    from warploom.study.experiments.experiment import Experiment

# Name on the command line, and the file that has it, in the order in which a lecture would take them.
NAMES: dict[str, str] = {
    "divergence-width": "divergence_width",
    "divergence-mechanisms": "divergence_mechanisms",
    "serialisation": "serialisation",
    "latency-hiding": "latency_hiding",
    "two-level": "two_level",
    "coalescing": "coalescing",
    "bank-conflicts": "bank_conflicts",
    "replacement": "replacement",
}


def find(name: str) -> Experiment:
    """An experiment by its name. Raises StudyError with the nearest name and the list of all."""
    if name not in NAMES:
        raise StudyError(f"there is no study {name!r}{nearest(name, NAMES)}; there are {', '.join(NAMES)}")
    found: Experiment = importlib.import_module(f"{__name__}.{NAMES[name]}").EXPERIMENT
    return found
