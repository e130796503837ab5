"""Mergeable counts for multinomial naive Bayes, with the sample of rows for its evaluation."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from treaty.engine.components.base import Component
from treaty.engine.components.dictionary_encoding import encode_texts, sort_codes
from treaty.engine.components.hashed_features import describe_features, split_arguments
from treaty.engine.components.operands import Operand
from treaty.engine.components.prediction_quality import ConfusionMatrix, predicted_classes

# Number of distinct rows for evaluation, those with the smallest hashes: a share of 0.97 is accurate to 0.005 (95 %).
MAX_TEST_ROWS = 4096


@dataclass(frozen=True, eq=False)
class TokenCounts:
    """Token counts by class, and the rows for evaluation.

    `classes`: class names, ascending. `training_rows`: integer array of three lines: class, feature, count.
    `test_rows`: integer array of four lines: hash of a row's content, and for that content class, feature and count
    over all its copies. The feature ROW counts rows. Both are sorted and contain each combination once."""

    classes: tuple[str, ...]
    training_rows: Any
    test_rows: Any

    @cached_property
    def left_out(self) -> ConfusionMatrix:
        """Predict each test row from all other rows (leave one out)."""
        return predicted_classes(self, leave_one_out=True)

    @cached_property
    def held_out(self) -> ConfusionMatrix:
        """Predict the test rows, which are not training rows."""
        return predicted_classes(self, leave_one_out=False)

    def table(self) -> Any:
        """Return the counts as an Arrow table: hash (null for training rows), class, feature, count."""
        import numpy
        import pyarrow

        rows = numpy.concatenate([self.training_rows, self.test_rows[1:]], axis=1)
        unhashed = numpy.arange(rows.shape[1]) < self.training_rows.shape[1]
        hashes = numpy.concatenate([numpy.zeros(self.training_rows.shape[1], dtype="int64"), self.test_rows[0]])
        names = pyarrow.array(self.classes, pyarrow.string()).take(pyarrow.array(rows[0]))
        columns = {"h": pyarrow.array(hashes, mask=unhashed), "t": names, "f": rows[1].astype("int32"), "n": rows[2]}
        return pyarrow.table(columns)

    @classmethod
    def of(cls, table: Any) -> "TokenCounts":
        """Build the counts from a table, whose rows may be unsorted and repeat a combination."""
        import numpy

        # A slice of a larger table has that table's dictionary, but may use only a part of it.
        coded = sort_codes(encode_texts(table))
        names = coded["t"].combine_chunks()
        used, codes = numpy.unique(names.indices.to_numpy(), return_inverse=True)
        classes = tuple(names.dictionary.take(used).to_pylist())
        rows = numpy.vstack([codes, coded["f"].to_numpy(), coded["n"].to_numpy()]).astype("int64")
        unhashed = coded["h"].is_null().to_numpy()
        hashes = coded["h"].filter(coded["h"].is_valid()).to_numpy()
        return cls(classes, summed(rows[:, unhashed]), fewest(numpy.vstack([hashes, rows[:, ~unhashed]])))

    @classmethod
    def combine(cls, several: Sequence["TokenCounts"]) -> "TokenCounts":
        """Return the counts of all these rows together."""
        import numpy

        classes = sorted({name for each in several for name in each.classes})
        places = {name: at for at, name in enumerate(classes)}
        codes = [numpy.array([places[name] for name in each.classes], dtype="int64") for each in several]
        training = [_recoded(each.training_rows, 0, code) for each, code in zip(several, codes, strict=True)]
        test = [_recoded(each.test_rows, 1, code) for each, code in zip(several, codes, strict=True)]
        both = summed(numpy.concatenate(training, axis=1)), fewest(numpy.concatenate(test, axis=1))
        return cls._named(tuple(classes), *both)

    @classmethod
    def _named(cls, classes: tuple[str, ...], learned: Any, exclusive: Any) -> "TokenCounts":
        """Return the counts without the classes that occur neither in training nor in test rows."""
        import numpy

        used = numpy.union1d(learned[0], exclusive[1])
        code = numpy.searchsorted(used, numpy.arange(len(classes)))
        names = tuple(classes[at] for at in used)
        return cls(names, _recoded(learned, 0, code), _recoded(exclusive, 1, code))


def _recoded(rows: Any, line: int, code: Any) -> Any:
    recoded = rows.copy()
    recoded[line] = code[rows[line]]
    return recoded


def summed(rows: Any) -> Any:
    """Return sorted columns, with the counts in the last line added up for equal columns."""
    import numpy

    if not rows.shape[1]:
        return rows.astype("int64")
    sorted_rows = rows[:, numpy.lexsort(rows[-2::-1])]
    starts = numpy.flatnonzero((numpy.diff(sorted_rows[:-1], axis=1) != 0).any(axis=0)) + 1
    starts = numpy.concatenate([[0], starts])
    return numpy.vstack([sorted_rows[:-1, starts], numpy.add.reduceat(sorted_rows[-1], starts)])


def fewest(rows: Any) -> Any:
    """Return the summed test rows with the smallest hashes.

    The smallest hashes of all rows are among the smallest of each part, so the result does not depend on how rows
    are partitioned."""
    import numpy

    totals = summed(rows)
    hashes = numpy.unique(totals[0])
    return totals[:, totals[0] <= hashes[MAX_TEST_ROWS - 1]] if len(hashes) > MAX_TEST_ROWS else totals


@dataclass(frozen=True, init=False)
class NaiveBayes(Component):
    """Counts of hashed tokens by class and a sample of rows for evaluation.

    The counts are N_ki and N_k (Deequ, VLDB 2018, section 4.1), over the target, its inputs and, as the last
    `held_out_count` operands, the columns by whose hash a fifth of the rows is held out. Without such columns the
    model learns from all rows, and each evaluated row is left out of the model that predicts it. The sample is the
    4,096 distinct rows with the smallest hashes of their content, with their numbers of copies. The state is
    TokenCounts; None for no rows. Rows without a target are excluded."""

    kind = "naive_bayes"
    grouping = True
    held_out_count: int

    def __init__(self, *templates: str, held_out_count: int = 0) -> None:
        super().__init__(*templates)
        object.__setattr__(self, "held_out_count", held_out_count)

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        """Return a description of the counts, instead of SQL."""
        return (describe_features(*split_arguments(operands, self.held_out_count)),)

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> TokenCounts:
        return TokenCounts.of(row[0])

    def merge(self, left: TokenCounts | None, right: TokenCounts | None) -> TokenCounts | None:
        return self.merge_all((left, right))

    def merge_all(self, states: Sequence[TokenCounts | None]) -> TokenCounts | None:
        present = [each for each in states if each is not None]
        return TokenCounts.combine(present) if len(present) > 1 else next(iter(present), None)

    def dump(self, state: TokenCounts | None) -> bytes:
        if state is None:
            return b""
        import pyarrow
        import pyarrow.parquet

        sink = pyarrow.BufferOutputStream()
        pyarrow.parquet.write_table(state.table(), sink, compression="zstd")
        return bytes(sink.getvalue())

    def load(self, data: bytes) -> TokenCounts | None:
        if not data:
            return None
        import pyarrow
        import pyarrow.parquet

        return TokenCounts.of(pyarrow.parquet.read_table(pyarrow.BufferReader(data)))
