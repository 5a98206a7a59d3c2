"""What the judge has seen of a submission, and what a person, a table or a course system is told of it: plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

ERROR, GRADED = "error", "graded"


@dataclass(frozen=True)
class Part:
    """One part of the points. name: of task.PARTS. got, of: points. message: why some are missing, or what was measured."""

    name: str
    got: float
    of: float
    message: str = ""


@dataclass(frozen=True)
class Outcome:
    """A graded submission.

    status: "graded", or "error" where it could not be run to an end. message: of the error. advice: what the task tells whoever makes
    this mistake. locked: protections of the guest (`lock.PROTECTIONS`); None where no stranger's code was executed. figures: what was
    measured, by name: (submission, reference or None).
    """

    submission: str
    task: str
    seed: int
    status: str
    parts: tuple[Part, ...] = ()
    message: str = ""
    advice: str = ""
    findings: tuple[str, ...] = ()
    printed: str = ""
    locked: tuple[str, ...] | None = None
    figures: dict[str, tuple[float, float | None]] = field(default_factory=dict)

    @property
    def got(self) -> float:
        """Points."""
        return round(sum(part.got for part in self.parts), 4)

    @property
    def of(self) -> float:
        """The most points."""
        return round(sum(part.of for part in self.parts), 4)

    @property
    def passed(self) -> bool:
        """Whether no point is missing."""
        return self.status == GRADED and self.got == self.of

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        body = asdict(self)
        return body | {"got": self.got, "of": self.of, "passed": self.passed, "locked": None if self.locked is None else list(self.locked)}

    @classmethod
    def from_dict(cls, body: dict[str, Any]) -> Outcome:
        """From `as_dict`, of a judge's process."""
        own = {name: body[name] for name in cls.__dataclass_fields__}
        return cls(
            **own | {
                "parts": tuple(Part(**one) for one in body["parts"]),
                "findings": tuple(body["findings"]),
                "locked": None if body["locked"] is None else tuple(body["locked"]),
                "figures": {name: tuple(two) for name, two in body["figures"].items()},
            }
        )  # fmt: skip


def points_text(value: float) -> str:
    """Points without a tail of zeros."""
    return f"{value:g}"
