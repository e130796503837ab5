"""Train models of key names: logistic regression over the hashed features of columns.

The shipped model is trained on public schemas alone. A registry has few columns, so its model starts from the shipped
one: the penalty pulls its weights towards the shipped weights instead of zero."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy

from treaty.engine.suggestions.keys.model import STEPS, KeyNameModel
from treaty.engine.suggestions.keys.name_features import BUCKETS, SchemaColumnName, hashed

RECIPE = "logistic regression (scikit-learn, liblinear, C = 1) over hashed features; one byte a weight"


@dataclass(frozen=True, eq=False, kw_only=True)
class KeyColumns:
    """Columns to train or compare models on. `names`: their names and neighbors. `unique`: 1 for keys, else 0.

    `groups`: family of each column; a family is never on both sides of a comparison. `features`: a row per column.
    `bare`: the same without the table's other columns."""

    names: Sequence[SchemaColumnName]
    unique: Any
    groups: Any
    features: Any
    bare: Any

    def at(self, places: Any) -> "KeyColumns":
        """Return the columns at these places."""
        return KeyColumns(
            names=[self.names[place] for place in places], unique=self.unique[places], groups=self.groups[places],
            features=self.features[places], bare=self.bare[places],
        )  # fmt: skip


def key_columns(names: Sequence[SchemaColumnName], unique: Sequence[int], groups: Sequence[str]) -> KeyColumns:
    """Return the columns with their features."""
    bare = feature_matrix([replace(each, columns=()) for each in names])
    return KeyColumns(
        names=names, unique=numpy.array(unique, "int64"), groups=numpy.array(groups), features=feature_matrix(names),
        bare=bare,
    )  # fmt: skip


def feature_matrix(columns: Sequence[SchemaColumnName]) -> Any:
    """Return the hashed features as a sparse matrix, a row per column."""
    from scipy.sparse import csr_array

    if not columns:
        return csr_array((0, BUCKETS))
    rows = [_arrays(each) for each in columns]
    starts = numpy.cumsum([0, *(len(buckets) for buckets, _ in rows)], dtype="int32")
    buckets, weights = (numpy.concatenate(part) for part in zip(*rows, strict=True))
    matrix = csr_array((weights, buckets, starts), (len(columns), BUCKETS))
    matrix.sum_duplicates()
    return matrix


def _arrays(column: SchemaColumnName) -> tuple[Any, Any]:
    buckets, weights = hashed(column)
    return numpy.array(buckets, dtype="int32"), numpy.array(weights, dtype="float32")


@dataclass(frozen=True, eq=False)
class LinearFit:
    """A fit before its weights are rounded: a weight per bucket and an intercept."""

    weights: Any
    intercept: float

    def log_odds(self, features: Any) -> Any:
        """Return the log odds of each row of features."""
        return features @ self.weights + self.intercept


def fit_of(model: KeyNameModel) -> LinearFit:
    """Return a model's weights as a fit."""
    return LinearFit(model.weights.astype("float64") * model.step * model.slope, model.intercept)


def fit_from_scratch(columns: KeyColumns) -> LinearFit:
    """Fit the recipe of the shipped model, on each column with its table and without."""
    from scipy.sparse import vstack
    from sklearn.linear_model import LogisticRegression

    both = vstack([columns.features, columns.bare]).tocsr()
    fit = LogisticRegression(C=1.0, solver="liblinear").fit(both, numpy.concatenate([columns.unique] * 2))
    return LinearFit(fit.coef_[0], float(fit.intercept_[0]))


def fit_on(base: LinearFit, columns: KeyColumns) -> LinearFit:
    """Fit what the columns add to another fit: logistic regression whose penalty pulls towards the other's weights.

    The columns' log odds by the other fit are an offset, which scikit-learn does not offer; the penalty is that of
    `fit_from_scratch`. What the columns say nothing about stays as it was."""
    from scipy.optimize import minimize
    from scipy.special import expit

    used = numpy.unique(columns.features.indices)
    features, offset = columns.features[:, used].astype("float64"), base.log_odds(columns.features)
    sign = 2.0 * columns.unique - 1

    def loss(change: Any) -> tuple[float, Any]:
        weights, intercept = change[:-1], change[-1]
        margin = sign * (offset + features @ weights + intercept)
        slope = -sign * expit(-margin)
        value = numpy.logaddexp(0, -margin).sum() + weights @ weights / 2
        return float(value), numpy.append(features.T @ slope + weights, slope.sum())

    change = minimize(loss, numpy.zeros(len(used) + 1), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    weights = base.weights.copy()
    weights[used] += change[:-1]
    return LinearFit(weights, base.intercept + float(change[-1]))


def calibration(log_odds: Any, unique: Any) -> tuple[float, float]:
    """Return slope and intercept that turn predictions for unseen groups into log odds (Platt)."""
    from sklearn.linear_model import LogisticRegression

    line = LogisticRegression(C=1e6).fit(log_odds.reshape(-1, 1), unique)
    return float(line.coef_[0, 0]), float(line.intercept_[0])


def quantized(fit: LinearFit, calibrated: tuple[float, float] = (1.0, 0.0)) -> KeyNameModel:
    """Return the model with one byte per weight. `calibrated`: slope and intercept for its log odds."""
    step = float(numpy.abs(fit.weights).max() / STEPS)
    slope, intercept = calibrated
    weights = numpy.rint(fit.weights / step).astype("int8")
    return KeyNameModel(weights=weights, step=step, slope=slope, intercept=intercept + slope * fit.intercept)
