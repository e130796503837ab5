"""Other classifiers than naive Bayes, of Spark's own library: learned on four fifths of the rows, judged on the rest.

Adding one is a line here and its name in `treaty.engine.analyzers.predictability`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.components.hashed_features import held_out, label, split_arguments, tokens
from treaty.engine.components.operands import Operand

if TYPE_CHECKING:
    from treaty.engine.spark.scan.separate_statements import OtherDatasets, PartitionedRows

# A weight of each class and bucket is learned: fewer than naive Bayes counts.
BUCKETS = 2**16


class Classifier(Protocol):
    """An estimator of pyspark.ml over vectors `features` and numbers `label`, whose model writes `prediction`."""

    def __call__(self) -> Any:
        """A new one."""
        ...


def logistic_regression() -> Any:
    """Multinomial, with a little L2: some classes are told by tokens that no other has, whose weights had no end."""
    from pyspark.ml.classification import LogisticRegression

    return LogisticRegression(maxIter=30, regParam=1e-4)


CLASSIFIERS: Mapping[str, Classifier] = {"logistic_regression": logistic_regression}


def confusion(rows: "PartitionedRows", part: BoundComponent, others: "OtherDatasets") -> dict[str, Any]:
    """(class, predicted, rows) of the held-out rows, of each partition by itself."""
    classifier = CLASSIFIERS[part.component.classifier]  # type: ignore[attr-defined]
    operands = split_arguments(part.operands, part.component.held_out_count)  # type: ignore[attr-defined]
    return rows.each(lambda frame: _predicted(_featured(frame, *operands), classifier))


def _featured(frame: Any, target: Operand, inputs: Sequence[Operand], split_by: Sequence[Operand]) -> Any:
    """Class t, whether held out, and the tokens of all inputs, each with its input's place before it."""
    from pyspark.ml.feature import HashingTF

    bags = (f"transform({tokens(each)}, x -> concat('{at}:', coalesce(x, '')))" for at, each in enumerate(inputs))
    named = (f"{label(target)} as t", f"{held_out(split_by)} as held", f"concat({', '.join(bags)}) as tokens")
    rows = frame.where(f"{target.sql} IS NOT NULL").selectExpr(*named)
    return HashingTF(inputCol="tokens", outputCol="features", numFeatures=BUCKETS).transform(rows)


def _predicted(rows: Any, classifier: Classifier) -> tuple[tuple[str, str, int], ...]:
    """The tally of what is learned of some of the rows and predicted of the others; () where either are none."""
    from pyspark.ml.feature import IndexToString, StringIndexer

    learned, judged = rows.where("not held"), rows.where("held")
    if learned.isEmpty() or judged.isEmpty():
        return ()
    index = StringIndexer(inputCol="t", outputCol="label").fit(learned)
    model = classifier().fit(index.transform(learned))
    named = IndexToString(inputCol="prediction", outputCol="said", labels=index.labels)
    found = named.transform(model.transform(judged)).groupBy("t", "said").count().collect()
    return tuple(sorted((row["t"], row["said"], int(row["count"])) for row in found))
