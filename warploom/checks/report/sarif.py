"""SARIF: findings as editors and code hosts read them (Static Analysis Results Interchange Format 2.1.0, OASIS, 2020)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from warploom.checks.report.findings import KINDS, Finding
from warploom.isa.program import Position, Program

MEANINGS = {
    "race": "two threads access one element, one of them writes, and nothing says which is first",
    "lost-update": "several threads update one element without an atomic operation",
    "lockstep": "right only as long as the lanes of a warp run in step",
    "bounds": "an index outside of its array",
    "uninitialised": "read before it is set",
    "barrier": "threads of a block at different barriers",
    "syncwarp": "lanes that are named and never come",
    "mask": "a mask that names other lanes than those that are there",
    "shuffle": "a shuffle that reads a lane that is not there",
    "deadlock": "threads that wait for each other",
    "forward-progress": "lanes that wait for other lanes of their warp, which hardware before Volta never ends",
    "division": "a whole number divided by zero",
    "fault": "the machine has stopped the kernel",
    "early-read": "a register that is read before its writer has written it",
}


def sarif(found: Iterable[tuple[Program, Iterable[Finding]]], version: str) -> dict[str, Any]:
    """A SARIF log with one run: the findings of each program. version: of warploom."""
    rules = [{"id": kind, "shortDescription": {"text": MEANINGS[kind]}} for kind in KINDS]
    results = [_result(one, program) for program, findings in found for one in findings]
    driver = {"name": "warploom check", "version": version, "rules": rules}
    return {"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}]}


def _result(one: Finding, program: Program) -> dict[str, Any]:
    text = f"{one.message}. {one.fix}" if one.fix else one.message
    found: dict[str, Any] = {"ruleId": one.kind, "level": "error", "message": {"text": text}}
    found["locations"] = [_location(program, one.position, one.length)]
    if one.other_message:
        found["relatedLocations"] = [_location(program, one.other_position, one.other_length) | {"message": {"text": one.other_message}}]
    return found


def _location(program: Program, position: Position, length: int) -> dict[str, Any]:
    path = PurePath(program.source_of(position).path).as_posix()
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(path)}}
    if position.line:  # lines and columns count from 1, and a region ends before its last column
        place["region"] = {"startLine": position.line, "startColumn": position.column, "endColumn": position.column + max(length, 1)}
    return {"physicalLocation": place}
