"""Predictions of multinomial naive Bayes from counts, and the quality of any predictions.

After Deequ (VLDB 2018, section 3.2): argmax_k sum_i f_i log((N_ki + a_i) / (N_k + a)) with a_i = 0.1 for each
learned feature. The paper assumes equally likely classes; here the prior of a class is its frequency."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from treaty.engine.components.hashed_features import BUCKETS, ROW

if TYPE_CHECKING:
    from treaty.engine.components.naive_bayes import TokenCounts

Measure = Literal["f1", "precision", "recall"]
# Tuned by hand: with Laplace's 1, the size of large classes outweighs the one token that identifies a small class.
SMOOTHING = 0.1
CHUNK_SCORES = 2**22  # scores per chunk: 32 MiB
SHOWN = 100  # classes in the details; the rest is counted under `other`


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """Predictions and true classes: each kind of row with its class, its predicted class and its number of rows."""

    classes: Sequence[str]
    truth: Any
    predicted: Any
    rows: Any

    def quality(self, measure: Measure) -> float | None:
        """Return the measure averaged over classes, weighted by their rows; None if no row was evaluated.

        Precision is `tp / predicted`, recall `tp / rows`, F1 their harmonic mean `2 tp / (rows + predicted)`; 0 for 0
        / 0. The weighted recall is the share of rows that are predicted correctly."""
        import numpy

        shares, rows = self._by_class()
        return float(numpy.dot(shares[measure], rows) / rows.sum()) if rows.sum() else None

    def details(self) -> Mapping[str, Any]:
        """Return the measures of the most frequent classes as plain data.

        `rows` is the number of evaluated rows."""
        shares, rows = self._by_class()
        order = sorted(range(len(rows)), key=lambda at: (-rows[at], self.classes[at]))
        values = [
            {"value": self.classes[at], "count": int(rows[at]), **{name: float(of[at]) for name, of in shares.items()}}
            for at in order[:SHOWN]
            if rows[at]
        ]
        remainder = int(rows[order[SHOWN:]].sum()) if len(order) > SHOWN else 0
        return {"values": values, "other": {"count": remainder}, "rows": int(rows.sum())}

    def _by_class(self) -> tuple[dict[Measure, Any], Any]:
        import numpy

        size, correct = len(self.classes), self.truth == self.predicted
        rows, predicted = (numpy.bincount(each, self.rows, size) for each in (self.truth, self.predicted))
        hits = numpy.bincount(self.truth[correct], self.rows[correct], size)
        shares: dict[Measure, Any] = {
            "f1": _ratio(2 * hits, rows + predicted),
            "precision": _ratio(hits, predicted),
            "recall": _ratio(hits, rows),
        }
        return shares, rows


def _ratio(part: Any, whole: Any) -> Any:
    import numpy

    return numpy.divide(part, whole, out=numpy.zeros(len(whole)), where=whole > 0)


def confusion_matrix(confusion: Sequence[tuple[str, str, int]]) -> ConfusionMatrix:
    """Build the confusion matrix from (class, predicted, rows)."""
    import numpy

    classes = sorted({name for truth, predicted, _ in confusion for name in (truth, predicted)})
    places = {name: at for at, name in enumerate(classes)}
    lines = [(places[truth], places[predicted], rows) for truth, predicted, rows in confusion]
    return ConfusionMatrix(classes, *numpy.array(lines, dtype="int64").reshape(-1, 3).T)


def predicted_classes(bags: "TokenCounts", *, leave_one_out: bool) -> ConfusionMatrix:
    """Predict the classes of the test rows with naive Bayes.

    `leave_one_out`: the test rows are also training rows, and each is removed from the counts before it is
    predicted. The first of equally likely classes wins."""
    import numpy

    model, test_rows = NaiveBayesModel.of(bags), ClassifiedRows.of(bags.test_rows)
    if not len(test_rows.truth) or model.rows.sum() <= leave_one_out:
        return ConfusionMatrix(bags.classes, *numpy.zeros((3, 0), dtype="int64"))
    rows = test_rows.only(model.totals[test_rows.tokens] > test_rows.token_counts * leave_one_out)
    own_scores = model.without(rows) if leave_one_out else None
    step = max(1, CHUNK_SCORES // len(bags.classes))
    predictions = [_best(model, rows, own_scores, slice(at, at + step)) for at in range(0, len(rows.truth), step)]
    return ConfusionMatrix(bags.classes, rows.truth, numpy.concatenate(predictions), rows.copies)


def _best(model: "NaiveBayesModel", rows: "ClassifiedRows", alone: Any, some: slice) -> Any:
    import numpy

    scores = (rows.features[some] @ model.weights).toarray() + model.scores(rows.lengths[some])
    if alone is not None:
        scores[numpy.arange(len(scores)), rows.truth[some]] = alone[some]
    return scores.argmax(axis=1)


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassifiedRows:
    """Test rows, one for each content, and their tokens.

    `truth`, `copies`: class and number of copies of each row. `at`, `tokens`, `token_counts`: one entry for each
    token: position of its row, feature, and count."""

    truth: Any
    copies: Any
    at: Any
    tokens: Any
    token_counts: Any

    @classmethod
    def of(cls, lines: Any) -> "ClassifiedRows":
        """Build the rows from lines as in `TokenCounts.test_rows`.

        The lines of a content begin with the one that counts its rows."""
        import numpy

        _, classes, features, counts = lines
        first = features == ROW
        at = (numpy.cumsum(first) - 1)[~first]
        copies = counts[first]
        token_counts = counts[~first] // copies[at]
        return cls(truth=classes[first], copies=copies, at=at, tokens=features[~first], token_counts=token_counts)

    def only(self, selection: Any) -> "ClassifiedRows":
        """Return the rows with only the tokens that `selection` selects.

        Tokens that are not in the training rows would favor small classes."""
        return replace(
            self, at=self.at[selection], tokens=self.tokens[selection], token_counts=self.token_counts[selection]
        )

    @cached_property
    def lengths(self) -> Any:
        """Return the number of tokens of each row."""
        import numpy

        return numpy.bincount(self.at, self.token_counts, len(self.copies))

    @cached_property
    def features(self) -> Any:
        """Return a sparse matrix of token counts: rows by features."""
        return _sparse(self.token_counts, (self.at, self.tokens), (len(self.copies), BUCKETS))


@dataclass(frozen=True, eq=False)
class NaiveBayesModel:
    """A multinomial naive Bayes model.

    `rows`, `tokens`: number of rows and of tokens of each class. `keys`, `counts`: ascending codes of (class,
    feature) and the count of each. A class without training rows is never predicted."""

    rows: Any
    tokens: Any
    keys: Any
    counts: Any

    @classmethod
    def of(cls, bags: "TokenCounts") -> "NaiveBayesModel":
        """Build the model from the training rows."""
        import numpy

        classes, features, counts = bags.training_rows
        size, row = len(bags.classes), features == ROW
        rows = numpy.bincount(classes[row], counts[row], size)
        classes, features, counts = (each[~row] for each in (classes, features, counts))
        return cls(rows, numpy.bincount(classes, counts, size), classes * BUCKETS + features, counts)

    @cached_property
    def totals(self) -> Any:
        """Return the count of each feature over all classes."""
        import numpy

        return numpy.bincount(self.keys % BUCKETS, self.counts, BUCKETS)

    @cached_property
    def smoothed(self) -> float:
        """Return the sum of the smoothing terms, one for each feature that occurs."""
        import numpy

        return float(SMOOTHING * numpy.count_nonzero(self.totals))

    @cached_property
    def weights(self) -> Any:
        """Return log((N_ki + a_i) / a_i) as a sparse matrix, features by classes; 0 for features a class lacks."""
        import numpy

        indices = (self.keys % BUCKETS, self.keys // BUCKETS)
        return _sparse(numpy.log(self.counts / SMOOTHING + 1), indices, (BUCKETS, len(self.rows)))

    def scores(self, lengths: Any) -> Any:
        """Return the term that is added to the token weights, by row and class."""
        import numpy

        return _log(self.rows)[None, :] - lengths[:, None] * numpy.log(self.tokens + self.smoothed)[None, :]

    def without(self, rows: ClassifiedRows) -> Any:
        """Return each row's score in its own class, with the row removed from the counts."""
        import numpy

        positions = numpy.searchsorted(self.keys, rows.truth[rows.at] * BUCKETS + rows.tokens)
        ratios = (self.counts[positions] - rows.token_counts) / SMOOTHING
        tokens = numpy.bincount(rows.at, rows.token_counts * numpy.log(ratios + 1), len(rows.truth))
        rest = numpy.log(self.tokens[rows.truth] - rows.lengths + self.smoothed)
        return tokens - rows.lengths * rest + _log(self.rows[rows.truth] - 1)


def _log(counts: Any) -> Any:
    import numpy

    with numpy.errstate(divide="ignore"):
        return numpy.log(counts)


def _sparse(values: Any, where: Any, shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_array

    return csr_array((values, where), shape, dtype=float)
