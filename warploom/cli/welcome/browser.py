"""Opening a page of this machine in the user's browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


def opened(page: Path) -> bool:
    """Open a file in a browser; false where there is none, or no screen to show it on."""
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in SCREENS):
        return False  # a browser in letters would take the terminal
    try:
        return webbrowser.open(page.resolve().as_uri())
    except webbrowser.Error:
        return False


def browser_name() -> str | None:
    """What opens pages here; None where nothing does."""
    try:
        return getattr(webbrowser.get(), "name", "the system's browser")
    except webbrowser.Error:
        return None
