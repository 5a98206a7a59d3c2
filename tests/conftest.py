"""Tests see the same terminal everywhere: 80 columns, and nobody's wishes about colours."""

import os


def pytest_configure(config):
    os.environ.update(COLUMNS="80", LINES="24")
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
        os.environ.pop(name, None)
