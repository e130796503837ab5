"""Simulate registries that train a key-name model of their own, on the shared schemas.

The shipped model of a simulation is trained without the registry's projects and without the unseen ones. The registry
decides as `treaty keys train` does, from its own columns; the unseen columns only measure the decision.

- One project: half of the tables of a project are in the registry, the others are unseen. A family is a table.
- Many projects: a third of the families is in the registry, another third is unseen."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import numpy
from sklearn.model_selection import GroupKFold

from treaty.engine.suggestions.keys.comparison import (
    FOLDS,
    LEAST_FAMILIES,
    LEAST_KEYS,
    LEVEL,
    KeyComparison,
    area_under_curve,
    compare,
    cross_validate,
    registry_recipe,
    shortage,
    sizes,
)
from treaty.engine.suggestions.keys.training import KeyColumns, LinearFit, fit_from_scratch, fit_on


@dataclass(frozen=True, kw_only=True)
class SimulatedRegistry:
    """A registry's comparison, and the areas of both models on unseen columns."""

    comparison: KeyComparison
    own: float
    shipped: float

    @property
    def gain(self) -> float:
        """Return the gain of the registry's model on unseen columns."""
        return self.own - self.shipped


def simulate(shipped: LinearFit, registry: KeyColumns, unseen: KeyColumns) -> SimulatedRegistry | None:
    """Train and compare as the product does, then measure both models on unseen columns.

    None if the registry is too small to be compared, or the unseen columns have no curve."""
    counts = sizes(registry)
    if shortage(counts["families"], counts["keys"]) or len(set(unseen.unique)) < 2:
        return None
    comparison = compare(registry, shipped, cross_validate(registry_recipe(shipped), registry).predicted)
    areas = (
        area_under_curve(fit.log_odds(unseen.features), unseen.unique) for fit in (fit_on(shipped, registry), shipped)
    )
    return SimulatedRegistry(comparison=comparison, own=next(areas), shipped=next(areas))


def single_projects(columns: KeyColumns) -> Iterator[SimulatedRegistry]:
    """Yield a simulation for each family of projects with enough tables; `columns` are grouped by family."""
    for others, fold in GroupKFold(FOLDS).split(columns.unique, groups=columns.groups):
        shipped = fit_from_scratch(columns.at(others))
        for family in sorted(set(columns.groups[fold])):
            mine = columns.at(numpy.flatnonzero(columns.groups == family))
            by_table = replace(mine, groups=numpy.array([each.table for each in mine.names]))
            half = numpy.array([crc32(each.encode()) % 2 for each in by_table.groups])
            registry, unseen = (by_table.at(numpy.flatnonzero(half == side)) for side in (0, 1))
            if result := simulate(shipped, registry, unseen):
                yield result


def many_projects(columns: KeyColumns) -> Iterator[SimulatedRegistry]:
    """Yield a simulation for each third of the families as the unseen ones; `columns` are grouped by family."""
    thirds = [test for _, test in GroupKFold(3).split(columns.unique, groups=columns.groups)]
    for at in range(3):
        public, registry, unseen = (columns.at(thirds[(at + step) % 3]) for step in range(3))
        if result := simulate(fit_from_scratch(public), registry, unseen):
            yield result


def lines(columns: KeyColumns) -> Iterator[str]:
    """Yield what registries gain on unseen columns; `columns` are grouped by family."""
    yield f"registries' own models, at p < {LEVEL}, from {LEAST_FAMILIES} families and {LEAST_KEYS} keys"
    for title, simulated in (("one project", single_projects), ("many projects", many_projects)):
        results = list(simulated(columns))
        own = [each for each in results if not each.comparison.obstacle]
        yield f"  {title}: {len(results)} registries, {len(own)} use their own model"
        yield _figures("used", own)
        yield _figures("not used", [each for each in results if each.comparison.obstacle])
        yield f"    obstacles: {dict(Counter(_obstacle(each.comparison) for each in results))}"


def _obstacle(comparison: KeyComparison) -> str:
    return comparison.obstacle.split(":")[0] or "none"


def _figures(title: str, results: Sequence[SimulatedRegistry]) -> str:
    if not results:
        return f"    {title}: none"
    own, shipped = (float(numpy.mean([getattr(each, name) for each in results])) for name in ("own", "shipped"))
    better = sum(each.gain > 0 for each in results)
    worst = min(each.gain for each in results)
    return (
        f"    {title}: unseen area {own:.4f}, shipped {shipped:.4f}; better in {better} of {len(results)},"
        f" worst {worst:+.4f}"
    )
