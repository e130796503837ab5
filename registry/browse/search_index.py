"""Store the searchable words in the database: FTS5 on SQLite, tsvector on PostgreSQL.

Words contain only a-z and 0-9 (`treaty.registry.browse.document_text`), so a query cannot inject search syntax."""

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

# Weights of words in names, labels and descriptions.
WEIGHTS = (10.0, 4.0, 1.0)
# PostgreSQL limits positions in a tsvector. It lists the weights of letters from D, which is not used, to A.
MOST_POSITIONS = 16_000
LETTERS = "ABC"


@dataclass(frozen=True)
class SearchIndex:
    """Full-text index of a database.

    `keep`, `forget`: SQL statements. `hits`: returns the query for a non-empty list of words."""

    keep: str
    forget: str
    hits: Callable[[Sequence[str]], Any]


def hits(session: Session, question: str) -> Subquery:
    """Return the contracts that contain all words; the lowest `rank` is the best match.

    All contracts match a blank text; none matches a text without words."""
    words = query_words(question)
    if words:
        return _index(session).hits(words).subquery("hits")  # type: ignore[no-any-return]
    everything = select(col(SearchEntryRow.contract_id), literal(0.0).label("rank"))
    return everything.where(literal(not question.strip())).subquery("hits")


def forget(session: Session, contract_id: str) -> None:
    """Remove the words of the contract from the index."""
    session.connection().execute(text(_index(session).forget), _parameters(contract_id))


def keep(session: Session, contract_id: str, parts: Sequence[Sequence[str]]) -> None:
    """Add the words of the contract's names, labels and descriptions to the index.

    The contract must not have words in the index."""
    session.connection().execute(text(_index(session).keep), _parameters(contract_id, parts))


def _index(session: Session) -> SearchIndex:
    return INDEXES[session.connection().dialect.name]


def _parameters(contract_id: str, parts: Sequence[Sequence[str]] = ()) -> dict[str, Any]:
    texts = dict(zip(("names", "labels", "prose"), (" ".join(each) for each in parts), strict=False))
    # A deterministic row id saves FTS5 a scan of all rows when an entry is deleted.
    number = int.from_bytes(hashlib.sha256(contract_id.encode()).digest()[:8]) >> 1
    return {"id": contract_id, "number": number, "words": _positions(parts), **texts}


def _positions(parts: Sequence[Sequence[str]]) -> str:
    """Format a tsvector: each word with its positions and the weight letter of its part."""
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
    vector: Any = col(SearchEntryRow.words)
    rank = func.ts_rank(weights, vector, question, 1, type_=Float)
    return select(col(SearchEntryRow.contract_id), (-rank).label("rank")).where(vector.op("@@")(question))


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
