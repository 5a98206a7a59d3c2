"""Imports point down only, and none goes round in a circle, however it is written.

import-linter reads ordinary imports. Here the sources are read: an import inside a function, one under TYPE_CHECKING, and a module that a
text names all count. The layers are those of pyproject.toml.
"""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import networkx as nx
import pytest

from tests.documentation import ROOT

# The places that load a module whose name they put together, and what they load. Everything else is imported by name in full.
BY_NAME = {
    "warploom/__init__.py": "the public names, when they are first used",
    "warploom/cli/group.py": "a command",
    "warploom/isa/frontends.py": "a front end",
    "warploom/machine/engine/native/compiler.py": "the native twin of a unit",
    "warploom/kernel/place.py": "a part of Numba that a program of the user's imports",
    "warploom/kernel/syntax/statements.py": "what a kernel imports",
    "warploom/observe/pictures/picture.py": "a kind of picture",
    "warploom/observe/text/needs.py": "a package that only some users have",
    "warploom/observe/traces/__init__.py": "a format of traces",
    "warploom/rtl/__init__.py": "the public names of the hardware, when they are first used",
    "warploom/study/catalogue.py": "an experiment or a microbenchmark",
}
NAMED = re.compile(r"\bwarploom(?:\.\w+)+")


class Arrow(NamedTuple):
    """An import. source, target: modules."""

    source: str
    target: str
    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.source} imports {self.target}"


def module_name(path: Path) -> str:
    """Of a path relative to the root."""
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def docstrings(nodes):
    for node in nodes:
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and ast.get_docstring(node, False) is not None
        ):
            yield node.body[0].value


