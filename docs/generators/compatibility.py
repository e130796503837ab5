"""Generate the page of compatibility: modes, directions and version numbers."""

from collections.abc import Iterator

from docs.generators.markdown import code, docstring, parameters, table
from treaty.contracts.comparison.compatibility import BUMPS, MODES
from treaty.contracts.comparison.directions import Direction

INTRODUCTION = """
Treaty compares each new version of a contract with the version in force. `treaty diff OLD NEW` lists the differences.
`treaty breaking OLD NEW` lists the differences that break the compatibility modes of the older version.

A contract sets two modes in its [terms](odcs.md#compatibility): `structure` for tables, columns and types, and
`guarantees` for checks and service levels. [Compatibility](../explanation/compatibility.md) explains how to choose
them.
"""


def page() -> Iterator[str]:
    """Generate the page."""
    yield "# Compatibility modes"
    yield INTRODUCTION
    yield "## Modes\n\nD(c) is the set of data that a contract c permits.\n"
    rows = []
    for mode, law in MODES.items():
        broken = ", ".join(code(each) for each in Direction if each in law.breaking_directions)
        rows.append((code(mode), law.sentence, law.meaning, broken))
    yield from table(("Mode", "Meaning", "Formula", "Broken by"), rows)
    yield "Transitive modes compare with all live versions: those in force and those that consumers are pinned to."
    yield "Adding a nullable column breaks no mode, because older data is read with nulls there.\n"
    yield "## Directions\n\nEach difference has a direction, which determines the required version number.\n"
    described = parameters(docstring(Direction))
    rows = [(code(each), described[each], BUMPS[each]) for each in Direction]
    yield from table(("Direction", "Meaning", "Version number"), rows)
    yield "A version's number grows by the largest part that one of its differences requires. An owner must classify"
    yield "`undetermined` differences; until then they count as major."
