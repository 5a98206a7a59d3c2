"""Experiments that others published, made again with kernels of our own. One file an experiment: its data and one function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warploom.study.catalogue import find_in

if TYPE_CHECKING:
    from warploom.study.experiments.experiment import Experiment

# Name on the command line, and the file that has it, in the order in which a lecture would take them.
NAMES: dict[str, str] = {
    "divergence-width": "divergence_width",
    "divergence-mechanisms": "divergence_mechanisms",
    "five-ways": "five_ways",
    "serialisation": "serialisation",
    "latency-hiding": "latency_hiding",
    "two-level": "two_level",
    "coalescing": "coalescing",
    "bank-conflicts": "bank_conflicts",
    "replacement": "replacement",
    "ray-loops": "ray_loops",
    "mechanism-cost": "mechanism_cost",
}


def find(name: str) -> Experiment:
    """An experiment by its name. Raises StudyError with the nearest name and the list of all."""
    found: Experiment = find_in(__name__, NAMES, name, what="study", attribute="EXPERIMENT")
    return found
