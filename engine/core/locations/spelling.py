"""Normalize the spelling of a location: a local path, a URL of a storage system, or the name of a catalog table.

Programs read one spelling differently: with or without percent-decoding, with `..` resolved before or after symbolic
links. A location therefore has several readings; it may be read only if all of them may be."""

import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

FILE, TABLE = "file", "table"
# Schemes of storage systems, with the one that stands for all spellings of the same storage.
SCHEMES = {
    "s3": "s3", "s3a": "s3", "s3n": "s3", "gs": "gs", "hdfs": "hdfs", "viewfs": "viewfs", "abfs": "abfs",
    "abfss": "abfs", "wasb": "wasb", "wasbs": "wasb", "adl": "adl", "dbfs": "dbfs", "oss": "oss", "cosn": "cosn",
}  # fmt: skip
# Storage systems that have a default authority.
DEFAULTS = frozenset({"hdfs", "viewfs", "dbfs"})
# Storage systems whose authority is container@account.
WITH_ACCOUNT = frozenset({"abfs", "wasb"})
DEFAULT_PORTS = {"hdfs": ":8020"}
# Spark reads `text.x` as the folder x in the format text.
DATA_SOURCES = frozenset({
    "avro", "binaryfile", "csv", "delta", "hudi", "iceberg", "image", "jdbc", "json", "kafka", "libsvm", "orc",
    "parquet", "text", "xml",
})  # fmt: skip
ANY = "*"
ESCAPES = 4
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_AUTHORITY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(@[A-Za-z0-9][A-Za-z0-9._-]*)?(:\d{1,5})?")
_STEP = re.compile(r"`[^`]+`|[^`]+")
_PLAIN = re.compile(r"[\w$-]+")
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


class UnusableLocation(ValueError):
    """A location cannot be a table's, or its readings differ. The message never repeats it."""


@dataclass(frozen=True, order=True)
class Place:
    """One reading of a location.

    `scheme`: `file`, `table` for catalog tables, or that of a storage system. `authority`: such as the bucket.
    `steps`: the folders, or the parts of a table's name."""

    scheme: str
    authority: str
    steps: tuple[str, ...]

    def __str__(self) -> str:
        if self.scheme == TABLE:
            return ".".join(step if _PLAIN.fullmatch(step) else f"`{step}`" for step in self.steps)
        path = "/".join(self.steps)
        if self.authority == ANY:
            return f"{self.scheme}://"
        if self.scheme == FILE:
            return f"/{path}"
        return f"{self.scheme}://{self.authority}" + (f"/{path}" if path or not self.authority else "")

    def is_within(self, other: "Place") -> bool:
        """Return whether the place is the other one or lies below it."""
        is_same_storage = self.scheme == other.scheme and other.authority in (ANY, self.authority)
        return is_same_storage and self.steps[: len(other.steps)] == other.steps


def places(location: str) -> frozenset[Place]:
    """Return all readings of a location. Raises UnusableLocation."""
    return frozenset(place for text in _decodings(location) for place in _places(text))


def normalise(location: str) -> str:
    """Return the canonical spelling of an allowed location; normalizing twice changes nothing.

    Symbolic links stay, as they may lead elsewhere later. Raises UnusableLocation."""
    place = prefix(location)
    if place.scheme != FILE:
        return str(place)
    return os.path.normpath(f"/{_path(location).lstrip('/')}")


def prefix(location: str) -> Place:
    """Return the place of an allowed location; `s3://` stands for all buckets. Raises UnusableLocation."""
    scheme = _printable(location).removesuffix("://").lower()
    if location.endswith("://") and scheme in SCHEMES:
        return Place(SCHEMES[scheme], ANY, ())
    if is_table(location):
        return next(_of_table(location))
    place = next(_places(location))
    if place.scheme == FILE and (not _path(location).startswith("/") or ".." in _steps(location)):
        raise UnusableLocation("is relative or contains `..`: write the path from the root")
    return place


def _path(location: str) -> str:
    """Return the path of a local location without its scheme."""
    named = _SCHEME.fullmatch(location)
    return named[2] if named else location


