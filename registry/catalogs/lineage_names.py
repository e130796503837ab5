"""Derive the names that a catalog's table has in lineage events. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from treaty.registry.catalogs.bounds import LONGEST_NAME
from treaty.registry.catalogs.model import Identifier, TableFacts, spell
from treaty.registry.datasets.names import LineageName, normalise

STORAGE = frozenset(
    ("s3", "s3a", "s3n", "gs", "hdfs", "abfs", "abfss", "wasb", "wasbs", "dbfs", "viewfs", "adl", "oss", "cosn")
)
Pair = tuple[LineageName, LineageName]


def lineage_names(facts: TableFacts, namespaces: Mapping[str, str], address: str) -> tuple[LineageName, ...]:
    """Return all names of the table, the main one first.

    `facts`: its `names` are those that the catalog states. `namespaces`: lineage namespace by prefix of the
    catalog's names; the longest prefix applies, '' to all. Without one, the main name is the location, which is the
    name of files in lineage events, else one that the catalog states, else that at the address."""
    name = ".".join(facts.identifier)
    mapped = _mapped(facts.identifier, namespaces)
    names = [normalise(mapped, facts.names[0].name if facts.names else name)] if mapped else []
    names += [stored for stored in [_stored(facts.location)] if stored]
    names += [*facts.names, normalise(address, name)]
    short = [each for each in names if len(str(each).encode()) <= LONGEST_NAME]
    return tuple(dict.fromkeys(short))


def pairs(names: Sequence[LineageName]) -> Iterator[Pair]:
    """Yield the links from the main name to the others, each pair in order."""
    for other in names[1:]:
        yield (names[0], other) if names[0] <= other else (other, names[0])


def _mapped(identifier: Identifier, namespaces: Mapping[str, str]) -> str | None:
    """Return the lineage namespace of the longest prefix that applies."""
    prefixes = (spell(identifier[:length]) for length in range(len(identifier) - 1, -1, -1))
    return next((namespaces[each] for each in prefixes if each in namespaces), None)


def _stored(location: str | None) -> LineageName | None:
    """Return the name of a location in lineage; None if it has no path or no namespace in lineage."""
    try:
        parts = urlsplit(location or "")
    except ValueError:
        return None
    path = parts.path.strip("/")
    if not path or (parts.scheme and parts.scheme not in STORAGE | {"file"}):
        return None
    if parts.scheme in STORAGE:
        return normalise(f"{parts.scheme}://{parts.netloc}", parts.path) if parts.netloc else None
    return normalise("file", parts.path) if parts.path.startswith("/") and not parts.netloc else None
