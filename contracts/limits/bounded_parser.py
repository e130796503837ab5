"""Parse SQL with sqlglot in bounded time and memory.

None of the text is written into a log.

Its parser goes back after a wrong guess: with `int(int(...` the work doubles with each level. Every operand, and every
token that is read or read again, is a step. At an operator such as `.` or `::` the parser may copy the operand: each of
its nodes is a step, too. The number of steps is limited; so is the number of tokens, before the parser starts."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from time import thread_time
from typing import Any

# A predicate of 400 parts has fewer than 2,000 tokens, and takes fewer than 6,000 steps.
MAX_TOKENS = 2_000
MAX_STEPS = 9_000
# A backstop for what steps do not count. Texts within the other limits take a small part of it, so that acceptance does
# not depend on the machine, nor on what else the thread does: a garbage collection can take more than a second.
MAX_CPU_SECONDS = 10.0
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
    # A parser holds its position: one that is shared mixes up the texts of two threads.
    parser = _parser(dialect, commands=commands)(dialect=_dialect(dialect))
    try:
        parser.latest = thread_time() + MAX_CPU_SECONDS
        return list(parser.parse(tokens, text))
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

    overrides = _text_types(base) | {
        "steps": 0,
        "latest": float("inf"),
        "operand": None,
        "_advance": _counted(_copying(base._advance, frozenset(base.COLUMN_OPERATORS))),
        "_parse_column_ops": _of_operand(base._parse_column_ops),
        # A loop of the library that never advances begins a statement or an operand again and again.
        "_parse_statement": _counted(base._parse_statement),
        "_parse_type": _counted(base._parse_type),
        "FUNCTIONS": {},
        "FUNCTION_PARSERS": {name: each for name, each in base.FUNCTION_PARSERS.items() if name in KEYWORD_FUNCTIONS},
        "STATEMENT_PARSERS": base.STATEMENT_PARSERS if commands else _inserts(base),
        "NO_PAREN_FUNCTION_PARSERS": {"CASE": base.NO_PAREN_FUNCTION_PARSERS["CASE"]},
        # The library logs statements that it does not know.
        "_warn_unsupported": lambda _: None,
    }
    return type("BoundedParser", (base,), overrides)


def _counted(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of the parser that counts its calls as steps."""

    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        self.steps += 1
        if self.steps > MAX_STEPS or thread_time() > self.latest:
            raise ParserLimitExceeded
        return method(self, *arguments, **named)

    return call


def _text_types(base: Any) -> dict[str, Any]:
    """Return the method of Hive's parser that reads CHAR and VARCHAR as text; nothing for other parsers.

    The library's own parses the two names anew for each type that it reads."""
    from sqlglot import exp
    from sqlglot.parsers.hive import HiveParser

    if getattr(base, "_parse_types", None) is not HiveParser._parse_types:
        return {}

    def parse_types(self: Any, *, schema: bool = False, **named: Any) -> Any:
        this = super(HiveParser, self)._parse_types(schema=schema, **named)
        for node in this.find_all(exp.DataType) if this and not schema else ():
            if node.this in (exp.DType.CHAR, exp.DType.VARCHAR):
                node.set("this", exp.DType.TEXT)
                node.set("expressions", None)
        return this

    return {"_parse_types": parse_types}


@dataclass
class OperandSize:
    """Count the nodes of an operand that operators follow.

    `position`: that of the token after it."""

    tree: Any
    position: int

    @cached_property
    def nodes(self) -> int:
        """Return the number of nodes of the tree."""
        return sum(1 for _ in self.tree.walk()) if self.tree else 0


def _of_operand(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that stores its operand while it reads the operators that follow."""

    def call(self: Any, this: Any) -> Any:
        outer, self.operand = self.operand, OperandSize(this, self._index)
        try:
            return method(self, this)
        finally:
            self.operand = outer

    return call


def _copying(method: Callable[..., Any], operators: frozenset[Any]) -> Callable[..., Any]:
    """Return a method that counts the nodes of a copied operand as steps."""

    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        if self.operand and self._curr and self._curr.token_type in operators:
            self.steps += self.operand.nodes + self._index - self.operand.position
        return method(self, *arguments, **named)

    return call


def _inserts(base: Any) -> dict[Any, Any]:
    """Return the parser of INSERT alone: without it, the library reads `FROM x INSERT` without end."""
    return {kind: parse for kind, parse in base.STATEMENT_PARSERS.items() if kind.name == "INSERT"}
