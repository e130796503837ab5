"""Train the model of `treaty.engine.suggestions.key_name_model`, which predicts unique columns by name.

`python -m bench.suggestions.train_keys [--data D] [--write]`. Every model is tested on schemas of unseen projects: the
area under the ROC curve, five folds by project and by family of projects (forks are one). `--write` trains on all of
them and writes `keys_model.npz` with its card `keys_model.json` next to `engine/suggestions/key_name_model.py`."""

import argparse
import csv
import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy
from scipy.sparse import csr_array, hstack, vstack
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import brier_score_loss, precision_score, recall_score, roc_auc_score
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import OneHotEncoder

from treaty.engine.suggestions import key_name_model
from treaty.engine.suggestions.key_name_model import SchemaColumnName

FOLDS = 5
THRESHOLD = 0.5
STEPS = 127  # Steps of a weight, so that it takes one byte.
PAPER = 0.859


@dataclass(frozen=True)
class Facts:
    """The columns of real schemas: names, whether each is unique, project and family."""

    named: Sequence[SchemaColumnName]
    unique: Any
    projects: Any
    families: Any


@dataclass(frozen=True)
class Scores:
    """A model's predictions for columns of unseen projects, and the area of each fold."""

    predicted: Any
    areas: Sequence[float]

    @property
    def area(self) -> float:
        """Return the mean area of the folds."""
        return float(numpy.mean(self.areas))


Fit = Callable[[Sequence[SchemaColumnName], Any], Callable[[Sequence[SchemaColumnName]], Any]]


def read(folder: Path) -> Facts:
    """Read the facts from the folder of schemas."""
    with gzip.open(folder / "schema_columns.csv.gz", "rt", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    with (folder / "project_families.csv").open(encoding="utf-8") as lines:
        families = {row["project"]: row["family"] for row in csv.DictReader(lines)}
    names_by_table: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        names_by_table.setdefault((row["project"], row["table_name"]), []).append(row["column_name"])
    columns = {key: tuple(dict.fromkeys(names)) for key, names in names_by_table.items()}
    named = [
        SchemaColumnName(row["table_name"], row["column_name"], row["type"], columns[row["project"], row["table_name"]])
        for row in rows
    ]
    projects = numpy.array([row["project"] for row in rows])
    unique = numpy.array([int(row["is_unique"]) for row in rows])
    return Facts(named, unique, projects, numpy.array([families[each] for each in projects]))


def cross_validate(fit: Fit, facts: Facts, groups: Any) -> Scores:
    """Return the model's predictions for each fold's columns, learned on the others."""
    predictions, areas = numpy.zeros(len(facts.unique)), []
    for learned, test in GroupKFold(FOLDS).split(facts.unique, groups=groups):
        predict = fit([facts.named[at] for at in learned], facts.unique[learned])
        predictions[test] = predict([facts.named[at] for at in test])
        areas.append(float(roc_auc_score(facts.unique[test], predictions[test])))
    return Scores(predictions, areas)


def bare(_: Sequence[SchemaColumnName], __: Any) -> Callable[[Sequence[SchemaColumnName]], Any]:
    """Return a rule: the column is `id`, or `<table>_id` for a table of that name or ending."""
    return lambda names: numpy.array([_is_bare(each) for each in names], dtype=float)


def _is_bare(column_name: SchemaColumnName) -> bool:
    table, column = key_name_model.words(column_name.table), key_name_model.words(column_name.column)
    own, stem = ("".join(map(key_name_model.singular, each)) for each in (table, column[:-1]))
    return column[-1:] == ("id",) and own.endswith(stem)


def recipe(alpha: float) -> Fit:
    """Return the paper's model: SGD with log loss and L1 over hashed character n-grams of up to five, and the type
    one-hot.

    Its feature space has 10^8 dimensions; here 2^20, in which these names hardly collide."""

    def fit(columns: Sequence[SchemaColumnName], unique: Any) -> Callable[[Sequence[SchemaColumnName]], Any]:
        grams = HashingVectorizer(analyzer="char", ngram_range=(1, 5), n_features=2**20)
        types = OneHotEncoder(handle_unknown="ignore").fit([[each.type] for each in columns])

        def feature_matrix(some: Sequence[SchemaColumnName]) -> Any:
            texts = grams.transform([f"{each.table} {each.column}" for each in some])
            return hstack([texts, types.transform([[each.type] for each in some])]).tocsr()

        model = SGDClassifier(loss="log_loss", penalty="l1", alpha=alpha, random_state=0).fit(
            feature_matrix(columns), unique
        )
        return lambda some: model.predict_proba(feature_matrix(some))[:, 1]

    return fit


def weighted(columns: Sequence[SchemaColumnName], unique: Any) -> Callable[[Sequence[SchemaColumnName]], Any]:
    """Fit the best simple model: logistic regression, tf-idf of n-grams within words of both names, and flags."""
    grams = [TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 5), sublinear_tf=True) for _ in range(2)]
    flags = OneHotEncoder(handle_unknown="ignore").fit([_flags(each) for each in columns])
    grams[0].fit([each.column for each in columns])
    grams[1].fit([each.table for each in columns])

    def feature_matrix(some: Sequence[SchemaColumnName]) -> Any:
        texts = [grams[0].transform([each.column for each in some]), grams[1].transform([each.table for each in some])]
        return hstack([*texts, flags.transform([_flags(each) for each in some])]).tocsr()

    model = LogisticRegression(C=1.0, solver="liblinear").fit(feature_matrix(columns), unique)
    return lambda some: model.predict_proba(feature_matrix(some))[:, 1]


