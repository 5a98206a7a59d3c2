"""A pytest plugin: numba-cuda's simulator hands every launch to warploom; what that cannot do goes back to it, with the reason.

Read from the environment: WARPLOOM_SUITE names the file of results, a JSON line a test.
"""

import builtins
import inspect
import itertools
import json
import os
from functools import reduce

import numba.cuda as nc
import numba.cuda.testing as testing
import pytest
from numba.cuda.simulator import kernel as simulated
from numba.cuda.simulator import kernelapi
from numba.cuda.simulator.cudadrv.devicearray import FakeCUDAArray

import warploom
from warploom import cuda
from warploom.isa.diagnostics import SourceError
from warploom.kernel.device.context import CURRENT, Context
from warploom.kernel.launch.launch import Kernel, KernelError, extents
from warploom.kernel.names import everything
from warploom.kernel.place import in_numbas_place
from warploom.kernel.python_program import keeping_texts
from warploom.kernel.syntax import known_names as names

assert everything.TABLES
RUN_HERE = ("warp", "syncwarp", "non-top-level", "cudasim doesn't support cuda import")  # what the simulator cannot, and warploom can
NOT_RESULTS = {  # what a test asks for beside a kernel's results, by a word of its source
    "inspect_llvm": "NVIDIA's intermediate code",
    "compile_ptx": "NVIDIA's intermediate code",
    "not supported in cudasim": "a refusal of the simulator's own",
    "errors.TypingError": "an error of Numba's own class",
}
plain_skip = testing.skip_on_cudasim


def skip_on_cudasim(reason):
    """The suite's own decorator, but for tests of warps."""
    return (lambda test: test) if any(word in reason.lower() for word in RUN_HERE) else plain_skip(reason)


testing.skip_on_cudasim = skip_on_cudasim
CONTEXT = Context(warploom.GPU("sm", engine="auto"), 1 << 24)
OUT = open(os.environ["WARPLOOM_SUITE"], "w", encoding="utf-8")  # noqa: SIM115
state = {}
kernels = {}
numbers = itertools.count()


builtins.exec = keeping_texts(builtins.exec)

for module in (nc,):
    for name in dir(module):
        thing = getattr(module, name)
        if names.starts(f"cuda.{name}") and not isinstance(thing, int | float | str | bool):
            names.FOREIGN[id(thing)] = (thing, f"cuda.{name}")
for name, thing in vars(kernelapi).items():
    path = {"FakeCUDAShared": "cuda.shared", "FakeCUDALocal": "cuda.local", "FakeCUDAConst": "cuda.const"}.get(name)
    if path:
        names.FOREIGN[id(thing)] = (thing, path)


def plain(argument):
    """An argument as warploom takes it."""
    if type(argument).__module__ in ("numba.cuda.args", "numba.cuda.simulator.args"):  # where Numba's own copy, and numba-cuda, has them
        return (cuda.In if type(argument).__name__ == "In" else cuda.InOut)(plain(argument.value))
    while isinstance(argument, FakeCUDAArray):
        argument = argument._ary
    return argument


def reason(error):
    if isinstance(error, SourceError):
        return "error: " + error.diagnostics[0].message
    return f"{type(error).__name__}: {error}".splitlines()[0]


def keep_signature(jit):
    """The simulator forgets signatures; numbers are converted to their types."""

    def make(*args, **named):
        found = jit(*args, **named)
        if isinstance(found, simulated.FakeCUDAKernel) or not args or isinstance(args[0], list):
            return found

        def decorate(function):
            kernel = found(function)
            kernel.declared = args[0]
            return kernel

        return decorate

    return make


nc.jit = keep_signature(nc.jit)
original = simulated.FakeCUDAKernel.__call__


def call(self, *args):
    if self._device or simulated._kernel_context:
        return original(self, *args)
    if self.grid_dim is None or 0 in simulated.normalize_kernel_dimensions(self.grid_dim, self.block_dim)[0]:
        return original(self, *args)  # no launch: without a grid it is refused, and one of no blocks does nothing
    state["launches"] += 1
    taken = args
    if self.extensions:
        _, taken = zip(
            *(
                reduce(lambda pair, extension: extension.prepare_args(*pair, stream=0, retr=[]), self.extensions, (None, one))
                for one in args
            ),
            strict=True,
        )
    try:
        declared = getattr(self, "declared", None)
        key = (self.fn, self._debug, str(declared))
        kernel = kernels.setdefault(key, Kernel(self.fn, context=CONTEXT, debug=self._debug, signature=declared))
        grid, block = simulated.normalize_kernel_dimensions(self.grid_dim, self.block_dim)
        kernel.launch(extents(grid, "grid"), extents(block, "block"), int(self.dynshared_size), [plain(one) for one in taken])
        state["done"] += 1
        state["compiling"].append(kernel.compile_seconds)
        return None
    except KernelError as error:
        state["why"].append("fault: " + error.result.fault[:150])
    except Exception as error:
        if "tid=" in str(error):
            state["done"] += 1
            if isinstance(error, ZeroDivisionError):  # the simulator's name for it
                raise FloatingPointError(str(error)) from None
            raise
        state["why"].append(reason(error)[:170])
    return original(self, *args)


simulated.FakeCUDAKernel.__call__ = call


def seen(result):
    """A launch that a test has made by warploom itself."""
    state["launches"] += 1
    state["done"] += 1


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item, nextitem):
    state.update(id=item.nodeid, why=[], launches=0, done=0, outcome=None, compiling=[])
    source = inspect.getsource(item.function)
    state["asks"] = next((what for word, what in NOT_RESULTS.items() if word in source), "")
    kernels.clear()
    if "doc_examples" in item.nodeid:  # they import cuda in the test: it is warploom's there
        CURRENT.watch = seen
        with in_numbas_place():
            yield
        CURRENT.watch = None
    else:
        yield
    OUT.write(json.dumps(state) + "\n")
    OUT.flush()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.when == "call" or report.skipped or report.failed:
        state["outcome"] = state["outcome"] if state["outcome"] == "failed" else report.outcome
        if report.failed:
            state["said"] = str(report.longrepr)[-1500:]


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    """What the suite's own configuration, which is not installed with it, gives its test classes."""
    request.cls._dump_failed_filechecks = False
