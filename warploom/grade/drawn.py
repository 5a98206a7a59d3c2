"""A puzzle's picture: rows of boxes with arrows between them, as its task file lists them, in SVG."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

BOX, GAP, LEFT, ROW, TOP = 44, 6, 110, 86, 54


def svg(picture: Mapping[str, Any], title: str) -> str:
    """A picture. rows: [{name, cells}]; arrows: [[row, cell, row, cell], ...]. Cells whose text begins with `*` stand out."""
    rows = picture.get("rows", [])
    longest = max((len(row["cells"]) for row in rows), default=1)
    width, height = max(LEFT + longest * (BOX + GAP) + 20, 420), TOP + len(rows) * ROW + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="14" role="img">',
        f"<title>{escape(title)}</title>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" fill="#3465a4"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="16" y="28" font-size="16" font-weight="600" fill="#202020">{escape(title)}</text>',
    ]
    for number, row in enumerate(rows):
        y = TOP + number * ROW
        parts.append(f'<text x="16" y="{y + BOX / 2 + 5}" fill="#202020">{escape(row["name"])}</text>')
        for place, cell in enumerate(row["cells"]):
            text, marked = cell.removeprefix("*"), cell.startswith("*")
            x = LEFT + place * (BOX + GAP)
            fill = "#fce4b0" if marked else "#e8eef7"
            parts.append(f'<rect x="{x}" y="{y}" width="{BOX}" height="{BOX}" rx="5" fill="{fill}" stroke="#7a8aa0"/>')
            parts.append(f'<text x="{x + BOX / 2}" y="{y + BOX / 2 + 5}" text-anchor="middle" fill="#202020">{escape(text)}</text>')
    for from_row, from_cell, to_row, to_cell in picture.get("arrows", []):
        x1, x2 = (LEFT + cell * (BOX + GAP) + BOX / 2 for cell in (from_cell, to_cell))
        y1, y2 = TOP + from_row * ROW + BOX, TOP + to_row * ROW - 2
        parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#3465a4" stroke-width="1.5" marker-end="url(#head)"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"
