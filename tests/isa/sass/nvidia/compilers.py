"""Whether NVIDIA's compilers are there: what a test of theirs is marked with."""

import importlib.util

import pytest


def there() -> bool:
    return importlib.util.find_spec("cuda") is not None and importlib.util.find_spec("cuda.bindings") is not None


REASON = "NVIDIA's compilers are not installed: pip install 'warploom[nvidia]'"


def needs_compilers(test):
    return pytest.mark.nvidia(pytest.mark.skipif(not there(), reason=REASON)(test))
