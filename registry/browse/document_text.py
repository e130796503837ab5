"""Extract the searchable text of a contract document: names, labels and descriptions."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from treaty.contracts.document import yaml_syntax
from treaty.contracts.errors import ContractError

NAMES = ("name", "businessName", "physicalName", "dataProduct")
MEMBERS = ("username", "name", "role")
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
LONGEST_WORD = 60
MOST_WORDS = 5000
SHOWN_PROSE = 300
MOST_TAGS, LONGEST_LABEL = 50, 200


@dataclass(frozen=True, kw_only=True)
class DocumentText:
    """Searchable text of a contract document; empty if the document cannot be parsed."""

    names: tuple[str, ...] = ()
    prose: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    domain: str | None = None

    @property
    def summary(self) -> str | None:
        """Return the beginning of the description; None if there is no description."""
        return self.prose[0][:SHOWN_PROSE] if self.prose else None


def described(body: bytes) -> DocumentText:
    """Extract the searchable text of the document."""
    try:
        document = yaml_syntax.parse(body).data
    except ContractError:
        return DocumentText()
    parts = tuple(_parts(document))
    domain = document.get("domain")
    return DocumentText(
        names=tuple(text for part in parts for key in NAMES for text in _texts(part.get(key))),
        prose=tuple(text for part in parts for text in _prose(part.get("description"))),
        tags=tuple(dict.fromkeys(_labels(text for part in parts for text in _texts(part.get("tags")))))[:MOST_TAGS],
        people=tuple(_people(document.get("team"))),
        objects=tuple(text for each in _members(document, "schema") for text in _texts(each.get("name"))),
        domain=next(_labels(_texts(domain)), None),
    )


def index_words(texts: Iterable[str]) -> list[str]:
    """Return the words to index, in order; compound column names are indexed whole and in parts."""
    words: list[str] = []
    for text in texts:
        whole, parts = _words(text), _words(_HUMP.sub(" ", text))
        words += whole if whole == parts else [*whole, *parts]
    return words[:MOST_WORDS]


def query_words(text: str) -> list[str]:
    """Return the words of a search query, normalized as in `index_words`: only a-z and 0-9, at most 12 words."""
    return _words(text)[:12]


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text).casefold()
    bare = "".join(each for each in plain if not unicodedata.combining(each))
    return [_spelled(each[:LONGEST_WORD]) for each in _WORD.findall(bare)]


def _spelled(word: str) -> str:
    # Databases disagree about letters of other scripts. The escaped form is unambiguous and preserves prefixes.
    return "".join(each if each.isascii() else f"u{ord(each):05x}" for each in word)


def _parts(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the document, its tables, and their columns at every depth."""
    yield document
    pending = list(_members(document, "schema"))
    while pending:
        part = pending.pop(0)
        yield part
        items = part.get("items")
        pending += [*_members(part, "properties"), *([items] if isinstance(items, dict) else [])]


def _members(part: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    value = part.get(key)
    return (each for each in (value if isinstance(value, list) else ()) if isinstance(each, dict))


def _texts(value: Any) -> Iterator[str]:
    return (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str) and each.strip())


def _labels(texts: Iterable[str]) -> Iterator[str]:
    # PostgreSQL stores no NUL characters, and limits the size of an index entry.
    return (each.replace("\x00", "").strip()[:LONGEST_LABEL] for each in texts)


def _prose(description: Any) -> Iterator[str]:
    if isinstance(description, dict):
        return (text for each in description.values() for text in _texts(each))
    return _texts(description)


def _people(team: Any) -> Iterator[str]:
    """Yield the names in a team: a list of people or an object with members."""
    people = team if isinstance(team, list) else [team]
    for each in (each for each in people if isinstance(each, dict)):
        yield from (text for key in MEMBERS for text in _texts(each.get(key)))
        yield from _people(each.get("members"))
