"""How well a class is predicted: by multinomial naive Bayes over counts, and the quality of any predictions.

Deequ (VLDB 2018, section 3.2): argmax_k sum_i f_i log((N_ki + a_i) / (N_k + a)) with a_i = 0.1 for each feature that
was learned. Its paper takes every class for as likely; here a class is as likely as it is frequent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from treaty.engine.components.hashed_features import BUCKETS, ROW

if TYPE_CHECKING:
    from treaty.engine.components.naive_bayes import TokenCounts

Measure = Literal["f1", "precision", "recall"]
# Chosen by hand: with Laplace's 1 the one token that tells a class of few rows is outvoted by how large others are.
SMOOTHING = 0.1
CHUNK_SCORES = 2**22  # scores at once: 32 MiB
SHOWN = 100  # classes; the others are told together


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """Predictions beside the truth: of each kind of row its class, the one predicted, and how many rows are of it."""

    classes: Sequence[str]
    truth: Any
    predicted: Any
    rows: Any

    def quality(self, measure: Measure) -> float | None:
        """The measure of each class, weighted by the rows that are of it; None where nothing was judged.

        Precision tp / predicted, recall tp / rows, F1 their harmonic mean 2 tp / (rows + predicted); 0 for 0 / 0. The
        weighted recall is the share of rows that are predicted rightly."""
        import numpy

        shares, rows = self._by_class()
        return float(numpy.dot(shares[measure], rows) / rows.sum()) if rows.sum() else None

    def details(self) -> Mapping[str, Any]:
        """The measures of the most frequent classes as plain data, and how many rows were judged."""
        shares, rows = self._by_class()
        order = sorted(range(len(rows)), key=lambda at: (-rows[at], self.classes[at]))
        values = [
            {"value": self.classes[at], "count": int(rows[at]), **{name: float(of[at]) for name, of in shares.items()}}
            for at in order[:SHOWN]
            if rows[at]
        ]
        others = int(rows[order[SHOWN:]].sum()) if len(order) > SHOWN else 0
        return {"values": values, "other": {"count": others}, "judged": int(rows.sum())}

    def _by_class(self) -> tuple[dict[Measure, Any], Any]:
        import numpy

        many, right = len(self.classes), self.truth == self.predicted
        rows, said = (numpy.bincount(each, self.rows, many) for each in (self.truth, self.predicted))
        hits = numpy.bincount(self.truth[right], self.rows[right], many)
        shares: dict[Measure, Any] = {
            "f1": _ratio(2 * hits, rows + said),
            "precision": _ratio(hits, said),
            "recall": _ratio(hits, rows),
        }
        return shares, rows


def _ratio(part: Any, whole: Any) -> Any:
    import numpy

    return numpy.divide(part, whole, out=numpy.zeros(len(whole)), where=whole > 0)


def confusion_matrix(confusion: Sequence[tuple[str, str, int]]) -> ConfusionMatrix:
    """The judgement of (class, predicted, rows)."""
    import numpy

    classes = sorted({name for truth, said, _ in confusion for name in (truth, said)})
    places = {name: at for at, name in enumerate(classes)}
    lines = [(places[truth], places[said], rows) for truth, said, rows in confusion]
    return ConfusionMatrix(classes, *numpy.array(lines, dtype="int64").reshape(-1, 3).T)


def predicted_classes(bags: "TokenCounts", *, leave_one_out: bool) -> ConfusionMatrix:
    """The classes that naive Bayes predicts for the rows that are judged.

    `leave_one_out`: each was learned of, and is taken out of the counts before it is predicted. Of classes that are as
    likely, the first."""
    import numpy

    model, given = NaiveBayesModel.of(bags), ClassifiedRows.of(bags.test_rows)
    if not len(given.truth) or model.rows.sum() <= leave_one_out:
        return ConfusionMatrix(bags.classes, *numpy.zeros((3, 0), dtype="int64"))
    rows = given.only(model.totals[given.tokens] > given.token_counts * leave_one_out)
    alone = model.without(rows) if leave_one_out else None
    step = max(1, CHUNK_SCORES // len(bags.classes))
    found = [_best(model, rows, alone, slice(at, at + step)) for at in range(0, len(rows.truth), step)]
    return ConfusionMatrix(bags.classes, rows.truth, numpy.concatenate(found), rows.copies)


def _best(model: "NaiveBayesModel", rows: "ClassifiedRows", alone: Any, some: slice) -> Any:
    import numpy

    scores = (rows.features[some] @ model.weights).toarray() + model.scores(rows.lengths[some])
    if alone is not None:
        scores[numpy.arange(len(scores)), rows.truth[some]] = alone[some]
    return scores.argmax(axis=1)


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassifiedRows:
    """The rows that are judged, one of each content: class and copies; and their tokens, one line each: of which row,
    which feature, how often."""

    truth: Any
    copies: Any
    at: Any
    tokens: Any
    token_counts: Any

    @classmethod
    def of(cls, lines: Any) -> "ClassifiedRows":
        """From lines as in `TokenCounts.judged`: a content begins with the line that counts its rows."""
        import numpy

        _, classes, features, counts = lines
        first = features == ROW
        at = (numpy.cumsum(first) - 1)[~first]
        copies = counts[first]
        often = counts[~first] // copies[at]
        return cls(truth=classes[first], copies=copies, at=at, tokens=features[~first], token_counts=often)

    def only(self, known: Any) -> "ClassifiedRows":
        """Without the tokens that are not known: what nothing was learned of would favour small classes."""
        return replace(self, at=self.at[known], tokens=self.tokens[known], token_counts=self.token_counts[known])

    @cached_property
    def lengths(self) -> Any:
        """How many tokens, by row."""
        import numpy

        return numpy.bincount(self.at, self.token_counts, len(self.copies))

    @cached_property
    def features(self) -> Any:
        """How often each feature occurs, a line each row."""
        return _sparse(self.token_counts, (self.at, self.tokens), (len(self.copies), BUCKETS))


@dataclass(frozen=True, eq=False)
class NaiveBayesModel:
    """Naive Bayes: how many rows and tokens each class has, and how often each feature, as ascending `keys` of both.

    A class of which no row was learned is never predicted."""

    rows: Any
    tokens: Any
    keys: Any
    counts: Any

    @classmethod
    def of(cls, bags: "TokenCounts") -> "NaiveBayesModel":
        """From what was learned."""
        import numpy

        classes, features, counts = bags.training_rows
        many, row = len(bags.classes), features == ROW
        rows = numpy.bincount(classes[row], counts[row], many)
        classes, features, counts = (each[~row] for each in (classes, features, counts))
        return cls(rows, numpy.bincount(classes, counts, many), classes * BUCKETS + features, counts)

    @cached_property
    def totals(self) -> Any:
        """How often each feature occurs in all classes."""
        import numpy

        return numpy.bincount(self.keys % BUCKETS, self.counts, BUCKETS)

    @cached_property
    def smoothed(self) -> float:
        """The sum of the smoothing terms: one for each feature that there is."""
        import numpy

        return float(SMOOTHING * numpy.count_nonzero(self.totals))

    @cached_property
    def weights(self) -> Any:
        """log((N_ki + a_i) / a_i), a line each feature: 0 for one that a class does not have."""
        import numpy

        where = (self.keys % BUCKETS, self.keys // BUCKETS)
        return _sparse(numpy.log(self.counts / SMOOTHING + 1), where, (BUCKETS, len(self.rows)))

    def scores(self, lengths: Any) -> Any:
        """What is added to the weights of a row's tokens, by row and class."""
        import numpy

        return _log(self.rows)[None, :] - lengths[:, None] * numpy.log(self.tokens + self.smoothed)[None, :]

    def without(self, rows: ClassifiedRows) -> Any:
        """The score that each row has in its own class once it is taken out of the counts."""
        import numpy

        found = numpy.searchsorted(self.keys, rows.truth[rows.at] * BUCKETS + rows.tokens)
        left = (self.counts[found] - rows.token_counts) / SMOOTHING
        tokens = numpy.bincount(rows.at, rows.token_counts * numpy.log(left + 1), len(rows.truth))
        rest = numpy.log(self.tokens[rows.truth] - rows.lengths + self.smoothed)
        return tokens - rows.lengths * rest + _log(self.rows[rows.truth] - 1)


def _log(counts: Any) -> Any:
    import numpy

    with numpy.errstate(divide="ignore"):
        return numpy.log(counts)


def _sparse(values: Any, where: Any, shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_array

    return csr_array((values, where), shape, dtype=float)