def place_of_file(path: str) -> Place:
    """Return the place of a file that Spark lists, whose path has one reading. Raises UnusableLocation."""
    named = _SCHEME.fullmatch(path)
    if named is not None and named[1].lower() != FILE:
        return _in_storage(named[1].lower(), named[2])
    return Place(FILE, "", _steps(os.path.realpath(f"/{_path(path).lstrip('/')}")))


def is_table(location: str) -> bool:
    """Return whether a location is spelled like a catalog table. Files are not considered."""
    return "/" not in location and ":" not in location and not location.startswith(".")


def _decodings(location: str) -> Iterator[str]:
    """Yield the location and what percent-decoding makes of it, once and again."""
    for _ in range(ESCAPES):
        yield _printable(location)
        decoded = unquote(location)
        if decoded == location:
            return
        location = decoded
    raise UnusableLocation("is percent-encoded several times")


def _printable(text: str) -> str:
    if not text or text != text.strip():
        raise UnusableLocation("is empty or has spaces at its ends")
    if "\\" in text or any(unicodedata.category(letter) in _UNPRINTABLE for letter in text):
        raise UnusableLocation("contains a backslash or an invisible character")
    return text


def _places(text: str) -> Iterator[Place]:
    named = _SCHEME.fullmatch(text)
    if named is None:
        return _of_table(text) if is_table(text) else _of_file(text)
    scheme, rest = named[1].lower(), named[2]
    return _of_url_to_file(rest) if scheme == FILE else iter((_of_storage(scheme, rest),))


def _of_table(name: str) -> Iterator[Place]:
    quoted = tuple(step.strip() for step in name.split("."))
    if not all(map(_STEP.fullmatch, quoted)):
        raise UnusableLocation("is neither a path, nor a URL, nor the name of a catalog table")
    steps = tuple(step.strip("`") for step in quoted)
    if len(steps) == 2 and steps[0].strip().lower() in DATA_SOURCES:
        raise UnusableLocation("reads a folder in a format: write the path, or the table's name with its catalog")
    yield Place(TABLE, "", steps)


def _of_url_to_file(rest: str) -> Iterator[Place]:
    host = rest[2:].partition("/")[0] if rest.startswith("//") else ""
    if host or not rest.startswith("/"):
        raise UnusableLocation("is a file URL with a host or without an absolute path: write file:/ and the path")
    return _of_file(f"/{rest.lstrip('/')}")


def _of_file(path: str) -> Iterator[Place]:
    """Yield the paths with `..` resolved after and before symbolic links."""
    if path.startswith("//"):
        raise UnusableLocation("begins with two slashes: write one")
    for spelled in (path, os.path.normpath(path)):
        yield Place(FILE, "", _steps(os.path.realpath(spelled)))


def _of_storage(scheme: str, rest: str) -> Place:
    place = _in_storage(scheme, rest)
    if {".", ".."} & set(place.steps) or "?" in rest or "#" in rest:
        raise UnusableLocation("contains `.`, `..`, `?` or `#`, which storage systems read differently")
    return place


def _in_storage(scheme: str, rest: str) -> Place:
    if scheme not in SCHEMES:
        raise UnusableLocation(f"has a scheme that is not supported: use file, {', '.join(SCHEMES)}")
    family = SCHEMES[scheme]
    authority, _, path = rest[2:].partition("/") if rest.startswith("//") else ("", "", rest)
    if not authority and not (family in DEFAULTS and rest.startswith("/")):
        raise UnusableLocation("has no bucket or host")
    if authority and not _AUTHORITY.fullmatch(authority):
        raise UnusableLocation("has a bucket or host with characters that are not allowed, such as credentials")
    if "@" in authority and family not in WITH_ACCOUNT:
        raise UnusableLocation("names a user: credentials do not belong in a location")
    return Place(family, authority.lower().removesuffix(DEFAULT_PORTS.get(family, "//")), _steps(path))


def _steps(path: str) -> tuple[str, ...]:
    return tuple(step for step in path.split("/") if step)
