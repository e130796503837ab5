"""Parse predicates: conditions on a row, written by people, that are safe to run and never fail a scan.

The executed text is the one that `parse` writes, never the author's. It contains only what
`treaty.contracts.predicates.grammar` lists. Divisions, casts and sums are written in a form that yields null instead of
an error."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from treaty.contracts.errors import ContractError, Fault, Faults
from treaty.contracts.limits.bounded_parser import (
    MAX_TOKENS,
    ParserLimitExceeded,
    SyntaxFault,
    statements,
    tokens_of,
)
from treaty.contracts.predicates.columns import ColumnScope
from treaty.contracts.predicates.fragments import any_of
from treaty.contracts.predicates.rewriter import PredicateRewriter
from treaty.contracts.predicates.text_kinds import PREDICATE, TextKind
from treaty.contracts.quoting import UNSEEN, literal, quote, quote_path
from treaty.contracts.schema import Schema

__all__ = ["Predicate", "PredicateError", "Scalar", "literal", "parse", "quote", "quote_path", "scalar"]

MAX_LENGTH = 4096
MAX_BRACKETS = 40
# Trees of longer texts are not cached.
MAX_CACHED = 512
# Characters that a backslash may precede; before any other, Spark drops it silently.
ESCAPES = frozenset("\\'\"nrtu{")
OPENING = frozenset({"L_PAREN", "L_BRACKET", "L_BRACE"})
CLOSING = frozenset({"R_PAREN", "R_BRACKET", "R_BRACE"})


@dataclass(frozen=True)
class Predicate:
    """A condition in Spark SQL, and the columns that it reads.

    `columns`: column paths in order of first use. `errs`: a condition that is never null and needs no parentheses.
    It is true for the rows on which a part could not be evaluated, so that `sql` is null there; None if no row can
    fail."""

    sql: str
    columns: tuple[str, ...]
    errs: str | None = None


@dataclass(frozen=True)
class Scalar:
    """A value of a row in Spark SQL, and the columns that it reads.

    `sql`: null if it cannot be evaluated. `columns`: column paths in order of first use. `type`: its Spark type; 'any'
    or 'value' if the type is unknown without the columns' types."""

    sql: str
    columns: tuple[str, ...]
    type: str


class PredicateError(ContractError):
    """The text is not a valid predicate."""


def parse(
    text: str, columns: Collection[str] | None = None, *, schema: Schema | None = None, noun: str = "column"
) -> Predicate:
    """Return the predicate in `text`. Raises PredicateError with all its faults, and no other exception.

    `columns`: names and paths that it may read; None allows any. `schema`: the columns with their types, instead.
    `noun`: name of a column in faults."""
    return _written(text, ColumnScope(None if columns is None else tuple(columns), schema, noun))


# A check's predicate is rewritten when its contract is read, bound and evaluated, with the same result each time.
@lru_cache(maxsize=512)
def _written(text: str, scope: ColumnScope) -> Predicate:
    writer = PredicateRewriter(scope)
    try:
        whole = writer.write(tree_of(text))
    except RecursionError:
        fault = PREDICATE.fault("depth", "is nested too deeply", "split it into several checks")
        raise PredicateError([fault]) from None
    _refuse(writer.faults)
    errs = any_of(whole.errors)
    return Predicate(
        whole.sql, tuple(dict.fromkeys(writer.used)), f"({errs})" if len(whole.errors) > 1 else errs or None
    )


@lru_cache(maxsize=256)
def scalar(text: str, *, schema: Schema | None = None) -> Scalar:
    """Return the value that the text computes of a row, such as `to_date(ts)`.

    The grammar is that of predicates. `schema`: the columns with their types; None allows any. Raises PredicateError
    with all its faults, and no other exception."""
    writer = PredicateRewriter(ColumnScope(None, schema))
    try:
        whole = writer.value(tree_of(text))
    except RecursionError:
        raise PredicateError([PREDICATE.fault("depth", "is nested too deeply", "simplify it")]) from None
    _refuse(writer.faults)
    return Scalar(whole.sql, tuple(dict.fromkeys(writer.used)), whole.type)


