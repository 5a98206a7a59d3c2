"""What holds for the project as a whole: it starts fast, its layers hold, it speaks of itself alone, its commands are the README's."""

import ast
import gzip
import lzma
import re
import subprocess
import sys
import tomllib

import pytest

from tests.documentation import ROOT

PATTERNS = (
    "*.md",
    "*.toml",
    ".ci/*",
    "docs/**/*.md",
    "warploom/**/*.py",
    "warploom/**/*.toml",
    "warploom/**/*.js",
    "warploom/**/*.css",
    "warploom/**/*.html",
    "tests/**/*.py",
    "benchmarks/**/*.py",
    "examples/**/*.asm",
    "examples/**/*.guppy",
)
TEXTS = tuple(path for pattern in PATTERNS for path in sorted(ROOT.glob(pattern)) if path.is_file())

# Where a link of the project may lead: the projects and papers that it takes mechanisms from, and its tools.
HOSTS = {
    "distributed.dask.org",
    "github.com",
    "numba.readthedocs.io",
    "surfer-project.org",
    "tinytapeout.com",
    "app.tinytapeout.com",
    "ui.perfetto.dev",
    "www.w3.org",
}

# What nobody but the author of a text can make use of, or what says that it is not done.
UNWANTED = {
    "a place on the author's machine": re.compile(r"(?<![\w.*{}])/(?:root|home|Users|work|mnt|tmp)/\w"),
    "work that is left": re.compile(r"\b(?:TOD[O]|FIXM[E]|XX[X]|HAC[K])\b"),
    "an address in a network": re.compile(r"\b(?!127\.0\.0\.1\b)(?:\d{1,3}\.){3}\d{1,3}\b|\blocalhost\b"),  # this machine's own aside
}


def python(code):
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def imports(path):
    """Every module that a file imports, and every name that it imports from one, in full."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_import_alone_loads_no_module_of_the_package_but_itself():
    assert python("import sys, warploom; print([name for name in sys.modules if name.startswith('warploom.')])") == "[]"


def test_import_alone_loads_neither_numba_nor_numpy():
    loaded = python("import sys, warploom; print([name for name in ('numba', 'numpy', 'msgspec', 'rich') if name in sys.modules])")
    assert loaded == "[]"


def test_loading_a_program_and_a_short_run_load_no_numba():
    code = (
        "import sys, warploom; result = warploom.GPU('tiny').run(warploom.load('examples/tiny/matadd.asm')); "
        "print(result.status, 'numba' in sys.modules)"
    )
    assert python(code) == "done False"


def test_every_public_name_is_there_when_it_is_used():
    assert python("import warploom; print([name for name in warploom.__all__ if not hasattr(warploom, name)])") == "[]"


def test_an_unknown_name_is_an_error_that_says_so():
    code = "import warploom\ntry:\n    warploom.GPUS\nexcept AttributeError as error:\n    print(error)"
    assert python(code) == "module 'warploom' has no attribute 'GPUS'"


def test_imports_point_down_only():
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_machine_never_names_an_instruction_set():
    for path in (ROOT / "warploom" / "machine").rglob("*.py"):
        found = re.findall(
            r"^\s*(?:from|import) warploom\.isa(?:\.| import )(?:tiny|guppy)\b.*", path.read_text(encoding="utf-8"), re.MULTILINE
        )
        assert found == [], path


@pytest.mark.parametrize("what", UNWANTED)
def test_no_text_holds(what):
    found = []
    for path in TEXTS:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if UNWANTED[what].search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert found == []


PACKED = {".xz": lzma.decompress, ".gz": gzip.decompress}
BINARIES = tuple(path for path in sorted((ROOT / "tests").rglob("*")) if path.suffix in {*PACKED, ".cubin", ".elf", ".o", ".bin", ".ptx"})


def test_no_recording_holds_a_place_on_the_machine_that_made_it():
    """As the line table of a program does, which is then found there alone."""
    place = re.compile(rb"(?<![\w.])/(?:root|home|Users|work|mnt|tmp)/\w[ -~]*")
    assert BINARIES
    contents = {path: PACKED.get(path.suffix, bytes)(path.read_bytes()) for path in BINARIES}
    assert {path.name: found.group() for path, data in contents.items() if (found := place.search(data))} == {}


def test_links_lead_to_known_places_only():
    found = set()
    for path in TEXTS:
        found |= {(host, str(path.relative_to(ROOT))) for host in re.findall(r"https?://([\w.-]+)", path.read_text(encoding="utf-8"))}
    assert {place for place in found if place[0] not in HOSTS} == set()


def test_both_commands_of_the_readme_are_one_line_and_ci_runs_the_second():
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    run, test = (block.strip() for block in blocks)
    assert "\n" not in run + test
    assert run.endswith("warploom run examples/tiny/matmul.asm")
    assert test in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_what_is_installed_is_what_the_source_imports():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.match(r"[\w-]+", line)[0] for line in project["dependencies"]}
    imported = {name.split(".")[0] for path in (ROOT / "warploom").rglob("*.py") for name in imports(path)}
    outside = imported - set(sys.stdlib_module_names) - {"warploom"}
    extras = project["optional-dependencies"]
    optional = {re.match(r"[\w-]+", line)[0] for extra in ("study", "cluster", "debug", "rtl", "nvidia") for line in extras[extra]}
    assert {
        {"PIL": "pillow", "elftools": "pyelftools", "cuda": "cuda-bindings", "numba_cuda": "numba-cuda"}.get(name, name) for name in outside
    } <= declared | optional | {"llvmlite"}


def test_the_package_says_that_it_is_typed():
    assert (ROOT / "warploom" / "py.typed").exists()


def test_a_citation_names_the_version_and_licence_of_the_package():
    said = dict(re.findall(r"^([a-z-]+): \"?([^\"\n]+)\"?$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE))
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (said["version"], said["license"], said["cff-version"]) == (package["version"], package["license"], "1.2.0")
    assert said["title"].startswith(f"{package['name']}: ")
