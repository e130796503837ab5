"""What multinomial naive Bayes learns of rows, as counts that can be merged, and the rows that it is judged on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from treaty.engine.components.base import Component
from treaty.engine.components.dictionary_encoding import encode_texts, sort_codes
from treaty.engine.components.hashed_features import describe_features, split_arguments
from treaty.engine.components.operands import Operand
from treaty.engine.components.prediction_quality import ConfusionMatrix, predicted_classes

# Distinct rows that are judged, those with the least hashes: a share of 0.97 among them is known within 0.005 (95 %).
MAX_TEST_ROWS = 4096


@dataclass(frozen=True, eq=False)
class TokenCounts:
    """Counts of tokens by class, and the rows that are judged.

    `classes`: their names, ascending. `training_rows`: whole numbers in three lines, class, feature and how often.
    `test_rows`: in four, the hash of a row's content, and of that content class, feature and how often in all its
    copies. The feature ROW counts rows. Both are sorted and name each combination once."""

    classes: tuple[str, ...]
    training_rows: Any
    test_rows: Any

    @cached_property
    def left_out(self) -> ConfusionMatrix:
        """Each row that is judged is predicted by what all others tell."""
        return predicted_classes(self, leave_one_out=True)

    @cached_property
    def held_out(self) -> ConfusionMatrix:
        """The rows that are judged are none of those learned of."""
        return predicted_classes(self, leave_one_out=False)

    def table(self) -> Any:
        """As an Arrow table: hash (null for what was learned), class, feature, count."""
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
        """From the table, whose rows may come in any order, and one combination in several."""
        import numpy

        # A piece of a larger table has its dictionary, of which it may use but a few.
        given = sort_codes(encode_texts(table))
        names = given["t"].combine_chunks()
        used, codes = numpy.unique(names.indices.to_numpy(), return_inverse=True)
        classes = tuple(names.dictionary.take(used).to_pylist())
        rows = numpy.vstack([codes, given["f"].to_numpy(), given["n"].to_numpy()]).astype("int64")
        unhashed = given["h"].is_null().to_numpy()
        hashes = given["h"].filter(given["h"].is_valid()).to_numpy()
        return cls(classes, summed(rows[:, unhashed]), fewest(numpy.vstack([hashes, rows[:, ~unhashed]])))

    @classmethod
    def combine(cls, several: Sequence["TokenCounts"]) -> "TokenCounts":
        """Those of all these rows together."""
        import numpy

        classes = sorted({name for each in several for name in each.classes})
        places = {name: at for at, name in enumerate(classes)}
        codes = [numpy.array([places[name] for name in each.classes], dtype="int64") for each in several]
        learned = [_recoded(each.training_rows, 0, code) for each, code in zip(several, codes, strict=True)]
        tried = [_recoded(each.test_rows, 1, code) for each, code in zip(several, codes, strict=True)]
        both = summed(numpy.concatenate(learned, axis=1)), fewest(numpy.concatenate(tried, axis=1))
        return cls._named(tuple(classes), *both)

    @classmethod
    def _named(cls, classes: tuple[str, ...], learned: Any, tried: Any) -> "TokenCounts":
        """Without the classes that nothing is left of: rows that are judged no more."""
        import numpy

        used = numpy.union1d(learned[0], tried[1])
        code = numpy.searchsorted(used, numpy.arange(len(classes)))
        names = tuple(classes[at] for at in used)
        return cls(names, _recoded(learned, 0, code), _recoded(tried, 1, code))


def _recoded(rows: Any, line: int, code: Any) -> Any:
    found = rows.copy()
    found[line] = code[rows[line]]
    return found


def summed(rows: Any) -> Any:
    """The lines sorted, those that are alike but for the count in the last line added up."""
    import numpy

    if not rows.shape[1]:
        return rows.astype("int64")
    found = rows[:, numpy.lexsort(rows[-2::-1])]
    starts = numpy.flatnonzero((numpy.diff(found[:-1], axis=1) != 0).any(axis=0)) + 1
    starts = numpy.concatenate([[0], starts])
    return numpy.vstack([found[:-1, starts], numpy.add.reduceat(found[-1], starts)])


def fewest(rows: Any) -> Any:
    """Of rows that are judged, summed up, those with the least hashes.

    What is among the least of all is among the least of each part: however rows were cut, the same ones are left."""
    import numpy

    found = summed(rows)
    hashes = numpy.unique(found[0])
    return found[:, found[0] <= hashes[MAX_TEST_ROWS - 1]] if len(hashes) > MAX_TEST_ROWS else found


@dataclass(frozen=True, init=False)
class NaiveBayes(Component):
    """Counts of hashed tokens by class (N_ki and N_k; Deequ, VLDB 2018, section 4.1), and a sample of rows to judge.

    Over the target, its inputs and, the last `held_out_count` of the operands, the columns by whose hash a fifth of the
    rows is held out; without such all rows are learned of, and each that is judged is left out of what judges it. The
    sample are the 4,096 distinct rows with the least hashes of their content, with how often each occurs. State: Bags;
    None for no rows. Rows without a target are left out."""

    kind = "naive_bayes"
    grouping = True
    held_out_count: int

    def __init__(self, *templates: str, held_out_count: int = 0) -> None:
        super().__init__(*templates)
        object.__setattr__(self, "held_out_count", held_out_count)

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        """In words: what is counted, not SQL."""
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