def inspect(read: Callable[[str], object], text: str, path: str, faults: Faults) -> None:
    """Add the faults of a text at its location in a document. `read`: `parse` or `scalar`."""
    try:
        read(text)
    except PredicateError as error:
        for fault in error.faults:
            faults.add(fault.code, path, fault.message, fault.remedy)


def tree_of(text: str, kind: TextKind = PREDICATE) -> Any:
    """Return the parse tree of a text, which must not be changed. Raises PredicateError.

    `kind`: kind of the text that faults name. The text contains no comments, no hidden characters, and no more than one
    statement."""
    return _short_tree(text, kind) if len(text) <= MAX_CACHED else new_tree(text, kind)


def new_tree(text: str, kind: TextKind = PREDICATE) -> Any:
    """Return a parse tree as `tree_of` does, which may be changed."""
    _refuse(_inspect_text(text, kind))
    tokens = _tokens(text, kind)
    _refuse(_inspect_tokens(tokens, text, kind))
    return _tree(tokens, text, kind)


# A predicate is read when it is submitted, bound and evaluated. A tree takes a thousand times the bytes of its text.
_short_tree = lru_cache(maxsize=256)(new_tree)


def _refuse(faults: list[Fault]) -> None:
    if faults:
        raise PredicateError(faults)


def _inspect_text(text: str, kind: TextKind) -> list[Fault]:
    faults = []
    if not text.strip():
        faults.append(kind.fault("empty", "is empty", kind.example))
    if len(text) > MAX_LENGTH:
        faults.append(kind.fault("length", f"is longer than {MAX_LENGTH} characters", "split it into several checks"))
    if UNSEEN.search(text) or "\r" in text:
        faults.append(kind.fault("character", "has control or invisible characters", "remove them"))
    if "${" in text:
        message = "has '${', which Spark substitutes before parsing"
        faults.append(kind.fault("variable", message, "write '$\\{' in a text"))
    return faults


def _inspect_tokens(tokens: list[Any], text: str, kind: TextKind) -> list[Fault]:
    faults = []
    if len(tokens) > MAX_TOKENS:
        faults.append(kind.fault("size", f"has more than {MAX_TOKENS} words and signs", "split it into several checks"))
    if any(token.comments for token in tokens) or any(_kind(token) == "HINT" for token in tokens):
        faults.append(kind.fault("comment", "has a comment", "move it to the description of the check"))
    if any(_kind(token) == "SEMICOLON" for token in tokens):
        faults.append(kind.fault("statement", "has a semicolon", f"write one {kind.form}"))
    if _depth(tokens) > MAX_BRACKETS:
        faults.append(kind.fault("depth", f"has more than {MAX_BRACKETS} nested brackets", "flatten it"))
    strings = [text[token.start : token.end + 1] for token in tokens if _kind(token) == "STRING"]
    if any(set(re.findall(r"\\(.)", each, flags=re.DOTALL)) - ESCAPES for each in strings):
        faults.append(kind.fault("escape", "has a backslash that Spark would drop", "double it: '\\\\d'"))
    return faults


def _kind(token: Any) -> str:
    return str(token.token_type.name)


def _depth(tokens: list[Any]) -> int:
    depth = deepest = 0
    for token in tokens:
        depth += (_kind(token) in OPENING) - (_kind(token) in CLOSING)
        deepest = max(deepest, depth)
    return deepest


def _tokens(text: str, kind: TextKind) -> list[Any]:
    try:
        return tokens_of(text)
    except SyntaxFault:
        raise PredicateError([kind.fault("syntax", "has an unterminated string or name", "close the quote")]) from None


def _tree(tokens: list[Any], text: str, kind: TextKind) -> Any:
    try:
        trees = statements(tokens, text, commands=False)
    except ParserLimitExceeded:
        raise PredicateError([kind.fault("depth", "is nested too deeply", "split it into several checks")]) from None
    except SyntaxFault:
        raise PredicateError([kind.fault("syntax", f"is not a {kind.form}", kind.example)]) from None
    if len(trees) != 1 or trees[0] is None:
        raise PredicateError([kind.fault("syntax", f"is not a single {kind.form}", kind.example)])
    return trees[0]