def module_of(name, modules):
    """The module that a dotted name is, or is in; None for none of the package's."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


@cache
def arrows(root: Path) -> list[Arrow]:
    """Every import of a module of the package by another one. A root is read once."""
    paths = {module_name(path.relative_to(root)): path for path in sorted(root.glob("warploom/**/*.py"))}
    found = []
    for source, path in paths.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        nodes = list(ast.walk(tree))
        left_out = set(docstrings(nodes))
        left_out |= {part for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}  # see BY_NAME
        for node in nodes:
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}:{node.lineno}: imports of the package are written in full"
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in left_out:
                # A text that names no module below the package is no import: the group of entry points, say.
                names = [name for name in NAMED.findall(node.value) if module_of(name, paths) != "warploom"]
            for name in names:
                target = module_of(name, paths) if name.startswith("warploom") else None
                if target is not None and target != source:
                    found.append(Arrow(source, target, path.relative_to(root).as_posix(), node.lineno))
    return found


def circles(found: list[Arrow]) -> list[str]:
    """Each knot of modules that reach each other: the arrows of one way round."""
    graph = nx.DiGraph()
    for arrow in found:
        graph.add_edge(arrow.source, arrow.target, arrow=arrow)
    knots = [graph.subgraph(knot) for knot in nx.strongly_connected_components(graph) if len(knot) > 1]
    return ["; ".join(str(graph.edges[edge[:2]]["arrow"]) for edge in nx.find_cycle(knot)) for knot in knots]


def contracts():
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["tool"]["importlinter"]["contracts"]


def floors(contract, container):
    """By the name of a module: (floor, whether it must not import its neighbours on that floor); floor 0 is the top."""
    prefix = f"{container}." if container else ""
    return {
        prefix + name: (number, "|" in layer)
        for number, layer in enumerate(contract["layers"])
        for name in map(str.strip, re.split(r"[|:]", layer))
    }


def upward(found: list[Arrow], contract) -> list[str]:
    """The arrows that a contract of layers forbids."""
    wrong = []
    for container in contract.get("containers", [""]):
        places = floors(contract, container)
        for arrow in found:
            source, target = (module_of(name, places) for name in arrow[:2])
            if source is None or target is None or source == target:
                continue
            (above, apart), (below, _) = places[source], places[target]
            if below < above or (below == above and apart):
                wrong.append(f"{arrow}, against {contract['name']!r}")
    return wrong


def forbidden(found: list[Arrow], contract) -> list[str]:
    sources, targets = set(contract["source_modules"]), set(contract["forbidden_modules"])
    return [
        f"{arrow}, against {contract['name']!r}" for arrow in found if module_of(arrow.source, sources) and module_of(arrow.target, targets)
    ]


LAYERS = [contract for contract in contracts() if contract["type"] == "layers"]
FORBIDDEN = [contract for contract in contracts() if contract["type"] == "forbidden"]


def test_no_imports_form_a_circle():
    assert circles(arrows(ROOT)) == []


@pytest.mark.parametrize("contract", LAYERS, ids=lambda contract: contract["name"].partition(":")[0])
def test_no_import_points_up(contract):
    assert upward(arrows(ROOT), contract) == []


@pytest.mark.parametrize("contract", FORBIDDEN, ids=lambda contract: contract["name"].partition(":")[0])
def test_no_import_is_a_forbidden_one(contract):
    assert forbidden(arrows(ROOT), contract) == []


def test_every_name_in_a_contract_is_a_module():
    modules = {module_name(path.relative_to(ROOT)) for path in ROOT.glob("warploom/**/*.py")}
    named = {name for contract in LAYERS for container in contract.get("containers", [""]) for name in floors(contract, container)}
    named |= {name for contract in FORBIDDEN for key in ("source_modules", "forbidden_modules") for name in contract[key]}
    assert named <= modules


def test_modules_are_loaded_by_a_name_that_is_put_together_in_few_places_only():
    found = set()
    for path in ROOT.glob("warploom/**/*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "import_module" in text or "__import__" in text else ():
            loads = isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("import_module", "__import__")
            if loads and not (isinstance(node.args[0], ast.Constant)):
                found.add(path.relative_to(ROOT).as_posix())
    assert found == set(BY_NAME)


def test_nobody_but_the_builder_asks_which_kind_a_machine_is():
    rooms = [ROOT / "warploom" / room for room in ("cli", "study", "observe", "machine/debug", "machine/run")]
    paths = [path for room in rooms for path in room.rglob("*.py")] + [ROOT / "warploom/gpu.py", ROOT / "warploom/result.py"]
    asking = re.compile(r"PipelineMachine|SequencerMachine")
    assert [path.relative_to(ROOT).as_posix() for path in paths if asking.search(path.read_text(encoding="utf-8"))] == []


ASKS_A_KIND = re.compile(r"""\bcontrol [!=]= ["']|\bisa [!=]= ["']python""")
MAY_ASK = ("machine/", "isa/", "kernel/")  # the machine itself and the front ends


def test_nobody_asks_which_kind_of_control_or_which_front_end_there_is():
    asking = []
    for path in sorted(ROOT.glob("warploom/**/*.py")):
        place = path.relative_to(ROOT / "warploom").as_posix()
        if not place.startswith(MAY_ASK) and (found := ASKS_A_KIND.search(path.read_text(encoding="utf-8"))):
            asking.append(f"{place}: {found.group()}: ask result.has, config.has or program.language for what is needed")
    assert asking == []


# ---- rooms

MOST_FILES = 24  # of Python in a folder: more are rooms that want walls


def test_no_folder_holds_more_files_than_a_reader_takes_in():
    folders = {path.parent for path in ROOT.glob("warploom/**/*.py")}
    held = {folder.relative_to(ROOT / "warploom").as_posix(): len(list(folder.glob("*.py"))) for folder in folders}
    full = [f"{folder}: {files} files want rooms" for folder, files in held.items() if files > MOST_FILES]
    assert sorted(full) == []


# ---- the checks themselves


def written(root, **files):
    """A package of files; a name's underscores are its folders."""
    for name, text in files.items():
        path = root / "warploom" / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return arrows(root)


IMPORTS = {
    "in a function": "def f():\n    from warploom.machine.device import check\n",
    "for types": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import warploom.machine.device.check\n",
    "by name": "import importlib\nfound = importlib.import_module('warploom.machine.device.check')\n",
    "for another process": "CODE = 'import sys; from warploom.machine.device.check import check'\n",
}


@pytest.mark.parametrize("text", IMPORTS.values(), ids=IMPORTS)
def test_an_import_is_found_wherever_it_stands(tmp_path, text):
    found = written(tmp_path, machine__run__driver=text, machine__device__check="import warploom.machine.run.driver\n")
    line = text.count("\n")
    up, down = (f"warploom/machine/{path}" for path in (f"run/driver.py:{line}", "device/check.py:1"))
    assert [str(arrow).split(": ")[0] for arrow in found] == [down, up]
    (circle,) = circles(found)
    assert up in circle
    assert down in circle
    wrong = [sentence for contract in LAYERS for sentence in upward(found, contract)]
    assert [sentence.split(":")[0] for sentence in wrong] == ["warploom/machine/run/driver.py"]


def test_what_a_docstring_names_is_no_import(tmp_path):
    assert written(tmp_path, machine__run__driver='"""See warploom.machine.device.check."""\n', machine__device__check="") == []


def test_neighbours_that_are_to_be_independent_are_told_apart():
    machine = next(contract for contract in LAYERS if contract.get("containers") == ["warploom.machine"])
    arrow = Arrow("warploom.machine.device.machine", "warploom.machine.sequencer.states", "a", 1)
    assert len(upward([arrow], machine)) == 1
    assert upward([arrow._replace(target="warploom.machine.device.check")], machine) == []


# ---- the tests' own tree

# Rooms in which every file has a test file of its own name, and the files whose tests are elsewhere.
MIRRORED = ("machine", "machine/run", "machine/debug", "machine/device", "machine/sequencer", "observe/facts")
TESTED_ELSEWHERE = {
    "machine/run/protocol.py": "protocols: mypy holds them, tests/machine/test_build.py asks every kind of machine",
    "machine/run/runnable.py": "protocols",
    "machine/device/memory_system.py": "tests/machine/memory: its parts are heard of through the runs of l2 and dram",
}
# Test files that belong to no file.
OF_NO_FILE = {
    **{
        f"tests/observe/explorer/test_{part}.py": "the page as a browser shows it"
        for part in ("browser", "firefox", "jumps", "large_page", "layout", "moving", "panes", "paths", "picture", "pieces")
    },
    "tests/checks/test_c_kernels.py": "kernels in C, with and without a mistake",
    "tests/checks/test_correct.py": "kernels of which nothing may be said",
    "tests/checks/test_planted.py": "kernels with a mistake, and what has to be said of it",
    "tests/graphics/test_exercises.py": "answers of a chapter's exercises",
    "tests/isa/c/test_cpp.py": "programs in C++",
    "tests/isa/c/test_divergent_kernels.py": "kernels whose lanes part and come to barriers apart",
    "tests/isa/vortex/test_barriers.py": "barriers to which only some lanes of a warp come",
    "tests/isa/vortex/test_foreign.py": "programs as others write and compile them",
    "tests/isa/vortex/test_returns.py": "lanes that leave a function at different places",
    "tests/isa/vortex/test_runtime_programs.py": "programs with a run-time of their own",
    "tests/isa/vortex/test_whole_warp.py": "lanes that part in functions and branches before what is for the whole warp",
    "tests/isa/sass/test_calls.py": "printf, assert, calls through pointers and functions that call themselves",
    "tests/kernel/syntax/test_arithmetic_sweep.py": "operators over all types and edges, beside Numba's",
    "tests/kernel/test_classics.py": "lessons of courses, as their scripts have them",
    "tests/kernel/test_random_programs.py": "kernels that a source of random numbers writes",
    "tests/kernel/test_read_only.py": "arrays of the host that can only be read",
    "tests/kernel/test_registers.py": "how many registers kernels need",
    "tests/kernel/test_views.py": "arrays that a kernel sees as arrays of other items",
    "tests/machine/core/divergence/test_dwf_steps.py": "forming warps anew, step by step",
    "tests/machine/core/divergence/test_its_barriers.py": "barriers and syncs of independent threads, one by one",
    "tests/machine/core/divergence/test_masks_steps.py": "operations on masks, one by one",
    "tests/machine/core/test_control_steps.py": "the control unit call by call",
    "tests/machine/core/test_cycle_steps.py": "the steps of a cycle, one by one",
    "tests/machine/core/fetch/test_instruction_fetch_l0.py": "the caches of schedulers in runs",
    "tests/machine/core/fetch/test_instruction_fetch_lines.py": "lookups in the caches of instructions, one by one",
    "tests/machine/core/load_store/test_address_decoder.py": "the address decoder call by call",
    "tests/machine/test_trial.py": "units that are added to a copy of the package",
    "tests/machine/core/test_lengths.py": "how long a function of any of its files is",
    "tests/machine/core/units/test_memory_stage_spaces.py": "the rest of the memory stage: other spaces, textures, images",
    "tests/machine/core/texture/test_sampler_operands.py": "where an image store takes its operands from",
    "tests/machine/debug/test_session_steps.py": "a session over a machine that counts",
    "tests/machine/device/test_block_dispatcher_steps.py": "the steps of handing out blocks, one by one",
    "tests/machine/device/test_device_steps.py": "the steps of the device's cycle, one by one",
    "tests/machine/device/test_machine_again.py": "machines that are built once and run often",
    "tests/machine/device/test_memory_system_events.py": "the events of the memory system, one by one",
    "tests/machine/device/test_report_sentences.py": "what is said of a state, sentence by sentence",
    "tests/ptx/test_device_operations.py": "operations of PTX that device functions of CUDA use",
    "tests/machine/device/test_report_spans.py": "what is said of warps that are stopped",
    "tests/machine/device/test_setup_programs.py": "what a device holds of its program",
    "tests/machine/memory/test_dram_steps.py": "requests of a simple channel, one by one",
    "tests/machine/memory/test_l2_steps.py": "the steps of a lookup in the second-level cache, one by one",
    "tests/machine/sequencer/test_alu_steps.py": "the ALU micro-op by micro-op",
    "tests/machine/sequencer/test_sequencer_steps.py": "edges of a core, state by state",
    "tests/machine/device/test_block_places.py": "dispatcher and end of a warp: which slots a block begins in, as recorded on an H100",
    "tests/machine/memory/test_merges.py": "every place where a request joins a miss",
    "tests/machine/run/test_slices.py": "machine and driver: the parts of a run",
    "tests/kernel/syntax/test_small_programs.py": "small whole programs, through all of the translation",
    "tests/machine/slots/test_mistakes.py": "the same mistakes in a unit of every slot",
    "tests/machine/slots/test_prefetcher_steps.py": "what a machine does around a prefetcher, call by call",
    "tests/rtl/test_mutants.py": "wrong lines, in every unit of the hardware",
    "tests/graphics/rays/test_embree.py": "hits against somebody else's program",
    "tests/study/test_studies.py": "every experiment",
}


def test_each_room_of_the_tests_is_one_of_the_package():
    rooms = {path.parent.relative_to(ROOT / "tests").as_posix() for path in ROOT.glob("tests/*/**/test_*.py")}
    assert [room for room in sorted(rooms) if not (ROOT / "warploom" / room).is_dir()] == []


def test_every_test_file_of_a_room_is_of_a_file_or_a_folder_in_that_room():
    """test_cache.py is of cache.py; test_contract_<role>.py of all that play a role; test_tiny_errors.py of several files in tiny/."""
    strays = []
    for path in sorted(ROOT.glob("tests/*/**/test_*.py")):
        room = ROOT / "warploom" / path.parent.relative_to(ROOT / "tests")
        name = path.stem.removeprefix("test_")
        there = (room / f"{name}.py").exists() or name == room.name or (room / name.split("_")[0]).is_dir()
        place = path.relative_to(ROOT).as_posix()
        if not there and not name.startswith("contract_") and place not in OF_NO_FILE:
            strays.append(place)
    assert strays == []


@pytest.mark.parametrize("room", MIRRORED)
def test_every_file_with_behaviour_has_a_test_file(room):
    untested = []
    for path in sorted((ROOT / "warploom" / room).glob("*.py")):
        place = path.relative_to(ROOT / "warploom").as_posix()
        functions = any(isinstance(node, ast.FunctionDef) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        if not functions or path.stem == "__init__" or place in TESTED_ELSEWHERE:
            continue
        if not (ROOT / "tests" / room / f"test_{path.name}").exists():
            untested.append(place)
    assert untested == []
