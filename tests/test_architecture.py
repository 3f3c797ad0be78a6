"""The shape of the source tree: layers, cycles, public names, what an import costs."""

from __future__ import annotations

import ast
import graphlib
import importlib
import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from pathlib import Path
from types import ModuleType

import pytest

import facetwise
from facetwise import baselines, metrics

# From the bottom up. Each part may import itself and the layers below its own.
# CONTRIBUTING.md has the same table, and says what each part holds.
LAYERS = [
    {"errors", "version"},
    {"archive", "core", "endings", "extras", "jsonable", "markup", "progress"},
    {"endpoints", "models", "datasets", "tables"},
    {"baselines", "metrics", "serve"},
    {"explanation", "interleave"},
    {"asking", "unconfirmed", "wanted"},
    {"run"},
    {"explainer"},
    {"export", "inspection", "report", "plot", "shap_explanation"},
    {"__init__"},  # what users import: it alone may import anything
    {"reproduce"},
    {"demo"},
    {"cli"},
    {"__main__"},
]
REQUIRED = {"numpy", "scipy"}  # all that the core, and any import, may need
COMMAND_LINE = {"click"}  # is always installed, and imported by `cli` alone
VAGUE_NAMES = {"utils", "util", "helpers", "common", "misc"}
ON_DEMAND = {"facetwise.models.logistic_model_tree": "sklearn"}
"""Modules whose classes are an optional library's, and the extra that has it.

They are imported when somebody asks for their names, and say then what is missing.
"""
SLOW_TO_LOAD = {
    "botocore",
    "click",
    "google.protobuf",
    "grpc",
    "http.client",
    "httpx",
    "matplotlib",
    "pandas",
    "polars",
    "scipy.optimize",
    "scipy.stats",
    "shap",
    "sklearn",
    "torch",
}

ROOT = Path(facetwise.__file__).parent
CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"


# Reading a package -------------------------------------------------------------------


@dataclass(frozen=True)
class Module:
    """One source file of a package."""

    name: str  # dotted, from the package down
    package: str  # what its relative imports start from
    tree: ast.Module


def read(root: Path) -> dict[str, Module]:
    """Every module of the package in folder `root`, by its dotted name."""
    modules = {}
    for path in sorted(root.rglob("*.py")):
        package = ".".join(path.relative_to(root.parent).parent.parts)
        name = package if path.stem == "__init__" else f"{package}.{path.stem}"
        modules[name] = Module(name, package, ast.parse(path.read_bytes(), str(path)))
    return modules


def imports(root: Path) -> dict[str, set[str]]:
    """What each module imports anywhere in its file: modules, by their dotted names."""
    modules = read(root)

    def targets(module: Module) -> Iterator[str]:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                dotted = "." * node.level + (node.module or "")
                source = importlib.util.resolve_name(dotted, module.package)
                for alias in node.names:
                    submodule = f"{source}.{alias.name}"
                    yield submodule if submodule in modules else source

    return {name: set(targets(module)) for name, module in modules.items()}


def part(module: str) -> str:
    """The entry of `LAYERS` that a module of the package belongs to."""
    return module.split(".")[1] if "." in module else "__init__"


# What can be wrong with it -----------------------------------------------------------


def unplaced(root: Path) -> set[str]:
    """Parts of the package that have no layer."""
    return {part(name) for name in read(root)}.difference(*LAYERS)


def upward(root: Path) -> set[tuple[str, str]]:
    """Imports, as (importer, imported), that do not go down a layer."""
    layer = {name: height for height, names in enumerate(LAYERS) for name in names}
    top = len(LAYERS)
    return {
        (importer, imported)
        for importer, targets in imports(root).items()
        for imported in targets
        if imported.partition(".")[0] == root.name
        and part(importer) not in ("__init__", part(imported))
        and layer.get(part(imported), top) >= layer.get(part(importer), top)
    }


