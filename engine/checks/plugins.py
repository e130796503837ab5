"""Load plug-ins of other packages: analyzers, assertions and detectors, found by entry point.

A package declares them in its pyproject.toml:

    [project.entry-points."treaty.analyzers"]
    prime_share = "my_package:PrimeShare"          # a subclass of Analyzer, under its own name

    [project.entry-points."treaty.assertions"]
    mustBeDivisibleBy = "my_package:DIVISIBLE"     # (test of value and limit, "be divisible by {}")

    [project.entry-points."treaty.detectors"]
    lunar = "my_package:Lunar"                     # a subclass of Detector, under its own name"""

import re
from collections.abc import Callable, Iterable
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError, distribution
from typing import Any

from treaty.contracts import assertions
from treaty.engine.analyzers import ANALYZERS
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.anomaly.detector import DETECTORS, Detector
from treaty.engine.core.errors import EngineError

# Groups of plug-ins that the registry loads itself.
OF_THE_REGISTRY = ("treaty.catalogs",)
_LOADED: dict[str, str] = {}
_WORD = re.compile(r"must[A-Z][A-Za-z0-9]*")


class PluginError(EngineError):
    """A requested plug-in cannot be used; the message names it, the reason and the remedy."""

    def __init__(self, reason: str, *, retry: bool = False) -> None:
        super().__init__(reason, retry=retry)


def load(distributions: Iterable[str]) -> None:
    """Import the plug-ins of the named distributions. Raises PluginError.

    Distributions that are already loaded are skipped. Importing runs the package's code, so pass only packages that
    a user has chosen."""
    for name in distributions:
        if name not in _LOADED:
            package = _distribution(name)
            _take(package, name)
            _LOADED[name] = package.version


def names() -> tuple[str, ...]:
    """Return the names of the loaded packages, to load them in another process."""
    return tuple(sorted(_LOADED))


def split(text: str) -> tuple[str, ...]:
    """Split a comma-separated list of package names."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def loaded_plugins() -> tuple[str, ...]:
    """Return the loaded plug-ins as 'name version', sorted by name."""
    return tuple(f"{name} {version}" for name, version in sorted(_LOADED.items()))


def _distribution(name: str) -> Distribution:
    try:
        return distribution(name)
    except (PackageNotFoundError, ValueError):
        raise PluginError(
            f"plug-in {name!r} is not installed: install the package or remove it from the plug-ins"
        ) from None


def _take(distribution: Distribution, name: str) -> None:
    entries = [(_TAKING[each.group], each) for each in distribution.entry_points if each.group in _TAKING]
    if not entries and not any(each.group in OF_THE_REGISTRY for each in distribution.entry_points):
        groups = " or ".join((*_TAKING, *OF_THE_REGISTRY))
        raise PluginError(f"package {name!r} provides no plug-ins: it has no entry point in {groups}")
    for take, entry in entries:
        take(entry, _imported(entry, name))


def _imported(entry: EntryPoint, name: str) -> Any:
    try:
        return entry.load()
    except Exception as error:
        reason = f"{entry.value} raised {type(error).__name__}"
        raise PluginError(f"plug-in {name!r} cannot be imported: {reason}; fix or remove it") from error


def _analyzer(entry: EntryPoint, offered: Any) -> None:
    if not (isinstance(offered, type) and issubclass(offered, Analyzer)):
        raise PluginError(
            f"{entry.value} is not an analyzer: make it a subclass of treaty.engine.analyzers.base.Analyzer"
        )
    if offered.name != entry.name or ANALYZERS.get(entry.name) is not offered:
        raise PluginError(
            f"{entry.value} is named {offered.name!r}, but its entry point {entry.name!r}: use the same name"
        )


def _detector(entry: EntryPoint, offered: Any) -> None:
    if not (isinstance(offered, type) and issubclass(offered, Detector)):
        raise PluginError(
            f"{entry.value} is not a detector: make it a subclass of treaty.engine.anomaly.detector.Detector"
        )
    if offered.name != entry.name or DETECTORS.get(entry.name) is not offered:
        raise PluginError(
            f"{entry.value} is named {offered.name!r}, but its entry point {entry.name!r}: use the same name"
        )


def _assertion(entry: EntryPoint, offered: Any) -> None:
    if not _WORD.fullmatch(entry.name):
        raise PluginError(
            f"{entry.name!r} is not an operator: name the entry point 'must...', for example mustBeDivisibleBy"
        )
    if not (isinstance(offered, tuple) and len(offered) == 2 and callable(offered[0]) and isinstance(offered[1], str)):
        raise PluginError(f'{entry.value} is not an assertion: provide (function of value and limit, "be ... {{}}")')
    if assertions.OPERATORS.setdefault(entry.name, offered) is not offered:
        raise PluginError(f"operator {entry.name!r} already exists: rename the entry point")


_TAKING: dict[str, Callable[[EntryPoint, Any], None]] = {
    "treaty.analyzers": _analyzer,
    "treaty.assertions": _assertion,
    "treaty.detectors": _detector,
}
