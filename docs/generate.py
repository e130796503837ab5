"""Writes docs/reference from the code: `make docs`. A test holds that what is committed is what the code says."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer

import treaty
from treaty.contracts.comparison.compatibility import BUMPS, MODES
from treaty.contracts.comparison.directions import Direction
from treaty.engine.analyzers import ANALYZERS
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.statistics.distances import DISTANCES
from treaty.registry.cli.main import app as commands
from treaty.registry.core.settings import PREFIX, RegistrySettings

REFERENCE = Path(__file__).parent / "reference"
NOTE = "<!-- written by `make docs`; change the code instead -->"


def analyzers() -> Iterator[str]:
    """The page of analyzers: what each measures, its arguments, its parts."""
    yield "# Analyzers\n"
    yield "Every analyzer takes `where`, a condition in SQL: only rows for which it is true are measured.\n"
    for name in sorted(ANALYZERS):
        yield from _analyzer(ANALYZERS[name])


def _analyzer(kind: type[Analyzer]) -> Iterator[str]:
    yield f"## `{kind.name}`\n"
    yield inspect.cleandoc(kind.__doc__ or "") + "\n"
    yield f"- unit: {kind.unit}; a check judges by default: {kind.scope}"
    yield f"- made of: {', '.join(sorted({part.kind for part in kind.components.values()}))}"
    for field, described in kind.model_fields.items():
        if field != "where":
            yield f"- `{field}`: {described.description or ''}".rstrip(": ")
    yield ""


def distances() -> Iterator[str]:
    """The page of distances between two partitions: what each is, with its bounds, and what states tell it."""
    yield "# Distances between two partitions\n"
    yield "Told from stored states; no row is read again. Each is a value with bounds, `low` and `high`:"
    yield "both are the value where the states are exact. `frequencies` and `moments` always are; `quantiles` up to"
    yield "a few hundred values, beyond that shares are off by about 0.7 % (in a bin 0.9 %), 99 % of the time in each"
    yield "partition; `heavy_hitters` and `pattern_profile` up to 1,024 distinct values, beyond that each count may be"
    yield "too low by an error that the state knows, and that always holds. A partition without values has none.\n"
    yield "p and q are the shares that a value has in the new partition and in the one it is compared with. Numbers are"
    yield "put into up to 20 bins for that: between the 20-quantiles of an even mixture of both partitions, so that"
    yield "neither is the measure of the other, and outliers do not decide how wide the bins are. The bounds are of the"
    yield "distance over these same bins.\n"
    for name, each in DISTANCES.items():
        yield f"## `{name}`\n\n{inspect.cleandoc(each.of.__doc__ or '')}\n"
        yield f"- told from: {', '.join(sorted(each.kinds))}\n"


def compatibility() -> Iterator[str]:
    """The page of compatibility: directions, modes as laws, and which part of a version's number grows."""
    yield "# Compatibility\n"
    yield "`treaty diff OLD NEW` tells what differs, `treaty breaking OLD NEW` what breaks the modes that the terms of"
    yield "the older version name: one for the structure (tables, columns, what single values may be), one for the"
    yield "guarantees (checks, service levels). D(c) are the data that a contract c permits.\n"
    yield "| mode | means | that is | is broken by a change that |\n|---|---|---|---|"
    for mode, law in MODES.items():
        broken = ", ".join(each for each in Direction if each in law.breaking_directions)
        yield f"| `{mode}` | {law.sentence} | {law.meaning} | {broken} |"
    yield "\nA column that may be null is added without breaking any mode: older data are read with nulls there."
    yield "Versions that are in force or that readers are pinned to are live.\n"
    yield "| direction | the next number |\n|---|---|"
    for direction in Direction:
        yield f"| {direction} | {BUMPS[direction]} |"
    yield ""
    yield inspect.cleandoc(Direction.__doc__ or "") + "\n"


def settings() -> Iterator[str]:
    """The page of settings."""
    yield "# Settings\n"
    yield "All are read from the environment, once, when a process starts; a wrong one stops it and is named.\n"
    yield "| variable | default | meaning |\n|---|---|---|"
    for name, field in RegistrySettings.model_fields.items():
        default = f"`{field.default}`" if field.default not in (None, "") else ""
        yield f"| `{PREFIX}{name.upper()}` | {default} | {field.description} |"
    yield "| `TREATY_UI_HOSTS` | | further host names under which the pages may be asked for, comma-separated |"


