"""Configurations: settings (`schema.py`), what they must hold together (`check.py`), machines by name (`presets.py`)."""
