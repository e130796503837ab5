"""The generated reference is up to date, complete, and in plain English."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.glossary import BANNED_IN_PAGES

import treaty
from docs.generate import OPENAPI, PAGES, REFERENCE, openapi, page
from docs.generators import api, cli, glossary, metrics, odcs, permissions, python
from docs.generators.markdown import anchor
from treaty.contracts.assertions import OPERATORS
from treaty.contracts.document.model import Terms
from treaty.engine.analyzers import ANALYZERS
from treaty.engine.anomaly import DETECTORS
from treaty.engine.statistics.distances import DISTANCES
from treaty.engine.suggestions.candidates import COLUMN_SUGGESTIONS, OTHER_SUGGESTIONS, TABLE_SUGGESTIONS
from treaty.registry.api.app import ROUTERS
from treaty.registry.catalogs.catalog_kinds import BUILT_IN
from treaty.registry.core import errors
from treaty.registry.core.enums import Permission
from treaty.registry.core.settings import PREFIX, RegistrySettings

# Code is not prose: a name of a module may contain such a word.
CODE = re.compile(r"```.*?```|`[^`]*`|\n    [^\n]*|\[[^\]]*\]\([^)]*\)", re.DOTALL)


@cache
def text(name: str) -> str:
    return (REFERENCE / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_reference_page_is_as_the_code_writes_it(name: str) -> None:
    assert text(name) == page(name), "run: make docs"


def test_the_openapi_document_is_as_the_code_writes_it() -> None:
    assert OPENAPI.read_text(encoding="utf-8") == openapi(), "run: make docs"


def test_no_page_is_left_over() -> None:
    written = {path.relative_to(REFERENCE).with_suffix("").as_posix() for path in REFERENCE.rglob("*.md")}
    assert written == set(PAGES)


@pytest.mark.parametrize("name", sorted(PAGES))
def test_the_reference_is_in_plain_english(name: str) -> None:
    assert sorted({match[0] for match in BANNED_IN_PAGES.finditer(CODE.sub("", text(name)))}) == []


def headings(path: Path) -> set[str]:
    lines = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {anchor(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line)) for line in lines}


@pytest.mark.parametrize("name", sorted(PAGES))
def test_links_within_the_reference_lead_to_headings(name: str) -> None:
    path = REFERENCE / f"{name}.md"
    faults = []
    for target, heading in re.findall(r"\]\(((?!https?:)[^)#]*)#?([^)]*)\)", text(name)):
        linked = (path.parent / target).resolve() if target else path
        if linked.is_relative_to(REFERENCE) and (not linked.exists() or (heading and heading not in headings(linked))):
            faults.append(f"{target}#{heading}")
    assert faults == []


@pytest.mark.parametrize("name", sorted(PAGES))
def test_no_two_headings_of_a_page_are_equal(name: str) -> None:
    lines = re.findall(r"^#+ .*$", text(name), re.MULTILINE)
    assert sorted(lines) == sorted(set(lines))


def test_every_command_and_option_is_described() -> None:
    described = text("cli")
    commands = list(cli.commands(cli.root()))
    assert [name for name, command in commands if f"### `{name}`" not in described or not command.help] == []
    parameters = [(name, each) for name, command in commands for each in command.params]
    assert [f"{name} {each.name}" for name, each in parameters if not each.help] == []


def test_every_setting_is_described() -> None:
    described = text("settings")
    fields = RegistrySettings.model_fields.items()
    assert [name for name, field in fields if not field.description] == []
    assert [name for name, _ in fields if f"`{PREFIX}{name.upper()}`" not in described] == []


def test_every_route_and_query_parameter_is_described() -> None:
    pages = "\n".join(text(name) for name in api.pages())
    assert [path for method, path, _ in api.operations() if f"\n{method} {path}\n" not in pages] == []
    parameters = [(path, each) for _, path, route in api.operations() for each in route.get("parameters", ())]
    assert [f"{path} {each['name']}" for path, each in parameters if is_bare(each)] == []


def is_bare(parameter: dict[str, Any]) -> bool:
    return parameter["in"] == "query" and not parameter.get("description")


@pytest.mark.parametrize(
    ("name", "headings"),
    [
        ("analyzers", list(ANALYZERS)),
        ("detectors", list(DETECTORS)),
        ("distances", list(DISTANCES)),
        ("python", treaty.__all__),
        ("suggestions", [*COLUMN_SUGGESTIONS, *TABLE_SUGGESTIONS, *OTHER_SUGGESTIONS]),
        ("odcs", [*Terms.model_fields, *OPERATORS]),
        ("metrics", [name for name, *_ in metrics.all_metrics()]),
        ("api", [permission.value for permission in Permission]),
        ("catalogs", [each.name for each in BUILT_IN]),
    ],
)
def test_every_registered_name_is_described(name: str, headings: list[str]) -> None:
    assert [each for each in headings if f"`{each}`" not in text(name)] == []


def test_every_parameter_of_the_python_api_is_described() -> None:
    functions = {name: getattr(treaty, name) for name in treaty.__all__}
    bare = [
        f"{name} {parameter}"
        for name, function in functions.items()
        if inspect.isfunction(function)
        for parameter in inspect.signature(function).parameters
        if not python.description(function, parameter)
    ]
    assert bare == []


def test_every_argument_of_analyzers_and_detectors_is_described() -> None:
    kinds = [*ANALYZERS.values(), *DETECTORS.values()]
    fields = [(kind.name, name, field) for kind in kinds for name, field in kind.model_fields.items()]
    assert [f"{kind} {name}" for kind, name, field in fields if not field.description] == []


def test_every_key_of_the_terms_is_described() -> None:
    for model in (Terms, *odcs.models(Terms).values()):
        assert all(odcs.described(model).values())


def test_every_word_of_the_glossary_has_one_meaning() -> None:
    words = [word for terms in glossary.TERMS.values() for word in terms]
    assert sorted(words) == sorted(set(words))


def test_every_problem_type_has_a_default_message() -> None:
    kinds = [each for each in vars(errors).values() if inspect.isclass(each) and issubclass(each, errors.RegistryError)]
    assert [each.__name__ for each in kinds if not each.default_message.endswith((".", "`"))] == []


def test_every_route_of_the_permissions_exists() -> None:
    names = {route["operationId"] for *_, route in api.operations()}
    listed = [*permissions.BY_OPERATION, *permissions.NO_TOKEN.split(), *permissions.ANY_TOKEN.split()]
    assert [name for name in listed if name not in names] == []


def test_the_documented_permission_is_one_that_the_route_checks() -> None:
    faults = {}
    for route in (route for router in ROUTERS for route in router.routes):
        checked = set(permissions_checked(route.endpoint, set()))  # type: ignore[attr-defined]
        documented = permissions.required(route.name)  # type: ignore[attr-defined]
        if checked and documented not in {*checked, None}:
            faults[route.name] = (documented, sorted(checked))  # type: ignore[attr-defined]
    assert faults == {}


def permissions_checked(function: Callable[..., Any], seen: set[Any]) -> Iterator[Permission]:
    """Yield the permissions that a function, or one that it calls, names."""
    if function in seen:
        return
    seen.add(function)
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        match node:
            case ast.Attribute(value=ast.Name(id="Permission"), attr=name) if name in Permission.__members__:
                yield Permission[name]
            case ast.Call(func=called) if (target := resolved(function, called)) is not None:
                yield from permissions_checked(target, seen)


def resolved(function: Callable[..., Any], called: ast.expr) -> Callable[..., Any] | None:
    """Return the function of the registry that an expression names; None for any other."""
    names = function.__globals__
    match called:
        case ast.Name(id=name):
            target = names.get(name)
        case ast.Attribute(value=ast.Name(id=name), attr=member) if isinstance(names.get(name), ModuleType):
            target = getattr(names[name], member, None)
        case _:
            return None
    return target if inspect.isfunction(target) and target.__module__.startswith("treaty.registry") else None