def cycle(root: Path) -> list[str]:
    """Modules that import one another in a ring, or nothing."""
    try:
        graphlib.TopologicalSorter(imports(root)).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def foreign(root: Path, where: str) -> set[str]:
    """Top-level packages that the modules of one part need and may not."""
    allowed = {root.name, *REQUIRED, *sys.stdlib_module_names}
    return {
        target.partition(".")[0]
        for name, targets in imports(root).items()
        if part(name) == where
        for target in targets
    } - allowed


def needs_click(imported: set[str]) -> bool:
    """Whether one of these modules belongs to the library of the command line."""
    return not COMMAND_LINE.isdisjoint(name.partition(".")[0] for name in imported)


def undocumented(root: Path) -> set[str]:
    """Modules, and public functions and classes in them, that lack a docstring."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    missing = set()
    for name, module in read(root).items():
        public = [
            node
            for node in module.tree.body
            if isinstance(node, kinds) and not node.name.startswith("_")
        ]
        # One docstring serves all overloads of a name.
        told = {node.name for node in public if ast.get_docstring(node)}
        missing |= {f"{name}.{node.name}" for node in public if node.name not in told}
        if not ast.get_docstring(module.tree):
            missing.add(name)
    return missing


def vaguely_named(root: Path) -> set[str]:
    """Modules whose name does not tell what they hold."""
    return {
        name
        for name in read(root)
        if any(word.strip("_") in VAGUE_NAMES for word in name.split("."))
    }


def exported(package: ModuleType) -> set[str]:
    """Public names of a package; `__version__` is public.

    Any module that was imported from anywhere becomes an attribute of its package. A
    subpackage is public only where the package's own source takes it in by name.
    """
    source = Path(str(package.__file__)).read_bytes()
    taken_in = {
        alias.name
        for node in ast.parse(source).body
        if isinstance(node, ast.ImportFrom) and node.module == package.__name__
        for alias in node.names
    }
    unseen = type(annotations)  # what `from __future__` leaves behind
    values = {name: getattr(package, name) for name in dir(package)}
    return {
        name
        for name, value in values.items()
        if not isinstance(value, unseen)
        and (not isinstance(value, ModuleType) or name in taken_in)
        and (not name.startswith("_") or name == "__version__")
    }


def layers_told(text: str) -> list[set[str]]:
    """Layers of the table that a text in Markdown has, as `LAYERS` has them."""
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    names = [set(re.findall(r"`(\w+)`", cell)) for cell in cells]
    return [layer for layer in names if layer]


def import_afresh(root: Path, *names: str, bare: bool = False) -> set[str]:
    """What importing modules in a new process loads; `bare` has nothing optional."""
    kept = {root.name, *REQUIRED, *COMMAND_LINE}
    blocked = set(packages_distributions()) - kept if bare else set()
    code = f"""
import importlib, sys

class Block:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ModuleNotFoundError(f"{{name}} is blocked", name=name)

sys.meta_path.insert(0, Block)
sys.path.insert(0, {str(root.parent)!r})
for name in {names}:
    importlib.import_module(name)
print(*sys.modules)
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise ImportError(done.stderr)
    return set(done.stdout.split())


# facetwise is in shape ---------------------------------------------------------------


def test_every_module_has_a_layer() -> None:
    """Each module and package of facetwise has its place in the table of layers."""
    assert not unplaced(ROOT)


def test_contributors_are_told_the_layers() -> None:
    """CONTRIBUTING.md has the table of layers, part for part, in the same order."""
    told = layers_told(CONTRIBUTING.read_text("utf-8"))
    unsaid = ({"__init__"}, {"__main__"})
    assert told == [layer for layer in LAYERS if layer not in unsaid]


def test_imports_go_downwards_only() -> None:
    """A module imports its own part and lower layers, inside functions as well."""
    assert not upward(ROOT)


def test_no_modules_import_one_another() -> None:
    """There is no ring of imports, those inside functions and for types included."""
    assert not cycle(ROOT)


