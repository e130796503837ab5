"""The words by which contracts are found, as each database keeps them: SQLite by FTS5, PostgreSQL by tsvector.

Words hold a-z and 0-9 alone, whatever was asked (`treaty.registry.browse.document_text`), so that no question can be
anything but one."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from sqlalchemy import Float, Subquery, cast, column, func, literal, literal_column, select, table, text
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlmodel import Session, col

from treaty.registry.browse.document_text import query_words
from treaty.registry.tables import SearchEntryRow
from treaty.registry.tables.search import WORDS

# How much a word counts in names, in labels, in descriptions.
WEIGHTS = (10.0, 4.0, 1.0)
# PostgreSQL's own limit to positions, and its letters for weights with D, which is not used, first.
MOST_POSITIONS = 16_000
LETTERS = "ABC"


@dataclass(frozen=True)
class SearchIndex:
    """How a database keeps words: `forget` and `keep` are statements, `hits` asks with words, never none."""

    keep: str
    forget: str
    hits: Callable[[Sequence[str]], Any]


def hits(session: Session, question: str) -> Subquery:
    """The contracts that have all words of the question, the best of the lowest `rank`; all where it says nothing."""
    found = query_words(question)
    if found:
        return _index(session).hits(found).subquery("hits")  # type: ignore[no-any-return]
    everything = select(col(SearchEntryRow.contract_id), literal(0.0).label("rank"))
    return everything.where(literal(not question.strip())).subquery("hits")


def forget(session: Session, contract_id: str) -> None:
    """Has the contract found by no word any more."""
    session.connection().execute(text(_index(session).forget), _parameters(contract_id))


def keep(session: Session, contract_id: str, parts: Sequence[Sequence[str]]) -> None:
    """Has the contract, which is found by no word, found by those in its names, labels and descriptions."""
    session.connection().execute(text(_index(session).keep), _parameters(contract_id, parts))


def _index(session: Session) -> SearchIndex:
    return INDEXES[session.connection().dialect.name]


def _parameters(contract_id: str, parts: Sequence[Sequence[str]] = ()) -> dict[str, Any]:
    given = dict(zip(("names", "labels", "prose"), (" ".join(each) for each in parts), strict=False))
    # A number that is always the same, so that FTS5 need not look through all rows for one.
    number = int.from_bytes(hashlib.sha256(contract_id.encode()).digest()[:8]) >> 1
    return {"id": contract_id, "number": number, "words": _positions(parts), **given}


def _positions(parts: Sequence[Sequence[str]]) -> str:
    """A tsvector: each word with its places, and the letter of the part that each is in."""
    places: dict[str, list[str]] = {}
    place = count(1)
    for letter, part in zip(LETTERS, parts, strict=False):
        for word in part:
            places.setdefault(word, []).append(f"{min(next(place), MOST_POSITIONS)}{letter}")
    return " ".join(f"{word}:{','.join(at)}" for word, at in places.items())


def _fts5(words: Sequence[str]) -> Any:
    question = " ".join(f'"{each}"' for each in words) + "*"
    rank = literal_column(f"bm25({WORDS}, 0, {', '.join(map(str, WEIGHTS))})", Float)
    matching = text(f"{WORDS} match :asked").bindparams(asked=question)
    return select(column("contract_id"), rank.label("rank")).select_from(table(WORDS)).where(matching)


def _tsvector(words: Sequence[str]) -> Any:
    question = cast(literal(" & ".join(words) + ":*"), TSQUERY)
    weights: Any = literal_column(f"'{{0, {', '.join(str(each / WEIGHTS[0]) for each in reversed(WEIGHTS))}}}'::real[]")
    held: Any = col(SearchEntryRow.words)
    rank = func.ts_rank(weights, held, question, 1, type_=Float)
    return select(col(SearchEntryRow.contract_id), (-rank).label("rank")).where(held.op("@@")(question))


INDEXES = {
    "sqlite": SearchIndex(
        keep=f"insert into {WORDS} (rowid, contract_id, names, labels, prose)"
        " values (:number, :id, :names, :labels, :prose)",
        forget=f"delete from {WORDS} where rowid = :number",
        hits=_fts5,
    ),
    "postgresql": SearchIndex(
        keep="update search_entry set words = cast(:words as tsvector) where contract_id = :id",
        forget="update search_entry set words = null where contract_id = :id",
        hits=_tsvector,
    ),
}
