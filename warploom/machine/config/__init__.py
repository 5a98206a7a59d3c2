"""Configurations: all settings (`schema.py`; those of a unit in its room), rules (`check.py`), machines by name (`presets.py`)."""