def _flags(column: SchemaColumnName) -> list[str]:
    return [column.type, *key_name_model.shape(key_name_model.words(column.table), key_name_model.words(column.column))]


def feature_matrix(columns: Sequence[SchemaColumnName]) -> Any:
    """Return the features of `treaty.engine.suggestions.key_name_model` as a sparse matrix, a row per column."""
    hashed_names = [_hashed(each) for each in columns]
    starts = numpy.cumsum([0, *(len(buckets) for buckets, _ in hashed_names)], dtype="int32")
    buckets, weights = (numpy.concatenate(part) for part in zip(*hashed_names, strict=True))
    matrix = csr_array((weights, buckets, starts), (len(columns), key_name_model.BUCKETS))
    matrix.sum_duplicates()
    return matrix


@cache
def _hashed(column: SchemaColumnName) -> tuple[Any, Any]:
    buckets, weights = key_name_model.hashed(column)
    return numpy.array(buckets, dtype="int32"), numpy.array(weights, dtype="float32")


def alone(columns: Sequence[SchemaColumnName]) -> list[SchemaColumnName]:
    """Return the same columns without the other columns of their tables."""
    return [replace(each, columns=()) for each in columns]


def fitted(columns: Sequence[SchemaColumnName], unique: Any) -> Any:
    """Fit logistic regression with scikit-learn's default penalty, on each column with its table and without."""
    both = vstack([feature_matrix(columns), feature_matrix(alone(columns))]).tocsr()
    return LogisticRegression(C=1.0, solver="liblinear").fit(both, numpy.concatenate([unique, unique]))


def ours(columns: Sequence[SchemaColumnName], unique: Any) -> Callable[[Sequence[SchemaColumnName]], Any]:
    """Fit the shipped model."""
    model = fitted(columns, unique)
    return lambda some: model.predict_proba(feature_matrix(some))[:, 1]


def names_alone(columns: Sequence[SchemaColumnName], unique: Any) -> Callable[[Sequence[SchemaColumnName]], Any]:
    """Fit the same model, given only table name, column name and type, like the others."""
    predict = ours(columns, unique)
    return lambda some: predict(alone(some))


MODELS: Mapping[str, Fit] = {
    "rule": bare,
    "paper": recipe(1e-3),
    "paper-1e-5": recipe(1e-5),
    "tf-idf": weighted,
    "names": names_alone,
    "ours": ours,
}


