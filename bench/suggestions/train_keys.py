"""Train the model of `treaty.engine.suggestions.keys`, which predicts unique columns by name.

`python -m bench.suggestions.train_keys [--data D] [--write DATE]`. Every recipe is tested on schemas of unseen
projects: the area under the ROC curve, five folds by project and by family of projects (forks are one). Then registries
are simulated (`bench.suggestions.registry_keys`). `--write` trains on all schemas and writes `keys_model.npz` with its
card `keys_model.json`."""

import argparse
import csv
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy
from scipy.sparse import hstack
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import brier_score_loss, precision_score, recall_score
from sklearn.preprocessing import OneHotEncoder

from bench.suggestions import registry_keys
from treaty.engine.suggestions.keys.comparison import Fit, Predict, Scores, cross_validate
from treaty.engine.suggestions.keys.model import CARD, THRESHOLD, WEIGHTS
from treaty.engine.suggestions.keys.name_features import SchemaColumnName, shape, singular, words
from treaty.engine.suggestions.keys.training import (
    RECIPE,
    KeyColumns,
    calibration,
    fit_from_scratch,
    key_columns,
    quantized,
)

PAPER = 0.859
# Goal of the recipe `ours`: area on unseen projects.
GOAL = 0.985


@dataclass(frozen=True)
class SchemaFacts:
    """The columns of real schemas, grouped by project; and the family of each column's project."""

    columns: KeyColumns
    families: Any

    @property
    def by_family(self) -> KeyColumns:
        """Return the columns grouped by family."""
        return replace(self.columns, groups=self.families)


def read(folder: Path) -> SchemaFacts:
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
    projects = [row["project"] for row in rows]
    columns = key_columns(named, [int(row["is_unique"]) for row in rows], projects)
    return SchemaFacts(columns, numpy.array([families[each] for each in projects]))


def bare(_: KeyColumns) -> Predict:
    """Return a rule: the column is `id`, or `<table>_id` for a table of that name or ending."""
    return lambda some: numpy.array([_is_bare(each) for each in some.names], dtype=float)


def _is_bare(column_name: SchemaColumnName) -> bool:
    table, column = words(column_name.table), words(column_name.column)
    own, stem = ("".join(map(singular, each)) for each in (table, column[:-1]))
    return column[-1:] == ("id",) and own.endswith(stem)


def recipe(alpha: float) -> Fit:
    """Return the paper's model: SGD with log loss and L1 over hashed character n-grams of up to five, and the type
    one-hot.

    Its feature space has 10^8 dimensions; here 2^20, in which these names hardly collide."""

    def fit(columns: KeyColumns) -> Predict:
        grams = HashingVectorizer(analyzer="char", ngram_range=(1, 5), n_features=2**20)
        types = OneHotEncoder(handle_unknown="ignore").fit([[each.type] for each in columns.names])

        def matrix(some: KeyColumns) -> Any:
            texts = grams.transform([f"{each.table} {each.column}" for each in some.names])
            return hstack([texts, types.transform([[each.type] for each in some.names])]).tocsr()

        model = SGDClassifier(loss="log_loss", penalty="l1", alpha=alpha, random_state=0).fit(
            matrix(columns), columns.unique
        )
        return lambda some: model.predict_proba(matrix(some))[:, 1]

    return fit


def weighted(columns: KeyColumns) -> Predict:
    """Fit the best simple model: logistic regression, tf-idf of n-grams within words of both names, and flags."""
    grams = [TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 5), sublinear_tf=True) for _ in range(2)]
    flags = OneHotEncoder(handle_unknown="ignore").fit([_flags(each) for each in columns.names])
    grams[0].fit([each.column for each in columns.names])
    grams[1].fit([each.table for each in columns.names])

    def matrix(some: KeyColumns) -> Any:
        texts = [
            grams[0].transform([each.column for each in some.names]),
            grams[1].transform([each.table for each in some.names]),
        ]
        return hstack([*texts, flags.transform([_flags(each) for each in some.names])]).tocsr()

    model = LogisticRegression(C=1.0, solver="liblinear").fit(matrix(columns), columns.unique)
    return lambda some: model.predict_proba(matrix(some))[:, 1]


def _flags(column: SchemaColumnName) -> list[str]:
    return [column.type, *shape(words(column.table), words(column.column))]


def ours(columns: KeyColumns) -> Predict:
    """Fit the shipped model."""
    fit = fit_from_scratch(columns)
    return lambda some: _probabilities(fit.log_odds(some.features))


