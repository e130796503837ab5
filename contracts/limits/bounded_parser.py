"""Parse SQL with sqlglot in bounded time and memory.

None of the text is written into a log.

Its parser goes back after a wrong guess: with `int(int(...` the work doubles with each level. Every token that is read,
or read again, is a step, and their number is limited; so is the number of tokens, before the parser starts."""

from functools import cache
from typing import Any

# A predicate of 400 parts has fewer than 2,000 tokens, and takes fewer than 4,000 steps.
MAX_TOKENS = 2_000
MAX_STEPS = 6_000
# Functions whose arguments may be separated by keywords: `extract(YEAR FROM day)`.
KEYWORD_FUNCTIONS = ("CAST", "TRY_CAST", "EXTRACT", "TRIM", "OVERLAY", "SUBSTRING", "SUBSTR", "POSITION")


class SyntaxFault(Exception):
    """The text is not SQL that the parser can read."""


class ParserLimitExceeded(Exception):
    """The text needs more steps or more nested calls than the parser may take."""


def tokens_of(text: str, dialect: str = "spark") -> list[Any]:
    """Return the tokens of a text. Raises SyntaxFault if a string or name does not end."""
    from sqlglot.errors import TokenError

    try:
        return list(_dialect(dialect).tokenize(text))
    except TokenError:
        raise SyntaxFault from None


def statements(tokens: list[Any], text: str, dialect: str = "spark", *, commands: bool = True) -> list[Any]:
    """Return the trees of the statements. Raises ParserLimitExceeded, or SyntaxFault.

    `commands`: INSERT and others are read; otherwise a column may be named as they are: comment, refresh."""
    try:
        # A parser holds its position: one that is shared mixes up the texts of two threads.
        return list(_parser(dialect, commands=commands)(dialect=_dialect(dialect)).parse(tokens, text))
    except (ParserLimitExceeded, RecursionError):
        raise ParserLimitExceeded from None
    except Exception:
        # Besides its own errors the library raises IndexError, AttributeError and others on malformed texts.
        raise SyntaxFault from None


@cache
def _dialect(name: str) -> Any:
    from sqlglot import Dialect

    dialect: Any = type(Dialect.get_or_raise(name))()
    # The library logs paths that it cannot read.
    dialect.to_json_path = lambda path: path
    return dialect


@cache
def _parser(dialect: str, *, commands: bool) -> Any:
    """Return the class of a parser that leaves function calls as they are written."""
    base = _dialect(dialect).parser_class

    def advance(self: Any, times: int = 1) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise ParserLimitExceeded
        base._advance(self, times)

    overrides = {
        "steps": 0,
        "_advance": advance,
        "FUNCTIONS": {},
        "FUNCTION_PARSERS": {name: base.FUNCTION_PARSERS[name] for name in KEYWORD_FUNCTIONS},
        "STATEMENT_PARSERS": base.STATEMENT_PARSERS if commands else {},
        "NO_PAREN_FUNCTION_PARSERS": {"CASE": base.NO_PAREN_FUNCTION_PARSERS["CASE"]},
        # The library logs statements that it does not know.
        "_warn_unsupported": lambda _: None,
    }
    return type("BoundedParser", (base,), overrides)
