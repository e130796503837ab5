"""Bags of states made from plain columns, without Spark: what judging and drafting are tested on."""

import re
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import zip_longest
from typing import Any
from unicodedata import category

from support.oracles import STATE_OF

from treaty.contracts.predicates.parser import quote
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.analyzers.characters import CLASSES
from treaty.engine.analyzers.named_formats import CHECKED, FORMATS
from treaty.engine.analyzers.text import like
from treaty.engine.components.operands import Operand
from treaty.engine.components.text_classes import NUMBER
from treaty.engine.components.text_masks import LONGEST
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import Plan
from treaty.engine.statistics.code_points import CLASSES as BITS
from treaty.engine.statistics.code_points import kind

ALIKE = ("string", "bigint")
Columns = Mapping[str, Sequence[Any]]


def bag(plan: Plan, schema: Schema, columns: Columns, *, failures: Mapping[str, str] | None = None) -> StateBag:
    """The states of the plan's components over the columns. SQLite, which writes them alike, evaluates predicates."""
    parts = (*plan.scan, *plan.groupings)
    return bags.bag_of_plan(plan, {part.key: _state(part, columns) for part in parts}, schema, failures=failures)


def _state(part: BoundComponent, columns: Columns) -> Any:
    rows = len(next(iter(columns.values()), ()))
    kept = [at for at, is_true in enumerate(_evaluated(part.where, columns, rows)) if is_true]
    # The keys of a grouping are in the order of their SQL.
    given = sorted(part.operands, key=lambda each: each.canonical()) if part.component.grouping else part.operands
    operands = [_values(operand.sql, columns, rows) for operand in given]
    if not operands:
        return len(kept)
    values = [row[0] if len(row) == 1 else row for row in zip(*operands, strict=True)]
    chosen = [values[at] for at in kept]
    if part.component.kind == "pattern_profile":
        chosen = [None if text is None else _mask(text) for text in chosen]
    return STATE_OF[part.component.kind]([v for v in chosen if v is not None] if _counts(part) else chosen)


def _mask(text: str) -> str:
    """What Spark's expression of a mask makes of a text (`treaty.engine.components.text_masks`)."""
    signs = {"Lu": "A", "Ll": "a", "Nd": "0"}
    return "".join(signs.get(category(sign), sign if sign.isascii() else "x") for sign in text[:LONGEST])


def _counts(part: BoundComponent) -> bool:
    return part.component.kind == "count"


def _values(sql: str, columns: Columns, rows: int) -> Sequence[Any]:
    named = {quote(name): values for name, values in columns.items()}
    # SQLite's cast to string is one to a number.
    if (cast := re.fullmatch(r"cast\((.+) as string\)", sql)) and cast[1] in named:
        return [None if value is None else str(value) for value in named[cast[1]]]
    if (cast := re.fullmatch(r"try_cast\((.+) as (bigint|double)\)", sql)) and cast[1] in named:
        return [_number(value, cast[2]) for value in named[cast[1]]]
    if "RLIKE" in sql and (named_format := _formats(columns).get(sql)):
        column, name = named_format
        return [None if value is None else _has_format(name, value) for value in columns[column]]
    return named[sql] if sql in named else _evaluated(sql, columns, rows)


def _number(text: str | None, kind: str) -> int | float | None:
    """What a text is as a number to Spark; null if it is none."""
    if text is None or not re.fullmatch(NUMBER if kind == "double" else "[+-]?[0-9]+", text.strip()):
        return None
    return int(text) if kind == "bigint" else float(text)


def _formats(columns: Columns) -> Mapping[str, tuple[str, str]]:
    """The column and the format of each expression of a format with check digits, which SQLite cannot evaluate."""
    operands = {(column, type_): Operand(sql=quote(column), type=type_) for column in columns for type_ in ALIKE}
    pairs = [
        (operand, column, name)
        for (column, type_), operand in operands.items()
        for name in CHECKED
        if type_ == "string" or name != "iban"
    ]
    return {like(operand, None, name).sql: (column, name) for operand, column, name in pairs}


def _has_format(name: str, value: str | int) -> bool:
    check = FORMATS[name].check
    return FORMATS[name].holds(check.padded(str(value)) if check and isinstance(value, int) else str(value))


def _evaluated(predicate: str | None, columns: Columns, rows: int) -> list[Any]:
    if predicate is None or not rows:
        return [True] * rows
    with sqlite3.connect(":memory:") as database:
        database.create_function("char_length", 1, lambda text: None if text is None else len(text))
        database.create_function("octet_length", 1, lambda text: None if text is None else len(text.encode()))
        database.create_function("regexp_count", 2, _characters)
        database.create_function("translate", 3, _translated)
        database.execute(f"create table t ({', '.join(map(quote, columns))})")
        given = zip(*columns.values(), strict=True)
        places = ", ".join("?" * len(columns))
        database.executemany(f"insert into t values ({places})", [tuple(map(_plain, row)) for row in given])
        # Spark escapes a quote with a backslash, SQLite by doubling it.
        plain = predicate.replace("\\'", "''")
        return [row[0] for row in database.execute(f"select {plain} from t order by rowid")]


def _translated(text: str | None, given: str, told: str) -> str | None:
    return None if text is None else text.translate(dict(zip_longest(map(ord, given), told[: len(given)])))


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date) else value


def _characters(text: str | None, pattern: str) -> int | None:
    """How many characters of the text are of a class of `mean_characters`, which SQLite has no pattern of."""
    [name] = [name for name, spelled in CLASSES.items() if spelled == pattern.replace("\\\\", "\\")]
    return None if text is None else sum(bool(kind(each) & BITS[name]) for each in text)
