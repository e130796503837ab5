"""Train and test classifiers of Spark ML other than naive Bayes.

They learn on four fifths of the rows and are tested on the rest. To add one, add a line here and its name in
`treaty.engine.analyzers.predictability`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.components.hashed_features import held_out, label, split_arguments, tokens
from treaty.engine.components.operands import Operand

if TYPE_CHECKING:
    from treaty.engine.spark.scan.separate_statements import OtherDatasets, PartitionedRows

# A weight is learned for each class and bucket, hence fewer buckets than naive Bayes counts.
BUCKETS = 2**16


class Classifier(Protocol):
    """A factory of a pyspark.ml estimator over vectors `features` and numbers `label`.

    Its model writes `prediction`."""

    def __call__(self) -> Any:
        """Create an estimator."""
        ...


def logistic_regression() -> Any:
    """Return a multinomial logistic regression with a small L2 penalty.

    Without it, the weights of tokens that occur in one class only would grow without bound."""
    from pyspark.ml.classification import LogisticRegression

    return LogisticRegression(maxIter=30, regParam=1e-4)


CLASSIFIERS: Mapping[str, Classifier] = {"logistic_regression": logistic_regression}


def confusion(rows: "PartitionedRows", part: BoundComponent, other_datasets: "OtherDatasets") -> dict[str, Any]:
    """Return (class, predicted, rows) of the held-out rows, for each partition separately."""
    classifier = CLASSIFIERS[part.component.classifier]  # type: ignore[attr-defined]
    operands = split_arguments(part.operands, part.component.held_out_count)  # type: ignore[attr-defined]
    return rows.each(lambda frame: _predicted(_featured(frame, *operands), classifier))


def _featured(frame: Any, target: Operand, inputs: Sequence[Operand], split_by: Sequence[Operand]) -> Any:
    """Return class t, whether held out, and the hashed tokens of all inputs.

    Each token is prefixed with its input's position."""
    from pyspark.ml.feature import HashingTF

    bags = (f"transform({tokens(each)}, x -> concat('{at}:', coalesce(x, '')))" for at, each in enumerate(inputs))
    named = (f"{label(target)} as t", f"{held_out(split_by)} as held", f"concat({', '.join(bags)}) as tokens")
    rows = frame.where(f"{target.sql} IS NOT NULL").selectExpr(*named)
    return HashingTF(inputCol="tokens", outputCol="features", numFeatures=BUCKETS).transform(rows)


def _predicted(rows: Any, classifier: Classifier) -> tuple[tuple[str, str, int], ...]:
    """Train on one set of rows and count predictions on the other; () if either is empty."""
    from pyspark.ml.feature import IndexToString, StringIndexer

    training, test = rows.where("not held"), rows.where("held")
    if training.isEmpty() or test.isEmpty():
        return ()
    index = StringIndexer(inputCol="t", outputCol="label").fit(training)
    model = classifier().fit(index.transform(training))
    named = IndexToString(inputCol="prediction", outputCol="said", labels=index.labels)
    counts = named.transform(model.transform(test)).groupBy("t", "said").count().collect()
    return tuple(sorted((row["t"], row["said"], int(row["count"])) for row in counts))