def names_alone(columns: KeyColumns) -> Predict:
    """Fit the same model, given only table name, column name and type, like the others."""
    fit = fit_from_scratch(columns)
    return lambda some: _probabilities(fit.log_odds(some.bare))


def _probabilities(log_odds: Any) -> Any:
    return 1 / (1 + numpy.exp(-log_odds))


MODELS: Mapping[str, Fit] = {
    "rule": bare,
    "paper": recipe(1e-3),
    "paper-1e-5": recipe(1e-5),
    "tf-idf": weighted,
    "names": names_alone,
    "ours": ours,
}


def lines(facts: SchemaFacts, scores: dict[str, Scores], only: Sequence[str], by: Sequence[str]) -> Iterator[str]:
    """Yield a line per model and add its predictions by project to `scores`."""
    columns = facts.columns
    yield f"{len(columns.unique):,} columns, {len(set(columns.groups))} projects, {columns.unique.mean():.3f} unique"
    yield f"{'area under the ROC curve':26} project  family  precision  recall   Brier   (the paper, its data: {PAPER})"
    for name, fit in ((name, MODELS[name]) for name in only):
        scores[name] = cross_validate(fit, columns)
        family = cross_validate(fit, facts.by_family).area if "family" in by else numpy.nan
        yes = scores[name].predicted > THRESHOLD
        shares = (precision_score(columns.unique, yes), recall_score(columns.unique, yes))
        brier = brier_score_loss(columns.unique, scores[name].predicted)
        figures = f"{scores[name].area:7.4f} {family:7.4f} {shares[0]:10.3f} {shares[1]:7.3f} {brier:7.4f}"
        yield f"{name:26} {figures}"
    area = scores["ours"].area
    yield f"ours, unseen projects: {area:.4f}, goal {GOAL}: {'reached' if area >= GOAL else 'not reached'}"


def bins(columns: KeyColumns, scores: Scores) -> Iterator[str]:
    """Yield the share of unique columns by predicted probability."""
    for low in (0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95):
        high = next((each for each in (0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.01) if each > low), 1.01)
        some = (scores.predicted >= low) & (scores.predicted < high)
        predicted, true = scores.predicted[some].mean(), columns.unique[some].mean()
        span = f"{low:4.2f} to {min(high, 1):4.2f}"
        yield f"predicted {span}: {some.sum():6} columns, mean {predicted:.3f}, unique {true:.3f}"


def write(columns: KeyColumns, scores: Mapping[str, Scores], date: str) -> None:
    """Write the model, trained on all schemas, and its card."""
    predictions = scores["ours"].predicted
    line = calibration(numpy.log(predictions / (1 - predictions)), columns.unique)
    model = quantized(fit_from_scratch(columns), line)
    numpy.savez_compressed(WEIGHTS, weights=model.weights)
    card = {
        "format": 1,
        "what": "the chance that a column alone is a key of its table, from names, type and the table's other columns",
        "model": RECIPE,
        "made by": "python -m bench.suggestions.train_keys --write",
        "date": date,
        "licence": "Apache-2.0, as the package; of the schemas it holds weights of hashed parts of names, no names",
        "data": f"{len(columns.unique)} columns of {len(set(columns.groups))} open-source projects",
        "unique": "the column alone is a primary key or has a unique constraint or index of its own",
        "area under the ROC curve, 5 folds by project": {name: round(each.area, 4) for name, each in scores.items()},
        "threshold": model.threshold,
        "step": model.step,
        "slope": model.slope,
        "intercept": model.intercept,
    }
    CARD.write_text(json.dumps(card, indent=1) + "\n", "utf-8")


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table of models; with --write, write the shipped one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--write", metavar="DATE", help="write the model and its card with this date")
    parser.add_argument(
        "--only", nargs="*", choices=MODELS, default=list(MODELS), help="models to measure; `ours` is always included"
    )
    parser.add_argument("--by", nargs="*", choices=("project", "family"), default=["project", "family"])
    parser.add_argument("--no-registries", dest="registries", action="store_false", help="simulate no registries")
    options = parser.parse_args(argv)
    facts, scores = read(options.data / "schemas"), dict[str, Scores]()
    for line in lines(facts, scores, list(dict.fromkeys((*options.only, "ours"))), options.by):
        print(line, flush=True)
    for line in bins(facts.columns, scores["ours"]):
        print(line)
    for line in registry_keys.lines(facts.by_family) if options.registries else ():
        print(line, flush=True)
    if options.write:
        write(facts.columns, scores, options.write)


if __name__ == "__main__":
    main()