def test_core_needs_numpy_and_scipy_alone() -> None:
    """The core imports the standard library, NumPy, SciPy and what lies below it."""
    assert not foreign(ROOT, "core")


def test_the_command_line_alone_needs_its_library() -> None:
    """What parses commands is imported by `cli`, and by nothing that others use."""
    users = {part(name) for name, found in imports(ROOT).items() if needs_click(found)}
    assert users == {"cli"}


def test_everything_public_is_documented() -> None:
    """Every module, and every public function and class in one, has a docstring."""
    assert not undocumented(ROOT)


def test_names_say_what_a_module_holds() -> None:
    """No module is named for being useful."""
    assert not vaguely_named(ROOT)


@pytest.mark.parametrize(
    "package",
    [
        facetwise,
        facetwise.datasets,
        facetwise.plot,
        facetwise.report,
        baselines,
        metrics,
    ],
)
def test_all_lists_what_is_exported(package: ModuleType) -> None:
    """`__all__` is each public name once, in the order that the linter keeps."""
    names = package.__all__
    assert set(names) == exported(package)
    assert names == sorted(set(names), key=lambda n: (not n.isupper(), n[0] > "Z", n))


def test_exports_are_documented() -> None:
    """Every class and function that `import facetwise` gives has its own docstring."""
    values = {name: getattr(facetwise, name) for name in facetwise.__all__}
    told = {name: value.__doc__ for name, value in values.items() if callable(value)}
    # A dataclass without a docstring is given its signature for one.
    assert not [
        name for name, doc in told.items() if not doc or doc.startswith(f"{name}(")
    ]


@pytest.mark.parametrize("package", ["facetwise", "facetwise.models"])
def test_import_is_light(package: str) -> None:
    """Importing it loads nothing optional, no HTTP, no slow corner of SciPy."""
    assert not SLOW_TO_LOAD & import_afresh(ROOT, package)


def test_every_module_imports_without_optional_packages() -> None:
    """With NumPy and SciPy alone on the machine, modules can be imported."""
    names = [name for name in read(ROOT) if part(name) != "__main__"]
    names = [name for name in names if name not in ON_DEMAND]
    loaded = import_afresh(ROOT, *names, bare=True)
    assert set(names) <= loaded
    assert not ON_DEMAND.keys() & loaded


@pytest.mark.parametrize("name", ON_DEMAND)
def test_modules_on_demand_say_what_is_missing(name: str) -> None:
    """Without its library, a module on demand names the extra to install."""
    with pytest.raises(ImportError, match=rf"facetwise\[{ON_DEMAND[name]}\]"):
        import_afresh(ROOT, name, bare=True)


# The rules can fail ------------------------------------------------------------------

Package = Callable[[dict[str, str]], Path]


@pytest.fixture
def package(tmp_path: Path) -> Package:
    """Write a small package, given as sources by path; its folder."""

    def write(sources: dict[str, str]) -> Path:
        root = tmp_path / "toy"
        for path, source in {
            "__init__.py": "",
            "core/__init__.py": "",
            **sources,
        }.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(source, "utf-8")
        return root

    return write


def test_a_package_in_shape_passes(package: Package) -> None:
    """Downward, relative and same-part imports are no fault."""
    root = package(
        {
            "__init__.py": "from toy import plot",
            "errors.py": "",
            "core/solve.py": "from . import floor\nfrom ..errors import Oops",
            "core/floor.py": "import math, numpy.linalg",
            "explainer.py": "def f():\n    from toy.core.solve import g",
            "plot.py": "from .explainer import f",
        }
    )
    assert not unplaced(root)
    assert not upward(root)
    assert not cycle(root)
    assert not foreign(root, "core")


