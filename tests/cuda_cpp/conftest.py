"""One cache for all of these tests: the first link builds a C++ library, which takes a minute."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import warploom
from warploom.cuda_cpp.server import Server

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "cuda"


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    absent = importlib.util.find_spec("ziglang") is None or sys.platform != "linux"
    for item in items:
        if absent and here in item.path.parents and "compiled" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.skip(reason="host programs need Linux and the package ziglang (extra cc)"))


@pytest.fixture
def server():
    """A device of 64 KiB that answers a program at a.cu:7; `heard`: what it has said."""
    said = []
    made = Server(warploom.GPU("sm", engine="python").device(1 << 16), None, lambda place: "a.cu:7", said.append)
    made.heard = said
    return made


@pytest.fixture(scope="session")
def compiled():
    """Runs `warploom` with a cache that all tests share, and later runs too."""
    cache = Path(os.environ.get("WARPLOOM_TEST_CACHE") or ROOT / ".pytest_cache" / "cuda")
    cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    zig = os.environ.get("ZIG_GLOBAL_CACHE_DIR") or str(cache / "zig")
    environment = os.environ | {"WARPLOOM_CACHE": str(cache), "ZIG_GLOBAL_CACHE_DIR": zig, "ZIG_LOCAL_CACHE_DIR": zig}

    def run(*words, cwd=None, **more):
        return subprocess.run(
            [sys.executable, "-P", "-m", "warploom", *map(str, words)],
            capture_output=True, text=True, check=False, timeout=900, env=environment, cwd=cwd or ROOT, **more,
        )  # fmt: skip

    return run
