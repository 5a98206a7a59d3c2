"""Why none of several machines is possible: each with its reason, where they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

MOST = 8  # machines that are told


def reasons_of(points: Sequence[Mapping[str, Any]], messages: Sequence[str]) -> str:
    """One sentence where all have one reason, else a line for each machine. points: the settings of each, in the order of `messages`."""
    if len(set(messages)) == 1:
        return messages[0]
    told: dict[str, list[str]] = {}
    for point, message in zip(points, messages, strict=True):
        told.setdefault(message, []).append(", ".join(f"{name}={value}" for name, value in point.items()))
    lines = [f"  {_listed(machines)}: {message}" for message, machines in list(told.items())[:MOST]]
    left = len(told) - MOST
    more = [f"  and {left} more reason{'s' * (left != 1)}"] if left > 0 else []
    return "\n".join(["none of these machines can run it", *lines, *more])


def _listed(machines: Sequence[str]) -> str:
    return "; ".join(machines[:3]) + (f"; {len(machines) - 3} more" if len(machines) > 3 else "")