@pytest.mark.parametrize(
    ("path", "source", "imported"),
    [
        ("core/solve.py", "import toy.explainer", "toy.explainer"),
        ("core/solve.py", "from ..explainer import Explainer", "toy.explainer"),
        ("core/solve.py", "def f():\n    from toy import models", "toy.models"),
        ("core/solve.py", "from toy import __version__", "toy"),
        ("core/solve.py", "from toy.gone import f", "toy.gone"),
        ("explanation.py", "from toy.explainer import f", "toy.explainer"),
        ("endpoints/http.py", "from toy.models import f", "toy.models"),
    ],
)
def test_upward_imports_are_seen(
    package: Package, path: str, source: str, imported: str
) -> None:
    """An import of a higher layer or a neighbour is found however it is written."""
    root = package({path: source, "models/__init__.py": "", "explainer.py": ""})
    importer = "toy." + path.removesuffix(".py").replace("/", ".")
    assert upward(root) == {(importer, imported)}


def test_a_part_without_a_layer_is_seen(package: Package) -> None:
    """A module that is missing from the table of layers is found."""
    assert unplaced(package({"novelty.py": ""})) == {"novelty"}


@pytest.mark.parametrize(
    "back",
    [
        "from toy.core import a",
        "def f():\n    from .a import g",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import toy.core.a",
    ],
)
def test_rings_of_imports_are_seen(package: Package, back: str) -> None:
    """A ring is found when one of its imports is lazy or for types alone."""
    root = package({"core/a.py": "from .b import f", "core/b.py": back})
    assert set(cycle(root)) == {"toy.core.a", "toy.core.b"}


def test_foreign_imports_are_seen(package: Package) -> None:
    """A third-party package in the core is found, inside a function as well."""
    root = package({"core/a.py": "def f():\n    import pandas.api"})
    assert foreign(root, "core") == {"pandas"}


def test_missing_docstrings_are_seen(package: Package) -> None:
    """Bare modules, functions and classes are found; private ones may be bare."""
    root = package(
        {
            "__init__.py": "'Toy.'",
            "core/__init__.py": "'Core.'\nclass A: ...\ndef b(): 'Does.'",
            "errors.py": "async def c(): ...\ndef _d(): ...",
        }
    )
    assert undocumented(root) == {"toy.core.A", "toy.errors", "toy.errors.c"}


def test_vague_names_are_seen(package: Package) -> None:
    """Files and folders named for being useful are found behind underscores too."""
    root = package({"core/_utils.py": "", "common/__init__.py": ""})
    assert vaguely_named(root) == {"toy.core._utils", "toy.common"}


def test_what_is_exported_is_seen(
    package: Package, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A subpackage counts if it is taken in by name, not if it is merely loaded."""
    root = package(
        {
            "__init__.py": "from __future__ import annotations\n"
            "import math\n"
            "from toy import plot\n"
            "from toy.core.solve import f, _g\n"
            "__version__ = '1'",
            "core/solve.py": "def f(): ...\ndef _g(): ...",
            "plot/__init__.py": "",
        }
    )
    monkeypatch.syspath_prepend(root.parent)
    try:
        assert exported(importlib.import_module("toy")) == {"__version__", "f", "plot"}
    finally:
        for name in read(root):
            sys.modules.pop(name, None)


def test_layers_of_a_table_are_seen() -> None:
    """Names in the first column of a table are layers, and other tables are none."""
    text = """
| command | what it does |
|---|---|
| `make demo` | runs `core` |

| layer | holds |
|---|---|
| `errors` | nothing of `core` |
| `core` · `plot` | the rest |
"""
    assert layers_told(text) == [{"errors"}, {"core", "plot"}]


def test_what_an_import_loads_is_seen(package: Package) -> None:
    """Modules that a package loads on import are listed."""
    root = package({"__init__.py": "import sqlite3"})
    assert "sqlite3" in import_afresh(root, "toy")


def test_optional_packages_can_be_blocked(package: Package) -> None:
    """A bare import fails on a package that is installed but not required."""
    root = package({"__init__.py": "import pytest"})
    assert "pytest" in import_afresh(root, "toy")
    with pytest.raises(ImportError, match="pytest is blocked"):
        import_afresh(root, "toy", bare=True)
