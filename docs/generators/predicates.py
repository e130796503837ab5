"""Generate the page of predicates."""

from collections.abc import Iterator

from docs.generators.markdown import code, table
from treaty.contracts.limits.regex_cost import MAX_SUBJECT
from treaty.contracts.predicates import grammar
from treaty.contracts.predicates.arguments import COUNT_LITERALS, TEXT_LITERALS
from treaty.contracts.predicates.date_formats import PARSED, WRITTEN
from treaty.contracts.predicates.date_functions import FORMATTED_FUNCTIONS

INTRODUCTION = """
A predicate is a condition on one row, in Spark SQL: `amount >= 0 AND status IN ('new', 'paid')`. Checks use predicates
in `predicate` and `where`. `sql` checks, views and computed partitions use the same expressions. Treaty parses a
predicate and writes it again, so only what this page lists can run.

- A null is not an error: a row on which a predicate is null does not violate it.
- A row on which a predicate cannot be evaluated, such as a division by zero or a text that is not a date, is counted as
  an error. It does not stop the scan, and it does not pass.
- The result depends on the row only. The current date, random numbers, users and files are not available.
- Timestamps are read and written in the session's time zone. Treaty's own sessions use UTC. Functions that convert
  between named time zones are not available, because their rules change with the version of Java.

## Syntax

| You write | Notes |
|---|---|
| `=`, `==`, `<>`, `!=`, `<`, `<=`, `>`, `>=`, `<=>`, `IS DISTINCT FROM` | |
| `AND`, `OR`, `NOT`, `!` | A part that cannot be evaluated counts only if no other part decides |
| `IN`, `BETWEEN`, `IS NULL`, `IS TRUE`, `CASE` | Also `(a, b) IN ((1, 2), (3, 4))` |
| `LIKE`, `ILIKE`, `LIKE ANY`, `LIKE ALL`, `ESCAPE`, `RLIKE`, `REGEXP` | Literal patterns |
| `+`, `-`, `*`, `/`, `%`, `div`, `&`, <code>&#124;</code>, `^`, `~`, `<<` | Mixed operators of bits need parentheses |
| `CAST`, `TRY_CAST`, `x::int`, `DATE '2026-01-31'`, `INTERVAL 3 DAYS`, `INTERVAL '1 12' DAY TO HOUR` | |
| `items[0].qty`, `attributes['color']`, `address.city`, `items.qty` | Fields, elements, and a field of all elements |
| `exists(items, i -> i.qty > 1)` | One lambda, not within another; it reads no other array or map |
| `extract(YEAR FROM x)`, `trim(LEADING '0' FROM x)`, `substring(x FROM 1 FOR 2)` | |
| `position('a' IN x)`, `overlay(x PLACING 'a' FROM 1)` | |

## Functions
"""
LITERALS = """
## Arguments that must be literals

A literal keeps the cost of a row bounded, and faults are reported when the contract is read.
"""


def page() -> Iterator[str]:
    """Generate the page."""
    yield "# Predicates"
    yield INTRODUCTION
    yield ", ".join(map(code, sorted(_functions()))) + ".\n"
    yield LITERALS
    yield from table(("Argument", "Literal"), _literals())
    yield "## What to write instead\n"
    yield from table(("Not available", "Instead"), ((code(name), text) for name, text in sorted(_instead().items())))


def _functions() -> set[str]:
    return {
        *grammar.FUNCTIONS, *grammar.WRITTEN_OTHERWISE, *grammar.CASTING_FUNCTIONS, *grammar.REGEX_FUNCTIONS,
        *FORMATTED_FUNCTIONS,
    }  # fmt: skip


def _literals() -> Iterator[tuple[str, str]]:
    for kind, (_, words) in TEXT_LITERALS.items():
        yield _users(kind), words
    for kind, (least, most) in COUNT_LITERALS.items():
        users = "`round`, `bround`, `ceil`, `floor`: the scale" if kind == "scale" else _users(kind)
        yield users, f"a whole number from {least} to {most}{', not 0' if kind == 'position' else ''}"
    yield "Formats of `to_date` and its like", ", ".join(map(code, sorted(PARSED)))
    yield "Formats of `date_format` and `from_unixtime`", ", ".join(map(code, sorted(WRITTEN)))
    limit = f"of a restricted form; a text longer than {MAX_SUBJECT:,} characters is an error"
    yield "Regular expressions", limit


def _users(kind: str) -> str:
    return ", ".join(code(name) for name, function in grammar.FUNCTIONS.items() if kind in function.takes)


def _instead() -> dict[str, str]:
    """Return the remedies of functions; those of constructs have spaces in their names."""
    others = {*_functions(), "lambda"}
    return {name: text for name, text in grammar.INSTEAD.items() if " " not in name and name not in others}
