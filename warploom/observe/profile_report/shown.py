"""A profile that shows itself: as the table of `warploom profile` where it is printed, and in a notebook."""

from __future__ import annotations

import sys
from html import escape

from warploom.observe.diagnosis.diagnosis import diagnose
from warploom.observe.profile import Profile
from warploom.observe.profile_report.table import ordered, profile_table
from warploom.observe.text.styled import plain

PRINTED, PAGE = 80, 104  # columns in a terminal, and in a notebook


class ShownProfile(Profile):
    """A profile with its table."""

    def __str__(self) -> str:
        return self._table(PRINTED, unicode=(getattr(sys.stdout, "encoding", "") or "").lower().startswith("utf"))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        style = "font-family:monospace;line-height:1.3;white-space:pre;overflow-x:auto"  # a notebook's own theme changes each of them
        return f'<pre style="{style}">{escape(self._table(PAGE, unicode=True))}</pre>'

    def _table(self, width: int, unicode: bool) -> str:
        lines = profile_table(self, ordered(self.lines(), "line", None), diagnose(self), width=width, unicode=unicode)
        return "\n".join(plain(line).rstrip() for line in lines)


def shown(profile: Profile) -> ShownProfile:
    """The same profile with its table."""
    return ShownProfile(**vars(profile))
