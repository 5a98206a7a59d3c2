"""Runs kernels of a text of PTX on a small machine, in Python: what the tests of this folder share."""

import struct

import numpy as np
import pytest

import warploom
from warploom.ptx import DEVICE_WINDOW, read

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"


class Bench:
    """A device, and how a test launches a kernel on it."""

    def __init__(self):
        self.device = warploom.GPU("sm", engine="python").device(1 << 20)
        self.result = self.built = None

    def run(self, text, name, *arguments, grid=(1,), block=(32,), shared=0, path="test.ptx"):
        """Launch a kernel; arrays come back with what it has stored."""
        module = read(HEADER + text, path)
        addresses = {one: self.device.allocate(variable.size) for one, variable in module.variables.items()}
        for one, address in addresses.items():
            self.device.write(address, np.frombuffer(module.initial(one, addresses), np.uint8))
        self.built = module.compile(name, addresses)
        parameters, arrays = b"", []
        for parameter, value in zip(self.built.function.parameters, arguments, strict=True):
            parameters = parameters.ljust(parameter.offset, b"\0")
            if isinstance(value, np.ndarray):
                address = self.device.allocate(value.nbytes)
                self.device.write(address, value)
                arrays.append((value, address))
                parameters += struct.pack("<Q", DEVICE_WINDOW + address)
            else:
                parameters += struct.pack("<i" if parameter.size == 4 else "<q", value)
        self.result = self.device.run(self.built.launch(grid, block, parameters, shared))
        assert self.result.status == "done", self.result.fault
        for array, address in arrays:
            array[...] = self.device.read(address, array.nbytes).view(array.dtype).reshape(array.shape)
            self.device.free(address)
        for address in addresses.values():
            self.device.free(address)


@pytest.fixture
def bench():
    return Bench()
