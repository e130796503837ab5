"""Train a registry's own model of key names, and decide by comparison whether it is used."""

from collections.abc import Callable
from dataclasses import asdict, dataclass

from treaty.engine.suggestions.keys.comparison import (
    KeyComparison,
    compare,
    cross_validate,
    registry_recipe,
    shortage,
    sizes,
)
from treaty.engine.suggestions.keys.model import KeyNameModel, shipped
from treaty.engine.suggestions.keys.model_file import KeyModelCard
from treaty.engine.suggestions.keys.training import RECIPE, KeyColumns, calibration, fit_of, fit_on, quantized

REGISTRY_RECIPE = f"the shipped model, and what the registry's columns add: {RECIPE}"


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


def train(facts: KeyFacts, report: Callable[[str], object] = str) -> KeyTraining:
    """Train and compare a model. The same columns in the same order give the same weights.

    `report`: called with the progress in words. With too few families or keys nothing is trained."""
    columns, base = facts.columns, fit_of(shipped())
    counts = sizes(columns)
    if shortage(counts["families"], counts["keys"]):
        return KeyTraining(comparison=KeyComparison(**counts))
    scores = cross_validate(registry_recipe(base), columns, lambda fold: report(f"comparing models, part {fold} of 5"))
    report("training on all tables")
    line = calibration(scores.predicted, columns.unique)
    model = quantized(fit_on(base, columns), line, "")
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
