"""Predict from names whether a column is unique: a linear model over hashed features.

The package ships one model: `keys_model.json` is its card and `keys_model.npz` its weights. A registry may train its
own on the contracts of its owners (`treaty keys train`)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import tanh
from pathlib import Path
from typing import Any

from treaty.engine.suggestions.keys.name_features import BUCKETS, SchemaColumnName, hashed

CARD, WEIGHTS = (Path(__file__).with_name(f"keys_model.{ending}") for ending in ("json", "npz"))
# Steps of a weight, so that it takes one byte.
STEPS = 127
THRESHOLD = 0.5
# Kinds of suggestions of a key.
KEY_KINDS = frozenset({"unique", "unique_in_partition"})


@dataclass(frozen=True, eq=False, kw_only=True)
class KeyNameModel:
    """Trained weights of buckets, one byte each, and the logistic function of their sum.

    `step`: value of one unit of a weight. `threshold`: least probability of a suggested key. `title`: the model in
    words, for evidence."""

    weights: Any
    step: float
    slope: float
    intercept: float
    threshold: float = THRESHOLD
    title: str = ""

    def log_odds(self, column: SchemaColumnName) -> float:
        """Return the logarithm of the odds, by names alone, that the column is a key."""
        buckets, weights = hashed(column)
        total = self.weights[buckets].astype("float64") @ weights
        return self.intercept + self.slope * self.step * float(total)

    def probability(self, column: SchemaColumnName) -> float:
        """Return the probability, by names alone, that the column is a key of its table: between 0 and 1."""
        return (1 + tanh(self.log_odds(column) / 2)) / 2


def of_card(card: Mapping[str, Any], weights: Any, title: str) -> KeyNameModel:
    """Return the model with the parameters of a card. Raises ValueError if they do not fit together."""
    step, slope, intercept, threshold = (float(card[each]) for each in ("step", "slope", "intercept", "threshold"))
    if weights.dtype.name != "int8" or weights.shape != (BUCKETS,):
        raise ValueError(f"the weights are not {BUCKETS} bytes")
    return KeyNameModel(weights=weights, step=step, slope=slope, intercept=intercept, threshold=threshold, title=title)


@cache
def shipped() -> KeyNameModel:
    """Return the model shipped with the package."""
    import numpy

    card = json.loads(CARD.read_text("utf-8"))
    with numpy.load(WEIGHTS) as stored:
        return of_card(card, stored["weights"], f"shipped model of {card['date']}")
