"""Parse Spark DDL: a column list such as `id BIGINT NOT NULL, day DATE`, or CREATE TABLE."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from treaty.contracts.errors import ROOT, ContractError, Fault, Faults, suggest_nearest
from treaty.contracts.schema import LOGICAL, Column

ALIASES = {"long": "bigint", "integer": "int", "short": "smallint", "byte": "tinyint", "real": "float"}
ALIASES |= {"dec": "decimal", "numeric": "decimal", "timestamp_ltz": "timestamp"}
NESTED = {"array": 1, "map": 2}
MAX_DEPTH = 40
_PLAIN = re.compile(r"\s*([A-Za-z_]+)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?\s*")
_TOKEN = re.compile(
    r"(?P<space>\s+|--[^\n]*)|(?P<quoted>`(?:[^`]|``)+`)|(?P<text>'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<word>\w+)|(?P<mark>.)",
    re.DOTALL,
)


@dataclass(frozen=True)
class DdlTable:
    """Columns of a table with their comments.

    `name`, `partition_by`: from CREATE TABLE; None and () for a column list."""

    columns: tuple[tuple[Column, str | None], ...]
    name: str | None = None
    partition_by: tuple[str, ...] = ()


def described(source: str) -> DdlTable:
    """Parse the text. Raises ContractError with the line if it is not DDL."""
    return _Reader(source).table()


def known_type(written: str, path: str, faults: Faults) -> str:
    """Return Spark's canonical name of a type that is not nested.

    Adds a fault to `faults` and returns "string" if Spark has no such type."""
    match = _PLAIN.fullmatch(written)
    name = match[1].lower() if match else ""
    name = ALIASES.get(name, name)
    if match is None or name not in LOGICAL or name in {*NESTED, "struct"}:
        remedy = suggest_nearest(written.lower(), LOGICAL) or "use a Spark type"
        faults.add("spark-type", path, "is not a Spark type", remedy)
        return "string"
    sizes = [each for each in (match[2], match[3]) if each]
    return f"{name}({','.join(sizes)})" if sizes else name


class _Reader:
    """A recursive-descent parser over the tokens of the text."""

    def __init__(self, source: str) -> None:
        self.source, self.at, self.depth = source, 0, 0
        self.tokens = [each for each in _TOKEN.finditer(source) if each.lastgroup != "space"]

    def table(self) -> DdlTable:
        """Parse the whole text."""
        name = self._head() if self._takes("create") else None
        columns = self._comma_list(self._column)
        if name is None:
            self._refuse_more()
            return DdlTable(tuple(columns))
        self._need(")")
        return DdlTable(tuple(columns), name, self._partitions())

    def _head(self) -> str:
        while self._next and not self._takes("table"):
            self.at += 1
        for word in ("if", "not", "exists"):
            self._takes(word)
        parts = [self._name()]
        while self._takes("."):
            parts.append(self._name())
        self._need("(")
        return ".".join(parts)

    def _partitions(self) -> tuple[str, ...]:
        while self._next:
            if self._takes("partitioned") and self._takes("by") and self._takes("("):
                return tuple(self._comma_list(self._name))
            self.at += 1
        return ()

    def _comma_list(self, one: Callable[[], Any]) -> list[Any]:
        items = [one()]
        while self._takes(","):
            items.append(one())
        return items

    def _column(self) -> tuple[Column, str | None]:
        name = self._name()
        self._takes(":")
        kind, nullable, about = self._type(), True, None
        while self._next.lower() in {"not", "comment"}:
            if self._takes("not"):
                self._need("null")
                nullable = False
            else:
                self.at += 1
                about = self._comment()
        return Column(name, kind, nullable), about

    def _type(self) -> str:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._fault(f"is nested deeper than {MAX_DEPTH} levels")
        start, word = self.at, self._name().lower()
        parsed = self._nested(word) if word in {*NESTED, "struct"} else self._plain(start, word)
        self.depth -= 1
        return parsed

    def _nested(self, word: str) -> str:
        self._need("<")
        if word == "struct":
            fields = [column for column, _ in self._comma_list(self._column)]
            parts = [f"{each.name}:{each.type}" for each in fields]
        else:
            parts = self._comma_list(self._type)
        self._need(">")
        if len(parts) != NESTED.get(word, len(parts)):
            raise self._fault(f"is not a valid {word}: it has {len(parts)} type arguments")
        return f"{word}<{','.join(parts)}>"

    def _plain(self, place: int, word: str) -> str:
        sizes = ""
        if self._takes("("):
            sizes = f"({','.join(self._comma_list(self._name))})"
            self._need(")")
        faults = Faults()
        kind = known_type(word + sizes, "", faults)
        if faults.items:
            self.at = place
            raise self._fault(faults.items[0].message, faults.items[0].remedy)
        return kind

    def _name(self) -> str:
        kind, token = self._kind, self._next
        if kind not in {"word", "quoted"}:
            raise self._fault("is not valid DDL: expected a name or a type")
        self.at += 1
        return token[1:-1].replace("``", "`") if kind == "quoted" else token

    def _comment(self) -> str:
        if self._kind != "text":
            raise self._fault("is not valid DDL: expected a quoted text")
        token = self._next
        self.at += 1
        return re.sub(r"\\(.)|''", lambda match: match[1] or "'", token[1:-1])

    @property
    def _next(self) -> str:
        """Return the next token; '' at the end."""
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    @property
    def _kind(self) -> str | None:
        return self.tokens[self.at].lastgroup if self.at < len(self.tokens) else None

    def _takes(self, word: str) -> bool:
        matches = self._next.lower() == word
        self.at += matches
        return matches

    def _need(self, word: str) -> None:
        if not self._takes(word):
            raise self._fault(f"is not valid DDL: expected '{word}'")

    def _refuse_more(self) -> None:
        self._takes(";")
        if self._next:
            raise self._fault("is not valid DDL: expected a comma or the end")

    def _fault(self, message: str, remedy: str = "") -> ContractError:
        """Create an error with the line of the next token, without quoting the text."""
        last = min(self.at, len(self.tokens) - 1)
        offset = self.tokens[last].start() if self.tokens else 0
        line = self.source.count("\n", 0, offset) + 1
        hint = remedy or "write `name TYPE, ...` or a CREATE TABLE statement"
        return ContractError([Fault(code="spark-ddl", where=ROOT, message=message, remedy=hint, line=line)])
