import pytest

import warploom
from warploom.kernel.device.context import CURRENT


@pytest.fixture(autouse=True)
def plain_python():
    """Kernels of these tests are short: plain Python runs them at once."""
    CURRENT.use(warploom.GPU("sm", engine="python"))
    CURRENT.context.memory_bytes = 1 << 22
    yield
    CURRENT.use(None)
