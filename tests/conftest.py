"""Tests see the same terminal everywhere: 80 columns, and nobody's wishes about colours. A slow machine fails none of them.

Two things save time. All processes of a run of tests share what the C compiler has made: its runtime is compiled once for each target and
level, and not for each program. And no collection of garbage looks through the tests themselves, half a million objects that stay.
"""

import gc
import os
import shutil
import signal
import tempfile
import threading
from collections import defaultdict
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

# The same examples in every run, so that a change is judged by itself; `pytest --hypothesis-profile=search` draws new ones.
settings.register_profile("search", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("patient", settings.get_profile("search"), derandomize=True)
settings.load_profile("patient")


def pytest_configure(config):
    # A shell starts what runs in the background with SIGINT ignored, and children would inherit that: those that wait for it never end.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.update(COLUMNS="80", LINES="24")
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
        os.environ.pop(name, None)
    if not hasattr(config, "workerinput") and "ZIG_LOCAL_CACHE_DIR" not in os.environ:
        os.environ["ZIG_LOCAL_CACHE_DIR"] = folder = tempfile.mkdtemp(prefix="warploom-tests-cc-")
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Of a test marked `every(n)` one in n of its cases stays, spread over all its parameters; the others are slow ones."""
    cases = defaultdict(list)
    for item in items:
        if mark := item.get_closest_marker("every"):
            cases[item.nodeid.partition("[")[0], mark.args[0]].append(item)
    for (_, count), found in cases.items():
        found.sort(key=lambda item: crc32(item.nodeid.encode()))
        for item in found[-(-len(found) // count) :]:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty on-disk cache, so that nothing is compiled yet."""
    from warploom.machine.engine.native.loader import native

    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path))
    native.cache_clear()
    yield tmp_path
    native.cache_clear()
