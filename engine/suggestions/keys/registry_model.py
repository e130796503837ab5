"""Train a registry's own model of key names, and compare it with the shipped one."""

from collections.abc import Callable
from dataclasses import asdict, dataclass

from treaty.engine.suggestions.keys.comparison import (
    FOLDS,
    KeyComparison,
    compare,
    cross_validate,
    registry_recipe,
    shortage,
    sizes,
)
from treaty.engine.suggestions.keys.model import KeyNameModel, shipped
from treaty.engine.suggestions.keys.model_file import KeyModelCard
from treaty.engine.suggestions.keys.training import KeyColumns, fit_of, fit_on, quantized

REGISTRY_RECIPE = (
    "logistic regression over hashed features, with a penalty (C = 1) on what differs from the shipped weights;"
    " one byte a weight"
)


@dataclass(frozen=True, kw_only=True)
class KeyFacts:
    """Columns of contracts to train on. `fingerprint`: of what they were read from.

    `tables`: number of contract objects. `rejected`: number of columns that are no keys because owners rejected the
    suggestion."""

    columns: KeyColumns
    fingerprint: str
    tables: int
    rejected: int = 0


@dataclass(frozen=True, kw_only=True)
class KeyTraining:
    """A trained model with its comparison; without a model, the comparison has too few families or keys."""

    comparison: KeyComparison
    model: KeyNameModel | None = None

    @property
    def obstacle(self) -> str:
        """Explain why the model is not used; '' if it beats the shipped one."""
        return self.comparison.obstacle


def train(facts: KeyFacts, report: Callable[[int, int], object] = max) -> KeyTraining:
    """Train and compare a model. The same columns in the same order give the same weights.

    `report`: called with the number of each fit and their number. With too few families or keys nothing is trained."""
    columns, base = facts.columns, fit_of(shipped())
    counts = sizes(columns)
    if shortage(counts["families"], counts["keys"]):
        return KeyTraining(comparison=KeyComparison(**counts))
    scores = cross_validate(registry_recipe(base), columns, lambda fold: report(fold, FOLDS + 1))
    report(FOLDS + 1, FOLDS + 1)
    model = quantized(fit_on(base, columns))
    return KeyTraining(comparison=compare(columns, base, scores.predicted), model=model)


def card_of(training: KeyTraining, facts: KeyFacts, *, version: int, date: str) -> KeyModelCard:
    """Return the card of a trained model. `date`: day of the training, in ISO 8601."""
    model = training.model
    assert model
    return KeyModelCard(
        version=version, date=date, recipe=REGISTRY_RECIPE, shipped=shipped().title, facts=facts.fingerprint,
        tables=facts.tables, rejected=facts.rejected, step=model.step, slope=model.slope, intercept=model.intercept,
        threshold=model.threshold, **asdict(training.comparison),
    )  # fmt: skip
