"""Generate the page of distances between two partitions."""

from collections.abc import Iterator

from docs.generators.markdown import code, docstring, first_line, sentence, table
from treaty.engine.statistics.distances import DISTANCES

INTRODUCTION = """
A distance measures how much the values of a column differ between two partitions. Use it with the analyzer
[`distance`](analyzers.md#distance). Learned [programs](../how-to/learn-programs.md) use distances as well. They are
computed from stored [states](../explanation/states.md), without reading rows.

Each result has a value and two bounds, `low` and `high`. The bounds equal the value if the states are exact:

| Component | Error |
| --- | --- |
| `frequencies`, `moments` | exact |
| `quantiles` | exact up to a few hundred values; above, about 0.7 % of a share (0.9 % in a bin), 99 % confidence |
| `heavy_hitters`, `pattern_profile` | exact up to 1,024 distinct values; above, counts are too low by a known error |

A partition without values has no distance.

In the descriptions, p is the share of a value in the new partition, and q its share in the partition that it is
compared with. Numbers are grouped into at most 20 bins. The edges of the bins are the 20-quantiles of an equal
mixture of both partitions, so outliers do not widen the bins. The bounds apply to the distance over these bins.
"""


def page() -> Iterator[str]:
    """Generate the page."""
    yield "# Distances"
    yield INTRODUCTION
    rows = ((f"[`{name}`](#{name})", _first(each.of)) for name, each in DISTANCES.items())
    yield from table(("Distance", "Definition"), rows)
    for name, each in DISTANCES.items():
        text = docstring(each.of)
        rest = text.split("\n\n", 1)[1] + "\n" if "\n\n" in text else ""
        yield f"## `{name}`\n\n{_first(each.of)}.\n\n{rest}".rstrip() + "\n"
        yield f"- Components: {', '.join(code(kind) for kind in sorted(each.kinds))}\n"


def _first(function: object) -> str:
    return sentence(first_line(docstring(function)).removeprefix("Return "))
