import pytest

from warploom.machine.engine.native.loader import native


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty on-disk cache, so that nothing is compiled yet."""
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path))
    native.cache_clear()
    yield tmp_path
    native.cache_clear()
