"""Compare a registry's own model of key names with the shipped one, on unseen families.

Both rank the same held-out columns. The difference of their areas under the ROC curve is tested with the variance of
DeLong and others (1988) for clustered data (Obuchowski, 1997): columns of one family are not independent of each
other. The test has one side and a level of 1 %, because it is repeated whenever the data change."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from treaty.engine.suggestions.keys.training import KeyColumns, LinearFit, fit_on

FOLDS = 5
LEVEL = 0.01
# Set by hand: with fewer families the test's normal approximation is doubtful, with fewer keys there is no curve.
LEAST_FAMILIES, LEAST_KEYS = 20, 20
Predict = Callable[[KeyColumns], Any]
Fit = Callable[[KeyColumns], Predict]


@dataclass(frozen=True)
class Scores:
    """A model's predictions for columns of unseen groups, and the area of each fold."""

    predicted: Any
    areas: Sequence[float]

    @property
    def area(self) -> float:
        """Return the mean area of the folds."""
        return float(numpy.mean(self.areas))


def cross_validate(fit: Fit, columns: KeyColumns, report: Callable[[int], object] = int) -> Scores:
    """Return the model's predictions for each fold's columns, learned on the groups of the others.

    `report`: called with the number of each fold before it is fitted."""
    from sklearn.model_selection import GroupKFold

    predictions, areas = numpy.zeros(len(columns.unique)), []
    for number, (learned, test) in enumerate(GroupKFold(FOLDS).split(columns.unique, groups=columns.groups), start=1):
        report(number)
        unseen = columns.at(test)
        predictions[test] = fit(columns.at(learned))(unseen)
        areas.append(area_under_curve(predictions[test], unseen.unique))
    return Scores(predictions, areas)


def area_under_curve(predicted: Any, unique: Any) -> float:
    """Return the area under the ROC curve; NaN without both keys and other columns."""
    shares = _placements(predicted, unique)[unique == 1]
    return float(shares.mean()) if 0 < len(shares) < len(unique) else numpy.nan


@dataclass(frozen=True, kw_only=True)
class KeyComparison:
    """Evidence for or against a registry's own model.

    - `families`, `columns`, `keys`: numbers of what both models were compared on.
    - `area`, `shipped_area`: areas under the ROC curve on unseen families, from 0 to 1; None if not compared.
    - `error`: standard error of their difference. `chance`: probability of such a difference without one (p-value).
    - `loss`, `shipped_loss`: mean logarithmic loss of the probabilities, in nats."""

    families: int
    columns: int
    keys: int
    area: float | None = None
    shipped_area: float | None = None
    error: float | None = None
    chance: float | None = None
    loss: float | None = None
    shipped_loss: float | None = None

    @property
    def obstacle(self) -> str:
        """Explain why the model is not used, and what is needed; '' if it beats the shipped one."""
        if self.area is None or self.shipped_area is None or self.chance is None:
            return shortage(self.families, self.keys)
        if self.chance >= LEVEL:
            return self._words_of_chance(self.area - self.shipped_area)
        if (self.loss or 0) > (self.shipped_loss or 0):
            return (
                f"its probabilities are worse on unseen families: log loss {self.loss:.4f}, shipped"
                f" {self.shipped_loss:.4f}; more tables with declared keys are needed"
            )
        return ""

    def _words_of_chance(self, difference: float) -> str:
        areas = f"area {self.area:.4f} on unseen families, shipped {self.shipped_area:.4f}"
        if difference <= 0:
            return f"it ranks no better: {areas}"
        return (
            f"the difference may be chance: {areas}, p = {self.chance:.3f}, below {LEVEL} is needed; with this"
            f" difference, about {self._families_needed(difference)} families instead of {self.families}"
        )

    def _families_needed(self, difference: float) -> int:
        from scipy.stats import norm

        return round(self.families * max(1.0, float(norm.isf(LEVEL)) * (self.error or 0) / difference) ** 2) + 1


def shortage(families: int, keys: int) -> str:
    """Explain which numbers are too small for a comparison; '' if none."""
    if families < LEAST_FAMILIES:
        return f"{families} families of tables with declared keys; at least {LEAST_FAMILIES} are needed"
    if keys < LEAST_KEYS:
        return f"{keys} columns declared unique; at least {LEAST_KEYS} are needed"
    return ""


def compare(columns: KeyColumns, shipped: LinearFit, trained: Any) -> KeyComparison:
    """Compare predictions for unseen families with those of the shipped model.

    `trained`: log odds of each column, from a fit without the column's family."""
    base = shipped.log_odds(columns.features)
    areas = [area_under_curve(each, columns.unique) for each in (trained, base)]
    error, chance = paired_test(trained, base, columns)
    losses = [
        float(numpy.logaddexp(0, numpy.where(columns.unique == 1, -each, each)).mean()) for each in (trained, base)
    ]
    return KeyComparison(
        **sizes(columns), area=areas[0], shipped_area=areas[1], error=error, chance=chance, loss=losses[0],
        shipped_loss=losses[1],
    )  # fmt: skip


def sizes(columns: KeyColumns) -> dict[str, int]:
    """Return the numbers of families, columns and keys."""
    families = len(set(columns.groups.tolist()))
    return {"families": families, "columns": len(columns.unique), "keys": int(columns.unique.sum())}


def paired_test(one: Any, other: Any, columns: KeyColumns) -> tuple[float, float]:
    """Return the standard error of the difference of two areas, and its one-sided p-value.

    Each family contributes the sum of its columns' influences; Student's t has one degree of freedom less than there
    are families."""
    from scipy.stats import t

    unique = columns.unique
    difference = _placements(one, unique) - _placements(other, unique)
    influence = numpy.zeros(len(unique))
    for value in (0, 1):
        side = unique == value
        influence[side] = (difference[side] - difference[side].mean()) / side.sum()
    names, family = numpy.unique(columns.groups, return_inverse=True)
    sums = numpy.bincount(family, weights=influence)
    error = float(numpy.sqrt(len(names) / (len(names) - 1) * (sums**2).sum()))
    gain = float(difference[unique == 1].mean())
    return error, float(t.sf(gain / error, len(names) - 1)) if error else float(gain <= 0)


def _placements(predicted: Any, unique: Any) -> Any:
    """Return for each key the share of other columns ranked below it; for others, of keys ranked above."""
    from scipy.stats import rankdata

    everywhere, places = rankdata(predicted), numpy.zeros(len(predicted))
    keys, others = unique == 1, unique == 0
    places[keys] = (everywhere[keys] - rankdata(predicted[keys])) / max(1, others.sum())
    places[others] = 1 - (everywhere[others] - rankdata(predicted[others])) / max(1, keys.sum())
    return places


def registry_recipe(shipped: LinearFit) -> Fit:
    """Return the recipe of a registry's model: the shipped fit, and what the registry's columns add."""

    def fit(columns: KeyColumns) -> Predict:
        trained = fit_on(shipped, columns)
        return lambda some: trained.log_odds(some.features)

    return fit
