"""Trace lines, as the published hardware's recordings have them, flattened to the names of the flat trace."""

from collections.abc import Iterator
from typing import Any

MASKS = ("serving", "req_rv", "req_wv", "ack_rr", "ack_wr")


def flat(line: dict[str, Any]) -> dict[str, int]:
    """Every number of a line by its path; a mask of consumers in parts, a core each (program memory's in one)."""
    threads = len(line["cores"][0]["threads"])
    parts = {"data_ctrl": (len(line["cores"]), threads), "prog_ctrl": (1, len(line["cores"]))}
    found = {}
    for path, value in leaves({key: value for key, value in line.items() if key != "cycle"}):
        controller, _, name = path.partition(".")
        if name in MASKS:
            groups, width = parts[controller]
            for group in range(groups):
                found[f"{path}[{group}]"] = value >> group * width & (1 << width) - 1
        else:
            found[path] = value
    return found


def leaves(node: Any, path: str = "") -> Iterator[tuple[str, int]]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield from leaves(value, f"{path}.{key}" if path else key)
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from leaves(value, f"{path}[{number}]")
    else:
        yield path, node
