"""The language of the code: identifiers are nouns and verbs of the field, docstrings begin with what they do."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from docs import prose

# The source of every module is parsed once for these tests.
pytestmark = pytest.mark.xdist_group("sources")
ROOT = Path(__file__).parents[2]
PACKAGES = ("contracts", "engine", "registry", "ui", "migrations", "bench")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
# Participles and pronouns that name an event in place of a thing.
BANNED = frozenset(
    """
    told kept said seen asked found held carried settled borrowed judged wanted whose which together apart beside
    meant taken given known made drawn walked tried moved looks uses sight harm desk bury tell say come came stands
    anew whom
    """.split()  # noqa: SIM905 - a list of words is read as words
)
# Keys of documents that are stored or sent: renaming them would break what exists.
STORED = {
    "engine/gate/publication_intent.py": "judged",
    "engine/states/generations.py": "judged",
    "registry/worker/operations/backup.py": "made",
}
ODD_HEADS = frozenset(
    """
    what who whom whose how where when which there as of by from to that those these if whether
    """.split()  # noqa: SIM905 - a list of words is read as words
)
MOST_WORDS = 15
FIRST_SENTENCE = re.compile(r"(?<=[.:;])\s|\n\n")
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def identifiers(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield every name that a source declares, with its line: functions, classes, parameters, variables, attributes."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.lineno, node.attr


def banned(tree: ast.Module) -> list[tuple[int, str]]:
    """Return the identifiers of a source that are banned, with their lines."""
    return sorted({(line, name) for line, name in identifiers(tree) if name.strip("_").lower() in BANNED})


def odd_docstrings(tree: ast.Module) -> list[str]:
    """Return the first sentences of docstrings that break the rules, each with the rule."""
    faults = []
    for node in ast.walk(tree):
        if isinstance(node, Documented) and (text := ast.get_docstring(node)):
            words = FIRST_SENTENCE.split(text.strip())[0].split()
            if words[0].lower().strip(".,:;`'\"") in ODD_HEADS:
                faults.append(f"begins with {words[0]!r}: {' '.join(words)}")
            if len(words) > MOST_WORDS:
                faults.append(f"{len(words)} words: {' '.join(words)}")
    return faults


@cache
def declared() -> list[tuple[str, int, str]]:
    """Return the banned identifiers of all packages, with file and line."""
    return [(str(path.relative_to(ROOT)), line, name) for path in MODULES for line, name in banned(prose.parsed(path))]


def test_exceptions_are_still_needed() -> None:
    assert set(STORED.items()) <= {(path, name) for path, _, name in declared()}


def test_identifiers_are_words_of_the_field() -> None:
    faults = [f"{path}:{line} {name}" for path, line, name in declared() if STORED.get(path) != name]
    assert faults == [], "name the thing: rows, matches, messages, limits"
    modules = [str(path.relative_to(ROOT)) for path in MODULES if path.stem in BANNED]
    assert modules == []


def test_docstrings_begin_with_a_verb_and_are_short() -> None:
    faults = [f"{path.relative_to(ROOT)}: {fault}" for path in MODULES for fault in odd_docstrings(prose.parsed(path))]
    assert faults == [], f"begin with a verb and its object, in at most {MOST_WORDS} words"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def f(): found = 1", "found"),
        ("def _kept(): pass", "_kept"),
        ("class Told: pass", "Told"),
        ("def f(x):  [seen for seen in x]", "seen"),
        ("def f(x):  x(given := 1)", "given"),
        ("def f(x, *, said=1): pass", "said"),
        ("f = lambda whose: 1", "whose"),
        ("class A: held: int = 1", "held"),
        ("KEPT = 1", "KEPT"),
        ("def f(self): self._tried = 1", "_tried"),
    ],
)
def test_a_banned_identifier_is_found(source: str, name: str) -> None:
    assert banned(ast.parse(source)) == [(1, name)]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("What is stored.", "begins with 'What'"),
        ("Where the table lies: a folder.", "begins with 'Where'"),
        ("Return " + "one " * 15 + "row.", "17 words"),
        ("Return the rows. " + "More " * 20, None),
    ],
)
def test_an_odd_docstring_is_found(text: str, fault: str | None) -> None:
    faults = odd_docstrings(ast.parse(f'def f():\n    """{text}"""'))
    assert [each.split(":")[0] for each in faults] == ([fault] if fault else [])