def cli() -> Iterator[str]:
    """The page of commands."""
    yield "# Commands\n"
    yield "Exit codes: 0 passed (warnings too), 1 violated, 2 warned with `--fail-on warning`, 3 could not check,"
    yield "4 checked but not recorded.\n"
    root: Any = typer.main.get_command(commands)
    yield from _commands(root, "treaty")


def _commands(group: Any, before: str) -> Iterator[str]:
    for name, command in group.commands.items():
        yield f"## `{before} {name}`\n\n{inspect.cleandoc(command.help or '')}\n"
        if hasattr(command, "commands"):
            yield from _commands(command, f"{before} {name}")
        else:
            yield from _options(command)


def _options(command: Any) -> Iterator[str]:
    for parameter in command.params:
        names = ", ".join(f"`{each}`" for each in parameter.opts) if parameter.opts else parameter.name
        yield f"- {names}: {getattr(parameter, 'help', '') or ''}".rstrip(": ")
    yield ""


def api() -> Iterator[str]:
    """The page of routes."""
    from sqlalchemy import create_engine

    from treaty.registry.api.app import create_app

    spec = create_app(RegistrySettings(), create_engine("sqlite://")).openapi()
    yield "# HTTP API\n"
    yield "Send `Authorization: Bearer <API token or session secret>`."
    yield "The whole description: `GET /api/v1/openapi.json`.\n"
    yield "| call | what it does |\n|---|---|"
    for path, methods in spec["paths"].items():
        for method, described in methods.items():
            words = " ".join(described.get("description", "").split())
            yield f"| `{method.upper()} {path}` | {words} |"


def python() -> Iterator[str]:
    """The page of the public face: names, signatures, and the first line of what each is."""
    yield "# Python\n"
    yield "What `treaty` offers to programs: `from treaty import Check, verify`. Everything below it may change."
    yield "A name is loaded when it is first used. Arguments behind `*` are passed by name.\n"
    for name in treaty.__all__:
        yield from _public(name, getattr(treaty, name))


def _public(name: str, found: Any) -> Iterator[str]:
    is_function = inspect.isfunction(found)
    yield f"## `{name}{_signature(found) if is_function else ''}`\n\n{_first_line(found)}\n"
    if is_function:
        return
    members = [(each, getattr(found, each)) for each in _members(found)]
    yield from (f"- `{name}.{each}{_signature(member)}`: {_first_line(member)}" for each, member in members)
    if members:
        yield ""


def _members(found: Any) -> list[str]:
    """The functions of a module that it offers, or the methods of a class; of an exception none."""
    if inspect.ismodule(found):
        return sorted(getattr(found, "__all__", [name for name in vars(found) if _is_own(found, name)]))
    # What the client has stands in the page of routes, what pydantic and exceptions have in their own.
    if found in (treaty.Client, treaty.RunResult) or issubclass(found, Exception):
        return []
    return sorted(name for name, each in inspect.getmembers(found, _is_method) if not name.startswith("_"))


def _is_own(module: Any, name: str) -> bool:
    each = getattr(module, name)
    return inspect.isfunction(each) and each.__module__ == module.__name__ and not name.startswith("_")


def _is_method(member: Any) -> bool:
    return inspect.isfunction(member) or inspect.ismethod(member)


def _signature(found: Any) -> str:
    """The arguments by name, with defaults that are plain values."""
    if not inspect.isroutine(found):
        return ""
    written, named = [], False
    for each in inspect.signature(found).parameters.values():
        if each.name == "self":
            continue
        if each.kind is each.KEYWORD_ONLY and not named:
            written.append("*")
        named = named or each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        written.append(f"{stars}{each.name}{_default(each.default)}")
    return f"({', '.join(written)})"


def _default(given: Any) -> str:
    if given is inspect.Parameter.empty:
        return ""
    return f"={given!r}" if given is None or isinstance(given, str | int | float | tuple) else "=..."


def _first_line(found: Any) -> str:
    return " ".join(inspect.cleandoc(found.__doc__ or "").split("\n\n")[0].split())


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "analyzers": analyzers,
    "distances": distances,
    "compatibility": compatibility,
    "settings": settings,
    "cli": cli,
    "api": api,
    "python": python,
}


def page(name: str) -> str:
    """The text of a reference page."""
    return "\n".join([NOTE, *PAGES[name]()]).rstrip() + "\n"


def main() -> None:
    """Writes every page."""
    REFERENCE.mkdir(exist_ok=True)
    for name in PAGES:
        (REFERENCE / f"{name}.md").write_text(page(name), encoding="utf-8")


if __name__ == "__main__":
    main()
