import numpy as np
import pytest

from warploom.machine.run.sparse import only_changed, whole


@pytest.mark.parametrize("size", [0, 1, 4096, 4099])
def test_memory_of_any_size_comes_back(size):
    memory = np.arange(size).astype(np.uint8)
    assert whole(only_changed(memory)).tolist() == memory.tolist()
