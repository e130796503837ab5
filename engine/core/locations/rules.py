"""Decide which locations the service may read."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from treaty.engine.core.locations.spelling import (
    ANY,
    FILE,
    TABLE,
    Place,
    UnusableLocation,
    place_of_file,
    places,
    prefix,
)

# Views of the system's state, through which any file can be named.
SYSTEM = ("/proc", "/sys", "/dev")
# Not `jdbc`, `kafka` or the name of a class, with which Spark would read something else than the location.
FORMATS = ("parquet", "delta", "iceberg", "orc", "csv", "tsv", "json", "avro", "text")
UNKNOWN_FORMAT = f"the format is not supported: use one of {', '.join(FORMATS)}, or none to detect it"
# Ends a reserved location that stands for all names with this beginning.
BEGINNING = "*"
NOT_ALLOWED = "{0} is not under an allowed location. An administrator can add it: treaty locations add {0}"
NOT_DATA = "{} is no table: system folders, hidden folders and the folders of Treaty itself are never read"


@dataclass(frozen=True)
class AllowedLocation:
    """A folder, bucket or catalog below which tables may be read.

    `domain`: the only domain whose contracts may read there; None means all."""

    location: str
    domain: str | None = None


@dataclass(frozen=True)
class LocationRules:
    """The allowed locations, and the reserved ones, which no allowed location covers.

    `home`: folder of the service; reserved as well, except below allowed locations within it. None means none."""

    allowed: tuple[AllowedLocation, ...] = ()
    reserved: tuple[str, ...] = ()
    home: str | None = None

    def resolve(self) -> "ResolvedRules":
        """Return the rules with all symbolic links of this moment resolved."""
        domains: dict[Place, set[str | None]] = {}
        for each in self.allowed:
            for place in _readable(each.location):
                domains.setdefault(place, set()).add(each.domain)
        return ResolvedRules(
            {place: frozenset(names) for place, names in domains.items()},
            reserved=tuple(place for each in (*self.reserved, *SYSTEM) for place in _stored(each)),
            home=next(_stored(self.home), None) if self.home else None,
        )


@dataclass(frozen=True)
class ResolvedRules:
    """Rules whose symbolic links are resolved.

    `domains`: the domains that may read below each place; None among them stands for all. `reserved`, `home`: in lower
    case, as some file systems ignore case."""

    domains: Mapping[Place, frozenset[str | None]]
    reserved: tuple[Place, ...] = ()
    home: Place | None = None

    def refusal(
        self, location: str, format_name: str | None = None, domains: Collection[str | None] | None = None
    ) -> str | None:
        """Return why the location may not be read; None if it may.

        `domains`: those of the contract; None means any. The answer never depends on whether files exist."""
        if format_name is not None and format_name.lower() not in FORMATS:
            return UNKNOWN_FORMAT
        try:
            readings = places(location)
        except UnusableLocation as error:
            return f"the location {error}"
        if (format_name or "").lower() == "iceberg" and "#" in location:
            return "the location contains `#`, after which Iceberg reads the name of a metadata table"
        return next(filter(None, (self._refusal(place, location, domains) for place in sorted(readings))), None)

    def allows_file(self, path: str, *, is_vouched: bool = False) -> bool:
        """Return whether a file that Spark lists may be read.

        `is_vouched`: its table is in an allowed catalog, so that only reserved places are refused."""
        try:
            place = place_of_file(path)
        except UnusableLocation:
            return is_vouched
        return not self._is_reserved(place) and (is_vouched or self._covering(place) is not None)

    def covers(self, location: str) -> bool:
        """Return whether an allowed location covers this one. Raises UnusableLocation."""
        return all(self._covering(place) for place in places(location))

    def is_inside_reserved(self, location: str) -> bool:
        """Return whether a location is the home or lies in a reserved place. Raises UnusableLocation."""
        own = [_folded(place) for place in places(location)]
        return self.home in own or any(_is_inside(place, each) for place in own for each in self.reserved)

    def _refusal(self, place: Place, location: str, domains: Collection[str | None] | None) -> str | None:
        if self._is_reserved(place):
            return NOT_DATA.format(location)
        covering = self._covering(place)
        if covering is None:
            # Whether the files of a catalog's table lie under an allowed location is known only to the catalog.
            return None if place.scheme == TABLE else NOT_ALLOWED.format(location)
        if place.scheme == FILE and _is_hidden(place.steps[len(covering.steps) :]):
            return NOT_DATA.format(location)
        readers = self.domains[covering]
        if domains is None or None in readers or readers & set(domains):
            return None
        return NOT_ALLOWED.format(location)

    def _is_reserved(self, place: Place) -> bool:
        """Return whether the place is reserved, or Spark reads a reserved place with it."""
        own = _folded(place)
        return any(_is_inside(own, each) or _reads(own, each) for each in self.reserved) or self._is_home(place)

    def _is_home(self, place: Place) -> bool:
        """Return whether the place is in the home, but below no allowed location in it."""
        if self.home is None or not _folded(place).is_within(self.home):
            return False
        covering = self._covering(place)
        return covering is None or len(covering.steps) <= len(self.home.steps)

    def _covering(self, place: Place) -> Place | None:
        """Return the innermost allowed place around this one; None if there is none."""
        return next((each for each in _around(place) if each in self.domains), None)


def _around(place: Place) -> Iterator[Place]:
    """Yield the place and all around it, innermost first."""
    for length in range(len(place.steps), -1, -1):
        yield replace(place, steps=place.steps[:length])
    yield Place(place.scheme, ANY, ())


def _readable(location: str) -> Iterator[Place]:
    """Yield the place of an allowed location; nothing if it is no longer valid."""
    try:
        yield prefix(location)
    except UnusableLocation:
        return


def _stored(location: str) -> Iterator[Place]:
    """Yield the place of a file or folder of the service; nothing if no table can be there."""
    try:
        yield _folded(place_of_file(location))
    except UnusableLocation:
        return


def _is_inside(place: Place, reserved: Place) -> bool:
    """Return whether a place in lower case is the reserved one or lies in it."""
    if reserved.steps and reserved.steps[-1].endswith(BEGINNING):
        depth, beginning = len(reserved.steps), reserved.steps[-1].removesuffix(BEGINNING)
        folder = replace(reserved, steps=reserved.steps[:-1])
        return place.is_within(folder) and len(place.steps) >= depth and place.steps[depth - 1].startswith(beginning)
    return place.is_within(reserved)


def _reads(place: Place, reserved: Place) -> bool:
    """Return whether Spark reads the reserved place with the place around it; it reads no hidden folders."""
    return reserved.is_within(place) and not _is_hidden(reserved.steps[len(place.steps) :])


def _folded(place: Place) -> Place:
    """Return the place in lower case."""
    return replace(place, steps=tuple(step.casefold() for step in place.steps))


def _is_hidden(steps: Collection[str]) -> bool:
    return any(step.startswith(".") for step in steps)
