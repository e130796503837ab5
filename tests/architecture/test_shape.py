"""The shape of the code: sizes, names, and that whatever is registered is tested and described."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from math import inf
from pathlib import Path

import pytest
from support import cases_apart
from support.analyzer_cases import CASES
from support.every import every

from docs import prose
from treaty.engine.analyzers import ANALYZERS
from treaty.engine.components.base import COMPONENTS

pytestmark = pytest.mark.xdist_group("sources")
ROOT = Path(__file__).parents[2]
PACKAGES = ("contracts", "engine", "registry", "ui", "migrations")
FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
LONGEST_FUNCTION, SHORTEST_FILE, LONGEST_FILE = 40, 15, 350
MOST_ENTRIES = {"contracts": 12, "engine": 20, "registry": 26, "ui": 12}
# Modules in a folder, and in a folder that is a collection of one kind.
MOST_MODULES, MOST_OF_ONE_KIND = 20, 32
COLLECTIONS = {
    "engine/analyzers", "registry/api/routes", "registry/client", "registry/schemas", "registry/tables", "ui/texts",
    "migrations/versions",
}  # fmt: skip
FACES = {"__init__.py", "__main__.py"}
MODULES = {
    str(folder): [path for path in FILES if path.parent.relative_to(ROOT) == folder and path.name not in FACES]
    for folder in {path.parent.relative_to(ROOT) for path in FILES}
}
MOST_POSITIONAL = 4
BANNED = re.compile(r"(^|_)(utils?|managers?|helpers?|validators?|(?<!great_)expectations?)(_|$)", re.IGNORECASE)
WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def most_of(folder: str) -> float:
    # Each change of the tables adds a migration, and none may be removed.
    if folder == "migrations/versions":
        return inf
    return MOST_OF_ONE_KIND if folder in COLLECTIONS else MOST_MODULES


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(prose.parsed(path)))


def functions(path: Path) -> Iterator[Function]:
    return (node for node in nodes(path) if isinstance(node, Function))


def length(function: Function) -> int:
    """Lines of the signature's last line and the body, without the docstring."""
    body = function.body[1:] if ast.get_docstring(function) and len(function.body) > 1 else function.body
    return (function.end_lineno or 0) - body[0].lineno + 2


@every("path", FILES, ids=named)
def test_no_function_and_no_file_is_long(path: Path) -> None:
    assert {each.name: length(each) for each in functions(path) if length(each) > LONGEST_FUNCTION} == {}
    assert len(prose.read(path).splitlines()) <= LONGEST_FILE


@every("path", FILES, ids=named)
def test_every_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(prose.parsed(path)) or path.parent.name == "versions"


@every("path", FILES, ids=named)
def test_no_name_is_a_word_that_says_nothing(path: Path) -> None:
    classes = [node.name for node in nodes(path) if isinstance(node, ast.ClassDef)]
    spoken = [each.name for each in functions(path) if not each.name.startswith("_")]
    spelled = [path.stem, *("_".join(WORDS.findall(name)) for name in classes), *spoken]
    assert [name for name in spelled if BANNED.search(name)] == []


def declared(node: ast.ClassDef) -> list[ast.AnnAssign]:
    """The fields that a class declares, as far as its constructor takes them."""
    fields = (each for each in node.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name))
    return [each for each in fields if not re.search(r"ClassVar|init=False", ast.unparse(each))]


@cache
def classes() -> dict[str, ast.ClassDef]:
    """The classes of all packages; of those that share a name, the last."""
    return {each.name: each for path in FILES for each in nodes(path) if isinstance(each, ast.ClassDef)}


def positional(node: ast.ClassDef) -> int:
    """How many fields a constructor that is made of them takes by position, with those of its bases.

    Pydantic's models and the tables are built by keywords whatever they say: they take none."""
    decorators = " ".join(ast.unparse(each) for each in node.decorator_list)
    bases = [ast.unparse(base) for base in node.bases]
    if "NamedTuple" not in bases and "dataclass" not in decorators:
        return 0
    inherited = sum(positional(classes()[base]) for base in bases if base in classes() and base != node.name)
    by_keyword = sum("kw_only=True" in ast.unparse(each) for each in node.body if isinstance(each, ast.AnnAssign))
    return inherited + (0 if "kw_only=True" in decorators else len(declared(node)) - by_keyword)


def by_position(node: ast.ClassDef) -> int:
    """How many of more than four arguments the constructor takes by position."""
    made = next((each for each in node.body if isinstance(each, Function) and each.name == "__init__"), None)
    if made is None:
        return positional(node) if positional(node) > MOST_POSITIONAL else 0
    places = len(made.args.posonlyargs) + len(made.args.args) - 1
    return places if places + len(made.args.kwonlyargs) > MOST_POSITIONAL else 0


def test_constructors_with_many_arguments_take_them_by_name() -> None:
    all_classes = ((path, each) for path in FILES for each in nodes(path) if isinstance(each, ast.ClassDef))
    assert {f"{named(path)} {each.name}": by_position(each) for path, each in all_classes if by_position(each)} == {}


def test_no_two_public_classes_share_a_name() -> None:
    places: dict[str, list[str]] = {}
    for path in FILES:
        for node in nodes(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(named(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_folders_are_small_and_modules_are_no_crumbs() -> None:
    """Collections of one kind may be larger; the face of a package may be short."""
    assert {folder: len(found) for folder, found in MODULES.items() if len(found) > most_of(folder)} == {}
    modules = [path for found in MODULES.values() for path in found if path.parent.name != "versions"]
    lines = {named(path): len(prose.read(path).splitlines()) for path in modules}
    assert {name: count for name, count in lines.items() if not SHORTEST_FILE < count <= LONGEST_FILE} == {}


def test_the_tops_of_the_packages_are_short() -> None:
    entries = {top: [each for each in (ROOT / top).iterdir() if each.name != "__pycache__"] for top in MOST_ENTRIES}
    assert {top: len(found) for top, found in entries.items() if len(found) > MOST_ENTRIES[top]} == {}


@every("name", sorted(ANALYZERS))
def test_every_analyzer_has_cases_a_unit_and_a_description(name: str) -> None:
    assert [case for case in (*CASES, *cases_apart.CASES) if case.analyzer.name == name]
    assert ANALYZERS[name].unit != "number"
    assert ANALYZERS[name].__doc__


@every("kind", sorted(COMPONENTS))
def test_every_component_is_described(kind: str) -> None:
    assert "__doc__" in vars(COMPONENTS[kind])
    assert not str(COMPONENTS[kind].__doc__).startswith(f"{COMPONENTS[kind].__name__}(")


def test_no_folder_of_tests_is_a_package() -> None:
    assert list((ROOT / "tests").rglob("__init__.py")) == []
