"""Native code: how units are compiled (`compiler.py`, `library.py`, `rules.py`, `types.py`),
kept (`cache.py`), and called (`loader.py`)."""