def lines(facts: Facts, scores: dict[str, Scores], only: Sequence[str], by: Sequence[str]) -> Iterator[str]:
    """Yield a line per model and add its predictions by project to `scores`."""
    yield f"{len(facts.unique):,} columns, {len(set(facts.projects))} projects, {facts.unique.mean():.3f} unique"
    yield f"{'area under the ROC curve':26} project  family  precision  recall   Brier   (the paper, its data: {PAPER})"
    for name, fit in ((name, MODELS[name]) for name in only):
        scores[name] = cross_validate(fit, facts, facts.projects)
        family = cross_validate(fit, facts, facts.families).area if "family" in by else numpy.nan
        yes = scores[name].predicted > THRESHOLD
        shares = (precision_score(facts.unique, yes), recall_score(facts.unique, yes))
        brier = brier_score_loss(facts.unique, scores[name].predicted)
        figures = f"{scores[name].area:7.4f} {family:7.4f} {shares[0]:10.3f} {shares[1]:7.3f} {brier:7.4f}"
        yield f"{name:26} {figures}"


def calibration(facts: Facts, scores: Scores) -> Iterator[str]:
    """Yield the share of unique columns by predicted probability."""
    for low in (0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95):
        high = next((each for each in (0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.01) if each > low), 1.01)
        some = (scores.predicted >= low) & (scores.predicted < high)
        predicted, true = scores.predicted[some].mean(), facts.unique[some].mean()
        span = f"{low:4.2f} to {min(high, 1):4.2f}"
        yield f"predicted {span}: {some.sum():6} columns, mean {predicted:.3f}, unique {true:.3f}"


def write(facts: Facts, scores: Mapping[str, Scores], date: str) -> None:
    """Write the model, trained on all schemas, and its card."""
    model = fitted(facts.named, facts.unique)
    weights = model.coef_[0]
    step = float(numpy.abs(weights).max() / STEPS)
    numpy.savez_compressed(key_name_model.WEIGHTS, weights=numpy.rint(weights / step).astype("int8"))
    predictions = scores["ours"].predicted
    line = LogisticRegression(C=1e6).fit(numpy.log(predictions / (1 - predictions)).reshape(-1, 1), facts.unique)
    slope, intercept = float(line.coef_[0, 0]), float(line.intercept_[0])
    card = {
        "format": 1,
        "what": "the chance that a column alone is a key of its table, from names, type and the table's other columns",
        "model": "logistic regression (scikit-learn, liblinear, C = 1) over hashed features; one byte a weight",
        "made by": "python -m bench.suggestions.train_keys --write",
        "date": date,
        "licence": "Apache-2.0, as the package; of the schemas it holds weights of hashed parts of names, no names",
        "data": f"{len(facts.unique)} columns of {len(set(facts.projects))} open-source projects",
        "unique": "the column alone is a primary key or has a unique constraint or index of its own",
        "area under the ROC curve, 5 folds by project": {name: round(each.area, 4) for name, each in scores.items()},
        "threshold": THRESHOLD,
        "step": step,
        "slope": slope,
        "intercept": intercept + slope * float(model.intercept_[0]),
    }
    key_name_model.CARD.write_text(json.dumps(card, indent=1) + "\n", "utf-8")


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table of models; with --write, write the shipped one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--write", metavar="DATE", help="write the model and its card with this date")
    parser.add_argument(
        "--only", nargs="*", choices=MODELS, default=list(MODELS), help="models to measure; `ours` is always included"
    )
    parser.add_argument("--by", nargs="*", choices=("project", "family"), default=["project", "family"])
    options = parser.parse_args(argv)
    facts, scores = read(options.data / "schemas"), dict[str, Scores]()
    for line in lines(facts, scores, list(dict.fromkeys((*options.only, "ours"))), options.by):
        print(line, flush=True)
    for line in calibration(facts, scores["ours"]):
        print(line)
    if options.write:
        write(facts, scores, options.write)


if __name__ == "__main__":
    main()
